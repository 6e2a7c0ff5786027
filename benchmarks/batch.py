"""`Batch`: random play, observation and mask at each decision."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

import kuns_agents
from benchmarks.figures import emit, emit_rate
from kuns_env import Batch, KunkenRules, KunsRules
from kuns_env.engine.seat_loops import pick

NUM_GAMES = 2048
NUM_DRAWS = 1 << 16

RULES: Final = {
    "full rules, 4 players": KunsRules(),
    "duel": KunsRules.duel(),
    "Kunken, 2 players": KunkenRules(),
    "Kunken, 4 players": KunkenRules(num_players=4),
    "Kunken mini": KunkenRules.mini(),
}
"""What is measured, by name; Kuns where no game is named."""


def random_play(batch: Batch) -> Callable[[int], int]:
    """Return work that plays about ``n`` random decisions in ``batch``."""
    moves = np.zeros(len(batch), np.int64)
    draws = np.random.default_rng(1).random(NUM_DRAWS)

    def work(amount: int) -> int:
        steps = -(-amount // len(batch))
        for step in range(steps):
            start = step * len(batch) % (NUM_DRAWS - len(batch))
            pick(batch.masks, draws[start : start + len(batch)], moves)
            batch.step(moves)
            batch.observations  # noqa: B018 - a copy is made here, unless copy=False
        return steps * len(batch)

    return work


def agent_play(batch: Batch, agent: Any) -> Callable[[int], int]:
    """Return work that plays about ``n`` decisions of ``agent`` in ``batch``: views, moves, observations and masks."""
    rng = np.random.default_rng(1)

    def work(amount: int) -> int:
        steps = -(-amount // len(batch))
        for _ in range(steps):
            batch.step(agent.act(batch.views(), rng))
        return steps * len(batch)

    return work


def run() -> None:
    """Print the figures of the batch."""
    for name, rules in RULES.items():
        for copy in (False, True):
            for num_threads in (1, 2):
                batch = Batch(rules, NUM_GAMES, seed=1, copy=copy, num_threads=num_threads)
                details: dict[str, Any] = {
                    "num_games": NUM_GAMES,
                    "threads": num_threads,
                    "copies": copy,
                    "observation": f"{batch.encoder.shape[0]} x {batch.encoder.dtype}",
                }
                emit_rate(f"batch random play: {name}", random_play(batch), **details)
        emit(f"batch memory: {name}", Batch(rules, NUM_GAMES, seed=1).nbytes / NUM_GAMES, "bytes/game")
    for agent in ("greedy", "thrifty"):
        batch = Batch(KunkenRules(), NUM_GAMES, seed=1, copy=False)
        emit_rate(f"batch, {agent} play: Kunken, 2 players", agent_play(batch, kuns_agents.load(agent)))
