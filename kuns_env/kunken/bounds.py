"""What a hand can lay at most: for all claimed cards at once (`may_claim`), and for the search.

A layout is made of melds without wild cards, which are the jokers and the claimed card, and of at most one *special*
meld for each of these. The first can have no more points than all the cards that are in any such meld; each special
meld adds no more than its gain: the points of its wild cards and of those cards beside it that are in no meld without.
There are at most two on a side: three in a row would be a meld.
"""

from typing import Final

from kuns_env.jit import jit
from kuns_env.kunken.bits import (
    HIGH,
    HIGH_WORTH,
    NATURALS,
    RANKS,
    SUIT_BITS,
    SUIT_MASK,
    SUITS,
    fives,
    in_runs,
    plain,
    popcount,
    rank_counts,
    ranks_with,
    worth,
)
from kuns_env.kunken.cards import NUM_RANKS, NUM_SUITS
from kuns_env.kunken.gains import (
    STEP_1,
    STEP_2,
    at_least,
    gain_planes,
    highest,
    plus,
    set_gains,
    set_worth,
)
from kuns_env.kunken.state import LEAST_MELD
from kuns_env.kunken.steps import ABOVE, BELOW, SETS

REACH: Final = 5
"""Two cards, a joker, two cards."""
MOST_OF_TWO: Final = 4 * HIGH_WORTH
"""Two jokers and two cards."""


@jit.inline
def shifted(word, places):
    """Return ``word`` moved down by ``places``, or up where it is negative."""
    return word >> places if places > 0 else (word << -places) & NATURALS


@jit.kernel
def with_joker_beside(one, new, planes, step):
    """Return the planes with the cards of ``new`` added that a place reaches in one direction with a joker.

    Args:
        one: the naturals held.
        new: those that count.
        planes: what the place and the cards on its other side bring.
        step: `NUM_SUITS` for upwards, less than 0 for downwards.
    """
    next_1, next_2 = shifted(one, step), shifted(one, 2 * step)
    next_3, next_4 = shifted(one, 3 * step), shifted(one, 4 * step)
    reach_2 = next_1 | next_2
    reach_3 = (next_1 & next_2) | (next_3 & reach_2)
    reach_4 = (next_1 & next_2 & next_3) | (next_4 & reach_3)
    for distance in range(1, REACH + 1):
        cards = shifted(new, distance * step)
        if distance > 2:
            cards &= reach_2 if distance == 3 else reach_3 if distance == 4 else reach_4
        planes = plus(planes, cards)
        planes = plus(planes, cards & shifted(HIGH, distance * step))
    return planes


@jit.inline
def beside(one, new):
    """Return where cards of ``new`` are beside a place, one or two up and down, and where three make a run."""
    up, down = one >> STEP_1, (one << STEP_1) & NATURALS
    up_2, down_2 = up & (one >> STEP_2), down & (one << STEP_2)
    runs = up_2 | down_2 | (up & down)
    return (
        up & (new >> STEP_1),
        up_2 & (new >> STEP_2),
        down & (new << STEP_1),
        down_2 & (new << STEP_2),
        runs,
    )


@jit.kernel
def may_claim(one, two, due, jokers, identical):
    """Return the places of which a card may bring ``due`` points, and those where a claimed joker may.

    A place that is not among them cannot; no more is said.

    Args:
        one: the naturals held, without the claimed card.
        two: those held twice.
        due: points due, in units of five.
        jokers: in hand.
        identical: 1 if identical cards may stand in one set.
    """
    counts = rank_counts(one, two, identical)
    full = ranks_with(counts, LEAST_MELD)
    pairs = ranks_with(counts, 2) & ~full
    natural = in_runs(one) | full
    due -= fives(one & natural) + fives(two & natural)
    new = one & ~natural
    up_1, up_2, down_1, down_2, runs = beside(one, new)
    planes = gain_planes(up_1, up_2, down_1, down_2)
    if jokers > 0:
        best = max(highest(planes, runs)[0], best_in_sets(pairs, full))
        single = ranks_with(counts, 1) & ~full & ~pairs
        found, alone = may_claim_with_jokers(one, new, due, jokers, best, single, pairs, full)
    else:
        found, alone = 0, due
    found |= runs & at_least(planes, alone)
    in_sets = set_gains(pairs, full, alone)
    # The second of two identical cards makes no set of a pair.
    return found | (in_sets if identical else in_sets & ~(pairs & one)), found | in_sets


@jit.inline
def best_in_sets(pairs, full):
    """Return the most that a joker adds in a set."""
    if pairs:
        return LEAST_MELD * (HIGH_WORTH if pairs & HIGH else 1)
    return HIGH_WORTH if full & HIGH else 1


@jit.kernel
def may_claim_with_jokers(one, new, due, jokers, best, single, pairs, full):
    """Return the places that may bring ``due`` in one meld with jokers, and what is due of one in a meld without.

    Args:
        one: the naturals held.
        new: those in no meld without wild cards.
        due: points due beyond those melds, in units of five.
        jokers: in hand: 1 or 2.
        best: the most that a joker by itself adds.
        single: places of ranks of which one card is held.
        pairs: of which two are.
        full: of which three or more are.
    """
    up_1, up_2, down_1, down_2, _ = beside(one, new)
    up = with_joker_beside(one, new, gain_planes(0, 0, down_1, down_2), plain(NUM_SUITS, one))
    down = with_joker_beside(one, new, gain_planes(up_1, up_2, 0, 0), plain(-NUM_SUITS, one))
    others = 0
    alone = due - best
    found = 0
    if jokers == 2:
        # Both jokers in one meld, or the claimed card and both.
        both = max(highest(up, NATURALS)[0], highest(down, NATURALS)[0]) + HIGH_WORTH
        in_set = (LEAST_MELD + 1) * (HIGH_WORTH if pairs & HIGH else 1)
        alone = due - max(2 * best, both, in_set)
        others = best
        more = due - MOST_OF_TWO
        found = at_least(up, more) | at_least(down, more) | (single & set_worth(4, due))
    least = due - others
    near = one >> STEP_1 | one >> STEP_2 | one << STEP_1 | one << STEP_2
    found |= near & (at_least(up, least - HIGH_WORTH) | at_least(down, least - HIGH_WORTH))
    found |= (single & set_worth(3, least)) | (pairs & set_worth(4, least)) | (full & set_worth(2, least))
    return found & NATURALS, alone


@jit.kernel
def may_lay(one, two, claim, jokers, turn, identical):
    """Return False only if no meld can hold the card ``claim`` of the hand.

    Args:
        one: the naturals held, ``claim`` among them.
        two: those held twice.
        claim: a natural.
        jokers: in hand.
        turn: nine words, see `turn_words`.
        identical: 1 if identical cards may stand in one set.
    """
    suit = RANKS << (claim & SUIT_MASK)
    if (turn[ABOVE] | turn[BELOW]) & suit or ((turn[SETS] | turn[SETS + 1] | turn[SETS + 2]) >> claim) & 1:
        return True
    # A meld has at least three cards with a joker among them, or four with two.
    counts = rank_counts(one, two, identical)
    if (ranks_with(counts, 2 if jokers > 0 else LEAST_MELD) >> claim) & 1:
        return True
    rank = claim >> SUIT_BITS
    for wild in range(jokers + 1):
        size = max(LEAST_MELD, 2 * wild)
        for low in range(max(0, rank - size + 1), min(rank, NUM_RANKS - size) + 1):
            places = suit & (((1 << (NUM_SUITS * size)) - 1) << (NUM_SUITS * low))
            if popcount(places & ~one) <= wild:
                return True
    return False


@jit.kernel
def meldable(one, two, turn, identical):
    """Return the naturals that may be in melds without a joker, or on melds of this turn (N3.1, N3.2, N4.4).

    Args:
        one: the naturals held.
        two: those held twice.
        turn: nine words, see `turn_words`.
        identical: 1 if identical cards may stand in one set.
    """
    below, above = turn[BELOW] & one, (turn[ABOVE] << STEP_1) & one
    sets = turn[SETS] | turn[SETS] >> 1
    sets = ((sets | sets >> 2) & RANKS) * SUITS
    sets |= ranks_with(rank_counts(one, two, identical), LEAST_MELD)
    return one & (in_runs(one) | sets | below | below >> STEP_1 | above | above << STEP_1)


@jit.kernel
def joker_gains(one, two, natural, identical):
    """Return the most that a joker of a rank or below may add to the ``natural`` cards: four bits a rank."""
    counts = rank_counts(one, two, identical)
    pairs = ranks_with(counts, 2) & ~ranks_with(counts, LEAST_MELD)
    up_1, up_2, down_1, down_2, _ = beside(one, one & ~natural)
    planes = gain_planes(up_1, up_2, down_1, down_2)
    most, gains = 0, 0
    for rank in range(NUM_RANKS):
        places = SUITS << (NUM_SUITS * rank)
        most = max(most, highest(planes, places)[0])
        if pairs & places:
            most = max(most, LEAST_MELD * worth(rank))
        gains |= most << (NUM_SUITS * rank)
    return gains
