"""Losses of a policy: they add up to what the best reply wins more, exactly, and name what is wrong."""

from __future__ import annotations

import numpy as np
import pytest

import kuns_agents
from kuns_agents.exact.duel import DEALER, LEFT, duel, to_strategy, to_table
from kuns_agents.exact.exploitability import exploitability, tables_of
from kuns_agents.exact.losses import CALLS, FOLDS, HIGH, LOW, Losses, losses
from kuns_agents.exact.response import respond, value_of
from kuns_agents.exact.solve import solve
from kuns_agents.exact.table import TablePolicy, num_ante_rows, uniform
from kuns_env import KunsRules

RULES = {
    "tiny": KunsRules.tiny(),
    "duel": KunsRules.duel(),
    "blind": KunsRules.from_dict(KunsRules.duel().to_dict() | {"dealer_sees_hand": False}),
    "one ante": KunsRules(num_players=2, forced_ante=1, ante_menu=(3,), side_bets=False),
}


def drawn(rules: KunsRules, seed: int) -> TablePolicy:
    """Return a policy of drawn probabilities, some of them 0 and 1."""
    rng = np.random.default_rng(seed)
    even = uniform(rules)
    calls = np.clip(rng.normal(0.5, 0.5, even.calls.shape), 0, 1)
    antes = rng.dirichlet(np.ones(even.antes.shape[1]), num_ante_rows(rules, even.space))
    return TablePolicy(rules, calls, antes)


def total(found: Losses) -> float:
    return sum(spot.loss for spot in found.spots)


@pytest.mark.parametrize("reference", ["best reply", "another policy"])
@pytest.mark.parametrize("name", RULES)
def test_losses_telescope(name: str, reference: str) -> None:
    """All losses together are what the reference wins more, to the last bit but a few."""
    table = drawn(RULES[name], 1)
    standard = None if reference == "best reply" else drawn(RULES[name], 2)
    found, game, own = losses(table, standard), duel(table.rules), to_strategy(table)
    for position in (LEFT, DEALER):
        response = respond(game, 1 - position, own)
        other = to_strategy(table)
        other.sides[1 - position][:] = response.calls
        other.antes = own.antes if response.antes is None else response.antes
        if standard is None:
            won = respond(game, position, other).value
        else:
            won = value_of(game, position, to_strategy(standard), other)
        assert found.values[position] == pytest.approx(-response.value, abs=1e-12)
        assert found.reference_values[position] == pytest.approx(won, abs=1e-12)
        assert found.total(position) == pytest.approx(won - found.values[position], abs=1e-12)
        assert abs(found.total(position)) > 1e-4


def test_an_equilibrium_loses_nothing_to_speak_of_to_another() -> None:
    rules = KunsRules.tiny()
    one, other = (solve(rules, 1e-4, algorithm=algorithm).table for algorithm in ("dcfr", "cfr+"))
    assert 0 < total(losses(one, other)) < 1e-3
    assert losses(one, one).spots == ()
    # Against the best reply to a best response it does, though no opponent can exploit it.
    assert total(losses(one)) > 0.05


def test_losses_are_no_less_than_the_gain_beyond_the_value_of_the_game() -> None:
    solution = solve(KunsRules.duel(), 1e-3)
    low, high = solution.last.low, solution.last.high
    for name in ("call", "cautious", "equity"):
        _, (table,) = tables_of(kuns_agents.load(name), KunsRules.duel())
        found, gains = losses(table, solution.table), exploitability(table).best_response_values
        assert found.total(DEALER) >= gains[LEFT] + low
        assert found.total(LEFT) >= gains[DEALER] - high


def test_the_reference_has_the_same_rules() -> None:
    with pytest.raises(ValueError, match="same rules"):
        losses(uniform(KunsRules.duel()), uniform(KunsRules.tiny()))


@pytest.mark.parametrize(
    ("agent", "position", "kind"), [("fold", DEALER, FOLDS), ("call", DEALER, LOW), ("call", LEFT, CALLS)]
)
def test_what_is_wrong_is_named(agent: str, position: int, kind: str) -> None:
    _, (table,) = tables_of(kuns_agents.load(agent), KunsRules.duel())
    spots = [spot for spot in losses(table).spots if spot.position == position]
    assert spots[0].kind == kind
    assert {spot.kind for spot in spots} <= ({FOLDS} if agent == "fold" else {CALLS, LOW})


def test_a_changed_hand_is_found() -> None:
    """Of an equilibrium that folds one hand that it should call, the worst is that fold."""
    rules = KunsRules.tiny()
    solution = solve(rules, 1e-4).table
    strategy, game = to_strategy(solution), duel(rules)
    hand = int(game.space.order[-1])  # the best of five
    strategy.sides[DEALER][2] = strategy.sides[DEALER][2].copy()
    strategy.sides[DEALER][2][hand, :] = 0
    worst = losses(to_table(rules, strategy), solution).spots[0]
    assert (worst.position, worst.round, worst.kind) == (DEALER, 3, FOLDS)
    assert worst.hands[0] == game.space.nodes[2][hand]
    assert (worst.plays[0], worst.better[0]) == (0, 1)


def test_antes_too_high_and_too_low() -> None:
    rules = KunsRules.duel()
    strategy = to_strategy(solve(rules, 1e-3).table)
    for column, kind in ((0, LOW), (3, HIGH)):
        strategy.antes = np.zeros_like(strategy.antes)
        strategy.antes[:, column] = 1
        spots = [spot for spot in losses(to_table(rules, strategy)).spots if spot.round == 0]
        assert [spot.kind for spot in spots] == [kind]
        assert (spots[0].plays == rules.ante_menu[column]).all()
        assert spots[0].ante is None
        assert set(spots[0].better.tolist()) <= set(rules.ante_menu) - {rules.ante_menu[column]}


def test_spots_are_sorted_and_hold_the_worst_hand_first() -> None:
    found = losses(drawn(KunsRules.tiny(), 2))
    assert (np.diff([spot.loss for spot in found.spots]) <= 0).all()
    assert all((np.diff(spot.losses) <= 1e-11).all() and spot.losses[-1] > 0 for spot in found.spots)
