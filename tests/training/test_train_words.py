"""The commands that a run tells to type next work as they are printed."""

import shlex
import sys

import pytest
from typer.testing import CliRunner

from kuns_training.cli_app import app
from kuns_training.cli_rules import make_rules
from kuns_training.config import Config
from kuns_training.train import train
from kuns_training.train_command import tell_length
from kuns_training.train_words import play_command, program, rules_options


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """A folder with an environment in it, whose command no shell finds by its name."""
    command = tmp_path / ".venv" / "bin" / "kuns"
    command.parent.mkdir(parents=True)
    command.touch(mode=0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", "/nowhere")
    return command


def test_the_program_as_it_was_called(installed, monkeypatch):
    assert program(str(installed)) == ".venv/bin/kuns"
    assert program(".venv/bin/kuns") == ".venv/bin/kuns"
    monkeypatch.chdir(installed.parent)
    assert program("./kuns") == "./kuns"
    monkeypatch.setenv("PATH", str(installed.parent))
    assert program(str(installed)) == "kuns"


def test_the_program_is_quoted(installed):
    place = installed.parent / "a b"
    place.mkdir()
    (place / "kuns").touch()
    assert shlex.split(program(str(place / "kuns"))) == [".venv/bin/a b/kuns"]


@pytest.mark.usefixtures("installed")
def test_the_program_where_no_command_was_called():
    assert program("/usr/bin/pytest") == "kuns"
    assert program("/lib/kuns_training/cli.py").endswith(" -m kuns_training.cli")
    assert sys.executable.endswith(program("/lib/kuns_training/cli.py").split()[0].lstrip("."))


RULES = [
    {},
    {"game": "kuns"},
    {"rules": {"num_players": 3}},
    {"game": "kuns", "rules": {"num_players": 3, "ante_menu": [1, 2], "side_bets": False}},
]


@pytest.mark.parametrize("changes", RULES, ids=str)
def test_options_make_the_same_rules(changes):
    config = Config(**changes)
    options = rules_options(config)
    assert bool(options) == bool(changes)
    pairs = list(zip(options[::2], options[1::2], strict=True))
    named = dict(pairs)
    made = make_rules(
        named.get("--game", "kuns-duel"),
        int(named["--players"]) if "--players" in named else None,
        [value for name, value in pairs if name == "--set"],
    )
    assert made == config.make_rules()


@pytest.mark.parametrize("changes", RULES[2:], ids=str)
def test_the_command_plays(changes, tmp_path):
    small = {
        "total_steps": 128,
        "num_games": 16,
        "curve_points": 0,
        "hidden": [8],
        "opponents": {"random": 1},
    }
    config = Config.from_dict(small | changes | {"ppo": {"batch_size": 128, "rollout_steps": 8}})
    command = play_command(train(config, tmp_path / "my run"), config)
    words = shlex.split(command)
    result = CliRunner().invoke(app, words[1:], input="quit\n")
    assert words[0] == "kuns"
    assert result.exit_code == 0, result.output


@pytest.mark.parametrize(
    ("steps", "told"),
    [(16_384, ""), (100_000, "100,000 decisions are 114,688 in whole rollouts of 16,384\n")],
)
def test_a_length_that_is_rounded_up_is_told(steps, told, capsys):
    tell_length(Config(total_steps=steps))
    assert capsys.readouterr().err == told
