"""The PettingZoo environment: how games start, what is refused, copies, text and spaces."""

from __future__ import annotations

import copy
import math
import pickle
from typing import Any

import numpy as np
import pytest

from aec_play import BOTH, OPEN, SOME, checked, choose, seen, started, turns
from games import SHORT_DEALS
from kuns_env import IllegalMoveError, KunkenRules, KunsRules, OptionsError, Table, kunken_v0, kuns_v0
from kuns_env.engine.aec import TableEnv

# --- starting ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "rules", [KunsRules(num_players=5), KunkenRules(num_players=5)], ids=["kuns", "kunken"]
)
def test_seeds_name_the_deals(rules: Any) -> None:
    """K2.1, K3.1, N2.1: the seed rules the lot and the deck; reset() goes on to the next episode."""
    env = checked(rules)
    env.reset(seed=7)
    for episode in range(3):
        table = Table(rules, 7, episode=episode)
        assert env.unwrapped.table.stream == (7, 0, episode)
        assert env.unwrapped.table.setup_options() == table.setup_options()
        assert env.agent_selection == f"player_{table.to_play}"
        env.reset()
    env.reset(seed=7)
    assert env.unwrapped.table.stream == (7, 0, 0)


def test_without_a_seed_the_first_deal_is_anybodys_guess() -> None:
    decks = set()
    for _ in range(2):
        env = kuns_v0.raw_env()
        env.reset()
        decks.add(tuple(env.table.setup_options()["deck"]))
    assert len(decks) == 2


def test_options_set_up_the_hand() -> None:
    """K10.1."""
    env = kuns_v0.env(num_players=2)
    env.reset(seed=1, options={"dealer": 1, "deck": ["Ah", "Td"]})
    assert env.agent_selection == "player_1"
    assert env.unwrapped.table.setup_options()["deck"][:2] == ["Ah", "Td"]


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


SET_UP = {"hands": [["2c", "2d", "9s"], ["5h", "6h", "Ks"]], "bank": ["7h"], "stock": ["Qd", "Jd"]}


def test_options_set_up_the_deal() -> None:
    """N9.1."""
    env = kunken_v0.env(hand_size=3)
    env.reset(seed=1, options={"dealer": 1, **SET_UP})
    assert env.agent_selection == "player_0"
    assert env.unwrapped.table.setup_options() == {"dealer": 1, **SET_UP}


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"dealer": 2}, "dealer=2"),
        ({"bank": []}, "bank"),
        ({"stock": []}, "stock"),
        ({"stock": ["Qd", "Qd", "Qd"]}, "'Qd' is there 3 times"),
        ({"stock": ["1d"]}, "stock.*'1d'"),
        ({"hands": [["2c"], ["5h", "6h", "Ks"]]}, r"hands\[0\] has 1 cards"),
        ({"deck": ["Ah"]}, "unknown option 'deck'"),
    ],
    ids=str,
)
@pytest.mark.parametrize("make", [kunken_v0.raw_env, kunken_v0.env])
def test_bad_options_leave_the_old_deal_as_it_was(
    make: Any, change: dict[str, Any], named: str, rng: np.random.Generator
) -> None:
    """N9.1."""
    env = make(hand_size=3)
    env.reset(seed=1)
    env.step(choose(env, rng))
    before = seen(env)
    with pytest.raises(OptionsError, match=named):
        env.reset(seed=2, options={**SET_UP, **change})
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


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"rules": KunkenRules(), "num_players": 3}, "not both: num_players"),
        ({"num_players": 6}, "num_players=6"),
        ({"num_hands": 2}, "'num_hands' is not a field of KunkenRules"),
        ({"rules": KunsRules()}, "must be KunkenRules, not KunsRules"),
        ({"encoder": "picture"}, "no encoder 'picture'; kunken has: table, history"),
        ({"render_seat": 2}, "render_seat=2.*0 to 1"),
    ],
    ids=lambda value: str(value)[:30],
)
@pytest.mark.parametrize("make", [kunken_v0.raw_env, kunken_v0.env])
def test_bad_arguments_of_kunken_are_named(make: Any, arguments: dict[str, Any], named: str) -> None:
    with pytest.raises(ValueError, match=named):
        make(**arguments)


def test_fields_of_the_rules_are_arguments() -> None:
    env = kuns_v0.env(num_players=3, forced_ante=1)
    assert env.unwrapped.rules == KunsRules(num_players=3, forced_ante=1)
    env = kunken_v0.env(num_players=3, joker_swap=True)
    assert env.unwrapped.rules == KunkenRules(num_players=3, joker_swap=True)


def test_settings_may_be_given_by_place() -> None:
    for module, rules in ((kuns_v0, KunsRules(num_players=3)), (kunken_v0, KunkenRules(num_players=3))):
        for make in (module.raw_env, module.env):
            env = make(rules, "ansi", True, "history").unwrapped
            assert (env.rules, env.render_mode, env.mask_in_info) == (rules, "ansi", True)


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
    "move",
    [-1, 990, 2**31, 2**70, 1.0, math.nan, True, None, "draw", np.bool_(True), np.float32(0), [0]],
    ids=lambda move: repr(move)[:24],
)
def test_what_is_no_move_of_kunken_is_refused_and_changes_nothing(move: Any) -> None:
    env = started(KunkenRules())
    before = seen(env)
    with pytest.raises(IllegalMoveError, match="legal: draw") as caught:
        env.step(move)
    assert caught.value.move is move
    assert "by number: [0]" in "".join(caught.value.__notes__)
    assert seen(env) == before


def test_a_move_of_a_moment_ago_is_refused() -> None:
    env = started(KunkenRules())
    env.step(env.move_id("draw"))
    before = seen(env)
    with pytest.raises(IllegalMoveError, match=r"may not 'draw' \(move 0\); legal: discard"):
        env.step(0)
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
def test_moves_have_a_text_and_the_way_back(rules: Any, rng: np.random.Generator) -> None:
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


@pytest.mark.parametrize("rules", [KunsRules(), KunkenRules()], ids=["kuns", "kunken"])
def test_the_full_record_is_in_state_and_says_for_whom(rules: Any) -> None:
    env = started(rules)
    assert env.state_space.contains(env.state())
    assert env.state().view(env.table.state.dtype)[0].tobytes() == env.table.state.tobytes()
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


def test_text_of_kunken_is_seen_from_a_seat() -> None:
    for seat, hidden in ((None, 2), (1, 1), ("all", 0)):
        env = started(KunkenRules(), render_mode="ansi", render_seat=seat)
        text = env.render()
        hands = [
            hand for hand in env.table.view(seat if seat != "all" else None).to_dict()["cards"] if "?" in hand
        ]
        assert len(hands) == (hidden or 2)
        assert ("(you)" in text) == (seat == 1)
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
    env = kunken_v0.env(SHORT_DEALS)
    assert env.metadata["name"] == str(env) == str(env.unwrapped) == "kunken_v0"
    assert env.action_space("player_4").n == 990
    assert isinstance(env.unwrapped, kunken_v0.raw_env)


def test_what_is_not_there_before_reset_says_so() -> None:
    env = kuns_v0.raw_env()
    with pytest.raises(AttributeError, match="num_agents cannot be accessed before reset"):
        env.num_agents  # noqa: B018
    with pytest.raises(AttributeError, match="cannot be accessed before reset"):
        env.observe("player_0")
