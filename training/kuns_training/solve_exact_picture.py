"""The picture of a solution: exploitability against seconds and against iterations, on logarithmic axes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from kuns_env.files import replacing
from kuns_training.cli_rules import rules_name
from kuns_training.curve import BAND_ALPHA, COLORS, DOTS_PER_INCH
from kuns_training.curve_exact import plain_ticks

if TYPE_CHECKING:
    from kuns_agents.exact.solve import Look
    from kuns_training.solve_exact import Goal

SIZE_INCHES: Final = (9.0, 4.2)


def draw(path: Path, looks: Sequence[Look], goal: Goal) -> None:
    """Write the picture of ``looks`` into ``path``.

    Raises:
        ModuleNotFoundError: matplotlib is not installed.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=SIZE_INCHES, dpi=DOTS_PER_INCH, layout="constrained")
    FigureCanvasAgg(figure)
    figure.suptitle(f"{goal.algorithm} on {rules_name(goal.rules)}")
    # A logarithm has no place for 0.
    shown = [look for look in looks if look.exploitability > 0]
    exploitable = [look.exploitability for look in shown]
    across = {
        "seconds": [look.seconds for look in shown],
        "iterations": [look.iterations for look in shown],
    }
    for axes, (label, values) in zip(figure.subplots(1, 2, sharey=True), across.items(), strict=True):
        axes.plot(values, exploitable, color=COLORS[0], marker=".", label=goal.algorithm)
        if goal.exploitability > 0:
            axes.axhline(goal.exploitability, color="black", linewidth=0.8, linestyle="--", label="wanted")
        if shown:
            axes.set_xscale("log")
            axes.set_yscale("log")
            plain_ticks(axes.xaxis)
        axes.set_xlabel(label)
        axes.grid(alpha=BAND_ALPHA)
    figure.axes[0].set_ylabel("exploitability, chips a hand")
    figure.axes[-1].legend()
    with replacing(path) as beside:
        figure.savefig(beside, format="png")
