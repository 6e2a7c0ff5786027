"""Who meets whom: matches, and the seatings in which each is played."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, permutations
from math import comb
from typing import Final

import numpy as np

from kuns_env.engine.seeds import count
from kuns_env.errors import quoted

PAIRS: Final = "pairs"
TABLES: Final = "tables"
MODES: Final = (PAIRS, TABLES)
"""Two by two, or as many different agents at a table as it has seats."""

MOST_TABLES: Final = 100
"""Tables up to which all that there are are played."""
TABLES_ALLOWED: Final = 10_000
SCHEDULE_STREAM: Final = 0x746162
"""Sets the draw of the tables apart from the others that are made from the same seed."""


@dataclass(frozen=True, slots=True)
class Match:
    """Agents that meet, by index: every seating is played on every deal."""

    seatings: tuple[tuple[int, ...], ...]
    measured: tuple[int, ...]
    """The agents whose results are reported. Each sits in every seat equally often."""


def schedule(
    num_agents: int, num_players: int, mode: str | None = None, seed: int = 0, num_tables: int | None = None
) -> list[Match]:
    """Return who meets whom.

    ``pairs``: heads-up every two agents meet in both seatings; with more seats in both roles, one of the first
    among nothing but the second, in every seat. ``tables``: as many different agents as seats play at one table,
    in every rotation. All tables that there are are played, or, where they are more than `MOST_TABLES` or
    than ``num_tables``, balanced ones that are drawn: see `drawn_tables`. The order around a table is drawn, too,
    unless there is one table only.

    >>> schedule(2, 2)
    [Match(seatings=((0, 1), (1, 0)), measured=(0, 1))]
    >>> schedule(3, 3)[0].seatings
    ((0, 1, 2), (2, 0, 1), (1, 2, 0))
    >>> [match.seatings for match in schedule(2, 3)]
    [((0, 1, 1), (1, 0, 1), (1, 1, 0)), ((1, 0, 0), (0, 1, 0), (0, 0, 1))]
    >>> len(schedule(5, 3, "tables"))
    10

    Args:
        num_agents: how many there are.
        num_players: seats at a table.
        mode: None is ``tables`` where all agents fit one table, else ``pairs``.
        seed: of what is drawn.
        num_tables: the most tables that are played; None leaves it to their number.

    Raises:
        ValueError: no such mode, too few agents for a table, or tables where there are none.
    """
    mode = mode_of(num_agents, num_players, mode)
    if num_tables is not None:
        num_tables = count("num_tables", num_tables, 1, TABLES_ALLOWED)
        if mode != TABLES:
            raise ValueError(f"num_tables={num_tables}: goes with mode {TABLES!r}, not with {mode!r}")
    if mode == TABLES:
        tables = tables_of(num_agents, num_players, seed, num_tables)
        return [Match(rotations(table), tuple(sorted(table))) for table in tables]
    if num_players == 2:
        return [Match(rotations(pair), pair) for pair in combinations(range(num_agents), 2)]
    fields = [(one, *[other] * (num_players - 1)) for one, other in permutations(range(num_agents), 2)]
    return [Match(rotations(seats), seats[:1]) for seats in fields]


def mode_of(num_agents: int, num_players: int, mode: str | None) -> str:
    """Return ``mode``, or the one that is meant where it is None."""
    if mode is None:
        return TABLES if num_agents == num_players > 2 else PAIRS
    if mode not in MODES:
        raise ValueError(f"mode={quoted(mode)}: must be one of {', '.join(MODES)}")
    if mode == TABLES and num_agents < num_players:
        raise ValueError(
            f"mode={TABLES!r}: a table seats {num_players} different agents, and {num_agents} are given"
        )
    return mode


def tables_of(num_agents: int, num_players: int, seed: int, num_tables: int | None) -> list[tuple[int, ...]]:
    """Return who sits at each table, in the order around it."""
    everybody = range(num_agents)
    if num_agents == num_players:
        return [tuple(everybody)]
    rng = np.random.default_rng([SCHEDULE_STREAM, seed])
    if comb(num_agents, num_players) <= (MOST_TABLES if num_tables is None else num_tables):
        chosen = list(combinations(everybody, num_players))
    else:
        if num_tables is None:  # a multiple of their number: everybody plays equally often
            num_tables = num_agents * -(-MOST_TABLES // num_agents)
        chosen = drawn_tables(num_agents, num_players, num_tables, rng)
    return [tuple(int(agent) for agent in rng.permutation(table)) for table in chosen]


def drawn_tables(
    num_agents: int, num_players: int, num_tables: int, rng: np.random.Generator
) -> list[tuple[int, ...]]:
    """Return balanced tables: no agent plays more than once more often than another.

    Seat after seat goes to one of those that have played least, and among them to one that has met those already at
    the table least often; ties are drawn.
    """
    played = np.zeros(num_agents, np.int64)
    met = np.zeros((num_agents, num_agents), np.int64)
    tables = []
    for _ in range(num_tables):
        table: list[int] = []
        for _ in range(num_players):
            order = np.lexsort((rng.random(num_agents), met[:, table].sum(axis=1), played))
            table.append(next(int(agent) for agent in order if agent not in table))
        played[table] += 1
        met[np.ix_(table, table)] += 1
        tables.append(tuple(table))
    return tables


def rotations(seats: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """Return ``seats`` and all its rotations."""
    return tuple(seats[len(seats) - shift :] + seats[: len(seats) - shift] for shift in range(len(seats)))
