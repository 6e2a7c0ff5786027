"""The installing tools: bounds come from pyproject.toml, and a half-made environment is not trusted."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import install
import lowest
import pytest


def project(dependencies: Sequence[str], **extras: Sequence[str]) -> dict[str, Any]:
    return {"name": "game", "dependencies": dependencies, "optional-dependencies": extras}


def test_the_lowest_versions_are_those_of_the_shipped_extras() -> None:
    found = lowest.constraints(
        project(
            ["b>=1.2,<2", "a-x[fast]>=3.0 ; python_version < '4'"],
            all=["game[some]", "c<9,>=8"],
            some=["b>=1.2"],
            dev=["d"],
        )
    )
    assert found == ["a-x==3.0", "b==1.2", "c==8"]


@pytest.mark.parametrize("requirement", ["a", "a<2", "a==1"])
def test_a_requirement_needs_a_lower_bound(requirement: str) -> None:
    with pytest.raises(ValueError, match="no lower bound"):
        lowest.constraints(project([requirement]))


def test_extras_must_agree_on_a_bound() -> None:
    with pytest.raises(ValueError, match="another extra"):
        lowest.constraints(project(["a>=1"], more=["a>=2"]))


def test_this_project_has_lower_bounds(root: Path) -> None:
    found = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    assert any(line.startswith("numpy==") for line in lowest.constraints(found))


@pytest.fixture
def pip_calls(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, ...]]:
    """Let pip and venv do nothing but be recorded; a venv that is asked for gets a file in place of Python."""
    calls: list[tuple[str, ...]] = []

    def pip_install(env: install.Environment, *wanted: str, quiet: bool = False) -> bool:
        calls.append(wanted)
        return wanted[0] != install.TORCH_CPU

    def run(command: Sequence[str], check: bool) -> None:
        python = install.Environment(Path(command[-1])).python
        python.parent.mkdir(parents=True)
        python.touch()

    monkeypatch.setattr(install.Environment, "pip_install", pip_install)
    monkeypatch.setattr(install.subprocess, "run", run)
    return calls


def test_installing_twice_asks_pip_once(pip_calls: list[tuple[str, ...]], tmp_path: Path) -> None:
    env = install.Environment(tmp_path / "venv")
    for _ in range(2):
        assert install.install(env, ["render"], use_lowest=False)
    assert pip_calls == [("--editable", ".[render]")]
    assert install.install(env, ["cli"], use_lowest=False)
    assert pip_calls[1:] == [("--editable", ".[cli,render]")]
    assert install.install(env, ["cli", "render"], use_lowest=False)
    assert pip_calls[2:] == []


def test_without_a_cpu_build_the_published_torch_is_taken(
    pip_calls: list[tuple[str, ...]], tmp_path: Path
) -> None:
    assert install.install(install.Environment(tmp_path / "venv"), ["train"], use_lowest=False)
    assert pip_calls == [(install.TORCH_CPU,), (install.TORCH_ANY,), ("--editable", ".[train]")]


def test_an_interrupted_environment_is_made_anew(pip_calls: list[tuple[str, ...]], tmp_path: Path) -> None:
    env = install.Environment(tmp_path / "venv")
    assert install.install(env, ["cli"], use_lowest=False)
    left = env.folder / "half-copied"
    for file in (left, env.busy):
        file.touch()
    env.stamp.unlink()
    assert install.install(env, ["cli"], use_lowest=False)
    assert not left.exists()
    assert not env.busy.exists()
    assert len(pip_calls) == 2


def test_the_lowest_versions_are_handed_to_pip(pip_calls: list[tuple[str, ...]], tmp_path: Path) -> None:
    env = install.Environment(tmp_path / "venv")
    assert install.install(env, ["cli"], use_lowest=True)
    assert pip_calls == [("--editable", ".[cli]", "--constraint", str(env.folder / "lowest.txt"))]
    assert "\nnumba==" in (env.folder / "lowest.txt").read_text("utf-8")


def test_an_unknown_extra_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        install.main(["nosuch"])
    assert "nosuch" in capsys.readouterr().err
