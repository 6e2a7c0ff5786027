"""Kernels for Kunken: how well the card fits that is drawn from the stock.

The value of a card is a sum over a few of its features, with weights; which weights depends on whether the seat
has opened. Given all that has happened, each card that is left in the stock is as likely to be the next.
"""

import numpy as np

from kuns_agents.compiler import jit
from kuns_env.kunken.cards import FIRST_HIGH, HIGH_POINTS, JOKER, LOW_POINTS, NUM_RANKS, NUM_SUITS, NUM_TYPES
from kuns_env.kunken.moves import DRAW

NEAR = 2
"""Ranks between which two cards of a suit may stand in one run of three."""
MANY = 2
"""Cards that fit a third: a meld could be laid."""
MOST = 3
IS_JOKER, POINTS, SAME_RANK, RANK_PAIR, SAME_RUN, RUN_PAIR = range(6)
"""Features: the joker; points on the table; other cards of its rank that are held, up to three, and whether two or
more; the same of cards of its suit that are near in rank."""
NUM_FEATURES = 6


@jit.inline
def held(state, seat, card):
    """Return how many cards of a type a seat holds."""
    return ((state["one"][seat] >> card) & 1) + ((state["two"][seat] >> card) & 1)


@jit.inline
def worth(state, seat, card, weights):
    """Return what a card is worth to a seat, by ``weights``, float64 ``(NUM_FEATURES,)``."""
    if card == JOKER:
        return weights[IS_JOKER]
    rank, suit = card // NUM_SUITS, card % NUM_SUITS
    same_rank, same_run = 0, 0
    for other in range(NUM_SUITS):
        if other != suit:
            same_rank += held(state, seat, NUM_SUITS * rank + other)
    for near in range(max(rank - NEAR, 0), min(rank + NEAR, NUM_RANKS - 1) + 1):
        if near != rank:
            same_run += held(state, seat, NUM_SUITS * near + suit)
    value = weights[POINTS] * (HIGH_POINTS if rank >= FIRST_HIGH else LOW_POINTS)
    value += weights[SAME_RANK] * min(same_rank, MOST) + weights[SAME_RUN] * min(same_run, MOST)
    value += weights[RANK_PAIR] * (1.0 if same_rank >= MANY else 0.0)
    return value + weights[RUN_PAIR] * (1.0 if same_run >= MANY else 0.0)


@jit
def write_terms(weights, states, moves, num_players, out):
    """Write how lucky each seat is in the card that a decision to draw brings; the others lose it in equal parts.

    Args:
        weights: float64 ``(2, NUM_FEATURES)``: of a seat that has not opened, and of one that has.
        states: full records, ``(B,)``.
        moves: int64 ``(B,)``.
        num_players: seats.
        out: float64 ``(B, P)``.
    """
    worths = np.zeros(NUM_TYPES)
    for i in range(states.shape[0]):
        state = states[i]
        out[i, :] = 0.0
        first, end = int(state["stock_next"]), int(state["num_stock"])
        if moves[i] != DRAW or first >= end:  # N5.1: of a new stock nothing is known yet
            continue
        seat = int(state["seat"])
        own = weights[int(state["opened"][seat])]
        for card in range(NUM_TYPES):
            worths[card] = worth(state, seat, card, own)
        mean = 0.0
        for place in range(first, end):
            mean += worths[state["stock"][place]]
        luck = worths[state["stock"][first]] - mean / (end - first)
        for other in range(num_players):
            out[i, other] = luck if other == seat else -luck / (num_players - 1)
