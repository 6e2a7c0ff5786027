"""Exploitability along a run, where it can be computed exactly: how much a best response wins from the learner.

Evaluations say how a learner does against the opponents that it meets; this says how it does in the worst case. It
only looks on: no random number is drawn, and the run is the same without it.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from kuns_agents.exact.scope import why_not_exact
from kuns_env.engine.game import Rules
from kuns_training.run_folder import write_text

if TYPE_CHECKING:
    from kuns_agents import Agent

COLOR: Final = "#000000"
TICKS: Final = (1, 2, 5)
"""Of every power of ten: there may be less than two of them."""
WORDS: Final = "exploitability"


@dataclass(frozen=True, slots=True)
class Exact:
    """How exploitable the learner is after some training, in chips a hand."""

    steps: int
    """Decisions that it was trained on."""
    seconds: float
    """Time that it was trained."""
    exploitability: float
    """The mean of the two next ones: what a best response wins."""
    left: float
    """What a best response at the left of the dealer wins."""
    dealer: float
    """What it wins as the dealer."""

    def __str__(self) -> str:
        """Return it in a line."""
        return (
            f"{WORDS} {self.exploitability:.4f} chips a hand, exact "
            f"(best responses win {self.left:+z.4f} at the left of the dealer, {self.dealer:+z.4f} as the dealer)"
        )


def measure_exact(agent: Agent, rules: Rules, steps: int, seconds: float) -> Exact | None:
    """Return how exploitable ``agent`` is; None where that cannot be computed.

    Raises:
        CurveError: the agent has no probabilities.
    """
    if why_not_exact(rules) is not None:
        return None
    from kuns_agents import NoPolicyError, exploitability
    from kuns_training.curve import CurveError

    try:
        found = exploitability(agent, rules)
    except NoPolicyError as error:
        raise CurveError(str(error)) from None
    left, dealer = found.best_response_values
    return Exact(steps, round(seconds, 1), found.exploitability, left, dealer)


def write_exact(path: Path, rows: Sequence[Exact]) -> None:
    """Write the rows as CSV."""
    text = io.StringIO()
    writer = csv.DictWriter(text, [entry.name for entry in fields(Exact)], lineterminator="\n")
    writer.writeheader()
    writer.writerows(asdict(row) for row in rows)
    write_text(path, text.getvalue())


def draw_exact(axes: Any, rows: Sequence[Exact]) -> None:
    """Draw the rows into a panel of the curve's picture."""
    steps = [row.steps / 1e6 for row in rows]
    axes.plot(steps, [row.exploitability for row in rows], color=COLOR, marker="o", markersize=4)
    axes.set_yscale("log")
    plain_ticks(axes.yaxis)
    axes.set_ylabel(f"{WORDS},\nchips per hand")


def plain_ticks(axis: Any) -> None:
    """Give a logarithmic axis of matplotlib few ticks, with their numbers written out."""
    from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

    axis.set_major_locator(LogLocator(subs=TICKS))
    axis.set_major_formatter(StrMethodFormatter("{x:g}"))
    axis.set_minor_formatter(NullFormatter())
