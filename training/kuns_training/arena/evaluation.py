"""What an arena found: figures for each agent and match, all of them made from what was counted in blocks of deals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from operator import add
from typing import TypeAlias

from kuns_env.engine.game import Rules
from kuns_training.arena.entries import Entry
from kuns_training.arena.games import AgentFailedError
from kuns_training.arena.interval import CONFIDENCE, Estimate
from kuns_training.arena.schedule import Match
from kuns_training.arena.statistics import Statistics, Sums, statistics_of

MatchSums: TypeAlias = Mapping[int, Mapping[int, Sums]]
"""Number of a match to what was counted for each of its measured agents, by index."""


@dataclass(frozen=True, slots=True)
class Result:
    """How one agent did against given opponents."""

    agent: str
    opponents: tuple[str, ...]
    payoff: Estimate
    """Chips or points per hand."""
    statistics: Statistics
    """The statistics of the game, by name."""


@dataclass(frozen=True, slots=True)
class Meeting:
    """What can be said of the hands of one match, whoever won them."""

    seats: tuple[str, ...]
    """Who sat at the table, in the first seating."""
    statistics: Statistics
    """Those of the game's statistics that are the same for everybody."""


@dataclass(frozen=True, slots=True)
class Disqualification:
    """A game that ended because an agent did not choose a legal move in time."""

    agent: str
    """Its label."""
    match: int
    """The number of the match."""
    seating: tuple[str, ...]
    """The labels of those who sat in each seat."""
    seat: int
    """Where it sat."""
    deal: int
    problem: str
    """What it did, in a line."""
    position: str
    """What its seat knew, as text."""
    legal: tuple[str, ...]
    """The texts of its legal moves."""


@dataclass(frozen=True, slots=True)
class Looks:
    """When it was looked whether the wanted precision is reached; all of it but `num_taken` is settled before play."""

    half_width: float
    """The half width that every reported mean is to have."""
    num_blocks: tuple[int, ...]
    """After how many blocks of deals it may be looked, ascending."""
    num_taken: int
    """How often it was; the last of these looks ended play."""
    is_reached: bool
    """Whether all intervals were narrow enough then; if not, the deals had run out."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Everything that was found, and everything that is needed to find it again."""

    rules: Rules
    seed: int
    num_deals: int
    """Deals that were played in each match."""
    block_deals: int
    num_hands: int
    """Hands that were played in all finished matches."""
    agents: tuple[Entry, ...]
    results: tuple[Result, ...]
    overall: tuple[Result, ...]
    """Each agent against all others; empty where `results` say it already."""
    meetings: tuple[Meeting, ...]
    """One for each finished match."""
    failures: tuple[AgentFailedError, ...]
    """One for each match that has no results."""
    versions: dict[str, str] = field(default_factory=dict)
    matches: tuple[Match, ...] = ()
    """Who met whom; agents by their index in `agents`."""
    sums: MatchSums = field(default_factory=dict, repr=False, compare=False)
    """Exact integers that all figures are made of: a row for each block, the blocks those of the same deals."""
    disqualifications: tuple[Disqualification, ...] = ()
    looks: Looks | None = None
    """None where the number of deals was given."""

    @property
    def num_blocks(self) -> int:
        """Blocks of deals."""
        return -(-self.num_deals // self.block_deals)

    @property
    def confidence(self) -> float:
        """How likely an interval holds the true figure."""
        return CONFIDENCE

    def __str__(self) -> str:
        """Return the tables that `kuns evaluate` prints."""
        try:
            from kuns_training.arena.report import to_text
        except ImportError:  # tables need the extra `cli`
            return repr(self)
        return to_text(self)


class Findings:
    """Results of the matches that were played, from their sums."""

    def __init__(
        self, rules: Rules, labels: Sequence[str], matches: Sequence[Match], sums: MatchSums
    ) -> None:
        self.rules, self.labels, self.matches, self.sums = rules, labels, matches, sums

    @property
    def num_hands(self) -> int:
        """Hands that were played in all finished matches."""
        return sum(next(iter(sums.values())).num_hands for sums in self.sums.values())

    def results(self) -> Iterator[Result]:
        """Yield the result of each measured agent in each finished match."""
        for number, sums in self.sums.items():
            for agent in sums:
                yield self._result(agent, [number])

    def overall(self) -> Iterator[Result]:
        """Yield each agent's result against all others together; none with a failed match."""
        for agent in range(len(self.labels)):
            numbers = [number for number, match in enumerate(self.matches) if agent in match.measured]
            if len(numbers) > 1 and all(number in self.sums for number in numbers):
                yield self._result(agent, numbers)

    def meetings(self) -> Iterator[Meeting]:
        """Yield what can be said of each finished match."""
        names = [statistic.name for statistic in statistics_of(self.rules) if statistic.of_table]
        for number, sums in self.sums.items():
            seats = tuple(self.labels[agent] for agent in self.matches[number].seatings[0])
            statistics = next(iter(sums.values())).statistics()
            yield Meeting(seats, {name: statistics[name] for name in names})

    def _result(self, agent: int, numbers: Sequence[int]) -> Result:
        """Return the result of ``agent`` in some matches together."""
        seated = {other for number in numbers for other in self.matches[number].seatings[0]}
        others = tuple(self.labels[other] for other in sorted(seated - {agent}))
        sums = reduce(add, (self.sums[number][agent] for number in numbers))
        return Result(self.labels[agent], others, sums.payoff(), sums.statistics())
