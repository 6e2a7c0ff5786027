"""`kuns solve`: what it leaves, what it says, how it ends and what it refuses."""

from __future__ import annotations

import hashlib
import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

import kuns_agents
from kuns_agents.exact.agent import TableAgent
from kuns_agents.exact.solve import Look, Solution, solve
from kuns_env import KunsRules
from kuns_training import cli_solve, solve_exact, solve_exact_picture
from kuns_training.cli_app import app
from kuns_training.cli_rules import choose_rules
from kuns_training.run_folder import RunError
from kuns_training.solve_exact import Goal, default_folder, solve_in
from kuns_training.solve_exact_bar import Way, share, told

TINY = ("--game", "kuns-tiny")
GOAL = Goal(KunsRules.tiny(), 1e-3)


def kuns(*args: str, typed: str | None = None) -> Result:
    return CliRunner().invoke(app, list(args), input=typed, prog_name="kuns")


@pytest.fixture(scope="module")
def solved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a solution that the command has made."""
    folder = tmp_path_factory.mktemp("solve") / "tiny"
    result = kuns("solve", *TINY, "--exploitability", "1e-3", "--out", str(folder))
    assert result.exit_code == 0, result.stderr
    assert "value of the game to the dealer: +0.10" in result.stdout
    assert f"policy: {folder / 'agent.npz'}" in result.stdout
    return folder


def test_the_folder_is_whole(solved: Path) -> None:
    names = {path.name for path in solved.iterdir()}
    assert names - {".lock"} == {"agent.npz", "curve.png", "result.json"}
    assert (solved / "curve.png").read_bytes().startswith(b"\x89PNG")


def test_the_report_tells_of_the_file(solved: Path) -> None:
    report = json.loads((solved / "result.json").read_text("utf-8"))
    agent = kuns_agents.load(solved)
    assert isinstance(agent, TableAgent)
    found = kuns_agents.exploitability(agent)
    assert report["exploitability"] == pytest.approx(found.exploitability, abs=1e-12)
    assert report["exploitability"] < 1e-3
    low, high = report["value_to_dealer"].values()
    assert low < 0.10762 < high
    assert (report["reached"], report["stopped"]) == (True, False)
    assert report["rules"] == KunsRules.tiny().to_dict()
    assert report["agent"]["sha256"] == hashlib.sha256((solved / "agent.npz").read_bytes()).hexdigest()
    looks = report["looks"]
    assert looks[-1]["iterations"] == report["iterations"]
    assert looks[-1]["exploitability"] == pytest.approx(report["exploitability"], rel=1e-3)
    assert {"kuns-env", "numpy", "numba"} <= set(report["versions"])


def test_the_policy_plays_and_is_measured(solved: Path) -> None:
    played = kuns("play", str(solved), "--seed", "3", typed="call\n" * 4)
    assert played.exit_code == 0, played.output
    assert "rules: those that solve-kuns-tiny was made for, kuns-tiny" in played.stderr
    measured = kuns("exploit", str(solved))
    assert "solve-kuns-tiny: exploitability 0.00" in measured.stdout
    evaluated = kuns("evaluate", str(solved), "call", "--deals", "200")
    assert evaluated.exit_code == 0, evaluated.output


def test_a_second_solution_takes_the_place_of_the_first(tmp_path: Path) -> None:
    first = solve_in(GOAL, tmp_path / "here")
    second = solve_in(Goal(KunsRules.tiny(), 1e-2, "cfr+"), tmp_path / "here")
    assert second.exploitability > first.exploitability
    assert json.loads(second.folder.result.read_text("utf-8"))["algorithm"] == "cfr+"


def test_where_iterations_run_out_it_is_kept_and_said(tmp_path: Path) -> None:
    folder = str(tmp_path / "short")
    result = kuns("solve", *TINY, "-e", "1e-9", "--max-iterations", "25", "--out", folder)
    assert result.exit_code == 1
    assert "kuns: --exploitability 1e-09 was not reached: --max-iterations allows more" in result.stderr
    report = json.loads((tmp_path / "short/result.json").read_text("utf-8"))
    assert (report["iterations"], report["reached"], report["stopped"]) == (25, False, False)


def test_interrupted_it_keeps_what_there_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C ends it at the next look, with the table of that look."""
    looks: list[Look] = []

    def pressed(*args: Any, progress: Any = None, **options: Any) -> Solution:
        def tell(look: Look) -> None:
            looks.append(look)
            os.kill(os.getpid(), signal.SIGINT)
            progress(look)

        return solve(*args, progress=None if progress is None else tell, **options)

    monkeypatch.setattr(solve_exact, "solve", pressed)
    folder = tmp_path / "stopped"
    result = kuns("solve", *TINY, "--exploitability", "0", "--out", str(folder))
    assert result.exit_code == 130
    assert len(looks) == 1
    assert f"kuns: interrupted: what was solved by then is kept in {folder}" in " ".join(
        result.stderr.split()
    )
    report = json.loads((folder / "result.json").read_text("utf-8"))
    assert (report["iterations"], report["reached"], report["stopped"]) == (looks[0].iterations, False, True)
    assert kuns_agents.exploitability(kuns_agents.load(folder)).exploitability < 1


def test_a_death_in_between_leaves_no_report_of_another_policy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = solve_in(GOAL, tmp_path / "here").folder

    def fail(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(solve_exact_picture, "draw", fail)
    with pytest.raises(KeyboardInterrupt):
        solve_in(GOAL, folder.path)
    assert not folder.result.exists()
    assert kuns_agents.load(folder.path).name == "solve-kuns-tiny"


def test_without_matplotlib_there_is_no_picture(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*_: object) -> None:
        raise ModuleNotFoundError("matplotlib")

    monkeypatch.setattr(solve_exact_picture, "draw", missing)
    result = kuns("solve", *TINY, "-e", "0.01", "--out", str(tmp_path / "bare"))
    assert result.exit_code == 0
    assert "picture: none, since matplotlib is not installed" in result.stdout
    assert not (tmp_path / "bare/curve.png").exists()


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["--game", "kuns"], "these rules cannot be solved: side_bets=True: must be False"),
        (["--game", "kunken"], "the game is kunken: must be kuns"),
        (["--set", "bankroll=10"], "bankroll=10: must be None"),
        (["--set", "num_hands=2"], "num_hands=2: must be 1"),
        (["--game", "kuns-anted", "--algorithm", "dcfr"], "num_players=4: must be 2"),
        (["--algorithm", "magic"], "algorithm 'magic': must be one of dcfr, cfr+, mccfr"),
        (["--exploitability", "-1"], "exploitability=-1.0: must be a number of chips, 0 or more"),
        (["--exploitability", "nan"], "exploitability=nan"),
        (["--max-iterations", "0"], "max_iterations=0"),
        (["--seed", "3"], "--seed 3: --algorithm dcfr draws nothing"),
        (["--fresh"], "--fresh: --algorithm dcfr draws nothing"),
        (["--game", "kuns-anted", "-e", "0.1"], "--exploitability 0.1: --algorithm mccfr has no such bound"),
    ],
)
def test_refusals_are_one_line(
    args: list[str], words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = kuns("solve", *args)
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1
    assert words in result.stderr
    assert not list(tmp_path.iterdir())


def test_other_peoples_folders_are_left_alone(tmp_path: Path, solved: Path) -> None:
    (tmp_path / "agent.npz").write_bytes(b"mine")
    with pytest.raises(RunError, match="holds an agent or a run"):
        solve_in(GOAL, tmp_path)
    (tmp_path / "result.json").write_text("{}")
    with pytest.raises(RunError, match="holds a run, no solution"):
        solve_in(GOAL, tmp_path)
    (tmp_path / "result.json").write_text("{")
    with pytest.raises(RunError, match="choose another folder"):
        solve_in(GOAL, tmp_path)
    assert (tmp_path / "agent.npz").read_bytes() == b"mine"
    with pytest.raises(RunError, match="a solution of other rules"):
        solve_in(Goal(KunsRules.duel(), 1e-3), solved)


def test_more_players_are_sampled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from kuns_training import solve_mccfr

    tasks: list[Any] = []

    def noted(task: object, path: Path, **_: object) -> Path:
        tasks.append(task)
        return path

    monkeypatch.setattr(solve_mccfr, "solve", noted)
    result = kuns(
        "solve", "--game", "kuns-anted", "-p", "3", "-n", "50", "-s", "7", "-o", str(tmp_path / "m")
    )
    assert result.exit_code == 0, result.output
    assert [(task.iterations, task.seed, task.rules.num_players) for task in tasks] == [(50, 7, 3)]
    assert f"policy: {tmp_path / 'm' / 'agent.npz'}" in result.stdout


def test_default_folders_are_told_apart() -> None:
    rules = KunsRules.duel().to_dict()
    menu = KunsRules.from_dict(rules | {"ante_menu": [1, 2]})
    assert default_folder(menu).as_posix() == "runs/solve-kuns-duel-ante_menu1_2"


def test_a_solved_agent_brings_its_rules(solved: Path, capsys: pytest.CaptureFixture[str]) -> None:
    agents = [kuns_agents.load("call"), kuns_agents.load(solved)]
    assert choose_rules(agents, None, None, None, None) == KunsRules.tiny()
    assert "solve-kuns-tiny" in capsys.readouterr().err


def test_the_bar_follows_orders_of_magnitude() -> None:
    assert share(1e-1, 1e-2, 1e-4) == pytest.approx(1 / 3)
    way = Way(Goal(KunsRules.tiny(), 1e-4, max_iterations=1000))
    shares = [way.at(Look(i, 0.1, 0.0, 2 * e)) for i, e in ((20, 0.1), (40, 0.01), (900, 0.01), (920, 1e-5))]
    assert shares == pytest.approx([0.02, 1 / 3, 0.9, 1.0])


def test_a_log_gets_lines_from_time_to_time(monkeypatch: pytest.MonkeyPatch) -> None:
    lines: list[str] = []
    with told(GOAL, lines.append) as tell:
        tell(Look(20, 0.1, 0.0, 0.2))
        assert lines == []
        monkeypatch.setattr("kuns_training.solve_exact_bar.SECONDS_BETWEEN_LINES", 0.0)
        tell(Look(40, 0.2, 0.0, 0.2))
    assert lines == [
        "exploitability 1.00e-01, value to the dealer +0.00000 to +0.20000, 40 iterations, 0.2 s"
    ]


def test_the_command_is_listed() -> None:
    assert "kuns solve" in kuns("solve", "--help").stdout
    assert cli_solve.MCCFR == "mccfr"
