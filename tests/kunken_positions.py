"""Records of Kunken filled by hand: positions for texts and pictures, also such as few games come to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from kuns_env.kunken import moves
from kuns_env.kunken.cards import JOKER, RANKS, SUITS, TEXTS, parse_card
from kuns_env.kunken.rules import KunkenRules
from kuns_env.kunken.state import MELD, OWE, PHASES, RUN, SET, STATE


def words(cards: Iterable[str]) -> tuple[int, int]:
    """The two words of a multiset of cards."""
    one = two = 0
    for card in map(parse_card, cards):
        two |= one & (1 << card)
        one |= 1 << card
    return one, two


def meld(cards: str, owner: int = 0, layers: Sequence[int] | None = None) -> np.void:
    """A meld from its cards with what jokers stand for, such as ``3s *4s 5s`` or ``5c 5d *5``."""
    texts = cards.split()
    record = np.zeros(1, MELD)[0]
    record["cards"] = record["layers"] = -1
    ranks = [RANKS.index(text.removeprefix("*")[0]) for text in texts]
    is_run = len(set(ranks)) > 1
    record["kind"], record["owner"] = RUN if is_run else SET, owner
    record["low"], record["size"] = ranks[0], len(texts)
    record["suit"] = SUITS.index(texts[0][-1]) if is_run else -1
    record["jokers"] = sum(text.startswith("*") for text in texts)
    first = ranks[0] if is_run else 0
    for i, text in enumerate(texts):
        record["cards"][first + i] = JOKER if text.startswith("*") else parse_card(text)
        record["layers"][first + i] = owner if layers is None else layers[i]
    return record


def position(
    rules: KunkenRules,
    *,
    hands: Sequence[str] = (),
    bank: str = "7c",
    stock: int = 40,
    melds: Sequence[np.void] = (),
    known: dict[int, str] | None = None,
    claim: str | None = None,
    above: str = "",
    history: Sequence[str] = (),
    **fields: Any,
) -> np.void:
    """A full record; ``fields`` are set last. With ``claim`` the seat to act is in the middle of a take."""
    record = np.zeros(1, STATE)[0]
    for name in ("bank", "first_bank", "stock", "drawn", "claim", "claim_at", "last_winner"):
        record[name] = -1
    record["melds"]["cards"] = record["melds"]["layers"] = -1
    record["seated"][: rules.num_players] = 1
    for seat, hand in enumerate(hands):
        cards = hand.split()
        record["one"][seat], record["two"][seat] = words(cards)
        record["num_cards"][seat] = len(cards)
    for seat, hand in (known or {}).items():
        record["known_one"][seat], record["known_two"][seat] = words(hand.split())
    pile = bank.split() + ([claim, *above.split()] if claim else [])
    record["bank"][: len(pile)] = [TEXTS.index(card) for card in pile]
    record["num_bank"] = len(pile)
    if claim:
        record["claim"], record["claim_at"] = parse_card(claim), len(bank.split())
        record["phase"], record["claim_due"] = OWE, 1
    record["stock"][:stock] = 0
    record["num_stock"] = stock
    for i, each in enumerate(melds):
        record["melds"][i] = each
    record["num_melds"] = len(melds)
    record["history"][: len(history)] = [moves.ALL_TEXTS.index(text) for text in history]
    record["num_history"] = len(history)
    for name, value in fields.items():
        if name == "phase":
            record[name] = PHASES.index(value)
        elif record[name].shape:
            record[name][: len(value)] = value
        else:
            record[name] = value
    return record
