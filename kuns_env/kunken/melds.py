"""Melds on the table: what they take, how they begin and grow, and jokers that may be swapped (N3, N8.5, N8.7)."""

from kuns_env.jit import jit
from kuns_env.kunken import tables
from kuns_env.kunken.cards import JOKER, NO_CARD, NUM_RANKS, NUM_SUITS
from kuns_env.kunken.state import LEAST_MELD, RUN, SET

NO_PLACE = -1
SUITS_OF_RANK = (1 << NUM_SUITS) - 1


@jit.inline
def high_place(meld):
    """Return the card type that the high end of a run takes; -1 for a set and for a run up to the ace (N3.2)."""
    rank = int(meld["low"]) + int(meld["size"])
    return NUM_SUITS * rank + int(meld["suit"]) if meld["kind"] == RUN and rank < NUM_RANKS else NO_PLACE


@jit.inline
def low_place(meld):
    """Return the card type that the low end of a run takes; -1 for a set and for a run down to the 2."""
    rank = int(meld["low"]) - 1
    return NUM_SUITS * rank + int(meld["suit"]) if meld["kind"] == RUN and rank >= 0 else NO_PLACE


@jit.inline
def is_open_set(meld):
    """Return whether the meld is a set of three (N3.1)."""
    return meld["kind"] == SET and meld["size"] == LEAST_MELD


@jit.inline
def takes_joker(meld):
    """N3.3: whether one joker more leaves jokers at most half of the cards."""
    return 2 * (int(meld["jokers"]) + 1) <= int(meld["size"]) + 1


@jit.inline
def naturals_of_rank(meld, identical):
    """Return the word of the naturals that N3.1 allows in a set beside those that are in it."""
    word = SUITS_OF_RANK << (NUM_SUITS * int(meld["low"]))
    if identical == 0:
        for i in range(int(meld["size"])):
            if meld["cards"][i] != JOKER:
                word &= ~(1 << int(meld["cards"][i]))
    return word


@jit.inline
def takes(meld, kind, place, joker, identical):
    """N8.5: whether the meld takes a card as `tables.HIGH`, `LOW` or `FOURTH` in ``place``, a joker or not."""
    if joker and not takes_joker(meld):
        return False
    if kind == tables.HIGH:
        return place == high_place(meld)
    if kind == tables.LOW:
        return place == low_place(meld)
    if not is_open_set(meld) or meld["low"] != place // NUM_SUITS:
        return False
    return joker or (naturals_of_rank(meld, identical) >> place) & 1 == 1


@jit.kernel
def first_that_takes(state, first, move, identical):
    """N8.5: the number of the first meld from ``first`` on that takes the card of ``move``, -1 if none does."""
    kind, place, joker = int(tables.KIND[move]), int(tables.PLACE[move]), tables.JOKERS[move] > 0
    for number in range(first, int(state["num_melds"])):
        if takes(state["melds"][number], kind, place, joker, identical):
            return number
    return NO_PLACE


@jit.kernel
def begin(state, seat, move):
    """N8.2-N8.4: put the new meld ``move`` on the table."""
    meld = state["melds"][state["num_melds"]]
    state["num_melds"] += 1
    place, size = int(tables.PLACE[move]), int(tables.SIZE[move])
    is_run = tables.KIND[move] == tables.RUN
    meld["kind"] = RUN if is_run else SET
    meld["owner"] = seat
    meld["low"] = place // NUM_SUITS
    meld["suit"] = place % NUM_SUITS if is_run else -1
    meld["size"] = size
    meld["jokers"] = tables.JOKERS[move]
    meld["cards"][:] = NO_CARD
    meld["layers"][:] = NO_CARD
    first = place // NUM_SUITS if is_run else 0
    for i in range(size):
        meld["cards"][first + i] = tables.CARDS[move, i]
        meld["layers"][first + i] = seat


@jit.kernel
def grow(meld, seat, move):
    """N8.5: put the card of ``move`` on ``meld``."""
    card = tables.CARDS[move, 0]
    kind = tables.KIND[move]
    low, size = int(meld["low"]), int(meld["size"])
    if kind == tables.LOW:
        meld["low"] = low - 1
        at = low - 1
    else:
        at = low + size if kind == tables.HIGH else size
    meld["cards"][at] = card
    meld["layers"][at] = seat
    meld["size"] = size + 1
    if card == JOKER:
        meld["jokers"] += 1


@jit.kernel
def swaps(meld, identical):
    """N3.4: the word of the naturals that may be put in the place of a joker of ``meld``."""
    if meld["jokers"] == 0:
        return 0
    if meld["kind"] == SET:
        return naturals_of_rank(meld, identical)
    word = 0
    for rank in range(int(meld["low"]), int(meld["low"]) + int(meld["size"])):
        if meld["cards"][rank] == JOKER:
            word |= 1 << (NUM_SUITS * rank + int(meld["suit"]))
    return word


@jit.kernel
def swap(state, card, identical):
    """N3.4: put ``card`` in the place of the joker that stands for it, in the oldest meld that has one."""
    for number in range(int(state["num_melds"])):
        meld = state["melds"][number]
        if (swaps(meld, identical) >> card) & 1 == 1:
            at = card // NUM_SUITS
            if meld["kind"] == SET:
                at = 0
                while meld["cards"][at] != JOKER:
                    at += 1
            meld["cards"][at] = card
            meld["jokers"] -= 1
            return
