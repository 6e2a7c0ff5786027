"""Paired differences of agents: by hand, and by what is known of them."""

from __future__ import annotations

import math
import statistics
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest

from evaluations import duels, made_up
from kuns_agents import load
from kuns_env import KunkenRules, KunsRules
from kuns_training.arena.differences import differences, holm, p_value
from kuns_training.arena.interval import Estimate, t_quantile
from kuns_training.arena.schedule import Match
from kuns_training.evaluate import evaluate


def test_a_difference_by_hand() -> None:
    """Two of a table of three: the blocks differ by 2, 3 and 1."""
    table = {0: {0: [3, 5, 4], 1: [1, 2, 3], 2: [-4, -7, -7]}}
    found = differences(made_up(table, 3, 3))
    assert [(each.agent, each.other) for each in found] == [("a", "b"), ("a", "c"), ("b", "c")]
    lead = found[0].payoff
    error = 1 / math.sqrt(3)
    half = 4.302652729911275 * error  # Student's t at 95 %, two degrees of freedom
    assert (lead.mean, lead.std_error) == (2, pytest.approx(error))
    assert (lead.low, lead.high) == (pytest.approx(2 - half), pytest.approx(2 + half))
    assert found[0].same_opponents is None  # each met the other
    assert not found[0].is_clear


def test_who_won_more_is_named_first() -> None:
    (found,) = differences(made_up(duels({(0, 1): [-2, -1, -3]}), 2))
    assert (found.agent, found.other, found.payoff.mean) == ("b", "a", 4)
    assert found.payoff.low < found.payoff.mean < found.payoff.high


def test_what_cards_do_to_both_drops_out() -> None:
    luck = [50, -20, 10, 3]
    table = {0: {0: [each + 1 for each in luck], 1: luck, 2: [-2 * each - 1 for each in luck]}}
    lead = differences(made_up(table, 3, 3))[0].payoff
    assert (lead.mean, lead.std_error) == (1, 0)
    assert differences(made_up(table, 3, 3))[0].is_clear


def test_blocks_of_different_size_by_hand() -> None:
    hands, one, other = [2, 5, 3], [4, 1, 7], [1, 3, 1]
    table = {0: {0: one, 1: other, 2: [0, 0, 0]}}
    lead = differences(made_up(table, 3, 3, hands))[0].payoff
    assert lead.mean == pytest.approx((sum(one) - sum(other)) / sum(hands))
    moved = [
        (Fraction(x - y) - Fraction(sum(one) - sum(other), sum(hands)) * h) / sum(hands)
        for x, y, h in zip(one, other, hands, strict=True)
    ]
    assert lead.std_error == pytest.approx(math.sqrt(Fraction(3, 2) * sum(each**2 for each in moved)))


def test_same_opponents_are_those_that_both_met() -> None:
    lead = {(0, 1): [9, 7], (0, 2): [1, 2], (0, 3): [3, 5], (1, 2): [0, 1], (1, 3): [1, 1], (2, 3): [4, 4]}
    found = differences(made_up(duels(lead), 4))
    first = found[0]
    assert (first.agent, first.other) == ("a", "b")
    # Against c and d: 4 and 7 chips in two hands a block, against 1 and 2.
    assert first.same_opponents is not None
    assert first.same_opponents.mean == pytest.approx((11 - 3) / 4)
    differ = [(4 - 1) / 4, (7 - 2) / 4]
    assert first.same_opponents.std_error == pytest.approx(
        math.sqrt(2) * statistics.pstdev(differ) * math.sqrt(2)
    )
    # In all that they played: the match of the two counts twice.
    assert first.payoff.mean == pytest.approx((2 * 16 + 8) / 6)


def test_agents_of_tables_meet_the_same_only_where_all_others_are_the_same() -> None:
    matches = [
        Match(((0, 2, 3),), (0, 2, 3)),
        Match(((3, 1, 2),), (1, 2, 3)),
        Match(((0, 1, 3),), (0, 1, 3)),
    ]
    won = {0: {0: [2, 4], 2: [0, 0], 3: [0, 0]}, 1: {1: [1, 1], 2: [0, 0], 3: [0, 0]}}
    won[2] = {0: [5, 5], 1: [7, 7], 3: [0, 0]}
    found = {(each.agent, each.other): each for each in differences(made_up(won, 4, 3, matches=matches))}
    same = found["a", "b"].same_opponents if ("a", "b") in found else found["b", "a"].same_opponents
    assert same is not None
    assert abs(same.mean) == 2  # (2 + 4) / 2 - 1; the third match, at one table, says nothing of it


def test_an_agent_without_all_its_results_is_left_out() -> None:
    won = duels({(0, 1): [1, 2], (0, 2): [1, 2], (1, 2): [1, 2]})
    del won[2]
    assert differences(made_up(won, 3)) == ()
    table = {0: {0: [1, 2], 1: [0, 1], 2: [0, 0]}}
    assert len(differences(made_up(table, 4, 3, matches=[Match(((0, 1, 2),), (0, 1, 2))]))) == 3


@pytest.mark.parametrize(
    "rules", [KunsRules.duel(), KunsRules.anted(3), KunsRules.anted(4), KunkenRules.mini()]
)
def test_differences_of_real_matches_are_those_of_their_means(rules: KunsRules | KunkenRules) -> None:
    names = ("greedy", "thrifty", "random") if rules.game == "kunken" else ("call", "equity", "fold")
    found = evaluate([load(name) for name in names], rules, 60, seed=2, block_deals=7)
    means = {result.agent: result.payoff.mean for result in found.overall or found.results}
    for each in differences(found):
        assert each.payoff.mean == pytest.approx(means[each.agent] - means[each.other])
        assert each.payoff.mean >= 0
        assert each.payoff.num_blocks == 9
        assert (each.same_opponents is None) == (rules.num_players == 3)


def test_p_values_are_those_of_the_intervals() -> None:
    for degrees in (1, 2, 9, 199):
        for confidence in (0.5, 0.95, 0.999):
            edge = Estimate(t_quantile(degrees, confidence), 0, 0, 1, 1, degrees + 1)
            assert p_value(edge) == pytest.approx(1 - confidence, abs=1e-9)
    assert p_value(Estimate(0, 0, 0, 0, 1, 5)) == 1
    assert p_value(Estimate(1, 1, 1, 0, 1, 5)) == 0


def slow_holm(p_values: list[float], level: float) -> set[int]:
    """The procedure word by word: reject while the smallest p-value is small enough for those that remain."""
    hypotheses = {(place, 0): p / 2 for place, p in enumerate(p_values)}
    hypotheses |= {(place, 1): 1 - p / 2 for place, p in enumerate(p_values)}
    rejected = set()
    while hypotheses:
        smallest = min(hypotheses, key=lambda each: hypotheses[each])
        if hypotheses[smallest] > level / len(hypotheses):
            break
        rejected.add(smallest)
        del hypotheses[smallest]
    assert all(direction == 0 for _, direction in rejected)
    return {place for place, _ in rejected}


def test_holm_rejects_what_the_procedure_rejects() -> None:
    rng = np.random.default_rng(1)
    for _ in range(300):
        p_values = (rng.random(6) ** 6).round(4).tolist()
        adjusted = holm(p_values, 12)
        for level in (0.01, 0.05, 0.2):
            assert {place for place, p in enumerate(adjusted) if p <= level} == slow_holm(p_values, level)
    assert holm([0.04], 2) == [0.04]  # two agents: nothing is corrected
    for order in permutations([0.01, 0.02, 0.03]):
        assert sorted(holm(order, 6)) == pytest.approx([0.03, 0.05, 0.06])
