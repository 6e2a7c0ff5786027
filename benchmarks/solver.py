"""Solving heads-up Kuns and measuring exploitability: seconds and iterations; OpenSpiel's CFR+ on Leduc for scale."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from importlib.util import find_spec
from itertools import pairwise
from typing import Any

import numpy as np

import kuns_agents
from benchmarks.figures import RUNS, emit, versions
from kuns_agents.exact.solve import solve
from kuns_agents.exact.solver import ALGORITHMS
from kuns_agents.exact.table import uniform
from kuns_agents.policy import PolicyAgent
from kuns_agents.protocol import HISTORY, MULTISET
from kuns_env import KunsRules, Table
from kuns_training.exploit import num_situations

WANTED = (1e-2, 1e-3, 1e-4, 1e-5, 1e-6)
"""Exploitability at which the clock is read, in chips a hand."""
MOST_ITERATIONS = 20_000
MOST_SECONDS = 60.0
"""After which OpenSpiel's solver ends in any case."""
LOOK_EVERY = 10
HIDDEN = 64
LEDUC = "leduc_poker"


def solving(rules: KunsRules, algorithm: str) -> None:
    """Print when a solution was how good."""
    solve(KunsRules.tiny(), max_iterations=1, algorithm=algorithm)  # compiles, or loads what was compiled
    looks = solve(
        rules, min(WANTED), algorithm=algorithm, max_iterations=MOST_ITERATIONS, look_every=LOOK_EVERY
    ).looks
    for wanted in WANTED:
        reached = next((look for look in looks if look.exploitability <= wanted), None)
        if reached is not None:
            emit(
                f"solver, {algorithm} on duel: exploitability of {wanted:g} chips a hand",
                reached.seconds,
                "s",
                iterations=reached.iterations,
                information_sets=num_situations(rules, by_multiset=True),
            )


def measuring(rules: KunsRules) -> None:
    """Print how long the exploitability of policies of several kinds takes."""
    cautious = kuns_agents.load("cautious")
    cautious.reads = HISTORY  # type: ignore[attr-defined]
    by_deal, by_hand = network(rules), network(rules)
    by_deal.reads = HISTORY
    assert by_hand.reads == MULTISET
    policies: dict[str, Any] = {
        "a table": uniform(rules),
        "a network that reads the multiset": by_hand,
        "a network, by perfect recall": by_deal,
        "cautious, by perfect recall": cautious,
    }
    for name, policy in policies.items():
        seconds = timed(lambda policy=policy: kuns_agents.exploitability(policy, rules))  # type: ignore[misc]
        median = statistics.median(seconds)
        emit(
            f"exploitability on duel: {name}",
            median,
            "s",
            lowest=float(f"{min(seconds):.4g}"),
            highest=float(f"{max(seconds):.4g}"),
        )


def timed(work: Callable[[], object]) -> list[float]:
    """Return the seconds of each run; what compiles does so before."""
    work()
    seconds = []
    for _ in range(RUNS):
        start = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - start)
    return seconds


def network(rules: KunsRules) -> PolicyAgent:
    """Return a network of the usual size with drawn weights."""
    rng = np.random.default_rng(1)
    table = Table(rules, seed=1)
    views = table.view(int(table.to_play or 0)).views()
    sizes = (views.observations("table").shape[1], HIDDEN, HIDDEN, views.masks.shape[1])
    layers = [
        (rng.normal(0, 1 / np.sqrt(size), (size, units)).astype(np.float32), np.zeros(units, np.float32))
        for size, units in pairwise(sizes)
    ]
    return PolicyAgent(layers, "relu", rules)


def open_spiel() -> None:
    """Print the same of OpenSpiel's CFR+, in C++, on a game of its own: Leduc poker."""
    import pyspiel

    game = pyspiel.load_game(LEDUC)
    solver = pyspiel.CFRPlusSolver(game)
    left, iterations, seconds, looking = list(WANTED), 0, 0.0, 0.0
    while left and seconds < MOST_SECONDS and looking < MOST_SECONDS:
        start = time.perf_counter()
        for _ in range(LOOK_EVERY):
            solver.evaluate_and_update_policy()
        iterations += LOOK_EVERY
        seconds += time.perf_counter() - start
        start = time.perf_counter()
        found = pyspiel.exploitability(game, solver.average_policy())
        looking += time.perf_counter() - start
        while left and found <= left[0]:
            emit(
                f"pyspiel: CFR+ on {LEDUC}: exploitability of {left.pop(0):g} chips a hand",
                seconds,
                "s",
                iterations=iterations,
                information_sets=len(solver.tabular_average_policy().policy_table()),
                seconds_of_looks=float(f"{looking:.3g}"),
                peer=versions("open_spiel"),
            )


def run() -> None:
    """Print all of these figures."""
    rules = KunsRules.duel()
    for algorithm in ALGORITHMS:
        solving(rules, algorithm)
    measuring(rules)
    if find_spec("pyspiel") is not None:
        open_spiel()
