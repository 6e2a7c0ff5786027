"""Heads-up Kuns as vectors over hands: what one side wins with each hand, given the other side's policy.

The walk goes down the public tree with the other side's reach (how likely it comes there with each hand) and
back up with one's own values. Values are *counterfactual*: weighted with the probability that the hands are
dealt and that the other side comes there, so that a sum over hands is an expectation. Each array has a row for
each hand of its round and a column for each ante of the menu.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, TypeAlias

import numpy as np

from kuns_agents.exact import kernels
from kuns_agents.exact.scope import check_exact
from kuns_agents.exact.space import HandSpace, hand_space
from kuns_agents.exact.table import TablePolicy
from kuns_agents.hands import Floats, tree
from kuns_env import KunsRules
from kuns_env.kuns.state import NUM_ROUNDS

LEFT: Final = 0
"""Position of the player at the left of the dealer, who is asked first."""
DEALER: Final = 1

Decide: TypeAlias = Callable[[int, Floats, Floats], Floats]
"""Is given the round, from 0, and the counterfactual values of a fold and of a call with each hand; returns those of
the decision."""


@dataclass(slots=True)
class Strategy:
    """A policy of both positions, by round."""

    sides: tuple[list[Floats], list[Floats]]
    """For `LEFT` and `DEALER`: the probability to call in each of the three rounds, ``(hands, antes)`` each."""
    antes: Floats
    """Probability of each ante, ``(hands of two, antes)``, or ``(1, antes)`` where the dealer has not seen them."""


class Duel:
    """The rules of one heads-up game, ready to be walked.

    Raises:
        ValueError: strength under ``rules`` cannot be computed exactly.
    """

    def __init__(self, rules: KunsRules) -> None:
        self.rules = check_exact(rules)
        self.space: HandSpace = hand_space(rules)
        menu = np.array(rules.ante_menu, np.float64)
        self.columns = len(menu)
        self.losses = [rules.forced_ante + round_ * menu for round_ in range(NUM_ROUNDS)]
        """What a player has paid who folds in each round, in chips, ``(antes,)`` each."""
        self.stake = rules.forced_ante + NUM_ROUNDS * menu
        """What the loser of a showdown has paid, in chips."""
        self._sums = np.empty((len(tree().sizes), self.columns))

    # --- operators ----------------------------------------------------------------------------------------

    def meet(self, round_: int, reach: Floats) -> Floats:
        """Return how likely each hand lies beside the other side's, which has come here with ``reach``."""
        meeting, out = self.space.meetings[round_], np.empty_like(reach)
        kernels.meet(meeting.starts, meeting.parts, meeting.leave, meeting.take, reach, self._sums, out)
        return out

    def show(self, reach: Floats) -> tuple[Floats, Floats]:
        """Return `meet` of the third round, and the same with wins counted 1, ties 0 and losses -1."""
        meeting, total, out = self.space.meetings[-1], np.empty_like(reach), np.empty_like(reach)
        kernels.show(
            meeting.starts,
            meeting.parts,
            meeting.leave,
            meeting.take,
            self.space.order,
            self.space.bounds,
            reach,
            self._sums,
            total,
            out,
        )
        return total, out

    def spread(self, round_: int, small: Floats) -> Floats:
        """Return for each hand of the next round the average of ``small`` over how it came about."""
        splits = self.space.splits[round_]
        out = np.empty((self.space.sizes[round_ + 1], self.columns))
        kernels.spread(splits.starts, splits.parents, splits.chances, small, out)
        return out

    def gather(self, round_: int, large: Floats) -> Floats:
        """Return for each hand what the hands of the next round that begin with it hold of ``large``."""
        splits = self.space.splits[round_]
        out = np.zeros((self.space.sizes[round_], self.columns))
        kernels.gather(splits.starts, splits.parents, splits.chances, large, out)
        return out

    # --- walks --------------------------------------------------------------------------------------------

    def reaches(self, calls: list[Floats], start: Floats) -> list[Floats]:
        """Return how likely a side that calls so comes to each round with each hand, from ``start`` in the first."""
        found = [start]
        for round_ in range(NUM_ROUNDS - 1):
            found.append(self.spread(round_, found[-1] * calls[round_]))
        return found

    def first_reach(self, position: int, antes: Floats) -> Floats:
        """Return how likely a side comes to the first round with each hand: the dealer by the ante it has set."""
        shape = (self.space.sizes[0], self.columns)
        return np.ascontiguousarray(np.broadcast_to(antes, shape)) if position == DEALER else np.ones(shape)

    def walk(self, position: int, other: Strategy, decide: Decide) -> Floats:
        """Return what ``position`` wins with each hand of two and each ante, ``(hands of two, antes)``, in chips.

        Args:
            position: `LEFT` or `DEALER`. For the dealer, the choice of the ante is left open.
            other: what the other position does.
            decide: what ``position`` does; called for the third round first.
        """
        calls = other.sides[1 - position]
        reaches = self.reaches(calls, self.first_reach(1 - position, other.antes))
        values: Floats = np.empty(0)
        for round_ in reversed(range(NUM_ROUNDS)):
            called = reaches[round_] * calls[round_]
            loss = self.losses[round_]
            folds = self.meet(round_, reaches[round_] - called) * loss
            if round_ == NUM_ROUNDS - 1:
                faced, won = self.show(called)
                won *= self.stake
            else:
                faced, won = self.meet(round_, called), self.gather(round_, values)
            if position == LEFT:  # is asked before it knows whether the other folds
                values = decide(round_, -(faced * loss + folds), folds + won)
            else:
                values = folds + decide(round_, -faced * loss, won)
        return values

    def ante_values(self, values: Floats) -> Floats:
        """Return the values of each ante where it is decided: with each hand, or before there is any (K3.2)."""
        return values if self.rules.dealer_sees_hand else values.sum(axis=0, keepdims=True)


@lru_cache(maxsize=16)
def duel(rules: KunsRules) -> Duel:
    """Return the `Duel` of these rules, made once. It has room to work in: one thread at a time."""
    return Duel(rules)


# --- tables -----------------------------------------------------------------------------------------------


def to_strategy(table: TablePolicy) -> Strategy:
    """Return a table by round and position."""
    sizes, antes = table.space.sizes, len(table.rules.ante_menu)
    # Node by node: for each ante, in each round, the left of the dealer and then the dealer.
    by_ante = table.calls.reshape(antes, -1).T
    sides: tuple[list[Floats], list[Floats]] = ([], [])
    start = 0
    for size in sizes:
        for side in sides:
            side.append(np.ascontiguousarray(by_ante[start : start + size]))
            start += size
    return Strategy(sides, table.antes)


def to_table(rules: KunsRules, strategy: Strategy) -> TablePolicy:
    """Return the table of a strategy: the way back from `to_strategy`."""
    parts = [side[round_] for round_ in range(NUM_ROUNDS) for side in strategy.sides]
    return TablePolicy(rules, np.concatenate(parts).T.reshape(-1), strategy.antes)
