"""`kuns train --game kunken`: the settings of the game, the start by imitation, stopping and going on, learning."""

import numpy as np
import pytest
import torch as th

import kuns_agents
from kuns_env import KunkenRules
from kuns_training.algorithms import make_env, make_model
from kuns_training.config import Config
from kuns_training.evaluate import evaluate
from kuns_training.imitation import Imitation, returns_of
from kuns_training.progress import Silence
from kuns_training.run_folder import RunFolder
from kuns_training.settings import ConfigError
from kuns_training.train import TrainingStopped, train
from kuns_training.vec_env import KunsVecEnv

SMALL = {
    "game": "kunken-mini",
    "num_games": 16,
    "hidden": [16, 16],
    "head_units": 8,
    "opponents": {"self": 1.0, "greedy": 1.0},
    "snapshot_every": 500,
    "curve_points": 2,
    "curve_deals": 10,
    "curve_opponents": ["random"],
    "checkpoint_seconds": 1_000.0,
    "total_steps": 1_024,
    "warm": {"agent": "greedy", "steps": 512, "rollout_steps": 8, "batch_size": 64},
    "ppo": {"batch_size": 64, "rollout_steps": 8},
    "a2c": {"rollout_steps": 8},
}


def small(**changes):
    return Config.from_dict(SMALL | changes)


def test_kunken_has_defaults_of_its_own():
    config = Config(game="kunken")
    assert config.warm.agent == "thrifty"
    assert (config.head, config.skip_forced) == ("moves", True)
    assert Config().warm.agent == Config(game="kunken", algo="dqn").warm.agent == ""
    assert (Config().head, Config().skip_forced, Config().shared_layers) == ("linear", False, 0)
    assert Config(game="kunken-mini").total_steps < config.total_steps
    assert Config.from_json(config.to_json()) == config
    changed = Config.from_dict({"game": "kunken", "ppo": {"epochs": 7}})
    assert changed.ppo.epochs == 7
    assert changed.ppo.rollout_steps == config.ppo.rollout_steps != Config().ppo.rollout_steps


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"head": "round"}, "head='round': must be one of linear, moves"),
        ({"head_units": 0}, "head_units=0"),
        ({"shared_layers": 3}, "shared_layers=3: must be at most the 2 layers of hidden"),
        ({"skip_forced": 1}, "skip_forced=1: must be True or False"),
        ({"warm": {"agent": 3}}, "warm.agent=3: must be the name of an agent"),
        ({"warm": {"steps": -1}}, "warm.steps=-1"),
        ({"warm": {"teacher": "greedy"}}, "no setting 'warm.teacher'; there are: warm.agent"),
    ],
)
def test_mistakes_are_named(data, message):
    with pytest.raises(ConfigError) as caught:
        small(**data)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"warm": {"agent": "nobody"}}, "warm.agent: no agent 'nobody'"),
        ({"warm": {"agent": "equity"}}, "warm.agent: agent 'equity' plays Kuns, not kunken"),
        ({"algo": "dqn", "opponents": {"random": 1}}, "dqn learns values of moves, not moves"),
    ],
)
def test_who_cannot_be_imitated_is_refused_before_anything_is_written(changes, message, tmp_path):
    with pytest.raises(ConfigError, match=message):
        train(small(**changes), tmp_path / "run")
    assert not RunFolder(tmp_path / "run").config.exists()


class StopAfter(Silence):
    """Presses Ctrl-C at some decision of the given part: 1 is imitation, 2 is training."""

    def __init__(self, part, steps):
        self.part, self.steps, self.begun = part, steps, 0
        self.stop = None

    def begin(self, steps, total_steps):
        self.begun += 1

    def update(self, steps):
        import signal

        if self.begun == self.part and steps >= self.steps:
            signal.raise_signal(signal.SIGINT)


def weights(folder):
    return th.load(RunFolder(folder).checkpoint, weights_only=False)["model"]["policy"]


@pytest.mark.parametrize("algo", ["ppo", "a2c"])
def test_a_run_that_is_stopped_twice_ends_as_if_it_had_not_been(algo, tmp_path):
    config = small(algo=algo)
    train(config, tmp_path / "whole")
    for stop in (StopAfter(1, 200), StopAfter(2, 400)):
        with pytest.raises(TrainingStopped):
            train(config, tmp_path / "parts", reporter=stop)
        assert not RunFolder(tmp_path / "parts").is_finished
        assert kuns_agents.load(tmp_path / "parts").supports(KunkenRules.mini()) is None
        # What has been resumed has begun with the part that it was stopped in.
        if stop.part == 1:
            state = th.load(RunFolder(tmp_path / "parts").checkpoint, weights_only=False)
            assert state["model"]["counters"]["num_timesteps"] == 0
            stop = StopAfter(2, 400)
    train(config, tmp_path / "parts")
    expected, found = weights(tmp_path / "whole"), weights(tmp_path / "parts")
    assert all(th.equal(found[name], tensor) for name, tensor in expected.items())
    agents = [kuns_agents.load(tmp_path / name) for name in ("whole", "parts")]
    found = evaluate([*agents, kuns_agents.load("random")], KunkenRules.mini(), 10, 1)
    assert not found.disqualifications


@pytest.mark.parametrize(
    "changes", [{"algo": "dqn"}, {"head": "linear"}, {"rules": {"num_players": 3}}], ids=str
)
def test_other_ways_to_train_kunken(changes, tmp_path):
    data = {"opponents": {"random": 1.0}, "total_steps": 256, "curve_points": 0, "warm": {"agent": ""}}
    data |= {"dqn": {"buffer_size": 512, "learning_starts": 64, "batch_size": 32}}
    config = small(**data | changes)
    agent = kuns_agents.load(train(config, tmp_path))
    assert agent.supports(config.make_rules()) is None
    assert (agent.network.head is None) == (changes != {"rules": {"num_players": 3}})


def test_forced_moves_are_no_decisions():
    rules = KunkenRules.mini()
    plain = KunsVecEnv(rules, 8, kuns_agents.load("greedy"), seed=3)
    skipping = KunsVecEnv(rules, 8, kuns_agents.load("greedy"), seed=3, skip_forced=True)
    totals = []
    for env in (plain, skipping):
        env.reset()
        rng, begun, decisions = np.random.default_rng(0), np.ones(8, bool), 0
        rewards, payoffs = 0.0, 0.0
        for _ in range(400):
            masks = env.action_masks()
            choices = masks.sum(axis=1)
            if env is skipping:
                assert (choices[~begun] > 1).all()
            _, gained, begun, infos = env.step((rng.random(masks.shape) * masks).argmax(axis=1))
            decisions += 8
            rewards += gained.sum()
            payoffs += sum(info["episode"]["r"] for info in infos if "episode" in info)
            assert all(("episode" in info) == done for info, done in zip(infos, begun, strict=True))
        # The rewards of an episode are its payoff, also where a forced move ended it.
        assert abs(rewards - payoffs) < 1e-6
        totals.append(payoffs)
    assert totals[0] != 0 != totals[1]


def test_targets_of_imitation_are_those_of_ppo():
    config = small()
    model = make_model(config, make_env(config, kuns_agents.load("greedy"), None))
    model.learn(128, log_interval=10**9)
    buffer = model.rollout_buffer
    rng = np.random.default_rng(1)
    shape = (buffer.buffer_size, buffer.n_envs)
    seen = {
        "rewards": rng.standard_normal(shape).astype(np.float32),
        "values": rng.standard_normal(shape).astype(np.float32),
        "starts": rng.random(shape) < 0.2,
    }
    last, starts = rng.standard_normal(shape[1]).astype(np.float32), rng.random(shape[1]) < 0.5
    buffer.reset()
    buffer.rewards[:], buffer.values[:], buffer.episode_starts[:] = (
        seen["rewards"],
        seen["values"],
        seen["starts"],
    )
    buffer.compute_returns_and_advantage(th.tensor(last), starts)
    found = returns_of(seen, last, starts, buffer.gae_lambda)
    np.testing.assert_allclose(found, buffer.returns, atol=1e-5)


def test_imitation_hands_over_from_the_player_to_the_learner():
    config = small()
    imitation = Imitation(config, kuns_agents.load("greedy"))
    assert not imitation.is_done
    imitation.steps = 512
    assert imitation.is_done


@pytest.mark.slow
def test_rewards_make_a_better_player_of_one_that_has_imitated(tmp_path):
    config = Config.from_dict(
        {
            "game": "kunken-mini",
            "total_steps": 400_000,
            "num_games": 512,
            "hidden": [128, 128],
            "opponents": {"self": 0.6, "greedy": 0.4},
            "warm": {"agent": "greedy", "steps": 300_000},
            "ppo": {"learning_rate": 5e-4, "batch_size": 2_048, "entropy": 0.01},
            "curve_points": 0,
        }
    )
    agent = kuns_agents.load(train(config, tmp_path), greedy=True)
    rules, random = KunkenRules.mini(), kuns_agents.load("random")
    found, imitated = (
        evaluate([player, random], rules, 6_000, seed=7).results[0].payoff
        for player in (agent, kuns_agents.load("greedy"))
    )
    assert found.low > imitated.high, (found, imitated)
