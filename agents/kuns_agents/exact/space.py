"""The hands that a deck can make, by size, with all that ties them: weights, splits, and which hands go together.

Everything is a multiset of ranks, a node of `kuns_agents.hands.tree`. That loses nothing: see docs/exact.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import comb
from typing import Final

import numpy as np

from kuns_agents.hands import BETTING_SIZES, NUM_STRENGTHS, WAYS, Floats, Integers, chances, tree
from kuns_env import KunsRules

NO_HAND: Final = -1


@dataclass(frozen=True, slots=True)
class Splits:
    """How a hand came about: for each hand of a round, the hands of the round before that it may have been.

    Rows ``starts[i]`` to ``starts[i + 1]`` belong to hand ``i``.
    """

    starts: Integers
    parents: Integers
    """Index of the smaller hand."""
    chances: Floats
    """Its probability, given the larger hand: any of its cards may have come first."""


@dataclass(frozen=True, slots=True)
class Meeting:
    """The hands of one size that can lie on the table together, with the probability of each pair, in factors.

    The probability of hands ``i`` and ``j`` is the sum over all multisets ``s`` within both of
    ``leave(i, s) * take(j, s)``: inclusion and exclusion over the cards of ``j`` that ``i`` holds already. There
    are far fewer such triples than pairs. Rows ``starts[i]`` to ``starts[i + 1]`` belong to hand ``i``.
    """

    starts: Integers
    parts: Integers
    """Multisets ``s``, nodes of the tree."""
    leave: Floats
    take: Floats


@dataclass(frozen=True, slots=True)
class HandSpace:
    """All hands of a deck in each of the three rounds."""

    nodes: tuple[Integers, ...]
    """Node of every hand, for each round."""
    index: Integers
    """Place of a node among the hands of its size, `NO_HAND` where the deck cannot make it. Shape ``(nodes,)``."""
    weights: tuple[Floats, ...]
    """Probability of every hand, for each round."""
    splits: tuple[Splits, ...]
    """From the second round to the first, and from the third to the second."""
    meetings: tuple[Meeting, ...]
    """For each round."""
    order: Integers
    """Hands of five, the weakest first. Shape ``(hands of five,)``."""
    bounds: Integers
    """Where each strength, 0 to 20, begins in `order`, and its end. Shape ``(22,)``."""

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many hands there are in each round."""
        return tuple(len(nodes) for nodes in self.nodes)


def hand_space(rules: KunsRules) -> HandSpace:
    """Return the hands of the deck of these rules.

    >>> hand_space(KunsRules.duel()).sizes
    (55, 715, 1992)
    """
    return _hand_space(rules.ranks, rules.num_suits, rules.no_kuns_zero_is_ten)


@lru_cache(maxsize=16)
def _hand_space(ranks: tuple[int, ...], num_suits: int, zero_is_ten: bool) -> HandSpace:
    deck = KunsRules(num_players=2, ranks=ranks, num_suits=num_suits, no_kuns_zero_is_ten=zero_is_ten)
    table, counts = chances(deck), tree().counts
    nodes = tuple(table.possible(size) for size in BETTING_SIZES)
    index = np.full(len(counts), NO_HAND, np.int64)
    for hands in nodes:
        index[hands] = np.arange(len(hands))
    weights = tuple(WAYS[table.copies, counts[hands]].prod(axis=1) for hands in nodes)
    strengths = table.strengths[nodes[-1]]
    order = np.argsort(strengths, kind="stable")
    return HandSpace(
        nodes=nodes,
        index=index,
        weights=tuple(weight / weight.sum() for weight in weights),
        splits=tuple(_splits(nodes[i + 1], BETTING_SIZES[i], index) for i in range(len(nodes) - 1)),
        meetings=tuple(_meeting(hands, table.copies) for hands in nodes),
        order=order,
        bounds=np.searchsorted(strengths[order], np.arange(NUM_STRENGTHS + 1)),
    )


def parts_of(node: int, size: int | None = None) -> list[tuple[int, int]]:
    """Return the multisets within a hand, each with the number of ways to pick it from the hand's cards.

    Args:
        node: the hand.
        size: how many cards the multisets have; None is any number.
    """
    hands = tree()
    parts: list[tuple[tuple[int, ...], int]] = [((), 1)]
    for rank in np.flatnonzero(hands.counts[node]):
        held = int(hands.counts[node, rank])
        parts = [
            (part + (int(rank) + 1,) * taken, ways * comb(held, taken))
            for part, ways in parts
            for taken in range(held + 1)
        ]
    return [(hands.node(part), ways) for part, ways in parts if size is None or len(part) == size]


def _splits(hands: Integers, size: int, index: Integers) -> Splits:
    """Return how each of ``hands`` splits into ``size`` cards that came first and the rest."""
    starts, parents, ways = [0], [], []
    for hand in hands:
        split = parts_of(int(hand), size)
        parents += [int(index[part]) for part, _ in split]
        total = sum(count for _, count in split)
        ways += [count / total for _, count in split]
        starts.append(len(parents))
    return Splits(np.array(starts, np.int64), np.array(parents, np.int64), np.array(ways))


def _meeting(hands: Integers, copies: Integers) -> Meeting:
    """Return the probability of every pair of ``hands``, in factors.

    For one rank with ``m`` cards in the deck, of which ``a`` and ``b`` are held,
    ``C(m - a, b) = sum over k of (-1)**k C(a, k) C(m - k, b - k)``: of the ``b`` cards, ``k`` are picked to be
    among the ``a``.
    """
    counts, sizes = tree().counts, tree().sizes
    starts, parts, leave, take = [0], [], [], []
    for hand in hands:
        weight = float(WAYS[copies, counts[hand]].prod())
        for part, ways in parts_of(int(hand)):
            parts.append(part)
            leave.append(weight * (-1) ** int(sizes[part]) * ways)
            take.append(float(WAYS[copies - counts[part], counts[hand] - counts[part]].prod()))
        starts.append(len(parts))
    made = Meeting(np.array(starts, np.int64), np.array(parts, np.int64), np.array(leave), np.array(take))
    total = _pairs(made)
    return Meeting(made.starts, made.parts, made.leave / total, made.take)


def _pairs(meeting: Meeting) -> float:
    """Return the weight of all pairs of hands together."""
    taken = np.bincount(meeting.parts, meeting.take)
    return float((meeting.leave * taken[meeting.parts]).sum())
