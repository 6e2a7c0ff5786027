"""Trained agents: the same numbers as torch, safe with any logits, and files that say what is wrong."""

from __future__ import annotations

import zipfile
from contextlib import suppress
from itertools import pairwise

import numpy as np
import pytest

import kuns_agents
from agent_files import rewrite
from kuns_agents import AgentError
from kuns_agents.archive import META
from kuns_agents.network_file import VERSION
from kuns_agents.policy import PolicyAgent, masked_softmax
from kuns_env import Batch, KunsRules
from kuns_env.engine.game import game_of
from kuns_env.kuns.moves import NUM_MOVES

DUEL = KunsRules.duel()
WIDTH = 16


def layers(rules=DUEL, pad=False, encoder="table", scale=1.0, seed=0):
    rng = np.random.default_rng(seed)
    sizes = [int(game_of(rules).encoder(encoder, pad).shape[0]), WIDTH, WIDTH, NUM_MOVES]
    return [
        ((scale * rng.normal(size=pair)).astype(np.float32), rng.normal(size=pair[1]).astype(np.float32))
        for pair in pairwise(sizes)
    ]


def some_views(rules=DUEL, num_games=64, steps=3):
    batch, random = Batch(rules, num_games, seed=5), kuns_agents.load("random")
    rng = np.random.default_rng(0)
    for _ in range(steps):
        batch.step(random.act(batch.views(), rng))
    return batch.views()


# --- what it answers --------------------------------------------------------------------------------------


@pytest.mark.parametrize("activation", ["tanh", "relu"])
def test_logits_equal_those_of_torch(activation):
    torch = pytest.importorskip("torch", reason="torch comes with the extra `train`; the agent needs none")
    agent = PolicyAgent(layers(), activation, DUEL)
    modules = []
    for weights, biases in agent.network.layers:
        linear = torch.nn.Linear(*weights.shape)
        linear.weight.data, linear.bias.data = torch.tensor(weights.T), torch.tensor(biases)
        modules += [linear, {"tanh": torch.nn.Tanh, "relu": torch.nn.ReLU}[activation]()]
    observations = some_views().observations()
    with torch.no_grad():
        wanted = torch.nn.Sequential(*modules[:-1])(torch.tensor(observations)).numpy()
    np.testing.assert_allclose(agent.logits(observations), wanted, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("size", [3, 1000])
@pytest.mark.parametrize("scale", [0.0, 1.0, 1e4, 1e30, np.inf])
def test_softmax_holds_with_extreme_logits_and_a_thousand_moves(size, scale):
    rng = np.random.default_rng(1)
    masks = (rng.random((200, size)) < 0.3).astype(np.int8)
    masks[np.arange(200), rng.integers(size, size=200)] = 1
    signs = rng.choice([-1.0, 1.0], (200, size))
    logits = signs * scale if scale > 0 else np.zeros((200, size))
    policy = masked_softmax(logits, masks)
    assert (policy[masks == 0] == 0).all()
    assert np.isfinite(policy).all()
    np.testing.assert_allclose(policy.sum(axis=1), 1, rtol=1e-12)


def test_the_largest_logit_may_be_illegal():
    policy = masked_softmax(np.array([[1e38, 0.0, np.log(3.0)]]), np.array([[0, 1, 1]]))
    np.testing.assert_allclose(policy, [[0, 0.25, 0.75]])


def test_moves_are_drawn_as_often_as_the_policy_says():
    agent = PolicyAgent(layers(scale=0.3), "tanh", DUEL)
    one = some_views(num_games=1, steps=0)
    many = one[np.zeros(20_000, np.int64)]
    moves = agent.act(many, np.random.default_rng(3))
    wanted = agent.policy(one)[0]
    assert (wanted > 0).sum() == len(DUEL.ante_menu)
    np.testing.assert_allclose(np.bincount(moves, minlength=NUM_MOVES) / len(moves), wanted, atol=0.02)


def test_greedy_takes_the_likeliest_and_epsilon_mixes():
    net = layers()
    views = some_views()
    sampled, greedy = PolicyAgent(net, "tanh", DUEL), PolicyAgent(net, "tanh", DUEL, greedy=True)
    best = sampled.policy(views).argmax(axis=1)
    assert (greedy.act(views, np.random.default_rng(0)) == best).all()
    assert (greedy.policy(views).max(axis=1) == 1).all()
    mixed = PolicyAgent(net, "tanh", DUEL, greedy=True, epsilon=0.5).policy(views)
    uniform = kuns_agents.load("random").policy(views)
    np.testing.assert_allclose(mixed, (greedy.policy(views) + uniform) / 2)


def test_values_of_moves_are_played_greedily():
    views = some_views()
    q = PolicyAgent(layers(), "tanh", DUEL, kind="q")
    assert (q.policy(views) == PolicyAgent(layers(), "tanh", DUEL, greedy=True).policy(views)).all()


def test_a_network_that_answers_nan_is_named():
    net = layers()
    net[-1][1][:] = np.nan
    with pytest.raises(AgentError, match="agent 'broken': its network answers with NaN"):
        PolicyAgent(net, "tanh", DUEL, name="broken").act(some_views(), np.random.default_rng(0))


def test_infinite_logits_are_played():
    net = layers()
    net[-1][1][::2] = np.inf
    views = some_views()
    moves = PolicyAgent(net, "relu", DUEL).act(views, np.random.default_rng(0))
    assert views.masks[np.arange(len(views)), moves].all()


# --- for which rules --------------------------------------------------------------------------------------


def test_without_padding_only_the_layout_of_training_fits():
    agent = PolicyAgent(layers(), "tanh", DUEL)
    assert agent.supports(DUEL) is None
    assert agent.supports(KunsRules(num_players=2, forced_ante=3, side_bets=False, num_hands=2)) is None
    reason = agent.supports(KunsRules.anted())
    sizes = [game_of(rules).encoder("table").shape[0] for rules in (DUEL, KunsRules.anted())]
    assert reason == (
        f"agent 'policy' was trained for num_players=2 (observations of {sizes[0]} numbers); "
        f"not for num_players=4 ({sizes[1]} numbers): --players 2, or train with --pad"
    )
    reason = agent.supports(KunsRules(num_players=2, side_bets=False, ante_menu=(1, 2)))
    assert "for ante_menu=(1, 2, 4, 8) (" in reason
    assert ": --set ante_menu=[1,2,4,8], or" in reason
    assert ": --set side_bets=false, or" in agent.supports(KunsRules(num_players=2))
    betting = KunsRules(num_players=2)
    agent = PolicyAgent(layers(betting), "tanh", betting)
    assert "--set side_bets=true, or" in agent.supports(DUEL)
    reason = agent.supports(KunsRules(num_players=2, side_stakes=(1, 2, 8)))
    assert "--set side_stakes=[1,2,4], or" in reason


def test_another_game_is_named():
    assert (
        PolicyAgent(layers(), "tanh", DUEL).supports(3) == "agent 'policy' was trained for kuns, not for int"
    )
    assert kuns_agents.load("call").supports(3) == "agent 'call' plays Kuns, not int"


def test_observations_of_another_number_of_players_are_refused():
    agent = PolicyAgent(layers(), "tanh", DUEL)
    with pytest.raises(AgentError, match="num_players"):
        agent.act(some_views(KunsRules.anted()), np.random.default_rng(0))


@pytest.mark.parametrize("rules", [KunsRules(num_players=8), KunsRules.tiny(), KunsRules.anted(3)])
def test_with_padding_every_rules_fit(rules):
    agent = PolicyAgent(layers(pad=True), "tanh", DUEL, pad=True)
    assert agent.supports(rules) is None
    views = some_views(rules)
    moves = agent.act(views, np.random.default_rng(0))
    assert views.masks[np.arange(len(views)), moves].all()


@pytest.mark.parametrize("encoder", ["table", "history"])
def test_the_encoder_decides_what_the_policy_may_depend_on(encoder):
    agent = PolicyAgent(layers(encoder=encoder), "tanh", DUEL, encoder=encoder)
    assert agent.reads == {"table": "multiset", "history": "history"}[encoder]
    assert len(agent.act(some_views(), np.random.default_rng(0))) == 64


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"activation": "softplus"}, "activation 'softplus': must be one of tanh, relu"),
        ({"kind": "value"}, "kind 'value': must be one of policy, q"),
        ({"epsilon": 1.5}, "epsilon=1.5: must be from 0 to 1"),
        ({"epsilon": "x"}, "epsilon='x': must be from 0 to 1"),
        ({"epsilon": None}, "epsilon=None: must be from 0 to 1"),
        ({"layers": None}, "layers=None: must be pairs of arrays"),
        ({"layers": 3}, "layers=3: must be pairs of arrays"),
        ({"layers": [None]}, "layer 0 is of type NoneType: must be pairs of arrays"),
        ({"layers": [(1, 2)]}, "layer 0 is of type tuple: must be pairs of arrays"),
        ({"activation": ["tanh"]}, r"activation \['tanh'\]: must be text"),
        ({"encoder": {}}, "encoder {}: must be text"),
        ({"kind": None}, "kind None: must be text"),
        ({"name": []}, r"name \[\]: must be text"),
        ({"rules": None}, "rules None: must be a rules object"),
        ({"layers": []}, "no layers"),
        ({"layers": layers()[:2]}, f"ends in {WIDTH} numbers: must be {NUM_MOVES}"),
        ({"layers": layers()[1:]}, f"layer 0 reads {WIDTH} numbers and is given"),
        ({"layers": [(w, b[:-1]) for w, b in layers()]}, "they do not fit"),
        ({"pad": True}, "layer 0 reads"),
        ({"encoder": "picture"}, "no encoder 'picture'"),
    ],
)
def test_what_does_not_fit_is_refused(change, message):
    with pytest.raises(AgentError if "encoder" not in change else ValueError, match=message):
        PolicyAgent(**{"layers": layers(), "activation": "tanh", "rules": DUEL} | change)


# --- files ------------------------------------------------------------------------------------------------


@pytest.fixture
def saved(tmp_path):
    path = tmp_path / kuns_agents.AGENT_FILE
    kuns_agents.save(PolicyAgent(layers(), "relu", DUEL, name="pupil", info={"steps": 7}), path)
    return path


def test_save_and_load_return_the_same_agent(saved):
    views = some_views()
    wanted = PolicyAgent(layers(), "relu", DUEL).policy(views)
    for where in (saved, str(saved), saved.parent, f"policy:{saved}", f"policy:{saved.parent}"):
        agent = kuns_agents.load(where)
        assert (agent.name, agent.network.info, agent.network.rules) == ("pupil", {"steps": 7}, DUEL)
        assert (agent.policy(views) == wanted).all()
    assert [path.name for path in saved.parent.iterdir()] == [kuns_agents.AGENT_FILE]


def test_options_of_a_trained_agent(saved):
    assert not kuns_agents.load(saved).greedy
    assert kuns_agents.load(f"policy:{saved}?greedy").greedy
    assert kuns_agents.load(f"{saved}?greedy").greedy
    assert kuns_agents.load(saved).name == "pupil"
    assert kuns_agents.load(f"{saved}?greedy").name == "pupil greedy"
    assert kuns_agents.load(f"{saved}?greedy").network.name == "pupil"
    assert kuns_agents.load(saved, greedy=True, epsilon=0.1).epsilon == 0.1
    with pytest.raises(AgentError, match=r"unknown option 'best'; there is: greedy"):
        kuns_agents.load(f"policy:{saved}?best")
    with pytest.raises(AgentError, match=r"unknown option 'temperature'; there are: greedy, epsilon"):
        kuns_agents.load(saved, temperature=2)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(AgentError, match=r"there is no agent file '.*gone\.npz'"):
        kuns_agents.load(tmp_path / "gone.npz")
    with pytest.raises(AgentError, match=r"holds no agent\.npz: no agent was saved there"):
        kuns_agents.load(tmp_path)
    with pytest.raises(AgentError, match="there is no agent file"):
        kuns_agents.load("policy:nowhere/at/all")


@pytest.mark.parametrize("damage", ["cut", "text", "empty", "flipped", "array", "pickle", "other"])
def test_a_damaged_file_is_named(saved, damage):
    content = saved.read_bytes()
    if damage == "cut":
        saved.write_bytes(content[: len(content) // 2])
    elif damage == "text":
        saved.write_text("not an agent")
    elif damage == "empty":
        saved.write_bytes(b"")
    elif damage == "flipped":
        middle = len(content) // 2
        saved.write_bytes(content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :])
    elif damage == "array":
        with saved.open("wb") as file:
            np.save(file, np.zeros(3))
    elif damage == "pickle":
        np.savez(saved, **{META: np.array({"format": 1}, object)})
    else:
        with zipfile.ZipFile(saved, "w") as file:
            file.writestr("readme.txt", "hello")
    with pytest.raises(AgentError, match=r"agent\.npz.* (is damaged|is no agent file)"):
        kuns_agents.load(saved)


def test_another_version_or_format_is_named(saved):
    rewrite(saved, version=VERSION + 1)
    with pytest.raises(
        AgentError, match=f"version {VERSION + 1}: this program reads versions 1 to {VERSION}"
    ):
        kuns_agents.load(saved)
    rewrite(saved, format="other")
    with pytest.raises(AgentError, match="has no format 'kuns-agents/network'"):
        kuns_agents.load(saved)


def test_another_observation_layout_is_named_with_ours(saved):
    rewrite(saved, layout=[["phase", 8], ["cards", 40]])
    size = game_of(DUEL).encoder("table").shape[0]
    message = rf"observations of 48 numbers; those of this program have {size}: feature \d+ is "
    with pytest.raises(AgentError, match=message) as refused:
        kuns_agents.load(saved)
    assert len(str(refused.value)) - len(str(saved)) < 200


@pytest.mark.parametrize(
    "changes",
    [
        {"rules": {"num_players": 99}},
        {"rules": None},
        {"game": "bridge"},
        {"num_layers": 5},
        {"num_layers": "x"},
        {"layout": None},
        {"activation": "sine"},
        {"kind": "?"},
        {"encoder": "picture"},
        {"pad": True},
    ],
    ids=str,
)
def test_a_description_that_makes_no_sense_is_named(saved, changes):
    rewrite(saved, **changes)
    with pytest.raises(AgentError, match=r"agent\.npz"):
        kuns_agents.load(saved)


def test_a_flipped_byte_anywhere_is_no_crash(saved):
    """The places where the archive says how it was made, and by which version of the format."""
    whole = saved.read_bytes()
    start = whole.rindex(b"PK\x01\x02")
    for place in range(start, len(whole)):
        saved.write_bytes(whole[:place] + bytes([whole[place] ^ 0x7F]) + whole[place + 1 :])
        with suppress(AgentError):
            kuns_agents.load(saved)


def test_a_file_that_is_no_archive_is_named(tmp_path):
    path = tmp_path / "agent.npz"
    path.write_text("hello")
    with pytest.raises(AgentError, match=r"agent\.npz' is damaged or no agent file: it is no \.npz file"):
        kuns_agents.load(path)


def test_no_error_speaks_of_trusting_a_file(saved):
    whole = saved.read_bytes()
    for damaged in (b"hello", b"junk" + whole, b"\x80\x04N.", whole[1:]):
        saved.write_bytes(damaged)
        with pytest.raises(AgentError) as refused:
            kuns_agents.load(saved)
        problem = str(refused.value).removeprefix(repr(str(saved)))
        assert "trust" not in problem
        assert "pickle" not in problem


def test_files_of_version_1_are_read(saved):
    rewrite(saved, version=1, head=None)
    assert kuns_agents.load(saved).name == "pupil"
