"""Results of units in files: each whole or not there, each with a hash of itself and of the manifest it belongs to."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from kuns_env.fields import parse_json
from kuns_training.arena.manifest import digest
from kuns_training.arena.plan import Plan, Unit
from kuns_training.arena.referee import Fault, Place
from kuns_training.arena.run import Ground
from kuns_training.arena.statistics import counted
from kuns_training.arena.units import Tick, UnitResult
from kuns_training.run_folder import write_text


class DamagedError(ValueError):
    """A file of results is not what was written, or belongs to another tournament."""


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
        body = self._body(result)
        write_text(self.file(result.unit), json.dumps({"sha256": hash_of(body), **body}) + "\n")

    def read(self, unit: Unit) -> UnitResult | None:
        """Return what is kept of ``unit``; None if nothing is, or nothing that can be used."""
        file = self.file(unit)
        try:
            return self._result(unit, parse_json(file.read_bytes()))
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
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
        return kept is not None and self._body(kept) == self._body(result)

    def _body(self, result: UnitResult) -> dict[str, Any]:
        """Return a result as plain data."""
        unit = result.unit
        return {
            "manifest": self._manifest,
            "match": unit.match,
            "first_deal": unit.span.first,
            "num_deals": unit.span.num_deals,
            "counted": list(counted(self.plan.rules)),
            "blocks": {str(agent): blocks.tolist() for agent, blocks in result.blocks.items()},
            "num_disqualified": {str(agent): number for agent, number in sorted(result.counts.items())},
            "disqualifications": [dataclasses.asdict(fault) for fault in result.faults],
        }

    def _result(self, unit: Unit, data: Any) -> UnitResult:
        """Return the result that `Store.write` made into ``data``.

        Raises:
            DamagedError: it did not, or not for this unit.
        """
        if not isinstance(data, dict) or "sha256" not in data:
            raise DamagedError("no results")
        body = {name: value for name, value in data.items() if name != "sha256"}
        if data["sha256"] != hash_of(body):
            raise DamagedError("its hash is not that of what it holds")
        if body["counted"] != list(counted(self.plan.rules)):
            raise DamagedError("of a version that counted other things")
        if body["manifest"] != self._manifest:
            raise DamagedError("of another manifest")
        if (body["match"], body["first_deal"], body["num_deals"]) != (
            unit.match,
            unit.span.first,
            unit.span.num_deals,
        ):
            raise DamagedError("of another part")
        return UnitResult(
            unit,
            {int(agent): np.array(blocks, np.int64) for agent, blocks in body["blocks"].items()},
            tuple(fault_of(fault) for fault in body["disqualifications"]),
            {int(agent): number for agent, number in body["num_disqualified"].items()},
        )


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


def fault_of(data: dict[str, Any]) -> Fault:
    """Return the fault that `dataclasses.asdict` made into ``data``."""
    return Fault(**data | {"place": Place(*data["place"]), "legal": tuple(data["legal"])})


def hash_of(body: dict[str, Any]) -> str:
    """Return the SHA-256 of plain data."""
    return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()
