"""N4.3 by brute force: can a player that owes something still lay it, by some sequence of legal moves?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from typing import NamedTuple

from oracle.kunken_melds import (
    HIGH_POINTS,
    JOKER,
    RANKS,
    SET,
    Beginning,
    Meld,
    all_beginnings,
    first_growths,
    growths,
    meld_points,
    points_of,
)

Hand = tuple[str, ...]
"""Cards in sorted order."""


class Debt(NamedTuple):
    """What a player has still to do in this turn (N4.2, N4.6)."""

    claim: str | None
    """The claimed card, None when a card equal to it has been laid or none was claimed."""

    points: int
    """Points still to be laid; not above 0 when none are missing."""

    leave: bool
    """Whether a card must be left in hand: `discard_to_go_out`, and no card lay above the claimed one (N4.3)."""

    def is_paid(self, hand: Hand) -> bool:
        """Return whether nothing is owed any more by a player that holds ``hand``."""
        return self.claim is None and self.points <= 0 and (len(hand) > 0 or not self.leave)

    def after(self, cards: Collection[str], points: int) -> Debt:
        """Return what is owed after ``cards`` were laid: any card equal to the claimed one counts (N4.2)."""
        claim = None if self.claim in cards else self.claim
        return Debt(claim, self.points - points, self.leave)


class Search:
    """Searches all positions that a player in debt can reach.

    Args:
        identical_cards_in_set: the field of the rules (N3.1).
        prune: give up where `_is_hopeless` says so; without it every sequence of moves is tried.
    """

    def __init__(self, identical_cards_in_set: bool, prune: bool = True) -> None:
        self.identical = identical_cards_in_set
        self.prune = prune
        self.beginnings = all_beginnings(identical_cards_in_set)
        self._known: dict[tuple[Hand, tuple[Meld, ...], Debt], bool] = {}

    def forget(self) -> None:
        """Drop what was found: only memory is at stake."""
        self._known.clear()

    def can_pay(
        self,
        hand: Iterable[str],
        melds: Iterable[Meld],
        debt: Debt,
        beginnings: list[Beginning] | None = None,
    ) -> bool:
        """Return whether ``debt`` can be paid from ``hand``, the claimed card in it, after ``melds`` of this turn.

        ``beginnings`` are new melds among which all are that ``hand`` could lay, where the caller has them.
        """
        beginnings = self.beginnings if beginnings is None else beginnings
        return self._can_pay(tuple(sorted(hand)), tuple(melds), debt, beginnings)

    def _can_pay(self, hand: Hand, melds: tuple[Meld, ...], debt: Debt, beginnings: list[Beginning]) -> bool:
        """Depth first over the moves. ``beginnings`` are those that a hand with more cards could lay."""
        if debt.claim is None and debt.points <= 0:
            return debt.is_paid(hand)  # N4.2 ends here, also where no card is left to discard
        held = set(hand)
        # The hand only shrinks: a meld that takes no card of it now never will, and is of no more account.
        melds = tuple(meld for meld in melds if any(card in held for card in self._taken_by(meld)))
        key = (hand, _canonical(melds), debt)
        if key not in self._known:
            beginnings = playable(beginnings, hand)
            self._known[key] = not (self.prune and _is_hopeless(hand, melds, debt, beginnings)) and any(
                self._can_pay(after, on_table, debt.after(cards, points), beginnings)
                for cards, points, after, on_table in self._moves(hand, melds, beginnings)
            )
        return self._known[key]

    def _taken_by(self, meld: Meld) -> list[str]:
        return [growth.card for growth in growths(meld, self.identical)]

    def _moves(
        self, hand: Hand, melds: tuple[Meld, ...], beginnings: list[Beginning]
    ) -> Iterable[tuple[tuple[str, ...], int, Hand, tuple[Meld, ...]]]:
        """N4.3: new melds, and cards laid on the melds of this turn; the cards, their points, and what is then."""
        for begun in beginnings:
            yield begun.cards, meld_points(begun.meld), less(hand, begun.cards), (*melds, begun.meld)
        for number, growth in first_growths(enumerate(melds), hand, self.identical).values():
            points = meld_points(growth.meld) - meld_points(melds[number])
            on_table = (*melds[:number], growth.meld, *melds[number + 1 :])
            yield (growth.card,), points, less(hand, (growth.card,)), on_table


def playable(beginnings: Iterable[Beginning], hand: Iterable[str]) -> list[Beginning]:
    """Return those of ``beginnings`` for which ``hand`` has the cards."""
    count = Counter(hand)
    held, held_twice = set(count), {card for card in count if count[card] > 1}
    return [
        begun for begun in beginnings if held.issuperset(begun.cards) and held_twice.issuperset(begun.twice)
    ]


def less(hand: Iterable[str], cards: Iterable[str]) -> Hand:
    """Return ``hand`` without ``cards``."""
    left = list(hand)
    for card in cards:
        left.remove(card)
    return tuple(left)


def _canonical(melds: Iterable[Meld]) -> tuple[Meld, ...]:
    """Return ``melds`` so that positions with the same future look alike.

    A lay-off names its rank (in a set) or suit (in a run), so the order in which melds were laid matters only
    among sets of one rank and among runs of one suit (N8.5); Python's sort keeps it there.
    """
    alike = [Meld(SET, tuple(sorted(meld.cards))) if meld.kind == SET else meld for meld in melds]
    return tuple(sorted(alike, key=_name))


def _name(meld: Meld) -> tuple[str, str]:
    place = meld.cards[0].place
    return meld.kind, place[0] if meld.kind == SET else place[1]


def _is_hopeless(hand: Hand, melds: tuple[Meld, ...], debt: Debt, beginnings: list[Beginning]) -> bool:
    """Return True only where ``debt`` cannot be paid, because a card that can be laid at all is in a new meld now.

    Of a set that can be laid around a card, three cards with one joker at most can be laid as well; of a run,
    three cards in a row, or four with two jokers between. Else the card must go on a meld of this turn.
    """
    begun = {card for beginning in beginnings for card in beginning.cards}
    useful = [
        card
        for card in hand
        if card == JOKER or card in begun or any(_may_reach(meld, card, hand) for meld in melds)
    ]
    most = sum(HIGH_POINTS if card == JOKER else points_of(card) for card in useful)
    return debt.points > most or (debt.claim is not None and debt.claim not in useful)


def _may_reach(meld: Meld, card: str, hand: Hand) -> bool:
    """Return False only where the meld can never take ``card``: the wrong rank or suit, or a gap too wide to fill."""
    rank, suit = card
    if meld.kind == SET:
        return rank == meld.cards[0].place[0]
    low, high = meld.cards[0].place, meld.cards[-1].place
    at, lowest, highest = (RANKS.index(text) for text in (rank, low[0], high[0]))
    if suit != low[1] or lowest <= at <= highest:
        return False
    gap = RANKS[highest + 1 : at] + RANKS[at + 1 : lowest]
    return sum(between + suit not in hand for between in gap) <= hand.count(JOKER)
