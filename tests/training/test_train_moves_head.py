"""The head that scores legal moves one by one: the same distribution, the same agent after export."""

import numpy as np
import pytest
import torch as th

import kuns_agents
from kuns_env import KunkenRules, KunsRules
from kuns_env.engine.game import game_of
from kuns_env.kunken import moves as kunken_moves
from kuns_env.kunken.cards import TEXTS
from kuns_training.algorithms import make_env, make_model
from kuns_training.config import Config
from kuns_training.export import agent_of
from kuns_training.masking import DivergedError, SafeCategorical
from kuns_training.move_places import kunken_places, move_places
from kuns_training.moves_head import LegalMoves

ROWS, MOVES = 40, 300
SMALL = {
    "game": "kunken-mini",
    "num_games": 16,
    "hidden": [24, 16],
    "opponents": {"random": 1.0},
    "curve_points": 0,
    "warm": {"agent": ""},
    "ppo": {"batch_size": 64, "rollout_steps": 8},
    "a2c": {"rollout_steps": 4},
}


def pair(seed=0):
    """The dense distribution and the one of legal moves over the same scores, which want gradients."""
    generator = th.Generator().manual_seed(seed)
    logits = th.randn(ROWS, MOVES, generator=generator).mul_(3).requires_grad_()
    masks = (th.rand(ROWS, MOVES, generator=generator) < 0.03).int()
    masks[:, 5] = 1
    masks[0] = 0
    masks[0, 7] = 1  # a single legal move
    dense = SafeCategorical(MOVES).proba_distribution(logits)
    sparse = LegalMoves(MOVES).proba_distribution((ROWS, lambda rows, moves: logits[rows, moves]))
    dense.apply_masking(masks.numpy())
    sparse.apply_masking(masks.numpy())
    return logits, masks, dense, sparse


def test_it_is_the_distribution_over_all_moves():
    _, masks, dense, sparse = pair()
    th.testing.assert_close(sparse.probs, dense.probs)
    th.testing.assert_close(sparse.entropy(), dense.entropy())
    assert th.equal(sparse.mode(), dense.mode())
    moves = masks.float().multinomial(1).flatten()
    th.testing.assert_close(sparse.log_prob(moves), dense.log_prob(moves))


@pytest.mark.parametrize("measure", ["log_prob", "entropy"])
def test_its_gradients_are_those_of_the_distribution_over_all_moves(measure):
    found = []
    for which in (2, 3):
        drawn = pair()
        distribution = drawn[which]
        value = (
            distribution.entropy() if measure == "entropy" else distribution.log_prob(drawn[1].argmax(dim=1))
        )
        value.sum().backward()
        found.append(drawn[0].grad)
    th.testing.assert_close(*found)


def test_moves_are_drawn_with_their_probabilities_and_none_is_illegal():
    scores = th.tensor([0.0, 1.0, 9.0, -1.0])
    sparse = LegalMoves(4).proba_distribution((20_000, lambda _, moves: scores[moves]))
    sparse.apply_masking(np.tile([1, 1, 0, 1], (20_000, 1)))
    th.manual_seed(1)
    shares = th.bincount(sparse.sample(), minlength=4) / 20_000
    th.testing.assert_close(shares, sparse.probs[0], atol=0.02, rtol=0)
    assert shares[2] == 0


def test_without_masks_every_move_is_legal():
    sparse = LegalMoves(3).proba_distribution((2, lambda _, moves: moves.float()))
    th.testing.assert_close(sparse.probs, th.softmax(th.arange(3.0), 0).repeat(2, 1))
    moves, log_probs = sparse.log_prob_from_params((2, lambda _, moves: moves.float()))
    th.testing.assert_close(log_probs, sparse.log_prob(moves))


def test_mistakes_are_named():
    _, masks, _, sparse = pair()
    illegal = masks.argmin(dim=1)
    with pytest.raises(ValueError, match="an illegal move has no log probability"):
        sparse.log_prob(illegal)
    with pytest.raises(ValueError, match="the mask of row 0 allows no move"):
        sparse.apply_masking(np.zeros((ROWS, MOVES)))
    broken = LegalMoves(3).proba_distribution((1, lambda _, moves: moves / 0.0))
    with pytest.raises(DivergedError):
        broken.apply_masking(np.ones((1, 3)))


@pytest.mark.parametrize("algo", ["ppo", "a2c"])
@pytest.mark.parametrize("activation", ["relu", "tanh"])
def test_export_plays_as_torch_does(algo, activation):
    config = Config.from_dict(SMALL | {"algo": algo, "activation": activation, "total_steps": 512})
    env = make_env(config, kuns_agents.load("random"), None)
    model = make_model(config, env)
    model.learn(512, log_interval=10**9)
    th.nn.init.normal_(model.policy.action_net.bias)
    agent = agent_of(model, config, "learner")
    assert agent.network.head is not None
    rows, masks = th.tensor(env.games.observations), env.action_masks()
    wanted = model.policy.get_distribution(rows, action_masks=masks).probs.detach().numpy()
    np.testing.assert_allclose(agent.policy(env.games.views()), wanted, atol=1e-5)
    shared = agent_of(model, config, "snapshot", model.policy.state_dict())
    np.testing.assert_array_equal(shared.policy(env.games.views()), agent.policy(env.games.views()))


def test_a_snapshot_of_the_head_does_not_go_on_learning():
    config = Config.from_dict(SMALL | {"total_steps": 256})
    env = make_env(config, kuns_agents.load("random"), None)
    model = make_model(config, env)
    agent = agent_of(model, config, "learner")
    before = {
        name: getattr(agent.network.head, name).copy() for name in ("state", "moves", "local", "out", "bias")
    }
    model.learn(256, log_interval=10**9)
    assert all((getattr(agent.network.head, name) == array).all() for name, array in before.items())
    after = agent_of(model, config, "learner").network.head
    assert all((getattr(after, name) != array).any() for name, array in before.items())


def entry(layout, place):
    """The feature and the entry of a place of the observation, as text."""
    for feature in layout:
        part = layout[feature.name]
        if part.start <= place < part.stop:
            return f"{feature.name} {list(feature.entries)[place - part.start]}"
    raise AssertionError(place)


@pytest.mark.parametrize(
    ("text", "wanted", "unwanted"),
    [
        ("discard 7h", {"own 7h", "own 5h", "own 8h", "own 7c", "open_high 7h", "open_set 7h", "own *"}, {"own 7*"}),
        ("discard *", {"own *"}, {"own 2c"}),
        ("take 7h", {"top_cards 7h", "own 6h"}, {"deep_cards 7h"}),
        ("take 7h deep", {"deep_cards 7h", "deep_points 7h"}, {"top_cards 7h"}),
        ("run 3s 4s 5s", {"own 2s", "own 3s", "own 4s", "own 5s", "own 6s"}, {"own As"}),
        ("set 7c 7d *", {"own 7c", "own 7s", "own *"}, {"own 2c"}),
        ("draw", {"own *"}, {"own 2c"}),
    ],
)  # fmt: skip
def test_places_speak_of_the_move(text, wanted, unwanted):
    layout = game_of(KunkenRules()).encoder("table").layout
    places = kunken_places(layout)[kunken_moves.ALL_TEXTS.index(text)]
    found = {entry(layout, place) for place in places if place >= 0}
    assert wanted <= found
    assert not unwanted & found
    assert len(TEXTS) == layout["own"].stop - layout["own"].start


def test_other_games_moves_are_known_by_their_number():
    places = move_places(KunsRules.duel(), False)
    assert places.features.shape == (game_of(KunsRules.duel()).num_moves, 0)
    config = Config.from_dict(
        {"head": "moves", "total_steps": 256, "num_games": 16, "ppo": {"batch_size": 64}, "curve_points": 0}
    )
    env = make_env(config, kuns_agents.load("random"), None)
    model = make_model(config, env)
    model.learn(256, log_interval=10**9)
    rows, masks = th.tensor(env.games.observations), env.action_masks()
    wanted = model.policy.get_distribution(rows, action_masks=masks).probs.detach().numpy()
    np.testing.assert_allclose(agent_of(model, config, "kuns").policy(env.games.views()), wanted, atol=1e-5)
