"""What the agents of Kunken have in common: legal, deterministic, batched, blind to what is hidden."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

import kuns_agents
from games import SMALL
from kunken_play import kunken_rules
from kuns_env import Batch, KunkenRules, KunsRules, Table, Views
from kuns_env.kunken.state import ACQUIRE, OWE, PLAY

NAMES = kuns_agents.NAMES_OF["kunken"]
RULES = [name for name in ("greedy", "thrifty") if name in NAMES]
SEATS = range(2, 6)


def views_of_play(rules, seed, names=("random", *RULES), num_games=8, steps=60):
    """Yield the views of games in which agents take turns at every seat: positions of every kind."""
    batch, rng = Batch(rules, num_games, seed=seed), np.random.default_rng(seed)
    agents = [kuns_agents.load(name) for name in names]
    for step in range(steps):
        views = batch.views()
        yield views
        batch.step(agents[(seed + step // 7) % len(agents)].act(views, rng))


@given(kunken_rules(), SMALL)
@settings(max_examples=25)
def test_every_move_is_legal_under_all_rules(rules, seed):
    agents = [kuns_agents.load(name) for name in RULES]
    assert [agent.supports(rules) for agent in agents] == [None] * len(agents)
    for views in views_of_play(rules, seed):
        for agent in agents:
            chosen = agent.act(views, np.random.default_rng(0))
            assert chosen.dtype == np.int64
            assert views.masks[np.arange(len(views)), chosen].all(), agent.name
            policy = agent.policy(views)
            assert (policy.sum(axis=1) == 1).all()
            assert (policy[np.arange(len(views)), chosen] == 1).all()


@given(kunken_rules(), SMALL)
@settings(max_examples=10)
def test_a_batch_is_its_single_views(rules, seed):
    views = list(views_of_play(rules, seed, steps=50))[-1]
    for name in RULES:
        agent = kuns_agents.load(name)
        together = agent.act(views, np.random.default_rng(0)).tolist()
        singles = [agent.act(views[row : row + 1], np.random.default_rng(0)) for row in range(len(views))]
        assert [int(moves[0]) for moves in singles] == together
        assert agent.act(views[::2], np.random.default_rng(0)).tolist() == together[::2]


@given(kunken_rules(), SMALL)
@settings(max_examples=25)
def test_hidden_cards_change_nothing(rules, seed):
    """Paired worlds: the seat cannot tell them apart, so no agent plays otherwise."""
    table, rng = Table(rules, seed=seed), np.random.default_rng(seed)
    agents = [kuns_agents.load(name) for name in RULES]
    for step in range(40):
        if table.is_over:
            return
        seat = table.to_play
        view = table.view(seat).views()
        chosen = [int(agent.act(view, rng)[0]) for agent in agents]
        if step % 5 == 0:
            world = table.determinize(seat, np.random.default_rng(seed + step))
            assert [int(agent.act(world.view(seat).views(), rng)[0]) for agent in agents] == chosen
        table.apply(chosen[step % len(agents)] if rng.random() < 0.7 else rng.choice(table.legal_moves()))


@given(SMALL)
@settings(max_examples=10)
def test_what_is_redacted_is_not_read(seed):
    """Other hands and the stock filled with anything: the same moves."""
    rng = np.random.default_rng(seed)
    for views in views_of_play(KunkenRules(num_players=3), seed, steps=40):
        spoiled = views.records.copy()
        others = np.arange(spoiled["one"].shape[1]) != views.seats[:, None]
        for name in ("one", "two", "dealt_one", "dealt_two"):
            spoiled[name][others] = rng.integers(0, 1 << 53, size=int(others.sum()))
        spoiled["stock"] = rng.integers(0, 53, size=spoiled["stock"].shape)
        spoiled["drawn"] = 7
        spoiled["key"] = 12345
        anything = Views(views.rules, views.seats, spoiled, views.masks, views.games)
        for name in RULES:
            agent = kuns_agents.load(name)
            assert (agent.choose(anything) == agent.choose(views)).all()


@pytest.mark.parametrize("name", RULES)
def test_the_same_deals_give_the_same_moves_and_nothing_is_drawn(name):
    played, rng = [], np.random.default_rng(4)
    before = rng.bit_generator.state
    for _ in range(2):
        batch, agent = Batch(KunkenRules(), 50, seed=3), kuns_agents.load(name)
        for _ in range(60):
            batch.step(agent.act(batch.views(), rng))
        played.append(batch._states.tobytes())
    assert played[0] == played[1]
    assert rng.bit_generator.state == before


def test_who_plays_what():
    assert NAMES[:3] == ("random", "greedy", "thrifty")
    for name in RULES:
        agent = kuns_agents.load(name)
        assert agent.supports(KunsRules()) == f"agent {name!r} plays Kunken, not kuns"
        with pytest.raises(kuns_agents.AgentError, match=f"agent {name!r} plays Kunken, not kuns"):
            agent.act(Batch(KunsRules(), 2, seed=1).views(), np.random.default_rng(0))
    for name in ("call", "fold", "cautious", "equity"):
        assert kuns_agents.load(name).supports(KunkenRules()) == f"agent {name!r} plays Kuns, not kunken"
    assert kuns_agents.load("random").supports(KunkenRules()) is None


def test_decisions_of_every_kind_were_looked_at():
    phases = {
        int(p) for views in views_of_play(KunkenRules.mini(), 1, num_games=64) for p in views.records["phase"]
    }
    assert phases == {ACQUIRE, OWE, PLAY}
