"""The record of a game of Kuns and the record of its rules.

One `STATE` is one episode in progress. Everything else in this package is a function of it.
Money is counted in units of 1/840 chip, which every split of a pot divides (K5.6); what is paid into
the pot or staked is whole chips.
"""

from __future__ import annotations

from functools import lru_cache
from math import lcm
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from kuns_env.cards import NUM_CARDS, NUM_SUITS
from kuns_env.kuns.rules import HAND_SIZE, MAX_ANTES, MAX_PLAYERS, MAX_STAKES, TOP_RANK, KunsRules

UNITS: Final = lcm(*range(1, MAX_PLAYERS + 1))
"""Units in a chip: 840."""

NUM_ROUNDS: Final = 3
MAX_BETS: Final = NUM_ROUNDS * MAX_PLAYERS
"""One offer a seat in each of the three windows (K6.1)."""

MAX_WINDOW_MOVES: Final = MAX_PLAYERS * (3 + MAX_PLAYERS - 1)
"""Each seat: back, against, stake, and the others' answers."""

MAX_EVENTS: Final = 1 + NUM_ROUNDS * (1 + MAX_PLAYERS + MAX_WINDOW_MOVES) + MAX_PLAYERS
"""Events of a hand at most: the ante; in each round a deal, the calls and a window; stay or leave."""
MAX_HISTORY: Final = MAX_EVENTS + 1
"""One row is spare: it fills the record up to a whole number of words."""

# Phases: who decides what.
ANTE: Final = 0  # the dealer sets the ante (K3.1)
BET: Final = 1  # call or fold (K4.2)
OFFER: Final = 2  # pass, or begin a side bet (K6.1)
AGAINST: Final = 3  # a player that has dropped out names the opposed hand (K6.3)
STAKE: Final = 4  # the offerer names the stake (K6.3)
RESPOND: Final = 5  # another player accepts or declines (K6.4)
STAY: Final = 6  # stay or leave after a hand of an open session (K2.2)
OVER: Final = 7
PHASES: Final = ("ante", "bet", "offer", "against", "stake", "respond", "stay", "over")

NOBODY: Final = -1
DEAL: Final = -1
"""In `history`, the place of the seat where cards were dealt; the move is then the round."""

STATE: Final = np.dtype(
    [
        ("payoff", np.int64, (MAX_PLAYERS,)),  # units, of the last finished hand (K7.1)
        ("standing", np.int64, (MAX_PLAYERS,)),  # units won or lost since the episode began
        ("key", np.uint64, (2,)),  # of the game's random stream
        ("ante", np.int32),  # chips; 0 until set
        ("pot", np.int32),  # chips
        ("hands_done", np.int32),
        ("paid", np.int32, (MAX_PLAYERS,)),  # chips in the main pot, the forced ante included
        ("staked", np.int32, (MAX_PLAYERS,)),  # chips reserved by open side bets (K2.3)
        ("num_history", np.int16),
        ("phase", np.int8),
        ("seat", np.int8),  # the seat to act; -1 when the episode is over
        ("round", np.int8),  # 1, 2, 3 (K4.1); 0 before the first deal
        ("dealer", np.int8),
        ("next_dealer", np.int8),  # who deals next if it stays; -1 but in phase STAY
        ("ante_index", np.int8),  # place in the menu; -1 until set
        ("offerer", np.int8),  # of the offer being made or on the table; -1 without one
        ("backed", np.int8),
        ("opposed", np.int8),
        ("stake_index", np.int8),  # place in side_stakes; -1 until named
        ("num_in", np.int8),  # players still in the hand
        ("num_seated", np.int8),  # players still in the session
        ("num_bets", np.int8),
        ("deck_next", np.int8),  # index of the next card to be dealt
        ("truncated", np.uint8),  # 1 when max_hands ended the session (K2.2)
        ("showdown", np.uint8),  # 1 when the last finished hand ended with cards shown (K7.3)
        ("in_hand", np.uint8, (MAX_PLAYERS,)),
        ("seated", np.uint8, (MAX_PLAYERS,)),
        ("num_cards", np.int8, (MAX_PLAYERS,)),
        ("hole", np.int8, (MAX_PLAYERS, HAND_SIZE)),  # card ids in the order dealt; -1 is no card
        ("shown", np.int8, (MAX_PLAYERS, HAND_SIZE)),  # at the last showdown; -1 elsewhere
        ("deck", np.int8, (NUM_CARDS,)),  # shuffled as far as the hand can need; -1 past the deck
        ("bets", np.int8, (MAX_BETS, 5)),  # offerer, taker, backed, opposed, stake in antes
        ("history", np.int8, (MAX_HISTORY, 2)),  # seat and move, or DEAL and round, of this hand
    ],
    align=True,
)
"""One episode, fields by falling size so that there are no gaps. ``np.zeros(B, STATE)`` is room for ``B``."""

RULES: Final = np.dtype(
    [
        ("num_players", np.int64),
        ("num_hands", np.int64),  # 0 is the open session
        ("max_hands", np.int64),
        ("bankroll", np.int64),  # units; -1 is unlimited
        ("forced_ante", np.int64),
        ("num_antes", np.int64),
        ("num_stakes", np.int64),
        ("dealer_sees_hand", np.int64),
        ("no_kuns_zero_is_ten", np.int64),
        ("side_bets", np.int64),
        ("num_cards", np.int64),
        ("ante_menu", np.int64, (MAX_ANTES,)),
        ("side_stakes", np.int64, (MAX_STAKES,)),
        ("deck", np.int8, (NUM_CARDS,)),  # ascending card ids; -1 past the deck
    ],
    align=True,
)
"""`KunsRules` as the kernels read them: one compiled function serves every rule variant."""


def deck_of(rules: KunsRules) -> list[int]:
    """Return the card ids of the deck in ascending order (K1.1, K1.3)."""
    return [NUM_SUITS * (rank - 1) + suit for rank in rules.ranks for suit in range(rules.num_suits)]


@lru_cache(maxsize=256)
def compile_rules(rules: KunsRules) -> npt.NDArray[Any]:
    """Return ``rules`` as an array of one `RULES` record. Do not write to it: it is shared."""
    record = np.zeros(1, RULES)
    row = record[0]
    row["num_players"] = rules.num_players
    row["num_hands"] = rules.num_hands or 0
    row["max_hands"] = rules.max_hands
    row["bankroll"] = -1 if rules.bankroll is None else rules.bankroll * UNITS
    row["forced_ante"] = rules.forced_ante
    row["num_antes"], row["num_stakes"] = len(rules.ante_menu), len(rules.side_stakes)
    row["dealer_sees_hand"] = rules.dealer_sees_hand
    row["no_kuns_zero_is_ten"] = rules.no_kuns_zero_is_ten
    row["side_bets"] = rules.side_bets
    row["ante_menu"][: len(rules.ante_menu)] = rules.ante_menu
    row["side_stakes"][: len(rules.side_stakes)] = rules.side_stakes
    deck = deck_of(rules)
    row["num_cards"] = len(deck)
    row["deck"][:] = -1
    row["deck"][: len(deck)] = deck
    return record


assert TOP_RANK * NUM_SUITS == NUM_CARDS
# No padding: NumPy does not copy padding bytes, and equal records are to be equal byte for byte.
assert sum(STATE[name].itemsize for name in STATE.names or ()) == STATE.itemsize
