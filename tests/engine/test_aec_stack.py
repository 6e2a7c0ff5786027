"""`env()` behaves as `raw_env()` in PettingZoo's usual three wrappers: both are played side by side."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from pettingzoo.utils.env_logger import EnvLogger
from pettingzoo.utils.wrappers import AssertOutOfBoundsWrapper, OrderEnforcingWrapper, TerminateIllegalWrapper

from aec_play import BOTH, FEW, SOME, checked, mask_of, raw, seen, turns
from kuns_env import KunsRules, OptionsError, kuns_v0
from kuns_env.engine.checked import CheckedEnv

NUM_EPISODES = 25
NUM_LONG_EPISODES = 8
"""Of Kunken."""


def stacked(rules: Any, mask_in_info: bool = False) -> Any:
    """The usual stack, in the usual order."""
    inside = TerminateIllegalWrapper(raw(rules, mask_in_info=mask_in_info), illegal_reward=-1)
    return OrderEnforcingWrapper(AssertOutOfBoundsWrapper(inside))


def outcome(call: Callable[[], Any]) -> tuple[str, Any]:
    """What a call returns, or which error it raises with what words; and what it warns of."""
    EnvLogger.flush()
    EnvLogger.suppress_output()
    try:
        return "returned", call(), list(EnvLogger.mqueue)
    except Exception as error:
        return type(error).__name__, str(error), list(EnvLogger.mqueue)
    finally:
        EnvLogger.unsuppress_output()


def without_infos(everything: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in everything.items() if name != "infos"}


def same(ours: Any, theirs: Any, lost: bool) -> None:
    """Compare all that can be seen. After an illegal move the stack leaves a stale mask in the infos."""
    one, other = seen(ours), seen(theirs)
    if lost:
        one, other = without_infos(one), without_infos(other)
    assert one == other
    assert ours.num_agents == theirs.num_agents
    if ours.agents:
        mine, yours = ours.last(), theirs.last()
        assert mine[1:4] == yours[1:4]
        assert [type(entry) for entry in mine] == [type(entry) for entry in yours]


def pick(env: Any, rng: np.random.Generator) -> Any:
    """Mostly a legal move; now and then an illegal one, or none at all, or a move by one who has finished."""
    agent = env.agent_selection
    finished = env.terminations[agent] or env.truncations[agent]
    mask = mask_of(env, agent)
    kind = rng.random()
    if kind < 0.02:
        outside = int(env.action_space(agent).n)
        return [outside, -1, None, 1.5, float("nan"), "call", 2**70, np.int64(2000), np.float32(1)][
            rng.integers(9)
        ]
    if finished:
        return None if kind < 0.9 else 0
    wanted = 0 if kind < 0.05 and not mask.all() else 1
    number = int(rng.choice(np.flatnonzero(mask == wanted)))
    return np.int32(number) if kind < 0.3 else number


def play_episodes(ours: Any, theirs: Any) -> int:
    """Play in both; return how many episodes an illegal move ended."""
    rng = np.random.default_rng(9)
    return sum(play_both(ours, theirs, rng) for _ in range(number_of_episodes(ours)))


def number_of_episodes(env: Any) -> int:
    return NUM_EPISODES if env.unwrapped.rules.game == "kuns" else NUM_LONG_EPISODES


def play_both(ours: Any, theirs: Any, rng: np.random.Generator) -> bool:
    """Play an episode in both; return whether an illegal move ended it."""
    seed = int(rng.integers(1000))
    assert outcome(lambda: ours.reset(seed=seed)) == outcome(lambda: theirs.reset(seed=seed))
    lost = False
    for _ in range(200):
        same(ours, theirs, lost)
        if not ours.agents:
            break
        move = pick(ours, rng)
        told = outcome(lambda move=move: ours.step(move))
        assert told == outcome(lambda move=move: theirs.step(move))
        lost = lost or bool(told[2])
    for _ in range(2):  # a warning when all is over
        assert outcome(lambda: ours.step(None)) == outcome(lambda: theirs.step(None))
    return lost


@BOTH
@SOME
def test_it_behaves_as_the_stack_does(rules: Any, mask_in_info: bool) -> None:
    ours = checked(rules, mask_in_info=mask_in_info)
    lost = play_episodes(ours, stacked(rules, mask_in_info))
    assert 0 < lost < number_of_episodes(ours)


class NoWarning(CheckedEnv):
    def _lose(self, agent: str) -> None:
        super()._lose(agent)
        EnvLogger.flush()


class ZeroReward(CheckedEnv):
    def __init__(self, env: Any) -> None:
        super().__init__(env, illegal_reward=0)


class Lenient(CheckedEnv):
    def step(self, action: Any) -> None:
        try:
            super().step(action)
        except AssertionError:
            super().step(None)


class PlaysOn(CheckedEnv):
    def _lose(self, agent: str) -> None:
        EnvLogger.warn_on_illegal_move()


@pytest.mark.parametrize("broken", [NoWarning, ZeroReward, Lenient, PlaysOn])
def test_the_comparison_finds(broken: type[CheckedEnv]) -> None:
    ours, theirs = broken(kuns_v0.raw_env(FEW["kuns"])), stacked(FEW["kuns"])
    with pytest.raises(AssertionError):
        play_episodes(ours, theirs)


# --- one by one -------------------------------------------------------------------------------------------

BEFORE_RESET = {
    **{
        name: lambda env, name=name: getattr(env, name)
        for name in (
            *("rewards", "terminations", "truncations", "infos", "agent_selection", "num_agents", "agents"),
            *("_private", "nothing", "metadata", "possible_agents", "max_num_agents"),
        )
    },
    "step": lambda env: env.step(0),
    "last": lambda env: env.last(),
    "last-blind": lambda env: env.last(observe=False),
    "observe": lambda env: env.observe("player_0"),
    "agent_iter": lambda env: env.agent_iter(),
    "render": lambda env: env.render(),
    "state": lambda env: env.state(),
    "str": str,
    "close": lambda env: env.close(),
}


@pytest.mark.parametrize("ask", BEFORE_RESET.values(), ids=BEFORE_RESET)
@pytest.mark.parametrize("inside", ["new", "reset"])
def test_before_reset(inside: str, ask: Callable[[Any], Any]) -> None:
    """What counts is the `reset` of the layer, not that of the environment inside."""
    rules = KunsRules(num_players=3)
    ours, theirs = kuns_v0.env(rules), stacked(rules)
    if inside == "reset":
        ours.unwrapped.reset(seed=1)
        theirs.unwrapped.reset(seed=1)
    assert outcome(lambda: ask(ours)) == outcome(lambda: ask(theirs))


def test_a_loop_without_step_is_found() -> None:
    def loop(env: Any) -> list[str]:
        env.reset(seed=1)
        return list(env.agent_iter())

    told = outcome(lambda: loop(kuns_v0.env()))
    assert told[0] == "AssertionError"
    assert told == outcome(lambda: loop(stacked(KunsRules())))


def test_an_illegal_move_ends_the_game() -> None:
    env = kuns_v0.env(num_players=3)
    env.reset(seed=1)
    loser = env.agent_selection
    assert "Illegal move made" in outcome(lambda: env.step(env.unwrapped.move_id("call")))[2][0]
    assert env.rewards == {agent: -1.0 if agent == loser else 0.0 for agent in env.agents}
    assert all(env.terminations.values())
    assert all(env.truncations.values())
    while env.agents:
        observation, reward, *_ = env.last()
        assert reward == (-1.0 if env.agent_selection == loser else 0.0)
        assert observation["action_mask"].all()
        env.step(None)


def test_after_an_illegal_move_no_mask_is_stale() -> None:
    """Where the layer is stricter than the stack: a finished agent has all ones in its info, too."""
    env = kuns_v0.env(num_players=3, mask_in_info=True)
    env.reset(seed=1)
    outcome(lambda: env.step(env.unwrapped.move_id("call")))
    assert all(info["action_mask"].all() for info in env.infos.values())


@pytest.mark.parametrize("move", [True, False, np.bool_(True)], ids=repr)
def test_a_bool_is_no_move(move: Any) -> None:
    """The stack stumbles over it, or ends the game; the layer says what is wrong. Neither plays it."""
    ours, theirs = kuns_v0.env(num_players=2), stacked(KunsRules(num_players=2))
    for env in (ours, theirs):
        env.reset(seed=1)
        env.step(env.unwrapped.move_id("ante 1"))
    before = seen(ours)
    assert outcome(lambda: ours.step(move))[:2] == ("AssertionError", "action is not in action space")
    assert seen(ours) == before
    if outcome(lambda: theirs.step(move))[0] != "returned":
        assert seen(theirs) == before
    else:  # with NumPy 2.0 a bool picks nothing from the mask, which the stack takes for an illegal move
        assert theirs.terminations[theirs.agent_selection]


def test_a_first_reset_that_fails_does_not_count() -> None:
    env = kuns_v0.env()
    with pytest.raises(OptionsError):
        env.reset(options={"dealer": 9})
    assert outcome(lambda: env.step(0))[:2] == ("AssertionError", "reset() needs to be called before step.")


def test_the_raw_environment_is_inside() -> None:
    env = kuns_v0.env(FEW["open-4"])
    env.reset(seed=1)
    assert type(env.unwrapped) is kuns_v0.raw_env
    assert env.table is env.unwrapped.table
    rng = np.random.default_rng(1)
    for _ in turns(env, rng, 50):
        twin = copy.deepcopy(env)
        assert seen(twin) == seen(env)
