"""The kernel of `greedy`: take all it can, lay all it can, throw away what fits worst."""

from typing import Final

import numpy as np

from kuns_agents.compiler import jit
from kuns_env.kunken import moves, tables
from kuns_env.kunken.bits import NATURALS, lowest
from kuns_env.kunken.cards import FIRST_HIGH, JOKER, NUM_NATURALS, NUM_SUITS
from kuns_env.kunken.melds import SUITS_OF_RANK
from kuns_env.kunken.state import ACQUIRE

OF_RANK: Final = 3
"""What a card more of its rank is worth to a card, in the measure by which `greedy` discards."""
BESIDE: Final = 3
"""What the next card of its suit is worth to it."""
ONE_OFF: Final = 2
"""What the one after that is worth."""
HIGH_CARD: Final = 1
"""What it is worth to count 10 points."""
NO_MOVE: Final = -1

NUM_BITS: Final = np.array([bin(i).count("1") for i in range(1 << NUM_SUITS)], np.int64)
"""How many suits a word of four bits names."""


@jit
def choose_greedy(records, seats, masks, out):
    """Write the move of `greedy` for every row.

    Args:
        records: redacted `STATE` records ``(B,)``.
        seats: int64 ``(B,)``, the seats to act.
        masks: int8 ``(B, NUM_MOVES)``.
        out: int64 ``(B,)``.
    """
    for row in range(records.shape[0]):
        out[row] = greedy_move(records[row], int(seats[row]), masks[row])


@jit.kernel
def greedy_move(state, seat, mask):
    """Return the move of `greedy` in one position."""
    if state["phase"] == ACQUIRE:
        return deepest_take(state, mask)
    move = most_points(mask)
    return move if move >= 0 else moves.DISCARD_BASE + worst_card(state["one"][seat], state["two"][seat])


@jit.kernel
def deepest_take(state, mask):
    """Return the legal take that brings the most cards, else the draw (N8.1)."""
    seen = 0
    for place in range(int(state["num_bank"])):
        card = int(state["bank"][place])
        bit = 1 << card
        deep = state["bank_two"] & bit & ~seen != 0
        move = (moves.DEEP_BASE if deep else moves.TAKE_BASE) + card
        if mask[move] == 1:
            return move
        seen |= bit
    return moves.DRAW


@jit.kernel
def most_points(mask):
    """Return the legal swap, or the meld or lay-off of most points and fewest jokers; -1 if there is none."""
    for move in range(moves.SWAP_BASE, moves.NUM_MOVES):
        if mask[move] == 1:
            return move
    best, found = -1, NO_MOVE
    for move in range(moves.SET_BASE, moves.DISCARD_BASE):
        if mask[move] == 1:
            # A point is worth more than a joker saved, and a joker saved decides between equals.
            worth = (int(tables.POINTS[move]) << 2) - int(tables.JOKERS[move])
            if worth > best:
                best, found = worth, move
    return found


@jit.kernel
def worst_card(one, two):
    """Return the type of the card that fits the others of a hand worst; a joker only where there is no other."""
    naturals = one & NATURALS
    beside = (naturals << NUM_SUITS) | (naturals >> NUM_SUITS)
    one_off = (naturals << (2 * NUM_SUITS)) | (naturals >> (2 * NUM_SUITS))
    least, found, rest = 1 << NUM_NATURALS, JOKER, naturals
    while rest != 0:
        card = lowest(rest)
        rest &= rest - 1
        at = card // NUM_SUITS * NUM_SUITS
        of_rank = (naturals >> at) & SUITS_OF_RANK
        twice = (two >> at) & SUITS_OF_RANK
        worth = OF_RANK * (NUM_BITS[of_rank] + NUM_BITS[twice] - 1)
        worth += BESIDE * ((beside >> card) & 1) + ONE_OFF * ((one_off >> card) & 1)
        if card >= FIRST_HIGH * NUM_SUITS:
            worth += HIGH_CARD
        if worth < least:
            least, found = worth, card
    return found
