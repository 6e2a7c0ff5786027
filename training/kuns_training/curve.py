"""The learning curve: evaluations during training on fixed deals, as rows, as CSV and as a picture."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from kuns_env.engine.game import Rules
from kuns_env.files import replacing
from kuns_training.curve_exact import Exact, draw_exact
from kuns_training.evaluate import evaluate
from kuns_training.run_folder import write_text

if TYPE_CHECKING:
    from kuns_agents import Agent

CURVE_SEED: Final = 20_240_229
"""Of the deals of every curve: never the deals of training, and the same at every point."""
SIZE_INCHES: Final = (8.0, 4.8)
PANEL_INCHES: Final = 2.4
"""Height of the panel of exploitability, where there is one."""
DOTS_PER_INCH: Final = 150
BAND_ALPHA: Final = 0.2
COLORS: Final = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000", "#f0e442")
"""Told apart by all eyes: Okabe & Ito 2008."""
MARKERS: Final = "osD^vPX*"


@dataclass(frozen=True, slots=True)
class Point:
    """The learner against one opponent after some training."""

    steps: int
    """Decisions that it was trained on."""
    seconds: float
    """Time that it was trained."""
    opponent: str
    payoff: float
    """Mean chips per hand, or points per deal."""
    low: float
    """Lower end of the 95 % interval."""
    high: float
    """Upper end of the 95 % interval."""
    hands: int


class CurveError(RuntimeError):
    """An agent failed in an evaluation."""


def measure(
    agent: Agent, opponents: Sequence[Agent], rules: Rules, num_deals: int, steps: int, seconds: float
) -> list[Point]:
    """Return how ``agent`` does against each of ``opponents``, one by one, every seat on every deal.

    Raises:
        CurveError: one of them did not choose a legal move.
    """
    points = []
    for opponent in opponents:
        found = evaluate([agent, opponent], rules, num_deals, CURVE_SEED)
        if found.disqualifications:
            raise CurveError(str(found.disqualifications[0]))
        payoff = found.results[0].payoff
        point = Point(
            steps, round(seconds, 1), opponent.name, payoff.mean, payoff.low, payoff.high, payoff.count
        )
        points.append(point)
    return points


def write_csv(path: Path, points: Sequence[Point]) -> None:
    """Write the rows of a curve."""
    text = io.StringIO()
    writer = csv.DictWriter(text, [entry.name for entry in fields(Point)], lineterminator="\n")
    writer.writeheader()
    writer.writerows(asdict(point) for point in points)
    write_text(path, text.getvalue())


def read_csv(path: Path) -> list[Point]:
    """Return the rows that `write_csv` wrote."""
    with path.open(encoding="utf-8", newline="") as lines:
        return [
            Point(
                int(row["steps"]),
                float(row["seconds"]),
                row["opponent"],
                float(row["payoff"]),
                float(row["low"]),
                float(row["high"]),
                int(row["hands"]),
            )
            for row in csv.DictReader(lines)
        ]


def draw(path: Path, points: Sequence[Point], title: str, measured: str, exact: Sequence[Exact] = ()) -> None:
    """Write a picture of the curve.

    Args:
        path: of the PNG file.
        points: results against each opponent, drawn with their 95 % bands.
        title: of the picture.
        measured: what the results are: chips per hand.
        exact: exploitability, in a panel below; none where there is nothing.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    width, height = SIZE_INCHES
    heights = [height, PANEL_INCHES] if exact else [height]
    figure = Figure(figsize=(width, sum(heights)), dpi=DOTS_PER_INCH, layout="constrained")
    FigureCanvasAgg(figure)
    panels = figure.subplots(len(heights), 1, sharex=True, squeeze=False, height_ratios=heights)[:, 0]
    axes = panels[0]
    names = list(dict.fromkeys(point.opponent for point in points))
    for place, name in enumerate(names):
        _draw_line(axes, [point for point in points if point.opponent == name], place)
    axes.axhline(0.0, color="black", linewidth=0.8)
    axes.set_title(title)
    axes.set_ylabel(measured)
    axes.margins(x=0.02)
    axes.set_xlim(left=0.0)
    if exact:
        draw_exact(panels[1], exact)
    panels[-1].set_xlabel("decisions trained (millions)")
    for panel in panels:
        panel.grid(alpha=BAND_ALPHA)
    if names:
        axes.legend(title="against (band: 95 % interval)", ncols=min(len(names), 4), loc="lower right")
    with replacing(path) as beside:
        figure.savefig(beside, format="png")


def _draw_line(axes: Any, points: Sequence[Point], place: int) -> None:
    color, marker = COLORS[place % len(COLORS)], MARKERS[place % len(MARKERS)]
    steps = [point.steps / 1e6 for point in points]
    axes.plot(
        steps,
        [point.payoff for point in points],
        color=color,
        marker=marker,
        markersize=4,
        label=points[0].opponent,
    )
    axes.fill_between(
        steps,
        [point.low for point in points],
        [point.high for point in points],
        color=color,
        alpha=BAND_ALPHA,
    )
