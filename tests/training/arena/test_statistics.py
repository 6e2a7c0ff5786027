"""Statistics of a game in an evaluation: against a plain recount, with intervals, in JSON and in tables."""

from __future__ import annotations

import io
import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from rich.console import Console

from kuns_agents import load
from kuns_env import KunkenRules, KunsRules, Table, Views
from kuns_env.engine.game import game_of
from kuns_training.arena import plan as module
from kuns_training.arena import report as evaluate_report
from kuns_training.arena.games import Decision
from kuns_training.arena.schedule import schedule
from kuns_training.arena.statistics import DECISIONS, Sums, counted, statistics_of
from kuns_training.evaluate import evaluate
from recount import recount
from stub_agents import Stub

RULES = {
    "kuns": (KunsRules(num_players=3, num_hands=2), 40),
    "kunken": (KunkenRules(), 10),
    "kunken-mini": (KunkenRules.mini(), 60),
    "three players, two deals": (KunkenRules(num_players=3, hand_size=7, bank_points=25, num_deals=2), 20),
    "four players, penalties": (
        KunkenRules(num_players=4, hand_size=5, bank_points=15, hand_penalty=True),
        20,
    ),
    "five players, wins": (KunkenRules(num_players=5, hand_size=3, bank_points=5, settlement="win"), 20),
}


def by_position(salt: int) -> Stub:
    """An agent without chance that moves as if at random."""

    def choose(views: Views, rng: np.random.Generator) -> np.ndarray:
        places = views.masks * np.arange(1, views.masks.shape[1] + 1)
        key = places.sum(axis=1) * 7 + views.records["num_history"] * 5 + salt
        wanted = key % views.masks.sum(axis=1)
        return (views.masks.cumsum(axis=1) > wanted[:, None]).argmax(axis=1)

    return Stub(f"position {salt}", choose)


def last(views: Views, rng: np.random.Generator) -> np.ndarray:
    """The legal move of the highest number."""
    return views.masks.shape[1] - 1 - views.masks[:, ::-1].argmax(axis=1)


def passive(views: Views, rng: np.random.Generator) -> np.ndarray:
    """Draws, and discards."""
    return np.where(views.masks[:, 0] == 1, 0, last(views, rng))


def played_alone(table: Table, agents: list[Any]) -> Iterator[str]:
    """Yield the moves of ``agents``, one a seat."""
    rng = np.random.default_rng(0)
    while not table.is_over:
        seat = table.to_play
        assert seat is not None
        move = int(agents[seat].act(table.view(seat).views(), rng)[0])
        yield str(game_of(table.rules).move_texts(seat)[move])


def slow(agents: list[Any], seatings: Any, rules: Any, seed: int, num_deals: int) -> list[Counter[str]]:
    """What each agent's deals count for it, one table after the other."""
    counts = [Counter[str]() for _ in agents]
    for deal in range(num_deals):
        for seating in seatings:
            game = game_of(rules)
            found = {name: [0] * rules.num_players for name in (*game.tallies, *game.style_tallies)}
            table = Table(rules, seed, slot=deal)
            decisions = recount(table, played_alone(table, [agents[agent] for agent in seating]), found)
            for seat, agent in enumerate(seating):
                counts[agent].update({name: found[name][seat] for name in found} | {DECISIONS: decisions})
    return counts


@pytest.mark.parametrize("name", RULES)
def test_statistics_are_those_of_single_tables(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rules, num_deals = RULES[name]
    other = load("greedy") if rules.game == "kunken" else load("cautious")
    agents = [by_position(1), other]
    monkeypatch.setattr(module, "CHUNK", 32)  # several of them
    found = evaluate(agents, rules, num_deals, seed=5, block_deals=3)
    results = iter(found.results)
    for match, meeting in zip(schedule(2, rules.num_players), found.meetings, strict=True):
        counts = slow(agents, match.seatings, rules, 5, num_deals)
        for agent in match.measured:
            result = next(results)
            assert result.agent == agents[agent].name
            # Whoever is measured sits once at the table, in every seat.
            assert result.payoff.count == counts[agent]["hands"]
            for statistic in statistics_of(rules):
                estimate, per = result.statistics[statistic.name], counts[agent][statistic.per]
                assert (estimate is None) == (per == 0)
                if estimate is not None:
                    units = game_of(rules).units if statistic.in_units else 1
                    assert estimate.mean == pytest.approx(counts[agent][statistic.name] / per / units)
                    assert estimate.count == per
                if statistic.of_table:
                    assert meeting.statistics[statistic.name] == estimate
    assert next(results, None) is None


@pytest.mark.parametrize("num_players", [2, 3, 4, 5])
def test_everybody_is_dealt_the_same_in_every_seat(num_players: int) -> None:
    rules = KunkenRules(num_players=num_players, num_deals=2, hand_size=16, max_reshuffles=0)
    dealt: dict[tuple[int, int, int], set[tuple[int, ...]]] = {}
    sat: dict[str, Counter[int]] = {}

    def watch(decision: Decision) -> None:
        seat, names = decision.seat, ("one", "two")
        for deal, known in zip(decision.deals.tolist(), decision.views.records, strict=True):
            key = (deal, int(known["hands_done"]), seat)
            cards = (
                known["dealt_one"][seat],
                known["dealt_two"][seat],
                known["first_bank"][0],
                known["dealer"],
            )
            dealt.setdefault(key, set()).add(tuple(map(int, cards)))
        sat.setdefault(names[decision.sitting.agents[seat]], Counter())[seat] += len(decision.deals)

    players = [Stub("one", passive), by_position(1)]
    found = evaluate(players, rules, 3, seed=3, watch=watch)
    assert set(map(len, dealt.values())) == {1}  # one hand for a deal and seat, whoever sat there
    assert len(dealt) == 3 * 2 * num_players
    assert all(set(seats) == set(range(num_players)) for seats in sat.values())
    sessions = 3 * (2 if num_players == 2 else 2 * num_players)
    assert found.num_hands == 2 * sessions


@pytest.mark.parametrize("num_players", [2, 3, 5])
def test_payoffs_of_a_table_sum_to_zero(num_players: int) -> None:
    rules = KunkenRules(num_players=num_players, hand_size=7, bank_points=25)
    agents = [by_position(salt) for salt in range(num_players)]
    found = evaluate(agents, rules, 30, seed=2)
    if num_players > 2:
        assert len(found.meetings) == 1
        assert sum(result.payoff.mean for result in found.results) == pytest.approx(0, abs=1e-9)
        shares = [result.statistics["won"].mean for result in found.results]  # type: ignore[union-attr]
        unwon = found.meetings[0].statistics["unwon"]
        assert unwon is not None
        assert sum(shares) + unwon.mean == pytest.approx(1)


@pytest.mark.parametrize("rules", [KunkenRules.mini(), KunsRules.duel()], ids=["kunken", "kuns"])
def test_an_agent_against_itself_has_the_statistics_of_itself(rules: Any) -> None:
    first, second = evaluate([load("random"), load("random")], rules, 100, seed=1).results
    assert first.payoff.mean == 0
    # All of its hands are played in both seats, so everything is counted alike.
    assert first.statistics == second.statistics


# --- known figures, and none --------------------------------------------------------------------------------


def test_who_only_draws_and_discards_wins_nothing_and_the_deal_is_as_long_as_its_stocks() -> None:
    rules = KunkenRules()
    found = evaluate([Stub("a", passive), Stub("b", passive)], rules, 10, seed=1)
    # N5.1: a stock of 106 - 27 cards; then a turn for each card of the bank but its top.
    first = 106 - 2 * 13 - 1
    turns = first + (first + 1 - 1)
    for result in found.results:
        means = {
            name: None if e is None else (e.mean, e.low, e.high) for name, e in result.statistics.items()
        }
        for name in ("express", "open_turn", "left"):
            assert means.pop(name) is None  # of the deals it won, opened in, or lost: there are none
        assert means == {
            "won": (0, 0, 0),
            "takes": (0, 0, 0),
            **dict.fromkeys(("laid", "opened", "melds", "lay_offs"), (0, 0, 0)),
            "turns": (turns,) * 3,
            "unwon": (1, 1, 1),
            "decisions": (2 * turns,) * 3,
        }
    assert json.loads(evaluate_report.to_json(found))["results"][0]["statistics"]["express"] is None


def test_a_hand_of_call_against_fold() -> None:
    found = evaluate([load("call"), load("fold")], KunsRules.duel(), 20, seed=1)
    shares = [{name: e and e.mean for name, e in result.statistics.items()} for result in found.results]
    call = {"won": 1, "shown": 0, "won_shown": None, "showdowns": 0}
    fold = call | {"won": 0}
    for expected, shown in zip((call, fold), shares, strict=True):
        assert 1 < shown.pop("decisions") <= 3
        assert {name: shown[name] for name in expected} == expected
        rates = {shown[name] for name in shown if name.startswith("folded_")}
        assert rates == ({0, None} if expected is call else {1, None})
        assert shown["payoff_dealer"] == shown["payoff_first"] == (1 if expected is call else -1)
        assert shown["ante_chips"] == 1 + 7 * shown["ante_3"]  # the lowest, or the highest


def test_intervals_narrow_and_hold_the_figure_of_many_deals() -> None:
    agents, rules = [load("greedy"), by_position(3)], KunkenRules.mini()
    truth = evaluate(agents, rules, 1000, seed=77).results[0].statistics
    inside, widths = Counter[str](), []
    for seed in range(20):
        found = evaluate(agents, rules, 40, seed, block_deals=2).results[0].statistics
        for name, estimate in found.items():
            exact = truth[name]
            if estimate is not None and exact is not None:
                inside[name] += estimate.low <= exact.mean <= estimate.high
        widths.append(found["turns"].half_width)  # type: ignore[union-attr]
    for name in ("won", "takes", "laid", "turns", "decisions"):
        assert inside[name] >= 15, name
    assert np.mean(widths) / truth["turns"].half_width == pytest.approx(25**0.5, rel=0.3)  # type: ignore[union-attr]


def test_sums_of_chunks_that_end_within_a_block() -> None:
    rules = KunkenRules()
    counts = np.arange(20 * len(counted(rules))).reshape(20, -1)
    whole = Sums.none_yet(rules, 20, 6)
    whole.add(0, counts)
    parts = Sums.none_yet(rules, 20, 6)
    for start, stop in ((0, 4), (4, 5), (5, 17), (17, 20)):
        parts.add(start, counts[start:stop])
    assert (whole.blocks == parts.blocks).all()
    assert whole.blocks.tolist() == [counts[i : i + 6].sum(axis=0).tolist() for i in (0, 6, 12, 18)]
    assert ((whole + parts).blocks == 2 * whole.blocks).all()


# --- JSON and tables ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("num_players", [2, 3])
def test_json_says_everything(num_players: int) -> None:
    rules = KunkenRules(num_players=num_players, hand_size=7, bank_points=25)
    agents = [load("greedy"), load("random"), by_position(1)]
    found = evaluate(agents, rules, 30, seed=4)
    text = evaluate_report.to_json(found)
    assert text == evaluate_report.to_json(evaluate(agents, rules, 30, seed=4))
    data = json.loads(text)
    assert (data["game"], data["measure"]) == ("kunken", "points_per_deal")
    assert KunkenRules.from_dict(data["rules"]) == rules
    names = [statistic["name"] for statistic in data["statistics"]]
    style = ["opened", "open_turn", "melds", "lay_offs", "left"]
    assert names == ["won", "express", "takes", "laid", "turns", "unwon", *style, "decisions"]
    fields = {"name", "per", "title", "meaning", "is_share", "of_table", "group", "in_units"}
    assert all(set(each) == fields for each in data["statistics"])
    assert [each["name"] for each in data["statistics"] if each["group"]] == style
    ends = {"mean", "low", "high", "std_error", "num_blocks"}
    for result in data["results"] + data["overall"]:
        assert set(result) == {"agent", "opponents", "points_per_deal", "statistics"}
        assert set(result["points_per_deal"]) == ends | {"num_hands"}
        assert list(result["statistics"]) == names
        assert all(each is None or set(each) == ends | {"count"} for each in result["statistics"].values())
    of_table = [each["name"] for each in data["statistics"] if each["of_table"]]
    assert of_table == ["turns", "unwon", "decisions"]
    seats = [match["seats"] for match in data["matches"]]
    labels = [agent["label"] for agent in data["agents"]]
    if num_players == 2:
        assert seats == [["greedy", "random"], ["greedy", "position 1"], ["random", "position 1"]]
        assert len(data["overall"]) == 3
    else:
        assert seats == [labels]
        assert data["overall"] == []
    assert all(list(match["statistics"]) == of_table for match in data["matches"])


def test_kuns_keeps_the_names_of_its_json() -> None:
    data = json.loads(
        evaluate_report.to_json(evaluate([load("call"), load("fold")], KunsRules.duel(), 10, 1))
    )
    assert data["results"][0]["chips_per_hand"]["mean"] == 1
    assert data["results"][0]["chips_per_hand"]["num_hands"] == 20


def printed(found: Any, width: int, style: bool = False) -> str:
    """Return what `kuns evaluate` prints into a terminal of this width."""
    console = Console(file=io.StringIO(), width=width, highlight=False)
    with console.capture() as capture:
        for shown in evaluate_report.tables(found, statistics=True, style=style):
            console.print(shown)
    return capture.get()


@pytest.mark.parametrize("rules", [KunkenRules.mini(), KunsRules.duel(), KunsRules(num_players=4)])
def test_the_style_of_play_is_printed_where_it_is_asked_for(rules: Any) -> None:
    found = evaluate([load("random"), by_position(1)], rules, 20, seed=4)
    assert "Style of play" not in printed(found, 100)
    for width in (50, 100):
        text = printed(found, width, style=True)
        assert all(len(line) <= width for line in text.splitlines())
        for statistic in statistics_of(rules):
            assert all(word in text for word in statistic.title.split())
            if statistic.group:
                assert f"Style of play: {statistic.group}" in text
                share = found.results[0].statistics[statistic.name]
                scale = 100 if statistic.is_share else 1
                assert share is None or f"{share.mean * scale:.1f}" in text
    assert ("side bets" in text) == (rules == KunsRules(num_players=4))
    assert ("elsewhere" in text) == (rules == KunsRules(num_players=4))


@pytest.mark.parametrize("width", [50, 60, 80, 100])
@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_tables_of_statistics_at_any_width(num_players: int, width: int) -> None:
    rules = KunkenRules(num_players=num_players, hand_size=7, bank_points=25)
    agents = [load("greedy"), load("random"), by_position(1)][: 3 if num_players == 3 else 2]
    found = evaluate(agents, rules, 20, seed=4)
    text = printed(found, width)
    assert "…" not in text
    assert all(len(line) <= width for line in text.splitlines())
    for title in ("Points per deal", "Deals of each agent", "Deals of each match"):
        assert title in text
    general = [statistic for statistic in statistics_of(rules) if not statistic.group]
    for statistic in general:
        assert all(word in text for word in statistic.title.split())
    assert f"{found.results[0].payoff.mean:+.2f}" in text  # points are many
    share = (found.overall or found.results)[0].statistics["won"]
    assert share is not None
    assert f"{100 * share.mean:.1f} ± {100 * share.half_width:.1f}" in text
    assert f"{found.num_hands:,} deals played: 20 deals (seed 4)" in text.replace("\n", " ")
    if width >= 80:
        assert all(statistic.title in text for statistic in general)
        assert "won %" in next(line for line in text.splitlines() if "express %" in line)  # side by side


def test_only_what_is_asked_for_is_printed() -> None:
    found = evaluate([load("greedy"), load("random")], KunkenRules.mini(), 20, 1)
    assert "Deals of each" not in str(found)
    assert str(found).startswith("Points per deal")
