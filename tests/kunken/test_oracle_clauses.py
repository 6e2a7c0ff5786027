"""The oracle of Kunken by itself: an example for every clause and every reading that it chose."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import pytest

from oracle.kunken import DEFAULTS, OVER, OWE, PLAY, KunkenOracle
from oracle.kunken_games import deck_of
from oracle.kunken_melds import JOKER, RANKS, all_beginnings, points_of

FILLER = "2c 4d 6h 8s"
"""A hand without a meld in it."""


def position(
    hand: str,
    bank: str = "2d",
    stock: str = "2s 2s 2s 2s",
    other: str = FILLER,
    moves: Sequence[str] = (),
    **rules: Any,
) -> KunkenOracle:
    """Return the oracle after ``moves`` of two players, of whom seat 0, with ``hand``, is the first to act."""
    setup = {"hands": [hand.split(), other.split()], "bank": bank.split(), "stock": stock.split()}
    oracle = KunkenOracle(rules, 1, lambda deal: setup, lambda cards: list(cards)[::-1])
    for move in moves:
        oracle.apply(move)
    return oracle


def legal(oracle: KunkenOracle, *words: str) -> list[str]:
    """Return the legal moves that begin with one of ``words``."""
    return [move for move in oracle.legal_moves() if move.split()[0] in words]


OPEN = {"bank_points": 5, "open_from_stock": True}
"""Rules under which any meld opens, so that an example can begin with one."""


# ---------------------------------------------------------------- N1.1-N1.3, N2.1-N2.3: cards and deal


def test_cards_and_points_n1_1_n1_3() -> None:
    assert len(deck_of(2)) == 106
    assert [points_of(card) for card in ("Ac", "Kd", "Qh", "Js", "Tc", "9d", "2h")] == [
        10,
        10,
        10,
        10,
        5,
        5,
        5,
    ]
    texts = {begun.text for begun in all_beginnings(True)}
    assert "run Qs Ks As" in texts
    assert not any(text.startswith(("run As", "run Ks As", "run * 2")) for text in texts)


def test_a_joker_counts_as_what_it_stands_for_n1_3() -> None:
    oracle = position("Qs Ks * 9c", moves=["draw", "run Qs Ks *", "discard 9c"], **OPEN)
    assert oracle.laid_points == [30, 0]
    oracle = position("9c 9d * Ks", moves=["draw", "set 9c 9d *", "discard Ks"], **OPEN)
    assert oracle.laid_points == [15, 0]


def test_the_left_of_the_dealer_begins_and_the_deal_rotates_n2_1_n2_3() -> None:
    oracle = position(FILLER, stock="3c", max_reshuffles=0, num_deals=2)
    assert (oracle.dealer, oracle.to_play) == (1, 0)
    for move in ("draw", "discard 3c"):
        oracle.apply(move)
    assert (oracle.deal_index, oracle.dealer, oracle.to_play) == (1, 0, 1)
    assert oracle.bank == ["2d"]  # N2.2
    for move in ("draw", "discard 3c"):
        oracle.apply(move)
    assert (oracle.is_over, oracle.phase, len(oracle.deal_payoffs)) == (True, OVER, 2)
    assert DEFAULTS["num_players"] == 2  # N1.2, N10.1
    assert DEFAULTS["hand_size"] == 13  # N1.2; N10.2 is 7 and bank_points=25


# ---------------------------------------------------------------- N3.1-N3.4, N8.2-N8.4, N8.7: melds


def test_sets_n3_1_n8_2() -> None:
    hand = "5c 5c 5d 5h * 9s"
    assert legal(position(hand, moves=["draw"], **OPEN), "set") == sorted(
        f"set {cards}"
        for cards in ("5c 5c 5d", "5c 5c 5h", "5c 5d 5h", "5c 5c *", "5c 5d *", "5c 5h *", "5d 5h *")
    )
    oracle = position(hand, moves=["draw"], identical_cards_in_set=False, **OPEN)
    assert legal(oracle, "set") == sorted(["set 5c 5d 5h", "set 5c 5d *", "set 5c 5h *", "set 5d 5h *"])
    oracle.apply("set 5c 5d *")
    assert legal(oracle, "lay") == ["lay 5h set"]  # not the other 5c


def test_a_set_has_four_cards_at_most_n3_1() -> None:
    moves = ["draw", "set 5c 5d 5h", "lay 5c set"]
    assert legal(position("5c 5c 5d 5d 5h 5h * 9s", moves=moves, **OPEN), "lay") == []


def test_runs_n3_2_n8_3() -> None:
    oracle = position("2c 3c 4c Kc Ac", stock="9h 2s", moves=["draw"], **OPEN)
    assert legal(oracle, "run") == ["run 2c 3c 4c"]  # no K A 2
    oracle = position("Kd Ad 2d Qc Kc Ac", stock="9h 2s", moves=["draw", "run Qc Kc Ac"], **OPEN)
    assert legal(oracle, "lay", "run") == []
    lays = [f"lay {rank}h high" for rank in RANKS[3:]]
    oracle = position(" ".join(f"{rank}h" for rank in RANKS), moves=["draw", "run 2h 3h 4h", *lays], **OPEN)
    assert [len(on_table.meld.cards) for on_table in oracle.melds] == [13]


def test_a_joker_in_a_run_of_three_n8_3() -> None:
    # Also where the natural card is held.
    oracle = position("6s 7s 8s *", stock="Kh 2c", moves=["draw"], **OPEN)
    assert legal(oracle, "run") == sorted(
        ["run 6s 7s 8s", "run * 7s 8s", "run 6s * 8s", "run 6s 7s *", "run * 6s 7s", "run 7s 8s *"]
    )


def test_jokers_are_half_of_a_meld_at_most_n3_3_n8_4() -> None:
    oracle = position("5s 8s * *", stock="Qd 2d", moves=["draw"], **OPEN)
    assert legal(oracle, "run", "set") == ["run 5s * * 8s"]
    oracle.apply("run 5s * * 8s")
    assert [laid.place for laid in oracle.melds[0].meld.cards] == ["5s", "6s", "7s", "8s"]  # a fixed place
    assert legal(position("5s * *", stock="Qd 2d", moves=["draw"], **OPEN), "run", "set") == []
    moves = ["draw", "set 5c 5d *", "lay *5 set"]
    assert position("5c 5d * * 9h", moves=moves, **OPEN).laid_points == [20, 0]
    # As a meld has three natural cards or two, no second joker laid off is ever too many.
    moves = ["draw", "run 5s * 7s"]
    assert legal(position("5s 7s * * 9h", moves=moves, **OPEN), "lay") == ["lay *4s low", "lay *8s high"]


SWAP = {**OPEN, "joker_swap": True}


def test_swap_in_a_run_n3_4_n8_7() -> None:
    moves = ["draw", "run 5s * 7s"]
    oracle = position("5s 7s * 6s 6h", moves=moves, **SWAP)
    assert legal(oracle, "swap") == ["swap 6s"]
    oracle.apply("swap 6s")
    assert sorted(oracle.hands[0]) == ["*", "2s", "6h"]
    assert oracle.known[0] == Counter({JOKER: 1})
    # "scores nothing, takes back no points, is not a card laid for N6.2"
    assert (oracle.laid_points, oracle.num_laid, oracle.turn_points) == ([15, 0], [3, 0], 15)
    assert legal(position("5s 7s * 6s 6h", moves=moves, **OPEN), "swap") == []


def test_swap_in_a_set_n3_4_n3_1() -> None:
    hand = "5c 5d * 5c 5h 9h"
    moves = ["draw", "set 5c 5d *"]
    assert legal(position(hand, moves=moves, **SWAP), "swap") == ["swap 5c", "swap 5h"]
    moves_left = legal(position(hand, moves=moves, identical_cards_in_set=False, **SWAP), "swap")
    assert moves_left == ["swap 5h"]


def test_the_oldest_meld_gives_its_joker_n3_4() -> None:
    hand = "5s 7s 5s 7s * * 6s 9h"
    oracle = position(hand, moves=["draw", "run 5s * 7s", "run 5s * 7s", "swap 6s"], **SWAP)
    assert [JOKER in {laid.card for laid in on_table.meld.cards} for on_table in oracle.melds] == [
        False,
        True,
    ]


def test_no_swap_before_one_has_opened_nor_in_debt_n3_4() -> None:
    moves = ["draw", "run 5s * 7s", "discard 9h"]
    other = "6s 6c 6d 6h Jc Kd"
    oracle = position("5s 7s * 9h 9c", other=other, moves=moves, **SWAP)
    oracle.apply("draw")
    assert legal(oracle, "swap") == []
    oracle.apply("set 6c 6d 6h")
    assert legal(oracle, "swap") == ["swap 6s"]
    # In debt by N4.6, too.
    moves = ["draw", "run Js * Ks", "discard 9h", "draw", "set 6c 6d 6h"]
    other = "Qs 6c 6d 6h 7c 7d 7h 3c"
    oracle = position("Js Ks * 9h 9c", other=other, moves=moves, **{**SWAP, "bank_points": 30})
    assert oracle.legal_moves() == ["set 7c 7d 7h"]
    oracle.apply("set 7c 7d 7h")
    assert legal(oracle, "swap") == ["swap Qs"]


def test_an_opponents_swap_in_debt_n3_4() -> None:
    # Seat 1 has opened and takes 9h: until it is laid, no swap.
    moves = ["draw", "run 5s * 7s", "discard Jc", "draw", "set 6c 6d 6h", "discard Kd", "draw", "discard 9h"]
    oracle = position(
        "5s 7s * 9h Jc 3c", stock="2s 3d 4h 4s", other="6s 6c 6d 6h 9c 9d Kd", moves=moves, **SWAP
    )
    oracle.apply("take 9h")
    assert oracle.legal_moves() == ["set 9c 9d 9h"]
    oracle.apply("set 9c 9d 9h")
    assert legal(oracle, "swap") == ["swap 6s"]


# ---------------------------------------------------------------- N4.1-N4.9, N8.6: the turn


def test_take_needs_the_points_from_the_hand_and_the_claimed_card_n4_1_n4_2() -> None:
    # With 7h: 7c 7d 7h (15) and K K K (30) are 45. With the Ks above it they would be more, but it is received later.
    hand = "7c 7d Kc Kd Kh 2c"
    bank = "7h Ks 9c"
    assert position(hand, bank).legal_moves() == ["draw"]
    oracle = position(hand, bank, bank_points=45)
    # Ks: K K K K is 40; 9c: nothing.
    assert oracle.legal_moves() == ["draw", "take 7h"]
    oracle.apply("take 7h")
    assert (oracle.phase, oracle.claimed, oracle.bank, oracle.above) == (OWE, "7h", [], ["Ks", "9c"])
    assert oracle.known[0] == Counter(["7h"])
    assert oracle.legal_moves() == ["set 7c 7d 7h", "set Kc Kd Kh"]
    oracle.apply("set 7c 7d 7h")
    assert oracle.legal_moves() == ["set Kc Kd Kh"]  # no discard, N4.3
    assert oracle.opened == [False, False]
    oracle.apply("set Kc Kd Kh")
    assert (oracle.phase, oracle.opened, sorted(oracle.hands[0])) == (PLAY, [True, False], ["2c", "9c", "Ks"])
    assert oracle.known[0] == Counter(["Ks", "9c"])
    assert oracle.legal_moves() == ["discard 2c", "discard 9c", "discard Ks", "lay Ks set"]
    assert oracle.turn_points == 45


def test_any_card_equal_to_the_claimed_one_counts_n4_2() -> None:
    oracle = position("7h 7c 7d 6h 8h 3s", "7h", bank_points=15, moves=["take 7h", "run 6h 7h 8h"])
    assert (oracle.phase, oracle.hands[0].count("7h")) == (PLAY, 1)


def test_only_moves_that_keep_it_completable_n4_3() -> None:
    # 5h is needed for the run with the claimed 6h: the set of fives without it would leave it unlaid.
    oracle = position("5c 5d 5h 4h Js Jc Jd", "6h", bank_points=45, moves=["take 6h"])
    assert oracle.legal_moves() == ["run 4h 5h 6h", "set Jc Jd Js"]
    # Lay-offs on older melds are not legal until then.
    moves = ["draw", "set 9c 9d 9h", "discard 8d", "draw", "discard 6h"]
    hand = "9c 9d 9h 9s 4h 5h 3d 8d"
    oracle = position(hand, other=FILLER, moves=moves, **OPEN)
    oracle.apply("take 6h")
    assert oracle.legal_moves() == ["run 4h 5h 6h"]
    oracle.apply("run 4h 5h 6h")
    assert "lay 9s set" in oracle.legal_moves()


def test_lay_offs_on_melds_of_this_turn_count_n4_4() -> None:
    # The claimed 7h is laid on a run of this turn; the points are those of both cards added.
    oracle = position("3h 4h 5h 6h 9c", "7h", bank_points=25, moves=["take 7h"])
    assert oracle.legal_moves() == ["run 3h 4h 5h", "run 4h 5h 6h", "run 5h 6h 7h"]
    oracle.apply("run 3h 4h 5h")
    assert oracle.legal_moves() == ["lay 6h high"]
    oracle.apply("lay 6h high")
    oracle.apply("lay 7h high")
    assert (oracle.phase, oracle.turn_points) == (PLAY, 25)


def test_points_at_every_take_n4_5() -> None:
    moves = ["draw", "set Kc Kd Kh", "discard 2s", "draw", "discard 7h"]
    rules = {"open_from_stock": True, "bank_points": 30}
    hand = "Kc Kd Kh 7c 7d 3s 4d"
    other = "7h 2c 4d 6h 8s"
    assert "take 7h" not in position(hand, other=other, moves=moves, **rules).legal_moves()
    oracle = position(hand, other=other, moves=moves, bank_points_every_time=False, **rules)
    assert "take 7h" in oracle.legal_moves()
    oracle.apply("take 7h")
    assert oracle.legal_moves() == ["set 7c 7d 7h"]


def test_opening_after_a_draw_n4_6() -> None:
    hand = "Kc Kd Kh 7c 7d 7h 9s"
    moves = ["draw"]
    discards = [f"discard {card}" for card in ("2s", "7c", "7d", "7h", "9s", "Kc", "Kd", "Kh")]
    assert position(hand, moves=moves).legal_moves() == discards
    rules = {"open_from_stock": True, "bank_points": 45}
    melds = ["set 7c 7d 7h", "set Kc Kd Kh"]
    oracle = position(hand, moves=moves, **rules)
    assert oracle.legal_moves() == discards + melds
    oracle.apply("set 7c 7d 7h")
    assert (oracle.phase, oracle.legal_moves()) == (OWE, ["set Kc Kd Kh"])
    oracle.apply("set Kc Kd Kh")
    assert (oracle.phase, oracle.opened, oracle.claimed) == (PLAY, [True, False], None)
    assert position(hand, moves=moves, **{**rules, "bank_points": 46}).legal_moves() == discards


def test_who_has_opened_lays_off_on_any_meld_and_scores_n4_7_n6_1() -> None:
    moves = ["draw", "set 9c 9d 9h", "discard 3d", "draw", "run 4h 5h 6h", "lay 9s set"]
    oracle = position("9c 9d 9h 3d 8c", other="4h 5h 6h 9s Kc", moves=moves, **OPEN)
    assert oracle.laid_points == [15, 20]
    assert oracle.melds[0].owner == 0
    assert oracle.melds[0].layers == (0, 0, 0, 1)


def test_a_card_at_the_low_end_keeps_its_layer_n6_1() -> None:
    moves = ["draw", "run 4h 5h 6h", "lay 3h low", "discard 9c"]
    assert position("3h 4h 5h 6h 9c Kc", moves=moves, **OPEN).melds[0].layers == (0, 0, 0, 0)
    moves = ["draw", "run 4h 5h 6h", "discard 9c", "draw", "run 7c 8c 9c", "lay 3h low"]
    oracle = position("4h 5h 6h 9c Kc", other="7c 8c 9c 3h Td", moves=moves, **OPEN)
    assert oracle.melds[0].layers == (1, 0, 0, 0)


def test_the_discard_ends_the_turn_n4_8_n8_6() -> None:
    oracle = position("* 3c", moves=["draw", "discard *"])
    assert (oracle.bank, oracle.to_play) == (["2d", "*"], 1)


def test_going_out_n4_9() -> None:
    # By the discard.
    oracle = position("9c 9d 9h 9s", moves=["draw", "set 9c 9d 9h", "lay 9s set", "discard 2s"], **OPEN)
    assert (oracle.is_over, oracle.winner) == (True, 0)
    # Because every card is laid.
    moves = ["draw", "set 9c 9d 9h"]
    oracle = position("9c 9d", stock="9h 2s", moves=moves, **OPEN)
    assert (oracle.is_over, oracle.winner, oracle.bank) == (True, 0, ["2d"])


def test_the_cards_above_are_received_before_the_hand_is_looked_at_n4_2_n4_9() -> None:
    oracle = position("9c 9d", "9h Ks", moves=["take 9h", "set 9c 9d 9h"], bank_points=15)
    assert (oracle.is_over, oracle.legal_moves()) == (False, ["discard Ks"])
    oracle = position("9c 9d", "Ks 9h", moves=["take 9h", "set 9c 9d 9h"], bank_points=15)
    assert (oracle.is_over, oracle.winner, oracle.bank) == (True, 0, ["Ks"])


def test_a_card_must_be_left_to_discard_n4_9_n4_3() -> None:
    rules = {"bank_points": 15, "discard_to_go_out": True}
    # Of two equal cards in the bank only the deep one leaves a card: the one above it.
    oracle = position("9c 9d", "9h 9h", **rules)
    assert oracle.legal_moves() == ["draw", "take 9h deep"]
    oracle.apply("take 9h deep")
    oracle.apply("set 9c 9d 9h")
    assert oracle.legal_moves() == ["discard 9h"]
    oracle = position("9c 9d 9s", "9h", moves=["take 9h"], **rules)
    assert len(legal(oracle, "set")) == 3  # 9h in each; the fourth is left
    oracle.apply("set 9c 9d 9h")
    assert oracle.legal_moves() == ["discard 9s"]
    oracle = position("9c 9d", stock="9h 2s", moves=["draw"], open_from_stock=True, **rules)
    assert legal(oracle, "set") == []


# ---------------------------------------------------------------- N5.1, N6.1-N6.3, N7.1-N7.4: the end, scores, payoffs


def test_the_bank_becomes_the_stock_n5_1() -> None:
    turns = ["draw", "discard 3c", "draw", "discard 3d"]
    oracle = position(FILLER, "Jc", stock="3c 3d", moves=turns)
    assert (oracle.reshuffles, oracle.bank, oracle.stock) == (
        1,
        ["3d"],
        ["3c", "Jc"],
    )  # the test's order: reversed
    for move in ("draw", "discard 3c", "draw", "discard Jc"):
        oracle.apply(move)
    assert (oracle.is_over, oracle.winner, oracle.reshuffles) == (True, None, 1)
    oracle = position(FILLER, "Jc", stock="3c 3d", moves=turns, max_reshuffles=0)
    assert (oracle.is_over, oracle.winner) == (True, None)
    # A bank of a single card cannot be met: who draws the last card leaves what lay there and the own discard.


def test_express_doubles_n6_2() -> None:
    oracle = position("Kc Kd", "9s Kh", bank_points=30, moves=["take Kh", "set Kc Kd Kh"])
    assert (oracle.express, oracle.scores, oracle.payoffs()) == (True, [60, 0], [60, -60])
    turns = ["draw", "set 9c 9d 9h", "discard 2s", "draw", "discard 2s", "draw", "lay 9s set", "discard 2s"]
    oracle = position("9c 9d 9h 9s", moves=turns, **OPEN)
    assert (oracle.winner, oracle.express, oracle.scores) == (0, False, [20, 0])


def test_cards_in_hand_n6_3() -> None:
    rules = {"bank_points": 30, "hand_penalty": True}
    oracle = position("Kc Kd", "9s Kh", other="* Ad 3c", moves=["take Kh", "set Kc Kd Kh"], **rules)
    assert oracle.scores == [60, -25]


@pytest.mark.parametrize(
    ("settlement", "payoffs"),
    [
        pytest.param("difference", [60 + 60, -60, -60], id="N7.1"),
        pytest.param("win", [1, Fraction(-1, 2), Fraction(-1, 2)], id="N7.2"),
        pytest.param("points", [60, 0, 0], id="N7.3"),
    ],
)
def test_settlements(settlement: str, payoffs: list[Any]) -> None:
    setup = {"hands": [["Kc", "Kd"], ["3c"], ["4c"]], "bank": ["Kh"], "stock": ["5c"]}
    rules = {"num_players": 3, "bank_points": 30, "settlement": settlement}
    oracle = KunkenOracle(rules, 2, lambda deal: setup, lambda cards: cards)
    oracle.apply("take Kh")
    oracle.apply("set Kc Kd Kh")
    assert oracle.payoffs() == payoffs


def test_nobody_wins_n7_2() -> None:
    moves = ["draw", "discard 3c"]
    oracle = position(FILLER, stock="3c", moves=moves, max_reshuffles=0, settlement="win")
    assert oracle.payoffs() == [0, 0]


# ---------------------------------------------------------------- N8.1-N8.8, N9.1: moves and positions


def test_the_copy_is_named_n8_1() -> None:
    hand = "9c 9d Kc Kd"
    bank = "9h 3c 9h * 5d *"
    oracle = position(hand, bank, bank_points=15)
    # reading: of two jokers the one nearest the top only.
    assert legal(oracle, "take") == ["take *", "take 9h", "take 9h deep"]
    assert position(hand, bank, bank_points=15, moves=["take 9h"]).above == ["*", "5d", "*"]
    assert position(hand, bank, bank_points=15, moves=["take 9h deep"]).above == ["3c", "9h", "*", "5d", "*"]
    assert position(hand, bank, bank_points=15, moves=["take *"]).above == []


def test_the_meld_laid_first_takes_the_card_n8_5() -> None:
    hand = "3s 4s 5s 4s 5s 6s 6s 2h 9h"
    for moves, grown in (
        (["run 3s 4s 5s", "run 4s 5s 6s"], [3, 3]),
        (["run 3s 4s 5s", "run 4s 5s 6s", "lay 6s high"], [4, 3]),
    ):
        oracle = position(hand, moves=["draw", *moves], **OPEN)
        assert [len(on_table.meld.cards) for on_table in oracle.melds] == grown
    oracle = position(
        "3s 4s 5s 3s 4s 5s 6s 6s 9h",
        moves=["draw", "run 3s 4s 5s", "run 3s 4s 5s", "lay 6s high", "lay 6s high"],
        **OPEN,
    )
    assert [len(on_table.meld.cards) for on_table in oracle.melds] == [4, 4]
    assert legal(oracle, "lay") == ["lay 2s low"]


def test_the_first_meld_of_this_turn_takes_the_card_in_debt_n8_5_n4_3() -> None:
    moves = ["draw", "run 3s 4s 5s", "discard 2s", "draw", "discard 6s"]
    oracle = position("3s 4s 5s 3s 4s 5s 2h 9h", other="6s 2c 4d", moves=moves, **{**OPEN, "bank_points": 15})
    oracle.apply("take 6s")
    oracle.apply("run 3s 4s 5s")
    assert oracle.legal_moves() == ["lay 6s high"]
    oracle.apply("lay 6s high")
    assert [len(on_table.meld.cards) for on_table in oracle.melds] == [3, 4]


def test_the_first_meld_takes_it_also_if_that_is_not_legal_n8_5() -> None:
    # reading: the first set would take 5s, and then nothing takes 5h: `lay 5s set` is not legal, for the second
    # set either, before 5h is on the first.
    rules = {"identical_cards_in_set": False, "bank_points": 40, "open_from_stock": True}
    hand = "5c 5d * 5c 5d 5h 5h 5s"
    oracle = position(hand, stock="9h 2s", moves=["draw", "set 5c 5d *", "set 5c 5d 5h"], **rules)
    assert oracle.legal_moves() == ["lay 5h set"]
    oracle.apply("lay 5h set")
    assert oracle.legal_moves() == ["lay 5s set"]


def test_names_of_lay_offs_n8_5_n8_8() -> None:
    oracle = position("3s 4s 5s 5c 5d 5h * 6s 2s 9h", moves=["draw", "run 3s 4s 5s", "set 5c 5d 5h"], **OPEN)
    assert legal(oracle, "lay") == ["lay *2s low", "lay *5 set", "lay *6s high", "lay 2s low", "lay 6s high"]


def test_an_illegal_move_changes_nothing_n8() -> None:
    oracle = position("9c 9d", "9h", bank_points=15)
    for move in ("take 9c", "discard 9c", "", "set 9c 9d 9h"):
        with pytest.raises(ValueError, match="may not"):
            oracle.apply(move)
    assert (oracle.to_play, oracle.legal_moves()) == (0, ["draw", "take 9h"])


def test_cards_named_nowhere_are_not_in_the_deal_n9_1() -> None:
    oracle = position("9c 9d", "9h 9s", stock="2s 3s")
    assert ([len(hand) for hand in oracle.hands], oracle.melds) == ([2, 4], [])
    assert (oracle.bank[-1], oracle.stock[0]) == ("9s", "2s")
    with pytest.raises(ValueError, match="no such field"):
        position("9c", bank_point=5)
