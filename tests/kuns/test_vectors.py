"""The conformance vectors, replayed through the public API: every hand value, every set of legal moves, every payoff.

Clauses: K5.1-K5.5 by the hands; K3.1, K4.2, K4.4, K6.1-K6.5, K7.1, K9.1, K10.1 by the games.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kuns_env import KunsRules, Table
from kuns_env.kuns.value import hand_value

VECTORS = Path(__file__).parents[1] / "vectors"
HANDS = json.loads((VECTORS / "kuns_hands.json").read_text("utf-8"))
GAMES = [json.loads(line) for line in (VECTORS / "kuns_games.jsonl").read_text("utf-8").splitlines()]

NUM_HANDS, NUM_GAMES = 1992, 200
RANKS = "A23456789T"
KUNS_BONUS = 10
"""`hand_value` adds it to the value of a hand with kuns."""


class Difference(AssertionError):
    """The engine does not do what the vector says."""


def check_hands(value_of: Callable[[Any], int]) -> None:
    """Compare ``value_of`` with every five-card hand, in two orders of its cards."""
    for key, (kuns, value) in HANDS.items():
        ranks = np.array([RANKS.index(text) + 1 for text in key])
        for order in (ranks, ranks[::-1].copy()):
            got = int(value_of(order))
            if got != KUNS_BONUS * kuns + value:
                raise Difference(f"{key}: {got}, not kuns {kuns} value {value}")


def check_game(game: dict[str, Any], table: Any) -> None:
    """Replay ``game`` on ``table``: the seat to act, the legal moves and the payoffs must be those of the vector."""
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
    if not np.allclose(table.payoffs(), [float(chips) for chips in payoff]):
        raise Difference(f"payoffs {table.payoffs()} are not the floats of {payoff}")


def new_table(game: dict[str, Any]) -> Table:
    return Table(KunsRules.from_dict(game["rules"]), seed=0, options=game["options"])


def test_the_vectors_are_complete() -> None:
    assert (len(HANDS), len(GAMES)) == (NUM_HANDS, NUM_GAMES)


def test_every_hand() -> None:
    check_hands(hand_value)


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


class MovesChips(Broken):
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
        return [*self._table.legal_moves(), "raise"]


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


@pytest.mark.parametrize(
    "broken", [MovesChips, RoundsWrong, ForgetsMove, InventsMove, RepeatsMove, NamesWrongSeat, NeverEnds]
)
def test_a_broken_table_is_rejected(broken: type[Broken]) -> None:
    for game in GAMES[:: len(GAMES) // 10]:
        with pytest.raises(Difference):
            check_game(game, broken(new_table(game)))


@pytest.mark.parametrize(
    "broken",
    [
        pytest.param(lambda ranks: hand_value(ranks) % 10, id="kuns-not-counted"),
        pytest.param(lambda ranks: hand_value(np.minimum(ranks, 9)), id="ten-taken-for-nine"),
        pytest.param(lambda ranks: 10 + int(ranks.sum()) % 10, id="ten-counted-as-zero"),
        pytest.param(lambda ranks: hand_value(ranks) if ranks[0] <= ranks[-1] else 0, id="order-matters"),
    ],
)
def test_a_broken_hand_value_is_rejected(broken: Callable[[Any], int]) -> None:
    with pytest.raises(Difference):
        check_hands(broken)
