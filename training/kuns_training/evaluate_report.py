"""An evaluation as JSON and as tables for people."""

from __future__ import annotations

import dataclasses
import io
import json
from typing import Any, Final

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from kuns_training.evaluate import CHUNK, Evaluation, Result
from kuns_training.evaluate_games import AgentFailedError
from kuns_training.evaluate_interval import CONFIDENCE, Estimate

FORMAT: Final = "kuns-env/evaluation"
VERSION: Final = 1
METHOD: Final = (
    "mean of chips over hands; Student t-interval over blocks of deals, each with all its seatings"
)
MOST_COLUMNS: Final = 5
"""Agents up to which a cross table fits a page."""
MOST_WIDE_COLUMNS: Final = 3
"""Agents up to which mean and half width fit side by side."""
NAMED: Final = ("", "agent", "against")
"""Titles of the columns that hold names of agents."""
PAGE: Final = 100
"""Letters in a line of an evaluation as text."""
ENDLESS: Final = 10_000
"""Letters in a line that has room for any table."""


def to_dict(evaluation: Evaluation) -> dict[str, Any]:
    """Return an evaluation as plain data: results, and all that is needed to get them again."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "game": evaluation.rules.game,
        "rules": evaluation.rules.to_dict(),
        "seed": evaluation.seed,
        "num_deals": evaluation.num_deals,
        "block_deals": evaluation.block_deals,
        "num_blocks": evaluation.num_blocks,
        "num_hands": evaluation.num_hands,
        "chunk_deals": CHUNK,
        "confidence": CONFIDENCE,
        "method": METHOD,
        "agents": [dataclasses.asdict(entry) for entry in evaluation.agents],
        "versions": evaluation.versions,
        "results": [result_dict(result) for result in evaluation.results],
        "overall": [result_dict(result) for result in evaluation.overall],
        "failures": [failure_dict(report) for report in evaluation.failures],
    }


def result_dict(result: Result) -> dict[str, Any]:
    """Return one result as plain data."""
    chips = dataclasses.asdict(result.chips)
    return {"agent": result.agent, "opponents": list(result.opponents), "chips_per_hand": chips}


def failure_dict(report: AgentFailedError) -> dict[str, Any]:
    """Return the report on a failed agent as plain data."""
    return {
        "agent": report.agent,
        "seating": list(report.seating),
        "seat": report.seat,
        "deal": report.deal,
        "problem": report.problem,
        "position": report.position,
        "legal": list(report.legal),
    }


def to_json(evaluation: Evaluation) -> str:
    """Return `to_dict` as JSON: the same text for the same evaluation."""
    return json.dumps(to_dict(evaluation), indent=2, allow_nan=False) + "\n"


# --- tables -----------------------------------------------------------------------------------------------


def tables(evaluation: Evaluation) -> list[RenderableType]:
    """Return what is printed: the results and how they were made."""
    among = evaluation.rules.num_players - 1
    one_table = among > 1 and len(evaluation.agents) == evaluation.rules.num_players
    shown: list[RenderableType] = [heading("Chips per hand"), list_table(evaluation)]
    if evaluation.overall:
        shown += [heading("Chips per hand against all others"), overall_table(evaluation)]
    if 2 < len(evaluation.agents) <= MOST_COLUMNS and not one_table:
        title = "Chips per hand of the row against the column" + (f", one among {among}" if among > 1 else "")
        shown = [Fitting([heading(title), cross_table(evaluation)], shown)]
    return [*shown, Text(footnote(evaluation))]


def to_text(evaluation: Evaluation) -> str:
    """Return `tables` as text."""
    console = Console(file=io.StringIO(), width=PAGE, highlight=False, color_system=None)
    with console.capture() as text:
        for shown in tables(evaluation):
            console.print(shown)
    return text.get().rstrip("\n")


class Fitting:
    """What is printed where it fits into a line, and what is printed where it does not."""

    def __init__(self, wide: list[RenderableType], narrow: list[RenderableType]) -> None:
        self.wide, self.narrow = wide, narrow

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield one or the other, by how wide the console is."""
        endless = options.update_width(ENDLESS)
        width = max(Measurement.get(console, endless, each).maximum for each in self.wide)
        yield from self.wide if width <= options.max_width else self.narrow


def heading(text: str) -> RenderableType:
    """Return what stands over a table."""
    return Text(text, style="bold")


def amount(chips: Estimate | None, between: str = " ") -> Text:
    """Return a mean and its half width, in colour where the interval leaves zero out."""
    if chips is None:
        return Text("failed", style="bold red")
    style = "" if not chips.is_clear else "green" if chips.mean > 0 else "red"
    return Text(f"{chips.mean:+.3f}{between}± {chips.half_width:.3f}", style=style)


def table(*columns: str) -> Table:
    """Return an empty table; where room is short, names are broken and numbers are not."""
    made = Table()
    for column in columns:
        named = column in NAMED
        made.add_column(column, justify="left" if named else "right", no_wrap=not named, overflow="fold")
    return made


def list_table(evaluation: Evaluation) -> Table:
    """Return a row for each result."""
    made = table("agent", "against", "mean", "95 % interval")
    for result in evaluation.results:
        chips = result.chips
        interval = f"{chips.low:+.3f} to {chips.high:+.3f}"
        made.add_row(Text(result.agent), Text(against(evaluation, result.opponents)), amount(chips), interval)
    for report in evaluation.failures:
        made.add_row(Text(report.agent), Text(", ".join(report.seating)), amount(None), "")
    return made


def against(evaluation: Evaluation, opponents: tuple[str, ...]) -> str:
    """Return the opponents in words."""
    if len(opponents) == 1 and evaluation.rules.num_players > 2:
        return f"{evaluation.rules.num_players - 1} x {opponents[0]}"
    return ", ".join(opponents)


def cross_table(evaluation: Evaluation) -> Table:
    """Return a row for each agent and a column for each that it met, in the order in which they were named."""
    names = [entry.label for entry in evaluation.agents]
    cells = {(result.agent, result.opponents[0]): result.chips for result in evaluation.results}
    overall = {result.agent: result.chips for result in evaluation.overall}
    between = " " if len(names) <= MOST_WIDE_COLUMNS else "\n"
    made = table("", *names, "all others")
    for agent in names:
        row = [Text("") if other == agent else amount(cells.get((agent, other)), between) for other in names]
        made.add_row(
            Text(agent, style="bold"), *row, amount(overall[agent], between) if agent in overall else ""
        )
    return made


def overall_table(evaluation: Evaluation) -> Table:
    """Return each agent's result against all others."""
    made = table("agent", "mean")
    for result in evaluation.overall:
        made.add_row(Text(result.agent), amount(result.chips))
    return made


def footnote(evaluation: Evaluation) -> str:
    """Return in a few words how the numbers were made."""
    return (
        f"{evaluation.num_hands:,} hands: {evaluation.num_deals:,} deals (seed {evaluation.seed}), the same for "
        f"all, each in every seating.\n± is half of the 95 % interval, from {evaluation.num_blocks:,} blocks of "
        f"{evaluation.block_deals:,} {'deal' if evaluation.block_deals == 1 else 'deals'}."
    )
