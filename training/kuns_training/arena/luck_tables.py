"""What is left when luck is taken out: as a table for people, as data, and as sentences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from rich.console import RenderableType
from rich.text import Text

from kuns_training.arena.cells import amount, heading, table
from kuns_training.arena.evaluation import ADJUSTED, PLAIN, Evaluation, Result
from kuns_training.arena.words import PER_CENT, against, digits_of, measure

IN_DOUBT: Final = "in doubt"
MOST_WORTH: Final = 1000
"""Up to which it is said how many times the deals something is worth."""
DOUBT_MEANS: Final = (
    "An agent there does not play as its `policy` says, so adjusted means are wrong: ranks, leads, p, ratings and "
    "--until go by plain means, for all agents."
)
SHOWN_HASH: Final = 12
"""Digits of a hash that people are shown."""


def luck_tables(evaluation: Evaluation) -> list[RenderableType]:
    """Return each agent's mean with and without its luck; nothing where luck is left in."""
    if evaluation.luck is None:
        return []
    told = evaluation.overall or evaluation.results
    title = f"{measure(evaluation.rules, ' ').capitalize()}, {PLAIN} and {ADJUSTED}"
    title += ", against all others" if evaluation.overall else ""
    once = len({result.agent for result in told}) == len(told)
    return [heading(title), _table(evaluation, told, once)]


def _table(evaluation: Evaluation, told: Sequence[Result], once: bool) -> RenderableType:
    names = ("agent",) if once else ("agent", "against")
    made, digits = table(*names, PLAIN, ADJUSTED, "saved", "worth"), digits_of(evaluation)
    is_adjusted = evaluation.is_adjusted
    for result in told:
        if result.adjusted is None:
            continue
        labels = (result.agent, against(evaluation, result.opponents))[: len(names)]
        made.add_row(
            *map(Text, labels),
            amount(result.payoff, digits, is_clear=None if not is_adjusted else False),
            amount(result.adjusted, digits, is_clear=None if is_adjusted else False),
            Text("-" if result.saved is None or not is_adjusted else f"{PER_CENT * result.saved:.0f} %"),
            Text(worth(result.saved) if is_adjusted else IN_DOUBT),
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
        "Luck adjusted: the same true mean, less what was luck in the cards and the agents' own random draws; "
        f"judged by {judge.name} (SHA-256 {judge.sha256[:SHOWN_HASH]}...). Saved: part of the variance. Worth: "
        "times the deals that the plain mean would need to be known as well."
    )
    return [said]


def warnings(evaluation: Evaluation) -> list[RenderableType]:
    """Return what is in doubt, as it stands above the ranking; nothing where nothing is."""
    return [Text("\n".join(doubt_lines(evaluation)), style="bold red")] if evaluation.doubts else []


def doubt_lines(evaluation: Evaluation) -> list[str]:
    """Return a line for each set of agents whose luck is in doubt, and what follows; none where there is none."""
    doubts, digits = evaluation.doubts, digits_of(evaluation)
    if not doubts:
        return []
    told = [
        f"In doubt: the luck of {doubt.agent} against {against(evaluation, doubt.opponents)} is "
        f"{amount(doubt.luck, digits).plain}, which should be 0."
        for doubt in doubts
        if doubt.luck is not None
    ]
    return [*told, DOUBT_MEANS]


def doubts_list(evaluation: Evaluation) -> list[dict[str, Any]]:
    """Return what is in doubt as plain data: whose luck, against whom; the figures are in the results."""
    return [{"agent": doubt.agent, "opponents": list(doubt.opponents)} for doubt in evaluation.doubts]
