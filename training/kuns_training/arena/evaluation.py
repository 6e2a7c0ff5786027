"""What an arena found: figures for each agent and match, all of them made from what was counted in blocks of deals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from kuns_env.engine.game import Rules
from kuns_training.arena.entries import Entry
from kuns_training.arena.interval import CONFIDENCE, Estimate
from kuns_training.arena.luck import ValueFunction
from kuns_training.arena.plan import CHUNK
from kuns_training.arena.schedule import PAIRS, Match
from kuns_training.arena.statistics import Statistics, Sums

PLAIN: Final = "plain"
ADJUSTED: Final = "luck adjusted"
"""Kinds of means, in words."""

SURPRISING: Final = 5
"""Standard errors by which luck may miss its true mean, 0, before an agent is in doubt."""
ROUNDING: Final = 1e-5
"""Chips or points a hand that this has to be at least: luck is rounded in each game."""

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
    adjusted: Estimate | None = None
    """`payoff` less what was luck; None where luck is left in."""
    luck: Estimate | None = None
    """What was luck: its true mean is 0."""

    @property
    def saved(self) -> float | None:
        """The part of the variance that went with the luck; None where there is none to judge."""
        if self.adjusted is None or self.payoff.std_error == 0:
            return None
        return 1 - (self.adjusted.std_error / self.payoff.std_error) ** 2

    def ranked(self, is_adjusted: bool) -> Estimate:
        """Return the mean that ranks go by: the adjusted one, or the plain one."""
        return self.adjusted if is_adjusted and self.adjusted is not None else self.payoff

    @property
    def is_doubtful(self) -> bool:
        """Whether luck is too far from 0 to be luck: somebody does not play as its policy says."""
        luck = self.luck
        return luck is not None and abs(luck.mean) > SURPRISING * luck.std_error + ROUNDING


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
    decision: int
    """How many decisions were made in the game before."""
    problem: str
    """What it did, in a line."""
    position: str
    """What its seat knew, as text; only the first few are kept."""
    legal: tuple[str, ...]
    """The texts of its legal moves; kept with the position."""

    def __str__(self) -> str:
        """Return it in a line."""
        return f"agent {self.agent!r} was disqualified in deal {self.deal}, seat {self.seat}: {self.problem}"


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
    """Hands that were played in all matches."""
    agents: tuple[Entry, ...]
    results: tuple[Result, ...]
    overall: tuple[Result, ...]
    """Each agent against all others; empty where `results` say it already."""
    meetings: tuple[Meeting, ...]
    """One for each match."""
    versions: dict[str, str] = field(default_factory=dict)
    mode: str = PAIRS
    """`PAIRS` or `TABLES`."""
    matches: tuple[Match, ...] = ()
    """Who met whom; agents by their index in `agents`."""
    sums: MatchSums = field(default_factory=dict, repr=False, compare=False)
    """Exact integers that all figures are made of: a row for each block, the blocks those of the same deals."""
    disqualifications: tuple[Disqualification, ...] = ()
    """The first ones of each agent in each part of a match; `num_disqualified` counts all."""
    num_disqualified: Mapping[str, int] = field(default_factory=dict)
    """Label of an agent to the number of games that it was disqualified from, where there are any."""
    chunk_deals: int = CHUNK
    """Deals that were played together."""
    looks: Looks | None = None
    """None where the number of deals was given."""
    confidence: float = CONFIDENCE
    """How likely an interval holds the true figure; higher than that where `looks` are several."""
    luck: ValueFunction | None = None
    """By what luck was judged that is taken out; None where it is left in."""

    @property
    def num_blocks(self) -> int:
        """Blocks of deals."""
        return -(-self.num_deals // self.block_deals)

    @property
    def doubts(self) -> tuple[Result, ...]:
        """Results whose luck is in doubt, one for each set of agents that met; overall ones where no match shows it."""
        found: dict[frozenset[str], Result] = {}
        for told in (self.results, self.overall):
            for result in told:
                if result.is_doubtful:
                    found.setdefault(frozenset({result.agent, *result.opponents}), result)
            if found:
                break
        return tuple(found.values())

    @property
    def is_adjusted(self) -> bool:
        """Whether ranks, leads, p-values, ratings, pictures and looks go by adjusted means; else all by plain ones.

        They do where luck is taken out and nothing is in doubt. One match in doubt is enough: means of two kinds
        could not be compared.
        """
        return self.luck is not None and not self.doubts

    @property
    def kind(self) -> str:
        """`PLAIN` or `ADJUSTED`: what kind of means all that is ranked or tested goes by."""
        return ADJUSTED if self.is_adjusted else PLAIN

    def __str__(self) -> str:
        """Return the tables that `kuns evaluate` prints."""
        try:
            from kuns_training.arena.report import to_text
        except ImportError:  # tables need the extra `cli`
            return repr(self)
        return to_text(self)
