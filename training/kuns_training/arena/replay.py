"""A tournament played again from its manifest, and compared with what its folder holds."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from kuns_env.fields import parse_json
from kuns_training.arena.evaluation import Evaluation
from kuns_training.arena.manifest import MANIFEST, TournamentError, read_manifest
from kuns_training.arena.outputs import TABLE, table_text
from kuns_training.arena.plan import Plan, Unit
from kuns_training.arena.referee import Place
from kuns_training.arena.run import Ground, Progress, run
from kuns_training.arena.store import Store
from kuns_training.arena.tournament import Say, check_files, ground_of, play_into, quiet, version_changes
from kuns_training.arena.unit_files import UnitFiles
from kuns_training.arena.units import Tick, UnitResult
from kuns_training.arena.workers import Late

RATINGS: Final = "ratings"
"""Their name in JSON."""


class Replay(NamedTuple):
    """A tournament that was played again."""

    evaluation: Evaluation
    is_same: bool | None
    """Whether its result is the same to the last byte; None where there is none to compare with."""
    changes: tuple[str, ...]
    """The parts that came out differently, a line each."""


class Compared:
    """A ground whose results are compared with those that a folder holds."""

    def __init__(self, files: UnitFiles, ground: Ground) -> None:
        self.files, self.ground = files, ground
        self.changed: list[Unit] = []

    def play(self, units: Sequence[Unit], tick: Tick) -> Iterator[UnitResult]:
        """Yield the results of ``units``, as they are now."""
        for result in self.ground.play(units, tick):
            if not self.files.holds(result):
                self.changed.append(result.unit)
            yield result

    def close(self) -> None:
        """Close the other ground."""
        self.ground.close()


def reproduce(
    path: str | os.PathLike[str],
    out: str | os.PathLike[str] | None = None,
    *,
    num_jobs: int = 1,
    progress: Progress | None = None,
    say: Say = quiet,
) -> Replay:
    """Play the tournament in a folder, or that of a manifest, again from the beginning, and compare.

    Games that ended because an agent was late end at the same decision again, if the folder holds them; nothing is
    timed then.

    Args:
        path: a folder, or a manifest, which may lie in its folder or alone. Of a finished tournament the manifest
            and the table are enough, as of one that was sent to somebody.
        out: a folder to keep the results in.
        num_jobs: processes that play.
        progress: is told of episodes that are played.
        say: is told of versions that have changed, and of damaged files.

    Raises:
        TournamentError: the file of an agent has changed, the tournament is not finished, or a folder cannot be used.
    """
    place = Path(path)
    old = Store(place if place.is_dir() else place.parent)
    plan = old.read_plan() if place.is_dir() else read_manifest(place)
    check_files(plan)
    for change in version_changes(plan):
        say(f"version of {change}: the results of networks may differ")
    if not place.is_dir() and (place.name != MANIFEST or not old.units.is_dir()):
        return Replay(_play(plan, ground_of(plan, num_jobs), out, progress, say), None, ())
    table = old.path / TABLE
    if table.is_file() and not old.result.is_file() and not old.units.is_dir():
        evaluation = _play(plan, ground_of(plan, num_jobs), out, progress, say)
        return Replay(evaluation, table.read_bytes() == table_text(evaluation).encode(), ())
    if old.result.exists() and not old.result.is_file():
        raise TournamentError(f"{old.result}: is no file: remove it")
    if not old.result.is_file():
        raise TournamentError(
            f"{old.path}: is not finished: go on with `kuns tournament --resume {old.path}`"
        )
    files = UnitFiles(plan, old.units, say)
    ground = Compared(files, ground_of(plan, num_jobs, late_of(files)))
    evaluation = _play(plan, ground, out, progress, say)
    is_same = holds_result(old.result.read_bytes(), evaluation, say)
    return Replay(evaluation, is_same, tuple(described(plan, unit) for unit in ground.changed))


def holds_result(kept: bytes, evaluation: Evaluation, say: Say) -> bool:
    """Return whether the JSON ``kept`` is that of ``evaluation``, byte for byte.

    Ratings are compared only if they are there both times: they need a package that may be missing.
    """
    from kuns_training.arena.report import to_json

    text = to_json(evaluation)
    if kept == text.encode():
        return True
    try:
        old, new = parse_json(kept), json.loads(text)
        if not isinstance(old, dict) or (old.get(RATINGS) is None) == (new[RATINGS] is None):
            return False
        parts = [{name: value for name, value in data.items() if name != RATINGS} for data in (old, new)]
        is_same = json.dumps(parts[0]) == json.dumps(parts[1])
    except (ValueError, RecursionError):  # no JSON, or none that a program wrote
        return False
    say(
        f"{RATINGS} are not compared: openskill is installed only {'there' if new[RATINGS] is None else 'here'}"
    )
    return is_same


def _play(
    plan: Plan, ground: Ground, out: str | os.PathLike[str] | None, progress: Progress | None, say: Say
) -> Evaluation:
    """Play ``plan``, into a new folder if one is named."""
    if out is None:
        return run(plan, ground, progress)
    new = Store(out)
    with new.locked():
        if new.manifest.is_file():
            raise TournamentError(f"{new.path}: holds a tournament already: choose another folder")
        new.claim(plan)
        return play_into(new, UnitFiles(plan, new.units, say), ground, progress, say)


def late_of(files: UnitFiles) -> Late:
    """Return a function that tells where agents were late in a unit."""

    def late(unit: Unit) -> set[Place]:
        result = files.read(unit)
        return {fault.place for fault in result.faults if fault.is_late} if result else set()

    return late


def described(plan: Plan, unit: Unit) -> str:
    """Return in words which part of a tournament a unit is."""
    seats = ", ".join(plan.labels[agent] for agent in plan.matches[unit.match].seatings[0])
    return f"match {unit.match} ({seats}), deals {unit.span.first:,} to {unit.span.end - 1:,}"
