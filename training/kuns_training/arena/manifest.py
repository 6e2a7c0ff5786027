"""The manifest of a tournament: its plan as JSON, from which it can be played again."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from kuns_env.engine.game import Rules, rules_from_dict
from kuns_env.errors import quoted
from kuns_env.fields import parse_json
from kuns_training.arena.entries import Entry
from kuns_training.arena.luck import ValueFunction
from kuns_training.arena.plan import Plan
from kuns_training.arena.plan_check import check
from kuns_training.arena.schedule import Match

FORMAT: Final = "kuns-env/tournament"
VERSION: Final = 1
MANIFEST: Final = "manifest.json"
"""Its name in the folder of a tournament."""


class TournamentError(ValueError):
    """A tournament cannot begin, go on or be played again; the message says why and what to do."""


def to_dict(plan: Plan) -> dict[str, Any]:
    """Return a plan as plain data."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "game": plan.rules.game,
        "rules": plan.rules.to_dict(),
        "seed": plan.seed,
        "num_deals": plan.num_deals,
        "block_deals": plan.block_deals,
        "chunk_deals": plan.chunk_deals,
        "half_width": plan.half_width,
        "looks": list(plan.looks),
        "time_limit": plan.time_limit,
        "luck": None if plan.luck is None else dataclasses.asdict(plan.luck),
        "agents": [dataclasses.asdict(entry) for entry in plan.agents],
        "mode": plan.mode,
        "matches": [
            {"seatings": [list(seats) for seats in match.seatings], "measured": list(match.measured)}
            for match in plan.matches
        ],
        "versions": plan.versions,
    }


def to_text(plan: Plan) -> str:
    """Return the manifest of a plan: the same text for the same plan."""
    lines = (f"{json.dumps(name)}: {_value_text(value)}" for name, value in to_dict(plan).items())
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _value_text(value: Any) -> str:
    """Return a value of the manifest as JSON: in one line, or the things of a list in one line each."""
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return "[\n" + ",\n".join(f"  {json.dumps(each, allow_nan=False)}" for each in value) + "\n]"
    return json.dumps(value, allow_nan=False)


def digest(plan: Plan) -> str:
    """Return the SHA-256 of the manifest of a plan."""
    return hashlib.sha256(to_text(plan).encode()).hexdigest()


def read_manifest(file: Path) -> Plan:
    """Return the plan in a manifest.

    Raises:
        TournamentError: it cannot be read, or is no manifest of this version.
    """
    try:
        data = parse_json(file.read_bytes())
    except OSError as error:
        raise TournamentError(f"{file}: cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise TournamentError(f"{file}: damaged manifest: not JSON: {error}") from None
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise TournamentError(f"{file}: no manifest of a tournament")
    if data.get("version") != VERSION:
        version = quoted(data.get("version"))
        raise TournamentError(f"{file}: manifest of version {version}, this program reads {VERSION}")
    try:
        return from_dict(data)
    except ValueError as error:
        raise TournamentError(f"{file}: damaged manifest: {error}") from None


def from_dict(data: Mapping[str, Any]) -> Plan:
    """Return the plan that `to_dict` made into ``data``.

    Raises:
        ValueError: it did not; the message begins with the name of what is wrong.
    """
    fields: dict[str, Any] = {}
    for name, read in READERS.items():
        if name not in data:
            raise ValueError(f"{name} is missing")
        try:
            fields[name] = read(data[name])
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise ValueError(f"{name}={quoted(data[name])}: {type(error).__name__}: {error}") from None
    plan = Plan(rules=_rules_of(data), **fields)
    check(plan)
    again = to_dict(plan)
    for name in {**again, **data}:
        if name not in again:
            raise ValueError(f"{name}={quoted(data[name])}: no manifest has that")
        if data[name] != again[name]:
            raise ValueError(f"{name}={quoted(data[name])}: would be written {quoted(again[name])}")
    return plan


def _rules_of(data: Mapping[str, Any]) -> Rules:
    """Return the rules in a manifest."""
    for name in ("game", "rules"):
        if name not in data:
            raise ValueError(f"{name} is missing")
    try:
        return rules_from_dict(data["game"], data["rules"])
    except (ValueError, TypeError) as error:
        raise ValueError(f"game, rules: {error}") from None


def _match_of(data: Mapping[str, Any]) -> Match:
    """Return a match in a manifest."""
    return Match(tuple(tuple(seats) for seats in data["seatings"]), tuple(data["measured"]))


def _as_it_is(value: Any) -> Any:
    """Return ``value``: `check` looks at it."""
    return value


READERS: Final[dict[str, Callable[[Any], Any]]] = {
    "seed": _as_it_is,
    "num_deals": _as_it_is,
    "block_deals": _as_it_is,
    "chunk_deals": _as_it_is,
    "half_width": _as_it_is,
    "looks": tuple,
    "time_limit": _as_it_is,
    "luck": lambda data: None if data is None else ValueFunction(**data),
    "agents": lambda data: tuple(Entry(**entry) for entry in data),
    "mode": _as_it_is,
    "matches": lambda data: tuple(_match_of(match) for match in data),
    "versions": dict,
}
"""Names in a manifest to what makes fields of a `Plan` of them."""


def differences(kept: Plan, wanted: Plan) -> list[str]:
    """Return in what two plans differ, each a few words: what is kept, and what is wanted now."""
    old, new = to_dict(kept), to_dict(wanted)
    simple = (
        "game",
        "seed",
        "num_deals",
        "block_deals",
        "chunk_deals",
        "half_width",
        "looks",
        "time_limit",
        "luck",
        "mode",
    )
    found = [f"{name} {old[name]}, now {new[name]}" for name in simple if old[name] != new[name]]
    for group in ("rules", "versions"):
        names = {**old[group], **new[group]}
        found += [
            f"{name} {old[group].get(name)}, now {new[group].get(name)}"
            for name in names
            if old[group].get(name) != new[group].get(name)
        ]
    found += agent_differences(kept, wanted)
    if not found and old["matches"] != new["matches"]:
        found.append("who meets whom")
    return found


def agent_differences(kept: Plan, wanted: Plan) -> list[str]:
    """Return which agents differ, and how. Where the same file lies makes no difference."""
    if kept.labels != wanted.labels:
        return [f"agents {', '.join(kept.labels)}, now {', '.join(wanted.labels)}"]
    found = []
    for old, new in zip(kept.agents, wanted.agents, strict=True):
        if old.sha256 != new.sha256:
            found.append(file_change(old, new))
        elif (old.spec, old.greedy) != (new.spec, new.greedy):
            found.append(f"agent {old.label!r} was given as {old.spec!r}, now as {new.spec!r}")
    return found


def file_change(old: Entry, new: Entry) -> str:
    """Return that the file of an agent has changed, with both hashes."""
    if old.sha256 is None or new.sha256 is None:
        had, has = ("no file" if entry.file is None else f"the file {entry.file}" for entry in (old, new))
        return f"agent {old.label!r} was read from {had}, now from {has}"
    return f"the file of agent {old.label!r}, {new.file}, has changed: SHA-256 {old.sha256}, now {new.sha256}"
