"""Perfect recall of the current hand: the `history` encoding as integer tokens, and as text.

A sequence holds: the dealer; in a session the public standings; then every event of the hand in order: a
deal (the round, then the viewer's own new cards by rank), or a move (who, counted from the viewer to its
left, and which); after a showdown the hands shown. It ends with zeros.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import numpy as np

from kuns_env.cards import RANKS
from kuns_env.jit import jit
from kuns_env.kuns import moves
from kuns_env.kuns.moves import NUM_MOVES
from kuns_env.kuns.observe import most_chips
from kuns_env.kuns.rules import HAND_SIZE, MAX_PLAYERS, TOP_RANK, KunsRules
from kuns_env.kuns.state import DEAL, NUM_ROUNDS, OVER, PHASES, STAY, UNITS
from kuns_env.kuns.value import rank_at
from kuns_env.tokens import RADIX, num_digits, write_number

PAD: Final = 0
RANK_BASE: Final = 0
"""Tokens 1 to 10: a card of that rank."""
DEALER_BASE: Final = TOP_RANK + 1
"""``DEALER_BASE + d``: the dealer sits ``d`` seats to the left of the viewer."""
ROUND_BASE: Final = DEALER_BASE + MAX_PLAYERS
"""``ROUND_BASE + r - 1``: the cards of round ``r`` are dealt."""
MOVE_BASE: Final = ROUND_BASE + NUM_ROUNDS
"""``MOVE_BASE + d * NUM_MOVES + move``: a move by the player ``d`` seats to the left of the viewer."""
SHOWN_BASE: Final = MOVE_BASE + MAX_PLAYERS * NUM_MOVES
"""``SHOWN_BASE + d``: the hand of that player is shown; five ranks follow."""
GONE: Final = SHOWN_BASE + MAX_PLAYERS
SEATED: Final = GONE + 1
"""In a session: whether a seat is still in it."""
LOST: Final = SEATED + 1
WON: Final = LOST + 1
"""In a session: the sign of a seat's standing; its amount in 1/840 chip follows as digits."""
DIGIT_BASE: Final = WON + 1
"""``DIGIT_BASE + x``: a digit ``x`` of a number to base 256, the highest first."""
NUM_TOKENS: Final = DIGIT_BASE + RADIX
"""Tokens are from 0 to ``NUM_TOKENS - 1``."""


@lru_cache(maxsize=256)
def digits_of(rules: KunsRules) -> tuple[int, int]:
    """Return the digits of (the number of hands done, a standing); (0, 0) where an episode is one hand."""
    if rules.num_hands == 1:
        return 0, 0
    hands = rules.num_hands or rules.max_hands
    swing = hands * int(most_chips(rules))
    if rules.bankroll is not None:
        swing = min(swing, rules.num_players * rules.bankroll)
    return num_digits(hands), num_digits(swing * UNITS)


@lru_cache(maxsize=256)
def length(rules: KunsRules, players: int) -> int:
    """Return the fixed length of a sequence: the most tokens that a hand of ``players`` can make."""
    hand_digits, money_digits = digits_of(rules)
    standings = hand_digits + players * (2 + money_digits) if hand_digits else 0
    window = players * (3 + players - 1) if rules.side_bets else 0
    events = 1 + NUM_ROUNDS * (1 + players + window) + HAND_SIZE
    stay = players if rules.num_hands is None else 0
    return 1 + standings + events + players * (1 + HAND_SIZE) + stay


def describe_token(token: int) -> str:
    """Return what a token means, for people.

    >>> describe_token(1), describe_token(MOVE_BASE + NUM_MOVES + moves.CALL)
    ('card A', 'seat +1: call')
    """
    if not 0 <= token < NUM_TOKENS:
        raise ValueError(f"token {token}: must be from 0 to {NUM_TOKENS - 1}")
    if token == PAD:
        return "end"
    if token < DEALER_BASE:
        return f"card {RANKS[token - 1]}"
    if token < ROUND_BASE:
        return f"dealer: seat +{token - DEALER_BASE}"
    if token < MOVE_BASE:
        return f"round {token - ROUND_BASE + 1} is dealt"
    if token < SHOWN_BASE:
        seat, move = divmod(token - MOVE_BASE, NUM_MOVES)
        return f"seat +{seat}: {moves.describe(move)}"
    if token < GONE:
        return f"seat +{token - SHOWN_BASE} shows"
    names = {GONE: "has left", SEATED: "is in the session", LOST: "standing, minus", WON: "standing, plus"}
    return names.get(token, f"digit {token - DIGIT_BASE}")


@jit
def write_standings(state, rules, viewer, hand_digits, money_digits, out, place):
    """Write the public standings of a session; return the place after them."""
    place = write_number(out, place, int(state["hands_done"]), hand_digits, DIGIT_BASE)
    num_players = rules["num_players"]
    for distance in range(num_players):
        seat = (int(viewer) + distance) % num_players
        standing = int(state["standing"][seat])
        out[place] = SEATED if state["seated"][seat] == 1 else GONE
        out[place + 1] = WON if standing >= 0 else LOST
        place = write_number(out, place + 2, abs(standing), money_digits, DIGIT_BASE)
    return place


@jit
def write_own_cards(state, viewer, dealt_round, out, place):
    """Write the viewer's cards of one deal step in ascending rank; return the place after them."""
    first = 2 * (dealt_round - 1)
    if int(state["num_cards"][viewer]) <= first:
        return place
    low = rank_at(state["hole"], viewer, first)
    if dealt_round == NUM_ROUNDS:
        out[place] = RANK_BASE + low
        return place + 1
    high = rank_at(state["hole"], viewer, first + 1)
    out[place] = RANK_BASE + min(low, high)
    out[place + 1] = RANK_BASE + max(low, high)
    return place + 2


@jit
def encode(state, rules, viewer, hand_digits, money_digits, out):
    """Write the `history` encoding of ``state`` for ``viewer`` into ``out``.

    Args:
        state: a record, full or redacted: only what ``viewer`` may know is read.
        rules: a `RULES` record.
        viewer: seat.
        hand_digits: see `digits_of`.
        money_digits: see `digits_of`.
        out: int16 array, shape ``(length(rules),)``.
    """
    out[:] = PAD
    num_players = rules["num_players"]
    out[0] = DEALER_BASE + (int(state["dealer"]) - viewer) % num_players
    place = 1
    if hand_digits > 0:
        place = write_standings(state, rules, viewer, hand_digits, money_digits, out, place)
    for i in range(int(state["num_history"])):
        seat, move = int(state["history"][i, 0]), int(state["history"][i, 1])
        if seat == DEAL:
            out[place] = ROUND_BASE + move - 1
            place = write_own_cards(state, viewer, move, out, place + 1)
        else:
            out[place] = MOVE_BASE + (seat - viewer) % num_players * NUM_MOVES + move
            place += 1
    if state["phase"] == STAY or state["phase"] == OVER:
        write_shown(state, rules, viewer, out, place)


@jit
def write_shown(state, rules, viewer, out, place):
    """K7.3: write the hands shown by others."""
    num_players = rules["num_players"]
    for distance in range(1, num_players):
        seat = (int(viewer) + distance) % num_players
        if state["shown"][seat, 0] >= 0:
            out[place] = SHOWN_BASE + distance
            for i in range(HAND_SIZE):
                out[place + 1 + i] = RANK_BASE + rank_at(state["shown"], seat, i)
            place += 1 + HAND_SIZE


def own_step(known: np.void, viewer: int, dealt_round: int) -> str:
    """Return the ranks of the viewer's cards of one deal step, as text."""
    first = 2 * (dealt_round - 1)
    last = min(first + 2, int(known["num_cards"][viewer]), HAND_SIZE)
    cards = sorted(rank_at(known["hole"], viewer, place) for place in range(first, last))
    return "".join(RANKS[rank - 1] for rank in cards)


def information_state(rules: KunsRules, known: np.void, viewer: int) -> str:
    """Return the perfect-recall key of ``viewer``: equal keys mean that it cannot tell the states apart.

    Args:
        rules: the rules.
        known: the record redacted for ``viewer``.
        viewer: seat.
    """
    parts = [f"seat {viewer}", PHASES[int(known["phase"])], f"dealer {int(known['dealer'])}"]
    if rules.num_hands != 1:
        seats = range(rules.num_players)
        parts.append(f"hand {int(known['hands_done'])}")
        parts += [f"{int(known['seated'][s])}:{int(known['standing'][s])}" for s in seats]
    for seat, move in known["history"][: int(known["num_history"])].tolist():
        if seat == DEAL:
            parts.append(f"deal {move} {own_step(known, viewer, move)}".strip())
        else:
            parts.append(f"{seat} {moves.texts(rules, seat)[move]}")
    if known["phase"] in (STAY, OVER):
        for seat in range(rules.num_players):
            if known["shown"][seat, 0] >= 0:
                ranks = sorted(rank_at(known["shown"], seat, i) for i in range(HAND_SIZE))
                parts.append(f"shown {seat} {''.join(RANKS[rank - 1] for rank in ranks)}")
    return "|".join(parts)
