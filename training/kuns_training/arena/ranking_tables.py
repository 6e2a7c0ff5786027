"""The ranking of an evaluation, as tables for people."""

from __future__ import annotations

from typing import Final

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from kuns_training.arena.cells import Fitting, amount, heading, table
from kuns_training.arena.evaluation import Evaluation
from kuns_training.arena.ranking import Ranking, Standing, ranking
from kuns_training.arena.ratings import EXTRA, Rating, ratings
from kuns_training.arena.words import digits_of, measure, percent

LEAST_AGENTS: Final = 3
"""Agents from which on there is a ranking: of two the result says all."""
RATINGS_HINT: Final = "Ratings count who won a block of deals, not by how much."
SMALLEST_P: Final = 0.001
"""Below it a p-value is not told."""


def ranking_tables(evaluation: Evaluation, with_ratings: bool) -> list[RenderableType]:
    """Return the ranking, and how far each agent is from the next; nothing where there are fewer than three."""
    if len(evaluation.agents) < LEAST_AGENTS:
        return []
    ranked, digits = ranking(evaluation), digits_of(evaluation)
    rated = ratings(evaluation) if with_ratings else None
    kind = "" if evaluation.luck is None else f", {evaluation.kind},"
    title = f"Ranking by {measure(evaluation.rules, ' ')}{kind}"
    title = f"{title} against all others" if evaluation.overall else title.rstrip(",")
    wide = [standings_table(ranked, rated, digits)]
    narrow = [standings_table(ranked, None, digits)]
    wide_differences = [differences_table(ranked, digits, with_same=True)]
    narrow_differences = [differences_table(ranked, digits, with_same=False)]
    return [
        heading(title),
        Fitting(wide, narrow),
        heading(f"Lead over the next{kind or ','} on the same deals"),
        Fitting(wide_differences, narrow_differences),
    ]


def standings_table(ranked: Ranking, rated: tuple[Rating, ...] | None, digits: int) -> Table:
    """Return a row for each agent, the first on top."""
    rating = {each.agent: each for each in rated or ()}
    made = table("rank", "possible", "agent", "mean", *(["rating"] if rating else []))
    for standing in ranked.standings:
        cells = [Text(str(standing.rank)), Text(possible(standing)), Text(standing.agent)]
        cells.append(amount(standing.payoff, digits))
        if rating:
            own = rating[standing.agent]
            cells.append(Text(f"{own.mu:.1f} ± {own.sigma:.1f}"))
        made.add_row(*cells)
    return made


def possible(standing: Standing) -> str:
    """Return the ranks that are possible."""
    best, worst = standing.best_rank, standing.worst_rank
    return str(best) if best == worst else f"{best} to {worst}"


def differences_table(ranked: Ranking, digits: int, with_same: bool) -> Table:
    """Return a row for each agent and the next below; what is clear after correction is in colour."""
    leads = ranked.neighbours()
    with_same = with_same and any(each.same_opponents is not None for each in leads)
    made = table("agent", "next", "lead", *(["against the same"] if with_same else []), "corrected p")
    for each in leads:
        cells = [Text(each.agent), Text(each.other), amount(each.payoff, digits, is_clear=each.is_clear)]
        if with_same:
            same = each.same_opponents
            cells.append(Text("-") if same is None else amount(same, digits, is_clear=False))
        made.add_row(*cells, Text(p_text(each.p_adjusted)))
    return made


def p_text(p_value: float) -> str:
    """Return a p-value, with as many digits as are of interest.

    >>> p_text(0.0234), p_text(0.0), p_text(1.0)
    ('0.023', '< 0.001', '1.000')
    """
    return f"{p_value:.3f}" if p_value >= SMALLEST_P else f"< {SMALLEST_P}"


def ranking_notes(evaluation: Evaluation, with_ratings: bool) -> list[str]:
    """Return how far figures may be compared, and what is missing; nothing where there are fewer than three agents."""
    num_agents = len(evaluation.agents)
    if num_agents < LEAST_AGENTS:
        return []
    pairs = num_agents * (num_agents - 1) // 2
    many = (
        f"Many comparisons: each interval holds by itself at {percent(evaluation.confidence)}, so of many some miss.\n"
        f"Possible ranks and corrected p hold together, over all {pairs:,} differences (Holm)."
    )
    if not with_ratings:
        return [many]
    is_missing = ratings(evaluation) is None
    return [many, f"Ratings need openskill: {EXTRA}" if is_missing else RATINGS_HINT]
