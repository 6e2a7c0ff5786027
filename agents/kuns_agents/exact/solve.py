"""Solving to a wanted precision."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite
from time import perf_counter
from typing import Final, TypeAlias

from kuns_agents.exact.solver import DCFR, Solver
from kuns_agents.exact.table import TablePolicy
from kuns_env import KunsRules
from kuns_env.engine.seeds import count

MOST_ITERATIONS: Final = 1_000_000
LOOK_EVERY: Final = 20
"""Iterations between two looks at the exploitability; a look takes about as long as one of them."""


@dataclass(frozen=True, slots=True)
class Look:
    """How far a solution has come."""

    iterations: int
    seconds: float
    low: float
    """The value of the game to the dealer is at least this, in chips a hand."""
    high: float
    """And at most this."""

    @property
    def exploitability(self) -> float:
        """Of the policy, in chips a hand."""
        return (self.high - self.low) / 2


Progress: TypeAlias = Callable[[Look], None]


@dataclass(frozen=True, slots=True)
class Solution:
    """A solved game."""

    table: TablePolicy
    algorithm: str
    looks: tuple[Look, ...]
    """The last one is of the table."""

    @property
    def last(self) -> Look:
        """How good the table is."""
        return self.looks[-1]


def solve(
    rules: KunsRules,
    exploitability: float = 1e-4,
    *,
    algorithm: str = DCFR,
    max_iterations: int = 100_000,
    look_every: int = LOOK_EVERY,
    progress: Progress | None = None,
    stop: Callable[[], bool] | None = None,
) -> Solution:
    """Return a policy that nobody can win more than ``exploitability`` from, in chips a hand.

    >>> solution = solve(KunsRules.tiny(), 1e-3)
    >>> solution.last.exploitability <= 1e-3
    True

    Args:
        rules: of a heads-up game without side bets.
        exploitability: to be reached, at least 0.
        algorithm: one of `kuns_agents.exact.solver.ALGORITHMS`.
        max_iterations: after which it ends in any case.
        look_every: iterations between two looks.
        progress: called at each look.
        stop: asked after each look; where it says so, the solution ends as good as it is.

    Raises:
        ValueError: other rules, or a number out of range.
    """
    if not (isinstance(exploitability, int | float) and isfinite(exploitability) and exploitability >= 0):
        raise ValueError(f"exploitability={exploitability!r}: must be a number of chips, 0 or more")
    max_iterations = count("max_iterations", max_iterations, 1, MOST_ITERATIONS)
    look_every = count("look_every", look_every, 1, MOST_ITERATIONS)
    start = perf_counter()
    solver = Solver(rules, algorithm)
    looks: list[Look] = []
    while not looks or (looks[-1].exploitability > exploitability and solver.iterations < max_iterations):
        solver.step(min(look_every, max_iterations - solver.iterations))
        low, high = solver.bounds()
        looks.append(Look(solver.iterations, perf_counter() - start, low, high))
        if progress is not None:
            progress(looks[-1])
        if stop is not None and stop():
            break
    return Solution(solver.table(), algorithm, tuple(looks))
