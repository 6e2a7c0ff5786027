"""`KunsVecEnv` says to Stable-Baselines3 what `SeatGames` knows, and sb3-contrib trains on it."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest

pytest.importorskip("stable_baselines3")
pytest.importorskip("sb3_contrib")

from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import VecMonitor, VecNormalize

from kuns_env import IllegalMoveError, KunsRules
from kuns_env.engine.seat import SeatGames
from kuns_training.vec_env import KunsVecEnv

ONE_ANTE = KunsRules(num_players=2, forced_ante=1, ante_menu=(1,), side_bets=False, num_hands=2)


class First:
    name = "first"

    def supports(self, rules: Any) -> str | None:
        return None

    def act(self, views: Any, rng: np.random.Generator) -> Any:
        return views.masks.argmax(axis=1)


def sample(env: KunsVecEnv, rng: np.random.Generator) -> np.ndarray:
    masks = env.action_masks()
    return (rng.random(masks.shape) * masks).argmax(axis=1)


@pytest.mark.parametrize(
    "rules",
    [
        KunsRules.duel(),
        ONE_ANTE,
        KunsRules(num_players=5),
        KunsRules(num_players=3, num_hands=None, max_hands=2),
    ],
)
def test_it_says_what_the_games_say(rules: KunsRules) -> None:
    env, games = KunsVecEnv(rules, 7, seed=3), SeatGames(rules, num_games=7, seed=3)
    assert np.array_equal(env.reset(), games.observations)
    rng, ended, skipped, cut = np.random.default_rng(0), 0, 0, 0
    for _ in range(200):
        moves = sample(env, rng)
        games.step(moves)
        observations, rewards, dones, infos = env.step(moves)
        assert np.array_equal(observations, games.observations)
        assert all(observation in env.observation_space for observation in observations)
        assert np.array_equal(rewards, games.rewards)
        assert np.array_equal(dones, games.dones)
        assert dones.dtype == bool
        assert len({id(info) for info in infos}) == 7
        for row, info in enumerate(infos):
            assert ("episode" in info) == dones[row]
            assert info.get("skipped_hands", 0) == games.skipped_hands[row]
            assert info.get("skipped_payoff", 0) == games.skipped_payoffs[row]
            skipped += info.get("skipped_hands", 0)
            if dones[row]:
                ended += 1
                cut += info["TimeLimit.truncated"]
                assert np.array_equal(info["terminal_observation"], games.final_observations[row])
                assert info["TimeLimit.truncated"] is bool(games.truncations[row])
                assert info["seat"] == games.episode_seats[row]
                assert info["episode"]["r"] == games.episode_payoffs[row]
                assert info["episode"]["l"] == games.episode_lengths[row]
                assert info["episode"]["hands"] == games.episode_hands[row]
                assert info["episode"]["t"] >= 0
    assert ended
    assert (skipped > 0) == (rules is ONE_ANTE)
    assert (cut > 0) == (rules.num_hands is None)


def test_returns_are_unbiased_by_what_is_skipped() -> None:
    """DESIGN: payoffs of skipped hands go to `info` and into logged returns, never into a reward."""
    env, rng = KunsVecEnv(ONE_ANTE, 500, First(), seed=2), np.random.default_rng(1)
    env.reset()
    paid = skipped = logged = 0.0
    for _ in range(60):
        _, rewards, _, infos = env.step(sample(env, rng))
        paid += rewards.sum()
        skipped += sum(info.get("skipped_payoff", 0.0) for info in infos)
        logged += sum(info["episode"]["r"] for info in infos if "episode" in info)
    assert abs(paid + skipped - logged) < 10 * env.num_envs  # up to the episodes that are going on
    assert skipped > 1_000


def test_masks_come_all_at_once() -> None:
    env = KunsVecEnv(KunsRules(num_players=3), 6, seed=1)
    env.reset()
    assert is_masking_supported(env)
    [masks] = env.env_method("action_masks")
    assert masks.shape == (6, env.action_space.n)
    assert masks.dtype == np.int8
    assert np.array_equal(get_action_masks(env).reshape(6, -1), env.games.masks)
    assert np.array_equal(env.env_method("action_masks", indices=[4, 1])[0], masks[[4, 1]])
    assert np.array_equal(env.env_method("action_masks", indices=2)[0], masks[[2]])
    told = KunsVecEnv(KunsRules(num_players=3), 6, seed=1, mask_in_info=True)
    told.reset()
    assert np.array_equal([info["action_mask"] for info in told.reset_infos], masks)
    *_, infos = told.step(masks.argmax(axis=1))
    assert np.array_equal([info["action_mask"] for info in infos], told.action_masks())


def test_seeds_and_resets() -> None:
    env = KunsVecEnv(KunsRules.anted(3), 4, seed=5)
    first = env.reset()
    assert env.games.episodes.tolist() == [0] * 4
    env.step(env.action_masks().argmax(axis=1))
    assert not np.array_equal(env.reset(), first)
    assert env.seed(5) == [5] * 4
    assert np.array_equal(env.reset(), first)
    env.seed()
    assert not np.array_equal(env.reset(), first)
    with pytest.raises(ValueError, match="seed"):
        env.seed(-1)
    env.set_options({"dealer": 1})
    env.reset()
    assert set(env.games._batch._states["dealer"]) == {1}
    env.set_options([{"dealer": 1}, {}, {}, {}])
    with pytest.raises(ValueError, match="same for all"):
        env.reset()


def test_attributes_are_shared() -> None:
    env = KunsVecEnv(KunsRules.duel(), 3, seed=1)
    assert env.get_attr("render_mode") == [None] * 3
    assert env.get_attr("num_envs", [0, 2]) == [3, 3]
    env.set_attr("mask_in_info", True)
    assert env.mask_in_info
    with pytest.raises(ValueError, match="shared"):
        env.set_attr("mask_in_info", False, indices=1)
    with pytest.raises(AttributeError):
        env.get_attr("no_such_thing")
    with pytest.raises(AttributeError):
        env.env_method("no_such_thing")
    with pytest.raises(IndexError, match="3 games"):
        env.env_method("action_masks", indices=[3])
    assert not env.has_attr("no_such_thing")
    assert env.env_is_wrapped(gymnasium.Wrapper) == [False] * 3
    assert env.env_is_wrapped(Monitor, [0]) == [True]
    assert env.get_images() == [None] * 3
    env.set_opponents([First()])
    assert [agent.name for agent in env.games.opponents] == ["first"]
    env.close()


@pytest.mark.parametrize("moves", [[32] * 3, [0.5] * 3, [np.nan] * 3, [0] * 2])
def test_bad_moves_change_nothing(moves: Any) -> None:
    env = KunsVecEnv(KunsRules.duel(), 3, seed=1)
    before = env.reset()
    with pytest.raises(ValueError, match=r"game 0|moves") as caught:
        env.step(np.array(moves))
    assert isinstance(caught.value, IllegalMoveError) == (moves == [32] * 3)
    assert np.array_equal(before, env.games.observations)


@pytest.mark.parametrize("num_envs", [0, -1, 1.5, True, 10**12])
def test_sizes_that_are_refused(num_envs: Any) -> None:
    with pytest.raises(ValueError, match="num_games"):
        KunsVecEnv(KunsRules.duel(), num_envs)


@pytest.mark.parametrize("rules", [KunsRules.duel(), KunsRules(num_players=3, num_hands=None, max_hands=3)])
def test_maskable_ppo_learns_evaluates_and_predicts(rules: KunsRules) -> None:
    env = KunsVecEnv(rules, 16, First(), seed=1)
    model = MaskablePPO("MlpPolicy", env, n_steps=16, batch_size=64, n_epochs=1, seed=3, device="cpu")
    model.learn(512)
    assert model.num_timesteps == 512
    assert {"r", "l", "t", "hands"} <= set(model.ep_info_buffer[-1])
    moves, _ = model.predict(env.games.observations, action_masks=get_action_masks(env))
    assert env.action_masks()[np.arange(16), moves].all()
    mean, _ = evaluate_policy(model, env, n_eval_episodes=20)
    assert np.isfinite(mean)


def test_the_same_seed_trains_the_same_network() -> None:
    weights = []
    for _ in range(2):
        model = MaskablePPO(
            "MlpPolicy",
            KunsVecEnv(KunsRules.duel(), 8),
            n_steps=8,
            batch_size=32,
            n_epochs=1,
            seed=4,
            device="cpu",
        )
        model.learn(128)
        weights.append(next(model.policy.parameters()).detach().numpy().copy())
    assert np.array_equal(*weights)


def test_wrappers_of_sb3() -> None:
    with pytest.warns(UserWarning, match="overwritten"):  # its own statistics leave skipped hands out
        env = VecNormalize(VecMonitor(KunsVecEnv(KunsRules.duel(), 5, seed=1)))
    env.reset()
    rng = np.random.default_rng(0)
    for _ in range(30):
        *_, dones, infos = env.step(sample(env.unwrapped, rng))
        assert all("episode" in info for info, done in zip(infos, dones, strict=True) if done)
