"""Scores and payoffs of a deal of Kunken word for word (RULES.md, N6 and N7)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from oracle.kunken_melds import HIGH_POINTS, JOKER, points_of


def scores_of(
    rules: Mapping[str, Any],
    laid_points: Sequence[int],
    hands: Iterable[Iterable[str]],
    winner: int | None,
    express: bool,
) -> list[int]:
    """Return each seat's score (N6) from the points it has laid and the cards it has left."""
    scores = list(laid_points)  # N6.1
    if winner is not None and express:
        scores[winner] *= 2  # N6.2
    if rules["hand_penalty"]:  # N6.3: "after any doubling"
        for seat, hand in enumerate(hands):
            scores[seat] -= sum(HIGH_POINTS if card == JOKER else points_of(card) for card in hand)
    return scores


def payoffs_of(settlement: str, scores: Sequence[int], winner: int | None) -> list[Fraction]:
    """Return each seat's payoff for a deal (N7)."""
    if settlement == "difference":  # N7.1
        return [Fraction(sum(mine - other for other in scores)) for mine in scores]
    if settlement == "points":  # N7.3
        return [Fraction(score) for score in scores]
    assert settlement == "win", settlement  # N7.2
    if winner is None:
        return [Fraction(0) for _ in scores]
    lost = Fraction(-1, len(scores) - 1)
    return [Fraction(1) if seat == winner else lost for seat in range(len(scores))]
