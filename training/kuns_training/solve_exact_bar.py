"""What is shown while a game is solved: a bar that fills as exploitability falls, lines elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import log
from typing import TYPE_CHECKING, Final

from kuns_training.progress import SECONDS_BETWEEN_LINES

if TYPE_CHECKING:
    from kuns_agents.exact.solve import Look
    from kuns_training.solve_exact import Goal, Tell

WHOLE: Final = 1.0


def share(first: float, now: float, wanted: float) -> float:
    """Return how much of the way from ``first`` to ``wanted`` is done, in orders of magnitude.

    >>> share(1.0, 0.01, 0.0001), share(1.0, 0.0001, 0.0001), share(1.0, 0.5, 0.0)
    (0.5, 1.0, 0.0)
    """
    if now <= wanted or first <= wanted:
        return WHOLE
    if wanted <= 0:
        return 0.0
    return min(max(log(first / now) / log(first / wanted), 0.0), WHOLE)


class Way:
    """How much of the way is done: of the exploitability or of the iterations, whichever is further."""

    def __init__(self, goal: Goal) -> None:
        self._goal = goal
        self._first: float | None = None

    def at(self, look: Look) -> float:
        """Return the share."""
        if self._first is None:
            self._first = look.exploitability
        by_goal = share(self._first, look.exploitability, self._goal.exploitability)
        return max(by_goal, look.iterations / self._goal.max_iterations)


def line(look: Look) -> str:
    """Return a look in a line."""
    return (
        f"exploitability {look.exploitability:.2e}, value to the dealer {look.low:+.5f} to {look.high:+.5f}, "
        f"{look.iterations:,} iterations, {look.seconds:.1f} s"
    )


@contextmanager
def told(goal: Goal, write: Callable[[str], object]) -> Iterator[Tell]:
    """Show how a solution goes; ``write`` takes the lines where stderr is no terminal."""
    if not sys.stderr.isatty():
        last = time.monotonic()

        def seldom(look: Look) -> None:
            nonlocal last
            if time.monotonic() - last >= SECONDS_BETWEEN_LINES:
                last = time.monotonic()
                write(line(look))

        yield seldom
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    columns = (TextColumn("solving"), BarColumn(), TextColumn("{task.fields[line]}"))
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task, way = bar.add_task("", total=WHOLE, line="starting"), Way(goal)
        yield lambda look: bar.update(task, completed=way.at(look), line=line(look))
