"""Install this project, editable, into a virtual environment of its own; quick when nothing has changed.

    python tools/install.py [--venv .venv] [--lowest] EXTRA...

A file in the environment tells what is installed there. Another file is there while pip works: if it is
found at the start, an earlier installation was cut short and the environment is made anew, since pip cannot
tell a package that was half copied from a whole one. Python's own library is enough, and so is an old pip.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

if sys.version_info < (3, 11):  # noqa: UP036 - this file is run by whatever Python the user has
    sys.exit(f"kuns-env needs Python 3.11 or newer; this is {sys.version.split()[0]}")

import tomllib

import lowest

ROOT: Final = Path(__file__).resolve().parents[1]

TORCH_CPU: Final = "torch==2.13.0+cpu"
"""Tried first: PyTorch without GPU libraries, where pip is set up to find one. The networks here are small."""

TORCH_ANY: Final = "torch"
"""PyTorch as PyPI has it: on Linux several GB, which work without a GPU too."""

INTERRUPTED: Final = 130
PIP: Final = ("-m", "pip", "--quiet", "--quiet", "--disable-pip-version-check", "--no-input")


def say(text: str) -> None:
    """Print one line at once, so that the user knows what is going on."""
    print(f"[install] {text}", flush=True)


class Environment:
    """A virtual environment and the two files that tell its condition."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
        self.stamp = folder / "kuns-installed.json"
        self.busy = folder / "kuns-installing"

    def installed(self) -> dict[str, Any]:
        """Return what the stamp says, nothing where there is none or it cannot be read."""
        try:
            stamp = json.loads(self.stamp.read_text("utf-8"))
        except (OSError, ValueError):
            return {}
        return stamp if isinstance(stamp, dict) and self.python.exists() else {}

    def prepare(self) -> None:
        """Make the environment where there is no sound one, and mark it as being worked on."""
        if self.busy.exists():
            say(f"an earlier installation was interrupted: making {self.folder.name} anew")
            shutil.rmtree(self.folder)
        if not self.python.exists():
            say(f"making {self.folder.name} with Python {sys.version.split()[0]}")
            self.folder.mkdir(parents=True, exist_ok=True)
            self.busy.touch()
            subprocess.run([sys.executable, "-m", "venv", str(self.folder)], check=True)
        self.busy.touch()
        self.stamp.unlink(missing_ok=True)

    def finish(self, stamp: dict[str, Any]) -> None:
        """Write down what is installed."""
        self.stamp.write_text(json.dumps(stamp), "utf-8")
        self.busy.unlink()

    def pip_install(self, *wanted: str, quiet: bool = False) -> bool:
        """Return whether pip could install ``wanted``; its errors are shown unless ``quiet``."""
        command = [str(self.python), *PIP, "install", *wanted]
        errors = subprocess.DEVNULL if quiet else None
        return subprocess.run(command, cwd=ROOT, stderr=errors, check=False).returncode == 0


def read_project() -> dict[str, Any]:
    """Return pyproject.toml."""
    return tomllib.loads(lowest.PYPROJECT.read_text("utf-8"))


def fingerprint(parts: Sequence[object]) -> str:
    """Return a hash of everything that decides what is installed."""
    config = read_project()
    deciding = [config["project"], config["build-system"], config["tool"]["hatch"], *parts]
    return hashlib.sha256(json.dumps(deciding).encode()).hexdigest()


def install_torch(env: Environment, constraints: Sequence[str]) -> bool:
    """Return whether PyTorch is there: the CPU build if pip finds it, else the published one."""
    say("PyTorch: looking for the CPU build (about 200 MB)")
    if env.pip_install(TORCH_CPU, *constraints, quiet=True):
        return True
    say("PyTorch: no CPU build found, taking the published one (on Linux several GB; this takes a while)")
    return env.pip_install(TORCH_ANY, *constraints)


def install(env: Environment, extras: Sequence[str], use_lowest: bool) -> bool:
    """Return whether everything that ``extras`` need is installed."""
    key = fingerprint([sys.version, TORCH_CPU, use_lowest])
    there = env.installed()
    kept = set(there["extras"]) if there.get("key") == key else set()
    if kept >= set(extras):
        return True
    wanted = {"key": key, "extras": sorted(kept | set(extras))}
    started = time.monotonic()
    env.prepare()
    constraints: list[str] = []
    if use_lowest:
        file = env.folder / "lowest.txt"
        file.write_text("\n".join(lowest.constraints(read_project()["project"])), "utf-8")
        constraints = ["--constraint", str(file)]
    if "train" in extras and not install_torch(env, constraints):
        return False
    say(f"kuns-env with {', '.join(wanted['extras'])}: downloading what it needs")
    if not env.pip_install("--editable", f".[{','.join(wanted['extras'])}]", *constraints):
        return False
    env.finish(wanted)
    say(f"done in {time.monotonic() - started:.0f} s")
    return True


def main(argv: Sequence[str] | None = None) -> int:
    """Install, and return the exit status."""
    parser = argparse.ArgumentParser(description="Install kuns-env into a virtual environment.")
    known = sorted(read_project()["project"]["optional-dependencies"])
    parser.add_argument("extras", nargs="+", choices=known, metavar="EXTRA", help=", ".join(known))
    parser.add_argument("--venv", default=".venv", help="folder of the environment (default: %(default)s)")
    parser.add_argument("--lowest", action="store_true", help="take the lowest versions that are allowed")
    args = parser.parse_args(argv)
    env = Environment(ROOT / args.venv)
    try:
        if install(env, args.extras, args.lowest):
            return 0
        env.busy.unlink()  # pip ended by itself: what it has done so far is whole
    except subprocess.CalledProcessError as error:
        say(f"failed: {' '.join(map(str, error.cmd))}")
    except KeyboardInterrupt:
        say("stopped; the same command begins again")
        return INTERRUPTED
    say("the installation failed (see above); the same command tries again")
    return 1


if __name__ == "__main__":
    raise SystemExit(main())
