"""The hands of `kuns_agents.exact` and their chances, against counting every deal of a small deck."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from kuns_agents.exact.duel import duel
from kuns_agents.exact.query import recall_deals
from kuns_agents.exact.space import hand_space
from kuns_agents.hands import tree
from kuns_env import KunsRules
from oracle.kuns_exact import NO_CARDS, deals

CLOSE = {"rtol": 0, "atol": 1e-13}
"""Inclusion and exclusion takes large numbers from each other: with ten cards, all dealt, 1e-14 is left of that."""
DECKS = {
    "few": {"ranks": (2, 5, 8), "num_suits": 4},
    "pairs": {"ranks": (1, 3, 5, 7, 10), "num_suits": 2},
    "tiny": {"ranks": (1, 4, 5, 10), "num_suits": 3},
}
STEPS = ((0, 2), (2, 4), (4, 5))
"""Where the cards of each deal step are."""


@pytest.fixture(params=DECKS)
def deck(request):
    return DECKS[request.param]


def rules_of(deck):
    return KunsRules(num_players=2, side_bets=False, ante_menu=(1, 3), **deck)


def multiset(cards):
    return tuple(sorted(sum(cards, ())))


def hands_of(space, round_):
    """Return the multisets that the package has in a round, in its order."""
    ranks = np.arange(1, 11)
    return [tuple(np.repeat(ranks, tree().counts[node]).tolist()) for node in space.nodes[round_]]


def count(deck, round_):
    """Return the chance of every pair of hands after a round, of every hand, and with what it was before."""
    whole = deals(**deck)
    num_deals = whole[0][NO_CARDS][NO_CARDS]
    pairs, came, hands = Counter(), Counter(), Counter()
    for own, row in whole[round_ + 1].items():
        for other, ways in row.items():
            pairs[multiset(own), multiset(other)] += ways
            came[multiset(own[:-1]), multiset(own)] += ways
            hands[multiset(own)] += ways
    # Whole numbers until here: a sum of thousands of rounded chances would be the less exact of the two.
    return [{key: ways / num_deals for key, ways in counted.items()} for counted in (pairs, came, hands)]


@pytest.mark.parametrize("round_", range(3))
def test_which_hands_there_are_and_how_likely(deck, round_):
    space = hand_space(rules_of(deck))
    _, _, wanted = count(deck, round_)
    found = dict(zip(hands_of(space, round_), space.weights[round_], strict=True))
    assert found == pytest.approx(wanted, abs=1e-15)


@pytest.mark.parametrize("round_", [1, 2])
def test_what_a_hand_was_before(deck, round_):
    space = hand_space(rules_of(deck))
    _, came, hands = count(deck, round_)
    splits, smaller = space.splits[round_ - 1], hands_of(space, round_ - 1)
    found = {}
    for place, hand in enumerate(hands_of(space, round_)):
        for row in range(splits.starts[place], splits.starts[place + 1]):
            found[smaller[splits.parents[row]], hand] = splits.chances[row]
    assert found == pytest.approx({pair: chance / hands[pair[1]] for pair, chance in came.items()})


@pytest.mark.parametrize("round_", range(3))
def test_which_hands_lie_beside_each_other(deck, round_):
    rules = rules_of(deck)
    hands, (pairs, _, _) = hands_of(hand_space(rules), round_), count(deck, round_)
    table = np.array([[pairs.get((own, other), 0) for other in hands] for own in hands])
    reach = np.random.default_rng(2).random((len(hands), len(rules.ante_menu)))
    np.testing.assert_allclose(duel(rules).meet(round_, reach), table @ reach, **CLOSE)


@pytest.mark.parametrize("round_", range(3))
def test_perfect_recall_states_and_their_chances_given_the_hand(deck, round_):
    states = recall_deals(rules_of(deck))[round_]
    wanted = {own: sum(row.values()) for own, row in deals(**deck)[round_ + 1].items()}
    alike = Counter()
    for own, ways in wanted.items():
        alike[multiset(own)] += ways
    found = {}
    for ranks, chance in zip((states.ranks + 1).tolist(), states.chances, strict=True):
        found[tuple(tuple(ranks[start:end]) for start, end in STEPS[: round_ + 1])] = chance
    assert len(found) == len(states), "a state twice"
    assert found == pytest.approx({own: ways / alike[multiset(own)] for own, ways in wanted.items()})
