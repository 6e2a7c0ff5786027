"""The wheel built from the sdist holds the three packages, whole, and nothing else; versions agree."""

from __future__ import annotations

import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import pytest

import kuns_env

PACKAGES = {
    "kuns_env": "kuns_env",
    "kuns_agents": "agents/kuns_agents",
    "kuns_training": "training/kuns_training",
}
NOT_SHIPPED = {".pyc", ".pyo", ".nbi", ".nbc"}


@pytest.fixture(scope="module")
def project(root: Path) -> dict[str, Any]:
    found: dict[str, Any] = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    return found


def build(kind: str, source: Path, out: Path) -> Path:
    """Build ``source``. Without isolation: what builds it is installed, so no network is needed."""
    command = [
        sys.executable,
        "-m",
        "build",
        f"--{kind}",
        "--no-isolation",
        "--outdir",
        str(out),
        str(source),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (built,) = out.iterdir()
    return built


@pytest.fixture(scope="module")
def wheel(root: Path, tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """The names in the wheel that is built from the sdist, as an installer would do it."""
    folder = tmp_path_factory.mktemp("dist")
    with tarfile.open(build("sdist", root, folder / "sdist")) as archive:
        archive.extractall(folder / "source", filter="data")
    (source,) = (folder / "source").iterdir()
    with zipfile.ZipFile(build("wheel", source, folder / "wheel")) as archive:
        return set(archive.namelist())


def test_the_wheel_holds_just_the_three_packages(wheel: set[str], project: dict[str, Any]) -> None:
    info = f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    assert {name.split("/")[0] for name in wheel} == {*PACKAGES, info}


@pytest.mark.parametrize("package", PACKAGES)
def test_the_wheel_holds_every_file_of(package: str, wheel: set[str], root: Path) -> None:
    folder = root / PACKAGES[package]
    files = {
        f"{package}/{path.relative_to(folder).as_posix()}"
        for path in folder.rglob("*")
        if path.is_file() and path.suffix not in NOT_SHIPPED
    }
    assert f"{package}/py.typed" in files
    assert f"{package}/__init__.py" in files
    assert not files - wheel


def test_the_command_is_installed(project: dict[str, Any]) -> None:
    assert project["scripts"] == {"kuns": "kuns_training.cli:main"}


def test_versions_agree(root: Path, project: dict[str, Any]) -> None:
    version = project["version"]
    assert kuns_env.__version__ == version
    citation = (root / "CITATION.cff").read_text("utf-8")
    assert re.search(r"^version: (.+)$", citation, re.MULTILINE)[1] == version  # type: ignore[index]
    changelog = (root / "CHANGELOG.md").read_text("utf-8")
    assert re.search(r"^## \[?(\d[^\]\s]*)", changelog, re.MULTILINE)[1] == version  # type: ignore[index]
