"""An evaluation as tables for people."""

from __future__ import annotations

import io
from typing import Final

from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from kuns_env.engine.game import game_of
from kuns_training.arena.cells import Fitting, amount, heading, table
from kuns_training.arena.evaluation import PLAIN, Evaluation
from kuns_training.arena.luck_tables import luck_notes, luck_tables, warnings
from kuns_training.arena.notes import notes
from kuns_training.arena.plain import to_dict, to_json
from kuns_training.arena.ranking_tables import ranking_notes, ranking_tables
from kuns_training.arena.schedule import TABLES
from kuns_training.arena.statistics_tables import agent_statistics, match_statistics, style_statistics
from kuns_training.arena.words import against, digits_of, measure, percent

__all__ = ["measure", "tables", "to_dict", "to_json", "to_text"]

MOST_COLUMNS: Final = 5
"""Agents up to which a cross table fits a page."""
MOST_WIDE_COLUMNS: Final = 3
"""Agents up to which mean and half width fit side by side."""
MOST_LISTED: Final = 10
"""Agents up to which the results of all pairs are listed."""
PAGE: Final = 100
"""Letters in a line of an evaluation as text."""


def tables(
    evaluation: Evaluation, *, statistics: bool = False, style: bool = False, ratings: bool = False
) -> list[RenderableType]:
    """Return what is printed: results, a ranking, and how all was made.

    Args:
        evaluation: what was found.
        statistics: print what hands were like, too.
        style: print how each agent played, too.
        ratings: print ratings, too, where openskill is installed, and where it is not, how to get it. All else is the
            same on any machine.
    """
    shown = [*result_tables(evaluation), *luck_tables(evaluation), *warnings(evaluation)]
    shown += ranking_tables(evaluation, ratings)
    if statistics and evaluation.results:
        shown += [*agent_statistics(evaluation), *match_statistics(evaluation)]
    if style and evaluation.results:
        shown += style_statistics(evaluation)
    said = [footnote(evaluation), *luck_notes(evaluation), *ranking_notes(evaluation, ratings)]
    said += notes(evaluation)
    return [*shown, Text("\n".join(said))]


def result_tables(evaluation: Evaluation) -> list[RenderableType]:
    """Return the results: who won how much against whom; nothing where these would fill pages."""
    among, num_agents = evaluation.rules.num_players - 1, len(evaluation.agents)
    is_pairs = evaluation.mode != TABLES
    if not is_pairs and evaluation.overall:  # tables of different agents are many
        return []
    title = measure(evaluation.rules, " ").capitalize()
    title += "" if evaluation.luck is None else f", {PLAIN}"
    listed = [heading(title), list_table(evaluation)] if num_agents <= MOST_LISTED else []
    if not is_pairs or not 2 < num_agents <= MOST_COLUMNS:
        return listed
    title += (
        ("" if evaluation.luck is None else ",")
        + " of the row against the column"
        + (f", one among {among}" if among > 1 else "")
    )
    return [Fitting([heading(title), cross_table(evaluation)], listed)]


def to_text(
    evaluation: Evaluation, *, statistics: bool = False, style: bool = False, ratings: bool = False
) -> str:
    """Return `tables` as text."""
    console = Console(file=io.StringIO(), width=PAGE, highlight=False, color_system=None)
    with console.capture() as text:
        for shown in tables(evaluation, statistics=statistics, style=style, ratings=ratings):
            console.print(shown)
    return text.get().rstrip("\n")


def list_table(evaluation: Evaluation) -> Table:
    """Return a row for each result."""
    made = table("agent", "against", "mean", f"{percent(evaluation.confidence)} interval")
    digits = digits_of(evaluation)
    for result in evaluation.results:
        interval = f"{result.payoff.low:+.{digits}f} to {result.payoff.high:+.{digits}f}"
        opponents = Text(against(evaluation, result.opponents))
        made.add_row(Text(result.agent), opponents, amount(result.payoff, digits), interval)
    return made


def cross_table(evaluation: Evaluation) -> Table:
    """Return a row for each agent and a column for each that it met, in the order in which they were named."""
    names = [entry.label for entry in evaluation.agents]
    cells = {(result.agent, result.opponents[0]): result.payoff for result in evaluation.results}
    overall = {result.agent: result.payoff for result in evaluation.overall}
    between = " " if len(names) <= MOST_WIDE_COLUMNS else "\n"
    made, digits = table("", *names, "all others"), digits_of(evaluation)
    for agent in names:
        row = [
            Text("") if other == agent else amount(cells[agent, other], digits, between) for other in names
        ]
        made.add_row(
            Text(agent, style="bold"),
            *row,
            amount(overall[agent], digits, between) if agent in overall else "",
        )
    return made


def footnote(evaluation: Evaluation) -> str:
    """Return in a few words how the numbers were made."""
    hands = {"deal": "deals played"}.get(word := game_of(evaluation.rules).words.hand, f"{word}s")
    deals = "deal" if evaluation.block_deals == 1 else "deals"
    return (
        f"{evaluation.num_hands:,} {hands}: {evaluation.num_deals:,} deals (seed {evaluation.seed}), the same for "
        f"all, each in every seating.\n± is half of the {percent(evaluation.confidence)} interval, from "
        f"{evaluation.num_blocks:,} blocks of {evaluation.block_deals:,} {deals}."
    )
