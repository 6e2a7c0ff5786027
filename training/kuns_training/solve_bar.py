"""What a run of MCCFR shows while it goes: a bar with live figures on a terminal, lines elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from kuns_agents.exact.mccfr import Mccfr
from kuns_training.progress import SECONDS_BETWEEN_LINES, clock, results
from kuns_training.solve_mccfr import Measured, Told

MILLION: Final = 1e6


def line(iterations: int, total: int, rate: float, regret: float) -> str:
    """Return the live figures in a line.

    >>> line(3_000_000, 10_000_000, 700_000.0, 0.595)
    '3.0 of 10 million iterations, 0.70 million a second, 0:10 left, regret 0.595'
    """
    left = clock((total - iterations) / rate)
    done = f"{iterations / MILLION:,.1f} of {total / MILLION:,.10g} million iterations"
    return f"{done}, {rate / MILLION:.2f} million a second, {left} left, regret {regret:.3g}"


def summary(measured: Measured) -> str:
    """Return a measurement in a line."""
    parts = [f"regret {measured.regret:.3g}"]
    if measured.exploitability is not None:
        parts.append(f"exploitability {measured.exploitability:.4f}")
    if measured.payoffs:
        parts.append(f"chips a hand against {results(list(measured.payoffs))}")
    return f"after {measured.iterations / MILLION:,.10g} million iterations: {'; '.join(parts)}"


class Lines(Told):
    """A line from time to time, for logs."""

    def __init__(self, total: int, write: Callable[[str], object]) -> None:
        self._total, self._write = total, write
        self._last = time.monotonic()

    def update(self, solver: Mccfr, rate: float) -> None:
        """Write a line if the last one is long ago."""
        if time.monotonic() - self._last >= SECONDS_BETWEEN_LINES:
            self._last = time.monotonic()
            self._write(line(solver.iteration, self._total, rate, solver.regret()))

    def point(self, measured: Measured) -> None:
        """Write what was measured."""
        self._last = time.monotonic()
        self._write(summary(measured))


@contextmanager
def told(total: int, write: Callable[[str], object]) -> Iterator[Told]:
    """Show a run of ``total`` iterations; ``write`` takes the lines where stderr is no terminal."""
    if not sys.stderr.isatty():
        yield Lines(total, write)
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskID, TextColumn

    class Bar(Told):
        """A bar, and lines above it."""

        def __init__(self, progress: Progress, task: TaskID) -> None:
            self._progress, self._task = progress, task

        def update(self, solver: Mccfr, rate: float) -> None:
            """Move the bar."""
            text = line(solver.iteration, total, rate, solver.regret())
            self._progress.update(self._task, completed=solver.iteration, line=text)

        def point(self, measured: Measured) -> None:
            """Write what was measured above the bar."""
            self._progress.console.print(summary(measured), highlight=False, markup=False)

    columns = (TextColumn("solving"), BarColumn(), TextColumn("{task.fields[line]}"))
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        yield Bar(progress, progress.add_task("", total=total, line="starting"))
