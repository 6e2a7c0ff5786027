"""Perfect recall of the current deal: the `history` encoding as integer tokens, and as text.

A sequence holds: the dealer; the public standings, where they tell more than the moves; the viewer's cards as
dealt, by type; how many cards the stock held; the bank as the deal began, from bottom to top; then every move
(who, counted from the viewer to its left, and which), after a draw of the viewer's own the card. It ends with
zeros. Hands are not shown at the end of a deal; a reshuffle follows from the moves (N5.1).
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import numpy as np

from kuns_env.jit import jit
from kuns_env.kunken.cards import NUM_TYPES, TEXTS, card_texts
from kuns_env.kunken.moves import ALL_TEXTS, DRAW, NUM_MOVES
from kuns_env.kunken.observe import most_payoff
from kuns_env.kunken.rules import DECK_CARDS, MAX_CARDS, MAX_PLAYERS, NUM_DECKS, KunkenRules
from kuns_env.kunken.state import LEAST_MELD, PHASES, UNITS
from kuns_env.kunken.tables import DISCARD, KIND
from kuns_env.tokens import RADIX, num_digits, write_number

PAD: Final = 0
CARD_BASE: Final = 1
"""``CARD_BASE + t``: a card of type ``t``."""
DEALER_BASE: Final = CARD_BASE + NUM_TYPES
"""``DEALER_BASE + d``: the dealer sits ``d`` seats to the left of the viewer."""
STOCK_BASE: Final = DEALER_BASE + MAX_PLAYERS
"""``STOCK_BASE + n``: the deal began with ``n`` cards in the stock; the cards of the bank follow."""
MOVE_BASE: Final = STOCK_BASE + MAX_CARDS + 1
"""``MOVE_BASE + d * NUM_MOVES + move``: a move by the player ``d`` seats to the left of the viewer."""
LOST: Final = MOVE_BASE + MAX_PLAYERS * NUM_MOVES
WON: Final = LOST + 1
"""The sign of a seat's standing; its amount in 1/12 point follows as digits."""
DIGIT_BASE: Final = WON + 1
"""``DIGIT_BASE + x``: a digit ``x`` of a number to base 256, the highest first."""
NUM_TOKENS: Final = DIGIT_BASE + RADIX
"""Tokens are from 0 to ``NUM_TOKENS - 1``."""


@lru_cache(maxsize=256)
def digits_of(rules: KunkenRules) -> tuple[int, int]:
    """Return the digits of (the number of deals done, a standing); (0, 0) where the moves tell both.

    Of a single deal they do, unless cards left in hand count: then the score says something of them (N6.3).
    """
    if rules.num_deals == 1 and not rules.hand_penalty:
        return 0, 0
    return num_digits(rules.num_deals), num_digits(rules.num_deals * most_payoff(rules) * UNITS)


@lru_cache(maxsize=256)
def length(rules: KunkenRules, players: int) -> int:
    """Return the fixed length of a sequence: a bound of the tokens that a deal with ``players`` can make.

    Every turn begins with a draw or with a take, which ends in a new meld, and no card leaves the table for
    good: a swap puts a natural there for the joker that it takes. So draws, melds, and cards that come to the
    table are all bounded, and with them the moves.
    """
    deal_digits, standing_digits = digits_of(rules)
    deck = NUM_DECKS * DECK_CARDS + rules.num_jokers
    undealt = deck - players * rules.hand_size
    # A new stock is made of what is neither on top of the bank nor in a hand, and no hand is empty (N5.1, N4.9).
    draws = undealt - 1 + rules.max_reshuffles * (deck - players - 1)
    turns = draws + deck // LEAST_MELD
    lays = deck
    if rules.joker_swap and rules.num_jokers:
        # Each natural that is swapped in brings a joker that can be laid again (N3.4).
        lays += NUM_DECKS * DECK_CARDS
    own_draws = min(draws, -(-turns // players))
    standings = deal_digits + players * (1 + standing_digits) if deal_digits else 0
    # The bank of a position set up can hold all cards but those of the hands and one of the stock (N9.1); each
    # card more in it is one less that is drawn from the first stock.
    return 1 + standings + rules.hand_size + 1 + 1 + 2 * turns + lays + own_draws


@lru_cache(maxsize=256)
def padded_length(rules: KunkenRules) -> int:
    """Return the length that serves every player count, so that one network plays every table."""
    return max(length(rules, players) for players in range(2, MAX_PLAYERS + 1))


def describe_token(token: int) -> str:
    """Return what a token means, for people.

    >>> describe_token(1), describe_token(MOVE_BASE + NUM_MOVES + DRAW)
    ('card 2c', 'seat +1: draw')
    """
    if not 0 <= token < NUM_TOKENS:
        raise ValueError(f"token {token}: must be from 0 to {NUM_TOKENS - 1}")
    if token == PAD:
        return "end"
    if token < DEALER_BASE:
        return f"card {TEXTS[token - CARD_BASE]}"
    if token < STOCK_BASE:
        return f"dealer: seat +{token - DEALER_BASE}"
    if token < MOVE_BASE:
        return f"stock of {token - STOCK_BASE}; the bank"
    if token < LOST:
        seat, move = divmod(token - MOVE_BASE, NUM_MOVES)
        return f"seat +{seat}: {ALL_TEXTS[move]}"
    names = {LOST: "standing, minus", WON: "standing, plus"}
    return names.get(token, f"digit {token - DIGIT_BASE}")


@jit.kernel
def write_standings(state, rules, viewer, deal_digits, standing_digits, out, place):
    """Write how many deals have ended and what each seat has won; return the place after them."""
    place = write_number(out, place, int(state["hands_done"]), deal_digits, DIGIT_BASE)
    num_players = rules["num_players"]
    for distance in range(num_players):
        standing = int(state["standing"][(int(viewer) + distance) % num_players])
        out[place] = WON if standing >= 0 else LOST
        place = write_number(out, place + 1, abs(standing), standing_digits, DIGIT_BASE)
    return place


@jit.kernel
def write_deal(state, viewer, out, place):
    """Write the viewer's cards as dealt, the size of the stock, and the bank; return the place after them."""
    one, two = int(state["dealt_one"][viewer]), int(state["dealt_two"][viewer])
    for card in range(NUM_TYPES):
        for _ in range(((one >> card) & 1) + ((two >> card) & 1)):
            out[place] = CARD_BASE + card
            place += 1
    out[place] = STOCK_BASE + int(state["num_first_stock"])
    place += 1
    for i in range(int(state["num_first_bank"])):
        out[place] = CARD_BASE + int(state["first_bank"][i])
        place += 1
    return place


@jit.kernel
def encode(state, rules, viewer, deal_digits, standing_digits, out):
    """Write the `history` encoding of ``state`` for ``viewer`` into ``out``.

    Args:
        state: a record, full or redacted: only what ``viewer`` may know is read.
        rules: a `RULES` record.
        viewer: seat.
        deal_digits: see `digits_of`.
        standing_digits: see `digits_of`.
        out: int16 array, shape ``(length(rules),)``.
    """
    out[:] = PAD
    num_players = rules["num_players"]
    out[0] = DEALER_BASE + (int(state["dealer"]) - viewer) % num_players
    place = 1
    if deal_digits > 0:
        place = write_standings(state, rules, viewer, deal_digits, standing_digits, out, place)
    place = write_deal(state, viewer, out, place)
    # Whose move it was is not written down: the left of the dealer begins, and a discard ends a turn (N2.3, N4.8).
    distance = (int(state["dealer"]) + 1 - viewer) % num_players
    for i in range(int(state["num_history"])):
        move = int(state["history"][i])
        out[place] = MOVE_BASE + distance * NUM_MOVES + move
        place += 1
        if move == DRAW and distance == 0:
            out[place] = CARD_BASE + int(state["drawn"][i])
            place += 1
        if KIND[move] == DISCARD:
            distance = distance + 1 if distance + 1 < num_players else 0


def events(rules: KunkenRules, known: np.void) -> list[tuple[int, int, int]]:
    """Return (seat, move, card drawn or -1) of every move of the deal.

    Args:
        rules: the rules.
        known: a record; where it is redacted, the cards that others drew are -1.
    """
    seat, count = (int(known["dealer"]) + 1) % rules.num_players, int(known["num_history"])
    found = []
    for move, card in zip(known["history"][:count].tolist(), known["drawn"][:count].tolist(), strict=True):
        found.append((seat, move, card))
        if KIND[move] == DISCARD:
            seat = (seat + 1) % rules.num_players
    return found


def information_state(rules: KunkenRules, known: np.void, viewer: int) -> str:
    """Return the perfect-recall key of ``viewer``: equal keys mean that it cannot tell the states apart.

    Args:
        rules: the rules.
        known: the record redacted for ``viewer``.
        viewer: seat.
    """
    standings = ":".join(str(int(known["standing"][seat])) for seat in range(rules.num_players))
    bank = known["first_bank"][: int(known["num_first_bank"])].tolist()
    parts = [
        f"seat {viewer}",
        PHASES[int(known["phase"])],
        f"dealer {int(known['dealer'])}",
        f"deal {int(known['hands_done'])}",
        f"standings {standings}",
        f"hand {' '.join(card_texts(known['dealt_one'][viewer], known['dealt_two'][viewer]))}",
        f"bank {' '.join(TEXTS[card] for card in bank)}",
        f"stock {int(known['num_first_stock'])}",
    ]
    for seat, move, card in events(rules, known):
        drawn = f" {TEXTS[card]}" if move == DRAW and seat == viewer else ""
        parts.append(f"{seat} {ALL_TEXTS[move]}{drawn}")
    return "|".join(parts)
