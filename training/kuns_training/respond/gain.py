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
from math import sqrt
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from kuns_env.engine.batch import Batch
from kuns_env.engine.game import Rules, game_of
from kuns_env.tallies import HANDS, PAYOFF
from kuns_training.arena.games import play_deals
from kuns_training.arena.interval import Estimate, ratio, t_quantile
from kuns_training.arena.run import CHUNK
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


def difference(tops: Array, bottoms: Array, scale: int = 1) -> Estimate:
    """Return one ratio of sums less another, with a t-interval over blocks in which both were counted.

    As `ratio`, with ``x - m * h`` of a block over all ``h`` replaced by the difference of the two; so what both have
    in common, such as the luck of the deals, takes no part.

    Args:
        tops: what was counted in each block, int64 ``(2, n)``: the minuend, the subtrahend.
        bottoms: what it is counted by, int64 ``(2, n)``; the sum of each row is above 0.
        scale: how many of the units above make one.
    """
    sums = bottoms.sum(axis=1)
    means = tops.sum(axis=1) / (scale * sums)
    residuals = (tops / scale - means[:, None] * bottoms) / sums[:, None]
    num_blocks = tops.shape[1]
    spread = float(((residuals[0] - residuals[1]) ** 2).sum())
    error = sqrt(num_blocks / (num_blocks - 1) * spread)
    mean, half = float(means[0] - means[1]), t_quantile(num_blocks - 1) * error
    return Estimate(mean, mean - half, mean + half, error, int(sums[0]), num_blocks)


def response_seatings(responder: Agent, profile: Agent, num_players: int) -> list[Seating]:
    """Return the ``num_players`` tables of a response: it sits in one seat, the profile in all others."""
    return [
        ([responder if seat == own else profile for seat in range(num_players)], (own,))
        for own in range(num_players)
    ]


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
    """
    num_players = rules.num_players
    rows = [counted(rules).index(name) for name in COUNTED]
    units = np.zeros((len(rows), -(-num_deals // block_deals), num_players, num_players), np.int64)
    for first in range(0, num_deals, CHUNK):
        deals = np.arange(first, min(first + CHUNK, num_deals))
        dealt = Batch(rules, len(deals), seed, copy=False, first_slot=first).states
        dealers = dealt["dealer"].astype(np.int64)
        for sitting, (agents, seats) in enumerate(seatings):
            named = [(agent.name, agent) for agent in agents]
            counts = play_deals(rules, named, seed, first, len(deals), sitting)
            for seat in seats:
                where: Any = (deals // block_deals, seat, (seat - dealers) % num_players)
                for row, index in enumerate(rows):
                    np.add.at(units[row], where, counts[:, index, seat])
            tell(len(deals))
    return units


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
    return Gain(where, response, profile, difference(both[:, 0], both[:, 1], scale))
