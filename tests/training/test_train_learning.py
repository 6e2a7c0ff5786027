"""Training learns, and the test of it would notice if the reward went to the wrong seat."""

import kuns_agents
from kuns_training.config import Config
from kuns_training.evaluate import evaluate
from kuns_training.train import train
from kuns_training.vec_env import KunsVecEnv

CONFIG = Config.from_dict(
    {
        "total_steps": 120_000,
        "num_games": 256,
        "hidden": [32],
        "opponents": {"random": 1.0, "call": 1.0},
        "curve_points": 0,
        "torch_threads": 1,
        "ppo": {"batch_size": 512, "rollout_steps": 16, "learning_rate": 2e-3, "entropy": 0.02},
    }
)
DEALS = 3_000
REACHED = 1.5
"""Chips a hand against `random` that this much training reaches; random play against itself wins 0."""


class WrongSeatEnv(KunsVecEnv):
    """Gives the learner the reward of the seat on the other side of the table."""

    def step_wait(self):
        observations, rewards, dones, infos = super().step_wait()
        return observations, -rewards, dones, infos


def result(folder, maker):
    agent = kuns_agents.load(train(CONFIG, folder, maker=maker))
    found = evaluate([agent, kuns_agents.load("random")], CONFIG.make_rules(), DEALS, seed=7)
    return found.results[0].payoff


def test_training_learns_and_only_from_its_own_reward(tmp_path):
    right = result(tmp_path / "right", KunsVecEnv)
    wrong = result(tmp_path / "wrong", WrongSeatEnv)
    assert right.low > REACHED, right
    assert wrong.high < REACHED, wrong
    assert right.mean - wrong.mean > 1, (right, wrong)
