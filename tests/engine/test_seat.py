"""`SeatGames`: what it depends on and what not, its opponents, and what it refuses."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

from games import SHORT_DEALS
from kuns_env import IllegalMoveError, KunkenRules, KunsRules, OptionsError, Table
from kuns_env.engine import seat, seat_loops
from kuns_env.engine.batch import Batch
from kuns_env.engine.game import ILLEGAL_FINE
from kuns_env.engine.seat import SeatGames
from kuns_env.engine.seat_opponents import OpponentError, UniformOpponent
from kuns_env.kuns import state

ONE_ANTE = KunsRules(num_players=2, forced_ante=1, ante_menu=(1,), side_bets=False)


class First:
    """Plays the first legal move: needs no chance, so no run depends on who else is in the batch."""

    def __init__(self, name: str = "first") -> None:
        self.name = name
        self.episodes: list[list[int]] = []

    def supports(self, rules: Any) -> str | None:
        return None

    def act(self, views: Any, rng: np.random.Generator) -> Any:
        self.episodes += views.games.tolist()
        return views.masks.argmax(axis=1)


class Faulty(First):
    """Plays like `First` until it is told what else to do."""

    def __init__(self, fault: Any) -> None:
        super().__init__("faulty")
        self.fault = fault

    def act(self, views: Any, rng: np.random.Generator) -> Any:
        return self.fault(super().act(views, rng))


def report(games: SeatGames) -> list[np.ndarray]:
    names = (
        "observations masks seats rewards dones truncations final_observations skipped_hands skipped_payoffs "
        "episodes episode_payoffs episode_hands episode_lengths episode_seats forfeits"
    )
    return [getattr(games, name) for name in names.split()]


def same(one: list[np.ndarray], two: list[np.ndarray]) -> bool:
    return all(np.array_equal(a, b) for a, b in zip(one, two, strict=True))


def legal(games: SeatGames, rng: np.random.Generator) -> np.ndarray:
    moves = np.empty(len(games), np.int64)
    seat_loops.pick(games.masks, rng.random(len(games)), moves)
    return moves


def run(games: SeatGames, num_steps: int = 40, seed: int = 3) -> list[np.ndarray]:
    rng, told = np.random.default_rng(seed), report(games)
    for _ in range(num_steps):
        games.step(legal(games, rng))
        told += report(games)
    return told


# --- what a run depends on -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "rules", [KunsRules(), KunsRules.duel(), ONE_ANTE, KunsRules(num_players=8, num_hands=None), SHORT_DEALS]
)
def test_the_same_seed_gives_the_same_run(rules: Any) -> None:
    told = run(SeatGames(rules, num_games=9, seed=4))
    assert same(told, run(SeatGames(rules, num_games=9, seed=4, num_threads=4)))
    again = SeatGames(rules, num_games=9, seed=8)
    run(again)
    again.reset(4)
    assert same(told, run(again))
    assert not same(told, run(SeatGames(rules, num_games=9, seed=5)))


@pytest.mark.parametrize("rules", [KunsRules(num_players=3, num_hands=2), SHORT_DEALS])
def test_a_batch_is_its_single_games(rules: Any) -> None:
    batch = SeatGames(rules, First(), 5, 7)
    singles = [SeatGames(rules, First(), 1, 7, first_slot=slot) for slot in range(5)]
    for _ in range(60):
        moves = batch.masks.argmax(axis=1)
        batch.step(moves)
        for row, single in enumerate(singles):
            single.step(moves[row : row + 1])
            assert same([array[row] for array in report(batch)], [array[0] for array in report(single)])


@pytest.mark.parametrize("rules", [KunsRules.anted(3), KunkenRules(num_players=5, hand_size=20)])
def test_deals_do_not_depend_on_opponents_or_moves(rules: Any) -> None:
    decks: dict[tuple[int, int], set[str]] = {}
    for opponents, last in ((None, False), ([First(), UniformOpponent()], True)):
        games = SeatGames(rules, opponents, 4, 9)
        for _ in range(30):
            for row in range(4):
                deck = str(games._batch.table(row).setup_options())
                decks.setdefault((row, int(games.episodes[row])), set()).add(deck)
            masks = games.masks
            games.step(masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1) if last else masks.argmax(axis=1))
    assert all(len(found) == 1 for found in decks.values())
    for (row, episode), found in decks.items():
        assert found == {str(Table(rules, 9, slot=row, episode=episode).setup_options())}


@pytest.mark.parametrize("rules", [KunsRules(num_players=3), SHORT_DEALS])
def test_a_copy_goes_on_identically(rules: Any) -> None:
    games = SeatGames(rules, [First(), UniformOpponent()], 6, 2)
    run(games)
    twins = [pickle.loads(pickle.dumps(games)), copy.deepcopy(games)]
    told = run(games)
    for twin in twins:
        assert same(told, run(twin))


def test_arrays_are_copies() -> None:
    games = SeatGames(KunsRules.duel(), num_games=3, seed=1)
    before = report(games)
    for array in report(games):
        array[...] = 1
    assert same(before, report(games))


def test_seats_rotate_by_slot_and_episode() -> None:
    """DESIGN: seats rotate; the learner is always the one to act."""
    games = SeatGames(KunsRules.anted(3), num_games=7, seed=1)
    rng = np.random.default_rng(0)
    for _ in range(30):
        assert np.array_equal(games.seats, (np.arange(7) + games.episodes) % 3)
        assert np.array_equal(games.seats, games.views().seats)
        games.step(legal(games, rng))
    assert set(SeatGames(KunsRules.anted(3), num_games=7, seed=1, seats=2).seats) == {2}


def test_only_some_games_are_stepped() -> None:
    games = SeatGames(KunsRules.anted(3), num_games=4, seed=1)
    before = games.observations
    games.step(games.masks.argmax(axis=1)[[3, 1]], [3, 1])
    assert np.array_equal(games.observations[[0, 2]], before[[0, 2]])
    assert not np.array_equal(games.observations[[1, 3]], before[[1, 3]])
    assert not games.rewards[[0, 2]].any()
    games.step([], [])
    assert not games.dones.any()
    for rows, match in (([0, 0], "twice"), ([4], "from 0 to 3"), ([0.5], "rows")):
        with pytest.raises(ValueError, match=match):
            games.step([0] * len(rows), rows)


# --- opponents -----------------------------------------------------------------------------------------------


def test_opponents_are_drawn_by_weight_for_each_game_seat_and_episode() -> None:
    agents = [First("a"), First("b"), First("never")]
    games = SeatGames(KunsRules.anted(4), agents, 2_000, 3, weights=[3, 1, 0])
    names = games.opponent_names()
    mine = np.equal(names, None)
    assert np.array_equal(np.argmax(mine, axis=1), games.seats)
    others = names[~mine]
    assert np.isclose((others == "a").mean(), 0.75, atol=0.03)
    assert "never" not in others
    assert not agents[2].episodes
    small = SeatGames(KunsRules.anted(4), agents, 50, 3, weights=[3, 1, 0])
    assert np.array_equal(small.opponent_names(), names[:50])  # the draw does not depend on the batch
    games.reset(3)
    assert np.array_equal(games.opponent_names(), names)
    games.reset()
    assert not np.array_equal(games.opponent_names(), names)


def test_a_new_pool_begins_with_the_next_episode() -> None:
    old, new = First("old"), First("new")
    games = SeatGames(KunsRules(num_players=3, num_hands=2), old, 20, 1)
    run(games, 3)
    first = dict(enumerate(games.episodes.tolist()))
    games.set_opponents([new, old], [1, 0])
    assert [agent.name for agent in games.opponents] == ["new", "old"]
    assert set(games.opponent_names().ravel()) == {"old", None}
    old.episodes.clear()
    run(games, 40)
    assert old.episodes
    assert all(episode == first[slot] for slot, episode in old.episodes)
    assert all(episode > first[slot] for slot, episode in new.episodes)
    for _ in range(3):  # agents that nobody plays against any more are not kept
        games.set_opponents(UniformOpponent())
        games.reset()
    games.set_opponents(UniformOpponent())
    assert len(games._opponents._agents) == 2


def test_the_same_agent_twice_is_asked_once() -> None:
    calls: list[int] = []
    agent = Faulty(lambda moves: calls.append(len(moves)) or moves)
    SeatGames(KunsRules.anted(2), [agent, agent], 50, 1, seats=0)
    assert len(calls) == 1


class Fussy(First):
    def supports(self, rules: Any) -> str | None:
        return "it plays two at a table" if rules.num_players > 2 else None


def test_who_does_not_support_the_rules_is_named() -> None:
    with pytest.raises(OpponentError, match=r"'fussy'.*two at a table"):
        SeatGames(KunsRules(num_players=3), [First(), Fussy("fussy")])
    games = SeatGames(KunsRules(num_players=3), First("kept"), seed=1)
    with pytest.raises(OpponentError, match="fussy"):
        games.set_opponents(Fussy("fussy"))
    assert [agent.name for agent in games.opponents] == ["kept"]


class Broken(First):
    def supports(self, rules: Any) -> str | None:
        raise OSError("no weights")


def test_who_fails_when_asked_about_the_rules_is_named() -> None:
    with pytest.raises(OpponentError, match=r"'broken' raised OSError when asked .*: no weights"):
        SeatGames(KunsRules.duel(), [First(), Broken("broken")])
    games = SeatGames(KunsRules.duel(), First("kept"))
    with pytest.raises(OpponentError, match="broken"):
        games.set_opponents(Broken("broken"))
    assert [agent.name for agent in games.opponents] == ["kept"]


def test_the_repr_of_games() -> None:
    games = SeatGames(KunsRules.duel(), [First(), First("other")], 3)
    assert repr(games) == "<SeatGames: 3 games of kuns with 2 players, against first, other>"


@pytest.mark.parametrize(
    ("fault", "match"),
    [
        pytest.param(lambda moves: moves + 1_000, "illegal move", id="out of range"),
        pytest.param(lambda moves: moves * 0 - 1, "illegal move -1", id="negative"),
        pytest.param(lambda moves: moves * 0 + 32, "illegal move 32", id="illegal"),
        pytest.param(lambda moves: np.full(len(moves), 2**64 - 1, np.uint64), "illegal move", id="wrapping"),
        pytest.param(lambda moves: moves * np.nan, "NaN", id="nan"),
        pytest.param(lambda moves: moves.astype(float), "float64", id="float"),
        pytest.param(lambda moves: moves[:-1], "shape", id="short"),
        pytest.param(lambda moves: moves[:, None], "shape", id="2-D"),
        pytest.param(lambda moves: None, "object", id="none"),
        pytest.param(lambda moves: 1 / 0, "raised ZeroDivisionError", id="raises"),
    ],
)
def test_an_opponent_that_fails_is_named_with_the_position(fault: Any, match: str) -> None:
    agent = Faulty(lambda moves: moves)
    games = SeatGames(KunsRules.duel(), [agent, First()], 30, 1, weights=[1, 1])
    agent.fault = fault
    with pytest.raises(OpponentError, match=match) as caught:
        run(games)
    assert caught.value.name == "faulty"
    for fact in ("game ", "episode ", "seat ", "legal moves by number", "Kuns, hand 1"):
        assert fact in str(caught.value)
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)
    with pytest.raises(ValueError, match="reset"):
        games.step(games.masks.argmax(axis=1))
    agent.fault = lambda moves: moves
    games.reset(1)
    run(games)


def test_an_opponent_that_makes_moves_legal_is_named() -> None:
    class Forger(First):
        def act(self, views: Any, rng: np.random.Generator) -> Any:
            views.masks[:] = 1
            return np.full(len(views), 32)

    with pytest.raises(OpponentError, match="opponent 'first' gave the illegal move 32") as caught:
        run(SeatGames(KunsRules.duel(), Forger(), 30, 1))
    assert "legal moves by number: [2, 3, 4, 5]" in str(caught.value)


@pytest.mark.parametrize(
    ("opponents", "error", "match"),
    [
        ("cautious", TypeError, r"kuns_agents\.load\('cautious'\)"),
        (["random"], TypeError, "name"),
        (First, TypeError, "no agent"),
        (3, TypeError, "no agent"),
        ([First(), object()], TypeError, "no agent"),
        ([], ValueError, "number of opponents"),
    ],
)
def test_what_is_no_opponent_is_refused(opponents: Any, error: type[Exception], match: str) -> None:
    with pytest.raises(error, match=match):
        SeatGames(KunsRules(), opponents)


@pytest.mark.parametrize(
    "weights", [[1], [1, -1], [0, 0], [1, np.nan], [1, np.inf], ["a", 1], "ab", 2, [[1, 1]]]
)
def test_weights_that_do_not_fit_are_refused(weights: Any) -> None:
    with pytest.raises(ValueError, match="weights"):
        SeatGames(KunsRules(), [First(), First()], weights=weights)


def test_huge_weights() -> None:
    games = SeatGames(KunsRules.duel(), [First("a"), First("b")], 200, 1, weights=[1.7e308, 1.7e308])
    assert set(games.opponent_names().ravel()) == {"a", "b", None}


# --- bad input -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        ({"num_games": 0}, "num_games=0"),
        ({"num_games": -3}, "num_games=-3"),
        ({"num_games": 2.0}, "num_games"),
        ({"num_games": True}, "num_games"),
        ({"num_games": 10**12}, "num_games"),
        ({"num_threads": 0}, "num_threads"),
        ({"seats": 4}, "seats=4.*from 0 to 3.*rotate"),
        ({"seats": -1}, "seats"),
        ({"seats": True}, "seats"),
        ({"seats": 1.0}, "seats"),
        ({"seats": None}, "seats"),
        ({"seats": "turn"}, "seats"),
        ({"seed": -1}, "seed"),
        ({"seed": 1.5}, "seed"),
        ({"first_slot": -1}, "first_slot"),
    ],
)
def test_arguments_that_are_refused(arguments: Any, match: str) -> None:
    with pytest.raises(ValueError, match=match):
        SeatGames(KunsRules(), **arguments)


def test_rules_that_are_none() -> None:
    with pytest.raises(ValueError, match="rules"):
        SeatGames("kuns")
    with pytest.raises(ValueError, match="forced ante"):
        SeatGames(KunsRules(forced_ante=5, bankroll=2, num_hands=2))


@pytest.mark.parametrize(
    ("moves", "error"),
    [
        ([0, 0, 32], IllegalMoveError),
        ([-1, 0, 0], IllegalMoveError),
        ([0, 10**9, 0], IllegalMoveError),
        (np.full(3, 2**64 - 1, np.uint64), IllegalMoveError),
        ([0.0, 0.0, 0.0], ValueError),
        ([np.nan] * 3, ValueError),
        ([0, 0], ValueError),
        ([[0, 0, 0]], ValueError),
        (["fold"] * 3, ValueError),
        ([True] * 3, ValueError),
        (None, ValueError),
    ],
)
def test_bad_moves_change_nothing(moves: Any, error: type[Exception]) -> None:
    games = SeatGames(KunsRules.anted(3), num_games=3, seed=6)
    run(games, 5)
    before, states = report(games), games._batch._states.copy()
    with pytest.raises(error):
        games.step(moves)
    assert same(before, report(games))
    assert np.array_equal(states, games._batch._states)
    twin = SeatGames(KunsRules.anted(3), num_games=3, seed=6)
    run(twin, 5)
    assert same(run(games), run(twin))  # the opponents' chance has not moved on either


def test_an_illegal_move_may_end_the_episode_instead() -> None:
    games = SeatGames(KunsRules.anted(3), num_games=4, seed=6, keep_finals=True)
    before, episodes = games.observations, games.episodes
    moves = games.masks.argmax(axis=1)
    moves[[1, 3]] = [32, -5]
    games.step(moves, forfeit_illegal=True)
    assert games.forfeits.tolist() == [False, True, False, True]
    assert (games.rewards[[1, 3]] <= -ILLEGAL_FINE).all()
    assert games.dones[[1, 3]].all()
    assert not games.truncations.any()
    assert np.array_equal(games.final_observations[[1, 3]], before[[1, 3]])
    assert (games.episodes > episodes)[[1, 3]].all()
    assert games.episode_lengths[[1, 3]].tolist() == [1, 1]
    with pytest.raises(ValueError, match="integers"):
        games.step(moves * np.nan, forfeit_illegal=True)
    run(games)
    assert not games.forfeits.any()


def put_in(games: SeatGames, *fields: str) -> np.ndarray:
    """Return the chips of the learner that stand in ``fields`` of the records."""
    rows = np.arange(len(games))
    return sum((games._batch._states[name][rows, games.seats] for name in fields), np.zeros(len(games)))


def played_to(rules: KunsRules, phase: int, field: str = "paid", least: int = 0) -> SeatGames:
    """Return many games, in some of which the learner decides in ``phase`` and has put in what is asked for."""
    games, rng = SeatGames(rules, num_games=200, seed=3), np.random.default_rng(3)
    for _ in range(200):
        if ((games._batch._states["phase"] == phase) & (put_in(games, field) >= least)).any():
            return games
        games.step(legal(games, rng))
    raise AssertionError(f"phase {phase} is not reached")


@pytest.mark.parametrize(
    ("phase", "field", "least"),
    [
        (state.ANTE, "paid", 1),
        (state.BET, "paid", 2),
        (state.OFFER, "staked", 1),
        (state.RESPOND, "staked", 1),
    ],
)
def test_an_illegal_move_costs_all_that_is_in_the_hand_and_one_chip(
    phase: int, field: str, least: int
) -> None:
    games = played_to(KunsRules(num_players=4, forced_ante=1), phase, field, least)
    chips = put_in(games, "paid", "staked")
    logged, hands = games._books.logged_units / state.UNITS, games._books.logged_hands.copy()
    games.step(np.full(len(games), -1), forfeit_illegal=True)
    assert games.forfeits.all()
    assert np.array_equal(games.rewards, -(chips + 1))
    assert np.array_equal(games.episode_payoffs, logged - chips - 1)
    assert np.array_equal(games.episode_hands, hands + 1)


def test_an_illegal_move_is_no_way_out_of_a_hand() -> None:
    games = SeatGames(KunsRules.anted(3), num_games=50, seed=6)
    compared = 0
    for _ in range(4):
        bets = games._batch._states["phase"] == state.BET
        folded, forfeited = copy.deepcopy(games), copy.deepcopy(games)
        folded.step(np.where(bets, 0, games.masks.argmax(axis=1)))
        forfeited.step(np.full(len(games), 32), forfeit_illegal=True)
        out = bets & folded.dones
        assert (forfeited.rewards[out] < folded.rewards[out]).all()
        compared += np.count_nonzero(out)
        games.step(np.where(bets, 1, games.masks.argmax(axis=1)))
    assert compared


def test_between_two_hands_an_illegal_move_costs_one_chip_k2_2() -> None:
    games = played_to(KunsRules(num_players=3, num_hands=None, forced_ante=1), state.STAY)
    between = games._batch._states["phase"] == state.STAY
    payoffs = games._books.logged_units / state.UNITS
    hands = games._books.logged_hands.copy()
    games.step(np.full(len(games), -1), forfeit_illegal=True)
    assert (games.rewards[between] == -1).all()
    assert np.array_equal(games.episode_payoffs[between], payoffs[between] - 1)
    assert np.array_equal(games.episode_hands[between], hands[between])


@pytest.mark.parametrize("options", [{"deck": ["Ah", "Ah"]}, {"dealer": 9}, {"x": 1}, {"deck": ["Kh"]}])
def test_options_that_are_refused_change_nothing(options: Any) -> None:
    """K10.1."""
    games = SeatGames(KunsRules(), num_games=3, seed=6)
    before = report(games)
    with pytest.raises(OptionsError):
        games.reset(9, options)
    assert same(before, report(games))
    assert games.seed == 6


def test_options_set_up_the_first_deal_of_every_game_of_kunken() -> None:
    """N9.1."""
    games = SeatGames(SHORT_DEALS, num_games=3, seed=6, seats=0)
    options = Table(SHORT_DEALS, 8, {"dealer": 4}).setup_options()
    games.reset(options=options)
    for row in range(3):
        assert games._batch.table(row).setup_options() == options
    before = report(games)
    with pytest.raises(OptionsError, match="stock"):
        games.reset(9, {**options, "stock": []})
    assert same(before, report(games))


def test_options_set_up_the_first_hand_of_every_game() -> None:
    """K10.1."""
    games = SeatGames(KunsRules.anted(2), num_games=4, seed=6, seats=0)
    games.reset(options={"dealer": 0, "deck": ["Ah", "Td", "Ac", "Tc"]})
    for row in range(4):
        assert games._batch.table(row).setup_options()["deck"][:4] == ["Ah", "Td", "Ac", "Tc"]
        assert games.views().view(row).to_dict()["dealer"] == 0
    assert games.episodes.tolist() == [1] * 4


def test_endless_skipping_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seat, "MOST_SKIPPED", 3)
    with pytest.raises(
        ValueError, match=r"game \d+: 3 episodes in a row without a decision.*never gets to move"
    ):
        run(SeatGames(ONE_ANTE, First(), 50, 1))


@pytest.mark.parametrize("rules", [KunsRules.anted(3), KunkenRules(num_players=4, hand_size=20)])
def test_last_positions_are_kept_where_asked_for(rules: Any) -> None:
    games = SeatGames(rules, First(), 3, 1, keep_finals=True)
    rng, over = np.random.default_rng(1), 0
    for _ in range(200):
        games.step(legal(games, rng))
        over += int(games.dones.sum())
        for row in np.flatnonzero(games.dones):
            view = games.final_view(row).view(0)
            assert view.seat == games.episode_seats[row]
            assert np.array_equal(view.observation(), games.final_observations[row])
            assert view.to_play is None
    assert over
    with pytest.raises(ValueError, match="keep_finals"):
        SeatGames(KunsRules()).final_view(0)
    with pytest.raises(ValueError, match="game=3"):
        games.final_view(3)


def test_games_are_abandoned_by_the_batch() -> None:
    batch = Batch(KunsRules.anted(3), 4, 5)
    batch.step(batch.masks.argmax(axis=1))
    batch.restart_rows([2, 0])
    assert batch.episodes.tolist() == [1, 0, 1, 0]
    assert not batch.rewards[[0, 2]].any()
    for row in (0, 2):
        table = Table(batch.rules, 5, slot=row, episode=1)
        assert np.array_equal(table.state, batch.table(row).state)
        assert np.array_equal(batch.observations[row], table.view(table.to_play).observation())
    with pytest.raises(ValueError, match="from 0 to 3"):
        batch.restart_rows([4])
    batch.restart_rows([])
