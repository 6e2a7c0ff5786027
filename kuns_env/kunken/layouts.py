"""The best way to lay a hand, in card texts: which melds, which places the jokers take, and the moves that lay them.

>>> layout = best_points(["5c", "6c", "7c", "7d", "7h", "*", "Ks"])
>>> layout.melds, layout.points, layout.left
((('7c', '7d', '7h'), ('*', '5c', '6c')), 30, ('Ks',))
>>> layout.moves
('set 7c 7d 7h', 'run * 5c 6c')
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from kuns_env.errors import quoted
from kuns_env.kunken.best import CARD, best_value
from kuns_env.kunken.cards import (
    JOKER,
    JOKER_TEXT,
    LOW_POINTS,
    NO_CARD,
    NUM_NATURALS,
    NUM_RANKS,
    NUM_SUITS,
    RANKS,
    TEXTS,
    parse_card,
    points_of,
)
from kuns_env.kunken.state import LEAST_MELD

__all__ = ["Layout", "best_points", "fewest_left"]

MOST_IN_SET: Final = LEAST_MELD + 1
COPIES: Final = 2
"""Of every card, in two decks with two jokers (N1.1)."""

Cards = Counter[int]
"""Card types and how many of each."""


@dataclass(frozen=True, slots=True)
class Meld:
    """A new meld: what is laid where."""

    cards: tuple[int, ...]
    """Card types; a run in rank order, a set in the order in which it is laid."""

    places: tuple[int, ...]
    """The card types that they stand for; in a set all the first of its rank."""

    is_run: bool

    @property
    def points(self) -> int:
        """N1.3."""
        return sum(points_of(place // NUM_SUITS) for place in self.places)

    def moves(self) -> Iterator[str]:
        """Yield the texts of the moves that lay it (N8.2 to N8.5, N8.8)."""
        texts = [TEXTS[card] for card in self.cards]
        if not self.is_run:
            yield " ".join(["set", *texts[:LEAST_MELD]])
            for card, text in zip(self.cards[LEAST_MELD:], texts[LEAST_MELD:], strict=True):
                rank = RANKS[self.places[0] // NUM_SUITS]
                yield f"lay {text + rank if card == JOKER else text} set"
            return
        low, high = self._begin()
        yield " ".join(["run", *texts[low:high]])
        for at in range(high, len(texts)):
            yield f"lay {self._on_end(at)} high"
        for at in reversed(range(low)):
            yield f"lay {self._on_end(at)} low"

    def _begin(self) -> tuple[int, int]:
        """Return where the part that is laid first begins and ends: three cards with one joker, else N8.4."""
        for low in range(len(self.cards) - LEAST_MELD + 1):
            if self.cards[low : low + LEAST_MELD].count(JOKER) <= 1:
                return low, low + LEAST_MELD
        return 0, len(self.cards)

    def _on_end(self, at: int) -> str:
        return (JOKER_TEXT if self.cards[at] == JOKER else "") + TEXTS[self.places[at]]


@dataclass(frozen=True, slots=True)
class Layout:
    """A way to lay cards of a hand in new melds."""

    melds: tuple[tuple[str, ...], ...]
    """Card texts of each meld; a run in rank order, a set with its jokers last."""

    places: tuple[tuple[str, ...], ...]
    """What each of these cards stands for (N3.3, N3.4): a card text, in a set the rank alone."""

    points: int
    """Points of all melds (N1.3)."""

    left: tuple[str, ...]
    """Cards left over, from the lowest, jokers last."""

    moves: tuple[str, ...]
    """Move texts that lay the melds, one after the other (N8.8)."""


def best_points(
    hand: Iterable[str], *, identical_cards_in_set: bool = True, must_use: str | None = None
) -> Layout | None:
    """Return the layout of ``hand`` with the most points, None where none lays ``must_use``.

    Args:
        hand: card texts, at most two of each.
        identical_cards_in_set: the field of the rules (N3.1).
        must_use: a card of the hand that must be laid, as a claimed card must (N4.2).

    Raises:
        ValueError: a text names no card, or a card more often than the deck holds it.
    """
    return _best(hand, 0, identical_cards_in_set, must_use)


def fewest_left(
    hand: Iterable[str], *, identical_cards_in_set: bool = True, must_use: str | None = None
) -> Layout | None:
    """Return the layout of ``hand`` that leaves the fewest cards, and of these the one with the most points.

    Arguments and errors are those of `best_points`.
    """
    return _best(hand, CARD, identical_cards_in_set, must_use)


def _best(hand: Iterable[str], per_card: int, identical: bool, must_use: str | None) -> Layout | None:
    held = Counter(parse_card(text) for text in hand)
    for card, number in held.items():
        if number > COPIES:
            raise ValueError(f"{TEXTS[card]!r} is in the hand {number} times; the deck has two (N1.1)")
    must = NO_CARD if must_use is None else parse_card(must_use)
    if must != NO_CARD and not held[must]:
        raise ValueError(f"{quoted(must_use)} is not in the hand")
    if _value(held, must, per_card, identical) < 0:
        return None
    melds, left = _taken_apart(held, must, per_card, identical)
    return Layout(
        melds=tuple(tuple(TEXTS[card] for card in meld.cards) for meld in melds),
        places=tuple(
            tuple(TEXTS[place] if meld.is_run else RANKS[place // NUM_SUITS] for place in meld.places)
            for meld in melds
        ),
        points=sum(meld.points for meld in melds),
        left=tuple(TEXTS[card] for card in sorted(left)),
        moves=tuple(move for meld in melds for move in meld.moves()),
    )


def _value(held: Cards, must: int, per_card: int, identical: bool) -> int:
    """Return what the best layout brings, see `best_value`."""
    one = sum(1 << card for card, number in held.items() if number)
    two = sum(1 << card for card, number in held.items() if number > 1)
    return int(best_value(one, two, must, per_card, int(identical)))


def _taken_apart(held: Cards, must: int, per_card: int, identical: bool) -> tuple[list[Meld], list[int]]:
    """Return the melds of a best layout and what it leaves over.

    From the highest card on: it is left over if the others bring as much without it, else it is the highest natural
    of a meld without which the others bring just so much less.
    """
    melds: list[Meld] = []
    left: list[int] = []
    value = _value(held, must, per_card, identical)
    while naturals := [card for card in held if card != JOKER]:
        card = max(naturals)
        rest = held - Counter([card])
        if _value(rest, must, per_card, identical) == value:
            left.append(card)
            held = rest
            continue
        for meld in melds_below(card, held, identical):
            rest = held - Counter(meld.cards)
            still = NO_CARD if must in meld.cards else must
            brings = meld.points // LOW_POINTS + per_card * len(meld.cards)
            after = _value(rest, still, per_card, identical)
            if after >= 0 and after + brings == value:
                melds.append(meld)
                held, must, value = rest, still, after
                break
        else:
            raise AssertionError("a best layout has a meld with this card")
    return melds, left + list(held.elements())


def melds_below(card: int, held: Cards, identical: bool) -> Iterator[Meld]:
    """Yield the melds of which ``card`` is the highest natural, other naturals being lower or of its rank."""
    first = card - card % NUM_SUITS
    others = [other for other in (held - Counter([card])).elements() if first <= other < first + NUM_SUITS]
    for size in (MOST_IN_SET, LEAST_MELD):
        for wild in range(min(held[JOKER], size // 2) + 1):
            for part in sorted(set(combinations(sorted(others), size - wild - 1))):
                naturals = sorted((*part, card))
                if identical or len(set(naturals)) == len(naturals):
                    yield Meld((*naturals, *[JOKER] * wild), (first,) * size, is_run=False)
    for above in range(held[JOKER] + 1):
        top = card + above * NUM_SUITS
        if top < NUM_NATURALS:
            yield from _runs(card, top, held)


def _runs(card: int, top: int, held: Cards) -> Iterator[Meld]:
    """Yield the runs from ``top`` down of which ``card`` is the highest natural: the others lower or jokers."""
    for size in range(LEAST_MELD, NUM_RANKS + 1):
        low = top - NUM_SUITS * (size - 1)
        if low < 0:
            return
        places = tuple(range(low, top + 1, NUM_SUITS))
        below = [place for place in places if place < card]
        above = size - len(below) - 1
        for wild in range(min(held[JOKER], size // 2) - above + 1):
            for filled in combinations(below, wild):
                cards = tuple(JOKER if place > card or place in filled else place for place in places)
                if all(held[place] for place in cards):
                    yield Meld(cards, places, is_run=True)
