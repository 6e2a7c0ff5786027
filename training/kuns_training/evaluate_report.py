"""An evaluation as JSON and as tables for people."""

from __future__ import annotations

import dataclasses
import json
from typing import Any, Final

from rich.console import RenderableType
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
    heads_up = evaluation.rules.num_players == 2
    shown = [
        cross_table(evaluation) if 2 < len(evaluation.agents) <= MOST_COLUMNS else list_table(evaluation)
    ]
    if evaluation.overall and len(evaluation.agents) > MOST_COLUMNS:
        shown.append(overall_table(evaluation))
    if not heads_up and len(evaluation.agents) == evaluation.rules.num_players:
        shown = [list_table(evaluation)]
    return [*shown, Text(footnote(evaluation))]


def amount(chips: Estimate | None) -> Text:
    """Return a mean and its half width, in colour where the interval leaves zero out."""
    if chips is None:
        return Text("failed", style="bold red")
    style = "" if not chips.is_clear else "green" if chips.mean > 0 else "red"
    return Text(f"{chips.mean:+.3f} ± {chips.half_width:.3f}", style=style)


def table(title: str, *columns: str) -> Table:
    """Return an empty table."""
    made = Table(title=title, title_justify="left")
    for number, column in enumerate(columns):
        made.add_column(column, justify="right" if number else "left", no_wrap=True)
    return made


def list_table(evaluation: Evaluation) -> Table:
    """Return a row for each result."""
    made = table("Chips per hand", "agent", "against", "mean", "95 % interval")
    for result in evaluation.results:
        chips = result.chips
        made.add_row(
            Text(result.agent),
            Text(against(evaluation, result.opponents)),
            amount(chips),
            f"{chips.low:+.3f} to {chips.high:+.3f}",
        )
    for report in evaluation.failures:
        made.add_row(Text(report.agent), Text(" ".join(report.seating)), amount(None), "")
    return made


def against(evaluation: Evaluation, opponents: tuple[str, ...]) -> str:
    """Return the opponents in words."""
    if len(opponents) == 1 and evaluation.rules.num_players > 2:
        return f"{evaluation.rules.num_players - 1} x {opponents[0]}"
    return ", ".join(opponents)


def cross_table(evaluation: Evaluation) -> Table:
    """Return a row for each agent and a column for each that it met, the best on top."""
    among = "" if evaluation.rules.num_players == 2 else f", one among {evaluation.rules.num_players - 1}"
    names = [result.agent for result in evaluation.overall]
    names += [entry.label for entry in evaluation.agents if entry.label not in names]
    cells = {(result.agent, result.opponents[0]): result.chips for result in evaluation.results}
    overall = {result.agent: result.chips for result in evaluation.overall}
    made = table(f"Chips per hand of the row against the column{among}", "", *names, "all others")
    for agent in names:
        row = [Text("") if other == agent else amount(cells.get((agent, other))) for other in names]
        made.add_row(Text(agent, style="bold"), *row, amount(overall[agent]) if agent in overall else "")
    return made


def overall_table(evaluation: Evaluation) -> Table:
    """Return each agent's result against all others, the best on top."""
    made = table("Chips per hand against all others", "agent", "mean")
    for result in evaluation.overall:
        made.add_row(Text(result.agent), amount(result.chips))
    return made


def footnote(evaluation: Evaluation) -> str:
    """Return in a few words how the numbers were made."""
    return (
        f"{evaluation.num_hands:,} hands: {evaluation.num_deals:,} deals (seed {evaluation.seed}), the same for "
        f"all, each in every seating.\n± is half of the 95 % interval, from {evaluation.num_blocks:,} blocks of "
        f"{evaluation.block_deals:,} deals."
    )
