"""Where the hidden cards of a deal can be, from the public story: the pools of `kuns_env.kunken.determinize`."""

from typing import Final

import numpy as np

from kuns_env.jit import jit
from kuns_env.kunken import play
from kuns_env.kunken.bits import num_held, with_card
from kuns_env.kunken.cards import NUM_TYPES
from kuns_env.kunken.deal import begin_turn, clear_meld, cut_bank, put_on_bank
from kuns_env.kunken.hands import without
from kuns_env.kunken.rules import MAX_RESHUFFLES
from kuns_env.kunken.tables import CARDS, DRAW, KIND, SIZE

PUBLIC: Final = -1
COMPLETE: Final = -1
MISFIT: Final = -2
NUM_POOLS: Final = 1 + MAX_RESHUFFLES
"""The cards of the deal, and those of each new stock (N5.1)."""


@jit
def step_back(stuck, origins, least, others):
    """After `trace` got stuck in move ``stuck``: let the last card that may be of a later pool be of that.

    Returns:
        False if there is no such card.
    """
    for i in range(stuck, -1, -1):
        for j in range(origins.shape[1] - 1, -1, -1):
            if others[i, j] != PUBLIC:
                least[i, j] = others[i, j]
                least[i, j + 1 :] = 0
                least[i + 1 :] = 0
                return True
    return False


@jit
def trace(states, rules, viewer, seats, stages, origins, least, others, pools, places, merged):
    """Play the public part of the deal of ``states[0]`` again, on a copy, and follow the cards of each pool.

    Args:
        states: records, ``(1,)``; not written.
        rules: a `RULES` record.
        viewer: a seat.
        seats: int64 ``(num_history,)``: who made each move.
        stages: int64 ``(num_history,)``: which pool the stock was of.
        origins: int64 ``(num_history, 4)``: for each card that left another hand the pool it was of; `PUBLIC`
            for one that everybody had seen come to it.
        least: int64, likewise: the earliest pool that it is taken to be of.
        others: int64, likewise: the next pool that it may be of instead; `PUBLIC` if there is none.
        pools: int64 ``(NUM_POOLS, 2)``: the words of the cards of each pool that the viewer has not located.
        places: int64 ``(NUM_POOLS, MAX_PLAYERS)``: how many of them are in each hand.
        merged: whether all pools are one: then only ``seats``, ``stages`` and ``origins`` are written.

    Returns:
        The move with a card that can be of no pool; `COMPLETE` if there is none; `MISFIT` if the viewer cannot
        have drawn what the record says, as in a record that was itself made of merged pools.
    """
    known = states[0]
    told = states.copy()[0]
    begin_again(told, rules)
    pools[:] = 0
    places[:] = 0
    for seat in range(rules["num_players"]):
        if seat != viewer:
            places[0, seat] = rules["hand_size"]
    begin_pool(known, told, viewer, pools)
    for i in range(seats.shape[0]):
        move = known["history"][i]
        seat, reshuffles = int(told["seat"]), int(told["reshuffles"])
        seats[i] = seat
        origins[i] = PUBLIC
        others[i] = PUBLIC
        stages[i] = 0 if merged else reshuffles
        if merged:
            if seat != viewer and KIND[move] != DRAW:
                mark_hidden(told, seat, move, origins[i])
        elif KIND[move] == DRAW:
            if seat == viewer:
                card = known["drawn"][i]
                if card < 0 or (pools[stages[i], 0] >> card) & 1 == 0:
                    return MISFIT
                leave_pool(pools, stages[i], int(card))
            else:
                places[stages[i], seat] += 1
        elif seat != viewer and not shed(told, seat, move, pools, places, origins[i], least[i], others[i]):
            return i
        play.apply(told, rules, move)
        if told["reshuffles"] > reshuffles and not merged:
            for card in told["stock"][: int(told["num_stock"])]:
                join_pool(pools, reshuffles + 1, card)
    return COMPLETE


@jit
def begin_pool(known, told, viewer, pools):
    """Write the first pool: the cards of the deal that are neither in the bank nor in the viewer's hand."""
    one, two = without(
        known["deck_one"], known["deck_two"], known["dealt_one"][viewer], known["dealt_two"][viewer]
    )
    one, two = without(one, two, told["bank_one"], told["bank_two"])
    pools[0, 0] = one
    pools[0, 1] = two


@jit
def shed(told, seat, move, pools, places, origins, least, others):
    """Let the cards of ``move`` leave the hand of ``seat``; return False if one can be of no pool.

    Of equal cards the known one leaves first, then that of the earliest pool that it may be of.
    """
    one, two = told["known_one"][seat], told["known_two"][seat]
    for j in range(SIZE[move]):
        card = int(CARDS[move, j])
        bit = 1 << card
        if one & bit != 0:
            one, two = without(one, two, bit, 0)
            continue
        pool = next_pool(pools, places, seat, bit, least[j])
        if pool == NUM_POOLS:
            return False
        other = next_pool(pools, places, seat, bit, pool + 1)
        others[j] = other if other < NUM_POOLS else PUBLIC
        origins[j] = pool
        places[pool, seat] -= 1
        leave_pool(pools, pool, card)
    return True


@jit
def mark_hidden(told, seat, move, origins):
    """Write 0 for each card of ``move`` whose origin is hidden: all pools are one."""
    one, two = told["known_one"][seat], told["known_two"][seat]
    for j in range(SIZE[move]):
        bit = 1 << int(CARDS[move, j])
        if one & bit == 0:
            origins[j] = 0
        one, two = without(one, two, bit, 0)


@jit
def find_unseen(state, rules, viewer, pools, places):
    """Write the cards that the viewer has not located, and how many are in each hand, as one pool."""
    pools[:] = 0
    places[:] = 0
    left = np.zeros(NUM_TYPES, np.int64)
    count_unseen(state, rules, viewer, left)
    for card in range(NUM_TYPES):
        for _ in range(left[card]):
            join_pool(pools, 0, card)
    for seat in range(rules["num_players"]):
        if seat != viewer:
            places[0, seat] = state["num_cards"][seat]
            for card in range(NUM_TYPES):
                places[0, seat] -= num_held(state["known_one"][seat], state["known_two"][seat], card)


@jit
def count_unseen(state, rules, viewer, left):
    """Write how many cards of each type the viewer has not located: not on the table, in the bank, known in a hand."""
    for card in range(NUM_TYPES):
        left[card] = num_held(state["deck_one"], state["deck_two"], card)
        for seat in range(rules["num_players"]):
            if seat == viewer:
                left[card] -= num_held(state["one"][seat], state["two"][seat], card)
            else:
                left[card] -= num_held(state["known_one"][seat], state["known_two"][seat], card)
    for i in range(int(state["num_bank"])):
        if i != state["claim_at"]:  # the claimed card is in a hand
            left[state["bank"][i]] -= 1
    for number in range(int(state["num_melds"])):
        for card in state["melds"][number]["cards"]:
            if card >= 0:
                left[card] -= 1


@jit
def fits(state, rules, viewer, pools, places):
    """Return whether the pools hold exactly the cards that are hidden, and as many as there are places for."""
    left = np.zeros(NUM_TYPES, np.int64)
    count_unseen(state, rules, viewer, left)
    for pool in range(NUM_POOLS):
        room = 0
        if pool == state["reshuffles"]:
            room = int(state["num_stock"]) - int(state["stock_next"])
        for seat in range(rules["num_players"]):
            room += places[pool, seat]
        for card in range(NUM_TYPES):
            held = num_held(pools[pool, 0], pools[pool, 1], card)
            left[card] -= held
            room -= held
        if room != 0:
            return False
    wrong = 0
    for card in range(NUM_TYPES):
        wrong += abs(left[card])
    return wrong == 0


@jit
def next_pool(pools, places, seat, bit, first):
    """Return the first pool from ``first`` on of which ``seat`` may hold the card; `NUM_POOLS` if there is none."""
    pool = first
    while pool < NUM_POOLS and (pools[pool, 0] & bit == 0 or places[pool, seat] == 0):
        pool += 1
    return pool


@jit
def join_pool(pools, pool, card):
    """Put ``card`` into ``pool``."""
    one, two = with_card(pools[pool, 0], pools[pool, 1], card)
    pools[pool, 0] = one
    pools[pool, 1] = two


@jit
def leave_pool(pools, pool, card):
    """Take ``card`` out of ``pool``."""
    one, two = without(pools[pool, 0], pools[pool, 1], 1 << card, 0)
    pools[pool, 0] = one
    pools[pool, 1] = two


@jit
def begin_again(told, rules):
    """Set ``told`` back to the beginning of its deal, but for the hidden cards: hands are counted, not held."""
    for number in range(int(told["num_melds"])):
        clear_meld(told["melds"][number])
    told["num_melds"] = 0
    told["num_history"] = 0
    told["reshuffles"] = 0
    cut_bank(told, 0)
    for i in range(int(told["num_first_bank"])):
        put_on_bank(told, told["first_bank"][i])
    told["stock"][:] = 0  # any card will do
    told["stock_next"] = 0
    told["num_stock"] = told["num_first_stock"]
    for seat in range(rules["num_players"]):
        told["one"][seat] = 0
        told["two"][seat] = 0
        told["known_one"][seat] = 0
        told["known_two"][seat] = 0
        told["opened"][seat] = 0
        told["laid_points"][seat] = 0
        told["num_laid"][seat] = 0
        told["takes"][seat] = 0
        told["num_cards"][seat] = rules["hand_size"]
    begin_turn(told, rules, int(told["dealer"]))
