"""What a seat may know of a record, and the records it cannot tell from the real one.

`redact` blanks the other hands, the undealt deck and the random state. Whatever is shown to a player,
a network or a person is computed from the redacted record alone.
"""

from typing import Final

import numpy as np

from kuns_env.cards import NUM_CARDS
from kuns_env.jit import jit
from kuns_env.kuns.rules import HAND_SIZE
from kuns_env.kuns.state import OVER, STAY
from kuns_env.rng import shuffle

SPECTATOR: Final = -1
"""The viewer that sees public facts only."""


@jit.kernel
def redact(states, rules, row, viewer, out, out_row):
    """Write into ``out[out_row]`` what ``viewer`` (a seat, or `SPECTATOR`) knows of ``states[row]``.

    The viewer's own cards are sorted within each deal step (two, two, one): the order in which two cards
    came together is not remembered.
    """
    out[out_row] = states[row]
    known = out[out_row]
    known["key"][:] = 0
    known["deck"][:] = -1
    known["hole"][:] = -1
    ended = known["phase"] == STAY or known["phase"] == OVER
    for seat in range(rules["num_players"]):
        if seat == viewer:
            copy_own_hand(states[row], seat, known)
        elif ended:  # K7.3
            for place in range(HAND_SIZE):
                known["hole"][seat, place] = known["shown"][seat, place]


@jit.kernel
def copy_own_hand(state, seat, known):
    """Copy the cards of ``seat``, sorted within each deal step."""
    for place in range(int(state["num_cards"][seat])):
        known["hole"][seat, place] = state["hole"][seat, place]
    for place in range(0, HAND_SIZE - 1, 2):
        low, high = known["hole"][seat, place], known["hole"][seat, place + 1]
        # A step is dealt whole: either both places hold a card or neither does.
        if low > high:
            known["hole"][seat, place] = high
            known["hole"][seat, place + 1] = low


@jit
def determinize(known, rules, key_0, key_1, out):
    """Write into ``out[0]`` a full record that the viewer of ``known[0]`` cannot tell from the real one.

    Every assignment of the unseen cards to the hidden places (other hands, folded ones too, and the
    undealt deck) is equally likely. The random state is new: ``key_0`` and ``key_1`` rule what follows.
    """
    out[0] = known[0]
    state = out[0]
    state["key"][0] = key_0
    state["key"][1] = key_1
    num_players = rules["num_players"]
    seen = np.zeros(NUM_CARDS, np.uint8)
    for seat in range(num_players):
        for place in range(int(state["num_cards"][seat])):
            if state["hole"][seat, place] >= 0:
                seen[state["hole"][seat, place]] = 1
    unseen = np.empty(NUM_CARDS, np.int8)
    count = 0
    for i in range(rules["num_cards"]):
        if seen[rules["deck"][i]] == 0:
            unseen[count] = rules["deck"][i]
            count += 1
    # Counters from 0 on: the deals of the game draw from 1 << 16 on.
    shuffle(key_0, key_1, 0, unseen, 0, count, count)
    # Cards go to places in the order of the deal, so that the deck tells the same story.
    dealt, taken = 0, 0
    for place in range(HAND_SIZE):
        for distance in range(1, num_players + 1):
            seat = (int(state["dealer"]) + distance) % num_players
            if state["num_cards"][seat] > place:
                if state["hole"][seat, place] < 0:
                    state["hole"][seat, place] = unseen[taken]
                    taken += 1
                state["deck"][dealt] = state["hole"][seat, place]
                dealt += 1
    for i in range(taken, count):
        state["deck"][dealt + i - taken] = unseen[i]
