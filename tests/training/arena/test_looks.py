"""Stopping at a wanted precision: looked at only where the plan says, and honest about it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from kuns_env import KunsRules
from kuns_training.arena import plan as module
from kuns_training.arena import report
from kuns_training.arena.entries import Entry
from kuns_training.arena.interval import t_quantile
from kuns_training.arena.plan import looks_of, make_plan
from kuns_training.evaluate import evaluate
from stub_agents import Stub, by_cards, highest, lowest_call

DUEL = KunsRules.duel()


def found_until(until: float, num_deals: int = 4000, **options: Any) -> Any:
    return evaluate([by_cards(1), by_cards(2)], DUEL, num_deals, 3, until=until, block_deals=10, **options)


def wanted() -> float:
    """A half width that a few more blocks than at the first look are needed for."""
    return 0.6 * widest(found_until(100.0).results)


def widest(results: Any) -> float:
    return max(float(result.payoff.half_width) for result in results)


def test_play_stops_at_a_look_of_the_plan() -> None:
    until = wanted()
    found = found_until(until)
    assert found.looks.num_blocks == (50, 100, 200, 400)
    assert found.looks.is_reached
    assert 1 < found.looks.num_taken < 4
    assert found.num_blocks == found.looks.num_blocks[found.looks.num_taken - 1]
    assert found.num_deals == 10 * found.num_blocks
    assert found.num_hands == 2 * found.num_deals
    assert widest(found.results) <= until
    # At the look before it was not known that well.
    before = found_until(until, 10 * found.looks.num_blocks[found.looks.num_taken - 2])
    assert not before.looks.is_reached


def test_play_stops_at_the_first_look_or_when_the_deals_run_out() -> None:
    assert found_until(100.0).looks.num_taken == 1
    last = found_until(0.001)
    assert (last.looks.num_taken, last.looks.is_reached, last.num_deals) == (4, False, 4000)


def test_what_was_played_is_what_a_fixed_number_of_deals_plays() -> None:
    found = found_until(wanted())
    fixed = evaluate([by_cards(1), by_cards(2)], DUEL, found.num_deals, 3, block_deals=10)
    for one, other in zip(found.results, fixed.results, strict=True):
        assert one.payoff.mean == other.payoff.mean
        assert one.payoff.std_error == other.payoff.std_error
        # The interval pays for the looks that could have been.
        degrees = found.num_blocks - 1
        wider = t_quantile(degrees, 1 - 0.05 / 4) / t_quantile(degrees, 0.95)
        assert one.payoff.half_width == pytest.approx(other.payoff.half_width * wider)


def test_an_interval_of_a_sequential_run_holds_the_truth_often_enough() -> None:
    """Both call to the end: nobody wins on average. Play stops when it looks precise, which favours small errors."""
    agents = [Stub("low", lowest_call), Stub("high", highest)]
    inside = 0
    for seed in range(100):
        found = evaluate(agents, DUEL, 400, seed, until=2.0, block_deals=1)
        inside += found.results[0].payoff.low <= 0 <= found.results[0].payoff.high
    assert inside >= 91


def test_it_is_marked_in_text_and_json() -> None:
    found = found_until(wanted())
    text = report.to_text(found)
    assert (
        f"Sequential: stopped at look {found.looks.num_taken} of at most 4 (after 50, 100, 200, 400" in text
    )
    assert "98.75 %" in text
    data = json.loads(report.to_json(found))
    assert data["looks"]["num_blocks"] == [50, 100, 200, 400]
    assert data["looks"]["is_reached"] is True
    assert data["confidence"] == 1 - 0.05 / 4
    assert json.loads(report.to_json(evaluate([by_cards(1), by_cards(2)], DUEL, 50, 1)))["looks"] is None
    assert "without all means known" in report.to_text(found_until(0.001))


def test_at_tables_the_means_over_all_tables_count() -> None:
    agents, rules = [by_cards(salt) for salt in range(4)], KunsRules.anted(3)
    first = evaluate(agents, rules, 2000, 1, mode="tables", until=100.0, block_deals=10)
    until = (widest(first.overall) + widest(first.results)) / 2
    assert widest(first.overall) < until
    found = evaluate(agents, rules, 2000, 1, mode="tables", until=until, block_deals=10)
    assert found.looks is not None
    assert (found.looks.is_reached, found.looks.num_taken) == (True, 1)
    assert widest(found.results) > until


@pytest.mark.parametrize("until", [0, -1, True, "0.01", float("nan"), float("inf")])
def test_absurd_widths_are_refused(until: Any) -> None:
    with pytest.raises(ValueError, match="until="):
        found_until(until)


def test_looks_of_few_blocks_and_spans_that_end_at_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    assert looks_of(1) == (1,)
    assert looks_of(50) == (50,)
    assert looks_of(51) == (50, 51)
    monkeypatch.setattr(module, "CHUNK", 64)
    plan = make_plan([Entry("a", "a"), Entry("b", "b")], DUEL, 205, 1, until=0.1, block_deals=2)
    assert plan.stages == [100, 200, 205]
    assert [span.first for span in plan.spans()] == [0, 64, 100, 128, 192, 200]
    assert [span.end for span in plan.spans()][-1] == 205
    assert [unit.span.first for unit in plan.units(100, 200)] == [100, 128, 192]
