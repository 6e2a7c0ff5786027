"""Trained agents of Kunken, and the head that scores moves by what they are."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import kuns_agents
from agent_files import rewrite
from kuns_agents import AgentError
from kuns_agents.network_file import Head
from kuns_agents.policy import PolicyAgent
from kuns_env import Batch, KunkenRules, KunsRules
from kuns_env.engine.game import game_of

DUEL = KunsRules.duel()
KUNKEN = KunkenRules.mini()


def kunken_layers(num_out, seed=1):
    return layers_like([game_of(KUNKEN).encoder("table").shape[0], 8, num_out], seed)


def head(**changes):
    """A head of five units that reads six numbers, and three places of the observation for each move."""
    game = game_of(KUNKEN)
    rng = np.random.default_rng(2)
    shapes = {"state": (6, 5), "moves": (game.num_moves, 5), "local": (3, 5), "out": (5,)}
    arrays = {name: rng.standard_normal(shape).astype(np.float32) for name, shape in shapes.items()}
    arrays["bias"] = rng.standard_normal(game.num_moves).astype(np.float32)
    arrays["places"] = rng.integers(-1, game.encoder("table").shape[0], (game.num_moves, 3)).astype(np.int16)
    return Head(**arrays | changes)


def layers_like(sizes, seed):
    rng = np.random.default_rng(seed)
    return [
        (rng.standard_normal((i, o)).astype(np.float32), rng.standard_normal(o).astype(np.float32))
        for i, o in pairwise(sizes)
    ]


def test_a_policy_of_kunken_plays_kunken():
    agent = PolicyAgent(kunken_layers(game_of(KUNKEN).num_moves), "relu", KUNKEN)
    views = Batch(KUNKEN, 32, seed=3).views()
    moves = agent.act(views, np.random.default_rng(0))
    assert views.masks[np.arange(32), moves].all()
    # Of the rules of Kunken only the number of players changes what is observed.
    assert agent.supports(KunkenRules(joker_swap=True)) is None
    assert "not for num_players=3" in agent.supports(KunkenRules(num_players=3))
    assert agent.supports(DUEL) == "agent 'policy' was trained for kunken, not for kuns"


def slow_scores(observations, trunk, scorer, activation):
    """The definition of `Head`, a move at a time."""
    x = observations
    for weights, biases in trunk:
        x = activation(x @ weights + biases)
    out = np.zeros((len(x), len(scorer.bias)))
    for move in range(out.shape[1]):
        hidden = x @ scorer.state + scorer.moves[move]
        for column, place in enumerate(scorer.places[move]):
            if place >= 0:
                hidden = hidden + observations[:, [place]] * scorer.local[column]
        out[:, move] = activation(hidden) @ scorer.out + scorer.bias[move]
    return out


@pytest.mark.parametrize("activation", ["relu", "tanh"])
def test_moves_are_scored_by_what_they_are(tmp_path, activation):
    trunk = kunken_layers(6)
    agent = PolicyAgent(trunk, activation, KUNKEN, head=head())
    views = Batch(KUNKEN, 16, seed=3).views()
    observations = views.observations()
    wanted = slow_scores(
        observations, trunk, head(), {"relu": lambda x: np.maximum(x, 0), "tanh": np.tanh}[activation]
    )
    np.testing.assert_allclose(agent.logits(observations), wanted, rtol=1e-3, atol=1e-3)
    legal = views.masks > 0
    np.testing.assert_allclose(
        agent.logits(observations, views.masks)[legal], wanted[legal], rtol=1e-3, atol=1e-3
    )
    agent.save(tmp_path / "agent.npz")
    again = kuns_agents.load(tmp_path)
    assert (again.network.head.places == head().places).all()
    assert (again.policy(views) == agent.policy(views)).all()


def test_moves_are_drawn_with_the_probabilities_of_the_policy():
    small = head(out=head().out / 20, bias=head().bias / 20)
    agent = PolicyAgent(kunken_layers(6), "tanh", KUNKEN, head=small)
    batch = Batch(KUNKEN, 1, seed=3)
    batch.step(batch.masks.argmax(axis=1))  # a draw: now any card may go
    views = batch.views()[np.zeros(20_000, np.int64)]
    shares = np.bincount(agent.act(views, np.random.default_rng(1)), minlength=990) / len(views)
    np.testing.assert_allclose(shares, agent.policy(views[:1])[0], atol=0.02)
    best = PolicyAgent(kunken_layers(6), "tanh", KUNKEN, head=small, greedy=True)
    assert (best.act(views[:5], np.random.default_rng(1)) == best.policy(views[:1])[0].argmax()).all()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"head": head(out=np.zeros(4, np.float32))},
            r"head's state has the shape \(6, 5\): must be \(6, 4\)",
        ),
        ({"head": head(bias=np.zeros(8, np.float32))}, r"head's bias has the shape \(8,\): must be \(990,\)"),
        ({"head": head(places=np.full((990, 3), 9_999, np.int16))}, "looks at places beyond the"),
        ({"layers": kunken_layers(7)}, r"head's state has the shape \(6, 5\): must be \(7, 5\)"),
        ({"rules": DUEL}, "layer 0 reads"),
    ],
)
def test_a_head_that_does_not_fit_is_refused(change, message):
    with pytest.raises(AgentError, match=message):
        PolicyAgent(
            **{"layers": kunken_layers(6), "activation": "relu", "rules": KUNKEN, "head": head()} | change
        )


def test_a_file_of_another_head_is_named(tmp_path):
    path = tmp_path / kuns_agents.AGENT_FILE
    PolicyAgent(kunken_layers(6), "relu", KUNKEN, head=head()).save(path)
    rewrite(path, head="convolution")
    with pytest.raises(AgentError, match=r"head is 'convolution': must be one of linear, moves"):
        kuns_agents.load(path)
