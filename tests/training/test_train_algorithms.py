"""Every algorithm keeps to the legal moves in training, prediction and play, and exports what it has learned."""

import numpy as np
import pytest
import torch as th
from sb3_contrib.common.maskable.evaluation import evaluate_policy as evaluate_masked
from stable_baselines3 import A2C, DQN

import kuns_agents
from kuns_env import Batch, KunsRules
from kuns_training.algorithms import make_env, make_model, reward_scale
from kuns_training.config import Config
from kuns_training.dqn import MaskedDQN, MaskedReplayBuffer
from kuns_training.evaluate import evaluate
from kuns_training.export import agent_of, layers_of
from kuns_training.train import train
from kuns_training.vec_env import KunsVecEnv

ALGORITHMS = ["ppo", "a2c", "dqn"]
RULES = [
    {"game": "kuns-duel"},
    {"game": "kuns", "rules": {"num_players": 3}},
    {"game": "kuns-anted", "pad": True},
]
SMALL = {
    "num_games": 32,
    "hidden": [24, 16],
    "opponents": {"random": 1.0},
    "curve_points": 0,
    "torch_threads": 1,
    "ppo": {"batch_size": 128, "rollout_steps": 8},
    "dqn": {"buffer_size": 2_048, "learning_starts": 256, "batch_size": 64, "target_every": 256},
}


@pytest.fixture(autouse=True)
def _one_thread():
    threads = th.get_num_threads()
    th.set_num_threads(1)  # networks this small only wait for a second one
    yield
    th.set_num_threads(threads)


class StrictEnv(KunsVecEnv):
    """Says which moves were asked for, and that each was legal."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.seen = 0

    def step_async(self, actions):
        assert self.action_masks()[np.arange(self.num_envs), actions].all()
        self.seen += len(actions)
        super().step_async(actions)


def made(algo, steps=1_024, **changes):
    config = Config.from_dict(SMALL | {"algo": algo, "total_steps": steps} | changes)
    env = make_env(config, kuns_agents.load("random"), None, StrictEnv)
    model = make_model(config, env)
    model.learn(steps, log_interval=10**9)
    return config, env, model


@pytest.mark.parametrize("changes", RULES, ids=["duel", "full-3", "padded-4"])
@pytest.mark.parametrize("algo", ALGORITHMS)
def test_masks_hold_in_training_prediction_and_play(algo, changes):
    config, env, model = made(algo, **changes)
    assert env.seen >= 1_024
    for deterministic in (True, False):
        for _ in range(20):
            masks = env.action_masks()
            moves, _ = model.predict(env.games.observations, action_masks=masks, deterministic=deterministic)
            assert masks[np.arange(len(moves)), moves].all()
            env.step(moves)
    agent = agent_of(model, config, "learner")
    found = evaluate([agent, kuns_agents.load("random")], config.make_rules(), 50, 1)
    assert not found.disqualifications


@pytest.mark.parametrize("algo", ALGORITHMS)
def test_export_gives_the_logits_of_torch(algo):
    config, env, model = made(algo, activation="tanh" if algo == "a2c" else "relu")
    observations = env.games.observations
    agent = agent_of(model, config, "learner")
    with th.no_grad():
        rows = th.tensor(observations)
        if algo == "dqn":
            expected = model.q_net(rows)
        else:
            expected = model.policy.action_net(model.policy.mlp_extractor.forward_actor(rows))
    np.testing.assert_allclose(agent.logits(observations), expected.numpy(), atol=1e-5)
    assert agent.greedy == (algo == "dqn")
    if algo != "dqn":
        probs = model.policy.get_distribution(rows, action_masks=env.action_masks()).probs
        np.testing.assert_allclose(agent.policy(env.games.views()), probs.detach().numpy(), atol=1e-5)


def test_a_snapshot_does_not_go_on_learning():
    _, _, model = made("ppo")
    before = layers_of(model)
    kept = [weights.copy() for weights, _ in before]
    model.learn(1_024)
    assert all((weights == copy).all() for (weights, _), copy in zip(before, kept, strict=True))
    assert any((new != copy).any() for (new, _), copy in zip(layers_of(model), kept, strict=True))


@pytest.mark.parametrize("algo", ALGORITHMS)
def test_a_saved_agent_plays_without_torch_objects(algo, tmp_path):
    config = Config.from_dict(SMALL | {"algo": algo, "total_steps": 1_024})
    agent = kuns_agents.load(train(config, tmp_path))
    assert agent.name == f"{algo}-1"
    batch = Batch(KunsRules.duel(), 64, 1)
    rng = np.random.default_rng(0)
    for _ in range(10):
        batch.step(agent.act(batch.views(), rng))


def test_names_are_true():
    _, _, a2c = made("a2c", steps=320)
    _, _, dqn = made("dqn", steps=320)
    assert isinstance(a2c, A2C)
    assert isinstance(dqn, DQN)
    assert isinstance(a2c.policy.optimizer, th.optim.RMSprop)


def test_sb3_contribs_own_evaluation_works():
    _, env, model = made("ppo")
    returns, lengths = evaluate_masked(
        model, env, n_eval_episodes=40, return_episode_rewards=True, warn=False
    )
    assert len(returns) == len(lengths) >= 40


# --- DQN --------------------------------------------------------------------------------------------------


def test_dqn_wants_masks_to_predict():
    _, env, model = made("dqn")
    with pytest.raises(ValueError, match="needs action_masks"):
        model.predict(env.games.observations)


def test_dqn_predicts_for_a_single_observation():
    _, env, model = made("dqn")
    mask = env.action_masks()[0]
    move, _ = model.predict(env.games.observations[0], action_masks=mask, deterministic=True)
    assert np.ndim(move) == 0
    assert mask[move]


def test_dqn_explores_legal_moves_uniformly():
    _, env, model = made("dqn")
    model.exploration_rate = 1.0
    mask = np.zeros((4_000, env.action_space.n), np.int8)
    mask[:, [1, 3, 6]] = 1
    observations = np.repeat(env.games.observations[:1], 4_000, axis=0)
    moves, _ = model.predict(observations, action_masks=mask)
    counts = np.bincount(moves, minlength=8) / 4_000
    np.testing.assert_allclose(counts, [0, 1 / 3, 0, 1 / 3, 0, 0, 1 / 3, 0], atol=0.03)


class Fixed(th.nn.Module):
    """The same values for every observation: the highest for a move that is illegal afterwards."""

    def __init__(self, values):
        super().__init__()
        self.values = values

    def forward(self, observations):
        return self.values.repeat(len(observations), 1)


def test_dqn_targets_are_the_best_legal_move():
    _, env, model = made("dqn", steps=320)
    num_moves = int(env.action_space.n)
    values = th.arange(num_moves, dtype=th.float32)[None]  # the last move is the best
    model.q_net_target = Fixed(values)
    seen = {}

    class Recorder(th.nn.Module):
        def forward(self, observations):
            return th.zeros(len(observations), num_moves, requires_grad=True)

    model.q_net = Recorder()
    import kuns_training.dqn as module

    def loss(found, targets):
        seen["targets"] = targets
        return (found - targets).square().mean()

    data = model.replay_buffer.sample(8)
    masks = th.zeros(8, num_moves)
    masks[:, 2] = masks[:, 5] = 1
    dones = th.tensor([[0.0], [1.0]] * 4)
    data = data._replace(next_masks=masks, dones=dones, rewards=th.full((8, 1), 0.5))
    original = module.functional.smooth_l1_loss
    module.functional.smooth_l1_loss = loss
    try:
        model._train_once(data)
    finally:
        module.functional.smooth_l1_loss = original
    np.testing.assert_allclose(seen["targets"], [[5.5], [0.5]] * 4)


def test_the_buffer_keeps_masks_with_their_transitions():
    _, env, model = made("dqn", steps=1_024)
    buffer = model.replay_buffer
    assert isinstance(model, MaskedDQN)
    assert isinstance(buffer, MaskedReplayBuffer)
    # The mask after a transition is the mask under which the next move was chosen.
    for place in range(1, 20):
        moves = buffer.actions[place, :, 0]
        assert buffer.next_masks[place - 1][np.arange(env.num_envs), moves].all()
        np.testing.assert_array_equal(buffer.next_observations[place - 1], buffer.observations[place])


def test_rewards_are_scaled_by_the_rules_alone():
    assert reward_scale(KunsRules.duel()) == 1 / 8
    assert reward_scale(KunsRules(ante_menu=(1, 2))) == 1 / 2
    _, env, model = made("ppo", steps=256)
    total = 0.0
    for _ in range(20):
        moves, _ = model.predict(env.games.observations, action_masks=env.action_masks())
        _, rewards, _, _ = model.env.step(moves)
        np.testing.assert_allclose(rewards, env.games.rewards / 8)
        total += abs(rewards).sum()
    assert total > 0
