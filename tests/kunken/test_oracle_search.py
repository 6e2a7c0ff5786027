"""N4.3 twice: the oracle's search over sequences of moves against all layouts that can be on the table at the end.

Cites N3.1 to N3.3, N4.2 to N4.4 and N8.8: where the two agree, every layout can be made by moves.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import combinations

import pytest

from oracle.kunken_games import BIG_HAND, deck_of
from oracle.kunken_layouts import Layouts
from oracle.kunken_melds import JOKER, RANKS, SUITS, Beginning, Meld
from oracle.kunken_search import Debt, Search, playable

NUM_WALKS = 250
BROKEN_WALKS = 400
"""Walks within which a search with one fault must be found out."""
POINTS = (0, 5, 15, 25, 30, 40, 50, 60, 70)
SMALL_DECK = ("5c", "5d", "6c", "6d", "7c", "7c", "8c", JOKER, JOKER)
"""Small enough for every hand; holds sets, runs, identical cards and jokers."""
SMALL_HANDS = range(3, 7)


class Difference(AssertionError):
    """The two ways disagree."""


class Pair:
    """The two ways, for each reading of N3.1."""

    def __init__(self, kind: type[Search] = Search, prune: bool = True) -> None:
        self.searches = {identical: kind(identical, prune) for identical in (False, True)}
        self.layouts = {identical: Layouts(identical) for identical in (False, True)}
        self.answers: Counter[tuple[int, bool]] = Counter()

    def ask(self, identical: bool, hand: Iterable[str], melds: tuple[Meld, ...], debt: Debt) -> bool:
        """Return what both say; `Difference` if that is not the same."""
        hand = tuple(sorted(hand))
        on_table = [(meld.kind, *(laid.card for laid in meld.cards)) for meld in melds]
        by_moves = self.searches[identical].can_pay(hand, melds, debt)
        by_layouts = self.layouts[identical].can_pay(hand, on_table, *debt)
        if by_moves != by_layouts:
            raise Difference(f"{by_moves=} {by_layouts=} {identical=} {hand=} {melds=} {debt=}")
        self.answers[len(melds), by_moves] += 1
        return by_moves


def draw_hand(rng: random.Random) -> list[str]:
    """Return up to nine cards of few ranks or suits, often with jokers."""
    low = rng.randrange(len(RANKS) - 3)
    ranks = rng.choice((rng.sample(RANKS, 4), RANKS[low : low + rng.randint(3, 6)]))
    suits = rng.sample(SUITS, rng.randint(1, len(SUITS)))
    cards = [rank + suit for rank in ranks for suit in suits] * 2
    hand = rng.sample(cards, min(len(cards), rng.randint(3, 8))) + [JOKER] * rng.choice((0, 0, 1, 2))
    return hand[-9:]


def walk(pair: Pair, number: int) -> None:
    """Compare in one random position and after random moves that N3 allows, legal by N4.3 or not."""
    rng = random.Random(number)
    identical = rng.random() < 0.5
    hand, melds = tuple(sorted(draw_hand(rng))), ()
    debt = Debt(rng.choice((None, *hand)), rng.choice(POINTS), rng.random() < 0.5)
    search = pair.searches[identical]
    search.forget()
    while debt.claim is not None or debt.points > 0:
        if not pair.ask(identical, hand, melds, debt) and rng.random() < 0.7:
            return
        moves = list(search._moves(hand, melds, playable(search.beginnings, hand)))
        if not moves:
            return
        cards, points, hand, melds = rng.choice(moves)
        debt = debt.after(cards, points)


def walks(pair: Pair, num_walks: int) -> None:
    for number in range(num_walks):
        walk(pair, number)


def small_debts(hand: tuple[str, ...]) -> Iterator[Debt]:
    """Yield debts for a small hand: each claim, few and many points, a card to leave or not."""
    for claim in (None, *sorted(set(hand))):
        for points in (0, 15, 20, 25, 30):
            if claim is not None or points > 0:
                yield from (Debt(claim, points, leave) for leave in (False, True))


@pytest.mark.parametrize("size", SMALL_HANDS)
def test_every_hand_of_a_small_deck(size: int) -> None:
    pair = Pair()
    for hand in sorted(set(combinations(SMALL_DECK, size))):
        for identical in (False, True):
            for debt in small_debts(hand):
                pair.ask(identical, hand, (), debt)
    assert {payable for _, payable in pair.answers} == {False, True}


@pytest.mark.parametrize("prune", [True, False])
def test_random_hands_also_in_the_middle_of_a_turn(prune: bool) -> None:
    pair = Pair(prune=prune)
    walks(pair, NUM_WALKS)
    assert {(num_melds, payable) for num_melds in (0, 1, 2) for payable in (False, True)} <= set(pair.answers)


def test_hands_of_fourteen_cards_with_both_jokers() -> None:
    deck = deck_of(0)
    rng = random.Random(0)
    quick, plain = Search(True), Search(True, prune=False)
    answers: Counter[bool] = Counter()
    for _ in range(10):
        hand = [*rng.sample(deck, BIG_HAND - 2), JOKER, JOKER]
        for points in (50, 75):
            debt = Debt(hand[0], points, False)
            answers[quick.can_pay(hand, (), debt)] += 1
            assert quick.can_pay(hand, (), debt) == plain.can_pay(hand, (), debt)
    assert set(answers) == {False, True}


# ---------------------------------------------------------------- searches that the comparison must reject


class NoLayOffs(Search):
    def _taken_by(self, meld: Meld) -> list[str]:
        return []


class OneMeldOnly(Search):
    def _moves(self, hand, melds, beginnings):
        return super()._moves(hand, melds, [] if melds else beginnings)


class OtherReading(Search):
    def __init__(self, identical_cards_in_set: bool, prune: bool) -> None:
        super().__init__(not identical_cards_in_set, prune)


class LeavesNothing(Search):
    def _can_pay(
        self, hand: tuple[str, ...], melds: tuple[Meld, ...], debt: Debt, beginnings: list[Beginning]
    ) -> bool:
        return super()._can_pay(hand, melds, debt._replace(leave=False), beginnings)


class ForgetsTheClaim(Search):
    def _can_pay(
        self, hand: tuple[str, ...], melds: tuple[Meld, ...], debt: Debt, beginnings: list[Beginning]
    ) -> bool:
        return super()._can_pay(hand, melds, debt._replace(claim=None), beginnings)


class NoJokers(Search):
    def __init__(self, identical_cards_in_set: bool, prune: bool) -> None:
        super().__init__(identical_cards_in_set, prune)
        self.beginnings = [begun for begun in self.beginnings if JOKER not in begun.cards]


@pytest.mark.parametrize(
    "broken", [NoLayOffs, OneMeldOnly, OtherReading, LeavesNothing, ForgetsTheClaim, NoJokers]
)
def test_a_broken_search_is_rejected(broken: type[Search]) -> None:
    with pytest.raises(Difference):
        walks(Pair(broken), BROKEN_WALKS)
