"""What a response gains: what it wins in each seat among frozen agents, and what they win there themselves.

A *profile* says who plays in each seat. A *response* to it sits in one seat, and everybody else stays as they are. Its
gain in seat ``i`` is what it wins there, less what the profile's own agent wins there on the same deals. A best
response gains the most; the mean of its gains over all seats is the *exploitability* of the profile (heads-up, where
payoffs sum to zero, the mean of what it wins in both seats; in Lanctot et al. 2017, arXiv:1711.00832, NashConv over the
number of players). Whatever any response gains is a lower bound on that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from kuns_agents.raised import writable
from kuns_env.engine.batch import Batch
from kuns_env.engine.game import Rules, game_of
from kuns_env.tallies import HANDS, PAYOFF
from kuns_training.arena.asking import AgentFailedError
from kuns_training.arena.differences import minus, moves_of
from kuns_training.arena.games import Sitting, Span, play_deals
from kuns_training.arena.interval import CONFIDENCE, Estimate, ratio
from kuns_training.arena.plan import CHUNK
from kuns_training.arena.referee import Referee
from kuns_training.arena.statistics import counted

if TYPE_CHECKING:
    from kuns_agents import Agent

Array = npt.NDArray[Any]
Tell: TypeAlias = Callable[[int], None]
"""Is told how many episodes have been played since it was told last."""
Seating: TypeAlias = "tuple[Sequence[Agent], Sequence[int]]"
"""Who sits in each seat, and the seats whose payoffs count."""

COUNTED: Final = (PAYOFF, HANDS)


@dataclass(frozen=True, slots=True)
class Gain:
    """What a response gains in some seats or positions, per hand."""

    where: str
    """Those seats or positions, in words."""
    response: Estimate
    """What it wins there."""
    profile: Estimate
    """What the profile's own agents win there, on the same deals."""
    gain: Estimate
    """The difference; its interval is that of paired deals."""


@dataclass(frozen=True, slots=True)
class Gains:
    """What a response gains in every seat, and in every position."""

    total: Gain
    """The mean of all seats: the lower bound on the profile's exploitability."""
    seats: tuple[Gain, ...]
    positions: tuple[Gain, ...]
    """The dealer, then the players to its left in turn; empty where an episode has several hands (K2.2, N2.1)."""


def response_seatings(responder: Agent, profile: Agent, num_players: int) -> list[Seating]:
    """Return the ``num_players`` tables of a response: it sits in one seat, the profile in all others."""
    return [
        ([responder if seat == own else profile for seat in range(num_players)], (own,))
        for own in range(num_players)
    ]


def measure_gains(
    responder: Agent, profile: Agent, rules: Rules, seed: int, num_deals: int, block_deals: int, tell: Tell
) -> Gains:
    """Return what ``responder`` gains in every seat; the arguments are those of `count_units`."""
    seats = range(rules.num_players)
    tables = (response_seatings(responder, profile, len(seats)), [([profile] * len(seats), seats)])
    won, own = (count_units(some, rules, seed, num_deals, block_deals, tell) for some in tables)
    return gains_of(won, own, rules)


def count_units(
    seatings: Sequence[Seating], rules: Rules, seed: int, num_deals: int, block_deals: int, tell: Tell
) -> Array:
    """Play the same deals at every table, and return units won and hands, int64 ``(2, num_blocks, P, P)``.

    The last two axes are the seat that counts, and its position: so many seats to the left of the dealer of the
    episode's first hand.

    Args:
        seatings: the tables; every seat counts at one of them.
        rules: the rules of the game.
        seed: of the deals and of the agents' random numbers.
        num_deals: deals, played once at each table.
        block_deals: deals in a block.
        tell: called after each chunk of games.

    Raises:
        AgentFailedError: an agent did not choose a legal move: what that costs it is no gain of a response.
    """
    num_players = rules.num_players
    rows = [counted(rules).index(name) for name in COUNTED]
    units = np.zeros((len(rows), -(-num_deals // block_deals), num_players, num_players), np.int64)
    for first in range(0, num_deals, CHUNK):
        deals = np.arange(first, min(first + CHUNK, num_deals))
        dealt = Batch(rules, len(deals), seed, copy=False, first_slot=first).states
        dealers = dealt["dealer"].astype(np.int64)
        for number, (agents, seats) in enumerate(seatings):
            counts = play_table(agents, rules, seed, Span(first, len(deals)), number)
            for seat in seats:
                where: Any = (deals // block_deals, seat, (seat - dealers) % num_players)
                for row, index in enumerate(rows):
                    np.add.at(units[row], where, counts[:, index, seat])
            tell(len(deals))
    return units


def play_table(agents: Sequence[Agent], rules: Rules, seed: int, span: Span, number: int) -> Array:
    """Return what `play_deals` counts at one of several tables.

    Raises:
        AgentFailedError: an agent did not choose a legal move.
    """
    referee = Referee()
    sitting = Sitting(tuple(agents), tuple(range(len(agents))), number=number)
    counts = play_deals(rules, sitting, seed, span, referee)
    for fault in referee.faults:
        names = [writable(agent.name) for agent in agents]
        deal = fault.place.deal
        raise AgentFailedError(names, fault.seat, deal, fault.problem, fault.position, fault.legal)
    return counts


def payoff(units: Array, rules: Rules) -> Estimate:
    """Return what was won per hand, in all seats together, of `count_units`."""
    tops, bottoms = units.sum(axis=(2, 3))
    estimate = ratio(tops, bottoms, game_of(rules).units)
    assert estimate is not None, "an episode has a hand"
    return estimate


def gains_of(response: Array, profile: Array, rules: Rules) -> Gains:
    """Return the gains that two results of `count_units` on the same deals show."""
    both = np.stack([response, profile])
    by_seat, by_position = both.sum(axis=4), both.sum(axis=3)
    everybody = range(rules.num_players)
    # On a few deals some position may not come up at all.
    seen = [] if has_several_hands(rules) else [place for place in everybody if by_position[..., place].any()]
    return Gains(
        _gain("all seats", by_seat.sum(axis=3), rules),
        tuple(_gain(f"seat {seat}", by_seat[..., seat], rules) for seat in everybody),
        tuple(_gain(position_name(place), by_position[..., place], rules) for place in seen),
    )


def has_several_hands(rules: Rules) -> bool:
    """Return whether an episode may have more than one hand, each with a dealer of its own (K2.2, N2.1)."""
    return 1 not in (getattr(rules, "num_hands", None), getattr(rules, "num_deals", None))


def position_name(place: int) -> str:
    """Return what a position is called.

    >>> [position_name(place) for place in range(3)]
    ['dealer', 'dealer + 1', 'dealer + 2']
    """
    return f"dealer + {place}" if place else "dealer"


def _gain(where: str, both: Array, rules: Rules) -> Gain:
    """Return the gain in ``both``, int64 ``(2, 2, n)``: response and profile, units and hands, blocks."""
    scale = game_of(rules).units
    response, profile = (ratio(tops, bottoms, scale) for tops, bottoms in both)
    assert response is not None
    assert profile is not None
    gain = minus(moves_of(both[0], scale), moves_of(both[1], scale), CONFIDENCE)
    return Gain(where, response, profile, gain)
