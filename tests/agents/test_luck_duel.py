"""Luck in heads-up Kuns: its mean is 0 over all deals and all ways to play them; an equilibrium has no other."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest

from kuns_agents.exact.duel import duel, to_strategy
from kuns_agents.exact.equilibrium import solution
from kuns_agents.exact.response import value_of
from kuns_agents.exact.solve import solve
from kuns_agents.exact.table import uniform
from kuns_agents.luck.duel import DuelLuck, duel_luck, rounded, why_not_duel
from kuns_env import KunkenRules, KunsRules
from kuns_env.kuns.moves import ANTE_BASE, CALL, FOLD
from luck_walks import Policy, Walk, all_deals, some_policy

EXACT = 1e-12
DECK = {"num_players": 2, "ranks": (3, 7, 10), "num_suits": 4, "side_bets": False}
RULES = {
    "antes": KunsRules(**DECK, forced_ante=1, ante_menu=(1, 3)),
    "before the deal": KunsRules(**DECK, forced_ante=2, ante_menu=(1, 2), dealer_sees_hand=False),
    "one ante, nothing forced": KunsRules(**DECK, ante_menu=(2,), no_kuns_zero_is_ten=True),
}


@lru_cache
def luck_for(name: str) -> DuelLuck:
    return DuelLuck(solve(RULES[name], 0.05).table, "rough solution")


@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("known", [(0, 1), (1,), ()])
def test_mean_over_every_deal_and_every_move_is_zero(name: str, known: tuple[int, ...]) -> None:
    means = []
    for dealer in (0, 1) if known == (1,) else (0,):
        walk = Walk(RULES[name], luck_for(name), some_policy(11), known)
        walk.go(*all_deals(RULES[name], dealer))
        # The lot of the dealer is luck as well: given the dealer, the mean is what its place is worth.
        assert walk.luck_mean == pytest.approx(place(dealer) * luck_for(name).value, abs=EXACT)
        means.append(walk.luck_mean)
        assert np.abs(walk.payoff_mean).max() > 0.01, "the payoff has another mean"
    if len(means) == 2:
        assert sum(means) == pytest.approx(np.zeros(2), abs=EXACT)


def place(dealer: int) -> np.ndarray:
    """1 for the seat at the left of the dealer, -1 for the dealer."""
    return np.array([1.0, -1.0]) if dealer == 1 else np.array([-1.0, 1.0])


def test_mean_is_zero_where_games_end_by_a_fault() -> None:
    walk = Walk(RULES["antes"], luck_for("antes"), some_policy(5), (0, 1), fails=True)
    walk.go(*all_deals(RULES["antes"], 0))
    assert walk.luck_mean == pytest.approx(place(0) * luck_for("antes").value, abs=EXACT)


class Misled:
    """Luck that is told another policy than that by which moves are drawn."""

    def __init__(self, luck: DuelLuck) -> None:
        self.luck, self.name, self.sha256 = luck, luck.name, luck.sha256
        self.judges_dice = True

    def matters(self, moves: np.ndarray) -> np.ndarray:
        return self.luck.matters(moves)

    def terms(self, states: np.ndarray, moves: np.ndarray, policy: np.ndarray | None) -> np.ndarray:
        assert policy is not None
        return self.luck.terms(states, moves, some_policy(12)(states, np.flatnonzero(policy[0])))


def test_walk_finds_a_policy_that_is_not_how_the_agent_plays() -> None:
    walk = Walk(RULES["antes"], Misled(luck_for("antes")), some_policy(11), (0, 1))
    walk.go(*all_deals(RULES["antes"], 0))
    assert np.abs(walk.luck_mean - place(0) * luck_for("antes").value).max() > 1e-3


def test_walk_finds_a_wrong_mean() -> None:
    luck = DuelLuck(solve(RULES["antes"], 0.05).table, "x")
    luck.tables.called[0][0, 1, 0] += 0.01
    walk = Walk(RULES["antes"], luck, some_policy(11), ())
    walk.go(*all_deals(RULES["antes"], 0))
    assert np.abs(walk.luck_mean - place(0) * luck.value).max() > 1e-6


@pytest.mark.parametrize("name", RULES)
def test_a_table_that_plays_itself_has_no_other_luck(name: str) -> None:
    luck = luck_for(name)
    walk = Walk(RULES[name], luck, table_policy(luck), (0, 1))
    walk.go(*all_deals(RULES[name], 0))
    assert walk.payoff_mean - walk.luck_mean == pytest.approx(np.zeros(2), abs=EXACT)
    assert walk.spread < EXACT


def table_policy(luck: DuelLuck) -> Policy:
    """The table that ``luck`` measures by, as a policy."""
    tables = luck.tables

    def policy(states: np.ndarray, legal: np.ndarray) -> np.ndarray:
        out = np.zeros((len(states), 26))
        seat, round_ = int(states["seat"][0]), int(states["round"][0]) - 1
        is_dealer = int(seat == states["dealer"][0])
        cards = states["hole"][:, seat].astype(np.int64) // 4
        nodes = np.zeros(len(states), np.int64)
        for card in cards.T:
            nodes = np.where(card >= 0, tables.children[nodes, card], nodes)
        places = tables.places[nodes]
        if FOLD in legal:
            ante = int(states["ante_index"][0])
            out[:, CALL] = tables.calls[is_dealer][round_][places, ante]
            out[:, FOLD] = 1 - out[:, CALL]
        else:
            rows = places if len(tables.antes) > 1 else np.zeros(len(states), np.int64)
            out[:, ANTE_BASE : ANTE_BASE + len(legal)] = tables.antes[rows]
        return out

    return policy


@pytest.mark.parametrize("name", RULES)
def test_value_is_that_of_the_table(name: str) -> None:
    table = solve(RULES[name], 0.05).table
    strategy = to_strategy(table)
    assert DuelLuck(table, "x").value == pytest.approx(
        value_of(duel(RULES[name]), 0, strategy, strategy), abs=EXACT
    )


def test_duel_is_measured_by_the_equilibrium_that_ships() -> None:
    luck = duel_luck(KunsRules.duel())
    strategy = to_strategy(solution(KunsRules.duel()).table)
    assert luck.value == pytest.approx(value_of(duel(KunsRules.duel()), 0, strategy, strategy), abs=1e-9)
    assert luck.value == pytest.approx(-0.52, abs=1e-3)
    assert luck.name.startswith("equilibrium")


def test_hash_says_which_table_and_which_rules() -> None:
    rules = KunsRules.tiny()
    made = [
        DuelLuck(uniform(each), "u").sha256
        for each in (rules, rules, KunsRules.tiny(no_kuns_zero_is_ten=True))
    ]
    assert made[0] == made[1] != made[2]
    assert DuelLuck(solve(rules, 0.1).table, "u").sha256 != made[0]


def test_rounding_keeps_probabilities() -> None:
    table = rounded(solve(KunsRules.tiny(), 1e-3).table)
    assert np.array_equal(table.calls * 1024, np.rint(table.calls * 1024))
    assert np.array_equal(table.antes.sum(axis=1), np.ones(len(table.antes)))


def test_other_games_are_refused() -> None:
    assert why_not_duel(KunsRules.duel(num_hands=4)) is None
    for rules, reason in (
        (KunsRules.anted(3), "num_players=3"),
        (KunsRules(2), "side_bets=True"),
        (KunkenRules(), "kunken"),
    ):
        assert reason in str(why_not_duel(rules))
        with pytest.raises(ValueError, match=reason):
            duel_luck(rules)  # type: ignore[arg-type]
