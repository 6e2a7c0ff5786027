"""What tables for people are made of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from kuns_training.arena.interval import Estimate

NAMED: Final = ("", "agent", "against", "agents", "next")
"""Titles of the columns that hold names of agents."""
ENDLESS: Final = 10_000
"""Letters in a line that has room for any table."""


class Fitting:
    """What is printed where it fits into a line, and what is printed where it does not."""

    def __init__(self, wide: Sequence[RenderableType], narrow: Sequence[RenderableType]) -> None:
        self.wide, self.narrow = wide, narrow

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield one or the other, by how wide the console is."""
        endless = options.update_width(ENDLESS)
        width = max(Measurement.get(console, endless, each).maximum for each in self.wide)
        yield from self.wide if width <= options.max_width else self.narrow


def heading(text: str) -> RenderableType:
    """Return what stands over a table."""
    return Text(text, style="bold")


def amount(payoff: Estimate, digits: int, between: str = " ", is_clear: bool | None = None) -> Text:
    """Return a mean and its half width, in colour where it is clear: by default, where the interval leaves zero out."""
    clear = payoff.is_clear if is_clear is None else is_clear
    style = "" if not clear else "green" if payoff.mean > 0 else "red"
    return Text(f"{payoff.mean:+.{digits}f}{between}± {payoff.half_width:.{digits}f}", style=style)


def table(*columns: str) -> Table:
    """Return an empty table; where room is short, names are broken and numbers are not."""
    made = Table()
    for column in columns:
        named = column in NAMED
        made.add_column(column, justify="left" if named else "right", no_wrap=not named, overflow="fold")
    return made
