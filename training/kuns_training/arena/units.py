"""Playing a unit of a plan, and what comes of it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy.typing as npt

from kuns_training.arena.games import Sitting, Span, Watch, play_deals
from kuns_training.arena.luck import luck_by
from kuns_training.arena.plan import Plan, Unit
from kuns_training.arena.referee import Fault, Place, Referee
from kuns_training.arena.statistics import Sums

if TYPE_CHECKING:
    from kuns_agents import Agent

Array = npt.NDArray[Any]
Tick: TypeAlias = Callable[[int], None]
"""Is told how many more episodes are played."""

WARM_UP_SECONDS: Final = 60.0
"""What a decision may take before anything is timed: code is compiled then, and files are read."""
WARM_UP_DEALS: Final = 8
WARM_UP_STREAM: Final = 0x7761726D
"""Sets the deals that nobody counts apart from those that are played."""


@dataclass(frozen=True, slots=True)
class UnitResult:
    """What was counted in a unit."""

    unit: Unit
    blocks: Mapping[int, Array]
    """For each measured agent int64 ``(blocks that the span touches, len(counted))``."""
    faults: tuple[Fault, ...] = ()
    """Disqualifications that are kept one by one."""
    counts: Mapping[int, int] = field(default_factory=dict)
    """Agent to the number of games that it was disqualified from."""


def play_unit(
    plan: Plan,
    unit: Unit,
    agents: Mapping[int, Agent],
    *,
    late: Collection[Place] | None = None,
    tick: Tick | None = None,
    watch: Watch | None = None,
) -> UnitResult:
    """Play all seatings of a unit.

    Args:
        plan: what it is a part of.
        unit: which part.
        agents: at least those who play in it, by their numbers.
        late: for a replay, where agents were late: see `Referee`.
        tick: is told of each seating that is played.
        watch: is told every decision.
    """
    match, span = plan.matches[unit.match], unit.span
    luck = None if plan.luck is None else luck_by(plan.rules, plan.luck)
    referee = Referee(plan.time_limit, late)
    offset = span.first % plan.block_deals
    sums = {
        agent: Sums.none_yet(plan.rules, offset + span.num_deals, plan.block_deals)
        for agent in match.measured
    }
    for seating, (number, seats) in enumerate(plan.sittings(unit.match)):
        sitting = Sitting(tuple(agents[agent] for agent in seats), seats, seating, number)
        counts = play_deals(plan.rules, sitting, plan.seed, span, referee, watch, luck)
        for agent, agent_sums in sums.items():
            agent_sums.add(offset, counts[:, :, seats.index(agent)])
        if tick is not None:
            tick(span.num_deals)
    blocks = {agent: agent_sums.blocks for agent, agent_sums in sums.items()}
    return UnitResult(unit, blocks, tuple(referee.faults), dict(referee.counts))


def warm_up(plan: Plan, match: int, agents: Mapping[int, Agent]) -> None:
    """Let the agents of a match play a few other deals that nobody counts, before their time is measured."""
    if plan.time_limit is None:
        return
    seats = plan.matches[match].seatings[0]
    sitting = Sitting(tuple(agents[agent] for agent in seats), seats, number=WARM_UP_STREAM)
    referee = Referee(max(plan.time_limit, WARM_UP_SECONDS), most_late=1)
    play_deals(plan.rules, sitting, plan.seed ^ WARM_UP_STREAM, Span(0, WARM_UP_DEALS), referee)
