"""What each move is, as arrays with a row a move: for the kernels, for agents and for networks that score moves."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from kuns_env.kunken.cards import (
    JOKER,
    JOKER_TEXT,
    NO_CARD,
    NUM_SUITS,
    RANKS,
    parse_card,
    points_of,
)
from kuns_env.kunken.moves import ALL_TEXTS, NUM_MOVES
from kuns_env.kunken.state import LEAST_MELD

WORDS: Final = ("draw", "take", "deep", "set", "run", "high", "low", "fourth", "discard", "swap")
DRAW, TAKE, DEEP, SET, RUN, HIGH, LOW, FOURTH, DISCARD, SWAP = range(len(WORDS))
"""Kinds of moves."""
MOST_CARDS: Final = LEAST_MELD + 1


def _kind(text: str) -> int:
    word, *rest = text.split()
    if word == "take" and rest[-1] == "deep":
        return DEEP
    if word == "lay":
        return {"high": HIGH, "low": LOW, "set": FOURTH}[rest[-1]]
    return WORDS.index(word)


def _cards(kind: int, text: str) -> list[int]:
    """Return the cards that leave the hand, in the order of the text."""
    if kind in (DRAW, TAKE, DEEP):
        return []
    if kind in (HIGH, LOW, FOURTH):
        named = text.split()[1]
        return [JOKER] if named.startswith(JOKER_TEXT) else [parse_card(named)]
    return [parse_card(name) for name in text.split()[1:]]


def _place(kind: int, text: str, cards: list[int]) -> int:
    """Return the place of the lowest card: its card type; of a set the first type of its rank."""
    if kind == DRAW:
        return NO_CARD
    if kind == RUN:
        i, card = next((i, card) for i, card in enumerate(cards) if card != JOKER)
        return card - i * NUM_SUITS
    if kind == SET:
        return cards[0] // NUM_SUITS * NUM_SUITS
    named = text.split()[1]
    if kind in (HIGH, LOW, FOURTH):
        named = named.removeprefix(JOKER_TEXT)
        return RANKS.index(named) * NUM_SUITS if len(named) == 1 else parse_card(named)
    return parse_card(named)


def _points(kind: int, place: int, cards: list[int]) -> int:
    """Return the points that the move lays (N1.3): a joker counts as what it stands for."""
    if kind not in (SET, RUN, HIGH, LOW, FOURTH):
        return 0
    step = 1 if kind == RUN else 0
    return sum(points_of(place // NUM_SUITS + i * step) for i in range(len(cards)))


KIND: Final[npt.NDArray[np.int8]] = np.array([_kind(text) for text in ALL_TEXTS], np.int8)
"""The kind of each move: an index of `WORDS`."""
_CARDS: Final = [_cards(kind, text) for kind, text in zip(KIND.tolist(), ALL_TEXTS, strict=True)]
SIZE: Final[npt.NDArray[np.int8]] = np.array([len(cards) for cards in _CARDS], np.int8)
"""How many cards leave the hand."""
CARDS: Final[npt.NDArray[np.int8]] = np.array(
    [cards + [NO_CARD] * (MOST_CARDS - len(cards)) for cards in _CARDS], np.int8
)
"""Those cards, shape ``(NUM_MOVES, 4)``, in the order of the text; -1 past the last."""
JOKERS: Final[npt.NDArray[np.int8]] = (CARDS == JOKER).sum(axis=1).astype(np.int8)
"""How many of them are jokers."""
PLACE: Final[npt.NDArray[np.int8]] = np.array(
    [_place(kind, text, cards) for kind, text, cards in zip(KIND.tolist(), ALL_TEXTS, _CARDS, strict=True)],
    np.int8,
)
"""The card type named: of a run its lowest place, of a set the first type of its rank; -1 for a draw."""
POINTS: Final[npt.NDArray[np.int16]] = np.array(
    [_points(*row) for row in zip(KIND.tolist(), PLACE.tolist(), _CARDS, strict=True)], np.int16
)
"""The points that the move lays (N1.3)."""


def _words() -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    one, two = np.zeros(NUM_MOVES, np.int64), np.zeros(NUM_MOVES, np.int64)
    for move, cards in enumerate(_CARDS):
        for card in cards:
            two[move] |= one[move] & (1 << card)
            one[move] |= 1 << card
    return one, two


_ONE_TWO: Final = _words()
ONE: Final = _ONE_TWO[0]
"""Bit ``t``: a card of type ``t`` leaves the hand, int64."""
TWO: Final = _ONE_TWO[1]
"""Bit ``t``: two of them do."""
