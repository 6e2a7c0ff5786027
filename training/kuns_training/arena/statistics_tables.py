"""Statistics of an evaluation as tables for people: what hands were like, and how each agent played."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import RenderableType
from rich.text import Text

from kuns_env.engine.game import game_of
from kuns_env.tallies import Statistic
from kuns_training.arena.cells import Fitting, heading, table
from kuns_training.arena.evaluation import Evaluation
from kuns_training.arena.interval import Estimate
from kuns_training.arena.statistics import Statistics, statistics_of
from kuns_training.arena.words import MANY, PER_CENT, against


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
