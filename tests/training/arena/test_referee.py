"""Agents that fail: which games end, what they cost, and that all other games go on as if nothing had been."""

from __future__ import annotations

import json
import pickle
import re
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from kuns_agents import load
from kuns_env import KunkenRules, KunsRules, Table, Views
from kuns_env.engine.game import ILLEGAL_FINE, game_of
from kuns_training.arena import referee, report, units
from kuns_training.arena.asking import AgentFailedError, ask
from kuns_training.arena.games import Decision, Sitting, Span, play_deals
from kuns_training.arena.referee import MOST_KEPT, MOST_LATE, MOST_POSITIONS, Place, Referee
from kuns_training.evaluate import evaluate
from stub_agents import Stub, by_cards, highest, lowest_call

DUEL = KunsRules.duel()


def holds_an_ace(views: Views) -> np.ndarray:
    own = views.records["hole"][np.arange(len(views)), views.seats]
    return ((own >= 0) & (own < 4)).any(axis=1)


def with_first(value: Any) -> Callable[[Views, np.random.Generator], Any]:
    """Legal moves, but the move of seat 1 is ``value``."""

    def choose(views: Views, rng: np.random.Generator) -> Any:
        moves = lowest_call(views, rng).astype(np.result_type(type(value)))
        moves[views.seats == 1] = value
        return moves

    return choose


def cheat(views: Views, rng: np.random.Generator) -> np.ndarray:
    """Writes into the mask what it would like."""
    views.masks[:] = 0
    views.masks[:, 9] = 1
    return views.masks.argmax(axis=1)


def leave(views: Views, rng: np.random.Generator) -> Any:
    raise SystemExit(3)


FAILURES = {
    "pass where none is asked": (with_first(10), r"chose move 10 \(pass\), which is not legal"),
    "out of range": (with_first(10_000), "chose move 10000, which is not legal"),
    "negative": (with_first(-1), "chose move -1, which is not legal"),
    "NaN": (lambda views, rng: np.full(len(views), np.nan), "returned nan as its move"),
    "floats": (lambda views, rng: lowest_call(views, rng).astype(float), "moves of type float64"),
    "booleans": (lambda views, rng: views.masks[:, 0] == 1, "moves of type bool"),
    "wrong length": (lambda views, rng: lowest_call(views, rng)[:-1], "an array of shape"),
    "two columns": (lambda views, rng: lowest_call(views, rng)[:, None], "an array of shape"),
    "nothing": (lambda views, rng: None, "an array of shape"),
    "ragged": (lambda views, rng: [[1], [1, 2]], "returned list, no array of moves"),
    "texts": (lambda views, rng: np.array(["call"] * len(views)), "moves of type <U4"),
    "a mask of its own": (cheat, "which is not legal"),
    "raises": (lambda views, rng: {}["strategy"], "raised KeyError: 'strategy'"),
    "exits": (leave, "raised SystemExit: 3"),
}


@pytest.mark.parametrize("name", FAILURES)
def test_failures_are_reported_by_name_and_position(name: str) -> None:
    choose, problem = FAILURES[name]
    found = evaluate([Stub("faulty", choose), load("call"), load("fold")], DUEL, 50, seed=1)
    assert set(found.num_disqualified) == {"faulty"}
    assert 50 <= found.num_disqualified["faulty"] <= 200
    assert len(found.disqualifications) == 2 * MOST_KEPT
    for match in (0, 1):
        told = [each for each in found.disqualifications if each.match == match]
        for each in told:
            assert each.agent == "faulty"
            assert each.seating[each.seat] == "faulty"
            assert 0 <= each.deal < 50
            assert re.search(problem, each.problem)
        for each in told[:MOST_POSITIONS]:
            assert f"seat {each.seat} (you)" in each.position
            assert each.legal
        assert {each.position for each in told[MOST_POSITIONS:]} == {""}
    # All games count, and the failing agent has lost those it failed in.
    assert found.num_hands == 3 * 2 * 50
    assert found.results[0].payoff.mean < 0 < found.results[1].payoff.mean
    data = json.loads(report.to_json(found))
    assert data["num_disqualified"] == found.num_disqualified
    assert data["disqualifications"][0]["agent"] == "faulty"
    assert f"faulty was disqualified from {found.num_disqualified['faulty']} games" in report.to_text(found)


def slow_forfeit(agents: list[Any], fails: Any, rules: Any, seating: tuple[int, ...], deal: int) -> list[int]:
    """Units that each seat wins in a deal, played at a table; ``fails(table)`` says that who is to play fails."""
    table, game = Table(rules, 7, slot=deal), game_of(rules)
    while not table.is_over:
        seat = table.to_play
        if fails(table):
            before = [int(payoff * game.units) for payoff in table.payoffs(exact=True)]
            loss = int(game.at_stake(table._states, np.array([seat]))[0]) + ILLEGAL_FINE * game.units
            share = -(-loss // (rules.num_players - 1))
            return [
                old + (-share * (rules.num_players - 1) if each == seat else share)
                for each, old in enumerate(before)
            ]
        views = table.view(seat).views()
        table.apply(int(agents[seating[seat]].act(views, np.random.default_rng(0))[0]))
    return [int(payoff * game.units) for payoff in table.payoffs(exact=True)]


@pytest.mark.parametrize(
    "rules",
    [
        DUEL,
        KunsRules(num_players=3, num_hands=2, forced_ante=1),
        KunkenRules(num_players=4, hand_size=5, bank_points=15, settlement="win"),
    ],
    ids=["duel", "two hands", "kunken"],
)
def test_a_disqualified_game_is_lost_at_the_price_of_an_illegal_move(rules: Any) -> None:
    def is_bad(views: Views) -> np.ndarray:
        known = np.frombuffer(views.records.tobytes(), np.uint8).reshape(len(views), -1)
        return known.sum(axis=1) % 4 == 0

    def choose(views: Views, rng: np.random.Generator) -> np.ndarray:
        return np.where(is_bad(views), 5000, views.masks.argmax(axis=1))

    faulty = Stub("faulty", choose)
    good = Stub("good", lambda views, rng: views.masks.argmax(axis=1))
    agents = [faulty, *[good] * (rules.num_players - 1)]
    seating = tuple(range(rules.num_players))
    judge = Referee()
    counts = play_deals(rules, Sitting(tuple(agents), seating), 7, Span(0, 30), judge)
    assert 0 < judge.counts[0] <= 30

    def fails(table: Table) -> bool:
        return table.to_play == 0 and bool(is_bad(table.view(0).views())[0])

    payoff = game_of(rules).tallies.index("payoff")
    hands = game_of(rules).tallies.index("hands")
    for deal in range(30):
        expected = slow_forfeit(agents, fails, rules, seating, deal)
        assert counts[deal, payoff].tolist() == expected
        assert sum(expected) == 0
        assert 1 <= counts[deal, hands, 0] <= getattr(rules, "num_hands", 1)


def test_between_two_hands_a_fault_costs_the_fine_and_is_no_hand() -> None:
    rules = KunsRules(num_players=2, num_hands=None, max_hands=4, forced_ante=1)
    stay = game_of(rules).move_ids(0)["stay"]

    def choose(views: Views, rng: np.random.Generator) -> np.ndarray:
        return np.where(views.masks[:, stay] == 1, 5000, views.masks.argmax(axis=1))

    judge = Referee()
    good = Stub("good", lambda views, rng: views.masks.argmax(axis=1))
    counts = play_deals(rules, Sitting((Stub("faulty", choose), good), (0, 1)), 7, Span(0, 10), judge)
    names = game_of(rules).tallies
    assert judge.counts == {0: 10}
    assert (counts[:, names.index("hands")] == 1).all()
    # The forced ante of the one hand, which somebody folded; and the fine.
    lost = counts[:, names.index("payoff"), 0] / game_of(rules).units
    assert set(lost.tolist()) <= {-2.0, 0.0}


def test_who_raised_is_found_among_many_views() -> None:
    def choose(views: Views, rng: np.random.Generator) -> Any:
        own = views.records["hole"][np.arange(len(views)), views.seats]
        if ((own == 0).any(axis=1) & (views.seats == 1)).any():
            raise ZeroDivisionError("the ace of clubs")
        return lowest_call(views, rng)

    found = evaluate([Stub("faulty", choose), load("call")], DUEL, 500, seed=1)
    first = found.disqualifications[0]
    assert "the ace of clubs" in first.problem
    for each in found.disqualifications[:MOST_POSITIONS]:
        you = next(line for line in each.position.splitlines() if "(you)" in line)
        assert "Ac" in you
        assert each.seat == 1
        # The deal is the one it says: the same table holds the same cards.
        text = Table(DUEL, 1, slot=each.deal).view(1).text()
        assert "Ac" in text or "round 1" not in each.position
    # Nobody else is touched: only games with that card end.
    assert found.num_disqualified["faulty"] < 120


def flawed(kind: str) -> Stub:
    """An agent that plays at random, and fails with an ace in hand unless ``kind`` is ``sound``."""

    def choose(views: Views, rng: np.random.Generator) -> Any:
        draws, marked = rng.random(len(views)), holds_an_ace(views)
        if kind == "raises" and marked.any():
            raise RuntimeError("an ace")
        moves = np.where(draws < 0.5, lowest_call(views, rng), highest(views, rng))
        moves = np.where((draws < 0.05) & (views.masks[:, 0] == 1), 0, moves)
        return np.where(marked, 999, moves) if kind == "illegal" else moves

    return Stub(kind, choose)


def moves_of(kind: str, judge: Referee, num_deals: int) -> tuple[dict[int, list[int]], set[int]]:
    """Return the moves of each deal, and the deals that an agent with a flaw failed in."""
    moves: dict[int, list[int]] = {}

    def watch(decision: Decision) -> None:
        for deal, move in zip(decision.deals.tolist(), decision.moves.tolist(), strict=True):
            moves.setdefault(deal, []).append(move)

    play_deals(DUEL, Sitting((flawed(kind), load("random")), (0, 1)), 3, Span(0, num_deals), judge, watch)
    assert len(judge.faults) == sum(judge.counts.values())
    return moves, {fault.place.deal for fault in judge.faults}


@pytest.mark.parametrize("kind", ["raises", "illegal"])
def test_games_that_are_asked_alone_do_not_depend_on_faults_in_others(kind: str) -> None:
    sound, nowhere = moves_of("sound", Referee(5.0, late=()), 20)
    moves, ended = moves_of(kind, Referee(5.0, late=()), 20)
    assert nowhere == set()
    assert 0 < len(ended) < 20
    for deal in set(sound) - ended:
        assert moves[deal] == sound[deal]
    for deal in ended:
        assert moves.get(deal, []) == sound[deal][: len(moves.get(deal, []))]


def test_what_was_drawn_in_a_call_that_failed_is_put_back() -> None:
    def wasting(num_draws: int) -> Stub:
        def choose(views: Views, rng: np.random.Generator) -> Any:
            if holds_an_ace(views).any():
                rng.random(num_draws)
                raise RuntimeError("an ace")
            return np.where(rng.random(len(views)) < 0.2, views.masks.argmax(axis=1), highest(views, rng))

        return Stub("wasting", choose)

    names = game_of(DUEL).tallies
    first, second = (
        play_deals(DUEL, Sitting((wasting(number), by_cards(1)), (0, 1)), 3, Span(0, 20))[:, : len(names)]
        for number in (0, 7)
    )
    assert (first == second).all()


def test_an_illegal_move_takes_nothing_from_the_others() -> None:
    sound, _ = moves_of("sound", Referee(), 20)
    moves, ended = moves_of("illegal", Referee(), 20)
    assert 0 < len(ended) < 20
    assert len({sound[deal][0] for deal in sound}) > 1  # antes are drawn
    for deal in set(moves) - ended:
        assert moves[deal][0] == sound[deal][0]


def test_an_agent_that_takes_one_view_only_is_asked_one_by_one() -> None:
    def choose(views: Views, rng: np.random.Generator) -> Any:
        assert len(views) == 1
        return by_cards(4).act(views, rng)

    found = evaluate([Stub("single", choose), by_cards(2)], DUEL, 60, 1)
    assert found.num_disqualified == {}
    whole = evaluate([by_cards(4), by_cards(2)], DUEL, 60, 1)
    assert [result.payoff for result in found.results] == [result.payoff for result in whole.results]


# --- time ---------------------------------------------------------------------------------------------------


def hang(views: Views, rng: np.random.Generator) -> Any:
    """Never comes back where it holds an ace, and catches whatever is thrown at it once."""
    if holds_an_ace(views).any():
        try:
            while True:
                pass
        except BaseException:
            while True:
                pass
    return lowest_call(views, rng)


def test_who_hangs_is_broken_off_and_the_rest_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(units, "WARM_UP_SECONDS", 0.2)
    start = time.perf_counter()
    found = evaluate([Stub("hangs", hang), load("call")], DUEL, 12, 2, time_limit=0.1)
    assert time.perf_counter() - start < 30
    number = found.num_disqualified["hangs"]
    assert 0 < number < 12
    assert {each.problem for each in found.disqualifications} == {"took longer than 0.1 s"}
    assert found.num_hands == 24


def test_a_replay_of_late_moves_is_the_same_and_times_nothing() -> None:
    sitting = Sitting((Stub("hangs", hang), load("random")), (0, 1))
    live = Referee(0.1)
    counts = play_deals(DUEL, sitting, 2, Span(0, 25), live)
    assert live.faults
    assert all(fault.is_late for fault in live.faults)
    late = {fault.place for fault in live.faults}
    again = Referee(0.1, late)
    start = time.perf_counter()
    assert (play_deals(DUEL, sitting, 2, Span(0, 25), again) == counts).all()
    assert time.perf_counter() - start < 0.1 * len(late) + 5
    assert again.faults == live.faults
    assert again.counts == live.counts


def test_who_is_late_again_and_again_is_asked_no_more() -> None:
    calls = 0

    def sleeps(views: Views, rng: np.random.Generator) -> Any:
        nonlocal calls
        calls += 1
        time.sleep(10)

    judge = Referee(0.05)
    play_deals(DUEL, Sitting((Stub("sleeps", sleeps), load("call")), (0, 1)), 2, Span(0, 50), judge)
    assert calls == MOST_LATE
    assert judge.counts[0] + judge.counts[1] == 50  # the other may be late, too, on a busy machine
    late = [fault.problem for fault in judge.faults if fault.agent == 0]
    assert late == ["took longer than 0.05 s"] * MOST_LATE


@pytest.mark.parametrize("limit", [0, -1, "long", True, float("nan"), float("inf")])
def test_absurd_time_limits_are_refused(limit: Any) -> None:
    with pytest.raises(ValueError, match="time_limit="):
        evaluate([load("call"), load("fold")], DUEL, 10, 1, time_limit=limit)


# --- faults as such -----------------------------------------------------------------------------------------


def test_all_faults_are_counted_and_few_are_kept() -> None:
    found = evaluate([Stub("faulty", with_first(10_000)), load("call")], DUEL, 9000, 1)
    assert found.num_disqualified["faulty"] > 8000
    assert len(found.disqualifications) == 3 * MOST_KEPT  # parts of 4,096 deals
    assert len(report.to_text(found).splitlines()) < 25


def test_texts_of_errors_are_cut() -> None:
    def choose(views: Views, rng: np.random.Generator) -> Any:
        raise ValueError("long\n" * 10_000)

    found = evaluate([Stub("wordy", choose), load("call")], DUEL, 4, 1)
    assert all(len(each.problem) <= 300 and "\n" not in each.problem for each in found.disqualifications)


def test_places_are_told() -> None:
    judge = Referee()
    play_deals(DUEL, Sitting((Stub("f", with_first(99)), load("call")), (1, 0), 5), 2, Span(40, 3), judge)
    assert judge.faults == []  # seat 1 is another's
    play_deals(DUEL, Sitting((load("call"), Stub("f", with_first(99))), (1, 0), 5), 2, Span(40, 3), judge)
    assert {fault.place.deal for fault in judge.faults} == {40, 41, 42}
    for fault in judge.faults:
        assert (fault.agent, fault.seat, fault.place.seating, fault.is_late) == (0, 1, 5, False)
        table = Table(DUEL, 2, slot=fault.place.deal)
        assert fault.place == Place(5, fault.place.deal, 0 if table.to_play == 1 else 1)


def test_ask_raises_for_games_that_end_with_a_failure() -> None:
    table = Table(DUEL, 1)
    views = table.view(table.to_play).views()
    moves = ask(
        Stub("a", lambda v, r: lowest_call(v, r).astype(np.uint8)),
        ["a", "a"],
        views,
        np.random.default_rng(0),
    )
    assert moves.dtype == np.int64
    with pytest.raises(AgentFailedError, match="failed in deal 0, seat") as caught:
        ask(Stub("a", lambda v, r: None), ["a", "a"], views, np.random.default_rng(0))
    copy = pickle.loads(pickle.dumps(caught.value))
    assert str(copy) == str(caught.value)
    assert copy.position == caught.value.position


def test_constants_fit_each_other() -> None:
    assert referee.MOST_POSITIONS <= referee.MOST_KEPT


def test_statistics_leave_games_out_that_a_fault_ended() -> None:
    """One that fails as dealer: of the other one's hands only those of the other seating are left."""

    def fails_as_dealer(views: Views, rng: np.random.Generator) -> np.ndarray:
        is_dealer = views.records["dealer"] == views.seats
        return np.where(is_dealer, 5000, views.masks.argmax(axis=1))

    good = Stub("good", lambda views, rng: views.masks.argmax(axis=1))
    found = evaluate([Stub("half", fails_as_dealer), good], DUEL, 200, seed=1)
    assert found.num_disqualified == {"half": 200}
    alone = evaluate([Stub("one", good.act), Stub("two", good.act)], DUEL, 200, seed=1)
    assert {result.payoff.count for result in found.results} == {400}
    won = [result.statistics["won"] for result in found.results]
    assert all(each is not None and each.count == 200 for each in won)
    assert sum(each.mean for each in won if each is not None) == pytest.approx(
        sum(each.mean for result in alone.results if (each := result.statistics["won"]) is not None)
    )
    decisions = found.meetings[0].statistics["decisions"]
    assert decisions is not None
    assert decisions.count == 200


def test_without_a_finished_game_there_are_no_statistics() -> None:
    never = Stub("never", lambda views, rng: np.full(len(views), 5000))
    found = evaluate([never, Stub("other", never.act)], KunsRules(num_players=2, num_hands=2), 20, seed=1)
    for result in found.results:
        assert result.payoff.count == 40
        assert set(result.statistics.values()) == {None}
    assert "won %" in report.to_text(found, statistics=True)


# --- whatever is raised ---------------------------------------------------------------------------------------


class PanicError(BaseException):
    def __str__(self) -> str:
        raise RuntimeError("nested")


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (PanicError(), "raised PanicError: its text could not be made"),
        (GeneratorExit(), "raised GeneratorExit"),
        (SystemExit(0), "raised SystemExit: 0"),
        (ValueError("\ud800[/red]"), r"raised ValueError: \ud800[/red]"),
    ],
)
def test_whatever_an_agent_raises_disqualifies_it(error: BaseException, words: str) -> None:
    def choose(views: Views, rng: np.random.Generator) -> Any:
        raise error

    found = evaluate([Stub("odd", choose), load("call")], DUEL, 4, 1)
    assert found.num_disqualified == {"odd": 8}
    assert {each.problem for each in found.disqualifications} == {words}
