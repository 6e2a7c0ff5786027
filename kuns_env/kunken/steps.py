"""Positions of the search for a layout, and the steps between them.

A position is one int64. Bits, from the lowest: 24 bits the open runs; 2 bits jokers in hand; 4 bits the marked run,
0 for none, else 1 + twice its suit + 1 if it needs two cards; 1 bit whether a card is left over for the discard;
4 bits the rank plus one, 0 at the end; 3 bits the step at this rank; 8 bits what is not in runs of this rank, two bits
a suit; 16 bits what the cards laid so far bring.

A card brings its points in units of five, and where few cards are to be left over a fixed number more (`per_card`).

Open runs are counted by suit: up to three that need two more cards, that need one and that need none. (Four short ones
hold both jokers, and the next place could not continue them all.) Each count is two bits in two words of one bit a
suit.
"""

from typing import Final

from kuns_env.jit import jit
from kuns_env.kunken.bits import (
    NATURALS,
    SUIT_BITS,
    SUIT_MASK,
    SUITS,
    fives,
    in_runs,
    num_held,
    plain,
    popcount,
    worth,
)
from kuns_env.kunken.cards import JOKER, NUM_SUITS
from kuns_env.kunken.sets import MOST_IN_SETS

OPEN_SUIT: Final = 0x111111
"""The counts of the lowest suit."""
SHORT_OPEN: Final = 0xFFFF
NEED_TWO: Final = 0
NEED_ONE: Final = 8
LONG: Final = 16
STEP_1, STEP_2, STEP_3 = NUM_SUITS, 2 * NUM_SUITS, 3 * NUM_SUITS
MOST_OPEN: Final = 3
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
GAIN_BITS: Final = 0xF
MOST_WITH_JOKER: Final = 5
"""A joker and the cards beside it that are in no meld without one."""

# Steps at a rank: the four suits, then a card more on each of up to three sets of this turn, then new sets.
GROW: Final = NUM_SUITS
NEW_SETS: Final = GROW + 3

# Where the words of this turn's melds begin.
ABOVE: Final = 0
BELOW: Final = 3
SETS: Final = 6


@jit.inline
def no_melds(like):
    """Return the nine words of `turn_words` where no meld was laid in this turn; any number is ``like``."""
    no = plain(0, like)
    return no, no, no, no, no, no, no, no, no


@jit.inline
def times(words, place, first):
    """Return how many of the three words from ``words[first]`` on have bit ``place``: 0 to 3."""
    return (
        ((words[first] >> place) & 1) + ((words[first + 1] >> place) & 1) + ((words[first + 2] >> place) & 1)
    )


@jit.inline
def count_open(position, suit, need):
    """Return how many open runs of ``suit`` there are that need `NEED_TWO`, `NEED_ONE` or no (`LONG`) card more."""
    bits = position >> (need + suit)
    return (bits & 1) | ((bits >> (NUM_SUITS - 1)) & 2)


@jit.inline
def opened(suit, need, count):
    """Return the bits of ``count`` open runs."""
    return ((count & 1) | (count & 2) << (NUM_SUITS - 1)) << (need + suit)


@jit.inline
def open_suits(position):
    """Return the suits with open runs: four bits."""
    open_runs = (position | position >> NEED_ONE | position >> LONG) & 0xFF
    return (open_runs | open_runs >> NUM_SUITS) & SUITS


@jit.inline
def runnable(one, turn, jokers):
    """Return the naturals that may be part of a run, of any run with so many jokers (N3.2, N4.4)."""
    near = one >> STEP_1 | one << STEP_1 | one >> STEP_2 | one << STEP_2
    if jokers == 0:
        below, above = turn[BELOW] & one, (turn[ABOVE] << STEP_1) & one
        return in_runs(one) | below | (below >> STEP_1 & one) | above | (above << STEP_1 & one)
    if turn[ABOVE]:
        return one
    if jokers == 1:
        return one & near
    return one & (near | one >> STEP_3 | one << STEP_3)


@jit.inline
def begun_by_jokers(one, turn, jokers):
    """Return the places where a joker may be the highest card of a run, or goes on a run of this turn."""
    if jokers == 0:
        return 0
    near, further, far = one << STEP_1, one << STEP_2, one << STEP_3
    above = turn[ABOVE]
    ends = turn[BELOW] | above << STEP_1
    if jokers == 1:
        return ((near & (further | above << 8)) | ends) & NATURALS
    return ((near & (further | far)) | (further & far) | ends | above << STEP_2 | above << STEP_3) & NATURALS


@jit.inline
def spread(suits):
    """Return four bits, one every two bits."""
    suits = (suits | suits << 2) & 0x33
    return (suits | suits << 1) & 0x55


@jit.kernel
def first_step(one, two, turn, in_run, begun, position):
    """Return the next step at which there is a choice, and the position there.

    Args:
        one: the naturals held.
        two: those held twice.
        turn: nine words, see `turn_words`.
        in_run: see `runnable`.
        begun: see `begun_by_jokers`.
        position: above the last rank.
    """
    step = (position >> STEP_AT) & STEP_BITS
    if step >= GROW:
        return step, position
    at = NUM_SUITS * (((position >> RANK_AT) & RANK_BITS) - 1)
    if step == 0:
        position |= (spread((one >> at) & SUITS) + spread((two >> at) & SUITS)) << REST_AT
    useful = in_run >> at
    if (position >> JOKERS_AT) & COUNT_BITS:
        useful |= begun >> at
    useful = ((useful & SUITS) | open_suits(position)) >> step
    if useful == 0:
        after = GROW if (turn[SETS] >> at) & SUITS else NEW_SETS
    else:
        after = step
        while useful & 1 == 0:
            useful >>= 1
            after += 1
    return after, position + ((after - step) << STEP_AT)


@jit.inline
def hope(one, two, natural, gains, jokers, position, per_card):
    """Return the most points there may be in the end, in units of five; -1 at the end.

    Args:
        one: the naturals held.
        two: those held twice.
        natural: those that may be in melds without a joker.
        gains: what a joker may add, see `joker_gains`.
        jokers: how many there were at first.
        position: between two ranks.
        per_card: what a card brings besides its points.
    """
    rank_end = (position >> RANK_AT) & RANK_BITS
    if rank_end == 0:
        return -1
    at = NUM_SUITS * (rank_end - 1)
    below = natural & ((1 << (at + NUM_SUITS)) - 1)
    left = (position >> JOKERS_AT) & COUNT_BITS
    if left < jokers:
        # A run with a joker may go on with cards that would make no meld by themselves.
        next_one = one & (open_suits(position) << at)
        below |= next_one | (next_one >> NUM_SUITS & one)
    most = (
        (position >> POINTS_AT) + fives(one & below) + fives(two & below) + left * ((gains >> at) & GAIN_BITS)
    )
    if per_card > 0:
        cards = popcount(one & below) + popcount(two & below) + left * MOST_WITH_JOKER
        rest = (1 << (at + NUM_SUITS)) - 1
        most += per_card * min(cards, popcount(one & rest) + popcount(two & rest) + left)
    return most


@jit.inline
def room_below(one, two, turn, place, jokers):
    """Return how many open runs of a suit could take the place below ``place``, and how many two below."""
    below = place - NUM_SUITS
    if below < 0:
        return 0, 0
    near = num_held(one, two, below) + jokers + times(turn, below, ABOVE)
    if below < NUM_SUITS:
        return near, times(turn, below, ABOVE)
    joins = times(turn, below, ABOVE) + times(turn, below - NUM_SUITS, ABOVE)
    return near, num_held(one, two, below - NUM_SUITS) + jokers + joins


@jit.inline
def marked_after(mark, suit, jokers, wild, nearer, num_two):
    """Return the marked run after ``wild`` jokers went into runs of ``suit``.

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
        if mark == 0 or (mark - 1) >> 1 != suit:
            return mark
        return mark - 1 if mark & 1 == 0 else 0
    if nearer > 0:
        return 0
    return 1 + 2 * suit + (0 if num_two > 0 else 1)


@jit.kernel
def push_cards(
    one, two, turn, claim, base, place, need_two, need_one, long, jokers, mark, per_card, stack, top
):
    """Push every way to put cards of one place into runs, and return the new top of the stack.

    Args:
        one: the naturals held.
        two: those held twice.
        turn: nine words, see `turn_words`.
        claim: the claimed type, -1 for none.
        base: the position, next step, without the open runs of this suit, the jokers and the mark.
        place: a card type.
        need_two: the open runs of its suit that need two more cards.
        need_one: those that need one.
        long: those that need none.
        jokers: in hand.
        mark: the marked run.
        per_card: what a card brings besides its points.
        stack: positions to look at.
        top: how many there are.
    """
    suit = place & SUIT_MASK
    held = num_held(one, two, place)
    brings = worth(place >> SUIT_BITS) + per_card
    for wild in range(jokers, -1, -1):
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
            after = marked_after(mark, suit, left, wild, on_long + need_one, need_two)
            to_long = min(to_long, near, MOST_OPEN)
            position = base | opened(suit, NEED_TWO, to_two) | opened(suit, NEED_ONE, to_one)
            position |= opened(suit, LONG, to_long) | left << JOKERS_AT | after << MARK_AT
            stack[top] = position + (cards * brings << POINTS_AT) - (naturals << (REST_AT + 2 * suit))
            top += 1
    return top


@jit.inline
def push_runs(one, two, turn, claim, position, per_card, stack, top):
    """Push every way to play the next suit of the rank, and return the new top of the stack (N3.2, N4.4)."""
    suit = (position >> STEP_AT) & STEP_BITS
    place = NUM_SUITS * (((position >> RANK_AT) & RANK_BITS) - 1) + suit
    jokers = (position >> JOKERS_AT) & COUNT_BITS
    mark = (position >> MARK_AT) & MARK_BITS
    base = position & ~(OPEN_SUIT << suit | COUNT_BITS << JOKERS_AT | MARK_BITS << MARK_AT)
    base += 1 << STEP_AT
    need_two, need_one = count_open(position, suit, NEED_TWO), count_open(position, suit, NEED_ONE)
    # A run of this turn that ends above this place can go on here; one that begins here takes any run above it.
    long = min(count_open(position, suit, LONG) + times(turn, place, BELOW), MOST_OPEN)
    joins = times(turn, place, ABOVE)
    for two_join in range(min(need_two, joins) + 1):
        for one_join in range(min(need_one, joins - two_join) + 1):
            joined = mark > 0 and (mark - 1) >> 1 == suit and (one_join if mark & 1 else two_join) > 0
            top = push_cards(
                one, two, turn, claim, base, place, need_two - two_join, need_one - one_join, long, jokers,
                0 if joined else mark, per_card, stack, top,
            )  # fmt: skip
    return top


@jit.inline
def without_jokers(position, wild):
    """Return the position after ``wild`` jokers went into sets; a run is marked only while one joker is in hand."""
    position -= wild << JOKERS_AT
    return position if (position >> JOKERS_AT) & COUNT_BITS else position & ~(MARK_BITS << MARK_AT)


@jit.kernel
def push_growths(turn, position, per_card, stack, top):
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
    grown = position + ((worth(rank) + per_card) << POINTS_AT)
    if (position >> JOKERS_AT) & COUNT_BITS:
        stack[top] = without_jokers(grown, 1)
        top += 1
    for suit in range(NUM_SUITS):
        if (takes >> suit) & 1 and (position >> (REST_AT + 2 * suit)) & COUNT_BITS:
            stack[top] = grown - (1 << (REST_AT + 2 * suit))
            top += 1
    return top


@jit.kernel
def push_sets(one, two, claim, position, identical, per_card, stack, top):
    """Push every way to lay new sets from what is left of a rank; return the new top of the stack (N3.1, N3.3)."""
    rank = ((position >> RANK_AT) & RANK_BITS) - 1
    rest = (position >> REST_AT) & REST_BITS
    due = 0
    if claim >> SUIT_BITS == rank:
        suit = claim & SUIT_MASK
        if (rest >> (2 * suit)) & COUNT_BITS == num_held(one, two, claim):
            due = 1 + suit  # it is not in a run
    position &= ~(REST_BITS << REST_AT | STEP_BITS << STEP_AT)
    position -= 1 << RANK_AT
    if rest == 0:
        stack[top] = position
        return top + 1
    in_all = (rest & COUNT_BITS) + (rest >> 2 & COUNT_BITS) + (rest >> 4 & COUNT_BITS) + (rest >> 6)
    for wild in range(((position >> JOKERS_AT) & COUNT_BITS) + 1):
        after = without_jokers(position, wild)
        for leave in range(2 - ((position >> LEFT_AT) & 1)):
            most = int(MOST_IN_SETS[identical, rest, wild, due, leave])
            if most >= 0:
                left = 1 if most < in_all else 0
                stack[top] = (after | left << LEFT_AT) + (
                    (most + wild) * (worth(rank) + per_card) << POINTS_AT
                )
                top += 1
    return top
