"""The manifest of a tournament: its plan as JSON, from which it can be played again."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from kuns_env.engine.game import rules_from_dict
from kuns_env.errors import quoted
from kuns_env.fields import parse_json
from kuns_training.arena.entries import Entry
from kuns_training.arena.luck import ValueFunction
from kuns_training.arena.plan import Plan, check_half_width
from kuns_training.arena.schedule import MODES, Match

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
        plan = from_dict(data)
    except (ValueError, TypeError, KeyError, IndexError) as error:
        raise TournamentError(f"{file}: damaged manifest: {type(error).__name__}: {error}") from None
    if to_dict(plan) != data:
        raise TournamentError(f"{file}: damaged manifest: it holds what no manifest holds")
    return plan


def from_dict(data: Mapping[str, Any]) -> Plan:
    """Return the plan that `to_dict` made into ``data``.

    Raises:
        ValueError, TypeError, KeyError, IndexError: it did not.
    """
    plan = Plan(
        rules=rules_from_dict(data["game"], data["rules"]),
        seed=data["seed"],
        num_deals=data["num_deals"],
        block_deals=data["block_deals"],
        agents=tuple(Entry(**entry) for entry in data["agents"]),
        mode=data["mode"],
        matches=tuple(
            Match(tuple(tuple(seats) for seats in match["seatings"]), tuple(match["measured"]))
            for match in data["matches"]
        ),
        half_width=data["half_width"],
        looks=tuple(data["looks"]),
        time_limit=data["time_limit"],
        luck=None if data["luck"] is None else ValueFunction(**data["luck"]),
        chunk_deals=data["chunk_deals"],
        versions=dict(data["versions"]),
    )
    check(plan)
    return plan


def check(plan: Plan) -> None:
    """Refuse a plan that cannot be played.

    Raises:
        ValueError: what it holds does not fit together.
    """
    numbers = {"seed": 0, "num_deals": 2, "block_deals": 1, "chunk_deals": 1}
    for name, least in numbers.items():
        value = getattr(plan, name)
        if not isinstance(value, int) or isinstance(value, bool) or value < least:
            raise ValueError(f"{name}={quoted(value)}: must be an integer from {least}")
    if plan.mode not in MODES:
        raise ValueError(f"mode={quoted(plan.mode)}: must be one of {', '.join(MODES)}")
    if not plan.matches:
        raise ValueError("matches=[]: nobody meets")
    agents = range(len(plan.agents))
    for number, match in enumerate(plan.matches):
        for seats in match.seatings:
            if len(seats) != plan.rules.num_players or not all(agent in agents for agent in seats):
                raise ValueError(f"match {number}: {quoted(list(seats))} is no seating of these agents")
            if not match.measured or any(seats.count(agent) != 1 for agent in match.measured):
                measured = quoted(list(match.measured))
                raise ValueError(f"match {number}: measured={measured}: must sit once in every seating")
    if list(plan.looks) != sorted(set(plan.looks)) or bool(plan.looks) != (plan.half_width is not None):
        raise ValueError(f"looks={quoted(list(plan.looks))}: must ascend, and go with a half width")
    if plan.stages[-1] != plan.num_deals:
        raise ValueError(f"looks={quoted(list(plan.looks))}: the last must be at the last deal")
    check_half_width(plan.half_width)


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
    return f"the file of agent {old.label!r}, {new.file}, has changed: SHA-256 {old.sha256}, now {new.sha256}"
