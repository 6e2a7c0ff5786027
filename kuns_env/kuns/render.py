"""The table as a picture, seen from above. It is made from the record that it is handed: the redacted one."""

from __future__ import annotations

from math import cos, pi, sin
from textwrap import wrap
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from kuns_env.canvas import (
    BACK_LINES,
    FELT,
    FLOOR,
    GOLD,
    HUGE,
    INK,
    LARGE,
    LIGHT,
    LINE,
    LOST,
    NORMAL,
    PAPER,
    RED,
    RIM,
    SHADE,
    SMALL,
    SOFT,
    WON,
    Canvas,
    Lines,
    Point,
    draw_back,
    draw_suit,
    mix,
)
from kuns_env.cards import NO_CARD, RANKS, SUITS, rank_of
from kuns_env.kuns.rules import HAND_SIZE, KunsRules
from kuns_env.kuns.state import OVER, PHASES, STAY
from kuns_env.kuns.text import bets_of, chips, events, offer_line
from kuns_env.kuns.value import KUNS_BONUS, TENS, hand_value

SIZE: Final = (1120, 720)
"""Width and height of the picture."""

TABLE: Final = (6, 8, 834, 712)
MIDDLE: Final = (420.0, 360.0)
RADII: Final = (288.0, 272.0)
ROUNDING: Final = 0.6
"""Seats lie on a rounded rectangle: cosine and sine to this power; 1 would be an ellipse."""
PANEL: Final = (232, 128)
CARD: Final = (40, 58)
GAP: Final = 4
MARGIN: Final = 10
SIDE: Final = 848
"""Where the column at the right begins."""
COLUMNS: Final = 36
"""Characters that fit into a line of that column."""

DIMMED: Final = 0.62
"""How far the colours of a folded hand go towards the felt."""


def rgb_array(rules: KunsRules, known: np.void, viewer: int | None) -> npt.NDArray[np.uint8]:
    """Return the picture of a record, uint8 ``(height, width, 3)``; what the record hides stays face down.

    Args:
        rules: the rules.
        known: a record, redacted for ``viewer``; a full record shows every card.
        viewer: the seat that sits at the bottom; None for a spectator, who sees seat 0 there.

    Raises:
        ImportError: Pillow is not installed.
    """
    canvas = Canvas(SIZE, FLOOR)
    canvas.box(TABLE, FELT, radius=200, outline=RIM, width=12)
    draw_middle(canvas, known)
    for seat in range(rules.num_players):
        draw_seat(canvas, rules, known, viewer, seat)
    draw_column(canvas, rules, known, viewer)
    return canvas.pixels()


def draw_card(canvas: Canvas, corner: Point, card: int, dim: float) -> None:
    """Draw a card from its upper left corner, face down where it is hidden."""
    x, y = corner
    width, height = CARD
    if card == NO_CARD:
        draw_back(canvas, corner, CARD, dim)
        return
    suit = SUITS[card % len(SUITS)]
    color = mix(RED if suit in "dh" else INK, SHADE, dim)
    canvas.box((x, y, x + width, y + height), mix(PAPER, SHADE, dim), 5)
    rank = RANKS[rank_of(card) - 1].replace("T", "10")
    canvas.text((x + width / 2, y + 17), rank, LARGE, color, "mm")
    draw_suit(canvas, suit, (x + width / 2, y + 41), 10, color)


# --- seats --------------------------------------------------------------------------------------------------


def place_of(seat: int, bottom: int, num_players: int) -> Point:
    """Return the middle of a seat's panel: ``bottom`` at the bottom, the others to its left, clockwise."""
    angle = 2 * pi * ((seat - bottom) % num_players) / num_players
    across, down = -sin(angle), cos(angle)
    return (
        MIDDLE[0] + RADII[0] * np.sign(across) * abs(across) ** ROUNDING,
        MIDDLE[1] + RADII[1] * np.sign(down) * abs(down) ** ROUNDING,
    )


def draw_seat(canvas: Canvas, rules: KunsRules, known: np.void, viewer: int | None, seat: int) -> None:
    """Draw the panel of a seat: name, marks, cards, money."""
    x, y = place_of(seat, viewer or 0, rules.num_players)
    left, top = x - PANEL[0] / 2, y - PANEL[1] / 2
    seated, to_act = bool(known["seated"][seat]), seat == known["seat"]
    dim = 0.0 if known["in_hand"][seat] and seated else DIMMED
    canvas.box(
        (left, top, left + PANEL[0], top + PANEL[1]), SHADE, 12, GOLD if to_act else mix(SHADE, LIGHT, 0.2), 3
    )
    name = f"seat {seat}" + (" (you)" if seat == viewer else "")
    canvas.text((left + MARGIN, top + 18), name, NORMAL, GOLD if to_act else mix(LIGHT, SHADE, dim))
    is_dealer = seat == known["dealer"]
    right = left + PANEL[0] - MARGIN
    canvas.text((right - (28 if is_dealer else 0), top + 18), mark_of(rules, known, seat), SMALL, SOFT, "rm")
    if is_dealer:
        canvas.disc((right - 10, top + 18), 11, GOLD)
        canvas.text((right - 10, top + 18), "D", NORMAL, INK, "mm")
    cards = known["hole"][seat][: int(known["num_cards"][seat])].tolist()
    for i, card in enumerate(cards):
        draw_card(canvas, (left + MARGIN - 2 + i * (CARD[0] + GAP), top + 34), card, dim)
    draw_money(canvas, rules, known, seat, (left + MARGIN, right, top + PANEL[1] - 17))


def mark_of(rules: KunsRules, known: np.void, seat: int) -> str:
    """Return why a seat is out, or what its hand is worth, if that is seen."""
    if not known["seated"][seat]:
        return "left"
    if not known["in_hand"][seat]:
        return "folded"
    return value_text(rules, known["hole"][seat][: int(known["num_cards"][seat])])


def draw_money(
    canvas: Canvas, rules: KunsRules, known: np.void, seat: int, line: tuple[float, float, float]
) -> None:
    """Write the last line of a panel: what was paid, what the hand is worth or has won, the standing."""
    left, right, y = line
    parts = [f"paid {int(known['paid'][seat])}"]
    if rules.num_hands != 1 or rules.bankroll is not None:
        parts.append(f"standing {signed(known['standing'][seat])}")
    if rules.bankroll is not None:
        parts[-1] += f" of {rules.bankroll}"
    canvas.text((left, y), " · ".join(parts), SMALL, SOFT)
    ended = known["phase"] in (STAY, OVER)
    if ended and (known["in_hand"][seat] or known["payoff"][seat]):
        payoff = int(known["payoff"][seat])
        color = WON if payoff > 0 else LOST if payoff < 0 else LIGHT
        canvas.text((right, y), signed(payoff), NORMAL, color, "rm")


def signed(units: int) -> str:
    """Return an amount of money with its sign.

    >>> signed(840), signed(-420), signed(0)
    ('+1', '-1/2', '0')
    """
    return f"+{chips(units)}" if units > 0 else chips(units)


def value_text(rules: KunsRules, hand: npt.NDArray[Any]) -> str:
    """Return what a hand is worth, if it is whole and seen (K5).

    >>> value_text(KunsRules(), np.array([28, 16, 32, 24, 0]))
    'kuns 10'
    """
    if len(hand) < HAND_SIZE or NO_CARD in hand:
        return ""
    value = int(hand_value(hand // len(SUITS) + 1))
    if value > KUNS_BONUS:
        return f"kuns {value - KUNS_BONUS}"
    return f"no kuns, {TENS if value == 0 and rules.no_kuns_zero_is_ten else value}"


# --- the middle and the column at the right -----------------------------------------------------------------


def draw_middle(canvas: Canvas, known: np.void) -> None:
    """Write pot and ante on the felt."""
    x, y = MIDDLE
    for i, color in enumerate((RED, GOLD, BACK_LINES)):
        canvas.disc((x - 22 + 22 * i, y - 44), 13, mix(color, INK, 0.25))
        canvas.disc((x - 22 + 22 * i, y - 44), 9, color)
    canvas.text((x, y - 8), f"pot {int(known['pot'])}", HUGE, LIGHT, "mm")
    ante = int(known["ante"])
    canvas.text((x, y + 22), f"ante {ante}" if ante else "no ante yet", LARGE, SOFT, "mm")


def draw_column(canvas: Canvas, rules: KunsRules, known: np.void, viewer: int | None) -> None:
    """Write what is going on, the side bets and the last events."""
    lines = status_lines(known, viewer)
    if rules.side_bets:
        lines += bet_lines(rules, known)
    room = SIZE[1] // LINE - len(lines) - 4
    if room > 0:
        lines += [("", SMALL, SOFT), ("this hand", NORMAL, LIGHT)]
        lines += [(line, SMALL, SOFT) for line in events(rules, known)[-room:]]
    canvas.write_lines((SIDE, MARGIN), lines)


def status_lines(known: np.void, viewer: int | None) -> Lines:
    """Return hand, round, phase, and who looks on."""
    phase = int(known["phase"])
    ended = phase in (STAY, OVER)
    hand = int(known["hands_done"]) + (0 if ended else 1)
    doing = "showdown" if ended and known["showdown"] else PHASES[phase]
    to_act = "" if known["seat"] < 0 else f" · seat {int(known['seat'])} to act"
    # Only a record that nobody redacted still holds its deck.
    onlooker = "a spectator" if known["deck"][0] == NO_CARD else "one who sees everything"
    who = onlooker if viewer is None else f"seat {viewer}"
    return [
        (f"Kuns · hand {hand}", LARGE, LIGHT),
        (f"round {int(known['round'])} · {doing}{to_act}", NORMAL, GOLD),
        (f"seen by: {who}", SMALL, SOFT),
    ]


def bet_lines(rules: KunsRules, known: np.void) -> Lines:
    """Return the side bets and the one on the table (K6.6)."""
    lines: Lines = [("", SMALL, SOFT), ("side bets", NORMAL, LIGHT)]
    for bet in bets_of(known):
        text = "{offerer} has {stake} x ante on {backed} over {opposed}, {taker} against".format(**bet)
        lines.append((text, SMALL, SOFT))
    if known["offerer"] >= 0:
        lines += [(line, SMALL, GOLD) for line in wrap(offer_line(rules, known), COLUMNS)]
    if len(lines) == 2:
        lines.append(("none", SMALL, SOFT))
    return lines
