"""The command `kuns`: what it prints, what it refuses, and what it does not load."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from kuns_env import KunkenRules, KunsRules
from kuns_env.fields import field_docs
from kuns_training import cli
from kuns_training.arena import pictures, plan
from kuns_training.cli_app import app
from kuns_training.cli_rules import make_rules

COMMANDS = ("play", "train", "evaluate", "exploit", "solve", "agents", "rules", "verify")


def kuns(*args: str, typed: str | None = None) -> Result:
    """Run a command and return what came of it."""
    return CliRunner().invoke(app, list(args), input=typed, prog_name="kuns")


def refusal(*args: str) -> str:
    """Return the one line with which a command is refused."""
    result = kuns(*args)
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1
    assert result.stderr.startswith("kuns: ")
    assert "Traceback" not in result.stderr
    return result.stderr


# --- help ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("args", [(), ("--help",), ("-h",)])
def test_help_names_every_command(args: tuple[str, ...]) -> None:
    result = kuns(*args)
    assert result.exit_code == 0
    assert all(command in result.stdout for command in COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(command: str) -> None:
    result = kuns(command, "--help")
    assert result.exit_code == 0
    assert f"kuns {command}" in result.stdout


def test_version() -> None:
    assert kuns("--version").stdout.startswith("kuns-env 0.")


def test_agents_and_rules_are_listed() -> None:
    lines = kuns("agents").stdout.splitlines()
    assert {"random", "call", "fold", "greedy"} <= {line.split()[0] for line in lines}
    assert next(line for line in lines if line.startswith("random")).split()[1:3] == ["kuns,", "kunken"]
    assert next(line for line in lines if line.startswith("call")).split()[1] == "kuns"
    assert next(line for line in lines if line.startswith("greedy")).split()[1] == "kunken"
    text = kuns("rules", "--game", "kunken-mini").stdout
    assert "bank_points" in text
    assert "25" in text
    text = kuns("rules", "--game", "kuns-tiny").stdout
    assert "ante_menu" in text
    assert "[1, 2]" in text


@pytest.mark.parametrize("rules", [KunsRules, KunkenRules])
def test_every_field_of_the_rules_has_its_meaning(rules: type[KunsRules | KunkenRules]) -> None:
    assert set(field_docs(rules)) == set(rules().to_dict())


@pytest.mark.parametrize(
    "args", [("--help",), ("rules", "--help"), ("evaluate", "--help"), ("train", "--help")]
)
def test_help_names_both_games(args: tuple[str, ...]) -> None:
    text = kuns(*args).stdout.lower()
    assert "kuns" in text
    assert "kunken" in text


# --- rules --------------------------------------------------------------------------------------------------


def test_rules_from_a_preset_with_changes() -> None:
    rules = make_rules("kuns", 3, ["ante_menu=[1, 2]", "num_hands=null", "side_bets = false"])
    assert rules == KunsRules(num_players=3, ante_menu=(1, 2), num_hands=None, side_bets=False)
    assert make_rules() == KunsRules.duel()


def test_rules_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "rules.json"
    file.write_text(kuns("rules", "--game", "kuns-anted", "--players", "5", "--json").stdout)
    assert make_rules(file=file) == KunsRules.anted(5)
    assert make_rules(file=file, players=6) == KunsRules.anted(6)


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (
            ["--game", "poker"],
            "no game 'poker'; there are: kuns, kuns-anted, kuns-tiny, kuns-duel, kunken, kunken-mini",
        ),
        (["--players", "1"], "num_players=1: must be an integer from 2 to 8"),
        (["--players", "x"], "--players"),
        (["--set", "forced_ante"], "must be FIELD=VALUE"),
        (["--set", "=3"], "must be FIELD=VALUE"),
        (["--set", "forced_ante=one"], "forced_ante='one': must be an integer"),
        (["--set", "forced_ante=one,two"], "must be a word or JSON"),
        (
            ["--game", "kunken", "--set", "settlement=lose"],
            "settlement='lose': must be one of difference, win, points",
        ),
        (["--game", "kunken", "--players", "6"], "num_players=6: must be an integer from 2 to 5"),
        (["--game", "kunken", "--set", "forced_ante=1"], "'forced_ante' is not a field of KunkenRules"),
        (["--set", "forced_ante=1.5"], "forced_ante=1.5"),
        (["--set", "wine=1"], "'wine' is not a field of KunsRules"),
        (["--set", "ante_menu=[2,1]"], "ante_menu"),
        (["--set", "ranks=[1]"], "ranks"),
        (["--rules", "no/such/file.json"], "no/such/file.json: No such file"),
        (["--rules", "."], "Is a directory"),
        (["--set", "ante_menu=" + "[" * 100_000], "must be a word or JSON"),
        (["--set", "num_players=" + "9" * 5_000], "must be a word or JSON"),
        (["--nonsense"], "--nonsense"),
    ],
)
@pytest.mark.parametrize("command", ["rules", "play", "evaluate"])
def test_bad_rules_are_refused_in_a_line(command: str, args: list[str], message: str) -> None:
    agents = ["call", "fold"] if command == "evaluate" else []
    assert message in refusal(command, *agents, *args)


@pytest.mark.parametrize("text", ["", "{", "[1]", '{"num_players": "3"}', '{"x": 1}', "\ufeff\x00"])
def test_damaged_rules_files_are_refused(text: str, tmp_path: Path) -> None:
    file = tmp_path / "rules.json"
    file.write_text(text, "utf-8")
    refusal("rules", "--rules", str(file))


def test_rules_files_that_are_no_text_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "rules.json"
    file.write_bytes(b"\xff\xfe\x00")
    assert "not JSON" in refusal("rules", "--rules", str(file))


def test_rules_files_nested_too_deep_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "rules.json"
    file.write_text("[" * 100_000)
    assert "not JSON" in refusal("rules", "--rules", str(file))


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_rules_files_as_windows_writes_them(encoding: str, tmp_path: Path) -> None:
    file = tmp_path / "rules.json"
    file.write_text('{"num_players": 3}', encoding)
    assert make_rules(file=file) == KunsRules(num_players=3)


# --- files and streams ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "args",
    [("play", "--record"), ("evaluate", "call", "fold", "--json")],
    ids=["play", "evaluate"],
)
def test_a_file_that_cannot_be_written_is_refused_at_once(
    args: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    file = tmp_path / "there"
    kept = Path.open
    monkeypatch.setattr(Path, "open", lambda path, *a, **k: refuse() if path == file else kept(path, *a, **k))
    assert f"{file}: Permission denied" in refusal(*args, str(file))


def test_a_file_that_can_be_written_is_not_made_before_there_is_something_in_it(tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    link = tmp_path / "link"
    link.symlink_to(file)
    for path in (file, link):
        assert kuns("play", "--record", str(path), typed="quit\n").exit_code == 0
        assert not file.exists()
    assert link.is_symlink()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device of Linux")
def test_a_full_disk_is_told_in_a_line() -> None:
    command = [sys.executable, "-m", "kuns_training.cli", "agents"]
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr == "kuns: the output cannot be written: No space left on device\n"


@pytest.mark.skipif(os.name == "nt", reason="closes a stream as a shell of Unix does")
def test_play_without_standard_input_ends_politely() -> None:
    command = f'"{sys.executable}" -m kuns_training.cli play call --seed 1 <&-'
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert done.stderr == ""
    assert "You leave the table" in done.stdout


# --- evaluate -----------------------------------------------------------------------------------------------


def test_evaluate_prints_a_table_and_writes_json(tmp_path: Path) -> None:
    file = tmp_path / "result.json"
    args = ("evaluate", "call", "fold", "random", "--deals", "200", "--seed", "4", "--json", str(file))
    result = kuns(*args)
    assert result.exit_code == 0
    assert "+1.000 ± 0.000" in result.stdout
    assert "1,200 hands: 200 deals (seed 4)" in result.stdout
    first = file.read_text("utf-8")
    data = json.loads(first)
    assert [entry["name"] for entry in data["agents"]] == ["call", "fold", "random"]
    assert KunsRules.from_dict(data["rules"]) == KunsRules.duel()
    assert kuns(*args).exit_code == 0
    assert file.read_text("utf-8") == first
    assert [path.name for path in tmp_path.iterdir()] == ["result.json"]


def test_evaluate_kunken(tmp_path: Path) -> None:
    file = tmp_path / "result.json"
    args = ("evaluate", "--game", "kunken-mini", "greedy", "random", "-n", "100", "--json", str(file))
    result = kuns(*args)
    assert result.exit_code == 0
    for part in (
        "Points per deal",
        "won %",
        "express %",
        "takes",
        "points laid",
        "turns",
        "200 deals played",
    ):
        assert part in result.stdout
    data = json.loads(file.read_text("utf-8"))
    assert KunkenRules.from_dict(data["rules"]) == KunkenRules.mini()
    first, second = data["results"]
    assert first["points_per_deal"]["low"] > 0  # greedy beats random
    assert first["points_per_deal"]["mean"] == -second["points_per_deal"]["mean"]
    assert first["statistics"]["won"]["mean"] > second["statistics"]["won"]["mean"]
    assert kuns(*args).exit_code == 0
    assert json.loads(file.read_text("utf-8")) == data


def test_statistics_of_kuns_are_printed_too() -> None:
    text = kuns("evaluate", "call", "fold", "-n", "10").stdout
    assert "Hands of each agent" in text
    assert "showdowns %" in text


def test_tables_and_stopping_early_are_options() -> None:
    result = kuns(
        *("evaluate", "call", "random", "fold", "cautious", "--game", "kuns-anted", "--players", "3"),
        *("--mode", "tables", "--tables", "2", "--until", "9", "--json", "-"),
    )
    data = json.loads(result.stdout)
    assert len(data["matches"]) == 2
    assert (data["looks"]["num_taken"], data["num_deals"], data["num_blocks"]) == (1, 5000, 50)
    assert "Sequential: stopped at look 1 of at most 9" in result.stderr


def test_json_on_stdout_is_nothing_but_json() -> None:
    result = kuns("evaluate", "call", "fold", "-n", "10", "--json", "-")
    assert json.loads(result.stdout)["num_deals"] == 10
    assert "Chips per hand" in result.stderr


@pytest.mark.parametrize(
    ("agents", "game", "shown"),
    [
        (("call", "random"), ("--players", "4", "--game", "kuns"), "3 x random"),
        (("call", "random", "fold"), ("--players", "3", "--game", "kuns-anted"), "random, fold"),
        (("call", "random", "fold"), ("--players", "4", "--game", "kuns"), "one among 3"),
        (("call", "random", "fold", "fold", "random"), (), "all others"),
        (("call", "random", "fold") * 3, (), "against all others"),
    ],
)
def test_tables_for_any_number_of_agents_and_players(
    agents: tuple[str, ...], game: tuple[str, ...], shown: str
) -> None:
    result = kuns("evaluate", *agents, *game, "--deals", "20")
    assert result.exit_code == 0
    assert shown in result.stdout
    assert "…" not in result.stdout


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["call"], "1 agent given: at least two are needed"),
        ([], "AGENT"),
        (["call", "nobody"], "no agent 'nobody'"),
        (["call", "missing.npz"], "missing.npz"),
        (["call", "fold", "--deals", "0"], "num_deals=0"),
        (["call", "fold", "--deals", "-5"], "num_deals=-5"),
        (["call", "fold", "--deals", "999999999999"], "num_deals=999999999999"),
        (["call", "fold", "--deals", "many"], "--deals"),
        (["call", "fold", "--block", "0"], "block_deals=0"),
        (["call", "fold", "--seed", "-1"], "seed=-1"),
        (["call", "fold", "--json", "no/such/folder/x.json"], "no such folder"),
        (["call", "greedy"], "agent 'greedy' plays Kunken, not kuns"),
        (["call", "greedy", "--game", "kunken"], "agent 'call' plays Kuns, not kunken"),
        (["greedy", "--game", "kunken"], "1 agent given: at least two are needed"),
    ],
)
def test_evaluate_refuses_bad_input(args: list[str], message: str) -> None:
    assert message in refusal("evaluate", *args)


def test_evaluate_in_two_processes_finds_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan, "CHUNK", 32)
    args = ("evaluate", "call", "random", "equity", "-n", "80", "--json", "-")
    one, two = kuns(*args), kuns(*args, "--jobs", "2")
    assert two.exit_code == 0
    assert one.stdout == two.stdout
    assert one.stderr == two.stderr
    assert "num_jobs=0" in refusal(*args, "--jobs", "0")


def test_evaluate_writes_csv_and_a_picture(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    table, picture = tmp_path / "result.csv", tmp_path / "result.png"
    args = ("evaluate", "call", "fold", "random", "-n", "20", "--style")
    result = kuns(*args, "--csv", str(table), "--plot", str(picture))
    assert result.exit_code == 0
    assert "Ranking by chips per hand" in result.stdout
    assert "Style of play: folds in round 1" in result.stdout
    assert picture.read_bytes().startswith(b"\x89PNG")
    on_stdout = kuns(*args, "--csv", "-")
    assert on_stdout.stdout == table.read_text(encoding="utf-8")
    assert on_stdout.stdout.startswith("table,agent,against,figure,mean,")
    assert "Ranking by chips per hand" in on_stdout.stderr


def test_evaluate_refuses_outputs_before_it_plays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    args = ("evaluate", "call", "fold", "-n", "10000000")
    assert "--json and --csv: only one of them" in refusal(*args, "--json", "-", "--csv", "-")
    assert f"--csv {tmp_path}: is a folder" in refusal(*args, "--csv", str(tmp_path))
    assert "there is no such folder" in refusal(*args, "--plot", str(tmp_path / "no" / "x.png"))
    monkeypatch.setattr(pictures, "why_no_picture", lambda: "a picture needs matplotlib: get it")
    assert "--plot: a picture needs matplotlib: get it" in refusal(*args, "--plot", str(tmp_path / "x.png"))
    assert list(tmp_path.iterdir()) == []


def test_a_failing_agent_is_reported_with_its_position(monkeypatch: pytest.MonkeyPatch) -> None:
    from kuns_agents.simple import RandomAgent

    monkeypatch.setattr(RandomAgent, "act", lambda self, views, rng: [10] * len(views))
    result = kuns("evaluate", "random", "fold", "call", "-n", "10")
    assert result.exit_code == 1
    assert "random was disqualified from 40 games" in result.stdout
    assert "agent 'random' was disqualified in deal 0, seat" in result.stderr
    assert result.stderr.count("(you)") == 1  # one position for each agent, however often it failed
    assert "(you)" in result.stderr
    assert "legal: ante 1" in result.stderr
    assert "Traceback" not in result.output


# --- play ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("named", [("call",), ("--against", "call")])
def test_play_a_hand(named: tuple[str, ...]) -> None:
    args = ("play", *named, "--seed", "7", "--seat", "1")
    result = kuns(*args, typed="call\n1\nc\nc\nc\nc\n")
    assert result.exit_code == 0
    assert "Against you: seat 0 call" in result.stdout
    assert "After 1 hand you" in result.stdout


def test_play_records_and_verify_reads(tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    args = ("play", "-a", "call", "--seed", "7", "--record", str(file))
    assert kuns(*args, typed="1\nc\nc\nc\n").exit_code == 0
    assert kuns("verify", str(file)).stdout == "1 record verified\n"
    file.write_text(file.read_text("utf-8").replace('"call"', '"fold"', 1), "utf-8")
    result = kuns("verify", str(file))
    assert result.exit_code == 1
    assert "line 1" in result.stderr
    assert result.stderr.count("\n") == 1
    assert "No such file" in refusal("verify", str(tmp_path / "nothing"))


def test_end_of_input_in_the_middle_of_a_hand() -> None:
    result = kuns("play", "-a", "call", typed="")
    assert result.exit_code == 0
    assert "You leave the table" in result.stdout
    assert result.stderr == ""


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--seat", "2"], "seat=2"),
        (["--hands", "0"], "hands=0"),
        (["--seed", "-1"], "seed=-1"),
        (["--against", "nobody"], "no agent 'nobody'"),
        (["--record", "no/such/folder/x"], "no such folder"),
        (["--record", "."], "is a folder"),
        (["-a", "call", "-a", "fold"], "2 opponents, but there is 1 other seat: --players 3 makes room"),
    ],
)
def test_play_refuses_bad_input(args: list[str], message: str) -> None:
    against = [] if "nobody" in args or "-a" in args else ["-a", "call"]
    assert message in refusal("play", *against, *args)


def test_an_opponent_that_fails_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    from kuns_agents.simple import CallAgent

    monkeypatch.setattr(CallAgent, "act", lambda self, views, rng: [[0]])
    result = kuns("play", "-a", "call", "--seed", "7", typed="1\nc\n")
    assert result.exit_code == 1
    assert "agent 'call' failed" in result.stderr
    assert "Traceback" not in result.output


# --- what is loaded -----------------------------------------------------------------------------------------

HEAVY = {"torch", "stable_baselines3", "sb3_contrib", "tensorboard", "matplotlib"}


def run_main(args: list[str], root: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run `kuns` in a process of its own; the last line of stderr is the status and what was loaded."""
    code = (
        "import sys\nfrom kuns_training.cli import main\n"
        f"try:\n    main({args!r})\nexcept SystemExit as done:\n    print(done.code, *sys.modules, file=sys.stderr)"
    )
    path = os.pathsep.join([str(root), str(root / "agents"), str(root / "training")])
    environment = os.environ | {"PYTHONPATH": path, **variables}
    return subprocess.run(
        [sys.executable, "-c", code],
        input="quit\n",
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )


@pytest.mark.parametrize(
    "args", [["evaluate", "call", "random", "-n", "10"], ["play", "-a", "random"], ["agents"], ["--help"]]
)
def test_no_torch_is_loaded(args: list[str], root: Path) -> None:
    done = run_main(args, root)
    status, *modules = done.stderr.splitlines()[-1].split()
    assert status == "0", done.stderr
    assert "kuns_training.cli_app" in modules
    assert not HEAVY & set(modules)


def test_terminals_without_unicode(root: Path) -> None:
    done = run_main(["evaluate", "call", "fold", "-n", "10"], root, PYTHONIOENCODING="ascii")
    assert "+1.000 ? 0.000" in done.stdout
    assert done.stderr.splitlines()[-1].startswith("0 ")


def test_without_the_extra_the_command_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(cli, "NEEDED", ("typer", "a_module_that_is_not_there"))
    with pytest.raises(SystemExit) as stopped:
        cli.main([])
    assert stopped.value.code == 2
    assert capsys.readouterr().err == (
        "kuns: a_module_that_is_not_there not installed: pip install 'kuns-env[cli]'\n"
    )


def test_main_takes_the_arguments_of_the_process(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["kuns", "agents"])
    with pytest.raises(SystemExit) as stopped:
        cli.main()
    assert stopped.value.code == 0
    assert "random" in capsys.readouterr().out


def test_an_interrupt_while_modules_load_ends_in_a_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(args: object) -> None:
        raise KeyboardInterrupt

    hook = sys.unraisablehook
    monkeypatch.setattr(cli, "run", interrupted)
    with pytest.raises(SystemExit) as left:
        cli.main([])
    assert left.value.code == 130
    assert capsys.readouterr().err == "kuns: interrupted\n"
    assert sys.unraisablehook is hook
