"""The PettingZoo environments: a loop of `last` and `step` with random legal moves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.figures import emit_rate
from kuns_env import KunkenRules, KunsRules, kunken_v0, kuns_v0

NUM_DRAWS = 1 << 16


def random_loop(env: Any) -> Callable[[int], int]:
    """Return work that plays about ``n`` random decisions in ``env``, dead steps not counted."""
    draws = np.random.default_rng(1).random(NUM_DRAWS).tolist()

    def work(amount: int) -> int:
        done = 0
        while done < amount:
            env.reset()
            for _ in env.agent_iter():
                observation, _, termination, truncation, _ = env.last()
                if termination or truncation:
                    env.step(None)
                    continue
                legal = observation["action_mask"].nonzero()[0]
                env.step(int(legal[int(draws[done % NUM_DRAWS] * len(legal))]))
                done += 1
        return done

    return work


def run() -> None:
    """Print the figures of the AEC environments."""
    for name, module, rules in (
        ("full rules, 4 players", kuns_v0, KunsRules()),
        ("duel", kuns_v0, KunsRules.duel()),
        ("Kunken, 2 players", kunken_v0, KunkenRules()),
    ):
        for kind in ("env", "raw_env"):
            env = getattr(module, kind)(rules=rules)
            env.reset(seed=1)
            emit_rate(f"AEC {kind}, last and step: {name}", random_loop(env))
