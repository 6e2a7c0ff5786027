"""Files of results that somebody has written anew, with a hash that is right: named, and played again."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agent_code import write_code
from kuns_env import KunsRules
from kuns_training.arena import pictures
from kuns_training.arena.manifest import TournamentError
from kuns_training.arena.plan import Plan
from kuns_training.arena.replay import reproduce
from kuns_training.arena.tournament import plan_tournament, play_tournament, resume_tournament
from kuns_training.arena.unit_files import UnitFiles
from kuns_training.arena.unit_read import hash_of

Body = dict[str, Any]
PART = "units/match-00000-deal-00000000.json"


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> tuple[Plan, Path]:
    """A plan with an agent that is disqualified, and the folder that it was played into."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pictures, "why_no_picture", lambda: "pictures take time")
        folder = tmp_path_factory.mktemp("played")
        plan = plan_tournament([f"{write_code(folder)}:Faulty", "call"], KunsRules.duel(), 80, 3)
        play_tournament(plan, folder / "out")
        return plan, folder / "out"


def block(number: Any) -> Callable[[Body], Any]:
    """Put a number into the first block."""
    return lambda body: body["blocks"]["0"][0].__setitem__(0, number)


def blocks(data: Any) -> Callable[[Body], Any]:
    """Put something in place of an agent's blocks."""
    return lambda body: body["blocks"].update({"0": data})


def fault(**changes: Any) -> Callable[[Body], Any]:
    """Change the first disqualification."""
    return lambda body: body["disqualifications"][0].update(changes)


def top(**changes: Any) -> Callable[[Body], Any]:
    """Change the result itself."""
    return lambda body: body.update(changes)


NAMES = (
    "manifest",
    "match",
    "first_deal",
    "num_deals",
    "counted",
    "blocks",
    "num_disqualified",
    "disqualifications",
)
EDITS: list[tuple[Callable[[Body], Any], str]] = [
    *((lambda body, name=name: body.pop(name), f"{name} is missing") for name in NAMES),
    (lambda body: body["counted"].reverse(), "of a version that counted other things"),
    (top(counted=5), "of a version that counted other things"),
    (top(match="0"), "of another part"),
    (top(blocks=5), "blocks of other agents"),
    (lambda body: body["blocks"].pop("0"), "blocks of other agents"),
    (lambda body: body["blocks"].update({"x": []}), "blocks of other agents"),
    (blocks([]), "blocks of agent 0"),
    (blocks(5), "blocks of agent 0"),
    (blocks([[1], [2, 3]]), "blocks of agent 0"),
    (lambda body: body["blocks"]["0"].pop(), "blocks of agent 0"),
    (block(2**70), "blocks of agent 0"),
    (block(2**63), "blocks of agent 0"),
    (block(0.5), "blocks of agent 0"),
    (block("x"), "blocks of agent 0"),
    (block(None), "blocks of agent 0"),
    (block(-5), "blocks of agent 0: hands"),
    (top(num_disqualified={"77": 3}), "num_disqualified="),
    (top(num_disqualified={"0": -3}), "num_disqualified="),
    (top(num_disqualified={"0": "3"}), "num_disqualified="),
    (top(num_disqualified=[]), "num_disqualified="),
    (top(num_disqualified={}), "disqualification "),
    (top(disqualifications=5), "disqualifications=5"),
    (top(disqualifications=[5]), "disqualification 5"),
    (top(disqualifications=[{"x": 1}]), "disqualification "),
    *(
        (fault(**changes), "disqualification .* is none of this part")
        for changes in (
            {"agent": 1},
            {"agent": 77},
            {"seat": 7},
            {"seat": "0"},
            {"place": 5},
            {"place": [9, 0, 0]},
            {"place": [0, 80, 0]},
            {"place": [0, 0, -1]},
            {"place": [0, 0]},
            {"is_late": 1},
            {"problem": 5},
            {"problem": "\ud800"},
            {"legal": "call"},
            {"legal": [5]},
        )
    ),
]


@pytest.mark.parametrize("number", range(len(EDITS)))
def test_malformed_results_with_a_right_hash_are_damaged(number: int, played: Any, tmp_path: Path) -> None:
    plan, folder = played
    edit, message = EDITS[number]
    (tmp_path / "units").mkdir()
    body = json.loads((folder / PART).read_text("utf-8"))
    del body["sha256"]
    edit(body)
    (tmp_path / PART).write_text(json.dumps({"sha256": hash_of(body), **body}), "utf-8")
    said: list[str] = []
    files = UnitFiles(plan, tmp_path / "units", said.append)
    assert files.read(plan.units()[0]) is None
    assert len(said) == 1
    assert re.search(message, said[0])
    assert said[0].endswith("this part is played again")


DEEP = "[" * 100_000
NESTED = '{"sha256": ' + "[" * 700 + "]" * 700 + "}"


@pytest.mark.parametrize("text", [DEEP, NESTED, "1" * 10_000, "null", "{}", "\x00"])
def test_what_is_no_result_is_played_again(
    text: str, played: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pictures, "why_no_picture", lambda: "pictures take time")
    _, folder = played
    shutil.copytree(folder, tmp_path / "out")
    (tmp_path / "out" / PART).write_text(text, "utf-8")
    (tmp_path / "out" / "results.json").unlink()
    said: list[str] = []
    resume_tournament(tmp_path / "out", say=said.append)
    assert "damaged" in said[0]
    for name in (PART, "results.json"):
        assert (tmp_path / "out" / name).read_bytes() == (folder / name).read_bytes()


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo])
@pytest.mark.parametrize("use", [resume_tournament, reproduce])
def test_what_is_no_file_is_named(make: Any, use: Any, played: Any, tmp_path: Path) -> None:
    _, folder = played
    shutil.copytree(folder, tmp_path / "out")
    (tmp_path / "out" / PART).unlink()
    make(tmp_path / "out" / PART)
    with pytest.raises(TournamentError, match=r"match-00000-deal-00000000\.json: is no file: remove it"):
        use(tmp_path / "out")


@pytest.mark.parametrize(
    "text", ["", "null", "[]", DEEP, "1" * 10_000, '{"ratings": ' + "[" * 700 + "]" * 700 + "}"]
)
def test_results_that_are_none_are_not_the_same(text: str, played: Any, tmp_path: Path) -> None:
    _, folder = played
    shutil.copytree(folder, tmp_path / "out")
    (tmp_path / "out" / "results.json").write_text(text, "utf-8")
    found = reproduce(tmp_path / "out")
    assert (found.is_same, found.changes) == (False, ())


def test_a_folder_in_place_of_the_results_is_named(played: Any, tmp_path: Path) -> None:
    _, folder = played
    shutil.copytree(folder, tmp_path / "out")
    (tmp_path / "out" / "results.json").unlink()
    (tmp_path / "out" / "results.json").mkdir()
    with pytest.raises(TournamentError, match=r"results\.json: is no file: remove it"):
        reproduce(tmp_path / "out")
