"""The conformance vectors, replayed through the public API: every set of legal moves, scores, payoffs and who won.

Clauses: N2.3, N3.1-N3.3, N4.1-N4.4, N4.7-N4.9, N5.1, N6.1, N6.2, N7.1, N7.4, N8.1-N8.8, N9.1.
"""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kuns_env import KunkenRules, Table

GAMES = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "vectors" / "kunken_games.jsonl").read_text("utf-8").splitlines()
]
NUM_GAMES = 24


class Difference(AssertionError):
    """The engine does not do what the vector says."""


def check_game(game: dict[str, Any], table: Any) -> None:
    """Replay ``game`` on ``table``: the seat to act, the legal moves and the end must be those of the vector."""
    for number, (seat, legal, move) in enumerate(game["steps"]):
        if table.to_play != seat:
            raise Difference(f"step {number}: seat {table.to_play} is to act, not {seat}")
        if sorted(table.legal_moves()) != legal:
            raise Difference(f"step {number}: {sorted(table.legal_moves())} are legal, not {legal}")
        table.apply(move)
    if table.to_play is not None or not table.is_over:
        raise Difference(f"the game goes on with seat {table.to_play}")
    payoff = [Fraction(text) for text in game["payoff"]]
    if table.payoffs(exact=True) != payoff:
        raise Difference(f"payoffs {table.payoffs(exact=True)}, not {payoff}")
    if not np.allclose(table.payoffs(), [float(points) for points in payoff]):
        raise Difference(f"payoffs {table.payoffs()} are not the floats of {payoff}")
    known = table.view().record
    winner = int(known["last_winner"])
    end = {
        "winner": None if winner < 0 else winner,
        "express": bool(known["last_express"]),
        "scores": known["last_scores"][: len(payoff)].tolist(),
    }
    for name, value in end.items():
        if value != game[name]:
            raise Difference(f"{name} {value}, not {game[name]}")


def new_table(game: dict[str, Any], **change: Any) -> Table:
    return Table(KunkenRules.from_dict({**game["rules"], **change}), seed=0, options=game["options"])


def test_the_vectors_are_complete() -> None:
    assert len(GAMES) == NUM_GAMES


@pytest.mark.parametrize(
    "game", [pytest.param(game, id=f"line{line}") for line, game in enumerate(GAMES, start=1)]
)
def test_every_game(game: dict[str, Any]) -> None:
    check_game(game, new_table(game))


# ---------------------------------------------------------------- broken environments that the checks must reject


class Broken:
    """A table with one fault, introduced by a subclass; sound in all else."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def __getattr__(self, name: str) -> Any:
        return getattr(self._table, name)


class MovesPoints(Broken):
    def payoffs(self, exact: bool = False) -> list[Any]:
        first, second, *rest = self._table.payoffs(exact=exact)
        return [first + 1, second - 1, *rest]


class RoundsWrong(Broken):
    def payoffs(self, exact: bool = False) -> list[Any]:
        payoffs = self._table.payoffs(exact=exact)
        return payoffs if exact else [payoff + 1 for payoff in payoffs]


class ForgetsMove(Broken):
    def legal_moves(self) -> list[str]:
        return self._table.legal_moves()[1:]


class InventsMove(Broken):
    def legal_moves(self) -> list[str]:
        return [*self._table.legal_moves(), "take 2c deep"]


class RepeatsMove(Broken):
    def legal_moves(self) -> list[str]:
        return [*self._table.legal_moves(), self._table.legal_moves()[0]]


class NamesWrongSeat(Broken):
    @property
    def to_play(self) -> int | None:
        seat = self._table.to_play
        return None if seat is None else (seat + 1) % self._table.rules.num_players


class NeverEnds(Broken):
    @property
    def is_over(self) -> bool:
        return False


def changed_end(name: str, change: Any) -> type[Broken]:
    """Return a table whose record has another ``name``."""

    class Changed(Broken):
        def view(self, seat: int | None = None) -> Any:
            view = self._table.view(seat)
            view.record[name] = change(view.record[name])
            return view

    return Changed


@pytest.mark.parametrize(
    "broken",
    [
        *(MovesPoints, RoundsWrong, ForgetsMove, InventsMove, RepeatsMove, NamesWrongSeat, NeverEnds),
        pytest.param(changed_end("last_winner", lambda seat: -1 if seat >= 0 else 0), id="winner"),
        pytest.param(changed_end("last_express", lambda flag: 1 - flag), id="express"),
        pytest.param(changed_end("last_scores", lambda scores: scores + 5), id="scores"),
    ],
)
def test_a_broken_table_is_rejected(broken: type[Broken]) -> None:
    for game in GAMES[::3]:
        with pytest.raises(Difference):
            check_game(game, broken(new_table(game)))


@pytest.mark.parametrize(
    "change",
    [
        {"bank_points": 45},
        {"identical_cards_in_set": False},
        {"bank_points_every_time": False},
        {"open_from_stock": True},
        {"joker_swap": True},
        {"hand_penalty": True},
        {"settlement": "win"},
    ],
    ids=lambda change: next(iter(change)),
)
def test_other_rules_are_found_out(change: dict[str, Any]) -> None:
    # The vectors have rules of their own, so what is changed is what they leave at its default.
    found = 0
    for game in GAMES:
        if game["rules"].get(next(iter(change))) is None:
            try:
                check_game(game, new_table(game, **change))
            except (Difference, ValueError):
                found += 1
    assert found
