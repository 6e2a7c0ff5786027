"""Callers' mistakes: a clear `ValueError` that says what was wrong and what is allowed, and nothing changed.

Clauses: N1.1, N1.2, N4.3, N8.1-N8.7, N9.1, N11.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from kunken_play import play_out, position_of, words
from kuns_env import Batch, IllegalMoveError, KunkenRules, OptionsError, RulesError, Table, preset
from kuns_env.kunken.cards import parse_card
from kuns_env.kunken.moves import NUM_MOVES

RULES = KunkenRules(hand_size=3, bank_points=15)
OPTIONS: dict[str, Any] = {
    "dealer": 0,
    "hands": [["2c", "3d", "*"], ["9c", "9d", "Kh"]],
    "bank": ["4s", "9h", "Jd"],
    "stock": ["As", "2d", "7h", "7h"],
}


def new_table(**rules: Any) -> Table:
    return Table(KunkenRules(hand_size=3, bank_points=15, **rules), seed=3, options=OPTIONS)


# ---------------------------------------------------------------- positions (N9.1)


def without(*keys: str) -> dict[str, Any]:
    return {key: value for key, value in OPTIONS.items() if key not in keys}


def changed(**options: Any) -> dict[str, Any]:
    return {**OPTIONS, **options}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (changed(deck=[]), r"unknown option 'deck'; there are: dealer, hands, bank, stock"),
        (changed(seed=1), "unknown option 'seed'"),
        ({1: 2}, "unknown option 1"),
        (without("hands"), "bank, stock without hands"),
        (without("bank"), "hands, stock without bank"),
        (without("stock"), "hands, bank without stock"),
        (without("hands", "bank"), "stock without hands, bank"),
        (without("hands", "stock"), "bank without hands, stock"),
        (without("bank", "stock"), "hands without bank, stock"),
        (changed(bank=[]), r"bank=\[\]: must hold a card at least"),
        (changed(stock=[]), r"stock=\[\]: must hold a card at least"),
        (changed(bank=()), "bank"),
        (changed(stock=["7h", "7h", "7h"]), "'7h' is there 3 times: the deck has 2"),
        (changed(bank=["9h", "9h", "9h"]), "'9h' is there 3 times"),
        (changed(stock=["2c", "2c", "3c"]), "'2c' is there 3 times"),
        (changed(hands=[["2c", "3d", "2c"], ["2c", "9d", "Kh"]]), "'2c' is there 3 times"),
        (changed(stock=["*", "*"]), r"'\*' is there 3 times: the deck has 2"),
        (changed(stock=["1h"]), "'1h' is not a card of the Kunken deck"),
        (changed(bank=["ah"]), "bank: 'ah' is not a card"),
        (changed(bank=["10h"]), "bank: '10h' is not a card"),
        (changed(stock=["As", 0]), "stock: 0 is not a card"),
        (changed(stock=[None]), "stock: None is not a card"),
        (changed(stock=[["As"]]), r"stock: \['As'\] is not a card"),
        (changed(bank=""), "bank='': must be a list"),
        (changed(bank="9h"), "bank='9h': must be a list of cards"),
        (changed(stock={"As": 1}), "stock=.*must be a list of cards"),
        (changed(stock=None), "stock=None: must be a list"),
        (changed(stock=5), "stock=5: must be a list"),
        (changed(hands=[["2c", "3d", "*"]]), "hands=.*must be 2 lists"),
        (changed(hands=[["2c", "3d", "*"]] * 3), "hands=.*must be 2 lists"),
        (changed(hands=[["2c", "3d"], ["9c", "9d", "Kh"]]), r"hands\[0\] has 2 cards: must be 3"),
        (changed(hands=[["2c", "3d", "4d"], ["9c", "9d", "Kh", "Kh"]]), r"hands\[1\] has 4 cards: must be 3"),
        (changed(hands=[[], []]), r"hands\[0\] has 0 cards: must be 3"),
        (changed(hands=[["2c", "3d", "x"], ["9c", "9d", "Kh"]]), r"hands\[0\]: 'x' is not a card"),
        (changed(hands=["2c 3d *", "9c 9d Kh"]), r"hands\[0\]='2c 3d \*': must be a list"),
        (changed(hands="hands"), "hands='hands'"),
        (changed(hands=None), "hands=None"),
        (changed(hands=7), "hands=7"),
        (changed(dealer=2), "dealer=2: must be a seat from 0 to 1"),
        (changed(dealer=-1), "dealer=-1"),
        (changed(dealer=1.0), "dealer=1.0"),
        (changed(dealer="1"), "dealer='1'"),
        (changed(dealer=True), "dealer=True"),
        (changed(dealer=None), "dealer=None"),
        (changed(dealer=float("nan")), "dealer=nan"),
        ([("dealer", 1)], "options must be a mapping"),
        ("dealer", "options must be a mapping"),
        (7, "options must be a mapping"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_positions_n9_1(options: Any, message: str) -> None:
    with pytest.raises(OptionsError, match=message):
        Table(RULES, seed=1, options=options)
    assert issubclass(OptionsError, ValueError)
    batch = Batch(RULES, 2, seed=1)
    before = batch._states.tobytes()
    with pytest.raises(OptionsError, match=message):
        batch.restart(seed=2, options=options)
    assert batch._states.tobytes() == before


@pytest.mark.parametrize("num_jokers", [0, 1])
def test_jokers_that_these_rules_do_not_have_n1_1(num_jokers: int) -> None:
    rules = KunkenRules(hand_size=3, num_jokers=num_jokers)
    with pytest.raises(
        OptionsError, match=rf"'\*' is there {num_jokers + 1} times: the deck has {num_jokers}"
    ):
        Table(rules, options=changed(stock=["As", *["*"] * num_jokers]))


def test_what_is_no_mistake_n9_1() -> None:
    # Only the dealer; nothing; tuples and generators; a whole deck; cards that are named nowhere.
    assert Table(RULES, seed=1, options={"dealer": 1}).dealer == 1
    assert position_of(Table(RULES, seed=1, options={})).setup() == position_of(Table(RULES, seed=1)).setup()
    given = {
        **OPTIONS,
        "hands": tuple(map(tuple, OPTIONS["hands"])),
        "bank": (card for card in OPTIONS["bank"]),
    }
    table = Table(RULES, seed=1, options=given)
    assert position_of(table).setup() == position_of(new_table()).setup() | {"bank": ["4s", "9h", "Jd"]}
    assert table.setup_options() == {**OPTIONS, "hands": [["2c", "3d", "*"], ["9c", "9d", "Kh"]]}


@pytest.mark.parametrize("key", ["bank", "stock"])
def test_a_set_of_cards_has_no_order_n9_1(key: str) -> None:
    with pytest.raises(OptionsError, match=key):
        Table(RULES, seed=1, options={**OPTIONS, key: set(OPTIONS[key])})


@pytest.mark.parametrize(
    "text", ["", "A", "Ahh", "1h", "aH", "AH", " Ah", "**", "10h", None, 3, b"Ah", ["A", "h"]]
)
def test_card_texts(text: Any) -> None:
    with pytest.raises(ValueError, match="is not a card of the Kunken deck"):
        parse_card(text)


# ---------------------------------------------------------------- moves

NO_MOVES = (
    *("raise", "", "take", "take 9s", "take Jd deep", "DRAW", " draw", "draw ", "discard Kh", "set 9c 9d 9h"),
    *(b"draw", "lay 9h", "take 9H", "run 9c", "swap 9c", "take * deep", "take ?"),
    *(-1, 1, NUM_MOVES, 2**31, 2**63, 2**80, -(2**80)),
    *(2.0, float("nan"), float("inf"), True, False, None, [2], (2,), {}, np.float64(2), np.bool_(True)),
    *(np.int64(-1), np.uint64(2**63), np.array([2]), "0"),
)


@pytest.mark.parametrize("move", NO_MOVES, ids=repr)
def test_moves_that_are_none_change_nothing(move: Any) -> None:
    table = new_table()
    before = table.state.tobytes()
    with pytest.raises(IllegalMoveError) as caught:
        table.apply(move)
    assert table.state.tobytes() == before
    tried = "'take 2c' (move 1)" if type(move) is int and move == 1 else repr(move)
    # Taking Jd is not legal: it cannot be melded (N4.3).
    assert str(caught.value) == f"seat 1 may not {tried}; legal: draw, take 9h"
    assert caught.value.legal == table.legal_moves()
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize("kind", [int, np.int8, np.int64, np.uint8])
def test_numbers_of_moves_of_any_integer_type(kind: Callable[[int], Any]) -> None:
    table = new_table()
    table.apply(kind(table.move_id("draw")))
    assert len(position_of(table).hands[1]) == 4


def test_a_move_that_was_legal_a_move_ago() -> None:
    table = new_table()
    before: list[str] = []
    moves = ("take 9h", "set 9c 9d 9h", "discard Jd", "draw", "discard 2c", "draw", "discard As")
    for move in moves:
        legal = table.legal_moves()
        for gone in set(before) - set(legal):
            state = table.state.tobytes()
            with pytest.raises(
                IllegalMoveError, match=f"seat {table.to_play} may not '{gone.replace('*', chr(92) + '*')}'"
            ):
                table.apply(gone)
            assert table.state.tobytes() == state
        if move not in legal:
            break
        before = legal
        table.apply(move)
    assert table.to_play is not None


@pytest.mark.parametrize(
    ("played", "again"),
    [
        ("draw", "draw"),
        ("draw", "take 9h"),
        ("take 9h", "take 9h"),
        ("take 9h", "draw"),
        ("take 9h", "discard Kh"),  # N4.3: the discard is not legal until the take is completed
        ("take 9h, set 9c 9d 9h", "set 9c 9d 9h"),
        ("take 9h, set 9c 9d 9h", "discard 9h"),
        ("draw, discard Kh", "discard Kh"),
        ("draw, discard Kh", "discard 9c"),  # another's card
    ],
)
def test_moves_out_of_turn(played: str, again: str) -> None:
    table = new_table()
    for move in played.split(", "):
        table.apply(move)
    before = table.state.tobytes()
    with pytest.raises(IllegalMoveError, match=f"seat {table.to_play} may not '{again}'"):
        table.apply(again)
    with pytest.raises(IllegalMoveError, match=rf"\(move {table.move_id(again)}\)"):
        table.apply(table.move_id(again))
    assert table.state.tobytes() == before


def test_a_finished_game_takes_no_move() -> None:
    table = new_table(max_reshuffles=0)
    play_out(table, lambda legal: legal[0])
    before = table.state.tobytes()
    assert table.legal_moves() == table.legal_actions() == []
    for move in ("draw", "discard 2c", 0, 1, None):
        with pytest.raises(IllegalMoveError, match="the game is over"):
            table.apply(move)  # type: ignore[arg-type]
    for ask in (table.move_text, table.move_id):
        with pytest.raises(IllegalMoveError, match="the game is over"):
            ask(1)  # type: ignore[operator]
    assert table.state.tobytes() == before


@pytest.mark.parametrize("move", [-1, NUM_MOVES, 2**70, None, "draw", 2.0, True])
def test_the_text_of_what_is_no_move(move: Any) -> None:
    with pytest.raises(ValueError, match=r"these rules have no such move; legal here: \[0, 31\]"):
        new_table().move_text(move)


def test_the_text_of_a_move_that_these_rules_do_not_have_n11() -> None:
    plain = new_table(num_jokers=1, identical_cards_in_set=False)
    for text, rules in (
        ("swap 9c", {"joker_swap": True}),
        ("run 5s * * 8s", {}),
        ("set 5c 5c 5d", {}),
        ("set 5c 5c *", {}),
    ):
        move = new_table(**rules).move_id(text)
        with pytest.raises(ValueError, match="these rules have no such move"):
            plain.move_text(move)
        with pytest.raises(IllegalMoveError, match=f"may not '{text.replace('*', '.')}'"):
            plain.move_id(text)


@pytest.mark.parametrize("move", ["raise", "", "take", 2, None])
def test_the_number_of_what_is_no_move(move: Any) -> None:
    with pytest.raises(IllegalMoveError, match="legal: draw, take 9h"):
        new_table().move_id(move)


@pytest.mark.parametrize(
    "moves",
    [
        None,
        0,
        "000",
        [0, 0],
        [0] * 4,
        [[0] * 3],
        [0.0] * 3,
        [True] * 3,
        ["draw"] * 3,
        [0, 0, None],
        [0, 0, -1],
        [0, 0, NUM_MOVES],
        [0, 0, 2**70],
        [0, 0, 700],
        np.array([0, 0, 2**63], np.uint64),
    ],
    ids=repr,
)
def test_moves_of_a_batch_change_nothing_in_any_game(moves: Any) -> None:
    batch = Batch(RULES, 3, seed=1)
    before = batch._states.tobytes() + b"".join(part.tobytes() for part in batch._output)
    with pytest.raises(ValueError, match=r"move|may not"):
        batch.step(moves)
    assert batch._states.tobytes() + b"".join(part.tobytes() for part in batch._output) == before


# ---------------------------------------------------------------- seats, rules, encoders


@pytest.mark.parametrize("seat", [-1, 2, 5, 2**70, 1.0, "0", True, [0], float("nan")])
def test_seats_that_are_not_there(seat: Any) -> None:
    for ask in (
        lambda table: table.view(seat),
        lambda table: table.information_state(seat),
        lambda table: table.determinize(seat, np.random.default_rng(1)),
    ):
        with pytest.raises(ValueError, match=r"seat=.*: must be from 0 to 1"):
            ask(new_table())


@pytest.mark.parametrize(
    "fields",
    [
        {"num_players": 1},
        {"num_players": 6},
        {"num_jokers": 3},
        {"hand_size": 2},
        {"hand_size": 21},
        {"num_deals": 0},
        {"num_deals": 1001},
        {"bank_points": 4},
        {"bank_points": 201},
        {"max_reshuffles": -1},
        {"max_reshuffles": 4},
        {"identical_cards_in_set": 1},
        {"joker_swap": "no"},
        {"bank_points_every_time": None},
        {"open_from_stock": 0.0},
        {"discard_to_go_out": np.bool_(True)},
        {"hand_penalty": []},
        {"settlement": "sum"},
    ],
    ids=str,
)
def test_every_field_of_the_rules_n11(fields: dict[str, Any]) -> None:
    (name,) = fields
    for make in (
        lambda: KunkenRules(**fields),
        lambda: KunkenRules.from_dict(fields),
        lambda: preset("kunken", **fields),
    ):
        with pytest.raises(RulesError, match=f"{name}="):
            make()


def test_encoders_that_are_not_there() -> None:
    view = new_table().view(0)
    for name in ("", "Table", "tokens", None, 3):
        with pytest.raises(ValueError, match=r"no encoder .*; kunken has: table, history"):
            view.observation(name)  # type: ignore[arg-type]


def test_words_are_read_back() -> None:
    table = new_table()
    here = position_of(table)
    for seat, hand in enumerate(here.hands):
        assert words(hand) == (int(table.state["one"][seat]), int(table.state["two"][seat]))
