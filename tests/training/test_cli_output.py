"""Where commands write: agents that print or go to other folders change nothing, and no file is written twice."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agent_code import write_code
from kuns_training.cli import main

LOUD = '''

class Loud(Modest):
    """Prints, and goes elsewhere."""
    name = "loud"
    reads = "multiset"

    def __init__(self):
        print("LOUD")

    def supports(self, rules):
        print("LOUD")

    def act(self, views, rng):
        print("LOUD")
        os.chdir("/")
        return super().act(views, rng)

    def policy(self, views):
        print("LOUD")
        os.chdir("/")
        masks = views.masks.copy()
        masks[:, 0] = 0
        out = np.zeros(masks.shape)
        out[np.arange(len(masks)), masks.argmax(axis=1)] = 1
        return out


print("LOUD")
'''


def kuns(*args: object) -> object:
    with pytest.raises(SystemExit) as caught:
        main([str(arg) for arg in args])
    return caught.value.code


@pytest.mark.parametrize(
    "args",
    [
        ["evaluate", "mine.py:Loud", "call", "--deals", "20"],
        ["evaluate", "mine.py:Loud", "call", "--game", "kuns-duel", "--deals", "20", "--csv", "out.csv"],
        ["exploit", "mine.py:Loud", "--game", "kuns-tiny"],
    ],
)
def test_what_agents_print_is_not_in_the_json(
    args: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    write_code(tmp_path, LOUD)
    assert kuns(*args, "--json", "-") == 0
    told = capsys.readouterr()
    assert "agents" in json.loads(told.out)
    assert "LOUD" in told.err
    assert Path.cwd() == tmp_path
    assert ("out.csv" not in args) or (tmp_path / "out.csv").is_file()


def test_a_tournament_stays_in_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_code(tmp_path, LOUD)
    assert kuns("tournament", "mine.py:Loud", "call", "--deals", "5000", "--out", "there") == 0
    assert (tmp_path / "there" / "results.json").is_file()


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--json", "a", "--csv", "a"], "--json and --csv: only one of them can go to a"),
        (["--json", "a.png", "--plot", "./a.png"], "--json and --plot: only one of them can go to a.png"),
        (["--json", "-", "--csv", "-"], "--json and --csv: only one of them can go to stdout"),
        (["--csv", ""], "--csv .: is a folder"),
    ],
)
def test_no_file_is_written_twice(
    args: list[str],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert kuns("evaluate", "call", "fold", "--deals", "10", *args) == 2
    assert message in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "args",
    [
        ["tournament", "call", "fold", "--out", ""],
        ["tournament", "--resume", ""],
        ["reproduce", ""],
        ["reproduce", "x", "--out", ""],
        ["solve", "--out", ""],
        ["train", "--out", ""],
        ["respond", "call", "--out", ""],
    ],
)
def test_a_folder_has_a_name(
    args: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert kuns(*args) == 2
    error = capsys.readouterr().err
    assert "must name a folder" in error
    assert len(error.splitlines()) == 1
