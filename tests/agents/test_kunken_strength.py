"""Who beats whom in Kunken: the same deals for both, seats exchanged, intervals far from zero."""

from __future__ import annotations

import numpy as np
import pytest

import kuns_agents
from games import COMPILED
from kuns_env import Batch, KunkenRules

SIGMAS = 4.0
"""Half-width of the intervals, in standard errors."""

pytestmark = pytest.mark.skipif(not COMPILED, reason="thousands of deals are for compiled code")


def payoffs(agents, rules, num_deals, seed):
    """Return the payoffs of one episode of ``num_deals`` games, ``agents`` in their seats: ``(N, P)``."""
    batch, rng = Batch(rules, num_deals, seed=seed), np.random.default_rng(seed)
    total, rows = np.zeros((num_deals, rules.num_players)), np.arange(num_deals)
    while len(rows):
        views = batch.views(rows)
        chosen = np.empty(len(rows), np.int64)
        for seat, agent in enumerate(agents):
            mine = views.seats == seat
            if mine.any():
                chosen[mine] = agent.act(views[mine], rng)
        batch.step_rows(rows, chosen)
        total[rows] += batch.rewards[rows]
        rows = rows[~batch.dones[rows]]
    return total


def gain(one, other, num_deals, rules, seed=11):
    """Return what ``one`` wins a deal from ``other``s at all other seats, in every seat, and its standard error."""
    one, other = kuns_agents.load(one), kuns_agents.load(other)
    seats, scores = range(rules.num_players), np.zeros(num_deals)
    for seat in seats:
        agents = [one if each == seat else other for each in seats]
        scores += payoffs(agents, rules, num_deals, seed)[:, seat] / rules.num_players
    return scores.mean(), scores.std(ddof=1) / num_deals**0.5


@pytest.mark.parametrize(
    ("one", "other", "rules", "num_deals", "least"),
    [
        ("greedy", "random", KunkenRules(), 200, 30),
        ("thrifty", "greedy", KunkenRules(), 600, 25),
        ("thrifty", "greedy", KunkenRules.mini(), 600, 5),
        ("thrifty", "greedy", KunkenRules(num_players=3), 300, 15),
        ("thrifty", "greedy", KunkenRules(settlement="win"), 600, 0),
        ("thrifty", "greedy", KunkenRules(open_from_stock=True), 400, 20),
    ],
    ids=["greedy", "two players", "mini", "three players", "win", "open from stock"],
)
def test_who_beats_whom(one, other, rules, num_deals, least):
    mean, error = gain(one, other, num_deals, rules)
    assert mean - SIGMAS * error > least


@pytest.mark.slow
def test_thrifty_beats_greedy_over_20_000_deals():
    mean, error = gain("thrifty", "greedy", 20_000, KunkenRules())
    assert mean - SIGMAS * error > 40


def test_an_agent_wins_nothing_from_itself():
    mean, error = gain("greedy", "greedy", 100, KunkenRules())
    assert mean == pytest.approx(0, abs=1e-9)
    assert error == pytest.approx(0, abs=1e-9)
