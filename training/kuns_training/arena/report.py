"""An evaluation as JSON and as tables for people."""

from __future__ import annotations

import dataclasses
import io
import json
from collections.abc import Sequence
from typing import Any, Final

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from kuns_env.engine.game import Rules, game_of
from kuns_env.tallies import Statistic
from kuns_training.arena.evaluation import Evaluation, Result
from kuns_training.arena.interval import Estimate
from kuns_training.arena.notes import disqualifications_list, looks_dict, notes
from kuns_training.arena.plan import CHUNK
from kuns_training.arena.schedule import TABLES
from kuns_training.arena.statistics import Statistics, statistics_of

FORMAT: Final = "kuns-env/evaluation"
VERSION: Final = 1
METHOD: Final = (
    "one sum over another, such as chips over hands; "
    "Student t-interval over blocks of deals, each with all its seatings"
)
MOST_COLUMNS: Final = 5
"""Agents up to which a cross table fits a page."""
MOST_WIDE_COLUMNS: Final = 3
"""Agents up to which mean and half width fit side by side."""
NAMED: Final = ("", "agent", "against", "agents")
"""Titles of the columns that hold names of agents."""
PER_CENT: Final = 100
MANY: Final = 10
"""Figures from which on fewer digits after the point are enough."""
ALL_DIGITS: Final = 3
FEW_DIGITS: Final = 2
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
        "confidence": evaluation.confidence,
        "looks": looks_dict(evaluation),
        "method": METHOD,
        "measure": measure(evaluation.rules, "_"),
        "statistics": [statistic._asdict() for statistic in statistics_of(evaluation.rules)],
        "agents": [dataclasses.asdict(entry) for entry in evaluation.agents],
        "versions": evaluation.versions,
        "results": [result_dict(evaluation.rules, result) for result in evaluation.results],
        "overall": [result_dict(evaluation.rules, result) for result in evaluation.overall],
        "matches": [
            {"seats": list(meeting.seats), "statistics": statistics_dict(meeting.statistics)}
            for meeting in evaluation.meetings
        ],
        "num_disqualified": dict(evaluation.num_disqualified),
        "disqualifications": disqualifications_list(evaluation),
    }


def measure(rules: Rules, between: str) -> str:
    """Return what is measured.

    >>> from kuns_env import KunkenRules
    >>> measure(KunkenRules(), " ")
    'points per deal'
    """
    words = game_of(rules).words
    return between.join((words.amount, "per", words.hand))


def result_dict(rules: Rules, result: Result) -> dict[str, Any]:
    """Return one result as plain data."""
    return {
        "agent": result.agent,
        "opponents": list(result.opponents),
        measure(rules, "_"): estimate_dict(result.payoff, "num_hands"),
        "statistics": statistics_dict(result.statistics),
    }


def statistics_dict(statistics: Statistics) -> dict[str, Any]:
    """Return statistics as plain data; None for one that there was nothing to count by."""
    return {
        name: None if estimate is None else estimate_dict(estimate, "count")
        for name, estimate in statistics.items()
    }


def estimate_dict(estimate: Estimate, count: str) -> dict[str, Any]:
    """Return an estimate as plain data, what it is taken over under the name ``count``."""
    data = dataclasses.asdict(estimate)
    return {count if name == "count" else name: value for name, value in data.items()}


def to_json(evaluation: Evaluation) -> str:
    """Return `to_dict` as JSON: the same text for the same evaluation."""
    return json.dumps(to_dict(evaluation), indent=2, allow_nan=False) + "\n"


# --- tables -----------------------------------------------------------------------------------------------


def tables(evaluation: Evaluation, *, statistics: bool = False, style: bool = False) -> list[RenderableType]:
    """Return what is printed: the results, the game's ``statistics`` and ``style`` if wanted, and how all was made."""
    among = evaluation.rules.num_players - 1
    is_pairs = evaluation.mode != TABLES
    title = measure(evaluation.rules, " ").capitalize()
    shown: list[RenderableType] = [heading(title), list_table(evaluation)]
    if evaluation.overall:
        shown += [heading(f"{title} against all others"), overall_table(evaluation)]
        shown = shown if is_pairs else shown[2:]  # tables of different agents are many
    if 2 < len(evaluation.agents) <= MOST_COLUMNS and is_pairs:
        title += " of the row against the column" + (f", one among {among}" if among > 1 else "")
        shown = [Fitting([heading(title), cross_table(evaluation)], shown)]
    if statistics and evaluation.results:
        shown += [*agent_statistics(evaluation), *match_statistics(evaluation)]
    if style and evaluation.results:
        shown += style_statistics(evaluation)
    return [*shown, Text("\n".join([footnote(evaluation), *notes(evaluation)]))]


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


def amount(payoff: Estimate, digits: int, between: str = " ") -> Text:
    """Return a mean and its half width, in colour where the interval leaves zero out."""
    style = "" if not payoff.is_clear else "green" if payoff.mean > 0 else "red"
    return Text(f"{payoff.mean:+.{digits}f}{between}± {payoff.half_width:.{digits}f}", style=style)


def digits_of(evaluation: Evaluation) -> int:
    """Return how many digits stand after the point of a payoff: fewer where some payoffs are large."""
    large = any(abs(result.payoff.mean) >= MANY for result in evaluation.results)
    return FEW_DIGITS if large else ALL_DIGITS


def table(*columns: str) -> Table:
    """Return an empty table; where room is short, names are broken and numbers are not."""
    made = Table()
    for column in columns:
        named = column in NAMED
        made.add_column(column, justify="left" if named else "right", no_wrap=not named, overflow="fold")
    return made


def list_table(evaluation: Evaluation) -> Table:
    """Return a row for each result."""
    made, digits = table("agent", "against", "mean", "95 % interval"), digits_of(evaluation)
    for result in evaluation.results:
        interval = f"{result.payoff.low:+.{digits}f} to {result.payoff.high:+.{digits}f}"
        opponents = Text(against(evaluation, result.opponents))
        made.add_row(Text(result.agent), opponents, amount(result.payoff, digits), interval)
    return made


def against(evaluation: Evaluation, opponents: tuple[str, ...]) -> str:
    """Return the opponents in words."""
    if len(opponents) == 1 and evaluation.rules.num_players > 2:
        return f"{evaluation.rules.num_players - 1} x {opponents[0]}"
    return ", ".join(opponents)


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


def overall_table(evaluation: Evaluation) -> Table:
    """Return each agent's result against all others."""
    made, digits = table("agent", "mean"), digits_of(evaluation)
    for result in evaluation.overall:
        made.add_row(Text(result.agent), amount(result.payoff, digits))
    return made


def agent_statistics(evaluation: Evaluation) -> list[RenderableType]:
    """Return what the hands of each agent were like, against all others where that is told, else in each match."""
    own = [
        statistic
        for statistic in statistics_of(evaluation.rules)
        if not statistic.of_table and not statistic.group
    ]
    names, rows = agent_rows(evaluation)
    title = " against all others" if evaluation.overall else ""
    return [heading(f"{hands_of(evaluation)} of each agent{title}"), statistics_table(own, names, rows)]


def style_statistics(evaluation: Evaluation) -> list[RenderableType]:
    """Return how each agent played: a table for each group of statistics."""
    groups: dict[str, list[Statistic]] = {}
    for statistic in statistics_of(evaluation.rules):
        if statistic.group:
            groups.setdefault(statistic.group, []).append(statistic)
    names, rows = agent_rows(evaluation)
    shown: list[RenderableType] = []
    for title, group in groups.items():
        shown += [heading(f"Style of play: {title}"), statistics_table(group, names, rows)]
    return shown


def agent_rows(evaluation: Evaluation) -> tuple[tuple[str, ...], list[tuple[tuple[str, ...], Statistics]]]:
    """Return the titles of columns that name agents, and for each row these names and statistics."""
    told = evaluation.overall or evaluation.results
    once = len({result.agent for result in told}) == len(told)
    names = ("agent",) if once else ("agent", "against")
    labels = [(result.agent, against(evaluation, result.opponents))[: len(names)] for result in told]
    return names, list(zip(labels, (result.statistics for result in told), strict=True))


def match_statistics(evaluation: Evaluation) -> list[RenderableType]:
    """Return what the hands of each match were like."""
    rows: list[tuple[tuple[str, ...], Statistics]] = []
    for meeting in evaluation.meetings:
        first, *others = meeting.seats
        opponents = others[:1] if len(set(others)) == 1 else others
        rows.append(((f"{first}, {against(evaluation, tuple(opponents))}",), meeting.statistics))
    shared = [statistic for statistic in statistics_of(evaluation.rules) if statistic.of_table]
    return [heading(f"{hands_of(evaluation)} of each match"), statistics_table(shared, ("agents",), rows)]


def hands_of(evaluation: Evaluation) -> str:
    """Return what was played, at the beginning of a heading."""
    return f"{game_of(evaluation.rules).words.hand}s".capitalize()


def statistics_table(
    shown: Sequence[Statistic], names: tuple[str, ...], rows: Sequence[tuple[tuple[str, ...], Statistics]]
) -> RenderableType:
    """Return a column for each statistic, or, where there is no room for that, a row."""
    wide = table(*names, *(statistic.title for statistic in shown))
    narrow = table(*names, "", "mean")
    for labels, statistics in rows:
        cells = [figure(statistic, statistics[statistic.name]) for statistic in shown]
        wide.add_row(*map(Text, labels), *cells)
        for statistic, cell in zip(shown, cells, strict=True):
            narrow.add_row(*map(Text, labels), Text(statistic.title), cell)
        narrow.add_section()
    return Fitting([wide], [narrow])


def figure(statistic: Statistic, estimate: Estimate | None) -> Text:
    """Return a statistic and its half width; a share in per cent, small figures with a digit more."""
    if estimate is None:
        return Text("-")
    scale = PER_CENT if statistic.is_share else 1
    digits = 1 if statistic.is_share or estimate.mean >= MANY else 2
    sign = "+" if statistic.in_units else ""
    return Text(f"{scale * estimate.mean:{sign}.{digits}f} ± {scale * estimate.half_width:.{digits}f}")


def footnote(evaluation: Evaluation) -> str:
    """Return in a few words how the numbers were made."""
    hands = {"deal": "deals played"}.get(word := game_of(evaluation.rules).words.hand, f"{word}s")
    return (
        f"{evaluation.num_hands:,} {hands}: {evaluation.num_deals:,} deals (seed {evaluation.seed}), the same for "
        f"all, each in every seating.\n± is half of the 95 % interval, from {evaluation.num_blocks:,} blocks of "
        f"{evaluation.block_deals:,} {'deal' if evaluation.block_deals == 1 else 'deals'}."
    )
