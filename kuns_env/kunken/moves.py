"""The numbers and texts of moves (N8). One numbering serves every rule variant and player count.

A move names types of cards, never copies: ``t`` is a card type (`kuns_env.kunken.cards`), ``4 * rank + suit``.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations_with_replacement
from typing import Final

from kuns_env.kunken.cards import (
    JOKER,
    JOKER_TEXT,
    NUM_NATURALS,
    NUM_RANKS,
    NUM_SUITS,
    NUM_TYPES,
    RANKS,
    SUITS,
    TEXTS,
)
from kuns_env.kunken.rules import NUM_DECKS, KunkenRules
from kuns_env.kunken.state import LEAST_MELD

NATURAL_SETS: Final = tuple(
    suits for suits in combinations_with_replacement(range(NUM_SUITS), LEAST_MELD) if len(set(suits)) > 1
)
"""Suits of a new set of three naturals, in the order of their numbers (N8.2); no card is there three times."""
JOKER_SETS: Final = tuple(combinations_with_replacement(range(NUM_SUITS), LEAST_MELD - 1))
"""Suits of the two naturals of a new set with a joker."""
NUM_SETS: Final = len(NATURAL_SETS) + len(JOKER_SETS)
"""New sets of one rank."""

NUM_RUNS: Final = NUM_SUITS * (NUM_RANKS - LEAST_MELD + 1)
"""New runs of three that differ in rank or suit."""
JOKER_PLACES: Final = (None, 0, 1, 2)
"""Where the joker is in a new run of three (N8.3)."""
NUM_LONG_RUNS: Final = NUM_RUNS - NUM_SUITS
NUM_ENDS: Final = NUM_NATURALS - LEAST_MELD * NUM_SUITS
"""Cards that can be laid on the high end of a run, or on the low end."""

DRAW: Final = 0
TAKE_BASE: Final = 1
"""``TAKE_BASE + t`` claims the card of type ``t`` nearest the top of the bank (N8.1)."""
DEEP_BASE: Final = TAKE_BASE + NUM_TYPES
"""``DEEP_BASE + t`` claims the one nearest the bottom."""
SET_BASE: Final = DEEP_BASE + NUM_NATURALS
"""``SET_BASE + NUM_SETS * rank + i``: entry ``i`` of `NATURAL_SETS`, then of `JOKER_SETS`."""
RUN_BASE: Final = SET_BASE + NUM_RANKS * NUM_SETS
"""``RUN_BASE + NUM_RUNS * j + t``: a run of three whose lowest place is ``t``; ``j`` in `JOKER_PLACES` (N8.3)."""
LONG_RUN_BASE: Final = RUN_BASE + len(JOKER_PLACES) * NUM_RUNS
"""``LONG_RUN_BASE + t``: the run of four from ``t`` on with both jokers inside (N8.4)."""
HIGH_BASE: Final = LONG_RUN_BASE + NUM_LONG_RUNS
"""``HIGH_BASE + t - 12``: a card on the high end of a run, in place ``t`` (N8.5)."""
HIGH_JOKER_BASE: Final = HIGH_BASE + NUM_ENDS
LOW_BASE: Final = HIGH_JOKER_BASE + NUM_ENDS
"""``LOW_BASE + t``: a card on the low end of a run, in place ``t``."""
LOW_JOKER_BASE: Final = LOW_BASE + NUM_ENDS
FOURTH_BASE: Final = LOW_JOKER_BASE + NUM_ENDS
"""``FOURTH_BASE + t``: the fourth card of a set."""
FOURTH_JOKER_BASE: Final = FOURTH_BASE + NUM_NATURALS
"""``FOURTH_JOKER_BASE + rank``: a joker as the fourth card of a set."""
DISCARD_BASE: Final = FOURTH_JOKER_BASE + NUM_RANKS
"""``DISCARD_BASE + t`` (N8.6)."""
SWAP_BASE: Final = DISCARD_BASE + NUM_TYPES
"""``SWAP_BASE + t`` (N8.7)."""
NUM_MOVES: Final = SWAP_BASE + NUM_NATURALS

FIRST_HIGH_PLACE: Final = LEAST_MELD * NUM_SUITS
"""The lowest card type that can be laid on the high end of a run: a 5."""


def _joined(word: str, cards: list[str]) -> str:
    return " ".join([word, *cards])


def _all_texts() -> list[str]:
    texts = ["draw"]
    texts += [f"take {card}" for card in TEXTS]
    texts += [f"take {card} deep" for card in TEXTS[:JOKER]]
    for rank in RANKS:
        texts += [_joined("set", [rank + SUITS[suit] for suit in suits]) for suits in NATURAL_SETS]
        texts += [
            _joined("set", [*(rank + SUITS[suit] for suit in suits), JOKER_TEXT]) for suits in JOKER_SETS
        ]
    for joker in JOKER_PLACES:
        texts += [_run(low, LEAST_MELD, () if joker is None else (joker,)) for low in range(NUM_RUNS)]
    texts += [_run(low, LEAST_MELD + 1, (1, 2)) for low in range(NUM_LONG_RUNS)]
    high, low = TEXTS[FIRST_HIGH_PLACE:JOKER], TEXTS[:NUM_ENDS]
    texts += [f"lay {card} high" for card in high] + [f"lay *{card} high" for card in high]
    texts += [f"lay {card} low" for card in low] + [f"lay *{card} low" for card in low]
    texts += [f"lay {card} set" for card in TEXTS[:JOKER]] + [f"lay *{rank} set" for rank in RANKS]
    texts += [f"discard {card}" for card in TEXTS]
    texts += [f"swap {card}" for card in TEXTS[:JOKER]]
    return texts


def _run(low: int, size: int, jokers: tuple[int, ...]) -> str:
    places = range(low, low + size * NUM_SUITS, NUM_SUITS)
    return _joined("run", [JOKER_TEXT if i in jokers else TEXTS[place] for i, place in enumerate(places)])


ALL_TEXTS: Final = tuple(_all_texts())
"""The text of every move, whatever the rules."""
assert len(ALL_TEXTS) == len(set(ALL_TEXTS)) == NUM_MOVES


def _exists(rules: KunkenRules, text: str) -> bool:
    """Return whether a deck with these rules can ever come to the move."""
    jokers = text.count(JOKER_TEXT)
    word, *cards = text.split()
    if jokers > rules.num_jokers or (word == "swap" and not (rules.joker_swap and rules.num_jokers)):
        return False
    naturals = [card for card in cards if card != JOKER_TEXT]
    return word != "set" or rules.identical_cards_in_set or len(set(naturals)) == len(naturals)


@lru_cache(maxsize=256)
def _texts(rules: KunkenRules) -> tuple[str | None, ...]:
    return tuple(text if _exists(rules, text) else None for text in ALL_TEXTS)


@lru_cache(maxsize=256)
def _ids(rules: KunkenRules) -> dict[str, int]:
    return {text: move for move, text in enumerate(_texts(rules)) if text is not None}


def texts(rules: KunkenRules, _seat: int) -> tuple[str | None, ...]:
    """Return the text of every move, None where these rules have no such move (N8).

    Args:
        rules: the rules.
        _seat: the seat to act; it makes no difference in Kunken.
    """
    return _texts(rules)


def ids(rules: KunkenRules, _seat: int) -> dict[str, int]:
    """Return the number of every move text: the way back from `texts`."""
    return _ids(rules)


def describe(move: int) -> str:
    """Return what ``move`` means in every rule variant.

    >>> describe(DRAW), describe(SET_BASE), describe(DISCARD_BASE + JOKER)
    ('draw', 'set 2c 2c 2d', 'discard *')
    """
    return ALL_TEXTS[move]


assert NUM_DECKS < LEAST_MELD  # a set of three has two suits at least
