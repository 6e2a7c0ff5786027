"""Who beats whom: the same deals for both, seats exchanged, intervals far from zero."""

from __future__ import annotations

import numpy as np
import pytest

import kuns_agents
from kuns_env import Batch, KunsRules

DUEL = KunsRules.duel()
SIGMAS = 4.0
"""Half-width of the intervals, in standard errors."""

CALLERS_LOSS = 0.4176
"""Chips a hand that the best response wins from `call` in `duel()`, by an independent calculation."""


def payoffs(agents, rules, num_deals, seed, first_slot=0):
    """Return the payoffs of one episode of ``num_deals`` games, ``agents`` in their seats: ``(N, P)``."""
    batch, rng = Batch(rules, num_deals, seed=seed, first_slot=first_slot), np.random.default_rng(seed)
    total, rows = np.zeros((num_deals, rules.num_players)), np.arange(num_deals)
    while len(rows):
        views = batch.views(rows)
        chosen = np.empty(len(rows), np.int64)
        for seat, agent in enumerate(agents):
            mine = views.seats == seat
            chosen[mine] = agent.act(views[mine], rng)
        batch.step_rows(rows, chosen)
        total[rows] += batch.rewards[rows]
        rows = rows[~batch.dones[rows]]
    return total


def gain(one, other, num_deals, rules=DUEL, seed=11):
    """Return chips a hand that one agent wins from the other's, seats exchanged on every deal, and its standard error.

    With more than two seats ``one`` sits among others of the same name.
    """
    one, other = kuns_agents.load(one), kuns_agents.load(other)
    seats, scores = range(rules.num_players), np.zeros(num_deals)
    for seat in seats:
        agents = [one if each == seat else other for each in seats]
        scores += payoffs(agents, rules, num_deals, seed)[:, seat] / rules.num_players
    return scores.mean(), scores.std() / num_deals**0.5


@pytest.mark.parametrize(
    ("one", "other", "num_deals"),
    [
        ("equity", "cautious", 100_000),
        ("equity", "call", 20_000),
        ("equity", "fold", 2_000),
        ("equity", "random", 2_000),
        ("cautious", "call", 20_000),
        ("cautious", "fold", 2_000),
        ("cautious", "random", 2_000),
        ("call", "random", 2_000),
    ],
)
def test_the_order_heads_up(one, other, num_deals):
    mean, deviation = gain(one, other, num_deals)
    assert mean > SIGMAS * deviation


def test_equity_wins_as_much_from_call_as_can_be_won():
    mean, deviation = gain("equity", "call", 50_000)
    assert abs(mean - CALLERS_LOSS) < SIGMAS * deviation


@pytest.mark.parametrize(
    "rules", [KunsRules(), KunsRules.anted(4), KunsRules.anted(8)], ids=["full", "4", "8"]
)
def test_equity_wins_at_larger_tables(rules):
    for other in ("random", "call", "cautious"):
        mean, deviation = gain("equity", other, 3_000, rules)
        assert mean > SIGMAS * deviation, other


@pytest.mark.parametrize(("other", "num_deals"), [("cautious", 6_000), ("equity", 12_000), ("random", 500)])
def test_mccfr_wins_with_three(other, num_deals):
    mean, deviation = gain("mccfr-3", other, num_deals, KunsRules.anted(3))
    assert mean > SIGMAS * deviation


def test_an_agent_against_itself_wins_nothing():
    mean, deviation = gain("equity", "equity", 2_000)
    assert mean == pytest.approx(0, abs=1e-12)
    assert deviation == pytest.approx(0, abs=1e-12)
