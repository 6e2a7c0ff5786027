"""N4.3: can what is owed still be laid? Against all layouts there are, and every way to answer against the others."""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest

from kuns_env.kunken.bits import fives, lowest, popcount, with_card
from kuns_env.kunken.cards import JOKER, NO_CARD, TEXTS, points_of
from kuns_env.kunken.complete import can_complete, claim_leaving, claims
from kuns_env.kunken.layouts import melds_below
from kuns_env.kunken.search import search
from kuns_env.kunken.state import MELD, RUN, SET
from kuns_env.kunken.steps import no_melds
from oracle.kunken_layouts import Layouts

NO_MELDS = no_melds(0)
PLAIN = os.environ.get("NUMBA_DISABLE_JIT", "0") != "0"
"""Plain Python is a hundred times slower: it looks at fewer hands."""
ALL = {identical: Layouts(bool(identical)) for identical in (0, 1)}
NO_MELD = np.zeros(1, MELD)
MOST_CARDS = 8
NOTHING = -1000

Meld = tuple[str, ...]


def words(cards: Sequence[int]) -> tuple[int, int]:
    count = Counter(cards)
    return sum(1 << card for card in count), sum(1 << card for card in count if count[card] > 1)


def completes(
    hand: Sequence[int],
    need: int,
    claim: int,
    leave: int,
    identical: int,
    melds: Any = NO_MELD,
    num_melds: int = 0,
) -> bool:
    one, two = words(hand)
    return bool(can_complete(one, two, need, claim, leave, melds, 0, num_melds, identical, -1, -1))


def most(hand: Sequence[int], melds: Sequence[Meld], claim: int, leave: int, identical: int) -> int:
    """The most points of a layout that lays the claim and leaves a card where it has to."""
    text = None if claim == NO_CARD else TEXTS[claim]
    ends = ALL[identical]._ends(tuple(TEXTS[card] for card in hand), tuple(melds))
    fitting = [
        points
        for used, num_used, points in ends
        if (text is None or text in used) and (not leave or num_used < len(hand))
    ]
    return max(fitting, default=NOTHING)


def check(hand: Sequence[int], identical: int, melds: Any = NO_MELD, texts: Sequence[Meld] = ()) -> int:
    """All that may be owed with a hand; return how many answers were compared."""
    compared = 0
    for claim, leave in product([NO_CARD, *sorted(set(hand))], (0, 1)):
        best = most(hand, texts, claim, leave, identical)
        # No more than this can be laid, and exactly this can be.
        for need in (-5, 0, 1, best - 4, best, best + 1, best + 25):
            found = completes(hand, need, claim, leave, identical, melds, len(texts))
            wanted = best >= need and best != NOTHING
            assert found == wanted, ([TEXTS[card] for card in hand], texts, claim, need, leave, identical)
            compared += 1
    return compared


def hands_of(types: Sequence[int], num_jokers: int) -> Iterator[list[int]]:
    """Every hand of up to eight cards of these types, each there twice, and jokers."""
    for counts in product(range(3), repeat=len(types)):
        for jokers in range(num_jokers + 1):
            if 0 < sum(counts) + jokers <= MOST_CARDS:
                yield [card for card, count in zip(types, counts, strict=True) for _ in range(count)] + [
                    JOKER
                ] * jokers


def types_of(texts: str) -> list[int]:
    return [TEXTS.index(text) for text in texts.split()]


@pytest.mark.parametrize(
    ("deck", "identical"),
    [
        pytest.param("Td Jd Qd Tc Jc", 1, id="N3.1-N3.2"),
        pytest.param("9s Ts Js Qs Ks As", 1, id="N3.2"),
        pytest.param("Tc Td Th Js Ts", 0, id="N3.1-not-identical"),
        pytest.param("2h 3h 4h 5h 2c", 0, id="N3.3"),
    ],
)
def test_every_hand_of_a_small_deck(deck: str, identical: int) -> None:
    hands = list(hands_of(types_of(deck), 2))
    for hand in hands[:: 15 if PLAIN else 1]:
        check(hand, identical)


# --- melds of this turn -----------------------------------------------------------------------------------


def record(kind: int, cards: Sequence[int], low: int, suit: int) -> Any:
    meld = np.zeros(1, MELD)[0]
    meld["kind"], meld["low"], meld["size"], meld["suit"] = kind, low, len(cards), suit
    meld["jokers"] = list(cards).count(JOKER)
    meld["cards"] = NO_CARD
    first = low if kind == RUN else 0
    meld["cards"][first : first + len(cards)] = cards
    return meld


def some_meld(rng: random.Random, deck: list[int], identical: int) -> tuple[Any, Meld] | None:
    """Take a meld from the deck, if what is drawn can be one."""
    if rng.random() < 0.5:
        rank = rng.choice([card for card in deck if card != JOKER]) // 4
        of_rank = [card for card in deck if card != JOKER and card // 4 == rank]
        rng.shuffle(of_rank)
        size = rng.choice([3, 3, 4])
        wild = rng.randint(0, min(deck.count(JOKER), size // 2))
        naturals = (of_rank if identical else list(dict.fromkeys(of_rank)))[: size - wild]
        if len(naturals) < size - wild or len(set(naturals)) == 1 < len(naturals) - 1:
            return None
        cards, low, suit, kind, word = naturals + [JOKER] * wild, rank, -1, SET, "set"
    else:
        suit, low = rng.randrange(4), rng.randint(0, 10)
        places = [4 * rank + suit for rank in range(low, min(low + rng.randint(3, 5), 13))]
        cards = [place if place in deck and rng.random() < 0.9 else JOKER for place in places]
        if cards.count(JOKER) > min(deck.count(JOKER), len(cards) // 2):
            return None
        kind, word = RUN, "run"
    for card in cards:
        deck.remove(card)
    return record(kind, cards, low, suit), (word, *(TEXTS[card] for card in cards))


def test_cards_go_on_the_melds_of_this_turn() -> None:
    """N4.4."""
    rng = random.Random(44)
    for _ in range(8 if PLAIN else 600):
        identical = rng.randint(0, 1)
        first, last = sorted(rng.sample(range(13), 2))
        suits = rng.sample(range(4), rng.randint(1, 4))
        deck = [4 * rank + suit for rank in range(first, last + 1) for suit in suits] * 2
        deck += [JOKER] * rng.randint(0, 2)
        found = [some_meld(rng, deck, identical) for _ in range(3) if any(card != JOKER for card in deck)]
        laid = [meld for meld in found if meld is not None]
        rng.shuffle(deck)
        if laid and deck:
            melds = np.array([meld for meld, _ in laid], MELD)
            check(deck[: rng.randint(1, 6)], identical, melds, [text for _, text in laid])


# --- all ways to answer say the same ------------------------------------------------------------------------


def dealt(rng: random.Random, num_cards: int) -> tuple[list[int], list[int]]:
    """A hand from the whole deck, jokers more often than by chance, and the cards that are not in it."""
    deck = [*range(JOKER), *range(JOKER)]
    rng.shuffle(deck)
    jokers = rng.choice([0, 0, 1, 2])
    return deck[: num_cards - jokers] + [JOKER] * jokers, deck[num_cards - jokers :] + [JOKER] * (2 - jokers)


@pytest.mark.parametrize("num_cards", [3, 7, 10, 13, 14, 20, 30, 45, 60])
def test_claims_are_those_that_can_be_completed(num_cards: int) -> None:
    """N4.3: bounds and greedy layouts never contradict the search."""
    rng = random.Random(num_cards)
    for _ in range(1 if PLAIN else 200):
        hand, others = dealt(rng, num_cards)
        one, two = words(hand)
        identical = rng.randint(0, 1)
        # The largest hands lay more than is ever asked; the search is then asked for something near.
        need = rng.choice([0, 5, 25, 33, 50, 50, 75, 100, 150, 200])
        wanted = words(rng.sample(others, min(len(others), 25)))[0]
        found = 0
        left = wanted
        while left:
            card = int(lowest(left))
            left &= left - 1
            more = with_card(one, two, card)
            due = max(0, -(-need // 5))
            if search(*more, due, card, 0, NO_MELDS, identical, 0, 1) >= 0:
                found |= 1 << card
            leaving = search(*more, due, card, 1, NO_MELDS, identical, 0, 1) >= 0
            assert bool(claim_leaving(one, two, card, need, identical)) == leaving
            assert leaving <= bool(found >> card & 1)
        assert claims(one, two, wanted, need, identical) == found


def test_large_hands_lay_what_a_plain_search_finds() -> None:
    """The best points of hands as they are dealt, by trying every meld of the highest card."""

    @cache
    def best(hand: tuple[int, ...], identical: bool) -> int:
        naturals = [card for card in hand if card != JOKER]
        if not naturals:
            return 0
        held = Counter(hand)
        points = best(tuple(sorted((held - Counter([naturals[-1]])).elements())), identical)
        for meld in melds_below(naturals[-1], held, identical):
            rest = tuple(sorted((held - Counter(meld.cards)).elements()))
            laid = sum(points_of(place // 4) for place in meld.places)
            points = max(points, laid + best(rest, identical))
        return points

    rng = random.Random(5)
    for _ in range(2 if PLAIN else 200):
        hand, _ = dealt(rng, rng.randint(12, 18))
        for identical in (0, 1):
            most_points = best(tuple(sorted(hand)), bool(identical))
            assert completes(hand, most_points, NO_CARD, 0, identical)
            assert not completes(hand, most_points + 5, NO_CARD, 0, identical)


# --- the extremes -------------------------------------------------------------------------------------------


@pytest.mark.skipif(PLAIN, reason="millions of steps")
def test_the_largest_hands() -> None:
    """N11: `bank_points` up to 200; a hand can be nearly the whole deck. Tables and stacks grow as they have to."""
    rng = random.Random(200)
    whole = [*range(JOKER), *range(JOKER), JOKER, JOKER]
    points = 5 * (fives((1 << JOKER) - 1) * 2 + 4)
    assert completes(whole, points, NO_CARD, 0, 1)
    assert not completes(whole, points + 5, NO_CARD, 0, 1)
    for identical in (0, 1):
        for _ in range(20):
            hand = rng.sample(whole, 60)
            best = 5 * search(*words(hand), 0, NO_CARD, 0, NO_MELDS, identical, 0, 0)
            assert completes(hand, best, NO_CARD, 0, identical)
            assert completes(hand, 200, rng.choice(hand), 1, identical) or best <= 200
            assert search(*words(hand), best // 5 + 1, NO_CARD, 0, NO_MELDS, identical, 0, 1) < 0


@pytest.mark.parametrize(
    ("hand", "claim", "need", "leave", "wanted"),
    [
        pytest.param("", NO_CARD, 0, 0, True, id="N4.2-nothing-owed"),
        pytest.param("", NO_CARD, 0, 1, False, id="N4.3-no-card-to-leave"),
        pytest.param("5c 5d 5h", 12, 15, 0, True, id="N4.2"),
        pytest.param("5c 5d 5h", 12, 15, 1, False, id="N4.3-nothing-left"),
        pytest.param("5c 5d 5h 9s", 12, 15, 1, True, id="N4.3-a-card-left"),
        pytest.param("5c 5d 5h 9s", 31, 5, 0, False, id="N4.2-claim-fits-nowhere"),
        pytest.param("5c * *", 12, 0, 0, False, id="N3.3-two-jokers-of-three"),
        pytest.param("5c 8c * *", 12, 20, 0, True, id="N8.4"),
        pytest.param("5c 5d * *", JOKER, 20, 0, True, id="N4.2-a-joker"),
        pytest.param("Js Qs Ks As *", JOKER, 45, 0, True, id="N1.3-joker-at-the-low-end"),
        pytest.param("Js Qs Ks As *", JOKER, 46, 0, False, id="N1.3"),
    ],
)
def test_clauses(hand: str, claim: int, need: int, leave: int, wanted: bool) -> None:
    assert completes(types_of(hand), need, claim, leave, 1) == wanted


# --- bits -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("word", [0, 1, 1 << 52, (1 << 53) - 1, 0x5A5A5A5A5A5A5, 0x123456789ABCD])
def test_counting(word: int) -> None:
    cards = [card for card in range(JOKER) if word >> card & 1]
    assert popcount(np.int64(word)) == bin(word).count("1")
    assert 5 * fives(np.int64(word)) == sum(points_of(card // 4) for card in cards)
    assert word == 0 or lowest(np.int64(word)) == (word & -word).bit_length() - 1
