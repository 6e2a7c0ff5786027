"""Card ids and their text. Kuns plays with 40 cards; suits are for the eye alone (K1.1)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, TypeAlias

from kuns_env.errors import quoted

Card: TypeAlias = int
"""``4 * (rank - 1) + suit`` with ranks from A = 1 and suits c d h s: 0 is ``Ac``, 39 is ``Ts``."""

RANKS: Final = "A23456789T"
SUITS: Final = "cdhs"
NUM_SUITS: Final = len(SUITS)
NUM_CARDS: Final = len(RANKS) * NUM_SUITS
NO_CARD: Final = -1
"""A place with no card yet, or with one that the viewer may not see."""


def parse_card(text: str) -> Card:
    """Return the card that ``text`` names.

    >>> parse_card("Ac"), parse_card("Ts")
    (0, 39)

    Raises:
        ValueError: if ``text`` is not a card of the Kuns deck.
    """
    if not isinstance(text, str) or len(text) != 2 or text[0] not in RANKS or text[1] not in SUITS:
        raise ValueError(
            f"{quoted(text)} is not a card of the Kuns deck: a rank of {RANKS}, a suit of {SUITS} (K1.1)"
        )
    return NUM_SUITS * RANKS.index(text[0]) + SUITS.index(text[1])


def format_card(card: Card) -> str:
    """Return the text of ``card``.

    >>> format_card(0), format_card(39)
    ('Ac', 'Ts')
    """
    if not 0 <= card < NUM_CARDS:
        raise ValueError(f"card {card}: must be from 0 to {NUM_CARDS - 1}")
    return RANKS[card // NUM_SUITS] + SUITS[card % NUM_SUITS]


def format_cards(cards: Iterable[Card]) -> list[str]:
    """Return the texts of the cards that are there; `NO_CARD` is left out."""
    return [format_card(int(card)) for card in cards if card != NO_CARD]


def rank_of(card: Card) -> int:
    """Return the rank of ``card``: 1 (ace) to 10."""
    return card // NUM_SUITS + 1
