"""Solving heads-up Kuns exactly: counterfactual regret minimization over all hands at once.

Nothing is sampled and nothing abstracted. Regrets belong to multisets, in which the ways a hand came about are
merged; that keeps the guarantee of the algorithm, because for each way the other side's hands, and what they
do, have the same probabilities (docs/exact.md shows it; M. Lanctot, R. Gibson, N. Burch, M. Zinkevich and
M. Bowling, *No-Regret Learning in Extensive-Form Games with Imperfect Recall*, ICML 2012, gives the theory).

- `dcfr`: N. Brown and T. Sandholm, *Solving Imperfect-Information Games via Discounted Regret Minimization*, AAAI
  2019: in iteration ``t`` positive regrets are multiplied by ``t^a / (t^a + 1)``, negative ones by
  ``t^b / (t^b + 1)``, and the policy counts ``t^g`` in the average. ``a = 1.5`` and ``b = 0`` as they advise; with
  ``g = 4`` it comes down here in half the iterations that their ``g = 2`` needs.
- `cfr+`: O. Tammelin, *Solving Large Imperfect Information Games Using CFR+*, 2014: no negative regrets; the policy
  counts ``t`` in the average.

In both the two sides take turns within an iteration.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from kuns_agents.exact import kernels
from kuns_agents.exact.duel import DEALER, Duel, Strategy, to_table
from kuns_agents.exact.response import respond
from kuns_agents.exact.table import TablePolicy, num_ante_rows
from kuns_agents.hands import Floats
from kuns_env import KunsRules

DCFR: Final = "dcfr"
CFR_PLUS: Final = "cfr+"


@dataclass(frozen=True, slots=True)
class Discount:
    """How a variant of CFR forgets."""

    positive: float | None
    """Exponent for positive regrets; None keeps them whole."""
    negative: float | None
    """Exponent for negative regrets; None drops them."""
    average: float
    """Exponent of the weight in the average policy."""

    def factors(self, iteration: int) -> tuple[float, float]:
        """Return what positive and negative regrets are multiplied by."""
        return (
            1.0 if self.positive is None else _fading(iteration, self.positive),
            0.0 if self.negative is None else _fading(iteration, self.negative),
        )


def _fading(iteration: int, exponent: float) -> float:
    power: float = iteration**exponent
    return power / (power + 1)


ALGORITHMS: Final = {DCFR: Discount(1.5, 0.0, 4.0), CFR_PLUS: Discount(None, None, 1.0)}


def match(missed: Floats) -> Floats:
    """Return for each row of regrets the policy that follows them: even where nothing was missed."""
    kept = np.maximum(missed, 0)
    total = kept.sum(axis=1, keepdims=True)
    policy: Floats = np.where(total > 0, kept / np.where(total > 0, total, 1), 1 / missed.shape[1])
    return policy


class Solver:
    """A solution in the making.

    Args:
        rules: of a heads-up game without side bets.
        algorithm: one of `ALGORITHMS`.

    Raises:
        ValueError: other rules, or no such algorithm.
    """

    def __init__(self, rules: KunsRules, algorithm: str = DCFR) -> None:
        if algorithm not in ALGORITHMS:
            raise ValueError(f"algorithm {algorithm!r}: must be one of {', '.join(ALGORITHMS)}")
        self.game = Duel(rules)
        self.iterations = 0
        self._discount = ALGORITHMS[algorithm]
        sizes, columns = self.game.space.sizes, self.game.columns
        rows = num_ante_rows(rules, self.game.space)
        # What each fold and each call, and each ante, was missed by.
        self._missed = tuple([np.zeros((size, columns, 2)) for size in sizes] for _ in range(2))
        self._missed_antes = np.zeros((rows, columns))
        self._current = Strategy(
            (
                [np.full((size, columns), 1 / 2) for size in sizes],
                [np.full((size, columns), 1 / 2) for size in sizes],
            ),
            np.full((rows, columns), 1 / columns),
        )
        # Of the average: how likely each side came to a decision, and called there, over all iterations.
        self._came = tuple([np.zeros((size, columns)) for size in sizes] for _ in range(2))
        self._called = tuple([np.zeros((size, columns)) for size in sizes] for _ in range(2))
        self._antes = np.zeros((rows, columns))

    def step(self, iterations: int = 1) -> None:
        """Run some iterations."""
        for _ in range(iterations):
            self.iterations += 1
            for position in range(2):
                self._update(position)
                self._count(position)

    def _update(self, position: int) -> None:
        """Let one side regret, and change its policy."""
        positive, negative = self._discount.factors(self.iterations)
        calls, missed = self._current.sides[position], self._missed[position]

        def regret(round_: int, fold: Floats, call: Floats) -> Floats:
            value = np.empty_like(fold)
            kernels.regret(fold, call, positive, negative, missed[round_], calls[round_], value)
            return value

        values = self.game.walk(position, self._current, regret)
        if position == DEALER:
            values = self.game.ante_values(values)
            mean = (values * self._current.antes).sum(axis=1, keepdims=True)
            self._missed_antes *= np.where(self._missed_antes > 0, positive, negative)
            self._missed_antes += values - mean
            self._current.antes = match(self._missed_antes)

    def _count(self, position: int) -> None:
        """Add the policy of one side to the average, weighted by how likely it comes to each decision."""
        weight = float(self.iterations) ** self._discount.average
        calls = self._current.sides[position]
        start = self.game.first_reach(position, self._current.antes)
        for round_, reach in enumerate(self.game.reaches(calls, start)):
            self._came[position][round_] += weight * reach
            self._called[position][round_] += weight * reach * calls[round_]
        if position == DEALER:
            self._antes += weight * self._current.antes

    def average(self) -> Strategy:
        """Return the average policy, which approaches an equilibrium; where it never came, the current one."""
        sides = tuple(
            [
                np.where(came > 0, called / np.where(came > 0, came, 1), calls)
                for came, called, calls in zip(
                    self._came[position], self._called[position], self._current.sides[position], strict=True
                )
            ]
            for position in range(2)
        )
        total = self._antes.sum(axis=1, keepdims=True)
        antes = self._antes / total if self.iterations else self._current.antes
        return Strategy((sides[0], sides[1]), antes)

    def table(self) -> TablePolicy:
        """Return the average policy as a table."""
        return to_table(self.game.rules, self.average())

    def bounds(self) -> tuple[float, float]:
        """Return between what the value of the game to the dealer lies, in chips a hand.

        The average policy of the dealer wins at least the first; that of the other side lets no dealer win more than
        the second. Half of the difference is the exploitability of the average policy.
        """
        average = self.average()
        left, dealer = (respond(self.game, position, average).value for position in range(2))
        return -left, dealer
