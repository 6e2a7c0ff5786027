"""`kuns tournament` and `kuns reproduce`, as a person meets them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from agent_code import write_code
from kuns_training.arena import pictures
from kuns_training.cli_app import app


@pytest.fixture(autouse=True)
def no_pictures(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    if "tournament_is_played" not in request.node.name:
        monkeypatch.setattr(pictures, "why_no_picture", lambda: "pictures take time")


def kuns(*args: str) -> Any:
    return CliRunner().invoke(app, list(args))


def played(folder: Path, *more: str) -> Any:
    return kuns("tournament", "call", "fold", "random", "-n", "60", "--out", str(folder / "out"), *more)


def test_a_tournament_is_played_gone_on_with_and_reproduced(tmp_path: Path) -> None:
    first = played(tmp_path)
    assert first.exit_code == 0
    assert "360 hands: 60 deals (seed 1)" in first.stdout
    assert f"kept in {tmp_path / 'out'}" in first.stdout
    assert "+1.000 ± 0.000" in (tmp_path / "out" / "table.txt").read_text("utf-8")
    result = (tmp_path / "out" / "results.json").read_bytes()
    picture = tmp_path / "out" / "picture.png"
    assert picture.is_file() == (pictures.why_no_picture() is None)
    again = played(tmp_path)
    assert again.exit_code == 0
    assert "going on; 3 of 3 parts are there" in again.stderr
    assert kuns("tournament", "--resume", str(tmp_path / "out")).stdout == again.stdout
    assert (tmp_path / "out" / "results.json").read_bytes() == result
    replay = kuns("reproduce", str(tmp_path / "out"), "--out", str(tmp_path / "new"))
    assert replay.exit_code == 0
    verdict = f"the same as {tmp_path / 'out'}, byte for byte"
    assert replay.stdout.splitlines()[0] == replay.stdout.splitlines()[-1] == verdict
    assert kuns("reproduce", str(tmp_path / "out"), "--quiet").stdout == f"{verdict}\n"
    assert (tmp_path / "new" / "results.json").read_bytes() == result
    alone = kuns("reproduce", str(tmp_path / "new" / "manifest.json"))
    assert "the same as" in alone.stdout


def test_a_result_that_differs_is_status_1(tmp_path: Path) -> None:
    played(tmp_path)
    file = tmp_path / "out" / "results.json"
    file.write_bytes(file.read_bytes().replace(b'"seed": 1', b'"seed": 2'))
    replay = kuns("reproduce", str(tmp_path / "out"))
    assert replay.exit_code == 1
    assert "the table is not that of" in replay.stderr
    assert replay.stdout.startswith("the table is not that of")


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["tournament", "call", "fold"], "--out FOLDER is missing"),
        (["tournament", "call", "--out", "OUT"], "1 agent given: at least two are needed"),
        (["tournament", "call", "nobody", "--out", "OUT"], "no agent 'nobody'"),
        (
            ["tournament", "call", "fold", "--out", "OUT", "--until", "0"],
            "until=0.0: must be a half width above 0",
        ),
        (["tournament", "call", "fold", "--out", "OUT", "--time-limit", "-1"], "time_limit=-1.0"),
        (["tournament", "call", "fold", "--out", "OUT", "--jobs", "0"], "num_jobs=0"),
        (
            ["tournament", "call", "fold", "--out", "OUT", "--mode", "cup"],
            "mode='cup': must be one of pairs, tables",
        ),
        (
            ["tournament", "call", "fold", "--out", "OUT", "--tables", "3"],
            "num_tables=3: goes with mode 'tables'",
        ),
        (["tournament", "--resume", "OUT"], "holds no tournament"),
        (["tournament", "call", "--resume", "OUT", "-n", "5"], "leave out AGENT, --deals"),
        (["reproduce", "OUT"], "cannot be read"),
        (["tournament", "call", "lost.py:Agent", "--out", "OUT"], "there is no file 'lost.py'"),
    ],
)
def test_bad_input_is_one_line_and_leaves_nothing(args: list[str], message: str, tmp_path: Path) -> None:
    result = kuns(*(str(tmp_path / "out") if arg == "OUT" else arg for arg in args))
    assert result.exit_code == 2
    assert message in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert not (tmp_path / "out").exists()


def test_failing_agents_are_told_and_the_rest_is_played(tmp_path: Path) -> None:
    code = write_code(tmp_path)
    result = kuns("tournament", f"{code}:Faulty", "call", "fold", "-n", "50", "--out", str(tmp_path / "out"))
    assert result.exit_code == 1
    assert "faulty was disqualified from" in result.stdout
    assert "agent 'faulty' was disqualified in deal" in result.stderr
    assert result.stderr.count("(you)") == 1
    data = json.loads((tmp_path / "out" / "results.json").read_text("utf-8"))
    assert len(data["results"]) == 6


@contextmanager
def stuck(tmp_path: Path, jobs: str) -> Iterator[subprocess.Popen[str]]:
    """A tournament of three matches, of which one is played; then nothing comes back any more."""
    out = tmp_path / "out"
    agents = ["call", "random", f"{write_code(tmp_path)}:Endless"]
    command = [sys.executable, "-m", "kuns_training.cli", "tournament", *agents, "-n", "8000", "--no-luck"]
    command += ["--out", str(out), "--jobs", jobs]
    process = subprocess.Popen(
        command, stderr=subprocess.PIPE, text=True, start_new_session=True, preexec_fn=heed_ctrl_c
    )
    try:
        while process.poll() is None and len(list(out.glob("units/*.json"))) < 2:
            time.sleep(0.02)
        yield process
        deadline = time.monotonic() + 20
        while any_left(process.pid):
            assert time.monotonic() < deadline, "processes are left behind"
            time.sleep(0.05)
    finally:
        if any_left(process.pid):
            os.killpg(process.pid, signal.SIGKILL)


def heed_ctrl_c() -> None:
    """What a shell runs in its background, these tests perhaps, is started with the signal ignored."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def any_left(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.skipif(os.name == "nt", reason="sends signals")
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_ctrl_c_leaves_a_folder_that_goes_on(jobs: str, tmp_path: Path) -> None:
    with stuck(tmp_path, jobs) as process:
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does: every process of it is told
        _, told = process.communicate(timeout=60)
        assert process.returncode == 130
        assert f"interrupted; what was played is kept: kuns tournament --resume {tmp_path / 'out'}" in told
        assert "Traceback" not in told
        assert len(list((tmp_path / "out").glob("units/*.json"))) == 2
        assert not list((tmp_path / "out").glob("units/.*"))


@pytest.mark.skipif(os.name == "nt", reason="sends signals")
def test_a_tournament_that_is_killed_leaves_no_process_behind(tmp_path: Path) -> None:
    with stuck(tmp_path, "2") as process:
        process.kill()
        process.wait(timeout=60)
