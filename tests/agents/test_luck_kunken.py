"""Luck in Kunken: over all cards that the stock may give next, its mean is 0."""

from __future__ import annotations

import numpy as np
import pytest

from kuns_agents import load
from kuns_agents.luck.kunken import KunkenLuck, kunken_luck
from kuns_agents.luck.protocol import FAILED
from kuns_env import Batch, KunkenRules
from kuns_env.kunken.moves import DRAW

RULES = {
    "two": KunkenRules(),
    "three, wins": KunkenRules(num_players=3, settlement="win"),
    "four, points": KunkenRules.mini(num_players=4, settlement="points"),
}


def draws(rules: KunkenRules, num_steps: int = 60) -> np.ndarray:
    """Return records of random games in which a card can be drawn."""
    batch, agent, rng = Batch(rules, 20, seed=3), load("random"), np.random.default_rng(3)
    found = []
    for _ in range(num_steps):
        found.append(
            batch.states[
                (batch.masks[:, DRAW] == 1) & (batch.states["stock_next"] < batch.states["num_stock"])
            ]
        )
        batch.step(agent.act(batch.views(), rng))
    return np.concatenate(found)


@pytest.mark.parametrize("name", RULES)
def test_mean_over_the_next_card_is_zero(name: str) -> None:
    rules = RULES[name]
    states = draws(rules)
    states = states[:: max(1, len(states) // 60)]
    assert states["opened"].any()
    for state in states:
        first, end = int(state["stock_next"]), int(state["num_stock"])
        others = np.repeat(np.array([state]), end - first)
        for row in range(end - first):  # each card that is left comes next
            card = others["stock"][row, first + row]
            others["stock"][row, first + row] = others["stock"][row, first]
            others["stock"][row, first] = card
        terms = kunken_luck(rules).terms(others, np.full(len(others), DRAW), None)
        assert terms.mean(axis=0) == pytest.approx(np.zeros(rules.num_players), abs=1e-11)
        assert terms.sum(axis=1) == pytest.approx(np.zeros(len(terms)), abs=1e-11)
        assert len(others) == 1 or np.ptp(terms[:, int(state["seat"])]) > 0


def test_only_draws_count() -> None:
    rules = RULES["two"]
    states = draws(rules)[:50]
    luck = kunken_luck(rules)
    assert not luck.terms(states, np.full(len(states), FAILED), None).any()
    assert not luck.terms(states, np.full(len(states), DRAW + 1), None).any()
    empty = states.copy()
    empty["stock_next"] = empty["num_stock"]
    assert not luck.terms(empty, np.full(len(states), DRAW), None).any()


def test_a_joker_is_worth_most() -> None:
    rules = RULES["two"]
    states = draws(rules)
    terms = kunken_luck(rules).terms(states, np.full(len(states), DRAW), None)
    rows = np.arange(len(states))
    own, cards = terms[rows, states["seat"]], states["stock"][rows, states["stock_next"]]
    assert (cards == 52).any()
    assert own[cards == 52].min() > np.median(own)
    assert own[cards == 52].mean() > 15


def test_hash_follows_the_settlement() -> None:
    assert len({KunkenLuck(rules).sha256 for rules in RULES.values()}) == 3
