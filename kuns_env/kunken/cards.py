"""Card types of Kunken and their text (N1.1). Two decks: a card that is there twice is one type."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, TypeAlias

from kuns_env.errors import quoted

CardType: TypeAlias = int
"""``4 * rank + suit``, ranks from 0 (the 2) to 12 (the ace), suits c d h s: 0 is ``2c``, 51 is ``As``, 52 is ``*``."""

RANKS: Final = "23456789TJQKA"
SUITS: Final = "cdhs"
NUM_RANKS: Final = len(RANKS)
NUM_SUITS: Final = len(SUITS)
NUM_NATURALS: Final = NUM_RANKS * NUM_SUITS
JOKER: Final = NUM_NATURALS
NUM_TYPES: Final = NUM_NATURALS + 1
NO_CARD: Final = -1
"""A place with no card, or with one that the viewer may not see."""

JOKER_TEXT: Final = "*"
TEXTS: Final = (*(rank + suit for rank in RANKS for suit in SUITS), JOKER_TEXT)
"""The text of every card type."""

LOW_POINTS: Final = 5
HIGH_POINTS: Final = 10
FIRST_HIGH: Final = RANKS.index("J")
"""Ranks from the jack on count 10 points, lower ones 5 (N1.3)."""

_TYPES: Final = {text: card for card, text in enumerate(TEXTS)}


def parse_card(text: object) -> CardType:
    """Return the card type that ``text`` names.

    >>> parse_card("2c"), parse_card("As"), parse_card("*")
    (0, 51, 52)

    Raises:
        ValueError: ``text`` is not a card of the Kunken deck.
    """
    if not isinstance(text, str) or text not in _TYPES:
        raise ValueError(
            f"{quoted(text)} is not a card of the Kunken deck: a rank of {RANKS} and a suit of {SUITS}, or * (N1.1)"
        )
    return _TYPES[text]


def format_cards(cards: Iterable[CardType]) -> list[str]:
    """Return the texts of the cards that are there; `NO_CARD` is left out.

    >>> format_cards([51, 52, -1])
    ['As', '*']
    """
    return [TEXTS[int(card)] for card in cards if card != NO_CARD]


def card_texts(one: int, two: int) -> list[str]:
    """Return the texts of cards given as two words (`kuns_env.kunken.state`), by rank and suit, the joker last.

    >>> card_texts(0b101, 0b100)
    ['2c', '2h', '2h']
    """
    one, two = int(one), int(two)
    return [TEXTS[card] for card in range(NUM_TYPES) for word in (one, two) if (word >> card) & 1]


def points_of(rank: int) -> int:
    """Return the points of a card of ``rank`` on the table (N1.3)."""
    return HIGH_POINTS if rank >= FIRST_HIGH else LOW_POINTS
