"""Agents in files of code: made anew each time, and refused by name where they cannot be made."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kuns_agents import AgentError, load

CODE = """
import os
from dataclasses import dataclass

class Timid:
    name = "timid"
    def act(self, views, rng):
        return views.masks.argmax(axis=1)
    def supports(self, rules):
        return None

@dataclass
class Bold(Timid):
    number: int = 3

ready = Timid()

class Broken:
    def __init__(self):
        raise RuntimeError("no luck")

class Closed(Timid):
    __slots__ = ("path",)
    def __init__(self):
        self.path = None
    def __setattr__(self, name, value):
        raise AttributeError(name)

class Unnamed(Timid):
    name = 5

class Leaving:
    def __init__(self):
        raise SystemExit(0)

class SilentError(Exception):
    def __str__(self):
        raise RuntimeError("nested")

class Silent:
    def __init__(self):
        raise SilentError

class Torn:
    def __init__(self):
        raise GeneratorExit(chr(0xD800))

class Deaf(Timid):
    supports = None

class Idle(Timid):
    act = None

class Wandering(Timid):
    def __init__(self):
        os.chdir("/")
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "mine.py"
    path.write_text(CODE, "utf-8")
    return path


def test_classes_and_agents_are_loaded_and_know_their_file(file: Path) -> None:
    for name in ("Timid", "Bold", "ready"):
        agent = load(f"{file}:{name}")
        assert agent.name == "timid"
        assert agent.path == file  # type: ignore[attr-defined]
    assert load(f"{file}:ready") is not load(f"{file}:ready")  # the file is run anew


def test_a_file_that_has_changed_is_read_again(file: Path) -> None:
    load(f"{file}:Timid")
    file.write_text(CODE.replace('"timid"', '"changed"'), "utf-8")
    assert load(f"{file}:Timid").name == "changed"


@pytest.mark.parametrize(
    ("code", "name", "message"),
    [
        (CODE, "Nobody", r"mine\.py has no 'Nobody'; its classes are: Timid, Bold, Broken, Closed"),
        (CODE, "", r"must name a class, .*mine\.py:CLASS; its classes are: Timid, Bold"),
        ("def", "", "must name a class, .*it is not Python"),
        ("", "Timid", "no 'Timid'; it has no classes"),
        (CODE, "Deaf", "Deaf is no agent: it has no `supports`"),
        (CODE, "Idle", "Idle is no agent: it has no `act`"),
        (CODE, "Broken", "could not be made: RuntimeError: no luck"),
        (CODE, "Closed", "could not be made: AttributeError"),
        (CODE, "os", "os is no agent: it has no `act`"),
        (CODE, "dataclass", "dataclass is no agent: it has no `name`"),
        (CODE, "Unnamed", "its name is 5: must be text"),
        (CODE, "Leaving", "could not be made: SystemExit: 0"),
        (CODE, "Silent", "could not be made: SilentError: its text could not be made"),
        (CODE, "Torn", r"could not be made: GeneratorExit: \\ud800"),
        ("raise SystemExit(0)", "Timid", "raised SystemExit: 0"),
        ("1 / 0", "Timid", "raised ZeroDivisionError"),
        ("def", "Timid", "raised SyntaxError"),
    ],
)
def test_what_cannot_be_made_is_refused(code: str, name: str, message: str, file: Path) -> None:
    file.write_text(code, "utf-8")
    with pytest.raises(AgentError, match=message):
        load(f"{file}:{name}")


def test_a_file_without_a_class_is_not_run(file: Path) -> None:
    file.write_text("1 / 0\nclass Timid: pass", "utf-8")
    with pytest.raises(AgentError, match=r"must name a class, .*mine\.py:CLASS; its classes are: Timid$"):
        load(str(file))
    with pytest.raises(AgentError, match=r"there is no file 'lost\.py'"):
        load("lost.py")


def test_missing_files_and_options_are_refused(file: Path) -> None:
    with pytest.raises(AgentError, match=r"there is no file 'lost\.py'"):
        load("lost.py:Timid")
    with pytest.raises(AgentError, match="takes no options, and was given greedy"):
        load(f"{file}:Timid", greedy=True)


def test_what_is_no_agent_is_left_as_it_is(file: Path) -> None:
    before = os.path
    with pytest.raises(AgentError, match="os is no agent"):
        load(f"{file}:os")
    assert os.path is before


def test_code_that_goes_to_another_folder_moves_nobody(file: Path) -> None:
    before = Path.cwd()
    load(f"{file}:Wandering")
    assert Path.cwd() == before


@pytest.mark.parametrize("ending", ["", ".npz", ".py:A", "/agent"])
def test_paths_that_no_system_takes_are_refused(ending: str) -> None:
    with pytest.raises(AgentError) as caught:
        load("x" * 5000 + ending)
    assert len(str(caught.value)) < 1000
