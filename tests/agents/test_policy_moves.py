"""Trained agents of Kunken, and the head that scores moves by what they are."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import kuns_agents
from agent_files import rewrite
from kuns_agents import AgentError
from kuns_agents.move_features import move_features
from kuns_agents.policy import PolicyAgent
from kuns_env import Batch, KunkenRules, KunsRules
from kuns_env.engine.game import game_of

DUEL = KunsRules.duel()
KUNKEN = KunkenRules.mini()


def kunken_layers(num_out, seed=1):
    return layers_like([game_of(KUNKEN).encoder("table").shape[0], 8, num_out], seed)


def move_layers(num_out=7, seed=2):
    return layers_like([move_features("kunken").layout.size, 5, num_out], seed)


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


def test_moves_are_scored_by_what_they_are(tmp_path):
    """The number of a move is the product of two vectors, plus its own number."""
    trunk, of_moves = kunken_layers(6), move_layers()
    agent = PolicyAgent(trunk, "relu", KUNKEN, move_layers=of_moves)
    views = Batch(KUNKEN, 16, seed=3).views()
    observations = views.observations()

    def run(x, layers):
        for i, (weights, biases) in enumerate(layers):
            x = (np.maximum(x, 0) if i else x) @ weights + biases
        return x

    vectors, moves = run(observations, trunk), run(move_features("kunken").rows, of_moves)
    wanted = vectors @ moves[:, :-1].T + moves[:, -1]
    np.testing.assert_allclose(agent.logits(observations), wanted, rtol=1e-3, atol=1e-3)
    agent.save(tmp_path / "agent.npz")
    again = kuns_agents.load(tmp_path)
    assert len(again.network.move_layers) == 2
    assert (again.policy(views) == agent.policy(views)).all()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"move_layers": move_layers(6)},
            "move layers end in 6 numbers and the network in 6: must be one more",
        ),
        ({"move_layers": move_layers()[1:]}, "move layer 0 reads 5 numbers and is given 83"),
        ({"move_layers": [None]}, "layer 0 is of type NoneType"),
        ({"rules": DUEL}, "layer 0 reads|moves of 'kuns' have no features"),
    ],
)
def test_move_layers_that_do_not_fit_are_refused(change, message):
    with pytest.raises(AgentError, match=message):
        PolicyAgent(
            **{
                "layers": kunken_layers(6),
                "activation": "relu",
                "rules": KUNKEN,
                "move_layers": move_layers(),
            }
            | change
        )


def test_a_file_of_another_head_or_other_move_features_is_named(tmp_path):
    path = tmp_path / kuns_agents.AGENT_FILE
    PolicyAgent(kunken_layers(6), "relu", KUNKEN, move_layers=move_layers()).save(path)
    rewrite(path, move_layout=[["kind", 10]])
    with pytest.raises(
        AgentError, match=r"reads moves of 10 numbers; those of this program have 83: feature 1"
    ):
        kuns_agents.load(path)
    rewrite(path, head="convolution")
    with pytest.raises(AgentError, match=r"head is 'convolution': must be one of linear, moves"):
        kuns_agents.load(path)
