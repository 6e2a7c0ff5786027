"""The picture of a run of MCCFR: how regret falls, and how the strategy does against others, with iterations."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from kuns_env.files import replacing
from kuns_training.curve import BAND_ALPHA, COLORS, DOTS_PER_INCH, MARKERS

if TYPE_CHECKING:
    from kuns_training.solve_mccfr import Measured

SIZE_INCHES: Final = (9.0, 4.5)


def draw(path: Path, points: Sequence[Measured], title: str) -> None:
    """Write the picture of ``points`` into ``path``."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=SIZE_INCHES, dpi=DOTS_PER_INCH, layout="constrained")
    FigureCanvasAgg(figure)
    figure.suptitle(title)
    left, right = figure.subplots(1, 2)
    done = [point.iterations for point in points]
    left.plot(done, [point.regret for point in points], "k.-", label="positive regret")
    exact = [(point.iterations, point.exploitability) for point in points if point.exploitability is not None]
    if exact:
        left.plot(*zip(*exact, strict=True), "o-", color=COLORS[0], label="exploitability, exact")
    left.set_yscale("log")
    left.set_ylabel("chips a hand")
    left.legend()
    _draw_payoffs(right, points)
    for axes in (left, right):
        axes.set_xscale("log")
        axes.set_xlabel("iterations")
        axes.grid(alpha=BAND_ALPHA)
    with replacing(path) as beside:
        figure.savefig(beside, format="png")


def _draw_payoffs(axes: Any, points: Sequence[Measured]) -> None:
    names = [payoff.opponent for payoff in points[-1].payoffs]
    for place, name in enumerate(names):
        rows = [payoff for point in points for payoff in point.payoffs if payoff.opponent == name]
        done = [row.steps for row in rows]
        color, marker = COLORS[place % len(COLORS)], MARKERS[place % len(MARKERS)]
        axes.plot(done, [row.payoff for row in rows], color=color, marker=marker, markersize=4, label=name)
        lows, highs = [row.low for row in rows], [row.high for row in rows]
        axes.fill_between(done, lows, highs, color=color, alpha=BAND_ALPHA)
    axes.axhline(0.0, color="black", linewidth=0.8)
    axes.set_ylabel("chips a hand, one among the others")
    if names:
        axes.legend(title="against (band: 95 % interval)")
