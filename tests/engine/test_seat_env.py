"""The learner's seat as `gymnasium.Env` and `gymnasium.vector.VectorEnv`."""

from __future__ import annotations

import copy
import pickle
import warnings
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode

from games import SHORT_DEALS
from kuns_env import (
    IllegalMoveError,
    KunkenRules,
    KunsRules,
    OptionsError,
    RulesError,
    SeatEnv,
    SeatVectorEnv,
    preset,
)
from kuns_env.engine.game import PRESETS
from kuns_env.engine.seat_env import make_seat_env

RULES = [
    *(pytest.param(preset(name), id=name) for name in PRESETS),
    *(
        pytest.param(KunkenRules(num_players=players), id=f"kunken, {players} players")
        for players in range(3, 6)
    ),
    pytest.param(SHORT_DEALS, id="kunken, several deals"),
    *(pytest.param(KunsRules(num_players=players), id=f"{players} players") for players in range(2, 9)),
    *(pytest.param(KunsRules.anted(players), id=f"{players} players anted") for players in range(2, 9)),
    pytest.param(KunsRules(num_players=3, num_hands=None, bankroll=50, forced_ante=1), id="open session"),
    pytest.param(KunsRules(num_players=3, forced_ante=1, ante_menu=(1,), num_hands=3), id="one ante"),
]
GYMNASIUM = tuple(int(part) for part in gymnasium.__version__.split(".")[:2])
BOTH = [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP]


class First:
    """Plays the first legal move: needs no chance, so a game does not depend on who else is in the batch."""

    name = "first"

    def supports(self, rules: Any) -> str | None:
        return None

    def act(self, views: Any, rng: np.random.Generator) -> Any:
        return views.masks.argmax(axis=1)


@pytest.mark.parametrize("rules", RULES)
def test_gymnasium_check_env(rules: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for pad in (False, True):
            check_env(make_seat_env(rules, pad=pad), skip_render_check=True)


def test_gymnasium_check_env_finds_a_broken_one() -> None:
    class Broken(SeatEnv):
        def reset(self, **arguments: Any) -> Any:
            observation, info = super().reset(**arguments)
            return observation + self.games.episodes[0], info

    env = Broken(KunsRules.duel(), illegal_moves="lose")
    env.games.reset()
    with pytest.raises(AssertionError):
        check_env(env, skip_render_check=True)


@pytest.mark.parametrize("rules", RULES)
def test_stable_baselines_check_env(rules: Any) -> None:
    checker = pytest.importorskip("stable_baselines3.common.env_checker")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        checker.check_env(make_seat_env(rules))


@pytest.mark.parametrize("rules", RULES)
def test_observations_masks_and_infos_hold_together(rules: Any) -> None:
    env = SeatEnv(rules, seed=1)
    observation, info = env.reset(seed=5)
    for _ in range(150):
        assert observation in env.observation_space
        assert info["action_mask"].dtype == np.int8
        assert np.array_equal(info["action_mask"], env.action_masks())
        texts = env.legal_moves()
        assert len(texts) == info["action_mask"].sum()
        assert np.array_equal(env.view.observation(), observation)
        assert env.view.seat == info["seat"]
        observation, reward, terminated, truncated, info = env.step(env.action_space.sample())
        if terminated or truncated:
            assert (type(reward), type(terminated), type(truncated)) == (float, bool, bool)
            assert observation in env.observation_space
            assert info["action_mask"].all()
            assert env.legal_moves() == []
            assert np.array_equal(env.view.observation(), observation)
            with pytest.raises(IllegalMoveError, match="over"):
                env.step(0)
            observation, info = env.reset()


def test_episodes_count_on() -> None:
    env = SeatEnv(KunsRules.anted(3), First(), seed=4)
    assert env.games.episodes[0] == 0
    first, _ = env.reset()
    assert env.games.episodes[0] == 0  # the first reset uses what there is
    env.step(env.action_space.sample())
    env.reset()
    reached = env.games.episodes[0]
    assert reached >= 1
    over = False
    while not over:
        _, _, terminated, truncated, _ = env.step(env.action_space.sample())
        over = terminated or truncated
    begun = env.games.episodes[0]
    env.reset()
    assert env.games.episodes[0] == begun  # and no episode is left out
    again, _ = env.reset(seed=4)
    assert np.array_equal(first, again)


def test_options_set_up_the_hand() -> None:
    """K10.1."""
    env = SeatEnv(KunsRules.duel(), seat=1)
    env.reset(seed=1, options={"dealer": 1, "deck": ["Ah", "Td", "Ac", "Tc"]})
    assert "Tc Td" in env.view.text()
    for options in ({"dealer": 2}, {"cards": []}):
        with pytest.raises(OptionsError):
            env.reset(options=options)
    assert "Tc Td" in env.view.text()
    with pytest.raises(ValueError, match="seed"):
        env.reset(seed=-1)


@pytest.mark.parametrize("move", [32, -1, 10**20, np.int64(31)])
def test_illegal_moves_raise_or_lose(move: Any) -> None:
    env = SeatEnv(KunsRules.duel(), seed=2)
    env.reset(seed=2)
    before = env.view.text()
    with pytest.raises((IllegalMoveError, ValueError)):
        env.step(move)
    assert env.view.text() == before
    if move == 10**20:  # no number of a move can be that large
        return
    env = make_seat_env("kuns-duel", seed=2)
    env.reset(seed=2)
    before = env.view.text()
    observation, reward, terminated, truncated, info = env.step(move)
    # The forced ante is lost, and one chip more.
    assert (reward, terminated, truncated, info["illegal_move"]) == (-2.0, True, False, True)
    assert (info["episode_payoff"], info["episode_hands"]) == (-2.0, 1)
    assert env.view.text() == before
    assert np.array_equal(observation, env.view.observation())
    assert "illegal_move" not in env.reset()[1]


@pytest.mark.parametrize(
    ("fields", "loss"),
    [
        ({}, 1401),  # all cards of the deck laid by the other one, doubled (N6.2), and a point more
        ({"num_jokers": 0}, 1361),
        ({"joker_swap": True}, 2121),
        ({"num_players": 4, "hand_penalty": True}, 2101),
        ({"settlement": "win"}, 2),
        ({"settlement": "points"}, 1),
        ({"settlement": "points", "hand_penalty": True}, 701),
    ],
    ids=str,
)
def test_an_illegal_move_costs_the_most_that_a_deal_can_cost_n7(fields: dict[str, Any], loss: float) -> None:
    rules = KunkenRules(**fields)
    env = SeatEnv(rules, First(), seed=2)
    _, info = env.reset(seed=2)
    with pytest.raises(IllegalMoveError):
        env.step(int(info["action_mask"].argmin()))
    env = make_seat_env(rules, First(), seed=2)
    _, info = env.reset(seed=2)
    _, reward, terminated, truncated, info = env.step(int(info["action_mask"].argmin()))
    assert (reward, terminated, truncated, info["illegal_move"]) == (-loss, True, False, True)
    assert (info["episode_payoff"], info["episode_hands"]) == (-loss, 1)


@pytest.mark.parametrize("illegal_moves", ["raise", "lose"])
@pytest.mark.parametrize("move", [np.nan, 1.0, "call", None, [0, 1], True])
def test_what_is_no_move_is_refused(move: Any, illegal_moves: str) -> None:
    env = SeatEnv(KunsRules.duel(), seed=2, illegal_moves=illegal_moves)
    env.reset(seed=2)
    before = env.view.text()
    with pytest.raises(ValueError, match="moves"):
        env.step(move)
    assert env.view.text() == before
    env.step(np.array(env.action_space.sample()))


@pytest.mark.parametrize(
    "arguments",
    [
        {"render_mode": "human"},
        {"illegal_moves": "ignore"},
        {"seat": 2},
        {"seed": -1},
        {"slot": -1},
        {"weights": [1, 2]},
    ],
)
def test_arguments_that_are_refused(arguments: Any) -> None:
    with pytest.raises(ValueError, match=next(iter(arguments)).rstrip("_")):
        SeatEnv(KunsRules.duel(), **arguments)
    with pytest.raises(ValueError, match="autoreset_mode"):
        SeatVectorEnv(KunsRules.duel(), autoreset_mode="Disabled")
    with pytest.raises(ValueError, match="num_games"):
        SeatVectorEnv(KunsRules.duel(), 0)


def test_the_seat_sees_what_is_rendered() -> None:
    env = SeatEnv(KunsRules.duel(), render_mode="ansi", seat=1, seed=3)
    env.reset()
    assert env.render() == env.view.text()
    assert "seat 1 (you)" in env.render()
    assert "? ?" in env.render()
    with pytest.warns(UserWarning, match="render_mode"):
        assert SeatEnv(KunsRules.duel()).render() is None
    pytest.importorskip("PIL")
    env = SeatEnv(KunsRules.duel(), render_mode="rgb_array", seed=3)
    image = env.render()
    assert image.dtype == np.uint8
    assert image.shape[2] == 3
    vector = SeatVectorEnv(KunsRules.duel(), 3, render_mode="ansi")
    assert len(vector.render()) == 3
    vector.render_mode = None
    with pytest.warns(UserWarning, match="render_mode"):
        assert vector.render() is None


def test_a_copy_of_an_env_goes_on_and_samples_legal_moves() -> None:
    env = SeatEnv(KunsRules.duel(), First(), seed=3)
    env.reset()
    for twin in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        assert np.array_equal(twin.view.observation(), env.view.observation())
        moves = [int(twin.action_space.sample()) for _ in range(20)]
        assert all(twin.action_masks()[moves])
    vector = pickle.loads(pickle.dumps(SeatVectorEnv(KunsRules.duel(), 4, First(), seed=3)))
    vector.step(vector.action_space.sample())


def test_spaces_saved_by_themselves_hold_no_game() -> None:
    space = pickle.loads(pickle.dumps(SeatEnv(KunsRules.duel()).action_space))
    assert type(space) is spaces.Discrete
    many = pickle.loads(pickle.dumps(SeatVectorEnv(KunsRules.duel(), 3).action_space))
    assert type(many) is spaces.MultiDiscrete
    assert many.shape == (3,)
    env = SeatEnv(KunsRules.duel())
    mask = np.zeros(env.action_space.n, np.int8)
    mask[7] = 1
    assert env.action_space.sample(mask) == 7
    assert env.action_space.sample(probability=mask.astype(float)) == 7
    assert SeatVectorEnv(KunsRules.duel(), 2).action_space.sample(mask=(mask, mask)).tolist() == [7, 7]


# --- many games ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", BOTH)
@pytest.mark.parametrize(
    "rules",
    [
        KunsRules(num_players=3),
        KunsRules(num_players=3, forced_ante=1, ante_menu=(1,), num_hands=3),
        KunsRules(num_players=3, num_hands=None, max_hands=4),
        SHORT_DEALS,
    ],
)
def test_the_vector_env_is_its_single_envs(rules: Any, mode: AutoresetMode) -> None:
    many = SeatVectorEnv(rules, 5, First(), seed=9, autoreset_mode=mode)
    singles = [SeatEnv(rules, First(), seed=9, slot=slot) for slot in range(5)]
    observations, infos = many.reset()
    starts = [env.reset() for env in singles]
    assert all(np.array_equal(observations[i], start[0]) for i, start in enumerate(starts))
    over, rng = np.zeros(5, bool), np.random.default_rng(0)
    for _ in range(120 if rules.game == "kuns" else 40):
        many.action_space.seed(int(rng.integers(1_000)))
        moves = many.action_space.sample()
        observations, rewards, terminations, truncations, infos = many.step(moves)
        assert observations in many.observation_space
        assert np.array_equal(infos["action_mask"], many.action_masks())
        for i, env in enumerate(singles):
            if over[i]:
                observation, info = env.reset()
                assert np.array_equal(observations[i], observation)
                assert (rewards[i], terminations[i], truncations[i]) == (0, False, False)
                over[i] = False
                continue
            observation, reward, terminated, truncated, info = env.step(moves[i])
            assert (rewards[i], terminations[i], truncations[i]) == (reward, terminated, truncated)
            assert infos["skipped_hands"][i] == info["skipped_hands"]
            assert infos["skipped_payoff"][i] == info["skipped_payoff"]
            done = terminated or truncated
            ends = infos
            if done and mode is AutoresetMode.SAME_STEP:
                assert infos["_final_obs"][i]
                assert np.array_equal(infos["final_obs"][i], observation)
                ends, observation = infos["final_info"], env.reset()[0]
            elif done:
                over[i] = True
                assert infos["action_mask"][i].all()
            assert np.array_equal(observations[i], observation)
            assert bool(ends.get("_episode_payoff", np.zeros(5))[i]) == done
            if done:
                assert (ends["episode_payoff"][i], ends["episode_hands"][i], ends["seat"][i]) == (
                    info["episode_payoff"],
                    info["episode_hands"],
                    info["seat"],
                )


@pytest.mark.parametrize("mode", BOTH)
def test_gymnasium_counts_the_same_returns(mode: AutoresetMode) -> None:
    rules = KunsRules(num_players=2, forced_ante=1, ante_menu=(1,), num_hands=2, side_bets=False)
    env = gymnasium.wrappers.vector.RecordEpisodeStatistics(
        SeatVectorEnv(rules, 6, seed=1, autoreset_mode=mode)
    )
    env.reset(seed=1)
    counted = 0
    for _ in range(60):
        _, _, terminations, _, infos = env.step(env.action_space.sample())
        if terminations.any():
            counted += 1
            assert np.array_equal(infos["_episode"], terminations)
            if mode is AutoresetMode.SAME_STEP and GYMNASIUM < (1, 3):
                continue  # there its count begins again before it is shown
            lengths = env.unwrapped.games.episode_lengths
            assert np.array_equal(infos["episode"]["l"][terminations], lengths[terminations])
    assert counted
    if mode is AutoresetMode.NEXT_STEP:  # gymnasium's own wrappers of observations accept this mode only
        gymnasium.wrappers.vector.FlattenObservation(env).reset(seed=2)


@pytest.mark.parametrize("mode", BOTH)
def test_bad_moves_in_many_games(mode: AutoresetMode) -> None:
    env = SeatVectorEnv(KunsRules.duel(), 4, seed=1, autoreset_mode=mode)
    env.reset()
    before = env.games.observations
    for moves in ([32, 32, 32, 32], [0.0] * 4, [0] * 3, [[0] * 4], [np.nan] * 4, 0):
        with pytest.raises(ValueError, match=r"game 0|moves|actions"):
            env.step(moves)
    assert np.array_equal(before, env.games.observations)
    lenient = SeatVectorEnv(KunsRules.duel(), 4, seed=1, autoreset_mode=mode, illegal_moves="lose")
    lenient.reset()
    moves = lenient.action_masks().argmax(axis=1)
    moves[2] = 32
    _, rewards, terminations, _, infos = lenient.step(moves)
    assert rewards[2] == -2  # the forced ante, and one chip more
    assert terminations[2]
    ends = infos if mode is AutoresetMode.NEXT_STEP else infos["final_info"]
    assert ends["episode_payoff"][2] == -2
    assert ends["illegal_move"].tolist() == [False, False, True, False]
    _, rewards, terminations, _, infos = lenient.step(lenient.action_space.sample())
    assert "illegal_move" not in infos.get("final_info", infos)


def test_they_are_found_by_name() -> None:
    for name, players in (("Kuns-v0", 4), ("KunsAnted-v0", 4), ("KunsDuel-v0", 2), ("KunsTiny-v0", 2)):
        env = gymnasium.make(name)
        assert env.unwrapped.rules.num_players == players
        env.reset(seed=1)
        env.step(env.action_space.sample())
        check_env(env.unwrapped, skip_render_check=True)
        many = gymnasium.make_vec(name, num_envs=3, autoreset_mode="SameStep", opponents=First())
        assert many.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
        assert [agent.name for agent in many.unwrapped.games.opponents] == ["first"]
        many.reset(seed=1)
        many.step(many.action_space.sample())
        synced = gymnasium.make_vec(name, num_envs=2, vectorization_mode="sync")
        synced.reset(seed=1)
        synced.step(synced.action_space.sample())
    env = gymnasium.make("Kuns-v0", rules={"num_players": 3}, opponents=[First()], seat=0)
    assert env.unwrapped.rules == KunsRules(num_players=3)


def test_kunken_is_found_by_name() -> None:
    for name, cards in (("Kunken-v0", 13), ("KunkenMini-v0", 7)):
        env = gymnasium.make(name)
        assert env.unwrapped.rules.hand_size == cards
        many = gymnasium.make_vec(name, num_envs=3, autoreset_mode="SameStep", opponents=First())
        many.reset(seed=1)
        many.step(many.action_space.sample())
    for make in (gymnasium.make, gymnasium.make_vec):
        env = make("Kunken-v0", rules={"num_players": 3, "hand_size": 20})
        assert env.unwrapped.rules == KunkenRules(num_players=3, hand_size=20)
    assert gymnasium.make("KunkenMini-v0", num_deals=2).unwrapped.rules == KunkenRules.mini(num_deals=2)
    with pytest.raises(RulesError, match=r"KunkenRules.mini fixes hand_size=7"):
        gymnasium.make("KunkenMini-v0", hand_size=9)
    with pytest.raises(RulesError, match="no game 'whist'"):
        make_seat_env({}, game="whist")


def test_what_is_no_move_is_refused_where_every_game_waits_to_begin() -> None:
    env = SeatVectorEnv(KunsRules.duel(), 2, seed=1, illegal_moves="lose")
    env.reset()
    env.step(np.array([32, 32]))  # both are over, and the next moves are ignored
    for moves in ([0.0, 1.0], ["call", "call"], [None, None], [True, True]):
        with pytest.raises(ValueError, match="actions are of type"):
            env.step(moves)
    observations, *_ = env.step([-5, 99])
    assert observations in env.observation_space


def test_fields_of_the_rules_by_name() -> None:
    """K11."""
    env = gymnasium.make("KunsDuel-v0", num_hands=2, seat=1)
    assert env.unwrapped.rules == KunsRules.duel(num_hands=2)
    many = gymnasium.make_vec("KunsAnted-v0", num_envs=2, num_players=3, seed=4)
    assert many.unwrapped.rules == KunsRules.anted(3)
    with pytest.raises(RulesError, match=r"KunsRules.duel fixes num_players=2"):
        make_seat_env("kuns-duel", num_players=3)
    for rules in (KunsRules(), {"num_players": 3}):
        with pytest.raises(RulesError, match="not both: num_hands"):
            make_seat_env(rules, num_hands=2)
    with pytest.raises(RulesError, match="must be a rules object"):
        make_seat_env(4)
    with pytest.raises(TypeError, match="num_decks"):
        make_seat_env("kuns-duel", num_decks=2)


def test_a_seed_may_be_an_integer_of_numpy() -> None:
    for env in (SeatEnv(KunsRules.duel(), First()), SeatVectorEnv(KunsRules.duel(), 3, First())):
        observation, _ = env.reset(seed=np.int64(7))
        assert (observation == env.reset(seed=7)[0]).all()
