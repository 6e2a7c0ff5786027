"""Evaluation: duplicate deals, every seat, intervals over blocks, and agents that fail."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kuns_agents import load, save
from kuns_agents.policy import PolicyAgent
from kuns_env import KunsRules, Table, Views
from kuns_env.engine.game import game_of
from kuns_training.arena import plan as module
from kuns_training.arena import report as evaluate_report
from kuns_training.arena.schedule import schedule
from kuns_training.evaluate import evaluate
from stub_agents import Stub, by_cards, highest, lowest_call

DUEL = KunsRules.duel()
SESSION = KunsRules(num_players=3, num_hands=None, max_hands=4)
RULES = {
    "duel": DUEL,
    "tiny": KunsRules.tiny(),
    "three with side bets": KunsRules(num_players=3),
    "hands in a row": KunsRules(num_players=2, num_hands=3, bankroll=12, forced_ante=1),
    "open session": SESSION,
    "eight": KunsRules.anted(8),
}


# --- against a slow evaluation of one table after the other -------------------------------------------------


def slow(
    agents: Sequence[Any], seatings: Sequence[tuple[int, ...]], rules: KunsRules, seed: int, deals: int
) -> Any:
    """Chips won by each agent, and hands, over all deals and seatings."""
    chips, hands = [0.0] * len(agents), 0
    rng = np.random.default_rng(0)
    for deal in range(deals):
        for seating in seatings:
            table = Table(rules, seed, slot=deal)
            while not table.is_over:
                seat = table.to_play
                table.apply(int(agents[seating[seat]].act(table.view(seat).views(), rng)[0]))
            hands += table.hands_done
            for seat, agent in enumerate(seating):
                chips[agent] += table.payoffs()[seat]
    return chips, hands


@pytest.mark.parametrize("name", RULES)
def test_it_finds_what_single_tables_find(name: str) -> None:
    rules, deals = RULES[name], 12
    agents = [by_cards(1), by_cards(2)]
    found = evaluate(agents, rules, deals, seed=5)
    matches = schedule(2, rules.num_players)
    results = iter(found.results)
    for match in matches:
        chips, hands = slow(agents, match.seatings, rules, 5, deals)
        for agent in match.measured:
            result = next(results)
            assert result.agent == agents[agent].name
            assert result.payoff.count == hands
            assert result.payoff.mean == pytest.approx(chips[agent] / hands, abs=1e-9)
    assert next(results, None) is None


def test_three_at_one_table() -> None:
    agents, rules = [by_cards(1), by_cards(2), by_cards(3)], RULES["three with side bets"]
    found = evaluate(agents, rules, 15, seed=2)
    chips, hands = slow(agents, schedule(3, 3)[0].seatings, rules, 2, 15)
    assert [result.payoff.mean for result in found.results] == pytest.approx([each / hands for each in chips])
    assert sum(result.payoff.mean for result in found.results) == pytest.approx(0, abs=1e-12)
    assert found.overall == ()
    assert found.results[0].opponents == ("cards 2", "cards 3")


# --- who meets whom -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("num_agents", [2, 3, 5])
@pytest.mark.parametrize("num_players", range(2, 9))
def test_everybody_sits_in_every_seat_equally_often(num_agents: int, num_players: int) -> None:
    met = set()
    for match in schedule(num_agents, num_players):
        assert len(match.seatings) == num_players
        for agent in match.measured:
            counts = [
                sum(seating[seat] == agent for seating in match.seatings) for seat in range(num_players)
            ]
            assert counts == [1] * num_players
            met |= {(agent, other) for other in match.seatings[0] if other != agent}
    assert met == {(a, b) for a in range(num_agents) for b in range(num_agents) if a != b}


# --- determinism and symmetry -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["random", "call", "fold"])
@pytest.mark.parametrize("rules", [DUEL, KunsRules(num_players=2)], ids=["duel", "side bets"])
def test_an_agent_against_itself_wins_exactly_nothing(name: str, rules: KunsRules) -> None:
    found = evaluate([load(name), load(name)], rules, 300, seed=1)
    assert [entry.label for entry in found.agents] == [name, f"{name}#2"]
    for result in found.results:
        assert (result.payoff.mean, result.payoff.low, result.payoff.high) == (0, 0, 0)


def test_the_same_arguments_give_the_same_json_and_another_seed_does_not() -> None:
    agents = [load("random"), by_cards(1), load("call")]
    texts = [evaluate_report.to_json(evaluate(agents, DUEL, 400, seed)) for seed in (3, 3, 4)]
    assert texts[0] == texts[1]
    assert json.loads(texts[0])["results"] != json.loads(texts[2])["results"]
    data = json.loads(texts[0])
    assert KunsRules.from_dict(data["rules"]) == DUEL
    assert (data["seed"], data["num_deals"], data["num_blocks"], data["num_hands"]) == (3, 400, 200, 2400)
    assert set(data["versions"]) == {"kuns-env", "python", "numpy", "numba"}


def test_results_do_not_depend_on_how_many_games_are_stepped_together(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    agents = [by_cards(1), by_cards(2)]
    whole = evaluate(agents, SESSION, 100, seed=3)
    monkeypatch.setattr(module, "CHUNK", 7)
    assert evaluate(agents, SESSION, 100, seed=3).results == whole.results


class Watcher(Stub):
    """Plays on, and remembers which games it was asked about: name to seats."""

    def __init__(self, name: str) -> None:
        super().__init__(name, lowest_call)
        self.seen: dict[tuple[int, ...], set[int]] = {}

    def act(self, views: Views, rng: np.random.Generator) -> Any:
        for game, seat in zip(views.games.tolist(), views.seats.tolist(), strict=True):
            self.seen.setdefault(tuple(game), set()).add(seat)
        return super().act(views, rng)


def test_games_on_the_same_deal_have_names_of_their_own() -> None:
    watcher = Watcher("watcher")
    evaluate([watcher, load("call"), load("random")], DUEL, 5, 1)
    assert {game: len(seats) for game, seats in watcher.seen.items()} == dict.fromkeys(watcher.seen, 1)
    assert len(watcher.seen) == 5 * 4


def test_names_of_games_tell_nothing_of_the_deal() -> None:
    watchers = [Watcher("one"), Watcher("two")]
    evaluate(watchers, DUEL, 300, 1)
    parts = [part for watcher in watchers for name in watcher.seen for part in name]
    assert watchers[0].seen.keys() == watchers[1].seen.keys()  # they sat at the same tables
    assert len(set(parts)) == 2 * 2 * 300  # two seatings, two words of each name; none comes again
    assert np.corrcoef(range(300), [name[0] for name in list(watchers[0].seen)[:300]])[0, 1] < 0.2
    again = Watcher("one")
    evaluate([again, Watcher("two")], DUEL, 300, 1)
    assert again.seen == watchers[0].seen


def test_agents_from_files_are_named_with_their_hash(tmp_path: Path) -> None:
    size, num_moves = game_of(DUEL).encoder("table").shape[0], game_of(DUEL).num_moves
    layer = (np.zeros((size, num_moves), np.float32), np.zeros(num_moves, np.float32))
    save(PolicyAgent([layer], "tanh", DUEL), tmp_path / "uniform.npz")
    found = evaluate([load(tmp_path / "uniform.npz"), load("call")], DUEL, 50, 1)
    assert found.agents[0].file == str(tmp_path / "uniform.npz")
    assert (found.agents[0].greedy, found.agents[1].greedy) == (False, None)
    assert found.agents[0].sha256 == hashlib.sha256((tmp_path / "uniform.npz").read_bytes()).hexdigest()
    assert (found.agents[1].file, found.agents[1].sha256) == (None, None)
    both = [load(tmp_path / "uniform.npz"), load(f"{tmp_path / 'uniform.npz'}?greedy")]
    entries = evaluate(both, DUEL, 50, 1).agents
    assert [entry.label for entry in entries] == ["policy", "policy greedy"]
    assert [entry.greedy for entry in entries] == [False, True]


def test_heads_up_results_mirror_each_other() -> None:
    found = evaluate([load("random"), load("call"), load("fold")], DUEL, 200, seed=9)
    means = {(result.agent, result.opponents[0]): result.payoff for result in found.results}
    assert len(means) == 6
    for (one, other), chips in means.items():
        assert chips.mean == -means[other, one].mean
        assert chips.low == pytest.approx(-means[other, one].high)
    assert [result.agent for result in found.overall] == ["random", "call", "fold"]
    for result in found.overall:
        pairs = [chips.mean for (one, _), chips in means.items() if one == result.agent]
        assert result.payoff.mean == pytest.approx(np.mean(pairs))


# --- intervals ----------------------------------------------------------------------------------------------


def test_fold_loses_its_forced_ante_to_call() -> None:
    found = evaluate([load("fold"), load("call")], DUEL, 200, seed=1)
    chips = found.results[0].payoff
    assert (chips.mean, chips.low, chips.high, chips.count) == (-1, -1, -1, 400)
    assert chips.is_clear


def test_nineteen_of_twenty_intervals_hold_the_truth() -> None:
    # Both call to the end whatever they hold; so each wins nothing on average, whatever ante it sets.
    agents = [Stub("low", lowest_call), Stub("high", highest)]
    inside = 0
    for seed in range(200):
        chips = evaluate(agents, DUEL, 120, seed, block_deals=3).results[0].payoff
        assert chips.std_error > 0
        inside += chips.low <= 0 <= chips.high
    assert 180 <= inside <= 199


def test_more_deals_narrow_the_interval() -> None:
    agents = [Stub("low", lowest_call), Stub("high", highest)]
    few, many = (evaluate(agents, DUEL, deals, 1).results[0].payoff.half_width for deals in (400, 6400))
    assert 3 < few / many < 5


# --- bad input ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("num_deals", [0, 1, -5, 10**9, 2.5, True, None, "many"])
def test_absurd_numbers_of_deals_are_refused(num_deals: Any) -> None:
    with pytest.raises(ValueError, match="num_deals"):
        evaluate([load("call"), load("fold")], DUEL, num_deals, 1)


@pytest.mark.parametrize("block_deals", [0, -1, 51, 1.5])
def test_blocks_must_leave_two(block_deals: Any) -> None:
    with pytest.raises(ValueError, match="block_deals"):
        evaluate([load("call"), load("fold")], DUEL, 100, 1, block_deals=block_deals)


def test_one_agent_is_not_enough_and_seeds_are_checked() -> None:
    with pytest.raises(ValueError, match="1 agent given: at least two are needed"):
        evaluate([load("call")], DUEL, 100, 1)
    with pytest.raises(ValueError, match="0 agents given: at least two are needed"):
        evaluate([], DUEL, 100, 1)
    with pytest.raises(ValueError, match="seed"):
        evaluate([load("call"), load("fold")], DUEL, 100, -1)


def test_an_agent_that_does_not_play_these_rules_is_refused_by_name() -> None:
    picky = Stub("picky", lowest_call)
    picky.supports = lambda rules: "only three players"  # type: ignore[method-assign]
    with pytest.raises(ValueError, match=r"'picky'.*only three players"):
        evaluate([load("call"), picky], DUEL, 100, 1)


class Half:
    name = "half"


class Actor(Half):
    def act(self, views: Views, rng: np.random.Generator) -> Any: ...


class Listed(Stub):
    def __init__(self) -> None:
        super().__init__("listed", lowest_call)
        self.name = []  # type: ignore[assignment]


@pytest.mark.parametrize(
    ("agent", "message"),
    [
        (Half(), "is not an agent: it has no `act`"),
        (Actor(), "is not an agent: it has no `supports`"),
        ("call", "'call' is a name: load the agent first, by kuns_agents.load"),
        (None, "None is not an agent: it has no `name`"),
        (Actor, r"the class Actor is not an agent: make one of it, Actor\(\)"),
        (Listed(), r"the name of an agent is \[\]: must be text"),
    ],
)
def test_what_is_no_agent_is_refused(agent: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        evaluate([load("call"), agent], DUEL, 100, 1)


def test_a_reason_that_names_the_agent_is_not_said_twice() -> None:
    picky = Stub("picky", lowest_call)
    picky.supports = lambda rules: "agent 'picky' plays chess"  # type: ignore[method-assign]
    with pytest.raises(ValueError, match=r"^agent 'picky' plays chess$"):
        evaluate([load("call"), picky], DUEL, 100, 1)
