"""The chances of every hand against enumeration that shares no code with them (K5)."""

from __future__ import annotations

import math
from collections import Counter
from itertools import combinations

import numpy as np
import pytest

from kuns_agents import pages
from kuns_agents.hands import Chances, chances, nodes_of, share, tree
from kuns_env import Batch, KunsRules
from oracle.kuns import hand_value

STANDARD = KunsRules.duel()
TINY = KunsRules.tiny()
ZERO_IS_TEN = KunsRules(2, (1, 2, 5, 8, 10), 3, no_kuns_zero_is_ten=True)


def deck_of(rules):
    return [rank for rank in rules.ranks for _ in range(rules.num_suits)]


def without(deck, hand):
    return list((Counter(deck) - Counter(hand)).elements())


def brute_force(rules, hand):
    """Return (chance to win, a tie counting half; chance of kuns) by trying every completion and every other hand."""
    rest = without(deck_of(rules), hand)
    points = kuns = total = 0
    for more in combinations(rest, 5 - len(hand)):
        own = hand_value([*hand, *more], rules.no_kuns_zero_is_ten)
        for other in combinations(without(rest, more), 5):
            theirs = hand_value(list(other), rules.no_kuns_zero_is_ten)
            points += 1 if own > theirs else 0.5 if own == theirs else 0
            kuns += own[0]
            total += 1
    return points / total, kuns / total


@pytest.mark.parametrize(
    ("rules", "hand"),
    [
        *(
            (TINY, hand)
            for hand in [(), (1,), (1, 1), (5, 10), (1, 4, 5, 10), (10, 10, 10, 5), (1, 1, 4, 4, 10)]
        ),
        *((ZERO_IS_TEN, hand) for hand in [(2, 8, 10), (1, 1, 5, 8), (5, 5, 5, 10, 10), (1, 2, 2, 5, 10)]),
        (STANDARD, (10, 10, 10, 1, 4)),
    ],
    ids=str,
)
def test_chances_against_one_hand_are_exact(rules, hand):
    table, node = chances(rules), tree().node(hand)
    points, kuns = brute_force(rules, hand)
    assert table.shares[node, 0] == pytest.approx(points, abs=1e-12)
    assert table.kuns[node] == pytest.approx(kuns, abs=1e-12)


def test_a_wrong_table_is_found():
    rules = KunsRules(2, (1, 2, 4, 5, 10), 3)
    other = chances(KunsRules(2, rules.ranks, rules.num_suits, no_kuns_zero_is_ten=True))
    hand = (1, 1, 2, 2, 4)  # a last digit of 0 without kuns: the lowest, or the highest of its kind (K5.5)
    right, _ = brute_force(rules, hand)
    assert chances(rules).shares[tree().node(hand), 0] == pytest.approx(right)
    assert other.shares[tree().node(hand), 0] > right + 0.01


def test_known_figures():
    table = chances(STANDARD)
    assert [len(table.possible(size)) for size in (2, 4, 5)] == [55, 715, 1992]
    assert table.kuns[0] == pytest.approx(0.67704, abs=5e-6)
    assert table.shares[0, 0] == pytest.approx(0.5, abs=1e-12)


def test_shares_of_all_who_hold_equal_chances_are_equal():
    # Independent hands: 1 / (opponents + 1) each, whatever the chance of a tie.
    odds = np.array([1, 3, 2, 5, 1, 1, 4]) / 17
    below = odds.cumsum() - odds
    for opponents in range(1, 8):
        assert (odds * share(below, odds, opponents)).sum() == pytest.approx(1 / (opponents + 1))


def test_two_opponents_against_enumeration():
    # Fifteen cards, three hands: nothing is left over, so hands depend on each other as much as they ever can.
    rules = KunsRules(3, (2, 3, 5, 8, 10), 3)
    table = chances(rules)
    for hand in [(2, 3, 5, 8, 10), (3, 3, 8, 8, 10), (2, 5, 5, 10, 10)]:
        rest, total, count = without(deck_of(rules), hand), 0.0, 0
        own = hand_value(list(hand))
        for other in combinations(range(10), 5):
            hands = [
                own,
                hand_value([rest[i] for i in other]),
                hand_value([rest[i] for i in range(10) if i not in other]),
            ]
            total += (own == max(hands)) / hands.count(own)
            count += 1
        assert count == math.comb(10, 5)
        assert table.shares[tree().node(hand), 1] == pytest.approx(total / count, abs=0.08)


def test_shares_against_more_opponents_are_close():
    for row in pages.shares_error().splitlines()[2:]:
        opponents, mean, worst, deviation = (float(cell) for cell in row.strip("|").split("|"))
        assert abs(mean) < 0.001, f"{opponents:g} opponents"
        assert abs(worst) < 0.002 + 3 * deviation, f"{opponents:g} opponents"


def test_against_good_hands_by_enumeration():
    # Four cards each of the tiny deck: the other's hand is good if its own chance is in the better half.
    table: Chances = chances(TINY)
    deck = list(enumerate(deck_of(TINY)))
    hand = (0, 3, 6, 9)
    own = [deck[i][1] for i in hand]
    rest = [card for card in deck if card[0] not in hand]
    quality = {
        four: table.shares[tree().node([rank for _, rank in four]), 0] for four in combinations(rest, 4)
    }
    line = np.median(list(quality.values()))
    points = total = 0.0
    for four, good in quality.items():
        left = [card for card in rest if card not in four]
        for mine in left:
            for theirs in left:
                if mine != theirs and good > line:
                    a = hand_value([*own, mine[1]])
                    b = hand_value([*(rank for _, rank in four), theirs[1]])
                    points += 1 if a > b else 0.5 if a == b else 0
                    total += 1
    # An approximation: what is good is judged without one's own cards, which here are a third of the deck.
    assert table.against_good[tree().node(own)] == pytest.approx(points / total, abs=0.12)


def test_a_hand_is_its_ranks_in_any_order():
    batch = Batch(STANDARD, 500, seed=2)
    views = batch.views()
    nodes = nodes_of(views)
    for row in range(0, 500, 50):
        hole = views.records["hole"][row, views.seats[row]]
        ranks = [int(card) // 4 + 1 for card in hole if card >= 0]
        assert nodes[row] == tree().node(ranks) == tree().node(ranks[::-1])
