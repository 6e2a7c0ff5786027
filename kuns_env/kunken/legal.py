"""Which moves are legal (N4, N8). It reads public facts and the hand of the seat to act, nothing else."""

import numpy as np

from kuns_env.jit import jit
from kuns_env.kunken import moves, tables
from kuns_env.kunken.bits import NATURALS
from kuns_env.kunken.cards import JOKER, NUM_NATURALS, NUM_RANKS, NUM_SUITS, NUM_TYPES
from kuns_env.kunken.complete import can_complete, claim_leaving, claims
from kuns_env.kunken.hands import without
from kuns_env.kunken.melds import (
    SUITS_OF_RANK,
    first_that_takes,
    high_place,
    is_open_set,
    low_place,
    naturals_of_rank,
    swaps,
    takes_joker,
)
from kuns_env.kunken.moves import JOKER_SETS, NATURAL_SETS
from kuns_env.kunken.state import ACQUIRE, LEAST_MELD, OVER, OWE

NO_CLAIM = -1
NO_MELD = -1
RUN_PLACES = (1 << moves.NUM_RUNS) - 1
"""The word of the lowest places that a run of three can have."""


def _set_patterns():
    """Return, by the suits of a rank held (low four bits) and held twice (high four), the new sets that are held.

    Bit ``i`` of an entry is entry ``i`` of `NATURAL_SETS`, then of `JOKER_SETS`.
    """
    patterns = np.zeros(1 << (2 * NUM_SUITS), np.int64)
    for held in range(len(patterns)):
        counts = [((held >> suit) & 1) + ((held >> (NUM_SUITS + suit)) & 1) for suit in range(NUM_SUITS)]
        for i, suits in enumerate((*NATURAL_SETS, *JOKER_SETS)):
            if all(suits.count(suit) <= counts[suit] for suit in suits):
                patterns[held] |= 1 << i
    return patterns


SET_PATTERNS = _set_patterns()
NATURAL_PATTERNS = (1 << len(NATURAL_SETS)) - 1
DISTINCT_PATTERNS = sum(
    1 << i for i, suits in enumerate((*NATURAL_SETS, *JOKER_SETS)) if len(set(suits)) == len(suits)
)
"""The sets in which no card is there twice (N3.1)."""


@jit.inline
def spread(word, mask, base, size):
    """Write bit ``i`` of ``word`` into ``mask[base + i]``, for ``i`` below ``size``."""
    for i in range(size):
        mask[np.uintp(base + i)] = (word >> i) & 1


@jit.kernel
def legal_moves(state, rules, mask):
    """Write the legal moves of the seat to act into ``mask``, int8 ``(NUM_MOVES,)``: 1 legal, 0 not.

    It may be handed the record redacted for the seat to act.
    """
    mask[:] = 0
    phase = state["phase"]
    if phase == ACQUIRE:
        mark_acquire(state, rules, mask)
    elif phase == OWE:
        mark_owed(state, rules, mask)
    elif phase != OVER:
        mark_play(state, rules, mask)


# --- acquire ----------------------------------------------------------------------------------------------


@jit.inline
def points_asked(state, rules, seat):
    """N4.2, N4.5: the points that a take asks of ``seat``."""
    return 0 if state["opened"][seat] == 1 and rules["bank_points_every_time"] == 0 else rules["bank_points"]


@jit.inline
def mark_acquire(state, rules, mask):
    """N4.1, N4.3, N8.1: draw, or take a card with which what is owed can be laid."""
    seat = int(state["seat"])
    one, two = state["one"][seat], state["two"][seat]
    need, identical = points_asked(state, rules, seat), rules["identical_cards_in_set"]
    word = claims(one, two, state["bank_one"], need, identical)
    mask[moves.DRAW] = 1
    if word != 0:
        spread(word, mask, moves.TAKE_BASE, NUM_TYPES)
        spread(word & state["bank_two"], mask, moves.DEEP_BASE, NUM_NATURALS)
        top = np.int64(state["bank"][state["num_bank"] - 1])
        # Nothing lies above the top card that could be left to discard (N4.3).
        if rules["discard_to_go_out"] == 1 and (word >> top) & 1 == 1:
            mask[moves.TAKE_BASE + top] = 1 if claim_leaving(one, two, top, need, identical) else 0


# --- play -------------------------------------------------------------------------------------------------


@jit.inline
def mark_play(state, rules, mask):
    """N4.6-N4.9, N3.4: discard; and who has opened lays and swaps."""
    seat = int(state["seat"])
    one = state["one"][seat]
    spread(one, mask, moves.DISCARD_BASE, NUM_TYPES)
    if state["opened"][seat] == 0:
        if rules["open_from_stock"] == 1:
            mark_new_melds(state, rules, mask)
            keep_payable(state, rules, mask)
        return
    # N4.9: under `discard_to_go_out` no move may leave no card to discard.
    spare = int(state["num_cards"][seat]) - rules["discard_to_go_out"]
    if spare >= LEAST_MELD:
        mark_new_melds(state, rules, mask)
        if spare == LEAST_MELD:
            mask[moves.LONG_RUN_BASE : moves.HIGH_BASE] = 0
    if spare > 0:
        mark_growths(state, rules, 0, mask)
    if rules["joker_swap"] == 1:
        word = 0
        for number in range(int(state["num_melds"])):
            word |= swaps(state["melds"][number], rules["identical_cards_in_set"])
        spread(word & one, mask, moves.SWAP_BASE, NUM_NATURALS)


@jit.kernel
def mark_new_melds(state, rules, mask):
    """N8.2-N8.4: the new melds for which the seat to act holds the cards."""
    seat = int(state["seat"])
    one, two = state["one"][seat], state["two"][seat]
    has_joker, has_both = (one >> JOKER) & 1, (two >> JOKER) & 1
    mark_sets(one, two, has_joker, rules["identical_cards_in_set"], mask)
    naturals = one & NATURALS
    next_rank, rank_after = naturals >> NUM_SUITS, naturals >> (2 * NUM_SUITS)
    mark_runs(naturals & next_rank & rank_after, mask, 0)
    if has_joker == 1:
        mark_runs(next_rank & rank_after, mask, 1)
        mark_runs(naturals & rank_after, mask, 2)
        mark_runs(naturals & next_rank, mask, 3)
    if has_both == 1:
        spread(naturals & (naturals >> (3 * NUM_SUITS)), mask, moves.LONG_RUN_BASE, moves.NUM_LONG_RUNS)


@jit.inline
def mark_runs(lows, mask, variant):
    """Mark the runs of three with these lowest places, the joker as in entry ``variant`` of `JOKER_PLACES`."""
    if lows & RUN_PLACES != 0:
        spread(lows, mask, moves.RUN_BASE + variant * moves.NUM_RUNS, moves.NUM_RUNS)


@jit.inline
def mark_sets(one, two, has_joker, identical, mask):
    """Mark the new sets of three (N8.2)."""
    wanted = NATURAL_PATTERNS | (has_joker * ~NATURAL_PATTERNS)
    if identical == 0:
        wanted &= DISTINCT_PATTERNS
    for rank in range(NUM_RANKS):
        held = (one >> (NUM_SUITS * rank)) & SUITS_OF_RANK
        twice = (two >> (NUM_SUITS * rank)) & SUITS_OF_RANK
        pattern = SET_PATTERNS[np.uintp((twice << NUM_SUITS) | held)] & wanted
        if pattern != 0:
            spread(pattern, mask, moves.SET_BASE + moves.NUM_SETS * rank, moves.NUM_SETS)


@jit.kernel
def mark_growths(state, rules, first, mask):
    """N8.5: the cards of the seat to act that melds from number ``first`` on take."""
    one = state["one"][state["seat"]]
    high, low, fourth = 0, 0, 0
    joker_high, joker_low, joker_fourth = 0, 0, 0
    for number in range(first, int(state["num_melds"])):
        meld = state["melds"][number]
        joker = 1 if takes_joker(meld) else 0
        place = high_place(meld)
        if place >= 0:
            high |= 1 << place
            joker_high |= joker << place
        place = low_place(meld)
        if place >= 0:
            low |= 1 << place
            joker_low |= joker << place
        if is_open_set(meld):
            fourth |= naturals_of_rank(meld, rules["identical_cards_in_set"])
            joker_fourth |= joker << int(meld["low"])
    spread((high & one) >> moves.FIRST_HIGH_PLACE, mask, moves.HIGH_BASE, moves.NUM_ENDS)
    spread(low & one, mask, moves.LOW_BASE, moves.NUM_ENDS)
    spread(fourth & one, mask, moves.FOURTH_BASE, NUM_NATURALS)
    if (one >> JOKER) & 1 == 1:
        spread(joker_high >> moves.FIRST_HIGH_PLACE, mask, moves.HIGH_JOKER_BASE, moves.NUM_ENDS)
        spread(joker_low, mask, moves.LOW_JOKER_BASE, moves.NUM_ENDS)
        spread(joker_fourth, mask, moves.FOURTH_JOKER_BASE, NUM_RANKS)


# --- what is owed -----------------------------------------------------------------------------------------


@jit.kernel
def mark_owed(state, rules, mask):
    """N4.3: new melds, and cards on melds of this turn, after which what is owed can still be laid."""
    mark_new_melds(state, rules, mask)
    mark_growths(state, rules, int(state["turn_melds"]), mask)
    keep_payable(state, rules, mask)


@jit.kernel
def keep_payable(state, rules, mask):
    """N4.3, N4.6: of the melds and lay-offs marked, keep those after which what is owed can still be laid."""
    seat = int(state["seat"])
    # Of one type, whatever the record holds them as: for each other type the whole search would be compiled again.
    need, claim, leave = np.int64(state["need"]), np.int64(NO_CLAIM), np.int64(state["leave"])
    if state["phase"] != OWE:  # the first meld after a draw (N4.6)
        need, leave = points_asked(state, rules, seat), rules["discard_to_go_out"]
    elif state["claim_due"] == 1:
        claim = np.int64(state["claim"])
    for move in range(moves.SET_BASE, moves.DISCARD_BASE):
        if mask[move] == 1 and not is_payable(state, rules, seat, need, claim, leave, move):
            mask[move] = 0


@jit.kernel
def is_payable(state, rules, seat, need, claim, leave, move):
    """Return whether after ``move`` the rest of what is owed can be laid (N4.3)."""
    one, two = without(state["one"][seat], state["two"][seat], tables.ONE[move], tables.TWO[move])
    need -= np.int64(tables.POINTS[move])
    if claim >= 0 and (tables.ONE[move] >> claim) & 1 == 1:
        claim = np.int64(NO_CLAIM)
    first, last = np.int64(state["turn_melds"]), np.int64(state["num_melds"])
    identical = rules["identical_cards_in_set"]
    kind, grown = tables.KIND[move], np.int64(NO_MELD)
    if kind != tables.SET and kind != tables.RUN:
        grown = first_that_takes(state, first, move, identical)
    return can_complete(one, two, need, claim, leave, state["melds"], first, last, identical, move, grown)
