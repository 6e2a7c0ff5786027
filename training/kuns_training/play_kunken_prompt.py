"""Listing the moves of Kunken and understanding what a person types: a number, a move, a card, the cards of a meld."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from kuns_env.kunken.cards import RANKS, SUITS
from kuns_env.kunken.moves import ALL_TEXTS
from kuns_env.kunken.tables import POINTS
from kuns_training.play_kunken_words import is_card
from kuns_training.play_prompt import shortened
from kuns_training.play_words import JOKER, SYMBOLS

LEAST_MELD: Final = 3
LONG_RUN: Final = 4
"""Cards of the run that begins with two jokers inside."""
MOST_NAMED: Final = 8
"""Moves that are named where what was typed fits several."""

_CARD: Final = re.compile(r"(\*?)(10|[2-9tjqka])?([cdhs])?")
_LETTERS: Final = {symbol: letter for letter, symbol in SYMBOLS.items()} | {"️": ""}
_POINTS: Final = dict(zip(ALL_TEXTS, POINTS.tolist(), strict=True))


@dataclass(frozen=True, slots=True)
class Group:
    """Moves that are listed together."""

    title: str
    moves: list[str]


def grouped(legal: Sequence[str]) -> list[Group]:
    """Return the moves in groups, melds of many points first; their order is that of their numbers."""
    kinds = {
        "": ("draw",),
        "take from the bank": ("take",),
        "new melds": ("set", "run"),
        "add to a meld": ("lay",),
        "swap for a joker": ("swap",),
        "discard": ("discard",),
    }
    groups = []
    for title, words in kinds.items():
        moves = [move for move in legal if move.split()[0] in words]
        plain = [move for move in moves if JOKER not in move or title in ("take from the bank", "discard")]
        wild = [move for move in moves if move not in plain]
        if title == "new melds":
            plain.sort(key=points_of, reverse=True)
            wild.sort(key=points_of, reverse=True)
        groups += [Group(title, plain), Group(f"{title}, with a joker", wild)]
    return [group for group in groups if group.moves]


def points_of(move: str) -> int:
    """Return the points that a move lays.

    >>> points_of("set Kc Kd *"), points_of("draw")
    (30, 0)
    """
    return int(_POINTS[move])


def above_claim(bank: Sequence[str], move: str) -> list[str]:
    """Return the cards of the bank that lie above the one that a take claims (N4.2, N8.1).

    >>> above_claim(["7h", "2c", "7h"], "take 7h"), above_claim(["7h", "2c", "7h"], "take 7h deep")
    ([], ['2c', '7h'])
    """
    card = move.split()[1]
    place = bank.index(card) if move.endswith("deep") else len(bank) - 1 - list(reversed(bank)).index(card)
    return list(bank[place + 1 :])


def normal(typed: str) -> list[str]:
    """Return the words of what was typed, cards as the rules write them.

    >>> normal("SET 10h TD  *"), normal("lay *5 set"), normal("k♥")
    (['set', 'Th', 'Td', '*'], ['lay', '*5', 'set'], ['Kh'])
    """
    text = typed.lower()
    for symbol, letter in _LETTERS.items():
        text = text.replace(symbol, letter)
    return [normal_word(word) for word in text.replace(",", " ").split()]


def normal_word(word: str) -> str:
    """Return a word, as a card if it is one."""
    if word in ("joker", "jk"):
        return JOKER
    found = _CARD.fullmatch(word)
    if not found or not any(found.groups()):
        return word
    star, rank, suit = (part or "" for part in found.groups())
    if not rank and (suit or not star):
        return word
    return star + rank.upper().replace("10", "T") + suit


@dataclass(frozen=True, slots=True)
class Meant:
    """What was understood: the move to be made, those that follow it; or a complaint."""

    move: str | None = None
    then: tuple[str, ...] = ()
    complaint: str = ""


def understood(
    typed: str, legal: Sequence[str], listed: Sequence[str], shown: Callable[[str], str] = str
) -> Meant:
    """Return what ``typed`` means.

    Args:
        typed: anything.
        legal: the legal moves.
        listed: the same in the order of their numbers.
        shown: how a move is written in a complaint.
    """
    words = normal(typed)
    if not words:
        return Meant(complaint="Type a move or its number; ? explains.")
    text = " ".join(words)
    if text in legal:
        return Meant(text)
    if text.isdecimal():
        place = int(text) if len(text) <= len(str(len(listed))) else 0
        if 1 <= place <= len(listed):
            return Meant(listed[place - 1])
        return Meant(
            complaint=f"There is no move {shortened(text)}: they are numbered from 1 to {len(listed)}."
        )
    for found in (
        of_a_card(words, legal),
        of_cards(words, legal),
        beginning(text, legal),
        holding(words, legal),
    ):
        if len(found) == 1:
            return Meant(found[0])
        if found:
            more = ", ..." if len(found) > MOST_NAMED else ""
            return Meant(complaint=f"Which one: {', '.join(map(shown, found[:MOST_NAMED]))}{more}?")
    steps = several(words, legal)
    if steps:
        return Meant(steps[0], tuple(steps[1:]))
    echo = shortened(" ".join(typed.split()))
    return Meant(complaint=f"{echo!r} is no move here{why_not(words, legal)}. ? explains.")


def why_not(words: list[str], legal: Sequence[str]) -> str:
    """Return why the kind of move that was typed is not legal, as far as that is plain."""
    kinds = sorted({move.split()[0] for move in legal})
    if words[0] in ALL_WORDS and words[0] not in kinds:
        return f": now you may {' or '.join(kinds)}"
    if words[0] == "take":
        return ": with that card you cannot lay what a take asks for"
    return ""


ALL_WORDS: Final = frozenset(text.split()[0] for text in ALL_TEXTS)


def of_a_card(words: list[str], legal: Sequence[str]) -> list[str]:
    """Return the move that a single card means: it is taken, or discarded."""
    if len(words) != 1 or not is_card(words[0]):
        return []
    return [move for word in ("take", "discard") if (move := f"{word} {words[0]}") in legal]


def of_cards(words: list[str], legal: Sequence[str]) -> list[str]:
    """Return the moves with just these words behind the first one, in any order; the first may be left out."""
    wanted = Counter(words)
    return [move for move in legal if wanted in (Counter(move.split()), Counter(move.split()[1:]))]


def beginning(text: str, legal: Sequence[str]) -> list[str]:
    """Return the moves that begin so."""
    return [move for move in legal if move.startswith(text)]


def holding(words: list[str], legal: Sequence[str]) -> list[str]:
    """Return the moves whose first word begins like the first one typed, and that have all the others."""
    rest = Counter(words[1:])
    return [
        move for move in legal if move.startswith(words[0]) and rest <= Counter(move.split()[1:]) and rest
    ]


# --- melds of more than three cards -----------------------------------------------------------------------


def several(words: list[str], legal: Sequence[str]) -> list[str]:
    """Return the moves that lay a meld of more cards than a first move can: a set or run, then card by card.

    >>> several("3s 4s 5s 6s 7s".split(), ["run 3s 4s 5s", "run 4s 5s 6s", "run 5s 6s 7s"])
    ['run 3s 4s 5s', 'lay 6s high', 'lay 7s high']
    """
    cards = words[1:] if words[0] in ("set", "run") else words
    naturals = [card for card in cards if card != JOKER]
    if not all(map(is_card, cards)) or len(cards) <= LEAST_MELD or not naturals:
        return []
    if len({card[0] for card in naturals}) == 1:
        return several_of_a_rank(cards, legal)
    return several_in_a_row(cards, legal)


def several_of_a_rank(cards: list[str], legal: Sequence[str]) -> list[str]:
    """Return the two moves that lay a set of four."""
    for place, last in reversed(list(enumerate(cards))):
        first = of_cards(cards[:place] + cards[place + 1 :], legal)
        if len(cards) == LEAST_MELD + 1 and len(first) == 1:
            rank = first[0].split()[1][0]
            return [first[0], f"lay {JOKER + rank if last == JOKER else last} set"]
    return []


def several_in_a_row(cards: list[str], legal: Sequence[str]) -> list[str]:
    """Return the moves that lay a long run, given from its lowest card up."""
    at, natural = next((i, card) for i, card in enumerate(cards) if card != JOKER)
    low = RANKS.index(natural[0]) - at
    if low < 0 or low + len(cards) > len(RANKS):
        return []
    places = [RANKS[low + i] + natural[1] for i in range(len(cards))]
    if any(card not in (JOKER, place) for card, place in zip(cards, places, strict=True)):
        return []
    for size in (LEAST_MELD, LONG_RUN):
        for first in range(len(cards) - size + 1):
            start = "run " + " ".join(cards[first : first + size])
            steps = grown(cards, places, first, first + size)
            if start in legal and steps is not None:
                return [start, *steps]
    return []


def grown(cards: list[str], places: list[str], first: int, end: int) -> list[str] | None:
    """Return the lay-offs that make the run out of its cards from ``first`` to ``end``; None if jokers forbid it."""
    steps = []
    while first > 0 or end < len(cards):
        jokers = cards[first:end].count(JOKER)
        ends = [(end, "high")] * (end < len(cards)) + [(first - 1, "low")] * (first > 0)
        allowed = [each for each in ends if cards[each[0]] != JOKER or 2 * (jokers + 1) <= end - first + 1]
        if not allowed:
            return None
        place, word = min(allowed, key=lambda each: cards[each[0]] == JOKER)
        steps.append(f"lay {JOKER * (cards[place] == JOKER)}{places[place]} {word}")
        first, end = (first, end + 1) if word == "high" else (first - 1, end)
    return steps


assert set(SUITS) == set(SYMBOLS)
