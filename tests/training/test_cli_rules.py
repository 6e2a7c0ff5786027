"""Which rules a command plays by: those of its options, else those of the first trained agent."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner, Result

from kuns_agents import save
from kuns_agents.exact.cousins import COUSINS
from kuns_agents.policy import PolicyAgent
from kuns_env import KunkenRules, KunsRules
from kuns_env.engine.game import game_of
from kuns_training.cli_app import app
from kuns_training.cli_rules import make_rules
from kuns_training.pages import options_of


def kuns(*args: str, typed: str | None = None) -> Result:
    """Run a command and return what came of it."""
    return CliRunner().invoke(app, list(args), input=typed, prog_name="kuns")


def trained(folder: Path, rules: KunsRules, name: str) -> str:
    """Save an agent that was trained for ``rules``, and return its file."""
    size, num_moves = game_of(rules).encoder("table").shape[0], game_of(rules).num_moves
    layer = (np.zeros((size, num_moves), np.float32), np.zeros(num_moves, np.float32))
    file = folder / f"{name}.npz"
    save(PolicyAgent([layer], "tanh", rules, name=name), file)
    return str(file)


@pytest.fixture
def three(tmp_path: Path) -> str:
    return trained(tmp_path, KunsRules.anted(3), "three")


@pytest.fixture
def five(tmp_path: Path) -> str:
    return trained(tmp_path, KunsRules(num_players=5), "five")


TOLD = "rules: those that three was trained for, kuns with num_players=3, forced_ante=1, side_bets=false\n"


def test_without_options_the_first_trained_agent_gives_the_rules(three: str, five: str) -> None:
    result = kuns("evaluate", "call", three, "-n", "10", "--json", "-")
    assert result.exit_code == 0
    assert result.stderr.startswith(TOLD)
    assert KunsRules.from_dict(json.loads(result.stdout)["rules"]) == KunsRules.anted(3)
    result = kuns("evaluate", five, three, "-n", "10")
    assert result.exit_code == 2
    assert "those that five was trained for" in result.stderr
    assert "agent 'three' was trained for num_players=3, side_bets=False" in result.stderr
    result = kuns("play", three, typed="quit\n")
    assert result.stderr == TOLD
    assert "seat 1 three, seat 2 three." in result.stdout


def test_a_preset_is_told_by_its_name(tmp_path: Path) -> None:
    agent = trained(tmp_path, KunsRules.duel(), "pupil")
    result = kuns("play", agent, typed="quit\n")
    assert result.stderr == "rules: those that pupil was trained for, kuns-duel\n"


@pytest.mark.parametrize("command", [("play",), ("evaluate", "call", "-n", "10")])
def test_changes_start_from_the_rules_of_the_trained_agent(command: tuple[str, ...], three: str) -> None:
    result = kuns(*command, three, "--set", "forced_ante=2", typed="quit\n")
    assert result.exit_code == 0, result.output
    assert result.stderr.startswith(TOLD.replace("\n", ", with --set forced_ante=2\n"))
    result = kuns(*command, three, "--players", "2", typed="quit\n")
    assert result.exit_code == 2
    assert result.stderr.startswith(TOLD.replace("\n", ", with --players 2\n"))


def test_a_preset_decides(three: str) -> None:
    result = kuns("play", three, "--game", "kuns-duel")
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1
    assert "'three' was trained for num_players=3 (" in result.stderr
    assert "not for num_players=2" in result.stderr
    assert "--players 3, or train with --pad" in result.stderr
    assert len(result.stderr) < 200


def test_agents_without_training_leave_the_default() -> None:
    result = kuns("evaluate", "call", "fold", "-n", "10", "--json", "-")
    assert KunsRules.from_dict(json.loads(result.stdout)["rules"]) == KunsRules.duel()
    assert "rules:" not in result.stderr


@pytest.mark.parametrize("command", [("rules",), ("play",), ("evaluate", "call", "fold"), ("train",)])
def test_a_file_of_rules_besides_a_preset_is_refused(command: tuple[str, ...], tmp_path: Path) -> None:
    file = tmp_path / "rules.json"
    file.write_text(json.dumps(KunsRules.anted(3).to_dict()))
    result = kuns(*command, "--rules", str(file), "--game", "kuns")
    assert result.exit_code == 2
    assert result.stderr == f"kuns: --rules {file} and --game kuns: give one of them\n"


def test_agents_of_another_game_choose_it(three: str) -> None:
    result = kuns("evaluate", "greedy", "random", "-n", "10", "--set", "hand_size=7", "--json", "-")
    assert result.exit_code == 0
    assert result.stderr.startswith("rules: kunken, since not all of these agents play kuns-duel\n")
    assert KunkenRules.from_dict(json.loads(result.stdout)["rules"]) == KunkenRules(hand_size=7)
    result = kuns("evaluate", "random", "random", "-n", "10", "--json", "-")
    assert KunsRules.from_dict(json.loads(result.stdout)["rules"]) == KunsRules.duel()
    result = kuns("evaluate", "greedy", three, "-n", "10", "--players", "3")
    assert result.exit_code == 2
    assert result.stderr.endswith(
        "kuns: agent 'greedy' plays Kunken, not kuns; --game NAME chooses other rules\n"
    )


@pytest.mark.parametrize(
    ("fields", "rules"),
    [
        (
            KunkenRules(num_players=3, settlement="win").to_dict(),
            KunkenRules(num_players=3, settlement="win"),
        ),
        ({"hand_size": 5}, KunkenRules(hand_size=5)),
        ({"game": "kunken", "num_players": 3}, KunkenRules(num_players=3)),
        ({"game": "kunken-mini", "num_deals": 2}, KunkenRules.mini(num_deals=2)),
        ({"game": "kuns-duel", "num_hands": 2}, KunsRules.duel(num_hands=2)),
        ({"num_players": 3}, KunsRules(num_players=3)),
        ({}, KunsRules()),
    ],
)
def test_a_file_of_rules_says_or_shows_its_game(
    fields: dict[str, object], rules: object, tmp_path: Path
) -> None:
    file = tmp_path / "rules.json"
    file.write_text(json.dumps(fields))
    assert make_rules(file=file) == rules
    printed = kuns("rules", "--rules", str(file), "--json").stdout
    file.write_text(printed)
    assert make_rules(file=file) == rules


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"game": "whist"}, "no game 'whist'; there are: kuns, kuns-anted"),
        ({"game": ["kuns"]}, "no game ['kuns']; there are"),
        ({"bank_points": 50, "ante_menu": [1], "hand_size": 5}, "'ante_menu' is not a field of KunkenRules"),
        ({"game": "kunken", "forced_ante": 1}, "'forced_ante' is not a field of KunkenRules"),
        ({"settlement": "none"}, "settlement='none': must be one of difference, win, points"),
    ],
)
def test_a_file_of_rules_of_no_game_is_refused(
    fields: dict[str, object], message: str, tmp_path: Path
) -> None:
    file = tmp_path / "rules.json"
    file.write_text(json.dumps(fields))
    result = kuns("evaluate", "random", "random", "--rules", str(file))
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert message in result.stderr


def test_how_an_agent_plays_is_in_the_result(three: str) -> None:
    result = kuns("evaluate", f"{three}?greedy", three, "-n", "10", "--json", "-")
    agents = json.loads(result.stdout)["agents"]
    assert [(agent["label"], agent["file"], agent["greedy"]) for agent in agents] == [
        ("three greedy", three, True),
        ("three", three, False),
    ]
    assert "three greedy" in result.stderr


CODE = """
class Base:
    name = "mine"
    def act(self, views, rng):
        return views.masks.argmax(axis=1)
    def supports(self, rules):
        return None

class Silent(Base):
    supports = None

class Broken(Base):
    def supports(self, rules):
        raise RuntimeError("no luck")
"""


@pytest.mark.parametrize(
    ("command", "name", "words"),
    [
        *(
            (command, "Silent", "is no agent: it has no `supports`")
            for command in ("exploit", "play", "evaluate")
        ),
        *((command, "Broken", "no luck") for command in ("evaluate", "respond", "tournament")),
    ],
)
def test_code_that_is_no_agent_is_refused_in_a_line(
    tmp_path: Path, command: str, name: str, words: str
) -> None:
    file = tmp_path / "mine.py"
    file.write_text(CODE, "utf-8")
    options = ["--out", str(tmp_path / "out")] if command in ("respond", "tournament") else []
    result = CliRunner().invoke(app, [command, f"{file}:{name}", "call", *options], prog_name="kuns")
    assert result.exit_code == 2, result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert words in result.stderr


@pytest.mark.parametrize("given", [(), ("--game", "kuns-duel")])
def test_who_does_not_play_the_rules_that_nobody_named_is_told_of_game(given: tuple[str, ...]) -> None:
    result = CliRunner().invoke(app, ["evaluate", "mccfr-3", "thrifty", *given], prog_name="kuns")
    assert result.exit_code == 2
    assert ("; --game NAME chooses other rules" in result.stderr) == (not given)


@pytest.mark.parametrize("name", COUSINS)
def test_the_options_of_the_cousins_make_their_rules(name: str) -> None:
    options = shlex.split(options_of(COUSINS[name]))
    found = dict(zip(options[::2], options[1::2], strict=True))
    changes = [value for option, value in zip(options[::2], options[1::2], strict=True) if option == "--set"]
    assert set(found) <= {"--game", "--set"}
    assert make_rules(found["--game"], changes=changes) == COUSINS[name]
