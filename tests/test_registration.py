"""The environments are found by name as soon as `kuns_env` is imported."""

from __future__ import annotations

import importlib
import warnings

import gymnasium
import pettingzoo
import pytest

from kuns_env import KunkenRules, KunsRules, preset, registration
from kuns_env.engine.checked import CheckedEnv
from kuns_env.engine.game import PACKAGES, PRESETS


@pytest.mark.skipif(not hasattr(pettingzoo, "make"), reason="this PettingZoo has no registry yet")
@pytest.mark.parametrize("name", ["kuns_v0", "kuns-v0", "kunken_v0", "kunken-v0"])
def test_pettingzoo_makes_it(name: str) -> None:
    env = pettingzoo.make("aec", name, num_players=3, render_mode="ansi")
    assert type(env) is CheckedEnv
    rules, title = (KunsRules, "Kuns, hand 1") if name.startswith("kuns") else (KunkenRules, "Kunken, deal 1")
    assert env.unwrapped.rules == rules(num_players=3)
    env.reset(seed=1)
    assert env.render().startswith(title)


def test_every_game_has_a_module_for_pettingzoo() -> None:
    assert set(registration.AEC_IDS) == {f"{game}-v0" for game in PACKAGES}
    for game in PACKAGES:
        module = importlib.import_module(f"kuns_env.{game}_v0")
        assert module.raw_env.metadata["name"] == f"{game}_v0"
        assert module.raw_env.rules_type().game == game


@pytest.mark.parametrize("name", registration.SEAT_IDS)
def test_gymnasium_makes_it(name: str) -> None:
    env = gymnasium.make(name)
    observation, info = env.reset(seed=1)
    assert env.observation_space.contains(observation)
    assert info["action_mask"].any()
    env.step(int(info["action_mask"].argmax()))
    assert env.unwrapped.rules == preset(registration.SEAT_IDS[name])


@pytest.mark.parametrize("name", registration.SEAT_IDS)
def test_gymnasium_makes_many(name: str) -> None:
    envs = gymnasium.make_vec(name, num_envs=3)
    observations, info = envs.reset(seed=1)
    assert observations.shape[0] == 3
    assert info["action_mask"].shape[0] == 3
    envs.close()


def test_every_preset_has_a_name() -> None:
    assert sorted(registration.SEAT_IDS.values()) == sorted(PRESETS)
    for name in PRESETS:
        assert name.partition("-")[0] == preset(name).game


def test_registering_twice_is_silent() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        registration.register()
