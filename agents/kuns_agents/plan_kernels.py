"""How all the cards of a hand are best laid: a plan for a turn of Kunken, melds on the table included.

Exact but for rare corners (more than `MOST_STATES` ways that matter at one rank; both jokers in one short run):
where those matter, the legal moves have the last word. A plan goes from the twos up to the aces. All that the lower
ranks have to do with the higher ones are, by suit, the runs that are still open: those that need two cards more,
those that need one, and those that need none, among them the runs on the table. A short run that meets the low
end of one on the table needs nothing more. What is not put into runs goes into sets of its rank.
"""

from typing import Final

import numpy as np

from kuns_agents.compiler import jit
from kuns_env.kunken.cards import FIRST_HIGH, JOKER, NUM_NATURALS, NUM_RANKS, NUM_SUITS
from kuns_env.kunken.sets import MOST_IN_SETS
from kuns_env.kunken.state import LEAST_MELD, RUN

MOST_STATES: Final = 128
"""Ways to come to a rank that are told apart."""
MOST_STEPS: Final = 1024
"""Ways to play the suits of one rank from one of them."""
SLOTS: Final = 1024
SLOT_MASK: Final = SLOTS - 1
HASH: Final = 0x9E3779B1
HASH_SHIFT: Final = 16

SUIT_BITS: Final = 6
"""Open runs of a suit: two bits for those that need two cards, one and none."""
SUIT_FIELD: Final = (1 << SUIT_BITS) - 1
TWO_BITS: Final = 3
JOKERS_AT: Final = SUIT_BITS * NUM_SUITS
"""Jokers left."""
REST_AT: Final = JOKERS_AT + 2
"""Cards of the rank that are not in runs, two bits a suit."""
REST_BITS: Final = 0xFF
CHOICE_BITS: Final = 4
"""What a suit puts into runs: naturals in the lower two bits, jokers above."""
SET_JOKERS_AT: Final = CHOICE_BITS * NUM_SUITS
SET_CARDS_AT: Final = SET_JOKERS_AT + 2
MOST_OPEN: Final = 3

# What `layers` hold of each state.
KEY, VALUE, PARENT, CHOICE = range(4)

# Places of `facts`.
CARDS: Final = 0
"""How many cards of each type are held; then jokers."""
HIGH_ENDS: Final = CARDS + NUM_NATURALS + 1
"""How many runs on the table end at each place, and so take the next."""
LOW_ENDS: Final = HIGH_ENDS + NUM_NATURALS
OPEN_SETS: Final = LOW_ENDS + NUM_NATURALS
"""How many sets of three of each rank are on the table."""
RUN_CARDS: Final = OPEN_SETS + NUM_RANKS
"""The plan: how many naturals of each type go into runs."""
RUN_JOKERS: Final = RUN_CARDS + NUM_NATURALS
SET_CARDS: Final = RUN_JOKERS + NUM_NATURALS
"""How many naturals of each type may go into sets."""
SET_JOKERS: Final = SET_CARDS + NUM_NATURALS
STAMP: Final = SET_JOKERS + NUM_RANKS
NUM_FACTS: Final = STAMP + 1


def workspace():
    """Return the arrays that plans are made in: ``(layers, steps, slots, facts)``."""
    return (
        np.zeros((NUM_RANKS + 1, 4, MOST_STATES), np.int64),
        np.zeros((2, 3, MOST_STEPS), np.int64),
        np.zeros(SLOTS, np.int64),
        np.zeros(NUM_FACTS, np.int64),
    )


@jit.kernel
def look_at_hand(one, two, facts):
    """Write how many cards of each type a hand holds."""
    for card in range(NUM_NATURALS + 1):
        facts[CARDS + card] = ((one >> card) & 1) + ((two >> card) & 1)


@jit.kernel
def look_at_table(state, facts):
    """Write where the melds on the table take cards."""
    for i in range(HIGH_ENDS, RUN_CARDS):
        facts[i] = 0
    for number in range(int(state["num_melds"])):
        meld = state["melds"][number]
        low, size = int(meld["low"]), int(meld["size"])
        if meld["kind"] == RUN:
            facts[HIGH_ENDS + NUM_SUITS * (low + size - 1) + int(meld["suit"])] += 1
            facts[LOW_ENDS + NUM_SUITS * low + int(meld["suit"])] += 1
        elif size == LEAST_MELD:
            facts[OPEN_SETS + low] += 1


@jit.inline
def room(facts, place, jokers):
    """Return whether the place can be filled, or lies in a run on the table."""
    return place < NUM_NATURALS and (facts[CARDS + place] + jokers > 0 or facts[LOW_ENDS + place] > 0)


@jit.kernel
def push_suit(facts, low_worth, high_worth, rank, suit, steps, source, count, target):
    """Play one suit of a rank in every way from every step; return how many steps there are then."""
    place = NUM_SUITS * rank + suit
    held, worth = facts[CARDS + place], high_worth if rank >= FIRST_HIGH else low_worth
    ends = facts[HIGH_ENDS + place - NUM_SUITS] if rank > 0 else 0
    meets = facts[LOW_ENDS + place]
    at, top = SUIT_BITS * suit, 0
    for i in range(count):
        key = steps[source, 0, i]
        opened = (key >> at) & SUIT_FIELD
        two, one = opened & TWO_BITS, (opened >> 2) & TWO_BITS
        long = min((opened >> 4) + ends, MOST_OPEN)
        jokers = (key >> JOKERS_AT) & TWO_BITS
        bare = key & ~(SUIT_FIELD << at)
        for naturals in range(held + 1):
            for wild in range(2 if jokers > 0 and naturals == held else 1):
                cards = naturals + wild
                from_one = min(cards, one)
                from_two = min(cards - from_one, two)
                if two + one - from_two - from_one > meets:
                    continue
                new = cards - from_one - from_two
                on_long = min(new, long)
                new -= on_long
                left = jokers - wild
                if new + from_two > 0 and not room(facts, place + NUM_SUITS, left):
                    continue
                if new > 0 and not (
                    facts[LOW_ENDS + place + NUM_SUITS] > 0 or room(facts, place + 2 * NUM_SUITS, left)
                ):
                    continue
                if top == MOST_STEPS:
                    return top
                after = new | from_two << 2 | min(from_one + on_long, MOST_OPEN) << 4
                steps[target, 0, top] = (
                    (bare | after << at) - (wild << JOKERS_AT) + ((held - naturals) << (REST_AT + 2 * suit))
                )
                steps[target, 1, top] = steps[source, 1, i] + cards * worth
                steps[target, 2, top] = steps[source, 2, i] | (naturals | wild << 2) << (CHOICE_BITS * suit)
                top += 1
    return top


@jit.kernel
def keep(layers, slots, facts, layer, count, key, value, parent, choice):
    """Keep a state in a layer unless one like it is worth as much; return how many the layer holds."""
    stamp = facts[STAMP]
    slot = ((key * HASH) >> HASH_SHIFT) & SLOT_MASK
    while slots[slot] // MOST_STATES == stamp:
        i = slots[slot] % MOST_STATES
        if layers[layer, KEY, i] == key:
            if layers[layer, VALUE, i] < value:
                layers[layer, VALUE, i] = value
                layers[layer, PARENT, i] = parent
                layers[layer, CHOICE, i] = choice
            return count
        slot = (slot + 1) & SLOT_MASK
    if count == MOST_STATES:
        return count
    slots[slot] = stamp * MOST_STATES + count
    layers[layer, KEY, count] = key
    layers[layer, VALUE, count] = value
    layers[layer, PARENT, count] = parent
    layers[layer, CHOICE, count] = choice
    return count + 1


@jit.kernel
def keep_sets(facts, rank, worth, identical, layers, slots, following, parent, key, value, choice):
    """Put what is not in runs into sets, with every number of jokers; return how many states the next rank has."""
    rest, jokers = (key >> REST_AT) & REST_BITS, (key >> JOKERS_AT) & TWO_BITS
    key &= (1 << REST_AT) - 1
    num_rest = (rest & TWO_BITS) + (rest >> 2 & TWO_BITS) + (rest >> 4 & TWO_BITS) + (rest >> 6)
    open_sets = facts[OPEN_SETS + rank]
    for wild in range(jokers + 1 if num_rest + open_sets > 0 else 1):
        most, takes = int(MOST_IN_SETS[identical, rest, wild, 0, 0]), open_sets
        if most < 0:  # no new set has room for so many jokers: they go to those on the table
            if wild > takes:
                continue
            most = int(MOST_IN_SETS[identical, rest, 0, 0, 0])
            takes -= wild
        most += min(takes, num_rest - most)
        chosen = choice | wild << SET_JOKERS_AT | (rest if most > 0 else 0) << SET_CARDS_AT
        following = keep(
            layers, slots, facts, rank + 1, following, key - (wild << JOKERS_AT), value + (most + wild) * worth,
            parent, chosen,
        )  # fmt: skip
    return following


@jit.kernel
def next_rank(facts, low_worth, high_worth, identical, layers, steps, slots, rank, count):
    """Play a rank in every way from each of ``count`` states; return how many states the next one has."""
    facts[STAMP] += 1
    held, following = 0, 0
    for suit in range(NUM_SUITS):
        held += facts[CARDS + NUM_SUITS * rank + suit]
    for i in range(count):
        key = layers[rank, KEY, i]
        if held == 0 and key == 0:
            following = keep(layers, slots, facts, rank + 1, following, 0, layers[rank, VALUE, i], i, 0)
            continue
        steps[0, 0, 0] = key
        steps[0, 1, 0] = layers[rank, VALUE, i]
        steps[0, 2, 0] = 0
        num = 1
        for suit in range(NUM_SUITS):
            num = push_suit(facts, low_worth, high_worth, rank, suit, steps, suit & 1, num, 1 - (suit & 1))
        worth = high_worth if rank >= FIRST_HIGH else low_worth
        for j in range(num):
            following = keep_sets(
                facts, rank, worth, identical, layers, slots, following, i,
                steps[0, 0, j], steps[0, 1, j], steps[0, 2, j],
            )  # fmt: skip
    return following


@jit.kernel
def write_plan(facts, layers, found):
    """Write the plan that ends in state ``found`` after the aces: `RUN_CARDS` and what follows."""
    for rank in range(NUM_RANKS - 1, -1, -1):
        choice = layers[rank + 1, CHOICE, found]
        found = layers[rank + 1, PARENT, found]
        for suit in range(NUM_SUITS):
            place = NUM_SUITS * rank + suit
            facts[RUN_CARDS + place] = (choice >> (CHOICE_BITS * suit)) & TWO_BITS
            facts[RUN_JOKERS + place] = (choice >> (CHOICE_BITS * suit + 2)) & TWO_BITS
            facts[SET_CARDS + place] = (choice >> (SET_CARDS_AT + 2 * suit)) & TWO_BITS
        facts[SET_JOKERS + rank] = (choice >> SET_JOKERS_AT) & TWO_BITS


@jit.kernel
def best_plan(facts, low_worth, high_worth, identical, layers, steps, slots):
    """Return what the best plan is worth, and write it.

    Args:
        facts: `look_at_hand` and `look_at_table` have written the first part.
        low_worth: what it is worth to lay a card of 5 points.
        high_worth: the same of 10 points.
        identical: 1 if identical cards may stand in one set.
        layers: scratch, `workspace`.
        steps: scratch.
        slots: scratch.
    """
    layers[0, KEY, 0] = facts[CARDS + JOKER] << JOKERS_AT
    layers[0, VALUE, 0] = 0
    count = 1
    for rank in range(NUM_RANKS):
        count = next_rank(facts, low_worth, high_worth, identical, layers, steps, slots, rank, count)
    best, found = -1, 0
    for i in range(count):
        if layers[NUM_RANKS, VALUE, i] > best:
            best, found = layers[NUM_RANKS, VALUE, i], i
    write_plan(facts, layers, found)
    return best
