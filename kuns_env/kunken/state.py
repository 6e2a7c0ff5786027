"""The record of a game of Kunken and the record of its rules.

One `STATE` is one episode in progress. Everything else in this package is a function of it.

Cards held are two words a seat: bit ``t`` of ``one`` says that a card of type ``t`` is held, bit ``t`` of ``two``
that both are (the deck has no third). The next rank of the same suit is four bits higher, so runs and sets are
found with a few shifts, whatever the number of cards.
"""

from __future__ import annotations

from functools import lru_cache
from math import lcm
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from kuns_env.kunken.cards import NUM_RANKS
from kuns_env.kunken.rules import MAX_CARDS, MAX_PLAYERS, MAX_RESHUFFLES, SETTLEMENTS, KunkenRules

UNITS: Final = lcm(*range(1, MAX_PLAYERS))
"""Units in a point: 12, which every share of a loss divides (N7.2)."""

LEAST_MELD: Final = 3
MAX_MELDS: Final = MAX_CARDS // LEAST_MELD
"""Every meld holds three cards or more, and what is on the table stays there (N3)."""

MAX_DRAWS: Final = (1 + MAX_RESHUFFLES) * MAX_CARDS
"""Each stock holds less than the deck (N5.1)."""
MAX_TURNS: Final = MAX_DRAWS + MAX_MELDS
"""A turn begins with a draw, or with a take, which ends in a new meld at least (N4.1, N4.2)."""
MAX_EVENTS: Final = 2 * MAX_TURNS + 2 * MAX_CARDS
"""Moves of a deal at most: each turn one to acquire and one to discard; a move that lays puts a card on the table for
good, and so does a swap with the natural that it lays (N3.4)."""
SPARE: Final = 9
MAX_HISTORY: Final = MAX_EVENTS + SPARE
"""The spare rows fill the record up to a whole number of words."""

# Phases: what is decided.
ACQUIRE: Final = 0  # draw or take (N4.1)
OWE: Final = 1  # what was begun has to be completed (N4.2, N4.6)
PLAY: Final = 2  # lay, swap, discard (N4.7, N4.8)
OVER: Final = 3
PHASES: Final = ("acquire", "owe", "play", "over")

NOBODY: Final = -1
SET: Final = 0
RUN: Final = 1

DIFFERENCE, WIN, POINTS = range(len(SETTLEMENTS))
"""Settlements in the order of `SETTLEMENTS` (N7)."""

MELD: Final = np.dtype(
    [
        ("kind", np.int8),  # SET or RUN
        ("owner", np.int8),  # the seat that laid it first
        ("low", np.int8),  # rank of a set, lowest rank of a run
        ("size", np.int8),  # cards; 0 is no meld
        ("suit", np.int8),  # of a run; -1 for a set
        ("jokers", np.int8),  # how many of the cards are jokers
        ("cards", np.int8, (NUM_RANKS,)),  # run: card by rank; set: in the order laid; -1 is no card
        ("layers", np.int8, (NUM_RANKS,)),  # the seat that laid each of them (N6.1)
    ]
)
"""One meld on the table."""

STATE: Final = np.dtype(
    [
        ("payoff", np.int64, (MAX_PLAYERS,)),  # units, of the last finished deal (N7)
        ("standing", np.int64, (MAX_PLAYERS,)),  # units won or lost since the episode began
        ("key", np.uint64, (2,)),  # of the game's random stream
        ("one", np.int64, (MAX_PLAYERS,)),  # bit t: the seat holds a card of type t
        ("two", np.int64, (MAX_PLAYERS,)),  # bit t: it holds both
        ("known_one", np.int64, (MAX_PLAYERS,)),  # the same of cards that everybody knows it to hold
        ("known_two", np.int64, (MAX_PLAYERS,)),
        ("dealt_one", np.int64, (MAX_PLAYERS,)),  # the hand that was dealt, for perfect recall
        ("dealt_two", np.int64, (MAX_PLAYERS,)),
        ("deck_one", np.int64),  # bit t: the deal was made with a card of type t (N1.1, N9.1)
        ("deck_two", np.int64),
        ("bank_one", np.int64),  # bit t: a card of type t lies in the bank and can be claimed
        ("bank_two", np.int64),
        ("hands_done", np.int32),  # deals that have ended
        ("laid_points", np.int32, (MAX_PLAYERS,)),  # of the cards each seat has laid (N6.1)
        ("last_scores", np.int32, (MAX_PLAYERS,)),  # of the last finished deal (N6)
        ("need", np.int16),  # phase OWE: points still to be laid (N4.2); may be below 0
        ("turn_points", np.int16),  # laid in this turn by the seat to act
        ("num_history", np.int16),
        ("turns", np.int16),  # begun in this deal
        ("last_turns", np.int16),  # of the last finished deal
        ("last_laid", np.int16, (MAX_PLAYERS,)),  # points of the cards each seat laid in it (N6.1)
        ("history", np.int16, (MAX_HISTORY,)),  # moves of this deal
        ("phase", np.int8),
        ("seat", np.int8),  # the seat to act; -1 when the episode is over
        ("dealer", np.int8),
        ("claim", np.int8),  # type of the card claimed in this turn; -1 after a draw
        ("claim_at", np.int8),  # phase OWE after a take: its place in the bank; else -1
        ("claim_due", np.uint8),  # 1 while no card equal to the claimed one has been laid (N4.2)
        ("leave", np.uint8),  # phase OWE: 1 if a card must be left to discard (N4.3)
        ("reshuffles", np.int8),  # of this deal (N5.1)
        ("num_melds", np.int8),
        ("turn_melds", np.int8),  # number of the first meld of this turn
        ("turn_laid", np.int8),  # cards that the seat to act had laid before this turn (N6.2)
        ("num_bank", np.int8),
        ("num_first_bank", np.int8),
        ("num_first_stock", np.int8),
        ("stock_next", np.int8),  # place of the next card to be drawn
        ("num_stock", np.int8),  # places of `stock` in use, drawn cards included
        ("last_winner", np.int8),  # of the last finished deal; -1 without one
        ("last_express", np.uint8),  # 1 if it scored double (N6.2)
        ("truncated", np.uint8),  # always 0: every episode is played to its end
        ("opened", np.uint8, (MAX_PLAYERS,)),  # N4.6
        ("seated", np.uint8, (MAX_PLAYERS,)),
        ("num_cards", np.int8, (MAX_PLAYERS,)),  # in hand
        ("num_laid", np.int8, (MAX_PLAYERS,)),  # cards laid in this deal
        ("takes", np.int8, (MAX_PLAYERS,)),  # of the bank, in this deal
        ("last_takes", np.int8, (MAX_PLAYERS,)),  # in the last finished deal
        ("bank", np.int8, (MAX_CARDS,)),  # from bottom to top; -1 above
        ("first_bank", np.int8, (MAX_CARDS,)),  # as the deal began
        ("stock", np.int8, (MAX_CARDS,)),  # in the order drawn; -1 where there is none
        ("drawn", np.int8, (MAX_HISTORY,)),  # the card that each move of `history` drew; -1 for other moves
        ("melds", MELD, (MAX_MELDS,)),
    ],
    align=True,
)
"""One episode, fields by falling size so that there are no gaps. ``np.zeros(B, STATE)`` is room for ``B``."""

RULES: Final = np.dtype(
    [
        ("num_players", np.int64),
        ("num_jokers", np.int64),
        ("hand_size", np.int64),
        ("num_deals", np.int64),
        ("bank_points", np.int64),
        ("max_reshuffles", np.int64),
        ("identical_cards_in_set", np.int64),
        ("joker_swap", np.int64),
        ("bank_points_every_time", np.int64),
        ("open_from_stock", np.int64),
        ("discard_to_go_out", np.int64),
        ("hand_penalty", np.int64),
        ("settlement", np.int64),
    ],
    align=True,
)
"""`KunkenRules` as the kernels read them: one compiled function serves every rule variant."""


@lru_cache(maxsize=256)
def compile_rules(rules: KunkenRules) -> npt.NDArray[Any]:
    """Return ``rules`` as an array of one `RULES` record. Do not write to it: it is shared."""
    record = np.zeros(1, RULES)
    for name in RULES.names or ():
        value = getattr(rules, name)
        record[0][name] = SETTLEMENTS.index(value) if name == "settlement" else value
    return record


# No padding: NumPy does not copy padding bytes, and equal records are to be equal byte for byte.
assert sum(STATE[name].itemsize for name in STATE.names or ()) == STATE.itemsize
