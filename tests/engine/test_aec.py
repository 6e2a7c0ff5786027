"""The PettingZoo environment: masks, rewards, agents that finish."""

from __future__ import annotations

import copy
import math
from typing import Any

import numpy as np
import pytest

from aec_play import ALL, BOTH, FEW, RULES, SOME, choose, mask_of, raw, seen, started, turns
from kuns_env import IllegalMoveError, KunkenRules, KunsRules, RulesError, kuns_v0
from kuns_env.engine.aec import TableEnv


def at_choice_to_leave(num_players: int, **fields: Any) -> kuns_v0.raw_env:
    """An open session after its first hand, which everybody but the last folded."""
    env = started(KunsRules(num_players=num_players, num_hands=None, **fields))
    env.step(env.move_id("ante 1"))
    while "stay" not in env.table.legal_moves():
        env.step(env.move_id("fold"))
    return env


MANY_MOVES = 20
"""A position with a thousand moves to try takes as long as this many of Kuns."""
LOOK = 15
"""After one in so many refusals all that can be seen is looked at; after every one the record."""

# --- masks ------------------------------------------------------------------------------------------------


def check_mask(env: Any) -> None:
    """Mask, legal moves and what `step` accepts are the same, over all numbers of moves; a refusal changes nothing."""
    agent, table = env.agent_selection, env.table
    mask = mask_of(env, agent)
    assert mask.dtype == np.int8
    assert mask.shape == (env.action_space(agent).n,)
    assert [env.move_text(move) for move in np.flatnonzero(mask)] == table.legal_moves()
    before, record = seen(env), env.state().tobytes()
    for move in range(-2, len(mask) + 2):
        if 0 <= move < len(mask) and mask[move]:
            copy.deepcopy(env).step(move)
            continue
        with pytest.raises(IllegalMoveError) as caught:
            env.step(move)
        refused = caught.value
        assert (refused.seat, refused.move, refused.legal) == (table.to_play, move, table.legal_moves())
        assert env.state().tobytes() == record
        assert move % LOOK or seen(env) == before
    for other in env.agents:
        if other != agent:
            assert mask_of(env, other).all()


@BOTH
@SOME
def test_masks_are_the_legal_moves_and_what_step_accepts(
    rules: Any, mask_in_info: bool, rng: np.random.Generator
) -> None:
    env = started(rules, mask_in_info=mask_in_info)
    every = 1 if rules.game == "kuns" else MANY_MOVES
    for number, agent in enumerate(turns(env, rng, 60)):
        if number % every == 0 and not env.terminations[agent] and not env.truncations[agent]:
            check_mask(env)


class Shifted(kuns_v0.raw_env):
    def _mask(self, agent: str, seat: int) -> np.ndarray:
        return np.roll(super()._mask(agent, seat), 1)


class Generous(kuns_v0.raw_env):
    def _mask(self, agent: str, seat: int) -> np.ndarray:
        return np.ones_like(super()._mask(agent, seat))


class Forgiving(kuns_v0.raw_env):
    def _apply(self, action: Any) -> None:
        legal = self.table.legal_actions()
        super()._apply(action if action in legal else legal[0])


class Careless(kuns_v0.raw_env):
    def step(self, action: Any) -> None:
        self._cumulative_rewards[self.agent_selection] = 1.0
        super().step(action)


@pytest.mark.parametrize("broken", [Shifted, Generous, Forgiving, Careless])
def test_the_check_of_masks_finds(broken: type[TableEnv]) -> None:
    env = broken(KunsRules(num_players=3))
    env.reset(seed=1)
    with pytest.raises((AssertionError, IllegalMoveError, ValueError, pytest.fail.Exception)):
        check_mask(env)


@BOTH
@ALL
def test_finished_agents_have_a_full_mask_and_an_observation(
    rules: Any, mask_in_info: bool, rng: np.random.Generator
) -> None:
    env = started(rules, mask_in_info=mask_in_info)
    finished = 0
    for agent in turns(env, rng):
        observation, _, termination, truncation, info = env.last()
        assert env.observation_space(agent).contains(observation)
        if termination or truncation:
            finished += 1
            mask = info["action_mask"] if mask_in_info else observation["action_mask"]
            assert mask.all()
    assert finished == rules.num_players
    assert env.agents == []
    for agent in env.possible_agents:
        observation = env.observe(agent)
        assert env.observation_space(agent).contains(observation)
        assert mask_in_info or observation["action_mask"].all()


@SOME
@pytest.mark.parametrize("encoder", ["table", "history"])
@pytest.mark.parametrize("pad", [False, True], ids=["", "padded"])
def test_observations_are_what_the_seat_knows(
    rules: Any, encoder: str, pad: bool, rng: np.random.Generator
) -> None:
    env = started(rules, encoder=encoder, pad=pad)
    for _ in turns(env, rng, 60):
        for seat, agent in enumerate(env.possible_agents):
            expected = env.table.view(seat).observation(encoder, pad)
            observation = env.observe(agent)["observation"]
            assert observation.dtype == expected.dtype
            assert (observation == expected).all()


def test_what_is_returned_is_a_copy() -> None:
    for mask_in_info in (False, True):
        env = started(KunsRules(), mask_in_info=mask_in_info)
        before = seen(env)
        env.state()[:] = 7
        for agent in env.agents:
            observation = env.observe(agent)
            if mask_in_info:
                observation[:] = 7
            else:
                observation["observation"][:] = observation["action_mask"][:] = 7
        assert seen(env) == before
    agent = env.agent_selection
    for info in env.infos.values():
        info["action_mask"][:] = 7
    env.step(env.move_id("ante 1"))
    assert mask_of(env, agent).tolist() == [1] * len(mask_of(env, agent))


# --- rewards ----------------------------------------------------------------------------------------------


def check_rewards(env: Any, rng: np.random.Generator) -> None:
    """K7.2, N7.4: payoffs when a hand ends and 0 otherwise; `last` hands out what came since the last step."""
    env.reset(seed=3)
    owed = dict.fromkeys(env.possible_agents, 0.0)
    for agent in env.agent_iter():
        hands, payoffs = env.table.hands_done, env.table.payoffs()
        assert env.last(observe=False)[1] == pytest.approx(owed[agent])
        owed[agent] = 0.0
        env.step(choose(env, rng))
        ended = env.table.hands_done != hands
        for other, reward in env.rewards.items():
            seat = env.possible_agents.index(other)
            won = env.table.payoffs()[seat] - payoffs[seat]
            assert reward == pytest.approx(won if ended else 0.0)
            assert not ended or reward == env.table.last_payoffs()[seat]
            owed[other] += reward
        if ended:
            assert math.fsum(env.rewards.values()) == pytest.approx(
                0
            )  # K7.1: every seat of the hand is there


@ALL
def test_rewards_are_the_payoffs_of_hands_that_end(rules: Any, rng: np.random.Generator) -> None:
    for _ in range(3):
        check_rewards(raw(rules), rng)


def test_raw_scores_are_rewards_too_n7_3(rng: np.random.Generator) -> None:
    env = started(KunkenRules(num_players=4, hand_size=20, open_from_stock=True, settlement="points"), 3)
    for _ in turns(env, rng):
        pass
    scores = env.table.state["last_scores"][:4].tolist()
    assert env.table.last_payoffs() == scores
    assert any(scores)


class WrongSeat(kuns_v0.raw_env):
    def _reward(self) -> None:
        super()._reward()
        self.rewards = dict(zip(self.agents, np.roll(list(self.rewards.values()), 1).tolist(), strict=True))


class TwiceGiven(kuns_v0.raw_env):
    def _reward(self) -> None:
        super()._reward()
        self._rewarded = False


class NeverTaken(kuns_v0.raw_env):
    def _accumulate_rewards(self) -> None:
        pass


@pytest.mark.parametrize("broken", [WrongSeat, TwiceGiven, NeverTaken])
def test_the_check_of_rewards_finds(broken: type[TableEnv], rng: np.random.Generator) -> None:
    with pytest.raises(AssertionError):
        check_rewards(broken(FEW["session-5"]), rng)


# --- agents that finish -----------------------------------------------------------------------------------


def test_who_leaves_is_terminated_and_never_acts_again(rng: np.random.Generator) -> None:
    """K2.2."""
    env = at_choice_to_leave(4)
    leaver = env.agent_selection
    env.step(env.move_id("leave"))
    assert env.agent_selection == leaver
    assert env.last()[2:4] == (True, False)
    with pytest.raises(ValueError, match="None"):
        env.step(0)
    env.step(None)
    assert leaver not in env.agents
    assert len(env.agents) == 3
    assert "stay" in env.table.legal_moves()  # the next one chooses
    while env.agents:
        assert env.agent_selection != leaver
        assert leaver not in {**env.rewards, **env.terminations, **env.truncations, **env.infos}
        env.step(choose(env, rng))


def test_a_leaver_takes_its_last_payoff_along() -> None:
    """K7.2: the hand was paid before the choice to leave."""
    env = at_choice_to_leave(3, forced_ante=2)
    leaver = env.agent_selection
    payoff = env.table.last_payoffs()[env.possible_agents.index(leaver)]
    assert env.last()[1] == payoff != 0
    env.step(env.move_id("leave"))
    assert env.last()[1] == 0.0


def test_the_session_ends_when_fewer_than_two_remain() -> None:
    """K2.2."""
    env = at_choice_to_leave(3)
    for _ in range(2):
        assert not any(env.terminations.values())
        env.step(env.move_id("leave"))
        if not env.table.is_over:
            env.step(None)
    assert all(env.terminations.values())
    for remaining in range(len(env.agents), 0, -1):
        assert len(env.agents) == remaining
        env.step(None)
    assert env.agents == []


def test_a_session_that_is_cut_off_is_truncated(rng: np.random.Generator) -> None:
    """K2.2: ``max_hands``."""
    env = started(KunsRules(num_players=3, num_hands=None, max_hands=2))
    while not env.table.is_over:
        stay = "stay" in env.table.legal_moves()
        env.step(env.move_id("stay") if stay else choose(env, rng))
    assert env.table.hands_done == 2
    assert env.truncations == dict.fromkeys(env.possible_agents, True)
    assert env.terminations == dict.fromkeys(env.possible_agents, False)
    for _ in range(3):
        assert env.last()[2:4] == (False, True)
        env.step(None)
    assert env.agents == []


def test_who_cannot_pay_is_terminated_between_two_hands(rng: np.random.Generator) -> None:
    """K2.3."""
    found = 0
    for seed in range(20):
        env = started(RULES["poor-6"], seed)
        for agent in turns(env, rng):
            left_or_broke = not env.table.seated[env.possible_agents.index(agent)]
            assert env.terminations[agent] == (
                left_or_broke or (env.table.is_over and not env.table.truncated)
            )
            found += left_or_broke and not env.table.is_over
    assert found > 5


def test_no_hand_can_be_dealt() -> None:
    with pytest.raises(RulesError, match=r"forced ante.*K2\.3"):
        kuns_v0.raw_env(bankroll=1, forced_ante=2)


@pytest.mark.parametrize(
    "rules",
    [KunsRules(num_players=4, num_hands=5), KunkenRules(num_players=5, hand_size=20, num_deals=5)],
    ids=lambda rules: rules.game,
)
def test_hands_follow_each_other_in_an_episode(rules: Any, rng: np.random.Generator) -> None:
    """K2.2, N2.1: an episode is ``num_hands`` hands or ``num_deals`` deals."""
    env = started(rules)
    for _ in turns(env, rng):
        pass
    assert env.table.hands_done == 5
