"""What a seat knows, as plain data and as text for people. Both read the redacted record alone."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from kuns_env.cards import format_cards
from kuns_env.kuns import moves
from kuns_env.kuns.rules import KunsRules
from kuns_env.kuns.setup import hand_texts
from kuns_env.kuns.state import DEAL, OVER, PHASES, STAY, UNITS


def chips(units: int) -> str:
    """Return an amount of money as text: ``3`` or ``7/2``.

    >>> chips(840), chips(420)
    ('1', '1/2')
    """
    return str(Fraction(int(units), UNITS))


def events(rules: KunsRules, known: np.void) -> list[str]:
    """Return the public events of the hand in order: ``deal 1``, ``2: call``."""
    lines = []
    for seat, move in known["history"][: int(known["num_history"])].tolist():
        lines.append(f"deal {move}" if seat == DEAL else f"{seat}: {moves.texts(rules, seat)[move]}")
    return lines


def bets_of(known: np.void) -> list[dict[str, int]]:
    """Return the side bets of the hand (K6.6); a stake is in antes."""
    names = ("offerer", "taker", "backed", "opposed", "stake")
    rows = known["bets"][: int(known["num_bets"])].tolist()
    return [dict(zip(names, row, strict=True)) for row in rows]


def shown_hands(rules: KunsRules, known: np.void) -> list[list[str] | None]:
    """Return the hand that each seat showed at the last showdown, None where it showed none (K7.3).

    They stay readable when the next hand has begun.
    """
    return [format_cards(known["shown"][seat]) or None for seat in range(rules.num_players)]


def to_dict(rules: KunsRules, known: np.void, viewer: int | None) -> dict[str, Any]:
    """Return what ``viewer`` knows as plain data, ready for JSON. Money is text: exact chips."""
    seats = range(rules.num_players)
    phase = int(known["phase"])
    ended = phase in (STAY, OVER)
    offer = {name: int(known[name]) for name in ("offerer", "backed", "opposed") if known[name] >= 0}
    if known["stake_index"] >= 0:
        offer["stake"] = rules.side_stakes[int(known["stake_index"])]
    return {
        "game": rules.game,
        "viewer": viewer,
        "phase": PHASES[phase],
        "to_play": None if known["seat"] < 0 else int(known["seat"]),
        "hand": int(known["hands_done"]) + (0 if ended else 1),
        "round": int(known["round"]),
        "dealer": int(known["dealer"]),
        "ante": int(known["ante"]) or None,
        "pot": int(known["pot"]),
        "in_hand": [bool(known["in_hand"][seat]) for seat in seats],
        "seated": [bool(known["seated"][seat]) for seat in seats],
        "paid": [int(known["paid"][seat]) for seat in seats],
        "cards": [hand_texts(known, seat) for seat in seats],
        "offer": offer or None,
        "bets": bets_of(known),
        "events": events(rules, known),
        "payoffs": [chips(known["payoff"][seat]) for seat in seats] if ended else None,
        "last_payoffs": [chips(known["payoff"][seat]) for seat in seats] if known["hands_done"] else None,
        "shown": shown_hands(rules, known),
        "standings": [chips(known["standing"][seat]) for seat in seats],
    }


def seat_line(rules: KunsRules, known: np.void, viewer: int | None, seat: int) -> str:
    """Return one line about a seat."""
    marks = [
        word for word, on in (("dealer", seat == known["dealer"]), ("to act", seat == known["seat"])) if on
    ]
    if not known["seated"][seat]:
        marks.append("left")
    elif not known["in_hand"][seat]:
        marks.append("out")
    name = f"seat {seat}" + (" (you)" if seat == viewer else "")
    cards = " ".join(hand_texts(known, seat)) or "-"
    line = f"{name:<13}{cards:<16}paid {int(known['paid'][seat])}"
    if known["phase"] in (STAY, OVER):
        line += f"  payoff {chips(known['payoff'][seat])}"
    if rules.num_hands != 1:
        line += f"  standing {chips(known['standing'][seat])}"
    return line + (f"  [{', '.join(marks)}]" if marks else "")


def to_text(rules: KunsRules, known: np.void, viewer: int | None) -> str:
    """Return what ``viewer`` knows as text, a line a seat; ``?`` is a card that it does not see."""
    phase = int(known["phase"])
    ante = int(known["ante"]) or "not set"
    hand = int(known["hands_done"]) + (0 if phase in (STAY, OVER) else 1)
    money = f"ante {ante}, pot {int(known['pot'])}"
    lines = [f"Kuns, hand {hand}, round {int(known['round'])}, {PHASES[phase]}: {money}"]
    lines += [seat_line(rules, known, viewer, seat) for seat in range(rules.num_players)]
    for bet in bets_of(known):
        lines.append(
            f"bet: seat {bet['offerer']} has {bet['stake']} x ante on hand {bet['backed']} "
            f"over hand {bet['opposed']}, taken by seat {bet['taker']}"
        )
    if known["offerer"] >= 0:
        lines.append(offer_line(rules, known))
    return "\n".join(lines)


def offer_line(rules: KunsRules, known: np.void) -> str:
    """Return the side bet on the table as far as it has been said (K6.3)."""
    line = f"offer: seat {int(known['offerer'])} backs hand {int(known['backed'])}"
    if known["opposed"] >= 0:
        line += f" against hand {int(known['opposed'])}"
    if known["stake_index"] >= 0:
        line += f" for {rules.side_stakes[int(known['stake_index'])]} x ante"
    return line
