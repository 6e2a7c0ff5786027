"""Does a hand have a layout that pays what is owed (N4.3)? Exact, for any hand.

By N8.8 the order of the moves does not matter: what counts is which layout of the cards there is. A search goes
from the aces down to the twos, and at each rank from suit to suit: how many cards go into runs of that suit, then
what of the rank goes into sets. All that the cards above have to do with those below are the runs that are still
open at their low end. Of these only three kinds matter, counted by suit: those that need two more cards, those that
need one, and those that need none. A short one must be continued; beyond that a card is best put on a long
one, which may end anywhere, and only then begins a new one. So how many cards go into runs says all.

Jokers are further cards of any place. There are two at most, so N3.3 forbids only a meld of three with both: a
short run that holds a joker while the other is still in hand is *marked*, and the other would make it longer by
one. At most one is. At a place where several runs take a card, the joker is best put on the longest that is not
marked.

Every position between two ranks is looked at once: its number is known then, and with no more points it leads nowhere
new. `kuns_env.kunken.steps` has the moves between positions, `kuns_env.kunken.bounds` what can be hoped for.
"""

from typing import Final

import numpy as np

from kuns_env.jit import jit
from kuns_env.kunken.bits import NATURALS, fives, num_held
from kuns_env.kunken.bounds import joker_gains, meldable
from kuns_env.kunken.cards import JOKER, NUM_RANKS, NUM_SUITS
from kuns_env.kunken.greedy import lay_greedily
from kuns_env.kunken.steps import (
    COUNT_BITS,
    GROW,
    JOKERS_AT,
    LEFT_AT,
    NEW_SETS,
    POINTS_AT,
    RANK_AT,
    RANK_BITS,
    SHORT_OPEN,
    STEP_AT,
    STEP_BITS,
    begun_by_jokers,
    first_step,
    hope,
    push_growths,
    push_runs,
    push_sets,
    runnable,
)

KEY: Final = (1 << STEP_AT) - 1
PUSHED: Final = 128
"""More than one step pushes: at most 10 ways to join short runs to runs of this turn, times 9 to place cards."""
FIRST_KNOWN: Final = 256
FIRST_STACK: Final = 1024
UNSEEN: Final = 40
"""Positions that are looked at before any is remembered: most searches end sooner."""
POINTS_BITS: Final = 16
POINTS_MASK: Final = (1 << POINTS_BITS) - 1
HASH: Final = 0x9E3779B9
HASH_2: Final = 0x85EBCA6B
HASH_MASK: Final = (1 << 24) - 1
HASH_SHIFT: Final = 24


@jit.inline
def is_paid(one, claim, need, jokers, position):
    """Return whether a position between two ranks pays what is owed: cards that are not laid yet are left over."""
    rank_end = (position >> RANK_AT) & RANK_BITS
    left = (position >> JOKERS_AT) & COUNT_BITS
    if position & SHORT_OPEN or position >> POINTS_AT < need:
        return False
    if (claim == JOKER and left == jokers) or (claim != JOKER and 0 <= claim < NUM_SUITS * rank_end):
        return False
    return (position >> LEFT_AT) & 1 == 1 or left > 0 or one & ((1 << (NUM_SUITS * rank_end)) - 1) != 0


@jit.kernel
def greedy_value(one, two, need, claim, jokers, position, identical):
    """Return the points when the ranks below are laid greedily, without jokers; -1 if that does not pay."""
    rank_end = (position >> RANK_AT) & RANK_BITS
    below = (1 << (NUM_SUITS * rank_end)) - 1
    one &= below
    two &= below
    laid = position >> POINTS_AT
    left = (position >> JOKERS_AT) & COUNT_BITS
    if laid + fives(one) + fives(two) < need or (claim == JOKER and left == jokers):
        return -1
    kept = (position >> LEFT_AT) & 1 == 1 or left > 0
    pending = 1 << claim if 0 <= claim < NUM_SUITS * rank_end else 0
    best = -1
    for runs_first in range(2):
        points, free, _, _, _ = lay_greedily(one, two, runs_first, identical)
        if laid + points >= max(need, best + 1) and pending & free == 0 and (kept or free != 0):
            best = laid + points
    return best


@jit.kernel
def is_new(known, position):
    """Return whether no position like this one with as many points was known, and remember it.

    Args:
        known: a table with room, of a length that is a power of two; 0 is an empty place.
        position: between two ranks.
    """
    key = position & KEY
    entry = (key << POINTS_BITS | position >> POINTS_AT) + 1
    last = len(known) - 1
    place = ((key & HASH_MASK) * HASH ^ (key >> HASH_SHIFT) * HASH_2) >> HASH_SHIFT & last
    while known[place] != 0 and (known[place] - 1) >> POINTS_BITS != key:
        place = (place + 1) & last
    better = known[place] < entry
    if better:
        known[place] = entry
    return better


@jit.allocating
def enlarged(known):
    """Return a table four times as long with the same entries."""
    larger = np.zeros(4 * len(known), np.int64)
    for entry in known:
        if entry != 0:
            key = (entry - 1) >> POINTS_BITS
            is_new(larger, key | ((entry - 1) & POINTS_MASK) << POINTS_AT)
    return larger


@jit.allocating
def doubled(stack):
    """Return a stack of twice the size that begins with ``stack``."""
    larger = np.empty(2 * len(stack), np.int64)
    larger[: len(stack)] = stack
    return larger


@jit.allocating
def search(one, two, need, claim, leave, turn, identical, per_card, first):
    """Return what a layout of the hand brings, in units of five, if it pays what is owed (N4.3); else -1.

    Args:
        one: the types held, the claimed card among them.
        two: the types held twice.
        need: what it must bring.
        claim: type of the claimed card, which is in the hand; -1 for none.
        leave: 1 if a card has to be left over.
        turn: nine words, see `turn_words`.
        identical: 1 if identical cards may stand in one set.
        per_card: what a card brings besides its points.
        first: 1 to return the first layout that pays, 0 for the one that brings most.
    """
    jokers = num_held(one, two, JOKER)
    one, two = one & NATURALS, two & NATURALS
    natural = meldable(one, two, turn, identical)
    gains = joker_gains(one, two, natural, identical) if jokers > 0 else 0
    start = jokers << JOKERS_AT | (1 - leave) << LEFT_AT | NUM_RANKS << RANK_AT
    best = -1
    if hope(one, two, natural, gains, jokers, start, per_card) < need:
        return best
    in_run, begun = runnable(one, turn, jokers), begun_by_jokers(one, turn, jokers)
    known, num_seen = np.empty(FIRST_KNOWN, np.int64), 0
    stack, top = np.empty(FIRST_STACK, np.int64), 1
    stack[0] = start
    while top > 0:
        top -= 1
        position = stack[top]
        step = (position >> STEP_AT) & STEP_BITS
        if step == 0:
            brings = position >> POINTS_AT if is_paid(one, claim, need, jokers, position) else -1
            if position & SHORT_OPEN == 0 and per_card == 0 and (brings < 0 or not first):
                brings = max(brings, greedy_value(one, two, need, claim, jokers, position, identical))
            if brings >= need:
                if first:
                    return brings
                best, need = brings, brings + 1
            if hope(one, two, natural, gains, jokers, position, per_card) < need:
                continue
            num_seen += 1
            if num_seen == UNSEEN:
                known[:] = 0
            if num_seen >= UNSEEN:
                if not is_new(known, position):
                    continue
                if 2 * (num_seen - UNSEEN) > len(known):
                    known = enlarged(known)
        if top + PUSHED > len(stack):
            stack = doubled(stack)
        step, position = first_step(one, two, turn, in_run, begun, position)
        if step < GROW:
            top = push_runs(one, two, turn, claim, position, per_card, stack, top)
        elif step < NEW_SETS:
            top = push_growths(turn, position, per_card, stack, top)
        else:
            top = push_sets(one, two, claim, position, identical, per_card, stack, top)
    return best
