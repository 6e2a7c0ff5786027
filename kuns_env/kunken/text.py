"""What a seat knows, as plain data and as text for people. Both read the redacted record alone."""

from __future__ import annotations

from fractions import Fraction
from textwrap import wrap
from typing import Any, Final

import numpy as np

from kuns_env.kunken import moves, tables
from kuns_env.kunken.cards import JOKER, JOKER_TEXT, NO_CARD, RANKS, SUITS, TEXTS, card_texts, points_of
from kuns_env.kunken.rules import KunkenRules
from kuns_env.kunken.setup import HIDDEN, hand_texts
from kuns_env.kunken.state import NOBODY, OVER, OWE, PHASES, RUN, UNITS

KINDS: Final = ("set", "run")
WIDTH: Final = 100
"""Letters in a line of the text view; longer ones go on in the next."""
INDENT: Final = "      "


def points(units: int) -> str:
    """Return an amount of points won or lost as text: ``30`` or ``-1/4``.

    >>> points(360), points(-3)
    ('30', '-1/4')
    """
    return str(Fraction(int(units), UNITS))


# --- plain data ---------------------------------------------------------------------------------------------


def place_text(card: int, rank: int, suit: int) -> str:
    """Return a card of a meld; after a joker comes what it stands for, as in N8.5.

    >>> place_text(5, 1, 1), place_text(JOKER, 1, 1), place_text(JOKER, 1, -1)
    ('3d', '*3d', '*3')
    """
    if card != JOKER:
        return TEXTS[card]
    return JOKER_TEXT + RANKS[rank] + (SUITS[suit] if suit >= 0 else "")


def meld_of(meld: np.void) -> dict[str, Any]:
    """Return a meld as plain data: cards of a run from the lowest up, of a set in the order laid."""
    low, size, is_run = int(meld["low"]), int(meld["size"]), int(meld["kind"]) == RUN
    first = low if is_run else 0
    ranks = range(low, low + size) if is_run else [low] * size
    cards = meld["cards"][first : first + size].tolist()
    return {
        "kind": KINDS[is_run],
        "owner": int(meld["owner"]),
        "cards": [place_text(card, rank, int(meld["suit"])) for card, rank in zip(cards, ranks, strict=True)],
        "layers": meld["layers"][first : first + size].tolist(),
        "points": sum(map(points_of, ranks)),
    }


def in_bank(known: np.void) -> tuple[list[str], list[str]]:
    """Return the bank from bottom to top, and the cards that wait above a claim (N4.2)."""
    cards = [TEXTS[card] for card in known["bank"].tolist() if card != NO_CARD]
    place = int(known["claim_at"])
    if place < 0:
        return cards, []
    return cards[:place], cards[len(cards) - waiting_above(known, place) :]


def waiting_above(known: np.void, place: int) -> int:
    """Return how many cards lie above the claimed one in place ``place``."""
    return int((known["bank"][place + 1 :] != NO_CARD).sum())


def events(rules: KunkenRules, known: np.void) -> list[str]:
    """Return the public events of the deal in order: ``1: draw``, ``1: discard 7h``, ``reshuffle``."""
    lines: list[str] = []
    seat = (int(known["dealer"]) + 1) % rules.num_players
    bank, stock = known["first_bank"][: int(known["num_first_bank"])].tolist(), int(known["num_first_stock"])
    reshuffles = 0
    for move in known["history"][: int(known["num_history"])].tolist():
        lines.append(f"{seat}: {moves.ALL_TEXTS[move]}")
        kind, card = int(tables.KIND[move]), int(tables.PLACE[move])
        if kind == tables.DRAW:
            stock -= 1
        elif kind == tables.DEEP:
            del bank[bank.index(card) :]
        elif kind == tables.TAKE:
            del bank[len(bank) - 1 - bank[::-1].index(card) :]
        elif kind == tables.DISCARD:
            bank.append(card)
            seat = (seat + 1) % rules.num_players
            if not stock and reshuffles < int(known["reshuffles"]):  # N5.1
                stock, bank = len(bank) - 1, bank[-1:]
                reshuffles += 1
                lines.append("reshuffle")
    return lines


def drew(known: np.void) -> str | None:
    """Return the card that the seat to act drew in this turn; None if it drew none, or one that is hidden."""
    for i in reversed(range(int(known["num_history"]))):
        kind = int(tables.KIND[known["history"][i]])
        if kind == tables.DRAW:
            card = int(known["drawn"][i])
            return None if card == NO_CARD else TEXTS[card]
        if kind in (tables.TAKE, tables.DEEP, tables.DISCARD):
            break
    return None


def last_deal(known: np.void, num_players: int) -> dict[str, Any]:
    """Return what came of the deal that ended last (N4.9, N6); None everywhere before the first end."""
    names = ("last_scores", "last_winner", "last_express", "last_turns", "last_takes", "last_payoffs")
    if not known["hands_done"]:
        return dict.fromkeys(names)
    winner = int(known["last_winner"])
    return {
        "last_scores": known["last_scores"][:num_players].tolist(),
        "last_winner": None if winner == NOBODY else winner,
        "last_express": bool(known["last_express"]),
        "last_turns": int(known["last_turns"]),
        "last_takes": known["last_takes"][:num_players].tolist(),
        "last_payoffs": [points(units) for units in known["payoff"][:num_players]],
    }


def to_dict(rules: KunkenRules, known: np.void, viewer: int | None) -> dict[str, Any]:
    """Return what ``viewer`` knows as plain data, ready for JSON. What was won and lost is text: exact points."""
    num_players = rules.num_players
    seats = range(num_players)
    ended, owing = int(known["phase"]) == OVER, int(known["phase"]) == OWE
    bank, waiting = in_bank(known)
    last = last_deal(known, num_players)
    return {
        "game": rules.game,
        "viewer": viewer,
        "phase": PHASES[int(known["phase"])],
        "to_play": None if known["seat"] < 0 else int(known["seat"]),
        "hand": int(known["hands_done"]) + (0 if ended else 1),
        "turn": int(known["turns"]),
        "dealer": int(known["dealer"]),
        "seated": [bool(known["seated"][seat]) for seat in seats],
        "cards": [hand_texts(known, seat) for seat in seats],
        "known": [card_texts(known["known_one"][seat], known["known_two"][seat]) for seat in seats],
        "hand_sizes": known["num_cards"][:num_players].tolist(),
        "drew": drew(known),
        "bank": bank,
        "claimed": None if known["claim"] < 0 else TEXTS[int(known["claim"])],
        "waiting": waiting,
        "owed": max(0, int(known["need"])) if owing else None,
        "claim_due": owing and bool(known["claim_due"]),
        "leave": owing and bool(known["leave"]),
        "stock_left": int(known["num_stock"]) - int(known["stock_next"]),
        "reshuffles_left": rules.max_reshuffles - int(known["reshuffles"]),
        "melds": [meld_of(meld) for meld in known["melds"][: int(known["num_melds"])]],
        "laid_points": known["laid_points"][:num_players].tolist(),
        "turn_points": int(known["turn_points"]),
        "opened": [bool(known["opened"][seat]) for seat in seats],
        "takes": known["takes"][:num_players].tolist(),
        "events": events(rules, known),
        "payoffs": last["last_payoffs"] if ended else None,
        **last,
        # Hands are not laid open at the end of a deal.
        "shown": [None for _ in seats],
        "standings": [points(known["standing"][seat]) for seat in seats],
    }


# --- text ---------------------------------------------------------------------------------------------------


def by_suit(cards: list[str]) -> str:
    """Return cards a suit at a time, jokers last.

    >>> by_suit(["3c", "3d", "Tc", "*"])
    'c: 3 T | d: 3 | *'
    """
    parts = []
    for suit in SUITS:
        ranks = [card[0] for card in cards if card[1:] == suit]
        if ranks:
            parts.append(f"{suit}: {' '.join(ranks)}")
    jokers = [card for card in cards if card == JOKER_TEXT]
    return " | ".join(parts + [" ".join(jokers)] * bool(jokers))


def counted(amount: int, noun: str) -> str:
    """Return an amount and its noun.

    >>> counted(1, "card"), counted(7, "card")
    ('1 card', '7 cards')
    """
    return f"{amount} {noun}" + ("" if amount == 1 else "s")


def seat_line(rules: KunkenRules, facts: dict[str, Any], seat: int) -> str:
    """Return one line about a seat."""
    marks = [
        word for word, on in (("dealer", seat == facts["dealer"]), ("to act", seat == facts["to_play"])) if on
    ]
    name = f"seat {seat}" + (" (you)" if seat == facts["viewer"] else "")
    line = f"{name:<13}{counted(facts['hand_sizes'][seat], 'card'):<9}"
    line += f"  laid {facts['laid_points'][seat]:<4}{'opened' if facts['opened'][seat] else '':<6}"
    if facts["payoffs"] is not None:
        line += f"  score {facts['last_scores'][seat]}  payoff {facts['payoffs'][seat]}"
    if rules.num_deals != 1:
        line += f"  standing {facts['standings'][seat]}"
    own = seat == facts["viewer"]
    seen = facts["known"][seat] if own else [card for card in facts["cards"][seat] if card != HIDDEN]
    if seen:
        line += f"  {'known' if own else 'holds'} {' '.join(seen)}"
    return line.rstrip() + (f"  [{', '.join(marks)}]" if marks else "")


def turn_lines(facts: dict[str, Any]) -> list[str]:
    """Return what is going on in this turn: the card drawn or claimed, and what is owed (N4.2)."""
    lines = []
    if facts["drew"]:
        lines.append(f"drawn: {facts['drew']}")
    if facts["owed"] is not None:
        line = f"owed: {counted(facts['owed'], 'point')} more in new melds"
        line += f", {facts['claimed']} among the cards" if facts["claim_due"] else ""
        lines.append(line)
    elif facts["claimed"]:
        lines.append(f"claimed in this turn: {facts['claimed']}")
    if facts["waiting"]:
        lines.append(f"above {facts['claimed']}: {' '.join(facts['waiting'])}")
    return lines


def meld_line(number: int, meld: dict[str, Any]) -> str:
    """Return one line about a meld, numbered from 1; cards that others laid on it are named."""
    line = f"{number:>3} {meld['kind']} {meld['points']:>3} points  {' '.join(meld['cards'])}  by seat {meld['owner']}"
    guests = [
        f"{card} by seat {layer}"
        for card, layer in zip(meld["cards"], meld["layers"], strict=True)
        if layer != meld["owner"]
    ]
    return line + (f", {', '.join(guests)}" if guests else "")


def end_line(facts: dict[str, Any]) -> str:
    """Return how the last deal ended (N4.9, N5.1, N6.2)."""
    if facts["last_winner"] is None:
        return "nobody went out: the stock is used up"
    express = ", an express: its score is doubled" if facts["last_express"] else ""
    return f"seat {facts['last_winner']} went out{express}"


def to_text(rules: KunkenRules, known: np.void, viewer: int | None) -> str:
    """Return what ``viewer`` knows as text: stock and bank, a line a seat, a line a meld, the viewer's hand."""
    facts = to_dict(rules, known, viewer)
    again = counted(facts["reshuffles_left"], "reshuffle")
    lines = [
        f"Kunken, deal {facts['hand']}, turn {facts['turn']}, {facts['phase']}",
        f"stock {counted(facts['stock_left'], 'card')}, {again} left",
        f"bank from bottom to top: {' '.join(facts['bank']) or 'empty'}",
    ]
    lines += [seat_line(rules, facts, seat) for seat in range(rules.num_players)]
    lines += [end_line(facts)] if facts["payoffs"] is not None else turn_lines(facts)
    if facts["melds"]:
        lines.append("melds:")
    lines += [meld_line(number, meld) for number, meld in enumerate(facts["melds"], start=1)]
    if viewer is not None:
        hand = facts["cards"][viewer]
        lines += [f"hand by rank: {' '.join(hand) or '-'}", f"hand by suit: {by_suit(hand) or '-'}"]
    return "\n".join(part for line in lines for part in folded(line))


def folded(line: str) -> list[str]:
    """Return a line in pieces of at most `WIDTH` letters."""
    if len(line) <= WIDTH:
        return [line]
    return wrap(line, WIDTH, subsequent_indent=INDENT, break_long_words=False, break_on_hyphens=False)
