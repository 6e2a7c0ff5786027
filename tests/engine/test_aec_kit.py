"""PettingZoo's own tests, over every preset of both games, every player count, both places of the mask, sessions."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import pytest
from pettingzoo.test import api_test, render_test, seed_test
from pettingzoo.test.save_obs_test import test_save_obs as kit_save_obs
from pettingzoo.test.state_test import test_state as kit_state
from pettingzoo.test.state_test import test_state_space as kit_state_space

from aec_play import ALL, BOTH, FEW, MODULES, SOME, checked, raw
from kuns_env import KunsRules, kuns_v0

MAKERS = pytest.mark.parametrize("make", [raw, checked])

KNOWN = (
    # The kit knows the environments whose observations are dicts by their names.
    "Observation space for each agent probably should be",
    "Observation is not a NumPy array",
)


def run_api_test(env: Any) -> None:
    """PettingZoo's `api_test`; its warnings are failures, too."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        api_test(env, num_cycles=200)
    told = {str(warning.message) for warning in caught}
    assert not [text for text in told if not text.startswith(KNOWN)]


@ALL
@BOTH
@MAKERS
def test_api(make: Callable[..., Any], mask_in_info: bool, rules: Any) -> None:
    run_api_test(make(rules, mask_in_info=mask_in_info))


@pytest.mark.parametrize("encoder", ["table", "history"])
@SOME
def test_api_of_every_encoder(encoder: str, rules: Any) -> None:
    for pad in (False, True):
        run_api_test(checked(rules, encoder=encoder, pad=pad))


@ALL
@BOTH
@MAKERS
def test_seeds(make: Callable[..., Any], mask_in_info: bool, rules: Any) -> None:
    seed_test(lambda: make(rules, mask_in_info=mask_in_info), num_cycles=50)


@SOME
def test_state(rules: Any) -> None:
    kit_state_space(checked(rules))
    kit_state(checked(rules), 20)


@BOTH
@pytest.mark.parametrize("game", MODULES)
@pytest.mark.parametrize("name", ["raw_env", "env"])
def test_save_obs(name: str, game: str, mask_in_info: bool, capsys: pytest.CaptureFixture[str]) -> None:
    # Observations of a card game are no pictures: the kit says so and saves none.
    kit_save_obs(getattr(MODULES[game], name)(mask_in_info=mask_in_info))
    assert "did not save" in capsys.readouterr().out


@pytest.mark.parametrize("seat", [None, 1, "all"], ids=str)
@pytest.mark.parametrize("rules", ["open-4", "kunken-deals"])
@MAKERS
def test_render(make: Callable[..., Any], rules: str, seat: int | str | None) -> None:
    pytest.importorskip("PIL")
    render_test(lambda **options: make(FEW[rules], render_seat=seat, **options))


class OutOfBounds(kuns_v0.raw_env):
    def observe(self, agent: str) -> Any:
        seen = super().observe(agent)
        seen["observation"] += 100
        return seen


class Resurrecting(kuns_v0.raw_env):
    def _was_dead_step(self, action: Any) -> None:
        agent = self.agent_selection
        super()._was_dead_step(action)
        self.agents.insert(0, agent)


class ForgetsSeed(kuns_v0.raw_env):
    def reset(self, seed: Any = None, options: Any = None) -> None:
        super().reset(None, options)


@pytest.mark.parametrize("broken", [OutOfBounds, Resurrecting])
def test_the_kit_finds(broken: Callable[..., Any]) -> None:
    with pytest.raises((AssertionError, KeyError)):
        run_api_test(broken(KunsRules(num_players=3)))


def test_the_kit_finds_a_seed_that_is_forgotten() -> None:
    with pytest.raises(AssertionError):
        seed_test(lambda: ForgetsSeed(KunsRules(num_players=8)), num_cycles=50)


class Blind(kuns_v0.raw_env):
    def observe(self, agent: str) -> Any:
        seen = super().observe(agent)
        seen["observation"] *= 0
        return seen


def test_a_warning_of_the_kit_is_found() -> None:
    with pytest.raises(AssertionError, match="all zeros"):
        run_api_test(Blind(KunsRules(num_players=3)))
