"""What a run tells while it goes: a bar with the time left on a terminal, plain lines elsewhere, or nothing."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final, Protocol

from kuns_training.curve import Point
from kuns_training.curve_exact import WORDS, Exact

SECONDS_BETWEEN_LINES: Final = 15.0
MINUTE: Final = 60
HOUR: Final = 3600
TINY: Final = 1e-9


class Reporter(Protocol):
    """Is told how a run goes."""

    def begin(self, steps: int, total_steps: int) -> None:
        """Training begins, or goes on, after ``steps`` decisions of ``total_steps``."""
        ...

    def update(self, steps: int) -> None:
        """So many decisions have been made."""
        ...

    def evaluate(self) -> None:
        """An evaluation begins."""
        ...

    def point(self, points: list[Point], exact: Exact | None = None) -> None:
        """It is done: the results, and exploitability where it can be computed."""
        ...

    def note(self, text: str) -> None:
        """Something worth a line has happened."""
        ...

    def end(self) -> None:
        """Training has ended, one way or another."""
        ...


class Silence:
    """Tells nothing: what `train` uses where nobody asks."""

    def begin(self, steps: int, total_steps: int) -> None:
        """Do nothing."""

    def update(self, steps: int) -> None:
        """Do nothing."""

    def evaluate(self) -> None:
        """Do nothing."""

    def point(self, points: list[Point], exact: Exact | None = None) -> None:
        """Do nothing."""

    def note(self, text: str) -> None:
        """Do nothing."""

    def end(self) -> None:
        """Do nothing."""


def results(points: list[Point], exact: Exact | None = None) -> str:
    """Return the results of an evaluation in a line.

    >>> results([Point(10, 1.0, "call", 0.5, 0.25, 0.75, 100)], Exact(10, 1.0, 0.25, 0.0, 0.5))
    'call +0.50 ±0.25; exploitability 0.250'
    """
    shown = ", ".join(
        f"{point.opponent} {point.payoff:+.2f} ±{(point.high - point.low) / 2:.2f}" for point in points
    )
    return shown if exact is None else f"{shown}; {WORDS} {exact.exploitability:.3f}"


def clock(seconds: float) -> str:
    """Return a time for people.

    >>> clock(75), clock(3675)
    ('1:15', '1:01:15')
    """
    whole = int(seconds)
    minutes, rest = whole % HOUR // MINUTE, whole % MINUTE
    return f"{whole // HOUR}:{minutes:02}:{rest:02}" if whole >= HOUR else f"{minutes}:{rest:02}"


def summary(steps: int, seconds: float, seconds_of_curve: float) -> str:
    """Return how long a whole run took.

    >>> summary(14_000_000, 330.0, 50.0)
    '14,000,000 decisions in 4:40, 50,000 a second; 0:50 for the curve'
    """
    training = max(seconds - seconds_of_curve, TINY)
    speed = f"{steps:,} decisions in {clock(training)}, {steps / training:,.0f} a second"
    return f"{speed}; {clock(seconds_of_curve)} for the curve"


class Speed:
    """How fast a run trains, from its start here: a run that is resumed has another past."""

    def __init__(self, steps: int, total_steps: int) -> None:
        self.first, self.total = steps, total_steps
        self.start = time.monotonic()
        self.evaluating = 0.0
        """Seconds that evaluations have taken."""
        self._since: float | None = None

    def pause(self) -> None:
        """An evaluation begins."""
        self._since = time.monotonic()

    def go_on(self, steps: int) -> None:
        """It is done."""
        if steps == self.first:  # what comes before the training does not come again
            self.start, self.evaluating = time.monotonic(), 0.0
        elif self._since is not None:
            self.evaluating += time.monotonic() - self._since
        self._since = None

    def at(self, steps: int) -> tuple[float, float]:
        """Return decisions a second of training alone, and the seconds left with the evaluations to come."""
        took = time.monotonic() - self.start
        done = steps - self.first
        rate = done / max(took - self.evaluating, TINY)
        return rate, max(self.total - steps, 0) * took / done if rate > 0 else float("inf")

    def line(self, steps: int) -> str:
        """Return progress in a line."""
        rate, left = self.at(steps)
        share = min(steps / self.total, 1.0)
        remaining = clock(left) if rate > 0 else "?"
        return f"{share:4.0%}  {steps:,} decisions, {rate:,.0f} a second, {remaining} left"


class PlainReporter:
    """A line from time to time, for logs."""

    def __init__(self, write: Callable[[str], object], measured: str) -> None:
        self._line, self._measured = write, measured
        self._speed = Speed(0, 1)
        self._last = 0.0

    def begin(self, steps: int, total_steps: int) -> None:
        """Start the clock."""
        self._speed = Speed(steps, total_steps)
        self._last = time.monotonic()

    def update(self, steps: int) -> None:
        """Write a line if the last one is long ago."""
        if time.monotonic() - self._last >= SECONDS_BETWEEN_LINES:
            self._last = time.monotonic()
            self._line(self._speed.line(steps))

    def evaluate(self) -> None:
        """Stop the clock."""
        self._speed.pause()

    def point(self, points: list[Point], exact: Exact | None = None) -> None:
        """Write the results."""
        if points:
            self._speed.go_on(points[0].steps)
            self._line(f"after {points[0].steps:,} decisions, {self._measured}: {results(points, exact)}")

    def note(self, text: str) -> None:
        """Write it."""
        self._line(text)

    def end(self) -> None:
        """Nothing is open."""


class BarReporter:
    """A bar on a terminal, lines above it."""

    def __init__(self, measured: str) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn

        self._measured = measured
        self._console = Console(stderr=True)
        self._bar = Progress(
            TextColumn("training"),
            BarColumn(),
            TextColumn("{task.percentage:3.0f}%"),
            TextColumn("{task.fields[line]}"),
            console=self._console,
            transient=True,
        )
        self._speed = Speed(0, 1)
        self._task = self._bar.add_task("", total=1, line="", visible=False)

    def begin(self, steps: int, total_steps: int) -> None:
        """Show the bar."""
        self._speed = Speed(steps, total_steps)
        self._bar.update(self._task, total=total_steps, completed=steps, line="starting", visible=True)
        self._bar.start()

    def update(self, steps: int) -> None:
        """Move the bar."""
        rate, left = self._speed.at(steps)
        line = f"{rate:,.0f} decisions a second, {clock(left)} left" if rate > 0 else "starting"
        self._bar.update(self._task, completed=steps, line=line)

    def evaluate(self) -> None:
        """Stop the clock."""
        self._speed.pause()
        self._bar.update(self._task, line="evaluating")

    def point(self, points: list[Point], exact: Exact | None = None) -> None:
        """Write the results above the bar."""
        if points:
            self._speed.go_on(points[0].steps)
            self.note(
                f"after {points[0].steps / 1e6:.1f} M decisions, {self._measured}: {results(points, exact)}"
            )

    def note(self, text: str) -> None:
        """Write a line above the bar."""
        self._console.print(text, highlight=False, markup=False)

    def end(self) -> None:
        """Remove the bar."""
        self._bar.stop()
