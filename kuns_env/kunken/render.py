"""The table as a picture, the viewer at the bottom. It is made from the record that it is handed: the redacted one."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, cos, pi, sin
from textwrap import wrap
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from kuns_env.canvas import (
    FELT,
    FLOOR,
    GOLD,
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
    font,
    mix,
)
from kuns_env.kunken.cards import JOKER_TEXT, NO_CARD, RANKS, SUITS
from kuns_env.kunken.rules import KunkenRules
from kuns_env.kunken.setup import HIDDEN
from kuns_env.kunken.text import counted, end_line, to_dict, turn_lines

Box = tuple[float, float, float, float]
"""Left, top, right, bottom."""
Facts = dict[str, Any]

SIZE: Final = (1280, 840)
"""Width and height of the picture."""
TABLE: Final = (6, 6, 990, 834)
OTHERS: Final[Box] = (22, 22, 974, 196)
"""Where the other seats are."""
PILES: Final[Box] = (22, 206, 974, 318)
"""Where stock and bank are."""
MELDS: Final[Box] = (30, 330, 966, 612)
OWN: Final[Box] = (22, 624, 974, 818)
SIDE: Final = 1002
"""Where the column at the right begins."""
COLUMNS: Final = 38
"""Characters that fit into a line of that column."""
MARGIN: Final = 10
GAP: Final = 8
TITLE: Final = 32
"""Height of the first line of a panel."""

WIDTHS: Final = (58, 52, 46, 42, 38, 34, 30, 27, 24, 21, 18)
"""Widths that a card may have: the largest with which all cards find room is taken."""
HEIGHT: Final = 1.45
"""Height of a card in widths."""
INDEX: Final = 0.56
"""As much of a card, in widths, is seen at least: its rank and suit."""
LETTER: Final = 0.5
LEAST_LETTER: Final = 11
"""Size of the rank, in widths of the card, and at least."""
STOCK_WIDTH: Final = 58
MOST_PILED: Final = 3
"""Backs of a pile that are drawn."""
LABEL: Final = 16
"""Height of the line under a meld."""
HUES: Final = ((255, 214, 102), (120, 200, 255), (255, 150, 190), (150, 230, 150), (210, 170, 255))
"""Colours of the seats: of their names, their melds and the cards that they laid on others'."""
SUIT_COLORS: Final = {"c": (16, 124, 62), "d": (34, 92, 200), "h": RED, "s": INK}
"""Four colours: of small cards that overlap, the suit is seen by its colour first."""
JOKER_PAPER: Final = (250, 226, 150)
VIOLET: Final = (120, 60, 160)
FADED: Final = 0.45
"""How far the colours of cards that wait above a claim go towards the felt."""
POINTS_OF_A_STAR: Final = 5
ORDER: Final = "cdsh"
"""Suits from left to right."""


def rgb_array(rules: KunkenRules, known: np.void, viewer: int | None) -> npt.NDArray[np.uint8]:
    """Return the picture of a record, uint8 ``(height, width, 3)``; what the record hides stays face down.

    Args:
        rules: the rules.
        known: a record, redacted for ``viewer``; a full record shows every hand.
        viewer: the seat at the bottom; None for a spectator, who sees seat 0 there.

    Raises:
        ImportError: Pillow is not installed.
    """
    facts = to_dict(rules, known, viewer)
    canvas = Canvas(SIZE, FLOOR)
    canvas.box(TABLE, FELT, radius=28, outline=RIM, width=8)
    bottom = viewer or 0
    others = [(bottom + distance) % rules.num_players for distance in range(1, rules.num_players)]
    for seat, box in zip(others, columns_of(OTHERS, len(others)), strict=True):
        draw_seat(canvas, rules, facts, seat, box)
    draw_piles(canvas, facts)
    draw_melds(canvas, facts)
    draw_seat(canvas, rules, facts, bottom, OWN)
    # Only a record that nobody redacted still holds its stock.
    is_full = bool((known["stock"] != NO_CARD).any())
    draw_column(canvas, facts, viewer, is_full)
    return canvas.pixels()


def columns_of(box: Box, number: int) -> list[Box]:
    """Return ``number`` boxes side by side in ``box``, from left to right."""
    left, top, right, bottom = box
    width = (right - left - GAP * (number - 1)) / number
    return [(left + i * (width + GAP), top, left + i * (width + GAP) + width, bottom) for i in range(number)]


# --- cards --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Fit:
    """How cards are laid into a box: their width, the step from one to the next, and how many a row."""

    width: float
    step: float
    per_row: int

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of a card."""
        return self.width, self.width * HEIGHT

    def place(self, corner: Point, number: int) -> Point:
        """Return the corner of card ``number``, the first card having ``corner``."""
        row, column = divmod(number, self.per_row)
        return corner[0] + column * self.step, corner[1] + row * (self.width * HEIGHT + 2)


def fit(number: int, width: float, height: float) -> Fit:
    """Return the largest cards of which ``number`` find room in ``width`` and ``height``, all ranks being seen.

    >>> fit(5, 300, 90)
    Fit(width=58, step=60.0, per_row=5)
    >>> fit(60, 300, 90).per_row
    20
    """
    number = max(1, number)
    for card in WIDTHS:
        rows = int((height + 2) // (card * HEIGHT + 2))
        if not rows:
            continue
        per_row = ceil(number / rows)
        step = min(card + 2.0, (width - card) / max(1, per_row - 1))
        if step >= card * INDEX:
            return Fit(card, step, per_row)
    # So many that not even ranks are all seen: no legal game comes to that.
    rows = max(1, int((height + 2) // (WIDTHS[-1] * HEIGHT + 2)))
    per_row = ceil(number / rows)
    return Fit(WIDTHS[-1], (width - WIDTHS[-1]) / max(1, per_row - 1), per_row)


def star(middle: Point, radius: float) -> list[Point]:
    """Return the outline of a star."""
    x, y = middle
    points = []
    for i in range(2 * POINTS_OF_A_STAR):
        angle, reach = pi * i / POINTS_OF_A_STAR, radius * (0.42 if i % 2 else 1)
        points.append((x + reach * sin(angle), y - reach * cos(angle)))
    return points


def draw_card(canvas: Canvas, corner: Point, size: tuple[float, float], card: str, dim: float = 0.0) -> None:
    """Draw a card from its upper left corner.

    Args:
        canvas: where.
        corner: upper left.
        size: width and height.
        card: its text, ``?`` for the back; for a joker in a meld what it stands for too, such as ``*4s``.
        dim: how far its colours go towards the felt.
    """
    (x, y), (width, height) = corner, size
    if card == HIDDEN:
        draw_back(canvas, corner, size, dim)
        return
    is_joker = card.startswith(JOKER_TEXT)
    face = card.removeprefix(JOKER_TEXT)
    suit = face[1:]
    color = mix(VIOLET if is_joker else SUIT_COLORS[suit], SHADE, dim)
    paper = mix(JOKER_PAPER if is_joker else PAPER, SHADE, dim)
    canvas.box((x, y, x + width, y + height), paper, width / 9, mix(INK, paper, 0.55), 1)
    middle, letter = x + width * INDEX / 2, max(LEAST_LETTER, round(width * LETTER))
    if not face:
        canvas.polygon(star((middle, y + height * 0.3), width * 0.24), color)
        return
    # As in the texts of moves the ten is a T: it is as wide as any rank.
    canvas.text((middle, y + height * 0.26), face[0], letter, color, "mm")
    if suit:
        draw_suit(canvas, suit, (middle, y + height * 0.64), width * 0.19, color)
    if is_joker:  # in the part that the next card leaves to be seen; in a set where a suit would be
        where, reach = (0.895, 0.15) if suit else (0.66, 0.24)
        canvas.polygon(star((middle, y + height * where), width * reach), color)


def draw_cards(canvas: Canvas, box: Box, cards: list[str], dim: float = 0.0) -> Fit:
    """Draw cards into a box, as large as it has room for, and return how they lie."""
    left, top, right, bottom = box
    how = fit(len(cards), right - left, bottom - top)
    for number, card in enumerate(cards):
        draw_card(canvas, how.place((left, top), number), how.size, card, dim)
    return how


def by_suit(cards: list[str]) -> list[str]:
    """Return the cards of a hand a suit at a time, jokers and hidden cards last.

    >>> by_suit(["2h", "3c", "4h", "?", "*", "Ac"])
    ['3c', 'Ac', '2h', '4h', '*', '?']
    """
    ends = {JOKER_TEXT: (len(ORDER), 0), HIDDEN: (len(ORDER) + 1, 0)}
    return sorted(cards, key=lambda card: ends.get(card) or (ORDER.index(card[1]), RANKS.index(card[0])))


# --- seats --------------------------------------------------------------------------------------------------


def draw_seat(canvas: Canvas, rules: KunkenRules, facts: Facts, seat: int, box: Box) -> None:
    """Draw the panel of a seat: name, marks, what it has laid and won, cards."""
    left, top, right, bottom = box
    to_act = seat == facts["to_play"]
    canvas.box(box, SHADE, 12, GOLD if to_act else mix(SHADE, LIGHT, 0.2), 3)
    name = f"seat {seat}" + (" (you)" if seat == facts["viewer"] else "")
    middle = top + TITLE / 2 + 4
    canvas.disc((left + MARGIN + 6, middle), 6, HUES[seat])
    canvas.text((left + MARGIN + 18, middle), name, NORMAL, GOLD if to_act else LIGHT)
    edge = right - MARGIN
    if seat == facts["dealer"]:
        canvas.disc((edge - 10, middle), 11, GOLD)
        canvas.text((edge - 10, middle), "D", NORMAL, INK, "mm")
        edge -= 28
    canvas.text((edge, middle), "opened" if facts["opened"][seat] else "not opened", SMALL, SOFT, "rm")
    draw_result(canvas, rules, facts, seat, (left + MARGIN, edge, middle + 22))
    draw_hand(canvas, facts["cards"][seat], (left + MARGIN, top + 2 * TITLE, right - MARGIN, bottom - MARGIN))


def draw_result(
    canvas: Canvas, rules: KunkenRules, facts: Facts, seat: int, line: tuple[float, float, float]
) -> None:
    """Write the second line of a panel: cards, points laid; at the end score and payoff; the standing."""
    left, right, y = line
    parts = [counted(facts["hand_sizes"][seat], "card"), f"laid {facts['laid_points'][seat]}"]
    if facts["payoffs"] is not None and facts["last_scores"][seat] != facts["laid_points"][seat]:
        parts.append(f"score {facts['last_scores'][seat]}")
    if rules.num_deals != 1:
        parts.append(f"standing {facts['standings'][seat]}")
    canvas.text((left, y), " · ".join(parts), SMALL, SOFT)
    if facts["payoffs"] is not None:
        payoff = facts["payoffs"][seat]
        lost, even = payoff.startswith("-"), payoff == "0"
        text = payoff if lost or even else f"+{payoff}"
        canvas.text((right, y), text, NORMAL, LIGHT if even else LOST if lost else WON, "rm")


def draw_hand(canvas: Canvas, cards: list[str], box: Box) -> None:
    """Draw a hand by suit; the cards that are hidden are a pile with their number."""
    left, top, right, bottom = box
    seen = by_suit([card for card in cards if card != HIDDEN])
    hidden = len(cards) - len(seen)
    if hidden:
        width = min(WIDTHS[0], (bottom - top) / HEIGHT)
        for i in range(min(hidden, MOST_PILED)):
            draw_back(canvas, (left + 4 * i, top), (width, width * HEIGHT))
        left += width + 4 * MOST_PILED
        canvas.text((left, (top + bottom) / 2), f"x {hidden}", NORMAL, LIGHT)
        left += font(NORMAL).getlength(f"x {hidden}") + 2 * MARGIN
    if seen:
        draw_cards(canvas, (left, top, right, bottom), seen)


# --- the middle ---------------------------------------------------------------------------------------------


def draw_piles(canvas: Canvas, facts: Facts) -> None:
    """Draw the stock and the bank, from bottom to top; in a take the claimed card and what waits above it."""
    left, top, right, bottom = PILES
    width = STOCK_WIDTH
    for i in range(min(facts["stock_left"], MOST_PILED)):
        draw_back(canvas, (left + 4 * i, top + LABEL + 6), (width, width * HEIGHT))
    canvas.text((left, top + LABEL / 2), f"stock {facts['stock_left']}", SMALL, LIGHT)
    x = left + width + 4 * MOST_PILED + 2 * MARGIN
    again = counted(facts["reshuffles_left"], "reshuffle")
    claimed = [facts["claimed"]] if facts["claim_due"] or facts["waiting"] else []
    cards = [*facts["bank"], *claimed, *facts["waiting"]]
    title = f"bank, {counted(len(cards) - len(claimed), 'card')}, its top at the right"
    canvas.text((x, top + LABEL / 2), title, SMALL, LIGHT)
    canvas.text((right, top + LABEL / 2), f"{again} left", SMALL, SOFT, "rm")
    how = fit(len(cards), right - x, bottom - top - LABEL - 6)
    for number, card in enumerate(cards):
        above = number > len(facts["bank"]) and bool(claimed)
        place = how.place((x, top + LABEL + 6), number)
        draw_card(canvas, place, how.size, card, FADED if above else 0.0)
        if claimed and number == len(facts["bank"]):
            corners = (place[0] - 2, place[1] - 2, place[0] + how.width + 2, place[1] + how.size[1] + 2)
            canvas.frame(corners, GOLD, how.width / 9, 3)


def draw_melds(canvas: Canvas, facts: Facts) -> None:
    """Draw the melds in the order laid, as large as all of them find room."""
    melds = facts["melds"]
    if not melds:
        middle = (MELDS[0] + MELDS[2]) / 2, (MELDS[1] + MELDS[3]) / 2
        canvas.text(middle, "no melds on the table", NORMAL, mix(FELT, LIGHT, 0.5), "mm")
        return
    for width in WIDTHS:
        places = flow(melds, width)
        if places is not None:
            for meld, place in zip(melds, places, strict=True):
                draw_meld(canvas, meld, place, width)
            return


def flow(melds: list[dict[str, Any]], width: float) -> list[Point] | None:
    """Return the corners of the melds, row after row, their cards being ``width`` wide; None without room."""
    left, top, right, bottom = MELDS
    x, y = left, top
    places: list[Point] = []
    for meld in melds:
        reach = reach_of(meld, width)
        if x > left and x + reach > right:
            x, y = left, y + width * HEIGHT + LABEL + GAP
        if x + reach > right or y + width * HEIGHT + LABEL > bottom:
            return None
        places.append((x, y))
        x += reach + 2 * GAP
    return places


def reach_of(meld: dict[str, Any], width: float) -> float:
    """Return how wide a meld is drawn: its cards, or the line under them."""
    cards = (len(meld["cards"]) - 1) * width * INDEX + width
    return float(max(cards, font(SMALL).getlength(label_of(meld)) + LABEL))


def label_of(meld: dict[str, Any]) -> str:
    """Return what is written under a meld: its owner and its points."""
    return f"{meld['owner']}: {meld['points']}"


def draw_meld(canvas: Canvas, meld: dict[str, Any], corner: Point, width: float) -> None:
    """Draw a meld; a card that another seat laid has a bar in the colour of that seat above it."""
    x, y = corner
    for i, (card, layer) in enumerate(zip(meld["cards"], meld["layers"], strict=True)):
        place = x + i * width * INDEX
        draw_card(canvas, (place, y), (width, width * HEIGHT), card)
        if layer != meld["owner"]:
            canvas.box((place + 2, y - 3, place + width * INDEX, y + 1), HUES[layer], 1)
    below = y + width * HEIGHT + LABEL / 2 + 2
    canvas.disc((x + 5, below), 5, HUES[meld["owner"]])
    canvas.text((x + LABEL, below), label_of(meld), SMALL, LIGHT)


# --- the column at the right --------------------------------------------------------------------------------


def draw_column(canvas: Canvas, facts: Facts, viewer: int | None, is_full: bool) -> None:
    """Write what is going on and the last events."""
    lines = status_lines(facts, viewer, is_full)
    room = SIZE[1] // LINE - len(lines) - 4
    lines += [("", SMALL, SOFT), ("this deal", NORMAL, LIGHT)]
    lines += [(line, SMALL, SOFT) for line in latest(facts["events"], room)]
    canvas.write_lines((SIDE, MARGIN), lines)


def latest(events: list[str], room: int) -> list[str]:
    """Return as many of the last events as there is room for; a first line says how many were before them.

    >>> latest(["1: draw", "1: discard 7h", "2: draw"], 2), latest(["1: draw"], 2)
    (['... 2 before these', '2: draw'], ['1: draw'])
    """
    if len(events) <= room:
        return events
    left_out = len(events) - room + 1
    return [f"... {left_out} before these", *events[left_out:]]


def status_lines(facts: Facts, viewer: int | None, is_full: bool) -> Lines:
    """Return deal, turn, phase, what is owed, who looks on, and how the last deal ended."""
    to_act = "" if facts["to_play"] is None else f" · seat {facts['to_play']} to act"
    onlooker = "one who sees everything" if is_full else "a spectator"
    who = onlooker if viewer is None else f"seat {viewer}"
    lines: Lines = [
        (f"Kunken · deal {facts['hand']}", LARGE, LIGHT),
        (f"turn {facts['turn']} · {facts['phase']}{to_act}", NORMAL, GOLD),
        (f"seen by: {who}", SMALL, SOFT),
    ]
    for line in turn_lines(facts) if facts["payoffs"] is None else []:
        lines += [(part, SMALL, GOLD) for part in wrap(line, COLUMNS)]
    if facts["last_scores"] is not None:
        told = end_line(facts) if facts["payoffs"] is not None else f"the last deal: {end_line(facts)}"
        lines += [(part, SMALL, LIGHT) for part in wrap(told, COLUMNS)]
    return lines


assert set(ORDER) == set(SUITS)
