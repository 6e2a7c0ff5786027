"""Who meets whom: every agent equally often, in every seat equally often, and fixed before play."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from math import comb
from typing import Any

import pytest

from kuns_agents import load
from kuns_env import KunsRules
from kuns_training.arena.schedule import MOST_TABLES, TABLES, schedule
from kuns_training.evaluate import evaluate
from stub_agents import by_cards


def seats_of(matches: Any) -> Counter[tuple[int, int]]:
    """How often each agent sits in each seat."""
    return Counter(
        (agent, seat) for match in matches for seats in match.seatings for seat, agent in enumerate(seats)
    )


@pytest.mark.parametrize(("num_agents", "num_players"), [(3, 2), (5, 3), (6, 4), (8, 8), (4, 3), (9, 8)])
def test_few_tables_are_all_played(num_agents: int, num_players: int) -> None:
    matches = schedule(num_agents, num_players, TABLES, seed=5)
    assert len(matches) == comb(num_agents, num_players)
    assert {match.measured for match in matches} == set(combinations(range(num_agents), num_players))
    for match in matches:
        assert {tuple(sorted(seats)) for seats in match.seatings} == {match.measured}
        assert len(set(match.seatings)) == num_players
    assert len(set(seats_of(matches).values())) == 1
    assert len(seats_of(matches)) == num_agents * num_players


@pytest.mark.parametrize(
    ("num_agents", "num_players", "num_tables"),
    [(20, 3, None), (11, 5, None), (30, 2, None), (64, 8, None), (10, 4, 25), (7, 4, 3), (12, 8, 1)],
)
def test_many_tables_are_drawn_and_balanced(
    num_agents: int, num_players: int, num_tables: int | None
) -> None:
    matches = schedule(num_agents, num_players, TABLES, seed=5, num_tables=num_tables)
    assert all(len(set(seats)) == num_players for match in matches for seats in match.seatings)
    counts = seats_of(matches)
    often = [counts[agent, seat] for agent in range(num_agents) for seat in range(num_players)]
    if num_tables is None:
        assert MOST_TABLES <= len(matches) < MOST_TABLES + num_agents
        assert len(set(often)) == 1
    else:
        assert len(matches) == num_tables
        assert max(often) - min(often) <= 1
    # As often in one seat as in another, exactly.
    for agent in range(num_agents):
        assert len({counts[agent, seat] for seat in range(num_players)}) == 1


def test_drawn_tables_mix_who_meets_whom() -> None:
    met: Counter[tuple[int, ...]] = Counter()
    matches = schedule(12, 4, TABLES, seed=1)
    for match in matches:
        met.update(combinations(match.measured, 2))
    assert len(met) == comb(12, 2)
    assert max(met.values()) - min(met.values()) <= 4


def test_the_seed_draws_tables_and_the_order_around_them() -> None:
    assert schedule(20, 4, TABLES, seed=1) == schedule(20, 4, TABLES, seed=1)
    assert schedule(20, 4, TABLES, seed=1) != schedule(20, 4, TABLES, seed=2)
    assert schedule(5, 4, TABLES, seed=1) != schedule(5, 4, TABLES, seed=2)
    lefts = Counter(
        seats[(seats.index(0) + 1) % 4]
        for match in schedule(6, 4, TABLES, seed=1)
        for seats in match.seatings
        if 0 in seats
    )
    assert set(lefts) >= {1, 5}  # in ascending order it would never be 5


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ((3, 4, "tables"), "a table seats 4 different agents, and 3 are given"),
        ((3, 2, "knockout"), "mode='knockout': must be one of pairs, tables"),
        ((5, 3, None, 0, 4), "num_tables=4: goes with mode 'tables', not with 'pairs'"),
        ((5, 3, "tables", 0, 0), "num_tables=0"),
        ((5, 3, "tables", 0, 2.5), "num_tables=2.5"),
    ],
)
def test_what_does_not_go_together_is_refused(args: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        schedule(*args)


def test_tables_in_an_evaluation() -> None:
    rules = KunsRules.anted(3)
    found = evaluate([by_cards(1), by_cards(2), by_cards(3), load("fold")], rules, 30, 2, mode=TABLES)
    assert found.mode == TABLES
    assert len(found.matches) == 4
    assert found.num_hands == 4 * 3 * 30
    assert len(found.results) == 4 * 3
    assert [result.agent for result in found.overall] == ["cards 1", "cards 2", "cards 3", "fold"]
    for result in found.overall:
        assert len(result.opponents) == 3
        assert result.payoff.count == 3 * 3 * 30
    assert sum(result.payoff.mean for result in found.overall) == pytest.approx(0, abs=1e-12)
