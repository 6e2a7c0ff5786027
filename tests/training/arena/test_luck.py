"""Luck in an arena: adjusted means are those of the payoffs, and known better; all of it in whole numbers."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kuns_agents import exploitability, load
from kuns_agents.drawing import draw_moves
from kuns_agents.exact.duel import DEALER, LEFT, duel, to_strategy
from kuns_agents.exact.response import value_of
from kuns_env import KunkenRules, KunsRules, Views
from kuns_training.arena import plan as planning
from kuns_training.arena.evaluation import Evaluation
from kuns_training.arena.findings import with_looks
from kuns_training.arena.interval import Estimate
from kuns_training.arena.luck import LuckError, ValueFunction, has_dice, known_policy, luck_by, value_function
from kuns_training.arena.luck_tables import worth
from kuns_training.arena.manifest import read_manifest
from kuns_training.arena.outputs import JSON
from kuns_training.arena.pictures import cross, title_of
from kuns_training.arena.plan import make_plan
from kuns_training.arena.ranking import ranking
from kuns_training.arena.ratings import games
from kuns_training.arena.report import to_json, to_text
from kuns_training.arena.statistics import LUCK, counted
from kuns_training.arena.tidy import rows
from kuns_training.arena.tournament import plan_tournament, play_tournament
from kuns_training.evaluate import evaluate

DUEL = KunsRules.duel()


class Dice:
    """Moves drawn at random; what it says of its dice may be true or not."""

    def __init__(self, name: str, true: Any = None, said: Any = None) -> None:
        self.name, self.true, self.said = name, true or even, said

    def act(self, views: Views, rng: np.random.Generator) -> Any:
        return draw_moves(self.true(views), rng)

    def supports(self, rules: Any) -> str | None:
        return None


class Open(Dice):
    """One that says how it plays."""

    reads = "multiset"

    def policy(self, views: Views) -> Any:
        return (self.said or self.true)(views)


def even(views: Views) -> np.ndarray:
    return views.masks / views.masks.sum(axis=1, keepdims=True)


def first(views: Views) -> np.ndarray:
    """The first legal move nine times out of ten."""
    best = views.masks.argmax(axis=1)
    out = even(views) / 10
    out[np.arange(len(views)), best] += 0.9
    return out


@lru_cache
def played(names: tuple[str, ...], rules: KunsRules, num_deals: int, luck: bool = True) -> Evaluation:
    return evaluate([load(name) for name in names], rules, num_deals, seed=5, luck=luck)


def exact_value(one: str, other: str) -> float:
    """What ``one`` wins from ``other`` in a hand of `KunsRules.duel`."""
    tables = [to_strategy(exploitability(load(name)).tables[0]) for name in (one, other)]
    return sum(value_of(duel(DUEL), position, *tables) for position in (LEFT, DEALER)) / 2


@pytest.mark.parametrize(
    ("one", "other", "narrower"),
    [("equity", "cautious", 2.5), ("equilibrium", "call", 4), ("random", "cautious", 1.1)],
)
def test_adjusted_mean_is_the_exact_value(one: str, other: str, narrower: float) -> None:
    result = played((one, other), DUEL, 8_000).results[0]
    assert result.adjusted is not None
    off = (result.adjusted.mean - exact_value(one, other)) / result.adjusted.std_error
    assert abs(off) < 3.5
    assert result.payoff.std_error > narrower * result.adjusted.std_error
    assert result.saved == pytest.approx(1 - (result.adjusted.std_error / result.payoff.std_error) ** 2)


def test_equilibrium_against_itself_has_no_luck_left() -> None:
    """In one seating: in both together even the payoffs cancel."""
    from kuns_agents.luck.duel import duel_luck
    from kuns_training.arena.games import Sitting, Span, play_deals

    agent = load("equilibrium")
    counts = play_deals(DUEL, Sitting((agent, agent), (0, 0)), 3, Span(0, 2000), luck=duel_luck(DUEL))
    names = counted(DUEL)
    won = counts[:, names.index("payoff")] * 1024
    assert won.std() > 1e6
    assert np.abs(won - counts[:, names.index(LUCK)]).max() <= 1


TABLES = {
    "four, anted": (KunsRules.anted(4), ("equity", "cautious", "call", "random"), 0.2),
    "four, side bets": (KunsRules(), ("equity", "cautious", "call", "random"), 0.3),
    "heads-up, side bets": (KunsRules(2), ("equity", "random"), 0.3),
    "heads-up, four hands": (KunsRules.duel(num_hands=4), ("equity", "cautious"), 0.5),
    "before the deal": (KunsRules.duel(dealer_sees_hand=False), ("equity", "random"), 0.1),
}


@pytest.mark.parametrize("name", TABLES)
def test_luck_has_mean_zero_and_takes_variance_with_it(name: str) -> None:
    rules, names, least = TABLES[name]
    found = played(names, rules, 3_000)
    for result in found.results:
        assert result.luck is not None
        assert result.adjusted is not None
        assert abs(result.luck.mean) < 4 * result.luck.std_error
        assert result.luck.std_error > 0
        assert result.payoff.mean - result.luck.mean == pytest.approx(result.adjusted.mean, abs=1e-9)
    saved = [result.saved or 0.0 for result in found.results]
    assert min(saved) > -0.1
    assert np.mean(saved) > least


def test_payoffs_are_the_same_with_luck_and_without() -> None:
    names, rules = ("equity", "random"), DUEL
    with_luck, without = played(names, rules, 3_000), played(names, rules, 3_000, luck=False)
    for number, sums in without.sums.items():
        for agent, plain in sums.items():
            other = with_luck.sums[number][agent].blocks
            assert np.array_equal(plain.blocks[:, :-1], other[:, :-1])
            assert not plain.blocks[:, -1].any()
            assert other[:, -1].any()
    assert counted(rules)[-1] == LUCK
    assert without.results[0].adjusted is None
    assert without.luck is None


def test_whole_numbers_do_not_depend_on_what_is_played_together(monkeypatch: pytest.MonkeyPatch) -> None:
    together = played(("equity", "cautious"), DUEL, 3_000)
    monkeypatch.setattr(planning, "CHUNK", 700)
    apart = evaluate([load("equity"), load("cautious")], DUEL, 3_000, seed=5, luck=True)
    for number, sums in together.sums.items():
        for agent, each in sums.items():
            assert each.blocks.dtype == np.int64
            assert each.blocks.tobytes() == apart.sums[number][agent].blocks.tobytes()


# --- whose dice are known ---------------------------------------------------------------------------------


def some_views(rules: KunsRules = DUEL, num: int = 30) -> Views:
    from kuns_env import Batch

    return Batch(rules, num, seed=1).views()


def leave(views: Views) -> None:
    raise SystemExit(0)


def test_reads_may_be_anything() -> None:
    odd = Open("odd")
    odd.reads = np.arange(2)  # type: ignore[assignment]
    assert not has_dice(odd)


def test_nobody_is_asked_for_a_policy_where_time_is_limited() -> None:
    asked = []

    def said(views: Views) -> np.ndarray:
        asked.append(len(views))
        return even(views)

    for limit in (10.0, None):
        found = evaluate([Open("a", said=said), load("call")], DUEL, 6, seed=3, luck=True, time_limit=limit)
        assert found.results[0].luck is not None
        assert bool(asked) == (limit is None)


def test_policies_that_are_not_known_are_left_out() -> None:
    views = some_views()
    closed, forgetful = Dice("closed"), Open("remembers")
    forgetful.reads = "all hands"
    for agent in (load("equity"), closed, forgetful):
        assert not has_dice(agent)
    assert has_dice(load("random"))
    assert known_policy(Open("raises", said=lambda views: 1 / 0), views) is None
    assert known_policy(Open("shape", said=lambda views: even(views)[:, :3]), views) is None
    assert known_policy(Open("leaves", said=leave), views) is None
    assert np.array_equal(known_policy(load("random"), views), even(views))


@pytest.mark.parametrize("wrong", [np.nan, -0.1, 0.9, np.inf])
def test_rows_that_are_no_policy_are_left_out(wrong: float) -> None:
    def said(views: Views) -> np.ndarray:
        policy = even(views)
        policy[3, 2] = wrong
        return policy

    known = known_policy(Open("wrong", said=said), some_views())
    assert known is not None
    assert not known[3].any()
    assert known[[2, 4]].sum(axis=1) == pytest.approx(np.ones(2))


def test_dice_count_where_they_are_told_only() -> None:
    cards = evaluate([Dice("a"), Dice("b", first)], DUEL, 4_000, seed=6, luck=True).results[0]
    both = evaluate([Open("a"), Open("b", first)], DUEL, 4_000, seed=6, luck=True).results[0]
    assert cards.payoff == both.payoff
    assert cards.luck is not None
    assert both.luck is not None
    assert cards.luck != both.luck
    assert abs(cards.luck.mean) < 4 * cards.luck.std_error
    assert abs(both.luck.mean) < 4 * both.luck.std_error
    assert both.adjusted is not None
    assert cards.adjusted is not None
    assert both.adjusted.std_error < cards.adjusted.std_error


def test_who_lies_about_its_dice_is_found() -> None:
    found = evaluate([Open("liar", first, even), load("cautious")], DUEL, 4_000, seed=7, luck=True)
    assert found.results[0].is_doubtful
    assert to_text(found).count("In doubt: the luck of") == 1  # of a pair, not of both
    honest = played(("equity", "cautious"), DUEL, 8_000)
    assert not any(result.is_doubtful for result in honest.results)


def test_where_one_match_is_in_doubt_all_goes_by_plain_means() -> None:
    agents = [Open("liar", first, even), load("cautious"), load("random")]
    found = evaluate(agents, DUEL, 4_000, seed=7, luck=True)
    plain = replace(found, luck=None)
    assert found.results[-1].is_doubtful is False  # cautious and random are honest
    assert not found.is_adjusted
    assert ranking(found) == ranking(plain)
    assert list(games(found)) == list(games(plain))
    cells, plain_cells = (cross(each, ["liar", "cautious", "random"]) for each in (found, plain))
    assert np.array_equal(cells, plain_cells, equal_nan=True)
    assert title_of(found) == "chips per hand, plain"
    assert title_of(replace(found, results=(), overall=())) == "chips per hand, luck adjusted"
    text = to_text(found)
    assert text.index("In doubt: the luck of liar") < text.index("Ranking by chips per hand, plain, against")
    data = json.loads(to_json(found))
    assert data["ranking"]["means"] == "plain"
    assert {"agent": "liar", "opponents": ["cautious"]} in data["in_doubt"]
    assert [row.agent for row in rows(found) if row.table == "in_doubt"] == ["liar"] * len(found.doubts)


def test_a_look_goes_by_plain_means_where_something_is_in_doubt() -> None:
    agents = [Open("liar", first, even), load("cautious")]
    found = evaluate(agents, DUEL, 8_000, seed=7, until=0.15, luck=True)
    assert found.looks is not None
    assert found.doubts
    assert found.looks.is_reached == (found.results[0].payoff.half_width <= 0.15)
    widths = [(result.adjusted or result.payoff).half_width for result in found.results]
    assert max(widths) < found.results[0].payoff.half_width
    between = replace(found, looks=None)
    plan = make_plan(
        found.agents, DUEL, 8_000, 7, until=(max(widths) + found.results[0].payoff.half_width) / 2
    )
    plan = replace(plan, looks=(1, found.num_blocks), num_deals=found.num_deals)
    judged = with_looks(plan, between, plan.half_width or 0.0).looks
    assert judged is not None
    assert not judged.is_reached


class Fails(Open):
    """Gives no move in the second round when it holds a low card first of all."""

    def act(self, views: Views, rng: np.random.Generator) -> Any:
        moves = super().act(views, rng)
        own = views.records["hole"][np.arange(len(views)), views.seats, 0]
        moves[(views.records["round"] == 2) & (own < 12)] = -1
        return moves


@pytest.mark.parametrize("rules", [DUEL, KunsRules.anted(3)])
def test_cards_count_in_games_that_end_by_a_fault(rules: KunsRules) -> None:
    agents = [Fails("fails"), *(load("random") for _ in range(rules.num_players - 1))]
    found = evaluate(agents, rules, 4_000, seed=8, luck=True)
    assert found.num_disqualified["fails"] > 500
    luck = found.results[0].luck
    assert luck is not None
    assert abs(luck.mean) < 4 * luck.std_error


# --- what is told -----------------------------------------------------------------------------------------


def test_plan_names_the_value_function() -> None:
    names = [load("equity"), load("cautious")]
    found = evaluate(names, DUEL, 100, seed=1, luck=True)
    assert found.luck == value_function(DUEL)
    assert make_plan(found.agents, DUEL, 100, 1, luck=True).luck == found.luck
    other = ValueFunction(found.luck.name if found.luck else "", "0" * 64)
    with pytest.raises(LuckError, match="SHA-256 0000"):
        luck_by(DUEL, other)


def test_kunken_counts_the_cards_drawn() -> None:
    found = evaluate([load("greedy"), load("thrifty")], KunkenRules.mini(), 1_000, seed=2, luck=True)
    result = found.results[0]
    assert found.luck is not None
    assert found.luck.name == "cards drawn"
    assert result.luck is not None
    assert result.saved is not None
    assert abs(result.luck.mean) < 4 * result.luck.std_error
    assert 0 < result.saved < 0.4


def test_json_csv_and_text_hold_both_means() -> None:
    found = played(("equity", "cautious", "random"), DUEL, 3_000)
    data = json.loads(to_json(found))
    assert data["luck"]["sha256"] == found.luck.sha256 if found.luck else False
    first_result = found.results[0]
    assert first_result.adjusted is not None
    told = data["results"][0]
    assert told["luck_adjusted"]["mean"] == first_result.adjusted.mean
    assert told["variance_saved"] == first_result.saved
    assert told["chips_per_hand"]["mean"] == first_result.payoff.mean
    figures = {(row.table, row.agent, row.against, row.figure): row.mean for row in rows(found)}
    assert figures["result", "equity", "cautious", "luck_adjusted"] == first_result.adjusted.mean
    text = to_text(found)
    assert "luck adjusted" in text
    assert "worth" in text
    assert "judged by equilibrium" in text


def test_ranks_and_leads_are_those_without_luck() -> None:
    found = played(("equity", "cautious", "random"), DUEL, 3_000)
    means = {result.agent: result.adjusted for result in found.overall}
    for standing in ranking(found).standings:
        assert standing.payoff == means[standing.agent]
    plain = ranking(replace(found, luck=None))
    lead, plain_lead = (each.between("equity", "cautious").payoff for each in (ranking(found), plain))
    assert lead.std_error < plain_lead.std_error


def test_looks_ask_for_the_adjusted_means() -> None:
    agents = [load("equity"), load("cautious")]
    found = evaluate(agents, DUEL, 40_000, seed=9, until=0.05, luck=True)
    assert found.looks is not None
    assert found.looks.is_reached
    adjusted = found.results[0].adjusted
    assert adjusted is not None
    assert adjusted.half_width <= 0.05 < found.results[0].payoff.half_width


def test_nothing_to_save_is_said_so() -> None:
    result = played(("fold", "call"), DUEL, 200).results[0]
    assert result.payoff.std_error == 0
    assert result.saved is None
    assert worth(result.saved) == "-"
    flat = Estimate(0.0, 0.0, 0.0, 0.0, 10, 5)
    assert replace(result, payoff=Estimate(0.0, -1, 1, 0.5, 10, 5), adjusted=flat).saved == 1


def test_two_processes_count_the_same_luck(tmp_path: Path) -> None:
    plan = plan_tournament(["random", "equity", "cautious"], KunsRules.anted(3), 300, 4, luck=True)
    plan = replace(plan, chunk_deals=100)
    for jobs in (1, 2):
        found = play_tournament(plan, tmp_path / str(jobs), num_jobs=jobs)
        assert found.results[0].luck is not None
        assert found.results[0].luck.mean != 0
    one, two = ((tmp_path / jobs / JSON).read_bytes() for jobs in "12")
    assert one == two
    assert value_function(KunsRules.anted(3)) == read_manifest(tmp_path / "1" / "manifest.json").luck
