"""The folder of a tournament: what is in it, and how it is written so that nothing in it is ever half done."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

from kuns_training.arena.manifest import MANIFEST, TournamentError, differences, read_manifest, to_text
from kuns_training.arena.outputs import JSON
from kuns_training.arena.plan import Plan
from kuns_training.locks import LockedError, locked
from kuns_training.run_folder import write_text

UNITS: Final = "units"
LOCK: Final = ".lock"


class Store:
    """The files of a tournament: the manifest, a file for each unit that was played, and what is made of them."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self.manifest = self.path / MANIFEST
        self.units = self.path / UNITS
        self.result = self.path / JSON

    def read_plan(self) -> Plan:
        """Return the plan of the tournament in this folder.

        Raises:
            TournamentError: there is none, or it cannot be read.
        """
        if not self.manifest.is_file():
            raise TournamentError(f"{self.path}: holds no tournament: there is no {MANIFEST}")
        return read_manifest(self.manifest)

    def claim(self, plan: Plan) -> Plan:
        """Make this the folder of ``plan``, or find that it is; return the plan that it holds.

        Raises:
            TournamentError: it holds another tournament, or results without a manifest.
        """
        if not self.manifest.is_file():
            if self.units.exists():
                raise TournamentError(f"{self.path}: holds results but no {MANIFEST}: choose another folder")
            write_text(self.manifest, to_text(plan))
            self.units.mkdir()
            return plan
        kept = self.read_plan()
        changed = differences(kept, plan)
        if changed:
            raise TournamentError(
                f"{self.path}: holds a tournament with another manifest ({'; '.join(changed)}). "
                "Use another folder, or give what the manifest says to go on"
            )
        self.units.mkdir(exist_ok=True)
        return kept

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the folder against other processes.

        Raises:
            TournamentError: another process works in it.
        """
        with ExitStack() as stack:
            try:
                self.path.mkdir(parents=True, exist_ok=True)
                stack.enter_context(locked(self.path / LOCK))
            except OSError as error:
                raise TournamentError(
                    f"{self.path}: cannot be used as the folder of a tournament: {error.strerror}"
                ) from None
            except LockedError as error:
                raise TournamentError(
                    f"{self.path}: is in use by {error}; wait for it or choose another folder"
                ) from None
            yield
