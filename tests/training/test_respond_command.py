"""`kuns respond`: options, mistakes in one line, what it tells, and what it leaves for other commands."""

import json

import pytest

import kuns_agents
from agent_code import write_code
from kuns_training.cli import main
from kuns_training.config import Config
from kuns_training.respond import run as respond_run
from kuns_training.run_folder import RunFolder

SMALL = [
    "--steps",
    "1024",
    "--games",
    "32",
    "--hidden",
    "16",
    "--with",
    "ppo.batch_size=128",
    "--deals",
    "60",
]
SMALL += ["--with", "ppo.rollout_steps=16", "--with", "curve_points=1", "--with", "curve_deals=20"]


@pytest.fixture(autouse=True)
def few_deals(monkeypatch):
    for game in respond_run.SELECTION_DEALS:
        monkeypatch.setitem(respond_run.SELECTION_DEALS, game, 20)


def kuns(*args):
    with pytest.raises(SystemExit) as caught:
        main([str(arg) for arg in args])
    return caught.value.code


def test_respond_and_evaluate(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert kuns("respond", "fold", "--game", "kuns-tiny", *SMALL, "--seed", 3) == 0
    told = capsys.readouterr()
    folder = RunFolder("runs/kuns-tiny-ppo-3-against-fold")
    assert "response to fold" in told.out
    assert str(folder.path) in told.out
    assert "can be exploited for at least" in told.out
    chosen = json.loads(folder.response.read_text())["chosen"]
    agent = f"'{folder.path}?greedy'" if chosen["likeliest_moves"] else str(folder.path)
    assert f"play against it: kuns play {agent} --game kuns-tiny" in told.out
    assert "where it loses" not in told.out  # that would be the last snapshot, which is not the agent
    assert kuns_agents.load(folder.path).name == "ppo-3-against-fold"
    config = Config.from_json(folder.config.read_text())
    assert (config.opponents, config.seed, config.total_steps) == ({"fold": 1.0}, 3, 1_024)
    assert config.ppo.entropy > Config().ppo.entropy
    assert kuns("evaluate", folder.path, "fold", "--deals", 20) == 0
    assert "ppo-3-against-fold" in capsys.readouterr().out
    assert kuns("respond", "fold", "--game", "kuns-tiny", *SMALL, "--seed", 3) == 0
    assert "this run is finished" in capsys.readouterr().err


def test_an_agent_of_a_file_of_code(tmp_path, capsys):
    modest = f"{write_code(tmp_path)}:Modest"
    place = ["--out", tmp_path / "run"]
    assert kuns("respond", modest, "--game", "kuns-tiny", *SMALL, *place) == 0
    assert "response to modest" in capsys.readouterr().out


def test_an_opponent_that_leaves_ends_nothing_silently(tmp_path, capsys):
    code = "\n\nclass Leaving(Modest):\n    def act(self, views, rng):\n        raise SystemExit(0)\n"
    leaving = f"{write_code(tmp_path, code)}:Leaving"
    assert kuns("respond", leaving, "--game", "kuns-tiny", *SMALL, "--out", tmp_path / "run") == 2
    assert "an opponent raised SystemExit: 0" in capsys.readouterr().err


def test_one_agent_for_each_seat_of_three(tmp_path, capsys):
    place = tmp_path / "run"
    rules = ["--game", "kuns-anted", "--players", 3]
    assert kuns("respond", "cautious", "fold", "call", *rules, *SMALL, "--out", place, "--json", "-") == 0
    data = json.loads(capsys.readouterr().out)
    assert [entry["name"] for entry in data["profile"]] == ["cautious", "fold", "call"]
    assert data["rules"]["num_players"] == 3
    assert [each["where"] for each in data["positions"]] == ["dealer", "dealer + 1", "dealer + 2"]
    assert data == json.loads(RunFolder(place).response.read_text())
    assert (
        kuns_agents.load(place).supports(Config.from_json(RunFolder(place).config.read_text()).make_rules())
        is None
    )


def test_kunken_starts_by_imitation(tmp_path, capsys):
    place = tmp_path / "run"
    few = ["--with", "warm.steps=64", "--with", "warm.rollout_steps=4", "--with", "ppo.rollout_steps=4"]
    few += [
        "--steps",
        "128",
        "--games",
        "8",
        "--hidden",
        "16",
        "--with",
        "ppo.batch_size=32",
        "--deals",
        "20",
    ]
    few += ["--with", "shared_layers=0", "--with", "curve_points=1", "--with", "curve_deals=4"]
    assert kuns("respond", "greedy", "--game", "kunken-mini", *few, "--out", place) == 0
    told = capsys.readouterr()
    assert "imitating thrifty: 64 decisions" in told.err
    assert "Points per deal of a response to greedy" in told.out


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["nobody"], "no agent 'nobody'"),
        (["self"], "no agent 'self'"),
        (["call", "fold", "equity"], "3 agents given: must be one, who then sits in every seat, or 2"),
        (["profile:call"], "must name an agent for each seat"),
        (["profile:call,nobody"], "no agent 'nobody'"),
        (["profile:call,fold,call"], "has an agent for each of 3 seats, not of 2"),
        (["greedy", "--game", "kuns-duel"], "agent 'greedy' plays Kunken, not kuns"),
        (["call", "--deals", "1"], "num_deals=1: must be an integer from 2"),
        (["call", "--steps", "0"], "total_steps=0"),
        (["call", "--with", "opponents={}"], "opponents: follows from the agents that are answered"),
        (["call", "--with", "curve_points=0"], "curve_points=0: must be at least 1"),
        (["call", "--with", "ppo.momentum=1"], "no setting 'ppo.momentum'"),
        (["call", "--warm-start", "nobody"], "warm.agent: no agent 'nobody'"),
        (["call", "--players", "9"], "num_players=9"),
        (["call", "--json", "no/such/folder.json"], "there is no such folder"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_mistakes_are_one_line(args, message, tmp_path, capsys):
    assert kuns("respond", *args, "--out", tmp_path / "run") == 2
    error = capsys.readouterr().err
    assert message in error
    assert "Traceback" not in error
    assert not (tmp_path / "run" / "config.json").exists()


def test_ctrl_c_while_it_is_measured(tmp_path, capsys, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(respond_run, "measure_gains", interrupted)
    assert kuns("respond", "fold", "--game", "kuns-tiny", *SMALL, "--out", tmp_path) == 130
    assert "the same command only measures what it gains" in capsys.readouterr().err
    assert RunFolder(tmp_path).is_finished
    assert not RunFolder(tmp_path).response.exists()


def test_what_torch_is_missing_for_is_said(monkeypatch, capsys):
    monkeypatch.setattr("kuns_training.train_command.NEEDED", ("no_such_package",))
    assert kuns("respond", "call") == 2
    assert "no_such_package not installed: pip install 'kuns-env[train]'" in capsys.readouterr().err
