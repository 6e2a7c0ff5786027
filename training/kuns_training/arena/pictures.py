"""An evaluation as a picture: who beats whom, mean payoffs with their intervals, ratings."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from kuns_env.files import replacing
from kuns_training.arena.evaluation import Evaluation
from kuns_training.arena.ranking import Standing, ranking
from kuns_training.arena.ratings import EXTRA, Rating, ratings
from kuns_training.arena.words import measure

NEEDED: Final = "matplotlib"
PANEL_INCHES: Final = 4.2
"""Width of a panel of bars."""
CELL_INCHES: Final = 0.75
"""A cell of the heat map, where there are few agents."""
BAR_INCHES: Final = 0.32
LEAST_INCHES: Final = 2.6
MOST_INCHES: Final = 12.0
"""Height; and width of the heat map."""
IN_DOUBT: Final = "In doubt: an agent does not play as\nits policy says; all by plain means"
DOTS_PER_INCH: Final = 150
MOST_WRITTEN: Final = 12
"""Agents up to which the cells of the heat map hold their numbers."""
MANY: Final = 10.0
"""Figures from which on one digit after the point is enough."""
DARK: Final = 0.6
"""Share of the largest figure from which on a cell is so dark that its number is written in white."""
CLEAR_COLOR, OTHER_COLOR, RATING_COLOR = "#0072b2", "#999999", "#009e73"
"""Told apart by all eyes: Okabe & Ito 2008."""


def why_no_picture() -> str | None:
    """Return None if pictures can be drawn, else a sentence that says what is missing."""
    if importlib.util.find_spec(NEEDED) is None:
        return f"a picture needs {NEEDED}: {EXTRA}"
    return None


def draw(path: str | os.PathLike[str], evaluation: Evaluation) -> None:
    """Write a picture of an evaluation as PNG: the same bytes for the same evaluation, on one machine.

    From left to right, agents from the first in the ranking to the last: a heat map of what the row won against the
    column, where agents met one by one; mean payoffs with their intervals; ratings with their sigma, where openskill
    is installed. Titles say whether means are plain or luck adjusted, and one above all that something is in doubt.

    Raises:
        ModuleNotFoundError: matplotlib is not installed; see `why_no_picture`.
    """
    from matplotlib import style
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    ranked = ranking(evaluation)
    standings = ranked.standings
    names = [*(standing.agent for standing in standings), *ranked.unranked]
    cells = cross(evaluation, names)
    rated = ratings(evaluation) or ()
    height = float(
        np.clip(len(names) * (BAR_INCHES if cells is None else CELL_INCHES), LEAST_INCHES, MOST_INCHES)
    )
    widths = [height + 1] if cells is not None else []
    widths += [PANEL_INCHES] * (1 + bool(rated))
    with style.context("default"):  # not what the user has set for other pictures
        figure = Figure(figsize=(sum(widths), height + 1), dpi=DOTS_PER_INCH, layout="constrained")
        FigureCanvasAgg(figure)
        panels = figure.subplots(1, len(widths), width_ratios=widths, squeeze=False)[0]
        title = title_of(evaluation)
        if evaluation.doubts:
            figure.suptitle(IN_DOUBT, color="red", fontsize="medium")
        if cells is not None:
            draw_cross(panels[0], cells, names, title)
        draw_means(panels[1 if cells is not None else 0], standings, title, evaluation.confidence)
        if rated:
            draw_ratings(panels[-1], rated, names)
        with replacing(path) as beside:
            # Without a word on who drew it: the bytes are to follow from the figures.
            figure.savefig(beside, format="png", metadata={"Software": None})


def title_of(evaluation: Evaluation) -> str:
    """Return what is drawn: what is measured, by which kind of means."""
    return f"{measure(evaluation.rules, ' ')}, {evaluation.kind}"


def cross(evaluation: Evaluation, names: Sequence[str]) -> Any | None:
    """Return what the row won against the column, float64 ``(A, A)`` in the order of ``names``.

    Less luck, where the evaluation `is_adjusted`. NaN where two did not meet; None where agents did not meet
    one by one.
    """
    place, is_adjusted = {name: number for number, name in enumerate(names)}, evaluation.is_adjusted
    cells = np.full((len(place), len(place)), np.nan)
    for result in evaluation.results:
        if len(result.opponents) != 1:
            return None
        cells[place[result.agent], place[result.opponents[0]]] = result.ranked(is_adjusted).mean
    return cells


def draw_cross(axes: Any, cells: Any, names: Sequence[str], title: str) -> None:
    """Draw a heat map, blue where the row won."""
    largest = float(np.nanmax(np.abs(cells), initial=0.0)) or 1.0
    axes.imshow(cells, cmap="RdBu", vmin=-largest, vmax=largest)
    axes.set_xticks(range(len(names)), names, rotation=45, ha="right", rotation_mode="anchor")
    axes.set_yticks(range(len(names)), names)
    axes.set_title(f"{title},\nrow against column")
    if len(names) > MOST_WRITTEN:
        return
    for (row, column), value in np.ndenumerate(cells):
        if not np.isnan(value):
            color = "white" if abs(value) > DARK * largest else "black"
            digits = 1 if largest >= MANY else 2
            axes.text(column, row, f"{value:+.{digits}f}", ha="center", va="center", color=color, fontsize=8)


def draw_means(axes: Any, standings: Sequence[Standing], title: str, confidence: float) -> None:
    """Draw mean payoffs as bars with intervals, the first on top; grey where the interval holds zero."""
    places = range(len(standings))
    payoffs = [standing.payoff for standing in standings]
    axes.barh(
        places,
        [payoff.mean for payoff in payoffs],
        xerr=[payoff.half_width for payoff in payoffs],
        color=[CLEAR_COLOR if payoff.is_clear else OTHER_COLOR for payoff in payoffs],
        capsize=3,
    )
    name_rows(axes, [f"{ranks(standing)}  {standing.agent}" for standing in standings])
    axes.axvline(0.0, color="black", linewidth=0.8)
    axes.set_title(f"{title},\n{100 * confidence:g} % intervals")


def ranks(standing: Standing) -> str:
    """Return the possible ranks.

    >>> ranks(Standing("a", 2, 1, 3, None))
    '1-3'
    """
    best, worst = standing.best_rank, standing.worst_rank
    return str(best) if best == worst else f"{best}-{worst}"


def draw_ratings(axes: Any, rated: Sequence[Rating], order: Sequence[str]) -> None:
    """Draw ratings as points with their sigma, in the order of the ranking."""
    place = {agent: number for number, agent in enumerate(order)}
    shown = sorted(rated, key=lambda each: place[each.agent])
    axes.errorbar(
        [each.mu for each in shown],
        range(len(shown)),
        xerr=[each.sigma for each in shown],
        fmt="o",
        color=RATING_COLOR,
        capsize=3,
    )
    name_rows(axes, [each.agent for each in shown])
    axes.set_title("rating (openskill), ± sigma")


def name_rows(axes: Any, names: Sequence[str]) -> None:
    """Name the rows of a panel, the first on top."""
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.grid(axis="x", alpha=0.3)
    axes.set_axisbelow(True)
