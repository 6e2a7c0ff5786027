"""The encoder `table` of Kunken: what the seat knows now.

It is computed from public facts and the viewer's own cards, and gives the same for a full record and for its
redacted copy (a test holds it to that), so the batch may skip the copy. Seats are counted from the viewer to
its left, so one network can sit anywhere. What is counted by card type stands in the order of
`kuns_env.kunken.cards`: from 2c to As, then the joker.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from kuns_env.jit import jit
from kuns_env.kunken.bits import NATURALS
from kuns_env.kunken.cards import (
    FIRST_HIGH,
    HIGH_POINTS,
    JOKER,
    LOW_POINTS,
    NUM_NATURALS,
    NUM_RANKS,
    NUM_SUITS,
    NUM_TYPES,
    RANKS,
    TEXTS,
)
from kuns_env.kunken.hands import without
from kuns_env.kunken.melds import SUITS_OF_RANK
from kuns_env.kunken.moves import FIRST_HIGH_PLACE, NUM_ENDS
from kuns_env.kunken.rules import DECK_CARDS, MAX_JOKERS, MAX_PLAYERS, NUM_DECKS, KunkenRules
from kuns_env.kunken.state import LEAST_MELD, OVER, OWE, PHASES, RUN, UNITS
from kuns_env.layout import Feature, Layout
from kuns_env.seats import distance_to

(
    F_OWN,
    F_BANK,
    F_TABLE,
    F_UNSEEN,
    F_OPEN_HIGH,
    F_OPEN_LOW,
    F_KNOWN,
    F_TOP_CARDS,
    F_DEEP_CARDS,
    F_TOP_POINTS,
    F_DEEP_POINTS,
    F_TOP,
    F_CLAIM,
    F_OPEN_SET,
    F_SETS,
    F_SET_JOKERS,
    F_RUNS,
    F_RUN_JOKERS,
    F_PHASE,
    F_OWED,
    F_TURN,
    F_LEFT,
    F_DEALS_DONE,
    F_HAND_SIZE,
    F_LAID_POINTS,
    F_NUM_LAID,
    F_OPENED,
    F_STANDING,
    F_DEALER,
    F_TO_ACT,
) = range(30)
"""Places of the features in `layout`: the kernel's names for its offsets."""

FIRST_SPARSE = F_TOP_CARDS
"""From this feature on most entries are zero; those before it are written whole."""

NEED, CLAIM_DUE, LEAVE = range(3)
"""Entries of the feature `owed`."""
TURN_POINTS, TURN_MELDS, EXPRESS = range(3)
"""Entries of the feature `turn`."""
STOCK, RESHUFFLES, BANK = range(3)
"""Entries of the feature `left`."""

ALL_TYPES = (1 << NUM_TYPES) - 1
JOKER_BIT = 1 << JOKER
ONE_SUIT = sum(1 << (NUM_SUITS * rank) for rank in range(NUM_RANKS))
"""The word of one suit from the 2 to the ace, the first suit's."""
FIRST_HIGH_TYPE = FIRST_HIGH * NUM_SUITS
RUN_UNIT = 1 / NUM_RANKS

ONLY_THIS_TURN = "while something is owed only {} of this turn (N4.3)"

index = np.uintp
"""An index without a sign: Numba need not look whether it counts from the end."""


def most_points(rules: KunkenRules) -> int:
    """Return a bound of the points of all cards that can be laid in a deal (N6.1)."""
    low, high = FIRST_HIGH * LOW_POINTS, (NUM_RANKS - FIRST_HIGH) * HIGH_POINTS
    naturals = NUM_DECKS * NUM_SUITS * (low + high)
    if rules.joker_swap and rules.num_jokers:
        # A card put in the place of a joker scores nothing, but the joker can be laid again (N3.4).
        naturals = NUM_DECKS * DECK_CARDS * HIGH_POINTS
    return naturals + rules.num_jokers * HIGH_POINTS


def most_payoff(rules: KunkenRules) -> int:
    """Return a bound of what a seat can win or lose in a deal, in points (N7)."""
    hand = NUM_DECKS * DECK_CARDS * HIGH_POINTS + rules.num_jokers * HIGH_POINTS if rules.hand_penalty else 0
    # Each of the others loses at most what an express scores (N6.2), and its hand.
    return (rules.num_players - 1) * (2 * most_points(rules) + hand)


@lru_cache(maxsize=256)
def layout(rules: KunkenRules, pad: bool = False) -> Layout:
    """Return the table of the `table` encoding for these rules.

    Args:
        rules: the rules; the layout depends on the player count, the ranges on other fields too.
        pad: lay out five seats whatever the player count, so that one network plays every table.
    """
    width = MAX_PLAYERS if pad else rules.num_players
    return Layout(
        [*card_features(width), *claim_features(rules), *meld_features(), *seat_features(rules, width)]
    )


def card_features(width: int) -> list[Feature]:
    """Return the features that are written whole: words spread out by card type."""
    this_turn = ONLY_THIS_TURN.format("runs")
    others = [f"+{d} {card}" for d in range(1, width) for card in TEXTS]
    return [
        Feature("own", NUM_TYPES, "how many cards of each type the viewer holds", high=2, entries=TEXTS),
        Feature(
            "bank",
            NUM_TYPES,
            "how many of each type lie in the bank: not the claimed card, but until N4.2 is completed those above it",
            high=2,
            entries=TEXTS,
        ),
        Feature("table", NUM_TYPES, "how many of each type lie in melds", high=2, entries=TEXTS),
        Feature(
            "unseen",
            NUM_TYPES,
            "how many of each type of the deck (N1.1) are nowhere in the viewer's sight",
            high=2,
            entries=TEXTS,
        ),
        Feature(
            "open_high",
            NUM_ENDS,
            f"by card, from 5c: how many runs take it on their high end (N8.5); {this_turn}",
            high=2,
            entries=TEXTS[FIRST_HIGH_PLACE:JOKER],
        ),
        Feature(
            "open_low",
            NUM_ENDS,
            f"by card, up to Js: how many runs take it on their low end; {this_turn}",
            high=2,
            entries=TEXTS[:NUM_ENDS],
        ),
        Feature(
            "known",
            (width - 1) * NUM_TYPES,
            "for each other seat from the viewer's left on: how many of each type everybody knows it to hold",
            high=2,
            entries=others,
        ),
    ]


def claim_features(rules: KunkenRules) -> list[Feature]:
    """Return the features of the bank from its top."""
    deck = NUM_DECKS * DECK_CARDS + MAX_JOKERS
    cards, points = deck / rules.hand_size, deck * HIGH_POINTS / rules.bank_points
    brings = "the claim of the copy nearest the {} of the bank brings: that card and all above it"
    size, value = "cards, in hands of `hand_size`,", "points, in `bank_points`, a joker counting 10,"
    top, deep = brings.format("top"), f"{brings.format('bottom')}; zero unless the bank holds two"
    return [
        Feature("top_cards", NUM_TYPES, f"by type: how many {size} {top}", high=cards, entries=TEXTS),
        Feature("deep_cards", NUM_TYPES, f"by type: how many {size} {deep}", high=cards, entries=TEXTS),
        Feature("top_points", NUM_TYPES, f"by type: how many {value} {top}", high=points, entries=TEXTS),
        Feature("deep_points", NUM_TYPES, f"by type: how many {value} {deep}", high=points, entries=TEXTS),
        Feature("top", NUM_TYPES, "one-hot of the top card of the bank; zero if it is empty", entries=TEXTS),
        Feature("claim", NUM_TYPES, "one-hot of the card claimed in this turn (N4.2)", entries=TEXTS),
    ]


def meld_features() -> list[Feature]:
    """Return the features of the melds on the table."""
    naturals = TEXTS[:JOKER]
    return [
        Feature(
            "open_set",
            NUM_NATURALS,
            f"by card: how many sets of three take it as their fourth (N3.1); {ONLY_THIS_TURN.format('sets')}",
            high=3,
            entries=naturals,
        ),
        Feature(
            "sets",
            2 * NUM_RANKS,
            "how many sets of three of each rank, then how many of four (N3.1)",
            high=3,
            entries=[f"{size} {rank}" for size in (LEAST_MELD, LEAST_MELD + 1) for rank in RANKS],
        ),
        Feature(
            "set_jokers", NUM_RANKS, "how many jokers lie in sets of each rank", high=2, entries=list(RANKS)
        ),
        Feature(
            "runs",
            NUM_NATURALS,
            "by the lowest place of a run: how many cards it has, in thirteenths; of two such runs the sum (N3.2)",
            high=(NUM_DECKS * NUM_RANKS + MAX_JOKERS) / NUM_RANKS,
            entries=naturals,
        ),
        Feature(
            "run_jokers",
            NUM_NATURALS,
            "by card: how many jokers stand for it in runs",
            high=2,
            entries=naturals,
        ),
    ]


def seat_features(rules: KunkenRules, width: int) -> list[Feature]:
    """Return what is left: the turn, the stock, and what is public of every seat."""
    deck = NUM_DECKS * DECK_CARDS + MAX_JOKERS
    cards, points = deck / rules.hand_size, most_points(rules) / rules.bank_points
    swing = rules.num_deals * most_payoff(rules) / rules.bank_points
    seats = "seats from the viewer to its left"
    return [
        Feature("phase", len(PHASES), f"one-hot of what is decided: {', '.join(PHASES)}", entries=PHASES),
        Feature(
            "owed",
            3,
            "points still to be laid, in `bank_points`; 1 while no card equal to the claimed one is laid; "
            "1 if a card must be left to discard (N4.2, N4.3, N4.6)",
            entries=("points", "claim", "leave"),
        ),
        Feature(
            "turn",
            3,
            "of the seat to act in this turn: points laid, in `bank_points`; melds begun; "
            "1 if it had laid nothing before, so that going out is an express (N6.2)",
            high=max(points, deck // LEAST_MELD),
            entries=("points", "melds", "express"),
        ),
        Feature(
            "left",
            3,
            "cards left in the stock, in hands of `hand_size`; reshuffles left (N5.1); "
            "cards in the bank, the claimed one not counted, in hands",
            high=max(cards, rules.max_reshuffles),
            entries=("stock", "reshuffles", "bank"),
        ),
        Feature("deals_done", 1, "share of the deals that have ended (N2.1)"),
        Feature("hand_size", width, f"cards in hand, in hands of `hand_size`; {seats}", high=cards),
        Feature(
            "laid_points", width, f"points laid in this deal, in `bank_points`; {seats} (N6.1)", high=points
        ),
        Feature("num_laid", width, f"cards laid in this deal, in hands of `hand_size`; {seats}", high=cards),
        Feature("opened", width, f"who has opened; {seats} (N4.6)"),
        Feature(
            "standing",
            width,
            f"won or lost in the deals that have ended, in `bank_points`; {seats} (N7)",
            low=-swing,
            high=swing,
        ),
        Feature("dealer", width, f"one-hot of the dealer; {seats} (N2.1)"),
        Feature("to_act", width, f"one-hot of the player to act; {seats}"),
    ]


@jit.inline
def encode(state, rules, viewer, width, scale, at, out):
    """Write the `table` encoding of ``state`` for ``viewer`` into ``out``.

    Args:
        state: a record, full or redacted: only what ``viewer`` may know is read.
        rules: a `RULES` record.
        viewer: seat.
        width: seats laid out: the player count, or 5 when padded.
        scale: one over `bank_points`.
        at: int64 array: offsets of the features (`Layout.offsets`).
        out: float32 array, shape ``(layout.size,)``.
    """
    for i in range(at[FIRST_SPARSE], out.shape[0]):
        out[index(i)] = 0.0
    encode_bank(state, rules, scale, at, out)
    table_one, table_two = encode_melds(state, rules, at, out)
    encode_cards(state, rules, viewer, width, table_one, table_two, at, out)
    encode_turn(state, rules, scale, at, out)
    encode_seats(state, rules, viewer, scale, at, out)


@jit.inline
def spread(one, two, out, base, size):
    """Write for each of the ``size`` lowest bits whether it is in ``one``, plus whether it is in ``two``."""
    for i in range(size):
        out[index(base + i)] = ((one >> i) & 1) + ((two >> i) & 1)


@jit.inline
def encode_bank(state, rules, scale, at, out):
    """What lies in the bank, and what each claim brings (N4.2): one pass from its top."""
    bank, size = state["bank"], int(state["num_bank"])
    top_cards, deep_cards = at[F_TOP_CARDS], at[F_DEEP_CARDS]
    top_points, deep_points = at[F_TOP_POINTS], at[F_DEEP_POINTS]
    per_hand = 1 / rules["hand_size"]
    points = 0
    for number in range(1, size + 1):
        card = int(bank[index(size - number)])
        points += HIGH_POINTS if card >= FIRST_HIGH_TYPE else LOW_POINTS
        cards_here, points_here = np.float32(number * per_hand), np.float32(points * scale)
        # A second copy is the deeper one. No branches: which card comes cannot be predicted.
        before = out[index(top_cards + card)]
        points_before = out[index(top_points + card)]
        is_first = before == 0
        out[index(top_cards + card)] = cards_here if is_first else before
        out[index(top_points + card)] = points_here if is_first else points_before
        out[index(deep_cards + card)] = np.float32(0) if is_first else cards_here
        out[index(deep_points + card)] = np.float32(0) if is_first else points_here
    top = int(bank[index(max(size - 1, 0))])
    out[index(at[F_TOP] + max(top, 0))] = 1.0 if size > 0 else 0.0


@jit.inline
def encode_melds(state, rules, at, out):
    """The melds on the table; return the words of the cards in them."""
    table_one, table_two = 0, 0
    high_one, high_two, low_one, low_two = 0, 0, 0, 0
    jokers = 0
    # N4.3: while something is owed only the melds of this turn take cards.
    first_open = int(state["turn_melds"]) if state["phase"] == OWE else 0
    for number in range(int(state["num_melds"])):
        meld = state["melds"][index(number)]
        is_open = 1 if number >= first_open else 0
        jokers += int(meld["jokers"])
        low, size = int(meld["low"]), int(meld["size"])
        if meld["kind"] == RUN:
            place = NUM_SUITS * low + int(meld["suit"])
            out[index(at[F_RUNS] + place)] += size * RUN_UNIT
            word = (ONE_SUIT & ((1 << (NUM_SUITS * size)) - 1)) << place
            if meld["jokers"] > 0:
                word = encode_run_jokers(meld, word, at, out)
            table_two |= table_one & word
            table_one |= word
            # The end beyond the ace falls out of the slice; that below the 2 is no card.
            end = is_open << (place + NUM_SUITS * size)
            high_two |= high_one & end
            high_one |= end
            end = (is_open << place) >> NUM_SUITS
            low_two |= low_one & end
            low_one |= end
        else:
            out[index(at[F_SETS] + (size - LEAST_MELD) * NUM_RANKS + low)] += 1.0
            out[index(at[F_SET_JOKERS] + low)] += int(meld["jokers"])
            word = 0
            for i in range(LEAST_MELD + 1):
                card = int(meld["cards"][index(i)])
                bit = (1 if card >= 0 else 0) << max(card, 0)
                table_two |= table_one & bit
                table_one |= bit
                word |= bit
            # Any card of the rank, or without identical cards those that are not in it (N3.1).
            taken = word & (rules["identical_cards_in_set"] - 1)
            fits = (SUITS_OF_RANK << (NUM_SUITS * low)) & ~taken if size == LEAST_MELD else 0
            for suit in range(NUM_SUITS):
                place = NUM_SUITS * low + suit
                out[index(at[F_OPEN_SET] + place)] += ((fits >> place) & 1) & is_open
    spread(high_one >> FIRST_HIGH_PLACE, high_two >> FIRST_HIGH_PLACE, out, at[F_OPEN_HIGH], NUM_ENDS)
    spread(low_one, low_two, out, at[F_OPEN_LOW], NUM_ENDS)
    table_one = (table_one & NATURALS) | (JOKER_BIT if jokers > 0 else 0)
    table_two = (table_two & NATURALS) | (JOKER_BIT if jokers > 1 else 0)
    return table_one, table_two


@jit.inline
def encode_run_jokers(meld, word, at, out):
    """Mark the places of the jokers of a run; return ``word`` without them."""
    suit = int(meld["suit"])
    for rank in range(NUM_RANKS):
        place = NUM_SUITS * rank + suit
        is_joker = 1 if meld["cards"][index(rank)] == JOKER else 0
        out[index(at[F_RUN_JOKERS] + place)] += is_joker
        word &= ~(is_joker << place)
    return word


@jit.inline
def encode_cards(state, rules, viewer, width, table_one, table_two, at, out):
    """Where every card is, as far as the viewer can see."""
    one, two = int(state["one"][viewer]), int(state["two"][viewer])
    # The claimed card is in the hand and, until the take is completed, still in the pile of the record.
    claimed = (1 if state["claim_at"] >= 0 else 0) << max(int(state["claim"]), 0)
    bank_one, bank_two = without(int(state["bank_one"]), int(state["bank_two"]), claimed, 0)
    spread(one, two, out, at[F_OWN], NUM_TYPES)
    spread(bank_one, bank_two, out, at[F_BANK], NUM_TYPES)
    spread(table_one, table_two, out, at[F_TABLE], NUM_TYPES)
    # A deck with fewer jokers is one in which they are seen to be missing.
    seen_one = JOKER_BIT if rules["num_jokers"] < MAX_JOKERS else 0
    seen_two = JOKER_BIT if rules["num_jokers"] == 0 else 0
    # A card of which two places hold one each is seen twice.
    seen_two |= two | (seen_one & one)
    seen_one |= one
    seen_two |= bank_two | (seen_one & bank_one)
    seen_one |= bank_one
    seen_two |= table_two | (seen_one & table_one)
    seen_one |= table_one
    num_players = rules["num_players"]
    for distance in range(1, width):
        seat = viewer + distance
        seat -= num_players if seat >= num_players else 0
        known_one, known_two = 0, 0
        if distance < num_players:
            known_one, known_two = int(state["known_one"][index(seat)]), int(state["known_two"][index(seat)])
        spread(known_one, known_two, out, at[F_KNOWN] + (distance - 1) * NUM_TYPES, NUM_TYPES)
        seen_two |= known_two | (seen_one & known_one)
        seen_one |= known_one
    spread(ALL_TYPES & ~seen_one, ALL_TYPES & ~seen_two, out, at[F_UNSEEN], NUM_TYPES)


@jit.inline
def encode_turn(state, rules, scale, at, out):
    """What is decided, what is owed, what has been laid in this turn, and how long the deal can go on."""
    per_hand = 1 / rules["hand_size"]
    phase = int(state["phase"])
    out[index(at[F_PHASE] + phase)] = 1.0
    claim = int(state["claim"])
    out[index(at[F_CLAIM] + max(claim, 0))] = 1.0 if claim >= 0 else 0.0
    owed, turn, left = at[F_OWED], at[F_TURN], at[F_LEFT]
    out[index(owed + NEED)] = max(int(state["need"]), 0) * scale
    out[index(owed + CLAIM_DUE)] = state["claim_due"]
    out[index(owed + LEAVE)] = state["leave"]
    out[index(turn + TURN_POINTS)] = state["turn_points"] * scale
    out[index(turn + TURN_MELDS)] = int(state["num_melds"]) - int(state["turn_melds"])
    out[index(turn + EXPRESS)] = 1.0 if state["turn_laid"] == 0 and phase != OVER else 0.0
    out[index(left + STOCK)] = (int(state["num_stock"]) - int(state["stock_next"])) * per_hand
    out[index(left + RESHUFFLES)] = rules["max_reshuffles"] - int(state["reshuffles"])
    out[index(left + BANK)] = (int(state["num_bank"]) - (1 if state["claim_at"] >= 0 else 0)) * per_hand
    out[index(at[F_DEALS_DONE])] = state["hands_done"] / rules["num_deals"]


@jit.inline
def encode_seats(state, rules, viewer, scale, at, out):
    """What is public of every seat."""
    num_players = rules["num_players"]
    per_hand, point = 1 / rules["hand_size"], scale / UNITS
    out[index(at[F_DEALER] + distance_to(state["dealer"], viewer, num_players))] = 1.0
    to_act = int(state["seat"])
    out[index(at[F_TO_ACT] + distance_to(max(to_act, 0), viewer, num_players))] = 1.0 if to_act >= 0 else 0.0
    hand_size, laid_points, num_laid = at[F_HAND_SIZE], at[F_LAID_POINTS], at[F_NUM_LAID]
    opened, standing = at[F_OPENED], at[F_STANDING]
    for seat in range(num_players):
        place = distance_to(seat, viewer, num_players)
        out[index(hand_size + place)] = state["num_cards"][index(seat)] * per_hand
        out[index(laid_points + place)] = state["laid_points"][index(seat)] * scale
        out[index(num_laid + place)] = state["num_laid"][index(seat)] * per_hand
        out[index(opened + place)] = state["opened"][index(seat)]
        out[index(standing + place)] = state["standing"][index(seat)] * point
