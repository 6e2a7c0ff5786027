"""Can what a player owes in this turn still be laid (N4.3)?

N4.3 is asked at every acquire, for every card in the bank, and in the middle of a take for every move: most answers
must come from a few operations on words of bits. `kuns_env.kunken.search` answers the rest.
"""

from typing import Final

from kuns_env.jit import jit
from kuns_env.kunken import tables
from kuns_env.kunken.bits import (
    HIGH_WORTH,
    NATURALS,
    SUIT_MASK,
    SUITS,
    fives,
    lowest,
    num_held,
    plain,
    with_card,
)
from kuns_env.kunken.bounds import may_claim, may_lay
from kuns_env.kunken.cards import JOKER, LOW_POINTS, NUM_SUITS
from kuns_env.kunken.greedy import surely_claimed, surely_claims, surely_lays
from kuns_env.kunken.search import search
from kuns_env.kunken.state import LEAST_MELD, SET
from kuns_env.kunken.steps import no_melds

JOKER_BIT: Final = 1 << JOKER


@jit.inline
def in_fives(points):
    """Return the least number of fives that are worth ``points`` or more; 0 for none."""
    return max(0, (points + LOW_POINTS - 1) // LOW_POINTS)


@jit.inline
def counted(first, second, third, bit):
    """Return three words that count the places in ``bit`` once more: in at least one, two, three melds."""
    return first | bit, second | (first & bit), third | (second & bit)


@jit.inline
def with_run(words, low, size, suit):
    """Return the nine words of `turn_words` with a run more that may grow at both ends."""
    above, above_2, above_3, below, below_2, below_3, takes, takes_2, takes_3 = words
    high = 1 << (NUM_SUITS * (low + size - 1) + suit)
    above, above_2, above_3 = counted(above, above_2, above_3, high)
    if low > 0:
        under = 1 << (NUM_SUITS * (low - 1) + suit)
        below, below_2, below_3 = counted(below, below_2, below_3, under)
    return above, above_2, above_3, below, below_2, below_3, takes, takes_2, takes_3


@jit.inline
def with_set(words, rank, cards, identical):
    """Return the nine words of `turn_words` with a set of three more, which holds ``cards``."""
    above, above_2, above_3, below, below_2, below_3, takes, takes_2, takes_3 = words
    suits = SUITS
    if not identical:
        for place in range(LEAST_MELD):
            card = int(cards[place])
            if card != JOKER:
                suits &= ~(1 << (card & SUIT_MASK))
    at = NUM_SUITS * rank
    if (takes >> at) & SUITS == 0:
        takes |= suits << at
    elif (takes_2 >> at) & SUITS == 0:
        takes_2 |= suits << at
    else:
        takes_3 |= suits << at
    return above, above_2, above_3, below, below_2, below_3, takes, takes_2, takes_3


@jit.kernel
def turn_words(melds, first, last, identical, move, grown):
    """Return the ways in which the melds of this turn can grow after ``move`` (N4.4), as nine words.

    Args:
        melds: array of `MELD` records.
        first: the first of those laid in this turn.
        last: the end of those.
        identical: 1 if identical cards may stand in one set.
        move: a new meld or a lay-off that is tried, -1 for none; nothing is written.
        grown: the number of the meld that a lay-off goes to, else -1.

    Returns:
        Bits of card types, each in three words (in at least one, two, three melds; more there cannot be of two
        decks and two jokers): the high end of a run; the place below its low end; the cards that a set of
        three takes (the first, second, third such set of a rank).
    """
    words = no_melds(first)
    for number in range(first, last):
        meld = melds[number]
        low, size = int(meld["low"]), int(meld["size"])
        if number == grown:
            size += 1
            if tables.KIND[move] == tables.LOW:
                low -= 1
        if meld["kind"] != SET:
            words = with_run(words, low, size, int(meld["suit"]))
        elif size == LEAST_MELD:
            words = with_set(words, low, meld["cards"], identical)
    if move >= 0:
        place = int(tables.PLACE[move])
        if tables.KIND[move] == tables.RUN:
            words = with_run(words, place // NUM_SUITS, int(tables.SIZE[move]), place & SUIT_MASK)
        elif tables.KIND[move] == tables.SET:
            words = with_set(words, place // NUM_SUITS, tables.CARDS[move], identical)
    return words


@jit.kernel
def can_complete(one, two, need, claim, leave, melds, first, last, identical, move, grown):
    """Return whether what is owed in this turn can still be laid (N4.2, N4.3, N4.6).

    Args:
        one: the types held, the claimed card among them.
        two: the types held twice.
        need: points still to be laid; not above 0 when none are missing.
        claim: type of the claimed card, of which one must still be laid; -1 for none.
        leave: 1 if a card has to be left in hand (`discard_to_go_out`).
        melds: array of `MELD` records.
        first: the first of the melds of this turn: cards may be laid on ``melds[first:last]``.
        last: the end of those.
        identical: 1 if identical cards may stand in one set (N3.1).
        move: -1; or a new meld or lay-off that is tried: the hand, ``need`` and ``claim`` are those after it,
            ``melds`` those before it.
        grown: the number of the meld that takes the card of a lay-off ``move``, else -1.
    """
    if claim < 0 and need <= 0:
        return not leave or one != 0
    turn = turn_words(melds, first, last, identical, move, grown)
    return pays(one, two, in_fives(need), claim, leave, turn, identical)


@jit.kernel
def pays(one, two, due, claim, leave, turn, identical):
    """Return whether a layout of the hand pays what is owed: first look for one, then `search`. See there."""
    jokers = num_held(one, two, JOKER)
    naturals, twice = one & NATURALS, two & NATURALS
    if claim < 0:
        found = surely_lays(naturals, twice, due, jokers, leave, identical)
    else:
        found = claim < JOKER and surely_claimed(naturals, twice, due, claim, jokers, leave, identical)
    if found:
        return True
    if 0 <= claim < JOKER and not may_lay(naturals, twice, claim, jokers, turn, identical):
        return False
    return search(one, two, due, claim, leave, turn, identical, plain(0, due), plain(1, due)) >= 0


@jit.kernel
def claims(one, two, wanted, need, identical):
    """Return the types of ``wanted`` that can be claimed (N4.3): bits of card types.

    Args:
        one: the types held, the claimed card not in it.
        two: the types held twice.
        wanted: types that lie in the bank.
        need: points to be laid with the claimed card.
        identical: 1 if identical cards may stand in one set (N3.1).
    """
    due = in_fives(need)
    jokers = num_held(one, two, JOKER)
    naturals, twice = one & NATURALS, two & NATURALS
    if fives(naturals) + fives(twice) + (jokers + 1) * HIGH_WORTH < due:
        return 0
    may, of_joker = may_claim(naturals, twice, due, jokers, identical)
    wanted &= may | (JOKER_BIT if of_joker else 0)
    if wanted == 0:
        return 0
    found, of_joker = surely_claims(naturals, twice, due, jokers, identical)
    found = wanted & (found | (JOKER_BIT if of_joker else 0))
    wanted &= ~found
    while wanted != 0:
        bit = wanted & -wanted
        wanted ^= bit
        card = lowest(bit)
        with_one, with_two = with_card(one, two, card)
        if pays(with_one, with_two, due, card, plain(0, due), no_melds(due), identical):
            found |= bit
    return found


@jit.kernel
def claim_leaving(one, two, claim, need, identical):
    """Return whether ``claim`` can be claimed with a card left to discard (N4.3, `discard_to_go_out`).

    Args:
        one: the types held, the claimed card not in it.
        two: the types held twice.
        claim: type of the claimed card.
        need: points to be laid with it.
        identical: 1 if identical cards may stand in one set (N3.1).
    """
    with_one, with_two = with_card(one, two, claim)
    return pays(with_one, with_two, in_fives(need), claim, plain(1, need), no_melds(need), identical)
