"""The plan of an evaluation or a tournament: everything that its results follow from, settled before play."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from typing import Final

from kuns_env.engine.game import Rules
from kuns_env.engine.seeds import count, make_seed
from kuns_env.errors import quoted
from kuns_training.arena.entries import Entry, versions
from kuns_training.arena.games import Span
from kuns_training.arena.interval import CONFIDENCE
from kuns_training.arena.luck import ValueFunction, value_function
from kuns_training.arena.room import check_room
from kuns_training.arena.schedule import Match, mode_of, schedule
from kuns_training.arena.timer import check_time_limit

CHUNK: Final = 4096
"""Deals that are played together. Agents draw their random numbers by chunk, so it is part of the result."""

NUM_BLOCKS: Final = 200
"""Blocks that the deals are cut into where no size is given: enough for a good judgement of the error."""

MOST_DEALS: Final = 10_000_000

LOOKED_BLOCK: Final = 100
"""Most deals of a block where play may stop early and no size is given: so that the first look comes soon."""
FIRST_LOOK: Final = 50
"""Blocks before the first look: fewer judge the error too badly."""


@dataclass(frozen=True, slots=True)
class Unit:
    """What is played, kept and played again as a whole: all seatings of a match on a span of deals."""

    match: int
    span: Span


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything that the results follow from."""

    rules: Rules
    seed: int
    num_deals: int
    """Deals of each match; the most where play may stop early."""
    block_deals: int
    agents: tuple[Entry, ...]
    mode: str
    matches: tuple[Match, ...]
    half_width: float | None = None
    """Play stops when every figure is known this well; None: it does not stop early."""
    looks: tuple[int, ...] = ()
    """After how many blocks it is looked whether that is so, ascending."""
    time_limit: float | None = None
    """Seconds that a decision may take."""
    luck: ValueFunction | None = None
    """By what luck is judged that is taken out of the results; None: it is left in."""
    chunk_deals: int = CHUNK
    versions: dict[str, str] = field(default_factory=versions)

    @property
    def labels(self) -> list[str]:
        """The names of the agents."""
        return [entry.label for entry in self.agents]

    @property
    def confidence(self) -> float:
        """How likely an interval holds the truth: higher where it is looked at several times (Bonferroni)."""
        return 1 - (1 - CONFIDENCE) / max(1, len(self.looks))

    @property
    def stages(self) -> list[int]:
        """After how many deals of each match play may end."""
        ends = [min(num_blocks * self.block_deals, self.num_deals) for num_blocks in self.looks]
        return ends or [self.num_deals]

    def spans(self) -> list[Span]:
        """Return the spans of deals that are played together: chunks, cut where a look is taken."""
        cuts = {*range(0, self.num_deals, self.chunk_deals), *self.stages}
        return [Span(first, end - first) for first, end in pairwise(sorted(cuts))]

    def units(self, first: int = 0, end: int | None = None) -> list[Unit]:
        """Return what is to be played of the deals from ``first`` to before ``end``, all of them if None."""
        end = self.num_deals if end is None else end
        spans = [span for span in self.spans() if first <= span.first < end]
        return [Unit(match, span) for match in range(len(self.matches)) for span in spans]

    def sittings(self, match: int) -> Iterator[tuple[int, tuple[int, ...]]]:
        """Yield a number that no other seating has, and who sits where, for each seating of a match."""
        firsts = [0, *accumulate(len(each.seatings) for each in self.matches)]
        yield from enumerate(self.matches[match].seatings, start=firsts[match])

    def num_episodes(self, units: Sequence[Unit]) -> int:
        """Return how many episodes are played in ``units``."""
        return sum(len(self.matches[unit.match].seatings) * unit.span.num_deals for unit in units)


def make_plan(
    entries: Sequence[Entry],
    rules: Rules,
    num_deals: int,
    seed: int | None = None,
    *,
    block_deals: int | None = None,
    mode: str | None = None,
    num_tables: int | None = None,
    until: float | None = None,
    time_limit: float | None = None,
    luck: bool = False,
) -> Plan:
    """Return the plan of an evaluation; the arguments are those of `kuns_training.evaluate.evaluate`.

    Raises:
        ValueError: a number out of range, modes and tables that do not go together, or blocks of so many deals at
            such stakes that what is counted in one may not fit into 64 bits.
    """
    num_deals = count("num_deals", num_deals, 2, MOST_DEALS)
    if block_deals is None:
        block_deals = max(1, num_deals // NUM_BLOCKS)
        if until is not None:
            block_deals = min(block_deals, LOOKED_BLOCK)
    block_deals = count("block_deals", block_deals, 1, num_deals // 2)
    seed = make_seed(seed)
    matches = tuple(schedule(len(entries), rules.num_players, mode, seed, num_tables))
    check_room(rules, block_deals, num_sittings(matches), luck=luck)
    return Plan(
        rules=rules,
        seed=seed,
        num_deals=num_deals,
        block_deals=block_deals,
        agents=tuple(entries),
        mode=mode_of(len(entries), rules.num_players, mode),
        matches=matches,
        half_width=check_half_width(until),
        looks=() if until is None else looks_of(-(-num_deals // block_deals)),
        time_limit=check_time_limit(time_limit),
        luck=value_function(rules) if luck else None,
        chunk_deals=CHUNK,
    )


def num_sittings(matches: Sequence[Match]) -> int:
    """Return in how many seatings of all matches a deal is played."""
    return sum(len(match.seatings) for match in matches)


def check_half_width(until: object, name: str = "until") -> float | None:
    """Return the wanted half width of an interval; None stays None.

    Raises:
        ValueError: no number above 0.
    """
    if until is None:
        return None
    if isinstance(until, bool) or not isinstance(until, (int, float)) or not 0 < until < float("inf"):
        raise ValueError(f"{name}={quoted(until)}: must be a half width above 0, such as 0.01")
    return float(until)


def looks_of(num_blocks: int) -> tuple[int, ...]:
    """Return after how many blocks it is looked: `FIRST_LOOK`, doubled again and again, and at the end.

    >>> looks_of(500), looks_of(30)
    ((50, 100, 200, 400, 500), (30,))
    """
    looks = []
    blocks = FIRST_LOOK
    while blocks < num_blocks:
        looks.append(blocks)
        blocks *= 2
    return (*looks, num_blocks)
