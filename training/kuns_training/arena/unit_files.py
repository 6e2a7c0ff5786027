"""Results of units in files: each whole or not there, each with a hash of itself and of the manifest it belongs to."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from kuns_env.fields import parse_json
from kuns_training.arena.manifest import TournamentError, digest
from kuns_training.arena.plan import Plan, Unit
from kuns_training.arena.run import Ground
from kuns_training.arena.unit_read import DamagedError, body_of, hash_of, result_of
from kuns_training.arena.units import Tick, UnitResult
from kuns_training.run_folder import write_text


class UnitFiles:
    """The results of a plan's units in a folder.

    Args:
        plan: whose units they are.
        folder: where the files are.
        warn: is told of files that are damaged.
    """

    def __init__(self, plan: Plan, folder: Path, warn: Callable[[str], None] = lambda _: None) -> None:
        self.plan, self.folder, self.warn = plan, folder, warn
        self._manifest = digest(plan)
        self._damaged: set[Unit] = set()
        """Those that a warning was given of."""

    def file(self, unit: Unit) -> Path:
        """Return where the result of ``unit`` is kept."""
        return self.folder / f"match-{unit.match:05d}-deal-{unit.span.first:08d}.json"

    def write(self, result: UnitResult) -> None:
        """Keep a result, all of it or nothing."""
        body = body_of(self.plan, self._manifest, result)
        write_text(self.file(result.unit), json.dumps({"sha256": hash_of(body), **body}) + "\n")

    def read(self, unit: Unit) -> UnitResult | None:
        """Return what is kept of ``unit``; None if nothing is, or nothing that can be used.

        Raises:
            TournamentError: a folder, or something else that is no file, lies in its place.
        """
        file = self.file(unit)
        try:
            if file.exists() and not file.is_file():
                raise TournamentError(f"{file}: is no file: remove it, and this part is played again")
            return result_of(self.plan, self._manifest, unit, parse_json(file.read_bytes()))
        except TournamentError:
            raise
        except FileNotFoundError:
            return None
        except (OSError, ValueError, RecursionError) as error:
            if unit not in self._damaged:
                self._damaged.add(unit)
                what = str(error) if isinstance(error, DamagedError) else "it cannot be read"
                self.warn(f"{file}: damaged results ({what}); this part is played again")
            return None

    def num_sound(self) -> int:
        """Return how many units are kept and can be used; of those that are damaged it is warned, once each."""
        return sum(self.read(unit) is not None for unit in self.plan.units())

    def holds(self, result: UnitResult) -> bool:
        """Return whether just this result is kept."""
        kept = self.read(result.unit)
        return kept is not None and self._text(kept) == self._text(result)

    def _text(self, result: UnitResult) -> str:
        """Return a result as text, the same for the same result."""
        return json.dumps(body_of(self.plan, self._manifest, result), sort_keys=True)


class Kept:
    """A ground that plays only what a folder does not hold yet, and keeps there what it plays."""

    def __init__(self, files: UnitFiles, ground: Ground) -> None:
        self.files, self.ground = files, ground

    def play(self, units: Sequence[Unit], tick: Tick) -> Iterator[UnitResult]:
        """Yield the results of ``units``, those that are kept first."""
        missing = []
        for unit in units:
            result = self.files.read(unit)
            if result is None:
                missing.append(unit)
            else:
                tick(self.files.plan.num_episodes([unit]))
                yield result
        for result in self.ground.play(missing, tick):
            self.files.write(result)
            yield result

    def close(self) -> None:
        """Close the other ground."""
        self.ground.close()
