"""Clauses that a single short game shows best: K2.3, K3.3, K4.3, K8.5."""

from __future__ import annotations

import dataclasses

import pytest

from kuns_env import KunsRules, Table
from kuns_env.engine.game import game_of
from kuns_env.kuns.state import compile_rules


def test_the_ante_holds_for_all_three_rounds_k3_3() -> None:
    table = Table(KunsRules(num_players=3, side_bets=False), seed=1, options={"dealer": 0})
    table.apply("ante 4")
    for called in range(1, 10):
        assert table.view().to_dict()["ante"] == 4
        seat = table.to_play
        assert table.legal_moves() == ["fold", "call"], "no other amount can be paid"
        table.apply("call")
        known = table.view().to_dict()
        assert known["pot"] == 4 * called
        assert known["paid"][seat] == 4 * ((called + 2) // 3)
    assert table.is_over


@pytest.mark.parametrize("round_", [1, 2, 3])
def test_the_dealer_may_fold_like_anyone_else_k4_3(round_: int) -> None:
    table = Table(KunsRules(num_players=3, side_bets=False), seed=1, options={"dealer": 0})
    table.apply("ante 2")
    for _ in range(round_ - 1):
        for _ in range(3):
            table.apply("call")
    table.apply("call")
    table.apply("call")
    assert (table.to_play, table.legal_moves()) == (0, ["fold", "call"])
    table.apply("fold")
    assert not table.view().to_dict()["in_hand"][0]
    assert table.view().to_dict()["paid"][0] == 2 * (round_ - 1)


def worst_of_always_folding(table: Table, seat: int) -> float:
    """Return the least that ``seat`` can end with if it folds whenever it may, whatever the others do."""
    if table.is_over:
        return float(table.payoffs()[seat])
    legal = table.legal_moves()
    if table.to_play == seat and "fold" in legal:
        legal = ["fold"]
    worst = float("inf")
    for move in legal:
        after = table.clone()
        after.apply(move)
        worst = min(worst, worst_of_always_folding(after, seat))
    return worst


@pytest.mark.parametrize("dealer", [0, 1])
def test_folding_costs_nothing_unless_a_chip_is_forced_k8_5(dealer: int) -> None:
    # Heads-up a player that never loses cannot be exploited: its exploitability is 0.
    free = dataclasses.replace(KunsRules.duel(), forced_ante=0)
    for seed in range(20):
        for seat in (0, 1):
            assert worst_of_always_folding(Table(free, seed, {"dealer": dealer}), seat) == 0
            # Which is why training and benchmarks force one.
            assert worst_of_always_folding(Table(KunsRules.duel(), seed, {"dealer": dealer}), seat) == -1


def test_the_last_hand_stays_as_it_was_when_no_other_can_be_dealt_k2_3() -> None:
    rules = KunsRules(
        num_players=2, num_hands=2, bankroll=1, forced_ante=1, side_bets=False, ante_menu=(1,), max_hands=2
    )
    table = Table(rules, seed=1, options={"dealer": 0})
    deck = table.setup_options()["deck"]
    table.apply("fold")
    assert table.is_over
    assert table.payoffs() == [1.0, -1.0]
    assert (table.dealer, table.setup_options()["deck"]) == (0, deck)
    assert table.view(1).to_dict()["events"] == ["deal 1", "1: fold"]


def test_nothing_is_dealt_where_nobody_can_pay_the_forced_ante_k2_3() -> None:
    rules = KunsRules(forced_ante=5, bankroll=2)
    table = Table(rules, seed=1)
    assert table.is_over
    assert table.payoffs() == [0.0] * 4
    assert not any(table.view(0).to_dict()["cards"])
    # Nothing is left of what a record held before.
    used = Table(KunsRules(), seed=2)
    game_of(rules).start(used._states, 1, 0, 0, None)
    assert used.state.tobytes() == table.state.tobytes()


def test_rules_that_differ_are_compiled_apart() -> None:
    one, other = KunsRules(), KunsRules(no_kuns_zero_is_ten=True)
    assert compile_rules(one).tobytes() != compile_rules(other).tobytes()
    assert compile_rules(one) is compile_rules(KunsRules())
