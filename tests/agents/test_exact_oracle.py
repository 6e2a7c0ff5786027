"""`kuns_agents.exploitability` and what belongs to it, against brute force on decks of a dozen cards.

The brute force remembers which card came when, goes through every deal and shares no line with the package.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import kuns_agents
from exact_agents import PlayedPolicy, policy_of
from kuns_agents import HISTORY, MULTISET
from kuns_agents.exact.agent import TableAgent
from kuns_agents.policy import PolicyAgent
from kuns_env import KunsRules
from kuns_env.engine.game import game_of
from kuns_env.kuns.moves import NUM_MOVES
from oracle import kuns_exact
from oracle.kuns_exact import SEATS, Game
from oracle.kuns_policies import always, at_random, by_multiset, by_order, uniform

EXACT = 1e-12
CLOSE = {"rtol": 0, "atol": EXACT}
MENU = (1, 3)
FEW = {"ranks": (2, 5, 8), "num_suits": 4}
PAIRS = {"ranks": (1, 3, 5, 7, 10), "num_suits": 2}


def rules_of(**fields):
    fixed = {"num_players": 2, "side_bets": False, "forced_ante": 1, "ante_menu": MENU}
    return KunsRules(**{**fixed, **FEW, **fields})


RULES = {
    "few": rules_of(),
    "one ante": rules_of(ante_menu=(2,)),
    "nothing forced": rules_of(forced_ante=0, ante_menu=(1, 5)),
    "three forced": rules_of(forced_ante=3, ante_menu=(1,)),
    "ante before the deal": rules_of(dealer_sees_hand=False),
    "zero is ten": rules_of(ranks=(1, 3, 8), no_kuns_zero_is_ten=True, forced_ante=3),
    "zero is nothing": rules_of(ranks=(1, 3, 8), forced_ante=3),
    "pairs": rules_of(**PAIRS, ante_menu=(2,), no_kuns_zero_is_ten=True, dealer_sees_hand=False),
}


def in_floats(policy):
    return lambda asked: {move: float(chance) for move, chance in policy(asked).items()}


def assert_same(agent, rules, policy, near=EXACT):
    """Compare what the package says of ``agent`` with what brute force says of ``policy``, which is the same."""
    got = kuns_agents.exploitability(agent, rules)
    assert got.rules == rules
    fields, policy = rules.to_dict(), in_floats(policy)
    best = kuns_exact.exploitability(fields, policy)
    np.testing.assert_allclose(got.best_response_values, (best.as_other, best.as_dealer), rtol=0, atol=near)
    np.testing.assert_allclose(got.exploitability, best.exploitability, rtol=0, atol=near)
    # What the policy wins from itself: seat 0 against seat 1, whoever deals.
    won = [Game(fields, dealer).value((policy, policy)) for dealer in SEATS]
    as_dealer = (won[0] - won[1]) / 2
    np.testing.assert_allclose(got.own_values, (-as_dealer, as_dealer), rtol=0, atol=near)
    np.testing.assert_allclose(
        got.gains, np.subtract(got.best_response_values, got.own_values), rtol=0, atol=near
    )
    return got


@pytest.mark.parametrize("rules", RULES.values(), ids=RULES)
def test_policies_of_the_order_of_the_cards(rules):
    policy = at_random(7, rules.ante_menu, by_order)
    got = assert_same(PlayedPolicy(policy, HISTORY), rules, policy)
    assert len(got.tables) == len(SEATS), "the random policy differs by seat"


@pytest.mark.parametrize("label", ["few", "three forced", "ante before the deal", "zero is ten"])
def test_policies_of_the_multiset_by_the_short_and_the_long_way(label):
    rules = RULES[label]
    policy = at_random(8, rules.ante_menu, by_multiset)
    short = assert_same(PlayedPolicy(policy, MULTISET), rules, policy)
    long = kuns_agents.exploitability(PlayedPolicy(policy, HISTORY), rules)
    np.testing.assert_allclose(short.best_response_values, long.best_response_values, **CLOSE)


@pytest.mark.parametrize("name", ["random", "call", "fold", "cautious", "equity"])
def test_shipped_agents(name):
    agent = kuns_agents.load(name)
    for label in ("ante before the deal", "zero is ten"):
        assert_same(agent, RULES[label], policy_of(agent, RULES[label]))


@pytest.mark.parametrize("encoder", ["table", "history"])
def test_networks(encoder):
    """They look at everything in the record that is encoded: what they are asked with must be as in a real game."""
    rules, rng = RULES["few"], np.random.default_rng(1)
    sizes = (int(game_of(rules).encoder(encoder).shape[0]), 8, NUM_MOVES)
    layers = [(rng.normal(size=pair), rng.normal(size=pair[1])) for pair in pairwise(sizes)]
    agent = PolicyAgent(
        [(weights.astype(np.float32), biases.astype(np.float32)) for weights, biases in layers],
        "tanh",
        rules,
        encoder=encoder,
    )
    assert_same(agent, rules, policy_of(agent, rules), near=1e-6)


def test_the_agents_are_what_the_oracle_calls_by_their_names():
    for name, policy in (
        ("random", uniform(MENU)),
        ("call", always("call", MENU)),
        ("fold", always("fold", MENU)),
    ):
        assert_same(kuns_agents.load(name), RULES["few"], policy)


def test_tiny():
    """K8.3: twelve cards of four ranks."""
    rules = KunsRules.tiny()
    agent = kuns_agents.load("cautious")
    assert_same(agent, rules, policy_of(agent, rules))


@pytest.mark.parametrize("label", ["few", "nothing forced", "ante before the deal"])
def test_a_best_response_wins_by_brute_force_what_it_is_said_to_win(label):
    rules = RULES[label]
    policy = same_in_both_seats(9, rules.ante_menu)
    agent = PlayedPolicy(policy, HISTORY)
    got = kuns_agents.exploitability(agent, rules)
    response = policy_of(kuns_agents.best_response(agent, rules), rules)
    won = [Game(rules.to_dict(), dealer).value((response, in_floats(policy))) for dealer in SEATS]
    np.testing.assert_allclose(won[::-1], got.best_response_values, **CLOSE)


def same_in_both_seats(seed, menu):
    """Return a random policy that asks whether it deals, not in which seat it sits."""
    return at_random(seed, menu, lambda asked: (asked.dealer == asked.seat, asked.moves, asked.cards))


@pytest.mark.parametrize("label", ["few", "zero is ten", "ante before the deal", "pairs"])
def test_a_solution_holds_against_brute_force(label):
    rules = RULES[label]
    solution = kuns_agents.solve(rules, 1e-4)
    got = kuns_agents.exploitability(solution.table, rules)
    agent = TableAgent(solution.table, "solved")
    best = kuns_exact.exploitability(rules.to_dict(), policy_of(agent, rules))
    assert -1e-12 < best.exploitability <= 1e-4
    np.testing.assert_allclose(got.exploitability, best.exploitability, **CLOSE)
    np.testing.assert_allclose(
        (solution.last.low, solution.last.high), (-best.as_other, best.as_dealer), **CLOSE
    )


@pytest.mark.parametrize("reads", [HISTORY, MULTISET])
def test_a_single_situation_of_one_seat_counts(reads):
    """An agent that plays like `random` but with one hand, in one seat, after one way to come there."""
    plain, rules = uniform(MENU), RULES["few"]

    def policy(asked):
        hand = tuple(sorted(sum(asked.cards, ())))
        odd = asked.seat == 1 and asked.moves == ("ante 3", "call", "call") and hand == (2, 2, 5, 8)
        return {"call": 1} if odd else plain(asked)

    got = assert_same(PlayedPolicy(policy, reads), rules, policy)
    assert len(got.tables) == len(SEATS)
    even = kuns_agents.exploitability(PlayedPolicy(plain, reads), rules)
    assert got.exploitability != pytest.approx(even.exploitability, abs=1e-6)
