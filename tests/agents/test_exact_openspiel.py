"""`kuns_agents.exploitability` against OpenSpiel's best responses and solver, where OpenSpiel is installed.

OpenSpiel is handed the whole game tree of a small deck, with perfect recall (`oracle.kuns_openspiel`), and works
on it with its own code. It is no dependency of the project: ``pip install open_spiel`` for these checks.
"""

from __future__ import annotations

import numpy as np
import pytest

import kuns_agents
from exact_agents import PlayedPolicy, policy_of
from kuns_agents import HISTORY
from kuns_agents.exact.agent import TableAgent
from kuns_env import KunsRules
from oracle.kuns_exact import Game
from oracle.kuns_openspiel import DEALER, OTHER, KunsTree, strategy
from oracle.kuns_policies import at_random, uniform

pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed")

CLOSE = {"rtol": 0, "atol": 1e-9}
FEW = {"num_players": 2, "side_bets": False, "ranks": (2, 5, 8), "num_suits": 4}
RULES = {
    "one ante": KunsRules(**FEW, forced_ante=1, ante_menu=(1,)),
    "two antes": KunsRules(**FEW, forced_ante=1, ante_menu=(1, 3)),
    "ante before the deal": KunsRules(**FEW, forced_ante=2, ante_menu=(1, 3), dealer_sees_hand=False),
}
NUM_ITERATIONS = 60


@pytest.fixture(scope="module", params=RULES)
def spiel(request):
    """The rules, and the game as OpenSpiel has it."""
    rules = RULES[request.param]
    tree = KunsTree(rules.to_dict())
    return rules, tree, pyspiel.load_efg_game(tree.text())


def best_values(game, policy):
    """Return what OpenSpiel's best responses to ``policy`` win in either position."""
    root = game.new_initial_state()
    return [
        pyspiel.TabularBestResponse(game, player, policy).value_from_state(root) for player in (OTHER, DEALER)
    ]


def symmetric(seed, menu):
    """Return a random policy of the order of the cards that plays alike in both seats."""
    return at_random(seed, menu, lambda asked: (asked.dealer == asked.seat, asked.moves, asked.cards))


@pytest.mark.parametrize("name", ["random", "call", "cautious"])
def test_shipped_agents(spiel, name):
    rules, tree, game = spiel
    agent = kuns_agents.load(name)
    assert_same(agent, spiel, strategy(tree, game, policy_of(agent, rules)))


def test_a_policy_of_the_order_of_the_cards(spiel):
    rules, tree, game = spiel
    policy = symmetric(3, rules.ante_menu)
    assert_same(PlayedPolicy(policy, HISTORY), spiel, strategy(tree, game, policy))


def assert_same(agent, spiel, policy):
    rules, _, game = spiel
    got = kuns_agents.exploitability(agent, rules)
    np.testing.assert_allclose(got.best_response_values, best_values(game, policy), **CLOSE)
    np.testing.assert_allclose(got.exploitability, pyspiel.exploitability(game, policy), **CLOSE)


def test_a_solution_and_the_value_of_the_game(spiel):
    """Our solution holds against OpenSpiel's best responses, and both solvers agree on what the game is worth."""
    rules, tree, game = spiel
    solution = kuns_agents.solve(rules, 1e-5)
    agent = TableAgent(solution.table, "solved")
    policy = strategy(tree, game, policy_of(agent, rules))
    assert_same(agent, spiel, policy)
    assert pyspiel.exploitability(game, policy) < 2e-5
    solver = pyspiel.CFRPlusSolver(game)
    for _ in range(NUM_ITERATIONS):
        solver.evaluate_and_update_policy()
    low, high = (
        sign * value for sign, value in zip((-1, 1), best_values(game, solver.average_policy()), strict=True)
    )
    assert high - low < 2e-2
    assert low - 1e-9 <= solution.last.high
    assert solution.last.low <= high + 1e-9


def test_brute_force_says_the_same(spiel):
    rules, tree, game = spiel
    for policy in (symmetric(4, rules.ante_menu), uniform(rules.ante_menu)):
        brute = Game(rules.to_dict(), dealer=DEALER)
        found = best_values(game, strategy(tree, game, policy))
        for player in (OTHER, DEALER):
            assert float(brute.best_response(player, policy)[0]) == pytest.approx(found[player], abs=1e-12)
