"""Every hand as a multiset of ranks, and its chances against hands that the seat has not seen.

For a deck of four suits there are 55 hands of two cards, 715 of four and 1,992 of five. Against one
opponent the chances are exact, with card removal. Against more, the opponents' hands are taken to be
independent of each other, given one's own; docs/agents.md says how far off that is.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import comb
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from kuns_agents import hands_kernels
from kuns_env import KunsRules, Views
from kuns_env.kuns.rules import HAND_SIZE, MAX_PLAYERS, MAX_SUITS, TOP_RANK
from kuns_env.kuns.value import KUNS_BONUS, TENS

Integers: TypeAlias = npt.NDArray[np.int64]
Floats: TypeAlias = npt.NDArray[np.float64]

NUM_STRENGTHS: Final = KUNS_BONUS + TENS + 1
"""Strengths of a hand: 0 to 20."""

BETTING_SIZES: Final = (2, 4, HAND_SIZE)
"""Cards in hand in the three rounds (K4.1)."""

SMALLEST: Final = float(np.finfo(np.float64).tiny)
"""Stands for 0 where it would be divided by."""

WAYS: Final = np.array([[comb(n, k) for k in range(HAND_SIZE + 1)] for n in range(MAX_SUITS + 1)], np.float64)


@dataclass(frozen=True, slots=True)
class Tree:
    """All hands of up to five cards, of any deck: a child has one card more than its parent."""

    counts: Integers
    """Cards of each rank, A to T, shape ``(nodes, 10)``."""
    sizes: Integers
    """Cards in each hand, ascending, shape ``(nodes,)``."""
    children: Integers
    """The hand with one card of each rank more, -1 where there is none, shape ``(nodes, 10)``."""

    def node(self, ranks: tuple[int, ...]) -> int:
        """Return the node of a hand given by its ranks, 1 to 10, in any order."""
        node = 0
        for rank in ranks:
            node = int(self.children[node, rank - 1])
        return node

    def of_size(self, size: int) -> Integers:
        """Return the nodes of the hands of ``size`` cards."""
        return np.flatnonzero(self.sizes == size)


@lru_cache(maxsize=1)
def tree() -> Tree:
    """Return the tree of all hands.

    >>> [len(tree().of_size(size)) for size in (2, 4, 5)]
    [55, 715, 1992]
    """
    empty: tuple[int, ...] = (0,) * TOP_RANK
    index = {empty: 0}
    hands = [empty]
    children: list[list[int]] = []
    for hand in hands:  # grows while it is gone through: a queue
        row = []
        for rank in range(TOP_RANK):
            child = (*hand[:rank], hand[rank] + 1, *hand[rank + 1 :])
            if sum(child) > HAND_SIZE or child[rank] > MAX_SUITS:
                row.append(-1)
                continue
            if child not in index:
                index[child] = len(hands)
                hands.append(child)
            row.append(index[child])
        children.append(row)
    counts = np.array(hands, np.int64)
    return Tree(counts, counts.sum(axis=1), np.array(children, np.int64))


@dataclass(frozen=True, slots=True)
class Chances:
    """What every hand can expect in one deck. Rows of hands that the deck cannot make mean nothing."""

    copies: Integers
    """Cards of each rank, A to T, in the deck, shape ``(10,)``."""
    strengths: Integers
    """Strength of every hand of five, shape ``(nodes,)``."""
    kuns: Floats
    """The chance to end with kuns, shape ``(nodes,)``."""
    shares: Floats
    """The share of the pot that a hand can expect against 1 to 7 hands to the end, shape ``(nodes, 7)``."""
    against_good: Floats
    """Chance to win, a tie counting half, against a hand that is now in the better half, shape ``(nodes,)``."""

    def possible(self, size: int) -> Integers:
        """Return the nodes of the hands of ``size`` cards that the deck can make."""
        nodes = tree().of_size(size)
        return nodes[(tree().counts[nodes] <= self.copies).all(axis=1)]


def chances(rules: KunsRules) -> Chances:
    """Return the chances of every hand in the deck of these rules.

    >>> from kuns_env import KunsRules
    >>> table, hand = chances(KunsRules.duel()), tree().node((10, 10))
    >>> round(float(table.kuns[0]), 5), round(float(table.shares[hand, 0]), 4)
    (0.67704, 0.4329)
    """
    return _chances(rules.ranks, rules.num_suits, rules.no_kuns_zero_is_ten)


@lru_cache(maxsize=16)
def _chances(ranks: tuple[int, ...], num_suits: int, zero_is_ten: bool) -> Chances:
    hands = tree()
    copies = np.zeros(TOP_RANK, np.int64)
    copies[np.array(ranks) - 1] = num_suits
    full = hands.of_size(HAND_SIZE)
    full = full[(hands.counts[full] <= copies).all(axis=1)]
    strengths = np.zeros(len(hands.sizes), np.int64)
    hands_kernels.write_values(hands.counts, hands.sizes, zero_is_ten, strengths)
    others = np.zeros((len(hands.sizes), NUM_STRENGTHS))
    hands_kernels.write_distribution(hands.counts, full, strengths, WAYS, copies, others)
    below, equal = below_and_equal(others, strengths)
    table = np.zeros((len(hands.sizes), MAX_PLAYERS))
    table[:, 0] = strengths > KUNS_BONUS
    for opponents in range(1, MAX_PLAYERS):
        table[:, opponents] = share(below, equal, opponents)
    hands_kernels.average_down(hands.counts, hands.sizes, hands.children, copies, table)
    against_good = _against_good(copies, strengths, others, table[:, 1])
    return Chances(copies, strengths, table[:, 0].copy(), table[:, 1:].copy(), against_good)


def below_and_equal(others: Floats, strengths: Integers) -> tuple[Floats, Floats]:
    """Return how much of each row of ``others``, by strength, is below and how much equal to one's own."""
    own = strengths[:, None]
    below = np.take_along_axis(others.cumsum(axis=1) - others, own, axis=1)[:, 0]
    return below, np.take_along_axis(others, own, axis=1)[:, 0]


def share(below: Floats, equal: Floats, opponents: int) -> Floats:
    """Return the share of the pot that a hand expects against independent opponents (K5.6).

    Args:
        below: the chance that one opponent's hand is worse.
        equal: the chance that it is as good.
        opponents: how many there are.
    """
    total = np.zeros_like(below)
    for ties in range(opponents + 1):
        total += comb(opponents, ties) * below ** (opponents - ties) * equal**ties / (ties + 1)
    return total


def _against_good(copies: Integers, strengths: Integers, others: Floats, chance: Floats) -> Floats:
    """Return `Chances.against_good`: how good the other's hand is tells how strong it may become.

    One's own cards change the odds of the other's strengths (``others``), but are taken not to change how
    likely a hand that ended with a given strength was to look good before.
    """
    hands = tree()
    weights = WAYS[copies, hands.counts].prod(axis=1)
    out = np.zeros(len(hands.sizes))
    for size in BETTING_SIZES:
        looked_good = _better_half(hands.of_size(size), weights, chance)
        hands_kernels.average_up(hands.counts, hands.sizes, hands.children, size, looked_good)
        full = hands.of_size(HAND_SIZE)
        all_hands = np.bincount(strengths[full], weights[full], NUM_STRENGTHS)
        good_hands = np.bincount(strengths[full], (weights * looked_good)[full], NUM_STRENGTHS)
        good = others * (good_hands / np.maximum(all_hands, 1))
        below, equal = below_and_equal(good, strengths)
        table = ((below + equal / 2) / np.maximum(good.sum(axis=1), SMALLEST))[:, None]
        hands_kernels.average_down(hands.counts, hands.sizes, hands.children, copies, table)
        out[hands.of_size(size)] = table[hands.of_size(size), 0]
    return out


def _better_half(nodes: Integers, weights: Floats, chance: Floats) -> Floats:
    """Return how much of each hand belongs to the better half of ``nodes``: 1, 0, or between at the border."""
    order = nodes[np.argsort(-chance[nodes], kind="stable")]
    share_of_all = weights[order] / weights[order].sum()
    before = share_of_all.cumsum() - share_of_all
    out = np.zeros(len(weights))
    out[order] = np.clip((1 / 2 - before) / np.maximum(share_of_all, SMALLEST), 0, 1)
    return out


def nodes_of(views: Views) -> Integers:
    """Return the node of every viewer's own hand, shape ``(B,)``."""
    out = np.empty(len(views), np.int64)
    hands_kernels.write_nodes(views.records, views.seats, tree().children, out)
    return out
