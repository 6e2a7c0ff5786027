"""The encoders of Kuns: `table` (what the seat knows now) and `history` (perfect recall).

Both are computed from public facts and the viewer's own cards, and give the same for a full record and
for its redacted copy (a test holds them to that), so the batch may skip the copy. Ranks only: suits never
matter (K1.1). Seats are counted from the viewer to its left, so one network can sit anywhere.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from kuns_env.jit import jit
from kuns_env.kuns.rules import HAND_SIZE, MAX_ANTES, MAX_PLAYERS, MAX_STAKES, TOP_RANK, KunsRules
from kuns_env.kuns.state import NUM_ROUNDS, OVER, PHASES, STAY, UNITS
from kuns_env.kuns.value import TENS, has_kuns, rank_at
from kuns_env.layout import Feature, Layout
from kuns_env.seats import distance_to

(
    F_PHASE,
    F_ROUND,
    F_OWN_RANKS,
    F_OWN_DIGIT,
    F_OWN_KUNS,
    F_ANTE,
    F_MONEY,
    F_IN_HAND,
    F_SEATED,
    F_DEALER,
    F_TO_ACT,
    F_PAID,
    F_STANDING,
    F_LEFT,
    F_OFFERER,
    F_BACKED,
    F_OPPOSED,
    F_STAKE,
    F_OWN_BETS,
    F_ALL_BETS,
) = range(20)
"""Places of the features in `layout`: the kernel's names for its offsets."""

COUNT_BITS = 4
COUNT_MASK = 15

index = np.uintp
"""An index without a sign: Numba need not look whether it counts from the end, which takes a tenth of a step."""

ANTE_CHIPS, POT_CHIPS, HANDS_DONE = range(3)
"""Entries of the feature `money`."""


def most_chips(rules: KunsRules) -> float:
    """Return the most chips that can change hands with one player in one hand."""
    ante, players = max(rules.ante_menu), rules.num_players
    pot = players * (rules.forced_ante + NUM_ROUNDS * ante)
    bets = NUM_ROUNDS * players * max(rules.side_stakes) * ante if rules.side_bets else 0
    return float(pot + bets)


@lru_cache(maxsize=256)
def layout(rules: KunsRules, pad: bool = False) -> Layout:
    """Return the table of the `table` encoding for these rules.

    Args:
        rules: the rules; the layout depends on the player count and on the size of the stakes.
        pad: lay out eight seats whatever the player count, so that one network plays every table.
    """
    width = MAX_PLAYERS if pad else rules.num_players
    ante = float(max(rules.ante_menu))
    pot = rules.num_players * (rules.forced_ante / ante + NUM_ROUNDS)
    hands = rules.num_hands or rules.max_hands
    swing = hands * most_chips(rules) / ante
    bets = float(NUM_ROUNDS * rules.num_players * max(rules.side_stakes)) if rules.side_bets else 0.0
    bank = 0.0 if rules.bankroll is None else rules.num_players * rules.bankroll / ante
    seats = "seats from the viewer to its left"
    return Layout(
        [
            Feature("phase", len(PHASES), f"one-hot of who decides what: {', '.join(PHASES)}"),
            Feature("round", NUM_ROUNDS, "one-hot of the betting round; zero before the first deal (K4.1)"),
            Feature("own_ranks", TOP_RANK, "how many cards of each rank, A to T, the viewer holds", high=4),
            Feature("own_digit", TENS, "one-hot of the last digit of the sum of the viewer's cards"),
            Feature("own_kuns", 1, "1 if some three of the viewer's cards make tens (K5.1)"),
            Feature("ante", MAX_ANTES, "one-hot of the ante's place in `ante_menu`; zero until set (K3.1)"),
            Feature(
                "money",
                3,
                "ante and pot, in units of the highest ante; share of the hands done",
                high=max(pot, 1),
            ),
            Feature("in_hand", width, f"who is still in the hand; {seats}"),
            Feature("seated", width, f"who is still in the session; {seats} (K2.2)"),
            Feature("dealer", width, f"one-hot of the dealer; {seats} (K2.1)"),
            Feature("to_act", width, f"one-hot of the player to act; {seats}"),
            Feature("paid", width, f"paid into the main pot, in highest antes; {seats}", high=pot),
            Feature(
                "standing",
                width,
                f"won or lost in the session, in highest antes; {seats}",
                low=-swing,
                high=swing,
            ),
            Feature(
                "left",
                width,
                f"money left, in highest antes, zero where unlimited; {seats} (K2.3)",
                high=bank,
            ),
            Feature("offerer", width, f"one-hot of who makes the side bet on the table; {seats} (K6.3)"),
            Feature("backed", width, f"one-hot of the hand it backs; {seats}"),
            Feature("opposed", width, f"one-hot of the hand it opposes; {seats}"),
            Feature("stake", MAX_STAKES, "one-hot of its stake's place in `side_stakes`"),
            Feature(
                "own_bets",
                width * width,
                f"the viewer's open bets: antes staked on row over column, less those taken; {seats} (K6.6)",
                low=-bets,
                high=bets,
            ),
            Feature(
                "all_bets",
                width * width,
                f"all open bets: antes that offerers staked on row over column; {seats} (K6.6)",
                high=bets,
            ),
        ]
    )


@jit.inline
def encode(state, rules, viewer, width, scale, at, out):
    """Write the `table` encoding of ``state`` for ``viewer`` into ``out``.

    Args:
        state: a record, full or redacted: only what ``viewer`` may know is read.
        rules: a `RULES` record.
        viewer: seat.
        width: seats laid out: the player count, or 8 when padded.
        scale: one over the highest ante.
        at: int64 array: offsets of the features (`Layout.offsets`).
        out: float32 array, shape ``(layout.size,)``.
    """
    out[:] = 0.0
    out[index(at[F_PHASE] + state["phase"])] = 1.0
    out[index(at[F_ROUND] + max(state["round"], 1) - 1)] = 1.0 if state["round"] > 0 else 0.0
    encode_hand(state, viewer, at, out)
    out[index(at[F_ANTE] + max(state["ante_index"], 0))] = 1.0 if state["ante_index"] >= 0 else 0.0
    out[index(at[F_MONEY] + ANTE_CHIPS)] = state["ante"] * scale
    out[index(at[F_MONEY] + POT_CHIPS)] = state["pot"] * scale
    hands = rules["num_hands"] if rules["num_hands"] > 0 else rules["max_hands"]
    out[index(at[F_MONEY] + HANDS_DONE)] = state["hands_done"] / hands
    encode_seats(state, rules, viewer, scale, at, out)
    if rules["side_bets"] == 1:
        encode_offer(state, rules, viewer, at, out)
    if state["phase"] < STAY:
        encode_bets(state, rules, viewer, width, at, out)


@jit.inline
def encode_hand(state, viewer, at, out):
    """The viewer's own cards, by rank."""
    hole = state["hole"]
    # Always five places and no early way out: branches that cannot be predicted cost more than the work.
    ranks = (
        rank_at(hole, viewer, 0),
        rank_at(hole, viewer, 1),
        rank_at(hole, viewer, 2),
        rank_at(hole, viewer, 3),
        rank_at(hole, viewer, 4),
    )
    # Counted in one word, four bits a rank, and written once: adding up in memory takes twice as long.
    total, counts = 0, 0
    for i in range(HAND_SIZE):
        counts += 1 << (COUNT_BITS * ranks[i])
        total += ranks[i]
    own_ranks = at[F_OWN_RANKS]
    for rank in range(TOP_RANK):
        counts >>= COUNT_BITS
        out[index(own_ranks + rank)] = counts & COUNT_MASK
    count = int(state["num_cards"][viewer])
    digit = total % TENS
    out[index(at[F_OWN_DIGIT] + digit)] = 1.0 if count > 0 else 0.0
    out[index(at[F_OWN_KUNS])] = has_kuns(ranks, count, digit)


@jit.inline
def encode_seats(state, rules, viewer, scale, at, out):
    """What is public of every seat."""
    num_players = rules["num_players"]
    out[index(at[F_DEALER] + distance_to(state["dealer"], viewer, num_players))] = 1.0
    if state["seat"] >= 0:
        out[index(at[F_TO_ACT] + distance_to(state["seat"], viewer, num_players))] = 1.0
    in_hand, seated, paid = at[F_IN_HAND], at[F_SEATED], at[F_PAID]
    for seat in range(num_players):
        place = distance_to(seat, viewer, num_players)
        out[index(in_hand + place)] = state["in_hand"][seat]
        out[index(seated + place)] = state["seated"][seat]
        out[index(paid + place)] = state["paid"][seat] * scale
    if rules["num_hands"] != 1 or rules["bankroll"] >= 0 or state["phase"] == OVER:
        encode_money(state, rules, viewer, scale, at, out)


@jit.inline
def encode_money(state, rules, viewer, scale, at, out):
    """What every seat has won and, where money is limited, has left (K2.3)."""
    num_players = rules["num_players"]
    chip = scale / UNITS
    for seat in range(num_players):
        place = distance_to(seat, viewer, num_players)
        out[index(at[F_STANDING] + place)] = state["standing"][seat] * chip
        if rules["bankroll"] >= 0:
            units = rules["bankroll"] + state["standing"][seat]
            if state["phase"] < STAY:
                units -= (int(state["paid"][seat]) + int(state["staked"][seat])) * UNITS
            out[index(at[F_LEFT] + place)] = units * chip


@jit.inline
def encode_offer(state, rules, viewer, at, out):
    """The side bet that is being made or is on the table (K6.3)."""
    # Written without branches: whether there is an offer cannot be predicted.
    num_players = rules["num_players"]
    there = 1.0 if state["offerer"] >= 0 else 0.0
    out[index(at[F_OFFERER] + distance_to(max(state["offerer"], 0), viewer, num_players))] = there
    out[index(at[F_BACKED] + distance_to(max(state["backed"], 0), viewer, num_players))] = there
    opposed = 1.0 if state["opposed"] >= 0 else 0.0
    out[index(at[F_OPPOSED] + distance_to(max(state["opposed"], 0), viewer, num_players))] = opposed
    out[index(at[F_STAKE] + max(state["stake_index"], 0))] = 1.0 if state["stake_index"] >= 0 else 0.0


@jit.inline
def encode_bets(state, rules, viewer, width, at, out):
    """The open side bets (K6.6), the viewer's own signed."""
    num_players = rules["num_players"]
    bets, own, every = state["bets"], at[F_OWN_BETS], at[F_ALL_BETS]
    for i in range(int(state["num_bets"])):
        row = distance_to(bets[i, 2], viewer, num_players)
        place = row * width + distance_to(bets[i, 3], viewer, num_players)
        sign = (1.0 if bets[i, 0] == viewer else 0.0) - (1.0 if bets[i, 1] == viewer else 0.0)
        out[index(every + place)] += bets[i, 4]
        out[index(own + place)] += sign * bets[i, 4]
