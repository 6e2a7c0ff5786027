"""N4.3 a second way: not by sequences of moves, but by all the layouts of cards that could be on the table at the end.

Shares no line with `oracle.kunken_search` and `oracle.kunken_melds`. A layout is a choice of new melds and of
cards added to melds of this turn that takes no card twice. That each can be reached by moves is N8.8.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations

ORDER = "23456789TJQKA"
MAX_JOKERS = 2

Choice = tuple[tuple[str, ...], int]
"""Cards that leave the hand, and their points."""


def worth(rank: str) -> int:
    """Return the points of a rank (N1.3)."""
    return 5 if rank in "23456789T" else 10


def fillings(needed: Sequence[str], jokers_before: int, others: int) -> Iterator[Choice]:
    """Yield all ways to fill the places ``needed`` with naturals and jokers.

    ``others`` more cards are in the meld already, ``jokers_before`` of them jokers (N3.3: at most half).
    """
    for num_jokers in range(MAX_JOKERS + 1 - jokers_before):
        if 2 * (num_jokers + jokers_before) > len(needed) + others:
            return
        for filled in combinations(range(len(needed)), num_jokers):
            cards = ("*" if place in filled else card for place, card in enumerate(needed))
            yield tuple(cards), sum(worth(card[0]) for card in needed)


def new_runs() -> Iterator[Choice]:
    """N3.2."""
    for suit in "cdhs":
        for low, beyond in combinations(range(len(ORDER) + 1), 2):
            if beyond - low >= 3:
                yield from fillings([rank + suit for rank in ORDER[low:beyond]], 0, 0)


def new_sets(identical: bool) -> Iterator[Choice]:
    """N3.1: as a set has no order, choose from the eight cards of a rank, and then how many jokers."""
    for rank in ORDER:
        eight = [rank + suit for suit in "cdhs" for _ in range(2)]
        for size in (3, 4):
            for num_jokers in range(size // 2 + 1):
                for naturals in set(combinations(eight, size - num_jokers)):
                    if identical or len(set(naturals)) == len(naturals):
                        yield naturals + ("*",) * num_jokers, size * worth(rank)


def additions(meld: Sequence[str], identical: bool) -> list[Choice]:
    """Return all that can be added to a meld of this turn, nothing included.

    The meld is written as it lies: a run in rank order, of which `*` are jokers; a set begins with `set`.
    """
    if meld[0] == "set":
        cards = list(meld[1:])
        rank = next(card[0] for card in cards if card != "*")
        found: list[Choice] = [((), 0)]
        if len(cards) == 3:
            held = [card for card in cards if card != "*"]
            found += [
                ((rank + suit,), worth(rank)) for suit in "cdhs" if identical or rank + suit not in held
            ]
            found += [(("*",), worth(rank))] if 2 * (cards.count("*") + 1) <= 4 else []
        return found
    cards = list(meld[1:])
    at = next(place for place, card in enumerate(cards) if card != "*")
    suit, low = cards[at][1], ORDER.index(cards[at][0]) - at
    found = []
    for new_low in range(low + 1):
        for beyond in range(low + len(cards), len(ORDER) + 1):
            added = [rank + suit for rank in ORDER[new_low:low] + ORDER[low + len(cards) : beyond]]
            found += fillings(added, cards.count("*"), len(cards))
    return found


class Layouts:
    """All new melds there can be, found once."""

    def __init__(self, identical: bool) -> None:
        self.identical = identical
        self.new_melds = sorted(set(new_runs()) | set(new_sets(identical)))
        self._last: tuple[tuple[str, ...], tuple[tuple[str, ...], ...]] | None = None
        self._found: set[tuple[frozenset[str], int, int]] = set()

    def can_pay(
        self,
        hand: Iterable[str],
        melds: Sequence[Sequence[str]],
        claim: str | None,
        points: int,
        leave: bool,
    ) -> bool:
        """Return whether some layout with what ``hand`` holds has the claim and the points, and leaves a card."""
        hand = tuple(hand)
        return any(
            total >= points and (claim is None or claim in used) and (not leave or num_used < len(hand))
            for used, num_used, total in self._ends(hand, tuple(map(tuple, melds)))
        )

    def _ends(
        self, hand: tuple[str, ...], melds: tuple[tuple[str, ...], ...]
    ) -> set[tuple[frozenset[str], int, int]]:
        """Return the cards, their number and the points of every layout: all that matters of them."""
        if (hand, melds) != self._last:
            held = Counter(hand)
            parts = [additions(meld, self.identical) for meld in melds]
            new = [
                choice
                for choice in self.new_melds
                if held.keys() >= set(choice[0]) and Counter(choice[0]) <= held
            ]
            self._found = {(frozenset(used), len(used), total) for used, total in layouts(held, parts, new)}
            self._last = hand, melds
        return self._found


def layouts(
    held: Counter[str], parts: Sequence[Sequence[Choice]], new: Sequence[Choice]
) -> Iterator[tuple[list[str], int]]:
    """Yield the used cards and the points of every layout: one of each of ``parts``, then any of ``new``."""
    if parts:
        for cards, points in parts[0]:
            if Counter(cards) <= held:
                for used, total in layouts(held - Counter(cards), parts[1:], new):
                    yield [*cards, *used], total + points
        return
    yield [], 0
    for index, (cards, points) in enumerate(new):
        if Counter(cards) <= held:
            # From `index` on, not after it: the same meld may be laid twice, of two decks.
            for used, total in layouts(held - Counter(cards), (), new[index:]):
                yield [*cards, *used], total + points
