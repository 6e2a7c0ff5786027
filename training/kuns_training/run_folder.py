"""The folder of a training run: what is in it, how it is written so that a killed run leaves nothing half done."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from kuns_agents.registry import AGENT_FILE
from kuns_env.files import replacing
from kuns_training.config import Config
from kuns_training.locks import LockedError, locked

RUNS: Final = Path("runs")
EXACT: Final = "exploitability"
"""In the result of a run: its last `kuns_training.curve_exact.Exact`, null where that cannot be computed."""


class RunError(ValueError):
    """A run cannot begin or go on in this folder; the message says why and what to do."""


class RunFolder:
    """The files of one run."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self.config = self.path / "config.json"
        self.agent = self.path / AGENT_FILE
        self.model = self.path / "model.zip"
        self.checkpoint = self.path / "checkpoint.pt"
        self.curve = self.path / "curve.csv"
        self.exact = self.path / "exploitability.csv"
        self.picture = self.path / "curve.png"
        self.result = self.path / "result.json"
        self.tensorboard = self.path / "tensorboard"
        self.points = self.path / "points"
        """Holds the agents of the curve's points, where they are kept."""
        self.profile = self.path / "profile.json"
        """Whom a best response answers."""
        self.response = self.path / "response.json"
        """What it gains."""
        self.lock = self.path / ".lock"

    @property
    def is_finished(self) -> bool:
        """Whether the run has come to its end."""
        return self.result.is_file()

    def clear(self) -> None:
        """Remove the files of a run; anything else in the folder stays."""
        for path in (
            self.config,
            self.agent,
            self.model,
            self.checkpoint,
            self.curve,
            self.exact,
            self.picture,
            self.result,
            self.profile,
            self.response,
        ):
            path.unlink(missing_ok=True)
        shutil.rmtree(self.tensorboard, ignore_errors=True)
        for steps in self.kept_points():
            self.kept_agent(steps).unlink()
        with suppress(OSError):  # it is not there, or holds something else
            self.points.rmdir()

    def kept_agent(self, steps: int) -> Path:
        """Return where the agent of the curve's point after ``steps`` decisions is kept."""
        return self.points / f"{steps}.npz"

    def kept_points(self) -> list[int]:
        """Return after how many decisions the agents were that are kept, ascending."""
        return sorted(int(path.stem) for path in self.points.glob("*.npz") if path.stem.isdecimal())

    def claim(self, config: Config) -> None:
        """Make this the folder of a run with these settings, or find that it is.

        Raises:
            RunError: it holds a run with other settings, or something else.
        """
        if not self.config.is_file():
            if self.checkpoint.exists() or self.agent.exists():
                raise RunError(
                    f"{self.path}: holds an agent or a checkpoint but no {self.config.name}: "
                    "choose another folder, or begin anew with --fresh"
                )
            write_text(self.config, config.to_json())
            return
        try:
            saved = Config.from_json(self.config.read_text("utf-8"))
        except ValueError as error:
            raise RunError(f"{self.config}: {error}; begin anew with --fresh") from None
        changed = saved.differences(config)
        if changed:
            raise RunError(
                f"{self.path}: holds a run with other settings ({'; '.join(changed)}). "
                "Give the same settings to go on with it, --out FOLDER to use another folder, or --fresh to begin anew"
            )

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the folder against other processes; the system lets go when this one ends, however it ends.

        Raises:
            RunError: another process trains in it.
        """
        with ExitStack() as stack:
            try:
                self.path.mkdir(parents=True, exist_ok=True)
                stack.enter_context(locked(self.lock))
            except OSError as error:
                raise RunError(
                    f"{self.path}: cannot be used as the folder of a run: {error.strerror}"
                ) from None
            except LockedError as error:
                raise RunError(
                    f"{self.path}: another process is training here ({error}); wait for it or choose another folder"
                ) from None
            yield


def default_folder(config: Config) -> Path:
    """Return where a run is kept if nothing else is said: by rules, algorithm and seed, so that it is found again.

    >>> default_folder(Config()).as_posix()
    'runs/kuns-duel-ppo-1'
    >>> default_folder(Config(rules={"num_players": 3})).as_posix()
    'runs/kuns-duel-3p-ppo-1'
    """
    return RUNS / f"{config.game}-{label(config)}"


def label(config: Config) -> str:
    """Return what tells a run from others of its game: changed rules, algorithm, seed; its agent's name, too.

    >>> label(Config(algo="dqn", rules={"forced_ante": 2}))
    'forced_ante2-dqn-1'
    """
    return "-".join(filter(None, (config.rules_label, config.algo, str(config.seed))))


def write_text(path: Path, text: str) -> None:
    """Write a whole file or nothing."""
    with replacing(path) as beside:
        beside.write_text(text, encoding="utf-8")


def write_json(path: Path, data: Any) -> None:
    """Write ``data`` as JSON for people."""
    write_text(path, json.dumps(data, indent=2) + "\n")
