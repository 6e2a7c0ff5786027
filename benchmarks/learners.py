"""Exact exploitability of PPO, A2C and DQN after equally many decisions of training, in `KunsRules.duel`."""

from __future__ import annotations

import tempfile
import time

import kuns_agents
from benchmarks.figures import emit, versions
from kuns_training.config import Config

ALGORITHMS = ("ppo", "a2c", "dqn")
STEPS = 2_000_000
SEEDS = (1, 2, 3)


def measure(algorithm: str, seed: int) -> None:
    """Train once and print the figure."""
    from kuns_training.train import train  # brings torch, which those who read ALGORITHMS do not need

    config = Config(algo=algorithm, seed=seed, total_steps=STEPS, curve_points=0)
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        train(config, folder)
        took = time.perf_counter() - start
        found = kuns_agents.exploitability(kuns_agents.load(folder))
    left, dealer = found.best_response_values
    emit(
        f"exploitability after training: {algorithm}",
        found.exploitability,
        "chips/hand",
        algorithm=algorithm,
        seed=seed,
        decisions=STEPS,
        seconds=round(took, 1),
        left=round(left, 4),
        dealer=round(dealer, 4),
        packages=versions("torch", "stable-baselines3", "sb3-contrib"),
    )


def run() -> None:
    """Print the figures of every algorithm and seed."""
    for seed in SEEDS:
        for algorithm in ALGORITHMS:
            measure(algorithm, seed)
