"""The PettingZoo environment: play, rewards, masks, agents that finish, bad input."""

from __future__ import annotations

import copy
import math
import pickle
from typing import Any

import numpy as np
import pytest

from aec_play import FEW, OPEN, RULES, choose, mask_of, seen, turns
from kuns_env import IllegalMoveError, KunsRules, OptionsError, RulesError, Table, kuns_v0
from kuns_env.engine.aec import TableEnv

BOTH = pytest.mark.parametrize("mask_in_info", [False, True], ids=["in-observation", "in-info"])
SOME = pytest.mark.parametrize("rules", FEW.values(), ids=FEW)
ALL = pytest.mark.parametrize("rules", RULES.values(), ids=RULES)


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(5)


def started(rules: KunsRules, seed: int = 1, **options: Any) -> kuns_v0.raw_env:
    env = kuns_v0.raw_env(rules, **options)
    env.reset(seed=seed)
    return env


def at_choice_to_leave(num_players: int, **fields: Any) -> kuns_v0.raw_env:
    """An open session after its first hand, which everybody but the last folded."""
    env = started(KunsRules(num_players=num_players, num_hands=None, **fields))
    env.step(env.move_id("ante 1"))
    while "stay" not in env.table.legal_moves():
        env.step(env.move_id("fold"))
    return env


# --- masks ------------------------------------------------------------------------------------------------


def check_mask(env: Any) -> None:
    """Mask, legal moves and what `step` accepts are the same, over all numbers of moves; a refusal changes nothing."""
    agent, table = env.agent_selection, env.table
    mask = mask_of(env, agent)
    assert mask.dtype == np.int8
    assert mask.shape == (env.action_space(agent).n,)
    assert [env.move_text(move) for move in np.flatnonzero(mask)] == table.legal_moves()
    before = seen(env)
    for move in range(-2, len(mask) + 2):
        if 0 <= move < len(mask) and mask[move]:
            copy.deepcopy(env).step(move)
            continue
        with pytest.raises(IllegalMoveError) as caught:
            env.step(move)
        refused = caught.value
        assert (refused.seat, refused.move, refused.legal) == (table.to_play, move, table.legal_moves())
        assert seen(env) == before
    for other in env.agents:
        if other != agent:
            assert mask_of(env, other).all()


@BOTH
@SOME
def test_masks_are_the_legal_moves_and_what_step_accepts(
    rules: KunsRules, mask_in_info: bool, rng: np.random.Generator
) -> None:
    env = started(rules, mask_in_info=mask_in_info)
    for agent in turns(env, rng, 60):
        if not env.terminations[agent] and not env.truncations[agent]:
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
    rules: KunsRules, mask_in_info: bool, rng: np.random.Generator
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
    rules: KunsRules, encoder: str, pad: bool, rng: np.random.Generator
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
    """K7.2: payoffs when a hand ends and 0 otherwise; `last` hands out what came since the last step."""
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
def test_rewards_are_the_payoffs_of_hands_that_end(rules: KunsRules, rng: np.random.Generator) -> None:
    for _ in range(3):
        check_rewards(kuns_v0.raw_env(rules), rng)


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


def test_hands_follow_each_other_in_an_episode(rng: np.random.Generator) -> None:
    """K2.2: an episode is ``num_hands`` hands."""
    env = started(KunsRules(num_players=4, num_hands=5))
    for _ in turns(env, rng):
        pass
    assert env.table.hands_done == 5


# --- starting ---------------------------------------------------------------------------------------------


def test_seeds_name_the_deals() -> None:
    """K2.1, K3.1: the seed rules the lot and the deck; reset() goes on to the next episode."""
    rules = KunsRules(num_players=5)
    env = kuns_v0.env(rules)
    env.reset(seed=7)
    for episode in range(3):
        table = Table(rules, 7, episode=episode)
        assert env.unwrapped.table.stream == (7, 0, episode)
        assert env.unwrapped.table.deck_texts() == table.deck_texts()
        assert env.agent_selection == f"player_{table.dealer}"
        env.reset()
    env.reset(seed=7)
    assert env.unwrapped.table.stream == (7, 0, 0)


def test_without_a_seed_the_first_deal_is_anybodys_guess() -> None:
    decks = set()
    for _ in range(2):
        env = kuns_v0.raw_env()
        env.reset()
        decks.add(tuple(env.table.deck_texts()))
    assert len(decks) == 2


def test_options_set_up_the_hand() -> None:
    """K10.1."""
    env = kuns_v0.env(num_players=2)
    env.reset(seed=1, options={"dealer": 1, "deck": ["Ah", "Td"]})
    assert env.agent_selection == "player_1"
    assert env.unwrapped.table.deck_texts()[:2] == ["Ah", "Td"]


@pytest.mark.parametrize(
    "options",
    [
        {"dealer": 2},
        {"dealer": True},
        {"deck": ["Ah", "Ah"]},
        {"deck": ["Kh"]},
        {"deck": "Ah"},
        {"trump": "h"},
        {"options": 2},
        ["dealer"],
    ],
    ids=str,
)
@pytest.mark.parametrize("make", [kuns_v0.raw_env, kuns_v0.env])
def test_bad_options_leave_the_old_game_as_it_was(make: Any, options: Any, rng: np.random.Generator) -> None:
    """K10.1."""
    env = make(num_players=2)
    env.reset(seed=1)
    env.step(choose(env, rng))
    before = seen(env)
    with pytest.raises(OptionsError, match=r"K10\.1|deck|mapping"):
        env.reset(seed=2, options=options)
    assert seen(env) == before
    assert env.unwrapped.table.stream == (1, 0, 0)


@pytest.mark.parametrize("seed", [-1, 2**63, 1.5, True, "1"], ids=repr)
def test_bad_seeds_leave_the_old_game_as_it_was(seed: Any) -> None:
    env = started(KunsRules())
    before = seen(env)
    with pytest.raises(ValueError, match="seed="):
        env.reset(seed=seed)
    assert seen(env) == before


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"rules": KunsRules(), "num_players": 3}, "not both: num_players"),
        ({"num_players": 9}, "num_players=9"),
        ({"num_players": 2.0}, r"num_players=2\.0"),
        ({"players": 3}, "'players' is not a field"),
        ({"rules": "kuns"}, "must be KunsRules, not 'kuns'"),
        ({"rules": {"num_players": 3}}, "must be KunsRules"),
        ({"encoder": "picture"}, "no encoder 'picture'; kuns has: table, history"),
        ({"render_mode": "gif"}, "render_mode='gif'.*ansi"),
        ({"render_seat": 4}, "render_seat=4.*0 to 3"),
        ({"render_seat": -1}, "render_seat=-1"),
        ({"render_seat": True}, "render_seat=True"),
        ({"render_seat": "everything"}, "render_seat='everything'.*'all'"),
    ],
    ids=lambda value: str(value)[:30],
)
@pytest.mark.parametrize("make", [kuns_v0.raw_env, kuns_v0.env])
def test_bad_arguments_are_named(make: Any, arguments: dict[str, Any], named: str) -> None:
    with pytest.raises(ValueError, match=named):
        make(**arguments)


def test_fields_of_the_rules_are_arguments() -> None:
    env = kuns_v0.env(num_players=3, forced_ante=1)
    assert env.unwrapped.rules == KunsRules(num_players=3, forced_ante=1)


# --- bad moves --------------------------------------------------------------------------------------------

NO_MOVES = [
    -1,
    37,
    2**31,
    2**63,
    2**70,
    -(2**70),
    1.0,
    0.5,
    math.nan,
    math.inf,
    True,
    False,
    None,
    "call",
    b"",
    [1],
]
NO_MOVES += [
    np.float32(1),
    np.nan,
    np.bool_(True),
    np.array([1, 2]),
    np.int64(-1),
    np.uint64(2**63),
    (),
    object,
]


@pytest.mark.parametrize("move", NO_MOVES, ids=lambda move: repr(move)[:24])
def test_what_is_no_move_is_refused_and_changes_nothing(move: Any) -> None:
    env = started(KunsRules(num_players=3))
    env.step(env.move_id("ante 2"))  # 0 and 1, fold and call, are legal now
    before = seen(env)
    with pytest.raises(IllegalMoveError, match="legal: fold, call") as caught:
        env.step(move)
    assert caught.value.move is move
    assert caught.value.seat == env.table.to_play
    assert "by number: [0, 1]" in "".join(caught.value.__notes__)
    assert seen(env) == before


@pytest.mark.parametrize(
    "kind", [np.int8, np.int32, np.int64, np.uint8, np.array], ids=lambda kind: kind.__name__
)
def test_integers_of_numpy_are_moves(kind: Any) -> None:
    for make in (kuns_v0.raw_env, kuns_v0.env):
        env = make(num_players=2)
        env.reset(seed=1)
        env.step(kind(env.unwrapped.move_id("ante 2")))
        assert env.unwrapped.table.legal_moves() == ["fold", "call"]


def test_a_game_that_is_over_takes_no_move(rng: np.random.Generator) -> None:
    env = started(KunsRules.duel())
    for _ in turns(env, rng):
        pass
    for move in (0, None):
        with pytest.raises(IllegalMoveError, match="the game is over"):
            env.step(move)
    assert env.agents == []


def test_agents_that_are_not_there_are_named() -> None:
    env = started(KunsRules.duel())
    for ask in (env.observe, env.observation_space, env.action_space):
        with pytest.raises(ValueError, match="no agent 'player_2'; there are: player_0, player_1"):
            ask("player_2")


def test_before_reset_everything_says_so() -> None:
    env = kuns_v0.raw_env()
    for name in ("agents", "agent_selection", "rewards", "infos", "table"):
        with pytest.raises(AttributeError, match="before reset"):
            getattr(env, name)
    for call in (env.state, env.last, lambda: env.step(0), lambda: env.move_text(0)):
        with pytest.raises(AttributeError, match="before reset"):
            call()
    with pytest.raises(AttributeError, match="no attribute 'agent'"):
        env.agent  # noqa: B018


# --- the rest ---------------------------------------------------------------------------------------------


@SOME
def test_moves_have_a_text_and_the_way_back(rules: KunsRules, rng: np.random.Generator) -> None:
    """K9.1, K9.2."""
    env = started(rules)
    for _ in turns(env, rng, 40):
        texts = [env.move_text(move) for move in env.table.legal_actions()]
        assert texts == env.table.legal_moves()
        assert [env.move_id(text) for text in texts] == env.table.legal_actions()


@BOTH
@pytest.mark.parametrize(
    "way", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))], ids=["copy", "pickle"]
)
@pytest.mark.parametrize("make", [kuns_v0.raw_env, kuns_v0.env])
def test_copies_go_on_identically(make: Any, way: Any, mask_in_info: bool, rng: np.random.Generator) -> None:
    env = make(KunsRules(num_players=3, **OPEN), mask_in_info=mask_in_info)
    way(env)  # before the first game, too
    env.reset(seed=2)
    for count, _ in enumerate(turns(env, rng, 120)):
        if count % 20 == 0:
            twin = way(env)
            moves = np.random.default_rng(count), np.random.default_rng(count)
            before = seen(env)
            assert seen(twin) == before
            ahead = copy.deepcopy(env)
            for _ in range(30):
                if twin.agents:
                    twin.step(choose(twin, moves[0]))
                    ahead.step(choose(ahead, moves[1]))
            assert seen(twin) == seen(ahead)
            assert seen(env) == before  # copies share nothing


def test_the_full_record_is_in_state_and_says_for_whom() -> None:
    env = started(KunsRules())
    assert env.state_space.contains(env.state())
    assert env.state().view(env.table.state.dtype)[0] == env.table.state
    assert "NOT FOR AGENTS" in (TableEnv.state.__doc__ or "")


@pytest.mark.parametrize("mode", ["ansi", "human"])
def test_text_is_seen_from_a_seat(mode: str, capsys: pytest.CaptureFixture[str]) -> None:
    """K7.3: what is face down stays so, unless everything is asked for by name."""
    for seat, wanted in ((None, "? ?"), (1, "(you)"), ("all", "")):
        env = started(KunsRules(num_players=2), render_mode=mode, render_seat=seat)
        capsys.readouterr()
        text = env.render()
        if mode == "human":
            assert text is None
            text = capsys.readouterr().out.rstrip("\n")
        assert wanted in text
        assert text.count("?") == {None: 4, 1: 2, "all": 0}[seat]
        if seat != "all":
            assert text == env.table.view(seat).text()


def test_human_mode_prints_by_itself(capsys: pytest.CaptureFixture[str]) -> None:
    env = started(KunsRules(num_players=2), render_mode="human")
    assert "ante not set" in capsys.readouterr().out
    env.step(env.move_id("ante 4"))
    assert "ante 4" in capsys.readouterr().out


def test_rendering_without_a_mode_warns() -> None:
    with pytest.warns(UserWarning, match="no render_mode"):
        assert started(KunsRules()).render() is None


def test_spaces_and_metadata() -> None:
    env = kuns_v0.env(num_players=3)
    for agent in env.possible_agents:
        assert env.action_space(agent) is env.action_space(agent)
        assert env.observation_space(agent) is env.observation_space(agent)
    assert env.possible_agents == ["player_0", "player_1", "player_2"]
    assert env.metadata["name"] == str(env) == str(env.unwrapped) == "kuns_v0"
    assert env.metadata["is_parallelizable"] is False
    assert isinstance(env.unwrapped, kuns_v0.raw_env)
    env.close()
