"""What figures are called."""

from __future__ import annotations

from typing import Final

from kuns_env.engine.game import Rules, game_of
from kuns_training.arena.evaluation import Evaluation

PER_CENT: Final = 100
MANY: Final = 10
"""Figures from which on fewer digits after the point are enough."""
ALL_DIGITS: Final = 3
FEW_DIGITS: Final = 2


def measure(rules: Rules, between: str) -> str:
    """Return what is measured.

    >>> from kuns_env import KunkenRules
    >>> measure(KunkenRules(), " ")
    'points per deal'
    """
    words = game_of(rules).words
    return between.join((words.amount, "per", words.hand))


def against(evaluation: Evaluation, opponents: tuple[str, ...]) -> str:
    """Return the opponents in words."""
    if len(opponents) == 1 and evaluation.rules.num_players > 2:
        return f"{evaluation.rules.num_players - 1} x {opponents[0]}"
    return ", ".join(opponents)


def digits_of(evaluation: Evaluation) -> int:
    """Return how many digits stand after the point of a payoff: fewer where some payoffs are large."""
    large = any(abs(result.payoff.mean) >= MANY for result in evaluation.results)
    return FEW_DIGITS if large else ALL_DIGITS


def percent(share: float) -> str:
    """Return a share in per cent.

    >>> percent(0.95), percent(0.995)
    ('95 %', '99.5 %')
    """
    return f"{PER_CENT * share:.4g} %"
