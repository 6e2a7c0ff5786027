"""Melds of Kunken word for word (RULES.md, N3 and N8.2-N8.5, N8.7): what they are, how they begin and how they grow.

Cards are their texts. A meld is the cards on the table, each with the place that it takes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations_with_replacement
from typing import NamedTuple

RANKS = "23456789TJQKA"
"""Rank texts from lowest to highest: the ace is never low (N1.1)."""

SUITS = "cdhs"
"""Suit texts in the order of N8.2."""

JOKER = "*"

SET, RUN = "set", "run"

HIGH_RANKS, HIGH_POINTS, LOW_POINTS = "AKQJ", 10, 5
"""Points of a card (N1.3)."""


class Laid(NamedTuple):
    """A card of a meld."""

    card: str
    """The card itself: `JOKER` or its text."""

    place: str
    """What it counts as: a card text, or for a joker in a set the rank alone, as its suit is open (N3.4)."""


class Meld(NamedTuple):
    """A set or a run."""

    kind: str
    cards: tuple[Laid, ...]
    """A run in rank order; a set in the order laid."""


@dataclass
class TableMeld:
    """A meld on the table."""

    owner: int
    """The seat that laid it first."""

    meld: Meld
    """Its cards in order with the places they take, jokers included."""

    layers: tuple[int, ...]
    """The seat that scores each of the cards (N6.1)."""


class Growth(NamedTuple):
    """A way to put a card on a meld."""

    text: str
    card: str
    """The card that leaves the hand."""

    meld: Meld
    """The meld afterwards."""


class Beginning(NamedTuple):
    """A way to lay a new meld."""

    text: str
    cards: tuple[str, ...]
    """The cards that leave the hand."""

    twice: tuple[str, ...]
    """Those of them that leave it twice."""

    meld: Meld


def points_of(place: str) -> int:
    """Return the points of a card on the table by the place it takes (N1.3)."""
    return HIGH_POINTS if place[0] in HIGH_RANKS else LOW_POINTS


def meld_points(meld: Meld) -> int:
    """Return the points of all cards of a meld (N1.3, N4.4)."""
    return sum(points_of(laid.place) for laid in meld.cards)


def natural(card: str) -> Laid:
    """Return a card in its own place."""
    return Laid(card, card)


def is_meld(meld: Meld, identical_cards_in_set: bool) -> bool:
    """Return whether the cards make a set or a run (N3.1, N3.2) with no more jokers than N3.3 allows."""
    num_jokers = sum(laid.card == JOKER for laid in meld.cards)
    if num_jokers * 2 > len(meld.cards):  # N3.3: "at most half the cards of a meld"
        return False
    ranks = [RANKS.index(laid.place[0]) for laid in meld.cards]
    if meld.kind == SET:  # N3.1
        naturals = [laid.card for laid in meld.cards if laid.card != JOKER]
        twice = len(set(naturals)) < len(naturals)
        return len(ranks) in (3, 4) and len(set(ranks)) == 1 and (identical_cards_in_set or not twice)
    one_suit = len({laid.place[1] for laid in meld.cards}) == 1  # N3.2
    consecutive = ranks == list(range(ranks[0], ranks[0] + len(ranks)))
    return 3 <= len(ranks) <= len(RANKS) and one_suit and consecutive


def all_beginnings(identical_cards_in_set: bool) -> list[Beginning]:
    """Return every new meld that has a move text (N8.2-N8.4), whatever is held."""
    melds = [Meld(SET, laid) for rank in RANKS for laid in _sets(rank)]
    melds += [Meld(RUN, laid) for suit in SUITS for laid in _runs([rank + suit for rank in RANKS])]
    return [_beginning(meld) for meld in melds if is_meld(meld, identical_cards_in_set)]


def _sets(rank: str) -> Iterator[tuple[Laid, ...]]:
    """N8.2: three naturals in suit order, or two and then the joker."""
    cards = [natural(rank + suit) for suit in SUITS]
    for three in combinations_with_replacement(cards, 3):
        if len(set(three)) > 1:  # N1.1: no card is there three times
            yield three
    for first, second in combinations_with_replacement(cards, 2):
        yield first, second, Laid(JOKER, rank)


def _runs(places: Sequence[str]) -> Iterator[tuple[Laid, ...]]:
    """N8.3: three in rank order, none of them or any one a joker; N8.4: four, the two in the middle jokers."""
    for low in range(len(places) - 2):
        for joker in (None, 0, 1, 2):
            yield _with_jokers(places[low : low + 3], () if joker is None else (joker,))
    for low in range(len(places) - 3):
        yield _with_jokers(places[low : low + 4], (1, 2))


def _with_jokers(places: Sequence[str], jokers: Sequence[int]) -> tuple[Laid, ...]:
    return tuple(Laid(JOKER if index in jokers else place, place) for index, place in enumerate(places))


def _beginning(meld: Meld) -> Beginning:
    cards = tuple(laid.card for laid in meld.cards)
    twice = tuple(card for card in dict.fromkeys(cards) if cards.count(card) > 1)
    return Beginning(f"{meld.kind} {' '.join(cards)}", cards, twice, meld)


@cache
def growths(meld: Meld, identical_cards_in_set: bool) -> tuple[Growth, ...]:
    """Return every single card that N3 lets the meld take, whatever is held, with its move text (N8.5)."""
    grown = _set_growths(meld) if meld.kind == SET else _run_growths(meld)
    return tuple(growth for growth in grown if is_meld(growth.meld, identical_cards_in_set))


def _set_growths(meld: Meld) -> Iterator[Growth]:
    rank = meld.cards[0].place[0]
    for suit in SUITS:
        card = rank + suit
        yield Growth(f"lay {card} set", card, Meld(SET, (*meld.cards, natural(card))))
    yield Growth(f"lay *{rank} set", JOKER, Meld(SET, (*meld.cards, Laid(JOKER, rank))))


def _run_growths(meld: Meld) -> Iterator[Growth]:
    suit = meld.cards[0].place[1]
    low, high = (RANKS.index(meld.cards[end].place[0]) for end in (0, -1))
    if high + 1 < len(RANKS):  # N3.2: "no wrap-around"
        place = RANKS[high + 1] + suit
        yield Growth(f"lay {place} high", place, Meld(RUN, (*meld.cards, natural(place))))
        yield Growth(f"lay *{place} high", JOKER, Meld(RUN, (*meld.cards, Laid(JOKER, place))))
    if low > 0:
        place = RANKS[low - 1] + suit
        yield Growth(f"lay {place} low", place, Meld(RUN, (natural(place), *meld.cards)))
        yield Growth(f"lay *{place} low", JOKER, Meld(RUN, (Laid(JOKER, place), *meld.cards)))


def swapped(meld: Meld, card: str, identical_cards_in_set: bool) -> Meld | None:
    """Return the meld with ``card`` in the place of a joker that stands for it, None if there is none (N3.4)."""
    # "In a set a joker stands for any card of the rank", in a run for the card of its place.
    stands_for = card[0] if meld.kind == SET else card
    jokers = [index for index, laid in enumerate(meld.cards) if laid == Laid(JOKER, stands_for)]
    if not jokers:
        return None
    index = jokers[0]
    after = Meld(meld.kind, (*meld.cards[:index], natural(card), *meld.cards[index + 1 :]))
    return after if is_meld(after, identical_cards_in_set) else None  # "that N3.1 does not forbid"


def first_growths(
    melds: Iterable[tuple[int, Meld]], hand: Iterable[str], identical_cards_in_set: bool
) -> dict[str, tuple[int, Growth]]:
    """Return the lay-offs that ``hand`` can make: move text to the number of the meld and its growth.

    N8.5: ``melds`` come in the order laid, and the first of those that would take the card does.
    """
    held = set(hand)
    found: dict[str, tuple[int, Growth]] = {}
    for number, meld in melds:
        for growth in growths(meld, identical_cards_in_set):
            if growth.card in held:
                found.setdefault(growth.text, (number, growth))
    return found
