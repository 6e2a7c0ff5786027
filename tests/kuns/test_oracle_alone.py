"""The oracle of Kuns by itself: the vectors, the texts' examples, and the readings it chose where RULES.md is open."""

from __future__ import annotations

import ast
import json
import random
from collections.abc import Iterable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from oracle import kuns
from oracle.kuns import RANKS, KunsOracle, hand_value, rank_of
from oracle.kuns_games import draw_player, draw_rules

VECTORS = Path(__file__).parents[1] / "vectors"
NUM_RANDOM_GAMES = 500
DECK = [rank + suit for suit in "cdhs" for rank in RANKS]


def after(
    rules: dict[str, Any], moves: Iterable[str], dealer: int = 0, deck: Sequence[str] = DECK
) -> KunsOracle:
    """Return the oracle after ``moves``; every hand is dealt the same deck."""
    oracle = KunsOracle(rules, dealer, lambda hand: deck)
    for move in moves:
        oracle.apply(move)
    return oracle


def random_game(number: int, watch: Any) -> KunsOracle:
    """Play the random game of this number, showing the oracle to ``watch`` in every position."""
    rng = random.Random(number)
    rules = draw_rules(rng)
    choose = draw_player(rng)
    deck = [RANKS[rank - 1] + suit for rank in rules["ranks"] for suit in "cdhs"[: rules["num_suits"]]]
    oracle = KunsOracle(rules, rng.randrange(rules["num_players"]), lambda hand: rng.sample(deck, len(deck)))
    while not oracle.is_over:
        watch(oracle)
        oracle.apply(choose(oracle.legal_moves()))
    watch(oracle)
    return oracle


def test_it_imports_nothing_of_the_project() -> None:
    tree = ast.parse(Path(kuns.__file__).read_text("utf-8"))
    modules = {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    modules |= {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    assert modules == {"__future__", "collections.abc", "fractions", "itertools", "typing"}


@pytest.mark.parametrize(
    ("hand", "value"),
    [("8597A", (1, 10)), ("TTTA4", (1, 5)), ("T5554", (1, 9)), ("T7356", (1, 1)), ("T55AA", (1, 2))],
)
def test_the_texts_own_examples_k5_7(hand: str, value: tuple[int, int]) -> None:
    assert hand_value([rank_of(card) for card in hand]) == value


def test_every_vector_hand_k5() -> None:
    hands = json.loads((VECTORS / "kuns_hands.json").read_text("utf-8"))
    assert hands == {hand: list(hand_value([rank_of(card) for card in hand])) for hand in hands}


def test_every_vector_game() -> None:
    for line in (VECTORS / "kuns_games.jsonl").read_text("utf-8").splitlines():
        game = json.loads(line)
        oracle = after(game["rules"], (), **game["options"])
        for seat, legal, move in game["steps"]:
            assert (oracle.to_play, oracle.legal_moves()) == (seat, legal)
            oracle.apply(move)
        assert oracle.is_over
        assert oracle.payoffs() == [Fraction(text) for text in game["payoff"]]


def test_chips_sum_to_zero_and_no_bankroll_is_overdrawn_k7_1_k2_3() -> None:
    def watch(oracle: KunsOracle) -> None:
        assert sum(oracle.payoffs()) == 0
        assert oracle.money is None or min(oracle.money) >= 0
        assert oracle.is_over == (not oracle.legal_moves())

    for number in range(NUM_RANDOM_GAMES):
        random_game(number, watch)


def test_an_illegal_move_changes_nothing_k9_1() -> None:
    oracle = after({}, ["ante 4"])
    for move in ("ante 4", "raise", "", "pass"):
        with pytest.raises(ValueError, match="may not"):
            oracle.apply(move)
    assert (oracle.to_play, oracle.ante, oracle.legal_moves()) == (1, 4, ["call", "fold"])


# ---------------------------------------------------------------- readings

OPEN = {"num_players": 3, "num_hands": None, "side_bets": False, "ante_menu": (1,), "forced_ante": 1}
"""An open session without a decision on the ante. Dealer 0: seats 1, 2, 0 act."""


def test_who_is_broke_is_asked_to_stay_and_is_out_before_the_deal_k2_3() -> None:
    # Seats 0 and 1 lose their only chip to seat 2.
    oracle = after({**OPEN, "bankroll": 1}, ["fold", "fold"])
    assert oracle.money == [3, 0, 0]
    assert (oracle.to_play, oracle.legal_moves()) == (2, ["leave", "stay"])
    oracle = after({**OPEN, "bankroll": 1}, ["fold", "fold", "stay", "stay", "stay"])
    assert (oracle.is_over, oracle.seated, oracle.truncated) == (True, {0}, False)


def test_the_session_ends_as_soon_as_one_remains_k2_2() -> None:
    oracle = after(OPEN, ["fold", "fold", "leave", "leave"])
    assert (oracle.is_over, oracle.seated) == (True, {1})


def test_the_deal_passes_on_if_the_next_dealer_leaves_k2_2() -> None:
    oracle = after(OPEN, ["fold", "fold"])
    assert oracle.to_play == 2  # the next dealer is seat 1, asked last
    oracle = after(OPEN, ["fold", "fold", "stay", "stay", "leave"])
    assert (oracle.dealer, oracle.hand_index, oracle.to_play) == (2, 1, 0)


def test_nobody_is_asked_to_stay_after_the_last_of_max_hands_k2_2() -> None:
    oracle = after({**OPEN, "max_hands": 1}, ["fold", "fold"])
    assert (oracle.is_over, oracle.truncated, oracle.seated) == (True, True, {0, 1, 2})
    oracle = after({**OPEN, "num_hands": 2, "max_hands": 1}, ["fold", "fold"])
    assert (oracle.is_over, oracle.hand_index, oracle.dealer) == (False, 1, 1)


def test_nobody_can_pay_the_first_forced_ante_k2_3() -> None:
    oracle = after({**OPEN, "forced_ante": 2, "bankroll": 1}, ())
    assert (oracle.is_over, oracle.payoffs(), oracle.seated) == (True, [0, 0, 0], set())


def test_one_move_is_still_a_decision_k2_3_k6() -> None:
    rules = {"num_players": 3, "ante_menu": (2, 8), "bankroll": 5}
    assert after(rules, ["ante 8"]).legal_moves() == ["fold"]
    # Three chips are left: one stake of 2 can be made, and after it nothing.
    oracle = after(rules, ["ante 2", "call", "call", "call", "against 0"])
    assert oracle.legal_moves() == ["stake 1"]
    oracle.apply("stake 1")
    assert (oracle.to_play, oracle.legal_moves()) == (0, ["accept", "decline"])
    oracle.apply("accept")
    oracle.apply("against 1")
    oracle.apply("stake 1")
    assert (oracle.to_play, oracle.legal_moves()) == (1, ["decline"])
    oracle.apply("decline")
    assert (oracle.to_play, oracle.legal_moves()) == (0, ["pass"])


def test_two_hands_without_kuns_are_compared_in_a_bet_also_beside_one_with_kuns_k6_5() -> None:
    # Seat 1: 2 2 2 2 T, no kuns, 8. Seat 2: A A A A 3, no kuns, 7. Seat 0, the dealer: T T T 9 9, kuns, 8.
    hands = {
        1: ["2c", "2d", "2h", "2s", "Tc"],
        2: ["Ac", "Ad", "Ah", "As", "3c"],
        0: ["Td", "Th", "Ts", "9c", "9d"],
    }
    deck = [hands[seat][card] for card in range(5) for seat in (1, 2, 0)]
    calls = ["call", "call", "call"]
    passes = ["pass", "pass", "pass"]
    moves = [*calls, "against 2", "stake 1", "accept", *passes[1:], *calls, *passes, *calls, *passes]
    oracle = after({"num_players": 3, "ante_menu": (1,)}, moves, deck=deck)
    assert oracle.shown == hands
    assert oracle.payoffs() == [6, -3 + 1, -3 - 1]


# ---------------------------------------------------------------- information states


def test_suits_and_the_order_of_cards_within_a_deal_step_are_not_known() -> None:
    first = after(OPEN, ["call"], deck=["Ac", "2c", "3c", "4c", "5c", "6c", *DECK[6:]])
    second = after(OPEN, ["call"], deck=["4d", "8d", "9d", "Ad", "9c", "8c"])
    assert first.information_state(1) == second.information_state(1)
    assert first.information_state(2) != second.information_state(2)


def test_moves_and_standings_are_known() -> None:
    assert after(OPEN, ["call"]).information_state(0) != after(OPEN, ["fold"]).information_state(0)
    to_the_next_deal = ["stay", "stay", "stay"]
    kept = after(OPEN, ["fold", "fold", *to_the_next_deal])
    paid = after(OPEN, ["fold", "call", "fold", *to_the_next_deal])
    assert kept.information_state(0) != paid.information_state(0)


def test_shown_hands_are_known_until_the_next_deal_k7_3() -> None:
    rounds = ["call", "call", "call"] * 3
    oracle = after(OPEN, rounds)
    assert set(oracle.shown) == {0, 1, 2}
    assert any(event[0] == "shown" for event in oracle.information_state(0))
    for _ in range(3):
        oracle.apply("stay")
    assert not any(event[0] == "shown" for event in oracle.information_state(0))
