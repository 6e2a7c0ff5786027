"""Kernels over hands as multisets of ranks: the tree of all of them, and the chances that a hand has.

A hand is a *node*: node 0 is the empty hand, and each card leads from a node to a child. Two hands of the
same ranks are the same node, in whatever order their cards came: suits and order never matter (K1.1).
"""

import numpy as np

from kuns_agents.compiler import jit
from kuns_env.kuns.rules import HAND_SIZE
from kuns_env.kuns.state import UNITS
from kuns_env.kuns.value import SUIT_BITS, TENS, hand_value


@jit
def write_values(counts, sizes, zero_is_ten, out):
    """Write the strength of every hand of five (K5), 0 for smaller hands.

    Args:
        counts: int64 ``(nodes, ranks)``: cards of each rank, A to T.
        sizes: int64 ``(nodes,)``.
        zero_is_ten: the reading of K5.5.
        out: int64 ``(nodes,)``.
    """
    ranks = np.zeros(HAND_SIZE, np.int64)
    for node in range(counts.shape[0]):
        out[node] = 0
        if sizes[node] == HAND_SIZE:
            place = 0
            for rank in range(counts.shape[1]):
                for _ in range(counts[node, rank]):
                    ranks[place] = rank + 1
                    place += 1
            value = hand_value(ranks)
            out[node] = TENS if value == 0 and zero_is_ten else value


@jit
def write_distribution(counts, full, values, ways, copies, out):
    """Write the chance of each strength that one unseen hand has, given one's own five cards.

    Exact: the other five come from the deck without one's own, all equally likely.

    Args:
        counts: int64 ``(nodes, ranks)``.
        full: int64: the nodes of five cards that the deck can make.
        values: int64 ``(nodes,)``: strengths.
        ways: float64 ``(5, 6)``: ``ways[n, k]`` hands of ``k`` out of ``n`` cards.
        copies: int64 ``(ranks,)``: cards of each rank in the deck.
        out: float64 ``(nodes, strengths)``: rows of ``full`` are written.
    """
    for own in full:
        out[own, :] = 0.0
        total = 0.0
        for other in full:
            weight = 1.0
            for rank in range(copies.shape[0]):
                if counts[other, rank] > 0:
                    weight *= ways[copies[rank] - counts[own, rank], counts[other, rank]]
            out[own, values[other]] += weight
            total += weight
        out[own, :] /= total


@jit
def average_down(counts, sizes, children, copies, table):
    """Fill in the rows of smaller hands: the average over the next card, which is any unseen one.

    Args:
        counts: int64 ``(nodes, ranks)``.
        sizes: int64 ``(nodes,)``, ascending.
        children: int64 ``(nodes, ranks)``; -1 where there is none.
        copies: int64 ``(ranks,)``: cards of each rank in the deck.
        table: float64 ``(nodes, columns)``: rows of five cards are given, the others written.
    """
    for node in range(counts.shape[0] - 1, -1, -1):
        if sizes[node] == HAND_SIZE:
            continue
        table[node, :] = 0.0
        left = 0
        for rank in range(copies.shape[0]):
            unseen = copies[rank] - counts[node, rank]
            if unseen > 0:
                left += unseen
                table[node, :] += unseen * table[children[node, rank], :]
        table[node, :] /= max(left, 1)


@jit
def average_up(counts, sizes, children, size, table):
    """Fill in the rows of hands of more than ``size`` cards: the average over which of their cards came last.

    Args:
        counts: int64 ``(nodes, ranks)``.
        sizes: int64 ``(nodes,)``, ascending.
        children: int64 ``(nodes, ranks)``; -1 where there is none.
        size: of the hands whose rows are given.
        table: float64 ``(nodes,)``: 0 but for the rows given.
    """
    for node in range(counts.shape[0]):
        if size <= sizes[node] < HAND_SIZE:
            for rank in range(counts.shape[1]):
                child = children[node, rank]
                if child >= 0:
                    table[child] += table[node] * counts[child, rank] / sizes[child]


@jit.inline
def node_of(state, seat, children):
    """Return the node of the cards that ``seat`` holds."""
    node = 0
    for place in range(int(state["num_cards"][seat])):
        node = children[node, int(state["hole"][seat, place]) >> SUIT_BITS]
    return node


@jit
def write_nodes(records, seats, children, out):
    """Write the node of every viewer's own cards into ``out``, int64 ``(B,)``."""
    for row in range(records.shape[0]):
        out[row] = node_of(records[row], seats[row], children)


@jit.inline
def money_left(state, rules, seat):
    """Return the whole chips that ``seat`` can still pay or stake, -1 where money is unlimited (K2.3)."""
    if rules["bankroll"] < 0:
        return -1
    held = (rules["bankroll"] + int(state["standing"][seat])) // UNITS
    return held - int(state["paid"][seat]) - int(state["staked"][seat])
