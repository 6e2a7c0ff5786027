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
MOST_NAMED: Final = 4
"""Files of a foreign folder that are named."""


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

    def check_unused(self) -> None:
        """Refuse a folder that holds other things.

        Raises:
            TournamentError: it does; the message names the first of them.
        """
        # Hidden files are locks, and what was left of files that were never finished.
        if not self.path.is_dir():
            return
        foreign = sorted(each.name for each in self.path.iterdir() if not each.name.startswith("."))
        if foreign:
            more = f" and {len(foreign) - MOST_NAMED:,} more" if len(foreign) > MOST_NAMED else ""
            raise TournamentError(
                f"{self.path}: holds {', '.join(foreign[:MOST_NAMED])}{more} but no {MANIFEST}: "
                "it is not the folder of a tournament; choose another one"
            )

    def claim(self, plan: Plan) -> Plan:
        """Make this the folder of ``plan``, or find that it is; return the plan that it holds.

        Raises:
            TournamentError: it holds another tournament, or other things without a manifest.
        """
        if not self.manifest.is_file():
            self.check_unused()
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
            TournamentError: another process works in it, or it holds other things than a tournament.
        """
        with ExitStack() as stack:
            try:
                if not self.manifest.is_file():
                    self.check_unused()  # before a lock is written into it
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
