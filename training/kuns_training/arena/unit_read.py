"""The result of a unit as plain data: written, and read with a check of everything in it."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from kuns_env.errors import quoted
from kuns_env.tallies import HANDS
from kuns_training.arena.plan import Plan, Unit
from kuns_training.arena.referee import Fault, Place
from kuns_training.arena.statistics import counted
from kuns_training.arena.units import UnitResult

FIELDS: Final = frozenset(field.name for field in dataclasses.fields(Fault))


class DamagedError(ValueError):
    """A file of results is not what was written, or belongs to another tournament."""


def body_of(plan: Plan, manifest: str, result: UnitResult) -> dict[str, Any]:
    """Return a result as plain data; ``manifest`` is the hash of that of the plan."""
    return head_of(plan, manifest, result.unit) | {
        "blocks": {str(agent): blocks.tolist() for agent, blocks in result.blocks.items()},
        "num_disqualified": {str(agent): number for agent, number in sorted(result.counts.items())},
        "disqualifications": [dataclasses.asdict(fault) for fault in result.faults],
    }


def head_of(plan: Plan, manifest: str, unit: Unit) -> dict[str, Any]:
    """Return what tells where a result belongs, and what its columns are."""
    return {
        "manifest": manifest,
        "match": unit.match,
        "first_deal": unit.span.first,
        "num_deals": unit.span.num_deals,
        "counted": list(counted(plan.rules)),
    }


def result_of(plan: Plan, manifest: str, unit: Unit, data: Any) -> UnitResult:
    """Return the result that `body_of`, with its hash, made into ``data``.

    Raises:
        DamagedError: it did not, or not for this unit.
    """
    if not isinstance(data, dict) or "sha256" not in data:
        raise DamagedError("no results")
    body = {name: value for name, value in data.items() if name != "sha256"}
    if data["sha256"] != hash_of(body):
        raise DamagedError("its hash is not that of what it holds")
    head = head_of(plan, manifest, unit)
    missing = [
        name for name in (*head, "blocks", "num_disqualified", "disqualifications") if name not in body
    ]
    if missing:
        raise DamagedError(f"{missing[0]} is missing")
    if body["counted"] != head["counted"]:
        raise DamagedError("of a version that counted other things")
    if body["manifest"] != manifest:
        raise DamagedError("of another manifest")
    if any(body[name] != value for name, value in head.items()):
        raise DamagedError("of another part")
    counts = counts_of(plan, unit, body["num_disqualified"])
    faults = body["disqualifications"]
    if not isinstance(faults, list):
        raise DamagedError(f"disqualifications={quoted(faults)}: must be a list")
    return UnitResult(
        unit,
        blocks_of(plan, unit, body["blocks"]),
        tuple(fault_of(plan, unit, counts, fault) for fault in faults),
        counts,
    )


def blocks_of(plan: Plan, unit: Unit, data: Any) -> dict[int, npt.NDArray[np.int64]]:
    """Return what was counted for each measured agent."""
    measured = plan.matches[unit.match].measured
    if not isinstance(data, dict) or set(data) != {str(agent) for agent in measured}:
        raise DamagedError("blocks of other agents than those of the match")
    offset, names = unit.span.first % plan.block_deals, counted(plan.rules)
    shape = (-(-(offset + unit.span.num_deals) // plan.block_deals), len(names))
    found = {}
    for agent in measured:
        try:
            blocks = np.array(data[str(agent)])
        except (ValueError, TypeError, OverflowError):
            raise DamagedError(f"blocks of agent {agent}: no table of numbers") from None
        if blocks.dtype != np.int64 or blocks.shape != shape:
            raise DamagedError(
                f"blocks of agent {agent}: must be {shape[0]} rows of {shape[1]} integers of 64 bits"
            )
        hands = blocks[:, names.index(HANDS)]
        if hands.min() < 0 or hands.max() == 0:
            raise DamagedError(f"blocks of agent {agent}: hands must be 0 or more, and some")
        found[agent] = blocks
    return found


def counts_of(plan: Plan, unit: Unit, data: Any) -> dict[int, int]:
    """Return from how many games each agent was disqualified."""
    seated = {str(agent): agent for seats in plan.matches[unit.match].seatings for agent in seats}
    most = plan.num_episodes([unit])
    if not isinstance(data, dict) or not all(
        name in seated and is_index(number, most + 1) for name, number in data.items()
    ):
        raise DamagedError(
            f"num_disqualified={quoted(data)}: must be numbers of games of agents of the match"
        )
    return {seated[name]: number for name, number in data.items()}


def fault_of(plan: Plan, unit: Unit, counts: dict[int, int], data: Any) -> Fault:
    """Return the fault that `dataclasses.asdict` made into ``data``.

    Raises:
        DamagedError: it did not, or nobody of the unit can have committed it.
    """
    if not isinstance(data, dict) or set(data) != FIELDS:
        raise DamagedError(f"disqualification {quoted(data)}: must hold {', '.join(sorted(FIELDS))}")
    seatings, span = plan.matches[unit.match].seatings, unit.span
    place, seat, agent, legal = data["place"], data["seat"], data["agent"], data["legal"]
    is_sound = (
        isinstance(place, list)
        and len(place) == len(Place._fields)
        and is_index(place[0], len(seatings))
        and is_index(place[1], span.end)
        and place[1] >= span.first
        and is_index(place[2])
        and is_index(seat, plan.rules.num_players)
        and is_index(agent, len(plan.agents))
        and seatings[place[0]][seat] == agent
        and counts.get(agent, 0) > 0
        and isinstance(data["is_late"], bool)
        and isinstance(legal, list)
        and all(is_text(text) for text in (data["problem"], data["position"], *legal))
    )
    if not is_sound:
        raise DamagedError(f"disqualification {quoted(data)}: is none of this part")
    return Fault(**data | {"place": Place(*place), "legal": tuple(legal)})


def is_index(value: Any, end: int = 2**63) -> bool:
    """Return whether ``value`` is an integer from 0 to before ``end``."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < end


def is_text(value: Any) -> bool:
    """Return whether ``value`` is text that can be written."""
    if not isinstance(value, str):
        return False
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def hash_of(body: dict[str, Any]) -> str:
    """Return the SHA-256 of plain data."""
    return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()
