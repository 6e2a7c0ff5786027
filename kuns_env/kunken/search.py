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

A position of the search is one int64. Bits, from the lowest: by suit 3 x 2 bits, the open runs that need two, one
and no more cards (more than three of a kind could not be continued); 2 bits jokers in hand; 4 bits the marked
run; 1 bit whether a card is left over for the discard; 4 bits the rank plus one; 3 bits the step at this rank;
8 bits what is not in runs of this rank, two bits a suit; 8 bits the points so far in units of five.
"""

from typing import Final

import numpy as np

from kuns_env.jit import jit
from kuns_env.kunken.bits import NATURALS, SUIT_BITS, SUIT_MASK, SUITS, fives, num_held
from kuns_env.kunken.cards import FIRST_HIGH, JOKER, NUM_RANKS, NUM_SUITS
from kuns_env.kunken.sets import MOST_IN_SETS

OPEN_BITS: Final = 6
OPEN_MASK: Final = 0b111111
MOST_OPEN: Final = 3
SHORT_OPEN: Final = 0b001111_001111_001111_001111
COUNT_BITS: Final = 3
JOKERS_AT: Final = 24
MARK_AT: Final = 26
MARK_BITS: Final = 0xF
LEFT_AT: Final = 30
RANK_AT: Final = 31
RANK_BITS: Final = 0xF
STEP_AT: Final = 35
STEP_BITS: Final = 7
REST_AT: Final = 38
REST_BITS: Final = 0xFF
POINTS_AT: Final = 46
KEY: Final = (1 << STEP_AT) - 1

# Steps at a rank: the four suits, then a card more on each of up to three sets of this turn, then new sets.
GROW: Final = NUM_SUITS
NEW_SETS: Final = GROW + 3

# Where the words of this turn's melds begin.
ABOVE: Final = 0
BELOW: Final = 3
SETS: Final = 6
NO_MELDS: Final = (0,) * 9

NEEDS_ONE: Final = 0
NEEDS_TWO: Final = 1
"""Of the marked run."""

PUSHED: Final = 128
"""More than one step pushes: at most 10 ways to join short runs to runs of this turn, times 9 to place cards."""
FIRST_STACK: Final = 1024
FIRST_KNOWN: Final = 256
POINTS_BITS: Final = 8
POINTS_MASK: Final = (1 << POINTS_BITS) - 1
HASH: Final = 0x9E3779B9
HASH_2: Final = 0x85EBCA6B
HASH_MASK: Final = (1 << 24) - 1
HASH_SHIFT: Final = 24


@jit.inline
def times(words, place, first):
    """Return how many of the three words from ``words[first]`` on have bit ``place``: 0 to 3."""
    return (
        ((words[first] >> place) & 1) + ((words[first + 1] >> place) & 1) + ((words[first + 2] >> place) & 1)
    )


@jit.inline
def room_below(one, two, turn, place, jokers):
    """Return how many open runs of a suit could take the place below ``place``, and how many two below."""
    below = place - NUM_SUITS
    if below < 0:
        return 0, 0
    near = num_held(one, two, below) + jokers + times(turn, below, 0)
    if below < NUM_SUITS:
        return near, times(turn, below, 0)
    further = num_held(one, two, below - NUM_SUITS) + jokers
    return near, further + times(turn, below, 0) + times(turn, below - NUM_SUITS, 0)


@jit.inline
def marked_after(mark, suit, jokers, wild, nearer, num_two):
    """Return the marked run after ``wild`` jokers went into runs of ``suit``: 0 is none.

    Args:
        mark: the marked run before.
        suit: the suit of this step.
        jokers: in hand afterwards.
        wild: placed in this step.
        nearer: how many runs it continues that needed one card or none.
        num_two: how many that needed two.
    """
    if jokers != 1:
        return 0
    if wild == 0:
        if mark == 1 + 2 * suit + NEEDS_TWO:
            return mark - 1
        return 0 if mark == 1 + 2 * suit + NEEDS_ONE else mark
    if nearer > 0:
        return 0
    return 1 + 2 * suit + (NEEDS_ONE if num_two > 0 else NEEDS_TWO)


@jit.kernel
def push_cards(one, two, turn, claim, base, place, need_two, need_one, long, jokers, mark, stack, top):
    """Push every way to put cards of one place into runs, and return the new top of the stack.

    Args:
        one: the types held.
        two: the types held twice.
        turn: nine words, see `turn_words`.
        claim: the claimed type, -1 for none.
        base: the position, next step, without the open runs of this suit, the jokers and the mark.
        place: a card type.
        need_two: the open runs of its suit that need two more cards.
        need_one: those that need one.
        long: those that need none.
        jokers: in hand.
        mark: the marked run.
        stack: positions to look at.
        top: how many there are.
    """
    suit = place & SUIT_MASK
    held = num_held(one, two, place)
    worth = 2 if place >= FIRST_HIGH * NUM_SUITS else 1
    for wild in range(jokers + 1):
        left = jokers - wild
        near, further = room_below(one, two, turn, place, left)
        for naturals in range(held + 1):
            cards = naturals + wild
            new = cards - need_two - need_one
            # A joker where a natural is left over is needed only if the other one is in a set of this rank.
            if new < 0 or (wild > 0 and naturals < held and left == 0 and claim != JOKER):
                continue
            on_long = min(new, long)
            new -= on_long
            to_two, to_one, to_long = new, need_two, need_one + on_long
            if mark > 0 and wild > 0 and cards == 1 and (mark - 1) >> 1 == suit:
                # Both jokers in one short run: it needs as many cards more as before.
                to_two, to_one, to_long = need_two, need_one, 0
            if to_two + to_one > near or to_two > further or max(to_two, to_one) > MOST_OPEN:
                continue
            opened = to_two | to_one << 2 | min(to_long, near, MOST_OPEN) << 4
            after = marked_after(mark, suit, left, wild, on_long + need_one, need_two)
            position = base | opened << (OPEN_BITS * suit) | left << JOKERS_AT | after << MARK_AT
            position |= (held - naturals) << (REST_AT + 2 * suit)
            stack[top] = position + (cards * worth << POINTS_AT)
            top += 1
    return top


@jit.kernel
def push_runs(one, two, turn, claim, position, stack, top):
    """Push every way to play the next suit of the rank, and return the new top of the stack (N3.2, N4.4)."""
    suit = (position >> STEP_AT) & STEP_BITS
    place = NUM_SUITS * (((position >> RANK_AT) & RANK_BITS) - 1) + suit
    opened = (position >> (OPEN_BITS * suit)) & OPEN_MASK
    jokers = (position >> JOKERS_AT) & COUNT_BITS
    mark = (position >> MARK_AT) & MARK_BITS
    base = position & ~(OPEN_MASK << (OPEN_BITS * suit) | COUNT_BITS << JOKERS_AT | MARK_BITS << MARK_AT)
    base += 1 << STEP_AT
    need_two, need_one = opened & COUNT_BITS, (opened >> 2) & COUNT_BITS
    # A run of this turn that ends above this place can go on here; one that begins here takes any run above it.
    long = min((opened >> 4) + times(turn, place, BELOW), MOST_OPEN)
    joins = times(turn, place, ABOVE)
    for two_join in range(min(need_two, joins) + 1):
        for one_join in range(min(need_one, joins - two_join) + 1):
            joined = mark > 0 and (mark - 1) >> 1 == suit and (two_join if (mark - 1) & 1 else one_join) > 0
            top = push_cards(
                one, two, turn, claim, base, place, need_two - two_join, need_one - one_join, long, jokers,
                0 if joined else mark, stack, top,
            )  # fmt: skip
    return top


@jit.inline
def without_jokers(position, wild):
    """Return the position after ``wild`` jokers went into sets; a run is marked only while one joker is in hand."""
    position -= wild << JOKERS_AT
    return position if (position >> JOKERS_AT) & COUNT_BITS else position & ~(MARK_BITS << MARK_AT)


@jit.kernel
def push_growths(turn, position, stack, top):
    """Push every way to put a card on a set of this turn, or none; return the new top of the stack (N3.1, N4.4)."""
    rank = ((position >> RANK_AT) & RANK_BITS) - 1
    step = (position >> STEP_AT) & STEP_BITS
    takes = (turn[SETS + step - GROW] >> (NUM_SUITS * rank)) & SUITS
    if takes == 0:
        stack[top] = position + ((NEW_SETS - step) << STEP_AT)
        return top + 1
    position += 1 << STEP_AT
    stack[top] = position
    top += 1
    grown = position + ((2 if rank >= FIRST_HIGH else 1) << POINTS_AT)
    if (position >> JOKERS_AT) & COUNT_BITS:
        stack[top] = without_jokers(grown, 1)
        top += 1
    for suit in range(NUM_SUITS):
        if (takes >> suit) & 1 and (position >> (REST_AT + 2 * suit)) & COUNT_BITS:
            stack[top] = grown - (1 << (REST_AT + 2 * suit))
            top += 1
    return top


@jit.kernel
def push_sets(one, two, claim, position, identical, stack, top):
    """Push every way to lay new sets from what is left of a rank; return the new top of the stack (N3.1, N3.3)."""
    rank = ((position >> RANK_AT) & RANK_BITS) - 1
    rest = (position >> REST_AT) & REST_BITS
    in_all = (rest & COUNT_BITS) + (rest >> 2 & COUNT_BITS) + (rest >> 4 & COUNT_BITS) + (rest >> 6)
    due = 0
    if claim >> SUIT_BITS == rank:
        suit = claim & SUIT_MASK
        if (rest >> (2 * suit)) & COUNT_BITS == num_held(one, two, claim):
            due = 1 + suit  # it is not in a run
    worth = 2 if rank >= FIRST_HIGH else 1
    position &= ~(REST_BITS << REST_AT | STEP_BITS << STEP_AT)
    position -= 1 << RANK_AT
    for wild in range(((position >> JOKERS_AT) & COUNT_BITS) + 1):
        after = without_jokers(position, wild)
        for leave in range(2 - ((position >> LEFT_AT) & 1)):
            most = int(MOST_IN_SETS[identical, rest, wild, due, leave])
            if most >= 0:
                left = 1 if most < in_all else 0
                stack[top] = (after | left << LEFT_AT) + ((most + wild) * worth << POINTS_AT)
                top += 1
    return top


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


@jit.inline
def may_pay(one, two, need, position):
    """Return False only if all the cards below would not bring the points that are missing."""
    rank_end = (position >> RANK_AT) & RANK_BITS
    below = (1 << (NUM_SUITS * rank_end)) - 1
    most = fives(one & below) + fives(two & below)
    most += ((position >> JOKERS_AT) & COUNT_BITS) * (2 if rank_end > FIRST_HIGH else 1)
    return rank_end > 0 and (position >> POINTS_AT) + most >= need


@jit.inline
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
def search(one, two, need, claim, leave, turn, identical):
    """Return whether a layout of the hand pays what is owed (N4.3).

    Args:
        one: the types held, the claimed card among them.
        two: the types held twice.
        need: points still to be laid, in units of five.
        claim: type of the claimed card, -1 for none.
        leave: 1 if a card has to be left over.
        turn: nine words, see `turn_words`.
        identical: 1 if identical cards may stand in one set.
    """
    stack = np.empty(FIRST_STACK, np.int64)
    known = np.zeros(FIRST_KNOWN, np.int64)
    num_known = 0
    jokers = num_held(one, two, JOKER)
    one, two = one & NATURALS, two & NATURALS
    stack[0] = jokers << JOKERS_AT | (1 - leave) << LEFT_AT | NUM_RANKS << RANK_AT
    top = 1
    while top > 0:
        top -= 1
        position = stack[top]
        step = (position >> STEP_AT) & STEP_BITS
        if step == 0:
            if is_paid(one, claim, need, jokers, position):
                return True
            if not may_pay(one, two, need, position) or not is_new(known, position):
                continue
            num_known += 1
            if 2 * num_known > len(known):
                known = enlarged(known)
        if top + PUSHED > len(stack):
            longer = np.empty(2 * len(stack), np.int64)
            longer[:top] = stack[:top]
            stack = longer
        if step < GROW:
            top = push_runs(one, two, turn, claim, position, stack, top)
        elif step < NEW_SETS:
            top = push_growths(turn, position, stack, top)
        else:
            top = push_sets(one, two, claim, position, identical, stack, top)
    return False
