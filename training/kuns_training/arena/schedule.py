"""Who meets whom: matches, and the seatings in which each is played."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, permutations


@dataclass(frozen=True, slots=True)
class Match:
    """Agents that meet, by index: every seating is played on every deal."""

    seatings: tuple[tuple[int, ...], ...]
    measured: tuple[int, ...]
    """The agents whose results are reported. Each sits in every seat equally often."""


def schedule(num_agents: int, num_players: int) -> list[Match]:
    """Return who meets whom.

    Heads-up every two agents meet in both seatings. With more seats, as many agents as seats play at one
    table, in every rotation; any other number of agents meet two by two, in both roles: one of the first
    among nothing but the second, in every seat.

    >>> schedule(2, 2)
    [Match(seatings=((0, 1), (1, 0)), measured=(0, 1))]
    >>> schedule(3, 3)[0].seatings
    ((0, 1, 2), (2, 0, 1), (1, 2, 0))
    >>> [match.seatings for match in schedule(2, 3)]
    [((0, 1, 1), (1, 0, 1), (1, 1, 0)), ((1, 0, 0), (0, 1, 0), (0, 0, 1))]
    """
    if num_players == 2:
        return [Match(rotations(pair), pair) for pair in combinations(range(num_agents), 2)]
    if num_agents == num_players:
        table = tuple(range(num_agents))
        return [Match(rotations(table), table)]
    fields = [(one, *[other] * (num_players - 1)) for one, other in permutations(range(num_agents), 2)]
    return [Match(rotations(seats), seats[:1]) for seats in fields]


def rotations(seats: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """Return ``seats`` and all its rotations."""
    return tuple(seats[len(seats) - shift :] + seats[: len(seats) - shift] for shift in range(len(seats)))
