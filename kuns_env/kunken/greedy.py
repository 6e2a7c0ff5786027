"""What a hand can lay at least: layouts made without any search, sets first or runs first.

What was laid greedily is five numbers, a *pile*: its points in units of five, the cards left over (`one`, `two`), the
cards in its runs, and the cards that its sets could take as their fourth.
"""

from typing import Final

from kuns_env.jit import jit
from kuns_env.kunken.bits import (
    HIGH,
    HIGH_WORTH,
    NATURALS,
    RANKS,
    SUIT_BITS,
    SUITS,
    fives,
    in_runs,
    lowest,
    popcount,
    rank_counts,
    ranks_with,
    without,
    worth,
)
from kuns_env.kunken.cards import NUM_RANKS, NUM_SUITS
from kuns_env.kunken.gains import STEP_1, STEP_2, at_least, gain_planes, highest, set_gains
from kuns_env.kunken.state import LEAST_MELD

MOST_IN_SET: Final = LEAST_MELD + 1
NO_TWO_SETS: Final = 5
"""The one number of cards above three that is not three or four to a set."""


@jit.inline
def lay_sets(one, two, identical):
    """Return the points of sets of all that sets can hold, what is left of the hand, and the cards they would take."""
    counts = rank_counts(one, two, identical)
    full = ranks_with(counts, LEAST_MELD)
    points = fives(one & full)
    if identical:
        odd = ranks_with(counts, NO_TWO_SETS) & ~ranks_with(counts, NO_TWO_SETS + 1)
        points += fives(two & full) - fives(odd & RANKS)
        closed = ranks_with(counts, MOST_IN_SET) & ~ranks_with(counts, NO_TWO_SETS)
        return points, one & ~full, two & ~full, full & ~closed
    takes = full & ~one
    one, two = (one & ~full) | two, two & ~full
    full = ranks_with(rank_counts(one, two, identical), LEAST_MELD)
    points += fives(one & full)
    return points, (one & ~full) | two, two & ~full, takes | (full & ~one)


@jit.inline
def lay_runs(one, two):
    """Return the points of runs as long as they can be, what is left of the hand, and the cards in them."""
    first = in_runs(one)
    one, two = without(one, two, first)
    second = in_runs(one)
    one, two = without(one, two, second)
    return fives(first) + fives(second), one, two, first | second


@jit.kernel
def lay_greedily(one, two, runs_first, identical):
    """Return the pile of a hand without jokers."""
    if runs_first:
        points, one, two, runs = lay_runs(one, two)
        more, one, two, takes = lay_sets(one, two, identical)
    else:
        points, one, two, takes = lay_sets(one, two, identical)
        more, one, two, runs = lay_runs(one, two)
    return points + more, one, two, runs, takes


@jit.inline
def open_ends(one, runs):
    """Return the cards left over beside every place, as `gain_planes` takes them, and where a card makes a run.

    Where a card would go on a run that was laid, no other cards count on that side.
    """
    on_low, on_high = (runs >> STEP_1) & ~runs, (runs << STEP_1) & NATURALS & ~runs
    up, down = (one >> STEP_1) & ~on_low, (one << STEP_1) & NATURALS & ~on_high
    up_2, down_2 = up & (one >> STEP_2), down & (one << STEP_2)
    return up, up_2, down, down_2, up_2 | down_2 | (up & down) | on_low | on_high


@jit.kernel
def lay_joker(pile, identical):
    """Return the pile after a joker was laid where it brings most at once; the same if it fits nowhere.

    No meld of three gets two jokers: in a new one all others are cards left over.
    """
    points, one, two, runs, takes = pile
    pairs = ranks_with(rank_counts(one, two, identical), 2)
    up, up_2, down, down_2, fits = open_ends(one, runs)
    best, places = highest(gain_planes(up, up_2, down, down_2), fits)
    in_pair = LEAST_MELD * (HIGH_WORTH if pairs & HIGH else 1) if pairs else 0
    in_set = (HIGH_WORTH if takes & HIGH else 1) if takes else 0
    if best > max(in_pair, in_set):
        place = places & -places
        cards = (up & place) << STEP_1 | (up_2 & place) << STEP_2
        cards |= (down & place) >> STEP_1 | (down_2 & place) >> STEP_2
        one, two = without(one, two, cards)
        return points + best, one, two, runs | place | cards, takes
    if in_pair > 0:
        rank = rank_of_best(pairs)
        cards = one & rank
        one, two = without(one, two, cards)
        if identical:
            one &= ~cards
        return points + in_pair, one, two, runs, takes | (rank if identical else rank & ~cards)
    if in_set > 0:
        return points + in_set, one, two, runs, takes & ~rank_of_best(takes)
    return pile


@jit.inline
def rank_of_best(cards):
    """Return all four cards of the lowest rank in ``cards`` that counts 10, or of the lowest."""
    high = cards & HIGH
    return SUITS << (NUM_SUITS * (lowest(high if high else cards) >> SUIT_BITS))


@jit.kernel
def claims_of(hand, pile, due, identical):
    """Return the cards that, as one card more, bring ``due`` points with what a pile has, and for jokers the same.

    Args:
        hand: the naturals held, without the claimed card.
        pile: made of them.
        due: in units of five.
        identical: 1 if identical cards may stand in one set.
    """
    points, one, two, runs, takes = pile
    pairs = ranks_with(rank_counts(one, two, identical), 2)
    up, up_2, down, down_2, fits = open_ends(one, runs)
    due -= points
    found = fits & at_least(gain_planes(up, up_2, down, down_2), due)
    of_joker = found | set_gains(pairs, takes, due)
    of_card = found | set_gains(pairs if identical else pairs & ~one, takes, due)
    # Any card equal to the claimed one counts (N4.2).
    return of_card | (hand & ~one if due <= 0 else 0), of_joker


@jit.kernel
def surely_claims(one, two, due, jokers, identical):
    """Return cards that can surely be claimed, and the places where a claimed joker surely can be laid (N4.3).

    Args:
        one: the naturals held, without the claimed card.
        two: those held twice.
        due: points due, in units of five.
        jokers: in hand.
        identical: 1 if identical cards may stand in one set.
    """
    found, of_joker = 0, 0
    for runs_first in range(2):
        pile = lay_greedily(one, two, runs_first, identical)
        for _ in range(jokers):
            pile = lay_joker(pile, identical)
        more, more_of_joker = claims_of(one, pile, due, identical)
        found |= more
        of_joker |= more_of_joker
    return found, of_joker


@jit.kernel
def surely_lays(one, two, due, jokers, leave, identical):
    """Return True only if the hand can lay ``due`` points and, if ``leave``, keep a card.

    Args:
        one: the naturals held.
        two: those held twice.
        due: in units of five.
        jokers: in hand.
        leave: 1 if a card has to be left over.
        identical: 1 if identical cards may stand in one set.
    """
    if fives(one) + fives(two) + HIGH_WORTH * jokers < due:
        return False
    for runs_first in range(2):
        pile = lay_greedily(one, two, runs_first, identical)
        if pile[0] >= due and (not leave or jokers > 0 or pile[1] != 0):
            return True
        for _ in range(jokers):
            pile = lay_joker(pile, identical)
        if jokers > 0 and pile[0] >= due and (not leave or pile[1] != 0):
            return True
    return False


@jit.kernel
def surely_claimed(one, two, due, claim, jokers, leave, identical):
    """Return True only if a meld of three around the claimed card, and then the rest greedily, pays.

    Args:
        one: the naturals held, the claimed card among them.
        two: those held twice.
        due: points due, in units of five.
        claim: a natural.
        jokers: in hand.
        leave: 1 if a card has to be left over.
        identical: 1 if identical cards may stand in one set.
    """
    rank = claim >> SUIT_BITS
    for below in range(LEAST_MELD):
        low = rank - below
        if 0 <= low <= NUM_RANKS - LEAST_MELD:
            run = (1 | 1 << STEP_1 | 1 << STEP_2) << (claim - NUM_SUITS * below)
            missing = popcount(run & ~one)
            if missing <= min(jokers, 1):
                rest, twice = without(one, two, run & one)
                if surely_lays(rest, twice, due - fives(run), jokers - missing, leave, identical):
                    return True
    rest, twice, missing = without_set(one, two, claim, identical)
    due -= LEAST_MELD * worth(rank)
    return missing <= min(jokers, 1) and surely_lays(rest, twice, due, jokers - missing, leave, identical)


@jit.kernel
def without_set(one, two, claim, identical):
    """Return the hand without a card of type ``claim`` and two to make a set with it, and how many of these it lacks.

    Cards with no neighbours in their suit go first.
    """
    at = NUM_SUITS * (claim >> SUIT_BITS)
    beside = one >> STEP_1 | one << STEP_1
    used = 1 << claim
    one, two = without(one, two, used)
    missing = LEAST_MELD - 1
    # In turn: other types without and with neighbours, then second cards of a type.
    for choice in range(3 if identical else 2):
        for card in range(at, at + NUM_SUITS):
            fits = choice == 2 or ((used >> card) & 1 == 0 and (choice == 1 or (beside >> card) & 1 == 0))
            if missing > 0 and fits and (one >> card) & 1:
                one, two = without(one, two, 1 << card)
                used |= 1 << card
                missing -= 1
    return one, two, missing
