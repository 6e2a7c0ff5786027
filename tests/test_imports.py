"""Imports go one way, kuns_training to kuns_agents to kuns_env, and `import kuns_env` stays light."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

PACKAGES = {
    "kuns_env": "kuns_env",
    "kuns_agents": "agents/kuns_agents",
    "kuns_training": "training/kuns_training",
}
FORBIDDEN = {"kuns_env": {"kuns_agents", "kuns_training"}, "kuns_agents": {"kuns_training"}}
TRAINING = ("torch", "stable_baselines3", "sb3_contrib", "tensorboard", "matplotlib")
"""What only `kuns train` may load: the other commands start without it."""

HEAVY = (*TRAINING, "openskill", "PIL", "typer", "rich")
"""What only the extras bring."""


def imports(source: str) -> Iterator[tuple[int, str]]:
    """Yield the line and the name of every module that ``source`` imports, wherever it does."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.lineno, node.module or "."


def wrong_imports(source: str, forbidden: set[str]) -> list[tuple[int, str]]:
    """Return the imports of ``source`` that go up to a package in ``forbidden``."""
    return [(line, name) for line, name in imports(source) if name.split(".")[0] in forbidden]


@pytest.mark.parametrize("package", FORBIDDEN)
def test_imports_go_one_way(package: str, root: Path) -> None:
    files = sorted((root / PACKAGES[package]).rglob("*.py"))
    assert files
    wrong = {
        str(path.relative_to(root)): found
        for path in files
        if (found := wrong_imports(path.read_text("utf-8"), FORBIDDEN[package]))
    }
    assert not wrong, f"{package} may not import {sorted(FORBIDDEN[package])}"


def test_an_import_upwards_is_found() -> None:
    source = "import numpy, kuns_agents.pool\ndef late():\n    from kuns_training.ppo import Config\n"
    assert wrong_imports(source, FORBIDDEN["kuns_env"]) == [(1, "kuns_agents.pool"), (3, "kuns_training.ppo")]


def loaded_by(statement: str, root: Path) -> set[str]:
    """Return the top-level modules that a fresh process holds after ``statement``."""
    code = (
        f"import json, sys; {statement}; print(json.dumps(sorted({{m.split('.')[0] for m in sys.modules}})))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout))


@pytest.mark.parametrize(
    ("statement", "forbidden"),
    [
        pytest.param("import kuns_env", {*HEAVY, "kuns_agents", "kuns_training"}, id="kuns_env"),
        pytest.param(
            "from kuns_env import *", {*HEAVY, "kuns_agents", "kuns_training"}, id="all-of-kuns_env"
        ),
        pytest.param("import kuns_agents", {*HEAVY, "kuns_training"}, id="kuns_agents"),
        pytest.param("import kuns_training.cli", {*TRAINING}, id="the-command"),
    ],
)
def test_an_import_is_light(statement: str, forbidden: set[str], root: Path) -> None:
    assert not loaded_by(statement, root) & forbidden


@pytest.mark.parametrize("other", ["kuns", "kunken"])
def test_games_know_nothing_of_each_other_nor_of_the_engine_but_what_kernels_need(
    other: str, root: Path
) -> None:
    """Imports inside `kuns_env` go from the engine to the games."""
    for game in {"kuns", "kunken"} - {other}:
        for path in sorted((root / "kuns_env" / game).rglob("*.py")):
            names = [name for _, name in imports(path.read_text("utf-8"))]
            assert not [name for name in names if name.startswith(f"kuns_env.{other}")], path
            engine = {name for name in names if name.startswith("kuns_env.engine")}
            assert engine <= {"kuns_env.engine.stepping"}, path


def test_how_long_import_kuns_env_takes(root: Path, record_property: Callable[[str, object], None]) -> None:
    # Recorded (`pytest --junit-xml`), not asserted: a busy machine proves nothing. It was 0.4 s when warm.
    seconds = []
    for _ in range(2):
        started = time.perf_counter()
        loaded_by("import kuns_env", root)
        seconds.append(time.perf_counter() - started)
    record_property("import_kuns_env_seconds", min(seconds))


def test_a_heavy_import_is_found(root: Path) -> None:
    assert "PIL" in loaded_by("import kuns_env, PIL", root)
