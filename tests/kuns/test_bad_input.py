"""Callers' mistakes: a clear `ValueError` that says what was wrong and what is allowed, and nothing changed."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from games import play_out
from kuns_env import Batch, IllegalMoveError, KunsRules, OptionsError, RulesError, Table, preset
from kuns_env.cards import format_card, parse_card
from kuns_env.engine.game import game_of
from kuns_env.errors import MOST_QUOTED, quoted
from kuns_env.kuns.moves import NUM_MOVES

RULES = KunsRules(num_players=3)
SMALL = KunsRules(num_players=2, ranks=(1, 4, 5, 10), num_suits=3)


def new_table() -> Table:
    return Table(RULES, seed=3, options={"dealer": 0})


# ---------------------------------------------------------------- options (K10.1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"decks": []}, r"unknown option 'decks'; there are: dealer, deck"),
        ({"seed": 1}, "unknown option 'seed'"),
        ({1: 2}, "unknown option 1"),
        ({"deck": ["Ah", "Td", "Ah"]}, "'Ah' is there twice"),
        ({"deck": ["Kd"]}, "'Kd' is not a card of the Kuns deck"),
        ({"deck": ["ah"]}, "'ah' is not a card"),
        ({"deck": ["*"]}, r"'\*' is not a card"),
        ({"deck": [""]}, "'' is not a card"),
        ({"deck": [0]}, "0 is not a card"),
        ({"deck": [None]}, "None is not a card"),
        ({"deck": [["Ah"]]}, r"\['Ah'\] is not a card"),
        ({"deck": "Ah"}, "deck='Ah': must be a list"),
        ({"deck": None}, "deck=None"),
        ({"deck": 5}, "deck=5"),
        ({"dealer": 3}, "dealer=3: must be a seat from 0 to 2"),
        ({"dealer": -1}, "dealer=-1"),
        ({"dealer": 1.0}, "dealer=1.0"),
        ({"dealer": "1"}, "dealer='1'"),
        ({"dealer": True}, "dealer=True"),
        ({"dealer": None}, "dealer=None"),
        ({"dealer": float("nan")}, "dealer=nan"),
        ([("dealer", 1)], "options must be a mapping"),
        ("dealer", "options must be a mapping"),
        (7, "options must be a mapping"),
    ],
)
def test_options_k10_1(options: Any, message: str) -> None:
    with pytest.raises(OptionsError, match=message):
        Table(RULES, seed=1, options=options)
    assert issubclass(OptionsError, ValueError)


def test_cards_that_these_rules_do_not_hold_k1_3_k10_1() -> None:
    for card in ("2c", "As", "9h"):
        with pytest.raises(OptionsError, match=f"{card!r} is not in the deck of these rules"):
            Table(SMALL, seed=1, options={"deck": ["Ac", card]})


def test_more_cards_than_the_deck_has_k10_1() -> None:
    whole = [format_card(card) for card in range(40)]
    with pytest.raises(OptionsError, match="twice"):
        Table(RULES, seed=1, options={"deck": [*whole, "Ac"]})
    # The whole deck is no mistake, also where a hand needs only a part of it.
    table = Table(RULES, seed=1, options={"deck": whole})
    assert table.setup_options()["deck"] == whole[:15]
    with pytest.raises(OptionsError, match="not in the deck"):
        Table(SMALL, seed=1, options={"deck": whole})


@pytest.mark.parametrize(
    "text", ["", "A", "Ahh", "1h", "Kd", "aH", "AH", " Ah", "*", None, 3, b"Ah", ["A", "h"]]
)
def test_card_texts(text: Any) -> None:
    with pytest.raises(ValueError, match="is not a card"):
        parse_card(text)


@pytest.mark.parametrize("card", [-1, 40, 1000])
def test_card_numbers(card: int) -> None:
    with pytest.raises(ValueError, match="from 0 to 39"):
        format_card(card)


# ---------------------------------------------------------------- moves


NO_MOVES = (
    *("raise", "", "ante 3", "ante", "call", " ante 1", "ANTE 1", "against 1", b"ante 1"),
    *(-1, 0, NUM_MOVES, 2**31, 2**63, 2**80, -(2**80)),
    *(2.0, float("nan"), float("inf"), True, False, None, [2], (2,), {}, np.float64(2), np.bool_(True)),
    *(np.int64(-1), np.uint64(2**63), np.array([2]), "2"),
)


@pytest.mark.parametrize("move", NO_MOVES, ids=repr)
def test_moves_that_are_none_change_nothing(move: Any) -> None:
    table = new_table()
    before = table.state.tobytes()
    with pytest.raises(IllegalMoveError) as caught:
        table.apply(move)
    assert table.state.tobytes() == before
    message = str(caught.value)
    tried = "'fold' (move 0)" if type(move) is int and move == 0 else repr(move)
    assert message == f"seat 0 may not {tried}; legal: ante 1, ante 2, ante 4, ante 8"
    assert caught.value.legal == table.legal_moves()
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize("kind", [int, np.int8, np.int64, np.uint8])
def test_numbers_of_moves_of_any_integer_type(kind: Callable[[int], Any]) -> None:
    table = new_table()
    table.apply(kind(2))
    assert table.view().to_dict()["ante"] == 1


def test_a_finished_game_takes_no_move() -> None:
    table = new_table()
    play_out(table, 1)
    before = table.state.tobytes()
    assert table.legal_moves() == table.legal_actions() == []
    for move in ("call", "stay", 0, 1, None):
        with pytest.raises(IllegalMoveError, match="the game is over"):
            table.apply(move)  # type: ignore[arg-type]
    for ask in (table.move_text, table.move_id):
        with pytest.raises(IllegalMoveError, match="the game is over"):
            ask(1)  # type: ignore[operator]
    assert table.state.tobytes() == before


@pytest.mark.parametrize("move", [-1, 6, 9, NUM_MOVES, 2**70, None, "call", 2.0, True])
def test_the_text_of_what_is_no_move(move: Any) -> None:
    with pytest.raises(ValueError, match=r"these rules have no such move; legal here: \[2, 3, 4, 5\]"):
        new_table().move_text(move)


@pytest.mark.parametrize("move", ["raise", "", "stake 3", 2, None])
def test_the_number_of_what_is_no_move(move: Any) -> None:
    with pytest.raises(IllegalMoveError, match="legal: ante 1"):
        new_table().move_id(move)


def everything(batch: Batch) -> bytes:
    return batch._states.tobytes() + b"".join(part.tobytes() for part in batch._output)


@pytest.mark.parametrize(
    "moves",
    [
        None,
        2,
        "222",
        [2, 2],
        [2, 2, 2, 2],
        [[2, 2, 2]],
        [2.0, 2.0, 2.0],
        [2, 2, float("nan")],
        [True, True, True],
        ["ante 1"] * 3,
        [2, 2, None],
        [2, 2, 2**70],
        [2, 2, -1],
        [2, 2, NUM_MOVES],
        [2, 2, 0],
        np.array([2, 2, 2**63], np.uint64),
        np.array([2, 2, -128], np.int8),
        np.zeros(3, "datetime64[s]"),
        np.zeros(3, [("a", int)]),
    ],
    ids=repr,
)
def test_moves_of_a_batch_change_nothing_in_any_game(moves: Any) -> None:
    batch = Batch(RULES, 3, seed=1)
    before = everything(batch)
    with pytest.raises(ValueError, match=r"move|may not"):
        batch.step(moves)
    assert everything(batch) == before


# ---------------------------------------------------------------- seats, sizes, seeds


@pytest.mark.parametrize("seat", [-1, 3, 8, 2**70, 1.0, "0", True, [0], float("nan")])
@pytest.mark.parametrize(
    "ask",
    [
        lambda table, seat: table.view(seat),
        lambda table, seat: table.information_state(seat),
        lambda table, seat: table.determinize(seat, np.random.default_rng(1)),
    ],
    ids=["view", "information_state", "determinize"],
)
def test_seats_that_are_not_there(ask: Callable[[Table, Any], Any], seat: Any) -> None:
    with pytest.raises(ValueError, match=r"seat=.*: must be from 0 to 2"):
        ask(new_table(), seat)


NO_SEEDS = (-1, 2**63, 1.5, "x", True, float("nan"), [1], np.float64(1))


@pytest.mark.parametrize("seed", NO_SEEDS, ids=repr)
def test_seeds(seed: Any) -> None:
    for make in (lambda: Table(RULES, seed=seed), lambda: Batch(RULES, 2, seed=seed)):
        with pytest.raises(
            ValueError, match=r"seed=.*: must be an integer from 0 to 9,223,372,036,854,775,807"
        ):
            make()
    for stream in ({"slot": seed}, {"episode": seed}):
        with pytest.raises(ValueError, match=rf"{next(iter(stream))}=.*: must be an integer"):
            Table(RULES, seed=1, **stream)


def test_seeds_that_are_fine() -> None:
    for seed in (0, 2**63 - 1, np.int64(5), np.uint8(5)):
        assert Table(RULES, seed=seed).stream[0] == Batch(RULES, 1, seed=seed).seed == int(seed)


@pytest.mark.parametrize("size", [0, -1, 2**40, True, False, 1.5, "3", None, float("inf"), [3]], ids=repr)
def test_sizes_of_a_batch(size: Any) -> None:
    with pytest.raises(ValueError, match=r"num_games=.*: must be an integer from 1 to 16,777,216"):
        Batch(RULES, size)
    with pytest.raises(ValueError, match=r"num_threads=.*: must be an integer from 1 to 256"):
        Batch(RULES, 2, num_threads=size)


@pytest.mark.parametrize("slot", [-1, 2**63, 1.5, "0", True])
def test_the_first_slot_of_a_batch(slot: Any) -> None:
    with pytest.raises(ValueError, match="first_slot="):
        Batch(RULES, 2, first_slot=slot)


@pytest.mark.parametrize("game", [-1, 3, 1.0, True, "0", None])
def test_games_that_a_batch_does_not_have(game: Any) -> None:
    with pytest.raises(ValueError, match=r"game=.*: must be an integer from 0 to 2"):
        Batch(RULES, 3, seed=1).table(game)


@pytest.mark.parametrize("rules", [None, "kuns", {"num_players": 3}, KunsRules, 4])
def test_what_is_no_rules_object(rules: Any) -> None:
    for make in (Table, lambda rules: Batch(rules, 2)):
        with pytest.raises(RulesError, match="rules must be a rules object such as KunsRules"):
            make(rules)


# ---------------------------------------------------------------- encoders


def test_encoders_that_are_not_there() -> None:
    view = new_table().view(0)
    for name in ("", "Table", "tokens", None, 3):
        with pytest.raises(ValueError, match=r"no encoder .*; kuns has: table, history"):
            view.observation(name)  # type: ignore[arg-type]


@pytest.mark.parametrize("encoder", ["table", "history"])
@pytest.mark.parametrize("wrong", [(), (3,), (1, 1), "padded", "batch"], ids=str)
def test_what_is_no_observation_cannot_be_explained(encoder: str, wrong: Any) -> None:
    narrow = game_of(RULES).encoder(encoder)
    shapes = {"padded": game_of(RULES).encoder(encoder, True).shape, "batch": (1, *narrow.shape)}
    observation = np.zeros(shapes.get(wrong, wrong), narrow.dtype)
    with pytest.raises(ValueError, match="has shape"):
        narrow.explain(observation)


def test_tokens_that_are_none_cannot_be_explained() -> None:
    encoder = game_of(RULES).encoder("history")
    for token in (-1, 9_999):
        tokens = np.zeros(encoder.shape, encoder.dtype)
        tokens[0] = token
        with pytest.raises(ValueError, match=f"token {token}"):
            encoder.explain(tokens)


def test_what_is_explained() -> None:
    view = new_table().view(0)
    assert view.explain("table")["phase"] == view.observation()[:8].tolist()
    assert view.explain("history")[0] == "dealer: seat +0"
    with pytest.raises(KeyError, match="no feature 'hand'"):
        game_of(RULES).encoder("table").layout["hand"]  # type: ignore[attr-defined]


def test_the_family_of_errors() -> None:
    for error in (RulesError, OptionsError, IllegalMoveError):
        assert issubclass(error, ValueError)


# ---------------------------------------------------------------- values that cannot be repeated in a message

HUGE = 10**5_000  # Python refuses to print it


def test_numbers_too_long_to_print_are_refused_by_name() -> None:
    with pytest.raises(RulesError, match="num_players=<int too long to print>: must be an integer"):
        KunsRules(num_players=HUGE)
    with pytest.raises(RulesError, match="bankroll=<int too long to print>: must be None or"):
        KunsRules(bankroll=HUGE)
    with pytest.raises(ValueError, match="seed=<int too long to print>: must be an integer"):
        Table(RULES, seed=HUGE)
    with pytest.raises(OptionsError, match="dealer=<int too long to print>: must be a seat"):
        Table(RULES, options={"dealer": HUGE})
    table = new_table()
    for try_it in (table.apply, table.move_id):
        with pytest.raises(IllegalMoveError, match="may not <int too long to print>; legal: ante 1"):
            try_it(HUGE)  # type: ignore[operator]
    with pytest.raises(ValueError, match="seat=<int too long to print>: must be from 0 to 2"):
        table.view(HUGE)


def test_long_values_are_cut_in_messages() -> None:
    assert quoted("ante 3") == "'ante 3'"
    assert len(quoted([0] * 1_000_000)) == MOST_QUOTED + len("...")
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    assert quoted(deep) == "<list too long to print>"


# ---------------------------------------------------------------- integers of NumPy


@pytest.mark.parametrize("name", [[], {}, ["table"], None, 3, np.zeros(2)], ids=repr)
def test_names_that_are_no_texts(name: Any) -> None:
    view = new_table().view(0)
    with pytest.raises(ValueError, match=r"no encoder .* has: table, history"):
        view.observation(name)
    with pytest.raises(KeyError, match=r"no game .* there are: kuns,"):
        preset(name)


@pytest.mark.parametrize(
    "rng", [None, 1, np.random.RandomState(1), np.random], ids=lambda rng: type(rng).__name__
)
def test_what_is_no_generator(rng: Any) -> None:
    with pytest.raises(TypeError, match=r"rng=.*must be a numpy.random.Generator"):
        new_table().determinize(0, rng)


def test_the_meaning_of_a_number_survives_a_pickle() -> None:
    with pytest.raises(
        IllegalMoveError, match=r"seat 0 may not 'back 1' \(move 11\); legal: ante 1"
    ) as caught:
        new_table().apply(np.int64(11))
    again = pickle.loads(pickle.dumps(caught.value))
    assert (str(again), again.meaning, again.move) == (str(caught.value), "back 1", 11)


def test_a_seat_may_be_an_integer_of_numpy() -> None:
    table = new_table()
    view = table.view(np.int64(1))
    assert json.dumps(view.to_dict()) == json.dumps(table.view(1).to_dict())
    assert type(view.seat) is int


# ---------------------------------------------------------------- views by row


def test_views_by_row() -> None:
    views = Batch(RULES, 3, seed=1).views()
    assert views.view(-1).text() == views.view(2).text()
    for row in (3, -4):
        with pytest.raises(IndexError):
            views.view(row)
    for row in (0, np.int64(0)):
        with pytest.raises(TypeError, match=r"take views\.view\(0\)"):
            views[row]  # type: ignore[index]
