"""The records that a seat cannot tell from the real one.

Every assignment of the unseen cards to the hidden places is equally likely, given the public facts: what others took
in public view and still hold is known, and who is in the middle of a take can complete it (N4.3). Nothing is inferred
from how others chose to play. What others were dealt and drew is told anew to fit, too: by symmetry every card whose
origin is hidden is equally likely to be the one that came last.
"""

from typing import Final

import numpy as np

from kuns_env.jit import jit
from kuns_env.kunken import play
from kuns_env.kunken.cards import NO_CARD, NUM_TYPES
from kuns_env.kunken.complete import can_complete
from kuns_env.kunken.deal import begin_turn, clear_meld, cut_bank, put_on_bank
from kuns_env.kunken.hands import with_card, without
from kuns_env.kunken.rules import MAX_CARDS
from kuns_env.kunken.state import NOBODY, OWE
from kuns_env.kunken.tables import CARDS, DRAW, KIND, SIZE
from kuns_env.rng import below, shuffle

NO_MELD: Final = -1
NO_MOVE: Final = -1
NO_CLAIM: Final = -1
MOST_DEALS: Final = 20_000
"""So often the unseen cards are dealt in the hope that a take can be completed; then the hand is searched for."""
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
    unseen = np.empty(MAX_CARDS, np.int8)
    count = write_unseen(state, rules, viewer, unseen)
    # Counters from 0 on: the deals of the game draw from 1 << 16 on, this from its own half of the stream.
    counter = deal_unseen(state, rules, viewer, key_0 ^ key_1, key_1, unseen, count)
    hand_out(state, rules, viewer, unseen, count)
    retell(out, rules, viewer, key_0 ^ key_1, key_1, counter)


@jit
def viewer_of(known, rules):
    """Return whose redacted record it is: the only seat whose dealt hand is not blank; -1 is a spectator."""
    for seat in range(rules["num_players"]):
        if known["dealt_one"][seat] != 0:
            return seat
    return NOBODY


@jit
def write_unseen(state, rules, viewer, unseen):
    """Write the cards of the deal that ``viewer`` has not located into ``unseen``; return how many there are."""
    left = np.zeros(NUM_TYPES, np.int64)
    for card in range(NUM_TYPES):
        left[card] = ((state["deck_one"] >> card) & 1) + ((state["deck_two"] >> card) & 1)
    for i in range(int(state["num_bank"])):
        if i != state["claim_at"]:  # the claimed card is in a hand
            left[state["bank"][i]] -= 1
    for number in range(int(state["num_melds"])):
        for card in state["melds"][number]["cards"]:
            if card != NO_CARD:
                left[card] -= 1
    for seat in range(rules["num_players"]):
        one, two = located(state, seat, viewer)
        for card in range(NUM_TYPES):
            left[card] -= ((one >> card) & 1) + ((two >> card) & 1)
    count = 0
    for card in range(NUM_TYPES):
        for _ in range(left[card]):
            unseen[count] = card
            count += 1
    return count


@jit
def located(state, seat, viewer):
    """Return the cards that ``viewer`` knows in the hand of ``seat``: its own all, of others those known to all."""
    if seat == viewer:
        return state["one"][seat], state["two"][seat]
    return state["known_one"][seat], state["known_two"][seat]


@jit
def num_unknown(state, seat, viewer):
    """Return how many cards of ``seat`` are hidden from ``viewer``."""
    one, two = located(state, seat, viewer)
    count = int(state["num_cards"][seat])
    for card in range(NUM_TYPES):
        count -= ((one >> card) & 1) + ((two >> card) & 1)
    return count


@jit
def deal_unseen(state, rules, viewer, key_0, key_1, unseen, count):
    """Order ``unseen`` at random, the hand of a seat that has begun a take first; return the next counter.

    Exact by rejection as long as it takes fewer than `MOST_DEALS` tries, then by exchanges (`search_for`).
    """
    debtor = int(state["seat"])
    if state["phase"] != OWE or debtor == viewer:
        return shuffle(key_0, key_1, 0, unseen, 0, count, count)
    size = num_unknown(state, debtor, viewer)
    counter = 0
    for _ in range(MOST_DEALS):
        counter = shuffle(key_0, key_1, counter, unseen, 0, size, count)
        if pays(state, rules, debtor, unseen, size, int(state["need"]), state["claim_due"] == 1):
            return shuffle(key_0, key_1, counter, unseen, size, count, count)
    counter = search_for(state, rules, debtor, key_0, key_1, counter, unseen, size, count)
    return shuffle(key_0, key_1, counter, unseen, size, count, count)


@jit
def pays(state, rules, seat, unseen, size, need, due):
    """Return whether ``seat`` with the first ``size`` unseen cards can lay ``need`` points and the claimed card."""
    one, two = state["known_one"][seat], state["known_two"][seat]
    for i in range(size):
        one, two = with_card(one, two, unseen[i])
    claim = int(state["claim"]) if due else NO_CLAIM
    return can_complete(
        one,
        two,
        need,
        claim,
        int(state["leave"]),
        state["melds"],
        int(state["turn_melds"]),
        int(state["num_melds"]),
        rules["identical_cards_in_set"],
        NO_MOVE,
        NO_MELD,
    )


@jit
def search_for(state, rules, seat, key_0, key_1, counter, unseen, size, count):
    """Find a hand that pays by exchanging cards under a rising demand, then mix it by exchanges that keep it paying.

    An exchange is as likely one way as the other, so in the limit all hands that pay are equally likely
    (Metropolis et al. 1953). It is for hands so rare that dealing again does not find them.
    """
    need, due, asked = int(state["need"]), state["claim_due"] == 1, 0
    found = False
    while not found:
        counter = shuffle(key_0, key_1, counter, unseen, 0, size, count)
        asked = min(0, need)
        found = pays(state, rules, seat, unseen, size, asked, due)
        if found:
            for _ in range(MIXING):
                counter = exchange(state, rules, seat, key_0, key_1, counter, unseen, size, count, asked)
                while asked < need and pays(state, rules, seat, unseen, size, min(asked + STEP, need), due):
                    asked = min(asked + STEP, need)
            found = asked == need
    for _ in range(MIXING):
        counter = exchange(state, rules, seat, key_0, key_1, counter, unseen, size, count, need)
    return counter


@jit
def exchange(state, rules, seat, key_0, key_1, counter, unseen, size, count, asked):
    """Exchange a random card of the hand for a random other one if the hand still pays ``asked``."""
    mine, counter = below(key_0, key_1, counter, size)
    other, counter = below(key_0, key_1, counter, count - size)
    other += size
    unseen[mine], unseen[other] = unseen[other], unseen[mine]
    if not pays(state, rules, seat, unseen, size, asked, state["claim_due"] == 1):
        unseen[mine], unseen[other] = unseen[other], unseen[mine]
    return counter


@jit
def hand_out(state, rules, viewer, unseen, count):
    """Put the unseen cards into the hidden places: first the hand of the seat to act, other hands, the stock."""
    num_players = rules["num_players"]
    taken = 0
    for distance in range(num_players):
        seat = (max(int(state["seat"]), 0) + distance) % num_players
        if seat == viewer:
            continue
        unknown = num_unknown(state, seat, viewer)
        one, two = state["known_one"][seat], state["known_two"][seat]
        for i in range(taken, taken + unknown):
            one, two = with_card(one, two, unseen[i])
        state["one"][seat] = one
        state["two"][seat] = two
        taken += unknown
    for i in range(taken, count):
        state["stock"][int(state["stock_next"]) + i - taken] = unseen[i]


# --- the story --------------------------------------------------------------------------------------------


@jit
def retell(states, rules, viewer, key_0, key_1, counter):
    """Write what the other seats of ``states[0]`` were dealt and drew, so that they hold what they hold.

    Backwards through the deal: before a draw any card whose origin is hidden may be the one drawn.
    """
    state = states[0]
    num_moves, num_players = int(state["num_history"]), rules["num_players"]
    seats = np.empty(num_moves, np.int64)
    hidden = np.zeros((num_moves, CARDS.shape[1]), np.uint8)
    trace(states, rules, seats, hidden)
    for seat in range(num_players):
        if seat == viewer:
            continue
        one, two = state["one"][seat], state["two"][seat]
        known_one, known_two = state["known_one"][seat], state["known_two"][seat]
        one, two = without(one, two, known_one, known_two)
        for i in range(num_moves - 1, -1, -1):
            if seats[i] != seat:
                continue
            move = state["history"][i]
            for j in range(SIZE[move]):
                if hidden[i, j] == 1:
                    one, two = with_card(one, two, CARDS[move, j])
            if KIND[move] == DRAW:
                card, counter = any_card(one, two, key_0, key_1, counter)
                one, two = without(one, two, 1 << card, 0)
                state["drawn"][i] = card
        state["dealt_one"][seat] = one
        state["dealt_two"][seat] = two


@jit
def any_card(one, two, key_0, key_1, counter):
    """Return (a card of the hand, each copy equally likely, the next counter)."""
    total = 0
    for card in range(NUM_TYPES):
        total += ((one >> card) & 1) + ((two >> card) & 1)
    wanted, counter = below(key_0, key_1, counter, total)
    card = 0
    while True:
        wanted -= ((one >> card) & 1) + ((two >> card) & 1)
        if wanted < 0:
            return card, counter
        card += 1


@jit
def trace(states, rules, seats, hidden):
    """Play the public part of the deal of ``states[0]`` again, on a copy.

    Args:
        states: records, ``(1,)``; not written.
        rules: a `RULES` record.
        seats: int64 ``(num_history,)``: who made each move.
        hidden: uint8 ``(num_history, 4)``: 1 for each card that left a hand and that not everybody had seen
            come to it.
    """
    told = states.copy()[0]
    begin_again(told, rules)
    for i in range(seats.shape[0]):
        move = states[0]["history"][i]
        seat = int(told["seat"])
        seats[i] = seat
        one, two = told["known_one"][seat], told["known_two"][seat]
        for j in range(SIZE[move]):
            bit = 1 << int(CARDS[move, j])
            if one & bit == 0:
                hidden[i, j] = 1
            one, two = without(one, two, bit, 0)
        play.apply(told, rules, move)


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
