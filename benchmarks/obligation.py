"""N4.3 in Kunken, "can what is owed still be laid?": its share of the time of random play, and its worst call."""

from __future__ import annotations

import time
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from benchmarks.batch import NUM_GAMES, random_play
from benchmarks.figures import emit, rate
from kuns_env import Batch, KunkenRules
from kuns_env.jit import jit
from kuns_env.kunken import legal
from kuns_env.kunken.moves import NUM_MOVES
from kuns_env.kunken.state import ACQUIRE, OWE, STATE, compile_rules

SAMPLES: Final = 40
"""Times at which the positions of all games are looked at."""
APART: Final = 1_000
REPEATS: Final = 5
Array = npt.NDArray[Any]


@jit
def ask(states, rules, masks, repeats):  # type: ignore[no-untyped-def]
    """Answer N4.3 for every record, ``repeats`` times; return how often it was asked."""
    asked = 0
    for row in range(states.shape[0]):
        state, mask = states[row], masks[row]
        for _ in range(repeats):
            if state["phase"] == ACQUIRE:
                legal.mark_acquire(state, rules[0], mask)
                asked += 1
            elif state["phase"] == OWE:
                legal.mark_owed(state, rules[0], mask)
                asked += 1
    return asked


def positions(batch: Batch) -> Array:
    """Return records of random play, `SAMPLES` times those of all games."""
    play = random_play(batch)
    found = []
    for _ in range(SAMPLES):
        play(APART // SAMPLES * len(batch))
        found.append(batch._states.copy())
    return np.concatenate(found)


def timed(states: Array, rules: Array, masks: Array, repeats: int = 1) -> float:
    """Return the seconds that `ask` takes."""
    start = time.perf_counter()
    ask(states, rules, masks, repeats)
    return (time.perf_counter() - start) / repeats


def run() -> None:
    """Print the figures."""
    rules = KunkenRules()
    batch = Batch(rules, NUM_GAMES // 8, seed=1, copy=False)
    compiled = compile_rules(rules)
    ask(np.zeros(1, STATE), compiled, np.zeros((1, NUM_MOVES), np.int8), 1)  # compiles
    states = positions(batch)
    masks = np.zeros((len(states), NUM_MOVES), np.int8)
    each = min(timed(states, compiled, masks) for _ in range(REPEATS)) / len(states)
    decisions, _, _ = rate(random_play(batch))
    share = 100 * each * decisions
    emit("N4.3, share of random play: Kunken, 2 players", share, "% of the time", positions=len(states))
    emit("N4.3, a decision on average", each * 1e9, "ns")
    singles = [
        min(timed(states[i : i + 1], compiled, masks[:1]) for _ in range(REPEATS)) for i in range(len(states))
    ]
    emit(
        "N4.3, the worst of all decisions sampled", max(singles) * 1e6, "microseconds", positions=len(states)
    )
