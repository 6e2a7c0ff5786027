"""The records that a seat cannot tell from the real one.

Every assignment of the unseen cards to the hidden places is equally likely, given the public facts: what others took
in public view and still hold is known, who is in the middle of a take can complete it (N4.3), and which cards were
shuffled into a new stock is known as well (N5.1). Nothing is inferred from how others chose to play. What others were
dealt and drew is told anew to fit, too: by symmetry every card whose origin is hidden is equally likely to be the one
that came last.

So there are *pools*: the cards of the deal, and those of each new stock. What a seat holds of an earlier pool it has
kept since; it cannot lie in the stock. A card that leaves a hand and may be of two pools is taken for one of the
earlier if that leaves a way to explain the rest. With two players this excludes nothing, as all cards of the earlier
pools are in the other hand; with more some assignments that are possible may be left out, and where a long deal of more
players can be explained in too many ways to try, all pools count as one: then the cards lie as they may, but the story
of deals and draws need not fit.
"""

from typing import Final

import numpy as np

from kuns_env.jit import jit
from kuns_env.kunken.bits import num_held, with_card
from kuns_env.kunken.cards import JOKER, NUM_TYPES
from kuns_env.kunken.complete import can_complete
from kuns_env.kunken.hands import without
from kuns_env.kunken.pools import (
    COMPLETE,
    MISFIT,
    NUM_POOLS,
    PUBLIC,
    find_unseen,
    fits,
    join_pool,
    leave_pool,
    step_back,
    trace,
)
from kuns_env.kunken.rules import MAX_CARDS, MAX_PLAYERS, NUM_DECKS
from kuns_env.kunken.state import NOBODY, OWE
from kuns_env.kunken.tables import CARDS, DRAW, KIND, SIZE
from kuns_env.rng import below, shuffle

NO_MELD: Final = -1
NO_MOVE: Final = -1
NO_CLAIM: Final = -1
ANY: Final = 0
"""A card for a gap in a story."""
MOST_TRACES: Final = 2_000
"""So often the cards that left other hands are given to pools in other ways."""
MOST_DEALS: Final = 20_000
"""So often the unseen cards are dealt in the hope that a take can be completed; then the hand is searched for."""
MOST_SEARCHES: Final = 20
"""So often a hand is searched for, where the pools may be the wrong ones."""
NOT_FOUND: Final = -1
"""In place of the next counter."""
MIXING: Final = 2_000
"""Exchanges of a card by which a hand that was searched for is made a random one."""
STEP: Final = 5
"""Points by which the search for a hand goes up: those of the lowest card (N1.3)."""


@jit
def determinize(known, rules, key_0, key_1, out):
    """Write into ``out[0]`` a full record that the viewer of ``known[0]`` cannot tell from the real one.

    The random state is new: ``key_0`` and ``key_1`` rule what follows.
    """
    out[0] = known[0]
    state = out[0]
    state["key"][0] = key_0
    state["key"][1] = key_1
    viewer = viewer_of(state, rules)
    num_moves = int(state["num_history"])
    seats, stages = np.empty(num_moves, np.int64), np.empty(num_moves, np.int64)
    origins = np.empty((num_moves, CARDS.shape[1]), np.int64)
    pools = np.empty((NUM_POOLS, 2), np.int64)
    places = np.empty((NUM_POOLS, MAX_PLAYERS), np.int64)
    least = np.zeros((num_moves, CARDS.shape[1]), np.int64)
    others = np.empty((num_moves, CARDS.shape[1]), np.int64)
    tries, stuck, merged = 0, 0, False
    while stuck != COMPLETE and tries < MOST_TRACES:
        stuck = trace(out, rules, viewer, seats, stages, origins, least, others, pools, places, merged)
        tries += 1
        if stuck == MISFIT or (stuck != COMPLETE and not step_back(stuck, origins, least, others)):
            break
    if stuck != COMPLETE or not fits(state, rules, viewer, pools, places):
        # Too many ways to try, or a record whose story does not fit: all pools are one, found from what lies where.
        merged = True
        trace(out, rules, viewer, seats, stages, origins, least, others, pools, places, merged)
        find_unseen(state, rules, viewer, pools, places)
    cards, starts = np.empty(MAX_CARDS, np.int8), np.zeros(NUM_POOLS + 1, np.int64)
    write_unseen(pools, cards, starts)
    # Counters from 0 on: the deals of the game draw from 1 << 16 on, this from its own half of the stream.
    counter = deal_unseen(state, rules, viewer, key_0 ^ key_1, key_1, cards, starts, places, merged)
    if counter == NOT_FOUND:
        # With these pools the take could not be completed: the way to explain the story that was found is not the
        # real one. In one pool the real hand is among those that can be dealt.
        merged = True
        trace(out, rules, viewer, seats, stages, origins, least, others, pools, places, merged)
        find_unseen(state, rules, viewer, pools, places)
        write_unseen(pools, cards, starts)
        counter = deal_unseen(state, rules, viewer, key_0 ^ key_1, key_1, cards, starts, places, merged)
    held = np.zeros((NUM_POOLS, MAX_PLAYERS, 2), np.int64)
    hand_out(state, rules, viewer, cards, starts, places, held)
    retell(state, rules, viewer, key_0 ^ key_1, key_1, counter, seats, stages, origins, held)


@jit
def viewer_of(known, rules):
    """Return whose redacted record it is: the only seat whose dealt hand is not blank; -1 is a spectator."""
    for seat in range(rules["num_players"]):
        if known["dealt_one"][seat] != 0:
            return seat
    return NOBODY


# --- the cards --------------------------------------------------------------------------------------------


@jit
def write_unseen(pools, cards, starts):
    """Write the cards of all pools into ``cards``; those of ``pool`` from ``starts[pool]`` on."""
    count = 0
    for pool in range(NUM_POOLS):
        starts[pool] = count
        for card in range(NUM_TYPES):
            for _ in range(num_held(pools[pool, 0], pools[pool, 1], card)):
                cards[count] = card
                count += 1
    starts[NUM_POOLS] = count


@jit
def deal_unseen(state, rules, viewer, key_0, key_1, cards, starts, places, endless):
    """Order each pool at random, cards of a seat that has begun a take first; return the next counter.

    Exact by rejection as long as it takes fewer than `MOST_DEALS` tries, then by exchanges (`search_for`): until a
    hand is found if that is to be ``endless``, else for `MOST_SEARCHES` times, after which it returns `NOT_FOUND`.
    """
    debtor = int(state["seat"])
    counter = 0
    if state["phase"] == OWE and debtor != viewer:
        tries, found = 0, False
        while tries < MOST_DEALS and not found:
            counter = deal_hand(key_0, key_1, counter, cards, starts, places[:, debtor])
            found = pays(state, rules, debtor, cards, starts, places, np.int64(state["need"]))
            tries += 1
        if not found:
            counter = search_for(state, rules, debtor, key_0, key_1, counter, cards, starts, places, endless)
            if counter == NOT_FOUND:
                return counter
        sizes = places[:, debtor]
    else:
        sizes = np.zeros(NUM_POOLS, np.int64)
    for pool in range(NUM_POOLS):
        end = starts[pool + 1]
        counter = shuffle(key_0, key_1, counter, cards, starts[pool] + sizes[pool], end, end)
    return counter


@jit
def deal_hand(key_0, key_1, counter, cards, starts, sizes):
    """Draw the first ``sizes[pool]`` cards of each pool; return the next counter."""
    for pool in range(NUM_POOLS):
        first, end = starts[pool], starts[pool + 1]
        counter = shuffle(key_0, key_1, counter, cards, first, first + sizes[pool], end)
    return counter


@jit
def pays(state, rules, seat, cards, starts, places, need):
    """Return whether ``seat`` with the first cards of each pool can lay ``need`` points and the claimed card."""
    one, two = state["known_one"][seat], state["known_two"][seat]
    for pool in range(NUM_POOLS):
        for i in range(starts[pool], starts[pool] + places[pool, seat]):
            one, two = with_card(one, two, cards[i])
    return can_complete(
        one,
        two,
        np.int64(need),
        np.int64(state["claim"]) if state["claim_due"] == 1 else np.int64(NO_CLAIM),
        np.int64(state["leave"]),
        state["melds"],
        np.int64(state["turn_melds"]),
        np.int64(state["num_melds"]),
        rules["identical_cards_in_set"],
        np.int64(NO_MOVE),
        np.int64(NO_MELD),
    )


@jit
def search_for(state, rules, seat, key_0, key_1, counter, cards, starts, places, endless):
    """Find a hand that pays by exchanging cards under a rising demand, then mix it by exchanges that keep it paying.

    An exchange is as likely one way as the other, so in the limit all hands that pay are equally likely
    (Metropolis et al. 1953). It is for hands so rare that dealing again does not find them. Returns `NOT_FOUND` where
    it gives up.
    """
    need, asked = np.int64(state["need"]), np.int64(0)
    found, searches = False, 0
    while not found:
        if searches == MOST_SEARCHES and not endless:
            return NOT_FOUND
        searches += 1
        counter = deal_hand(key_0, key_1, counter, cards, starts, places[:, seat])
        asked = min(0, need)
        found = pays(state, rules, seat, cards, starts, places, asked)
        if found:
            for _ in range(MIXING):
                counter = exchange(state, rules, seat, key_0, key_1, counter, cards, starts, places, asked)
                while asked < need and pays(
                    state, rules, seat, cards, starts, places, min(asked + STEP, need)
                ):
                    asked = min(asked + STEP, need)
            found = asked == need
    for _ in range(MIXING):
        counter = exchange(state, rules, seat, key_0, key_1, counter, cards, starts, places, need)
    return counter


@jit
def exchange(state, rules, seat, key_0, key_1, counter, cards, starts, places, asked):
    """Exchange a random card of the hand for a random other one of its pool if the hand still pays ``asked``."""
    mine, counter = below(key_0, key_1, counter, places[:, seat].sum())
    pool = 0
    while mine >= places[pool, seat]:
        mine -= places[pool, seat]
        pool += 1
    others = starts[pool] + places[pool, seat]
    if others == starts[pool + 1]:
        return counter
    mine += starts[pool]
    other, counter = below(key_0, key_1, counter, starts[pool + 1] - others)
    other += others
    cards[mine], cards[other] = cards[other], cards[mine]
    if not pays(state, rules, seat, cards, starts, places, asked):
        cards[mine], cards[other] = cards[other], cards[mine]
    return counter


@jit
def hand_out(state, rules, viewer, cards, starts, places, held):
    """Put the unseen cards into the hidden places: first the hand of the seat to act, other hands, the stock.

    Args:
        state: the record.
        rules: a `RULES` record.
        viewer: a seat.
        cards: int8 array: the cards of each pool in the order in which they are handed out.
        starts: int64 ``(NUM_POOLS + 1,)``.
        places: int64 ``(NUM_POOLS, MAX_PLAYERS)``.
        held: int64 ``(NUM_POOLS, MAX_PLAYERS, 2)``: written, the words of what each hand holds of each pool.
    """
    num_players = rules["num_players"]
    for seat in range(num_players):
        if seat != viewer:
            state["one"][seat] = state["known_one"][seat]
            state["two"][seat] = state["known_two"][seat]
    drawn = int(state["stock_next"])
    for pool in range(NUM_POOLS):
        taken = starts[pool]
        for distance in range(num_players):
            seat = (max(int(state["seat"]), 0) + distance) % num_players
            for _ in range(places[pool, seat]):
                join_pool(held[pool], seat, int(cards[taken]))
                one, two = with_card(state["one"][seat], state["two"][seat], cards[taken])
                state["one"][seat] = one
                state["two"][seat] = two
                taken += 1
        for i in range(taken, starts[pool + 1]):
            state["stock"][drawn] = cards[i]
            drawn += 1


# --- the story --------------------------------------------------------------------------------------------


@jit
def retell(state, rules, viewer, key_0, key_1, counter, seats, stages, origins, held):
    """Write what the other seats were dealt and drew, so that they hold what they hold.

    Backwards through the deal: before a draw any card of the stock's pool may be the one drawn.
    """
    for i in range(seats.shape[0] - 1, -1, -1):
        seat = seats[i]
        if seat == viewer:
            continue
        move = state["history"][i]
        for j in range(SIZE[move]):
            if origins[i, j] != PUBLIC:
                join_pool(held[origins[i, j]], seat, int(CARDS[move, j]))
        if KIND[move] == DRAW:
            hand = held[stages[i]]
            card = ANY  # only where all pools were taken for one, the story may have a gap
            if hand[seat, 0] != 0:
                card, counter = any_card(hand[seat, 0], hand[seat, 1], key_0, key_1, counter)
                leave_pool(hand, seat, card)
            state["drawn"][i] = card
    for seat in range(rules["num_players"]):
        if seat != viewer:
            one, two = of_size(held[0, seat, 0], held[0, seat, 1], rules["hand_size"])
            state["dealt_one"][seat] = one
            state["dealt_two"][seat] = two


@jit
def of_size(one, two, size):
    """Return the words of a hand with cards added or left out until it has ``size`` of them.

    It is of the right size already but where all pools were taken for one.
    """
    missing = size
    for card in range(NUM_TYPES):
        missing -= num_held(one, two, card)
    for card in range(JOKER):
        while missing > 0 and num_held(one, two, card) < NUM_DECKS:
            one, two = with_card(one, two, card)
            missing -= 1
        while missing < 0 and num_held(one, two, card) > 0:
            one, two = without(one, two, 1 << card, 0)
            missing += 1
    return one, two


@jit
def any_card(one, two, key_0, key_1, counter):
    """Return (a card of the hand, each copy equally likely, the next counter)."""
    total = 0
    for card in range(NUM_TYPES):
        total += num_held(one, two, card)
    wanted, counter = below(key_0, key_1, counter, total)
    card = 0
    while True:
        wanted -= num_held(one, two, card)
        if wanted < 0:
            return card, counter
        card += 1
