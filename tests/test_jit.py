"""Compiled code is kept on disk and never served stale, needs no place to be kept, and says once that it compiles."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numba
import pytest
from numba.core.dispatcher import Dispatcher

from games import COMPILED
from kuns_env import Batch, KunkenRules, KunsRules, Table
from kuns_env.jit import PACKAGE, Compiler, cache_root, source_hash

pytestmark = pytest.mark.skipif(not COMPILED, reason="nothing is compiled")

STRENGTH = """
import numpy as np
from kuns_env import KunsRules
from kuns_env.kuns.settle import strength
from kuns_env.kuns.state import STATE, compile_rules

state = np.zeros(1, STATE)
state["in_hand"][0, :2] = 1
state["num_in"] = 2
state["hole"][0, 0] = [28, 16, 32, 24, 0]  # 8 5 9 7 A: kuns and 10 (K5.7)
print(strength(state[0], compile_rules(KunsRules())[0], 0))
"""
"""Calls one kernel, whose callee is in another file."""

TABLES = """
from kuns_env import KunsRules, Table
for _ in range(2):
    Table(KunsRules.duel(), seed=1).apply("ante 1")
"""
COMPILING = "kuns-env: compiling"
BONUS = "KUNS_BONUS: Final = 10\n"


class Copy:
    """A copy of the package that may be changed, with a cache of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.package = folder / "kuns_env"
        self.cache = folder / "cache"
        shutil.copytree(PACKAGE, self.package, ignore=shutil.ignore_patterns("__pycache__", "*.nb*"))

    def run(self, script: str) -> tuple[str, str]:
        """Return what a new process that runs ``script`` prints, and what it says on the error stream."""
        environment = {**os.environ, "PYTHONPATH": str(self.folder), "NUMBA_CACHE_DIR": str(self.cache)}
        command = [sys.executable, "-c", script]
        done = subprocess.run(
            command, cwd=self.folder, env=environment, capture_output=True, text=True, check=True, timeout=200
        )
        return done.stdout.strip(), done.stderr

    def edit(self, name: str, old: str, new: str) -> None:
        path = self.package / name
        text = path.read_text("utf-8")
        assert text.count(old) == 1, f"{old!r} is in {name} {text.count(old)} times"
        path.write_text(text.replace(old, new), "utf-8")

    def kept(self) -> list[Path]:
        """Return the files of compiled code, wherever they are."""
        return sorted(self.folder.rglob("*.nbi"))


@pytest.fixture
def copy(tmp_path: Path) -> Copy:
    return Copy(tmp_path)


# ---------------------------------------------------------------- the key of the cache


def test_any_change_of_any_source_changes_the_key(copy: Copy) -> None:
    key = source_hash([copy.package])
    assert key == source_hash([PACKAGE])
    sources = sorted(copy.package.rglob("*.py"))
    assert len(sources) > 20
    for path in sources:
        text = path.read_bytes()
        path.write_bytes(text + b"#")
        assert source_hash([copy.package]) != key, f"{path.name} does not count"
        path.write_bytes(text)
    (copy.package / "notes.txt").write_text("not a source")
    assert source_hash([copy.package]) == key
    (copy.package / "rng.py").rename(copy.package / "random.py")
    assert source_hash([copy.package]) != key


def test_the_sources_of_every_folder_count(tmp_path: Path) -> None:
    folders = [tmp_path / "one", tmp_path / "two"]
    for folder in folders:
        folder.mkdir()
        (folder / "kernels.py").write_text("x = 1\n")
    key = source_hash(folders)
    (folders[1] / "kernels.py").write_text("x = 2\n")
    assert source_hash(folders) != key
    assert key != source_hash(folders[:1])


def test_the_cache_is_where_it_is_asked_for(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    assert cache_root() == tmp_path / "kuns-env"
    assert Compiler(PACKAGE).folder.parent == cache_root()
    monkeypatch.delenv("NUMBA_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    if sys.platform == "linux":
        assert cache_root() == tmp_path / "xdg" / "kuns-env"


# ---------------------------------------------------------------- stale code


def test_a_changed_callee_in_another_file_is_not_served_stale(copy: Copy) -> None:
    assert copy.run(STRENGTH)[0] == "20"
    assert len(kept := copy.kept()) > 0, "nothing was kept"
    assert copy.run(STRENGTH)[0] == "20"
    assert copy.kept() == kept, "the second start compiled again"
    # `strength` is in settle.py; what it calls is in value.py.
    copy.edit("kuns/value.py", BONUS, BONUS.replace("10", "70"))
    assert copy.run(STRENGTH)[0] == "80"


def test_a_key_that_does_not_follow_the_sources_serves_stale_code(copy: Copy) -> None:
    # What the test above guards against: Numba by itself looks at the file of the caller alone.
    copy.edit("jit.py", "digest.update(path.read_bytes())", "pass")
    assert copy.run(STRENGTH)[0] == "20"
    copy.edit("kuns/value.py", BONUS, BONUS.replace("10", "70"))
    assert copy.run(STRENGTH)[0] == "20"


def test_without_a_place_to_keep_code_everything_works_and_nothing_is_stale(copy: Copy) -> None:
    # Below a file no folder can be made, whoever asks.
    copy.cache.write_text("a file")
    copy.cache = copy.cache / "below"
    assert copy.run(STRENGTH)[0] == "20"
    assert copy.kept() == [], "compiled code beside the sources would be served stale"
    copy.edit("kuns/value.py", BONUS, BONUS.replace("10", "70"))
    assert copy.run(STRENGTH)[0] == "80"


# ---------------------------------------------------------------- calls


def looked_up(call: Callable[[], object], monkeypatch: pytest.MonkeyPatch) -> int:
    """Return how many arguments Numba has to look at with Python's help when a kernel is called again."""
    call()
    looked: list[object] = []
    slow = Dispatcher.typeof_pyval
    with monkeypatch.context() as patch:
        patch.setattr(
            Dispatcher, "typeof_pyval", lambda self, value: looked.append(value) or slow(self, value)
        )
        call()
    return len(looked)


CALLS = ("step", "views", "legal", "table", "history")


def test_calls_of_either_game_find_their_code_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where both games are played in one process: a call that does not takes milliseconds, not one."""
    calls: dict[str, Callable[[], object]] = {}
    for rules in (KunsRules(), KunkenRules()):
        batch, table = Batch(rules, 3, seed=1), Table(rules, seed=1)
        moves = batch.masks.argmax(axis=1)
        batch.step(moves)
        calls |= {
            f"{rules.game}, step": lambda batch=batch: batch.step(batch.masks.argmax(axis=1)),  # type: ignore[misc]
            f"{rules.game}, views": batch.views,
            f"{rules.game}, legal": table.legal_actions,
            f"{rules.game}, table": lambda table=table: table.view(0).observation("table"),  # type: ignore[misc]
            f"{rules.game}, history": lambda table=table: table.view(0).observation("history"),  # type: ignore[misc]
        }
    looked = {name: looked_up(call, monkeypatch) for name, call in calls.items()}
    # Older versions of Numba look up every named tuple; the second game must not do worse than the first.
    first, second = ({name: looked[f"{game}, {name}"] for name in CALLS} for game in ("kuns", "kunken"))
    assert first == second
    assert not any(number for name, number in looked.items() if not name.endswith("step"))


def test_two_named_tuples_of_one_name_are_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    kinds = [NamedTuple("Pair", [("one", int), ("two", float)]) for _ in range(2)]
    kernels = [numba.njit(lambda pair: pair.one) for _ in kinds]
    calls = [lambda k=k, kind=kind: k(kind(1, 2.0)) for k, kind in zip(kernels, kinds, strict=True)]  # type: ignore[misc]
    for call in calls:
        call()
    assert [looked_up(call, monkeypatch) > 0 for call in calls] == [False, True]


# ---------------------------------------------------------------- the line


def test_one_line_says_that_it_compiles_and_none_when_it_does_not(copy: Copy) -> None:
    out, cold = copy.run(TABLES)
    assert out == "", "a library does not print"
    assert cold.count(COMPILING) == 1, cold
    assert len(cold.splitlines()) == 1, cold
    _, warm = copy.run(TABLES)
    assert warm == ""
    # A changed source is a cold start.
    copy.edit("kuns/value.py", BONUS, BONUS.replace("10", "70"))
    _, changed = copy.run("from kuns_env.jit import jit; jit.announce('kuns'); jit.announce('kuns')")
    assert changed.count(COMPILING) == 1


def test_each_game_says_so_by_itself(copy: Copy) -> None:
    """Kernels of Kuns that are kept tell nothing of those of Kunken, which take longer."""
    said = "from kuns_env.jit import jit; jit.announce('{}')"
    for game, other in (("kuns", "kunken"), ("kunken", "kuns")):
        shutil.rmtree(copy.cache, ignore_errors=True)
        _, first = copy.run(said.format(game))
        assert first.strip().endswith("later starts take under a second")
        assert f"{COMPILING} the rules of {game} once" in first
        _, where = copy.run("from kuns_env.jit import jit; import sys; sys.stderr.write(str(jit.folder))")
        kept = Path(where) / f"{game}_0123"  # as Numba names the folder of a package
        kept.mkdir(parents=True)
        (kept / "loops.apply_one-1.py311.nbi").touch()
        assert copy.run(said.format(game))[1] == ""
        assert f"{COMPILING} the rules of {other} once" in copy.run(said.format(other))[1]


def test_numba_names_folders_as_is_expected(copy: Copy) -> None:
    copy.run(STRENGTH)
    assert {path.parent.name.rpartition("_")[0] for path in copy.kept()} >= {"kuns"}


def test_an_import_compiles_nothing_and_says_nothing(copy: Copy) -> None:
    assert copy.run("import kuns_env; kuns_env.KunsRules()") == ("", "")
    assert copy.kept() == []


def test_without_compilation_there_is_nothing_to_say(copy: Copy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    out, err = copy.run(TABLES)
    assert out == ""
    assert COMPILING not in err
