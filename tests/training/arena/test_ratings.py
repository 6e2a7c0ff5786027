"""Ratings: what they are made from, and that they follow from it alone."""

from __future__ import annotations

import importlib.util
from dataclasses import replace

import pytest

from evaluations import UNITS, duels, made_up
from kuns_agents import load
from kuns_env import KunsRules
from kuns_training.arena.luck import ValueFunction
from kuns_training.arena.ranking import ranking
from kuns_training.arena.ratings import games, ratings
from kuns_training.arena.schedule import Match
from kuns_training.arena.statistics import GRAIN, LUCK, counted
from kuns_training.evaluate import evaluate

openskill = pytest.importorskip("openskill.models")


def test_games_are_blocks_one_after_the_other_in_the_order_of_the_schedule() -> None:
    won = duels({(0, 1): [1, -1], (0, 2): [2, 0], (1, 2): [-3, 5]})
    assert list(games(made_up(won, 3))) == [
        ((0, 1), [0, 1]),
        ((0, 2), [0, 1]),
        ((1, 2), [1, 0]),
        ((0, 1), [1, 0]),
        ((0, 2), [0, 0]),  # equals
        ((1, 2), [0, 1]),
    ]


def test_matches_of_the_same_agents_are_one_game() -> None:
    """One of a among b, and one of b among a, at tables of three."""
    won = {0: {0: [1, 1, -2]}, 1: {1: [0, 2, -2]}}
    assert list(games(made_up(won, 2, 3))) == [((0, 1), places) for places in ([0, 1], [1, 0], [0, 0])]


def test_a_match_in_which_not_all_are_measured_is_no_game() -> None:
    won = {0: {0: [1, 1]}}
    assert list(games(made_up(won, 2, 3, matches=[Match(((0, 1, 1),), (0,))]))) == []


def test_a_table_is_ranked_as_a_whole() -> None:
    won = {0: {0: [1, 5], 1: [1, -6], 2: [-2, 1]}}
    assert list(games(made_up(won, 3, 3))) == [((0, 1, 2), [0, 0, 2]), ((0, 1, 2), [0, 2, 1])]


def test_ratings_are_those_of_openskill_game_by_game() -> None:
    won = {0: {0: [1, 5], 1: [1, -6], 2: [-2, 1]}}
    found = ratings(made_up(won, 3, 3))
    model = openskill.PlackettLuce()
    a, b, c = model.rating(), model.rating(), model.rating()
    [[a], [b], [c]] = model.rate([[a], [b], [c]], ranks=[1, 1, 3])
    [[a], [c], [b]] = model.rate([[a], [c], [b]], ranks=[1, 2, 3])
    assert found is not None
    assert [(each.agent, each.mu, each.sigma, each.num_games) for each in found] == [
        (name, round(each.mu, 4), round(each.sigma, 4), 2)
        for name, each in zip("abc", (a, b, c), strict=True)
    ]


def test_only_who_won_counts_and_not_how_much() -> None:
    one = made_up(duels({(0, 1): [1, -1, 3], (0, 2): [2, 1, 1], (1, 2): [3, 5, -5]}), 3)
    other = made_up(duels({(0, 1): [9, -2, 1], (0, 2): [8, 7, 7], (1, 2): [1, 2, -9]}), 3)
    assert ratings(one) == ratings(other)
    first, *_, last = ratings(one) or ()
    assert (first.mu > last.mu, first.num_games) == (True, 6)


def test_ratings_of_real_matches_come_out_the_same_twice() -> None:
    agents = [load(name) for name in ("equity", "call", "fold", "random")]
    found = [ratings(evaluate(agents, KunsRules.duel(), 60, seed=3)) for _ in range(2)]
    assert found[0] == found[1]
    assert found[0] is not None
    assert min(found[0], key=lambda each: each.mu).agent == "fold"


def test_luck_is_taken_out_where_it_is_taken_out_of_all() -> None:
    found = made_up(duels({(0, 1): [1, -1]}), 2)
    luck = counted(found.rules).index(LUCK)
    for agent, sign in ((0, 1), (1, -1)):
        found.sums[0][agent].blocks[:, luck] = [2 * sign * GRAIN * UNITS, 0]
    taken_out = replace(found, luck=ValueFunction("made up", ""))
    assert list(games(taken_out)) == [((0, 1), [1, 0]), ((0, 1), [1, 0])]
    assert list(games(found)) == [((0, 1), [0, 1]), ((0, 1), [1, 0])]


@pytest.mark.parametrize("luck", [False, True])
def test_tables_of_different_agents_are_games_of_all_at_a_table(luck: bool) -> None:
    agents = [load(name) for name in ("equity", "call", "fold", "random")]
    found = evaluate(agents, KunsRules.anted(3), 40, seed=3, mode="tables", block_deals=8, luck=luck)
    assert len(found.matches) == 4
    assert {len(places) for _, places in games(found)} == {3}
    rated = ratings(found)
    assert rated is not None
    assert [each.num_games for each in rated] == [15] * 4  # three tables, five blocks
    ranked = ranking(found)
    assert len(ranked.standings) == 4
    means = {result.agent: (result.adjusted or result.payoff).mean for result in found.overall}
    assert {each.agent: each.payoff.mean for each in ranked.standings} == pytest.approx(means)
    # Two agents meet the same others at tables with the other two.
    assert all(each.same_opponents is not None for each in ranked.differences)


def test_without_openskill_there_are_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert ratings(made_up({0: {0: [1, 5], 1: [1, -6], 2: [-2, 1]}}, 3, 3)) is None
