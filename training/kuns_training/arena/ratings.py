"""Ratings of agents, as other arenas have them, by openskill; without it there are none."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from kuns_env.tallies import HANDS, PAYOFF
from kuns_training.arena.evaluation import Evaluation
from kuns_training.arena.statistics import Sums

PACKAGE: Final = "openskill"
EXTRA: Final = "pip install 'kuns-env[arena]'"
"""How to get what ratings and pictures need."""
METHOD: Final = (
    "openskill, Plackett-Luce model (Weng & Lin 2011) with its own defaults: all start at mu 25, sigma 25/3; one game "
    "for each block of deals and each set of agents that met, ranked by what they won in it, less luck where that is "
    "taken out and nothing is in doubt; block by block, in the order of the schedule"
)
DIGITS: Final = 4
"""Digits after the point that are kept: the last ones of a double may depend on the machine."""


@dataclass(frozen=True, slots=True)
class Rating:
    """How one agent is rated."""

    agent: str
    mu: float
    """The higher the stronger; 25 before the first game."""
    sigma: float
    """What the model believes of its error: see the documentation on why that is not a standard error."""
    num_games: int
    """Games that it was rated by: blocks of deals against given opponents."""


def ratings(evaluation: Evaluation) -> tuple[Rating, ...] | None:
    """Return a rating for each agent, in the order of the agents; None where openskill is not installed.

    It follows from who won more in which block alone: by how much does not count.
    """
    return None if importlib.util.find_spec(PACKAGE) is None else _rate(_Same(evaluation))


class _Same:
    """An evaluation that equals itself alone: what it holds cannot be hashed."""

    def __init__(self, evaluation: Evaluation) -> None:
        self.evaluation = evaluation

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.evaluation is self.evaluation

    def __hash__(self) -> int:
        return id(self.evaluation)


@lru_cache(
    maxsize=1
)  # tables, JSON, CSV and picture ask one after the other; of many agents it takes seconds
def _rate(same: _Same) -> tuple[Rating, ...]:
    """Return ratings of an evaluation."""
    from openskill.models import PlackettLuce

    evaluation, model = same.evaluation, PlackettLuce()
    rated = [model.rating() for _ in evaluation.agents]
    num_games = [0] * len(rated)
    for agents, places in games(evaluation):
        teams = model.rate([[rated[agent]] for agent in agents], ranks=[float(place) for place in places])
        for agent, (after,) in zip(agents, teams, strict=True):
            rated[agent] = after
            num_games[agent] += 1
    return tuple(
        Rating(entry.label, round(each.mu, DIGITS), round(each.sigma, DIGITS), number)
        for entry, each, number in zip(evaluation.agents, rated, num_games, strict=True)
    )


def games(evaluation: Evaluation) -> Iterator[tuple[tuple[int, ...], list[int]]]:
    """Yield what is rated: agents, by index, and the place of each of them, 0 the first; equals share one.

    Block by block; within a block set by set of agents that met, in the order of the schedule. Matches of the same
    agents are one game: one of A among B, and one of B among A, say.
    """
    grouped: dict[tuple[int, ...], dict[int, list[Sums]]] = {}
    for number, match in enumerate(evaluation.matches):
        group = grouped.setdefault(tuple(sorted(set(match.seatings[0]))), {})
        for agent, sums in evaluation.sums.get(number, {}).items():
            group.setdefault(agent, []).append(sums)
    is_adjusted = evaluation.is_adjusted
    tables = {
        agents: [means_of(group[agent], is_adjusted) for agent in agents]
        for agents, group in grouped.items()
        if group.keys() == set(agents)  # else nothing is known of some of them
    }
    for block in range(evaluation.num_blocks):
        for agents, means in tables.items():
            won = [own[block] for own in means]
            yield agents, [sum(other > mean for other in won) for mean in won]


def means_of(matches: list[Sums], is_adjusted: bool) -> list[float]:
    """Return what was won per hand in each block, less luck if it is adjusted; equal means are equal numbers."""
    won = sum(sums.won if is_adjusted else sums.column(PAYOFF) for sums in matches)
    hands = sum(sums.column(HANDS) for sums in matches)
    return [top / bottom for top, bottom in zip(won.tolist(), hands.tolist(), strict=True)]  # type: ignore[union-attr]
