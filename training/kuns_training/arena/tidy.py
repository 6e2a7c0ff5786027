"""An evaluation as a table of tidy rows, one figure a row, and as CSV: for spreadsheets, data frames and plots."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import asdict, astuple, dataclass, fields
from pathlib import Path
from typing import Final

from kuns_training.arena.evaluation import Evaluation, Result
from kuns_training.arena.interval import Estimate
from kuns_training.arena.ranking import Ranking, ranking
from kuns_training.arena.ratings import Rating, ratings
from kuns_training.arena.statistics import Statistics

PAYOFF: Final = "payoff"
NOT_TOLD: Final = ""
"""In a file, a number that a row does not have."""


@dataclass(frozen=True, slots=True)
class Row:
    """One figure."""

    table: str
    """What it belongs to: ``result``, ``overall``, ``match``, ``in_doubt``, ``rank``, ``difference``,
    ``rating``, ``disqualified``."""
    agent: str
    """Whom it is about; empty where it is about a match."""
    against: str
    """Whom it met; in a match all who were seated; in a difference whose mean is taken away."""
    figure: str
    """``payoff`` is chips per hand or points per deal; ``rank`` has the possible ranks as low and high; the rest are
    names of statistics, and what the tables of differences and ratings hold."""
    mean: float
    low: float | None = None
    """Lower end of the interval."""
    high: float | None = None
    """Upper end of the interval."""
    std_error: float | None = None
    """Standard error; of a rating its sigma, which is none."""
    count: int | None = None
    """Hands, or what else the mean is taken over."""
    num_blocks: int | None = None
    """Blocks of deals that the error is judged from."""


COLUMNS: Final = tuple(field.name for field in fields(Row))


def rows(evaluation: Evaluation) -> list[Row]:
    """Return every figure of an evaluation, shares as numbers from 0 to 1."""
    made = [row for result in evaluation.results for row in result_rows("result", result)]
    made += [row for result in evaluation.overall for row in result_rows("overall", result)]
    for meeting in evaluation.meetings:
        made += statistics_rows("match", "", ", ".join(meeting.seats), meeting.statistics)
    made += [
        Row("in_doubt", doubt.agent, ", ".join(doubt.opponents), "luck", doubt.luck.mean)
        for doubt in evaluation.doubts
        if doubt.luck is not None
    ]
    made += ranking_rows(ranking(evaluation))
    made += rating_rows(ratings(evaluation) or ())
    return [*made, *(Row("disqualified", *each) for each in disqualified(evaluation))]


def disqualified(evaluation: Evaluation) -> Iterator[tuple[str, str, str, float]]:
    """Yield from how many games agents were disqualified."""
    for agent, number in evaluation.num_disqualified.items():
        yield agent, "", "games", number


def result_rows(table: str, result: Result) -> Iterator[Row]:
    """Yield the payoff and the statistics of a result."""
    against = ", ".join(result.opponents)
    yield estimate_row(table, result.agent, against, PAYOFF, result.payoff)
    for name, estimate in (("luck_adjusted", result.adjusted), ("luck", result.luck)):
        if estimate is not None:
            yield estimate_row(table, result.agent, against, name, estimate)
    yield from statistics_rows(table, result.agent, against, result.statistics)


def statistics_rows(table: str, agent: str, against: str, statistics: Statistics) -> Iterator[Row]:
    """Yield statistics; not those that there was nothing to count by."""
    for name, estimate in statistics.items():
        if estimate is not None:
            yield estimate_row(table, agent, against, name, estimate)


def estimate_row(table: str, agent: str, against: str, figure: str, estimate: Estimate) -> Row:
    """Return an estimate as a row."""
    return Row(table, agent, against, figure, **asdict(estimate))


def ranking_rows(ranked: Ranking) -> Iterator[Row]:
    """Yield ranks with those that are possible, and all differences."""
    for standing in ranked.standings:
        yield Row("rank", standing.agent, "", "rank", standing.rank, standing.best_rank, standing.worst_rank)
        yield estimate_row("rank", standing.agent, "", PAYOFF, standing.payoff)
    for each in ranked.differences:
        yield estimate_row("difference", each.agent, each.other, PAYOFF, each.payoff)
        if each.same_opponents is not None:
            yield estimate_row("difference", each.agent, each.other, "same_opponents", each.same_opponents)
        yield Row("difference", each.agent, each.other, "p_adjusted", each.p_adjusted)


def rating_rows(rated: Sequence[Rating]) -> Iterator[Row]:
    """Yield ratings."""
    for each in rated:
        yield Row("rating", each.agent, "", "mu", each.mu, std_error=each.sigma, count=each.num_games)


def to_csv(evaluation: Evaluation) -> str:
    """Return `rows` as CSV with a header: the same text for the same evaluation."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in rows(evaluation):
        writer.writerow(NOT_TOLD if value is None else value for value in astuple(row))
    return text.getvalue()


def read_csv(path: Path) -> list[Row]:
    """Return the rows that `to_csv` wrote.

    Raises:
        ValueError: the file has other columns.
    """
    with path.open(encoding="utf-8", newline="") as lines:
        reader = csv.reader(lines)
        head = tuple(next(reader, ()))
        if head != COLUMNS:
            raise ValueError(f"{path}: the columns are {', '.join(head)}; they must be {', '.join(COLUMNS)}")
        return [read_row(row) for row in reader]


def read_row(row: Sequence[str]) -> Row:
    """Return a line of a file as a row."""
    table, agent, against, figure, mean, low, high, std_error, count, num_blocks = row
    return Row(
        table,
        agent,
        against,
        figure,
        float(mean),
        number(low),
        number(high),
        number(std_error),
        int(count) if count else None,
        int(num_blocks) if num_blocks else None,
    )


def number(text: str) -> float | None:
    """Return a number, None where there is none."""
    return None if text == NOT_TOLD else float(text)
