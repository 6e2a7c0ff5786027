"""Who is best, and what ranks are possible."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from kuns_training.arena.differences import Difference, Line, differences, lines_of, sum_of, units_of
from kuns_training.arena.evaluation import Evaluation
from kuns_training.arena.interval import Estimate, ratio


@dataclass(frozen=True, slots=True)
class Standing:
    """Where one agent stands."""

    agent: str
    rank: int
    """1 plus the number of agents with a higher mean."""
    best_rank: int
    """1 plus the number of agents that are clearly better."""
    worst_rank: int
    """The number of agents but those that are clearly worse."""
    payoff: Estimate
    """Chips or points per hand in all that it played, less luck where the evaluation `is_adjusted`."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """All agents, from the highest mean to the lowest."""

    standings: tuple[Standing, ...]
    differences: tuple[Difference, ...]
    """Of every two agents, in the order of the ranks."""
    unranked: tuple[str, ...]
    """Agents without results."""

    @property
    def num_comparisons(self) -> int:
        """Differences that are corrected for together."""
        return len(self.differences)

    def between(self, agent: str, other: str) -> Difference:
        """Return the difference of two agents."""
        return next(each for each in self.differences if {each.agent, each.other} == {agent, other})

    def neighbours(self) -> tuple[Difference, ...]:
        """Return the difference of each agent and the next below."""
        names = [standing.agent for standing in self.standings]
        return tuple(self.between(*pair) for pair in pairwise(names))


def ranking(evaluation: Evaluation) -> Ranking:
    """Return the agents by their mean payoffs, with the ranks that each may truly have.

    An agent ranks above those that it is clearly better than (`Difference.is_clear`) and below those that are
    clearly better; the ranks in between are possible. Where every claim of "clearly better" is true, which has the
    probability of `Evaluation.confidence`, all true ranks lie in these intervals: confidence sets for ranks from
    stepwise tests of all differences (Mogstad, Romano, Shaikh & Wilhelm 2024, Review of Economic Studies 91).
    """
    means = {
        evaluation.agents[agent].label: mean_of(sum_of(own.values()), evaluation)
        for agent, own in lines_of(evaluation).items()
    }
    found = differences(evaluation)
    worse = Counter(each.agent for each in found if each.is_clear)
    better = Counter(each.other for each in found if each.is_clear)
    standings = [
        Standing(
            agent,
            1 + sum(other.mean > payoff.mean for other in means.values()),
            1 + better[agent],
            len(means) - worse[agent],
            payoff,
        )
        for agent, payoff in means.items()
    ]
    standings.sort(key=lambda standing: standing.rank)  # equals stay in the order in which they were named
    place = {standing.agent: number for number, standing in enumerate(standings)}
    unranked = tuple(entry.label for entry in evaluation.agents if entry.label not in means)
    return Ranking(tuple(standings), in_order(found, place), unranked)


def mean_of(line: Line, evaluation: Evaluation) -> Estimate:
    """Return a mean payoff per hand with its interval."""
    estimate = ratio(line[0], line[1], units_of(evaluation), evaluation.confidence)
    assert estimate is not None, "an episode has a hand"
    return estimate


def in_order(found: Sequence[Difference], place: dict[str, int]) -> tuple[Difference, ...]:
    """Return differences from the top of the ranking down; ``place`` is the number of each agent there."""
    return tuple(sorted(found, key=lambda each: sorted((place[each.agent], place[each.other]))))
