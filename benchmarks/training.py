"""MaskablePPO, the whole loop: steps a second, the environment's share of the time, and memory."""

from __future__ import annotations

import resource
import sys
import tempfile
import time
from typing import Any

from benchmarks.figures import emit, versions
from kuns_training.config import Config
from kuns_training.train import train
from kuns_training.vec_env import KunsVecEnv

STEPS = 1_000_000
KIBI = 1024


class TimedVecEnv(KunsVecEnv):
    """A `KunsVecEnv` that adds up the time spent inside it."""

    inside = 0.0

    def step_wait(self) -> Any:
        """Step, and add the time that it took."""
        start = time.perf_counter()
        result = super().step_wait()
        TimedVecEnv.inside += time.perf_counter() - start
        return result

    def env_method(self, *args: Any, **kwargs: Any) -> Any:
        """Call a method (that is how masks are asked for), and add the time that it took."""
        start = time.perf_counter()
        result = super().env_method(*args, **kwargs)
        TimedVecEnv.inside += time.perf_counter() - start
        return result


def peak_memory() -> float:
    """Return the most memory that this process has held, in MiB."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / KIBI if sys.platform != "darwin" else peak / KIBI**2


def measure(name: str, **settings: Any) -> None:
    """Train for `STEPS` decisions and print the figures."""
    config = Config(total_steps=STEPS, curve_points=0, **settings)
    TimedVecEnv.inside = 0.0
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        train(config, folder, maker=TimedVecEnv)
        took = time.perf_counter() - start
    details = {
        "games": config.num_games,
        "hidden": list(config.hidden),
        "epochs": config.ppo.epochs,
        "torch_threads": config.torch_threads,
        "packages": versions("torch", "stable-baselines3", "sb3-contrib"),
    }
    emit(f"MaskablePPO, whole loop: {name}", STEPS / took, "steps/s", **details)
    emit(f"MaskablePPO, share of the environment: {name}", 100 * TimedVecEnv.inside / took, "% of the time")


def run() -> None:
    """Print the figures of training."""
    measure("duel, random opponents", opponents={"random": 1.0})
    measure("duel, the pool of `kuns train`")
    measure("full rules, 4 players, random opponents", game="kuns", opponents={"random": 1.0})
    emit("MaskablePPO, peak memory of the process", peak_memory(), "MiB")
