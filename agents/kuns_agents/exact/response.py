"""Best responses and what they win, on tables."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kuns_agents.exact.duel import DEALER, LEFT, Duel, Strategy
from kuns_agents.hands import Floats


@dataclass(frozen=True, slots=True)
class Response:
    """A best response of one position, and what it wins in chips a hand."""

    value: float
    calls: list[Floats]
    antes: Floats | None
    """Of the dealer alone."""


def respond(game: Duel, position: int, other: Strategy) -> Response:
    """Return a best response of ``position`` to ``other``; where two moves are as good it folds, or antes less."""
    calls: list[Floats] = [np.empty(0)] * len(game.losses)

    def best(round_: int, fold: Floats, call: Floats) -> Floats:
        calls[round_] = (call > fold).astype(np.float64)
        return np.maximum(fold, call)

    values = game.walk(position, other, best)
    if position == LEFT:
        return Response(float(values.sum()), calls, None)
    values = game.ante_values(values)
    antes = np.zeros_like(values)
    antes[np.arange(len(values)), values.argmax(axis=1)] = 1
    return Response(float(values.max(axis=1).sum()), calls, antes)


def value_of(game: Duel, position: int, own: Strategy, other: Strategy) -> float:
    """Return what ``position`` wins by playing ``own`` against ``other``, in chips a hand."""
    calls = own.sides[position]

    def play(round_: int, fold: Floats, call: Floats) -> Floats:
        mixed: Floats = fold + calls[round_] * (call - fold)
        return mixed

    values = game.walk(position, other, play)
    if position == DEALER:
        values = game.ante_values(values) * own.antes
    return float(values.sum())
