"""What is left when luck is taken out: as a table for people, as data, and as sentences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rich.console import RenderableType
from rich.text import Text

from kuns_training.arena.cells import amount, heading, table
from kuns_training.arena.evaluation import Evaluation, Result
from kuns_training.arena.words import PER_CENT, against, digits_of, measure

SURPRISING: Final = 5
"""Standard errors by which luck may miss its true mean before it is said."""
ROUNDING: Final = 1e-5
"""Chips or points a hand that this has to be at least: luck is rounded in each game."""
MOST_WORTH: Final = 1000
"""Up to which it is said how many times the deals something is worth."""
SHOWN_HASH: Final = 12
"""Digits of a hash that people are shown."""


def luck_tables(evaluation: Evaluation) -> list[RenderableType]:
    """Return each agent's mean with and without its luck; nothing where luck is left in."""
    if evaluation.luck is None:
        return []
    told = evaluation.overall or evaluation.results
    title = f"{measure(evaluation.rules, ' ').capitalize()} with luck taken out"
    title += " against all others" if evaluation.overall else ""
    once = len({result.agent for result in told}) == len(told)
    return [heading(title), _table(evaluation, told, once)]


def _table(evaluation: Evaluation, told: Sequence[Result], once: bool) -> RenderableType:
    names = ("agent",) if once else ("agent", "against")
    made, digits = table(*names, "mean", "luck adjusted", "saved", "worth"), digits_of(evaluation)
    for result in told:
        if result.adjusted is None:
            continue
        labels = (result.agent, against(evaluation, result.opponents))[: len(names)]
        made.add_row(
            *map(Text, labels),
            amount(result.payoff, digits, is_clear=False),
            amount(result.adjusted, digits),
            Text("-" if result.saved is None else f"{PER_CENT * result.saved:.0f} %"),
            Text(worth(result.saved)),
        )
    return made


def worth(saved: float | None) -> str:
    """Return how many times the deals would be needed for the same precision without.

    >>> worth(0.75), worth(-0.25), worth(0.9999), worth(None)
    ('x 4.0', 'x 0.8', 'over x 1,000', '-')
    """
    if saved is None:
        return "-"
    left = 1 - saved
    return f"over x {MOST_WORTH:,}" if left < 1 / MOST_WORTH else f"x {1 / left:.1f}"


def luck_notes(evaluation: Evaluation) -> list[str]:
    """Return what luck was judged by, and where its mean is not what it has to be."""
    if evaluation.luck is None:
        return []
    judge = evaluation.luck
    said = (
        "Luck adjusted: the same true mean, less what was luck in cards and dice; judged by "
        f"{judge.name} (SHA-256 {judge.sha256[:SHOWN_HASH]}...). Saved: part of the variance. Worth: times the deals "
        "that the plain mean would need to be known as well."
    )
    doubtful = [result for result in evaluation.results if is_doubtful(result)]
    return [said, *(doubt(evaluation, result) for result in doubtful)]


def is_doubtful(result: Result) -> bool:
    """Return whether luck is too far from 0 to be luck."""
    luck = result.luck
    return luck is not None and abs(luck.mean) > SURPRISING * luck.std_error + ROUNDING


def doubt(evaluation: Evaluation, result: Result) -> str:
    """Return a warning."""
    assert result.luck is not None, "a doubtful result has luck"
    digits = digits_of(evaluation)
    return (
        f"In doubt: the luck of {result.agent} against {against(evaluation, result.opponents)} is "
        f"{amount(result.luck, digits).plain}, which should be 0. One of the agents does not play as its `policy` "
        "says; go by the plain mean."
    )
