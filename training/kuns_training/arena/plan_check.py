"""Whether a plan that was read is one that can have been made: what follows from other parts of it is made again."""

from __future__ import annotations

import re
from typing import Any, Final

from kuns_env.engine.seeds import count
from kuns_env.errors import quoted
from kuns_env.rng import MAX_SEED
from kuns_training.arena.entries import MOST_AGENTS, Entry, numbered
from kuns_training.arena.plan import MOST_DEALS, Plan, check_half_width, looks_of, num_sittings
from kuns_training.arena.room import check_room
from kuns_training.arena.schedule import TABLES, TABLES_ALLOWED, Match, mode_of, schedule
from kuns_training.arena.timer import check_seconds

HASH: Final = re.compile(r"[0-9a-f]{64}")
"""A SHA-256."""


def check(plan: Plan) -> None:
    """Refuse a plan that nobody can have asked for.

    Raises:
        ValueError: a number out of range, a thing of the wrong type, or one that does not follow from the others;
            the message begins with its name in the manifest.
    """
    count("seed", plan.seed, 0, MAX_SEED)
    count("num_deals", plan.num_deals, 2, MOST_DEALS)
    count("block_deals", plan.block_deals, 1, plan.num_deals // 2)
    count("chunk_deals", plan.chunk_deals, 1, MOST_DEALS)
    check_half_width(plan.half_width, "half_width")
    check_looks(plan)
    check_seconds(plan.time_limit)
    if plan.luck is not None:
        check_text("luck: name", plan.luck.name)
        check_hash("luck: sha256", plan.luck.sha256)
    check_entries(plan.agents)
    check_matches(plan)
    for name, version in plan.versions.items():
        check_text(f"versions: {name}", version)
    check_room(plan.rules, plan.block_deals, num_sittings(plan.matches), luck=plan.luck is not None)


def check_looks(plan: Plan) -> None:
    """Refuse looks that are not those of the half width and the blocks."""
    expected = () if plan.half_width is None else looks_of(-(-plan.num_deals // plan.block_deals))
    if repr(plan.looks) != repr(expected):  # to Python 1, 1.0 and true are the same
        raise ValueError(
            f"looks={quoted(list(plan.looks))}: with half_width={plan.half_width} and these deals and blocks they are "
            f"{list(expected)}"
        )


def check_entries(entries: tuple[Entry, ...]) -> None:
    """Refuse agents that are no agents, and labels that are not those of their names."""
    count("agents: their number", len(entries), 2, MOST_AGENTS)
    for entry in entries:
        check_text("agents: name", entry.name)
        for name in ("file", "spec"):
            if getattr(entry, name) is not None:
                check_text(f"agents: {name}", getattr(entry, name))
        if entry.greedy is not None and not isinstance(entry.greedy, bool):
            raise ValueError(f"agents: greedy={quoted(entry.greedy)}: must be true, false or null")
        if entry.file is not None:
            check_hash("agents: sha256", entry.sha256)
        elif (entry.sha256, entry.greedy) != (None, None):
            raise ValueError(
                f"agents: sha256={quoted(entry.sha256)}, greedy={quoted(entry.greedy)}: must be null for an agent "
                "without a file"
            )
    expected = numbered([entry.name for entry in entries])
    for entry, label in zip(entries, expected, strict=True):
        if entry.label != label:
            raise ValueError(f"agents: label={quoted(entry.label)}: by the names it is {label!r}")


def check_matches(plan: Plan) -> None:
    """Refuse another schedule than that of the agents, the mode and the seed."""
    num_agents, num_players = len(plan.agents), plan.rules.num_players
    mode_of(num_agents, num_players, check_text("mode", plan.mode))
    asked: list[int | None] = [None]  # how many tables were asked for is not kept
    if plan.mode == TABLES:
        asked.append(count("matches: their number", len(plan.matches), 1, TABLES_ALLOWED))
    problems = [
        first_difference(plan.matches, schedule(num_agents, num_players, plan.mode, plan.seed, number))
        for number in asked
    ]
    if None not in problems:
        raise ValueError(problems[-1])


def first_difference(matches: tuple[Match, ...], expected: list[Match]) -> str | None:
    """Return in what ``matches`` are not those that are ``expected``; None if they are."""
    for number, (match, right) in enumerate(zip(matches, expected, strict=False)):
        for name in ("seatings", "measured"):
            found, wanted = getattr(match, name), getattr(right, name)
            if repr(found) != repr(wanted):  # to Python 1, 1.0 and true are the same
                return f"matches: {name} of match {number} {quoted(found)}: by agents, mode and seed {quoted(wanted)}"
    if len(matches) != len(expected):
        return f"matches: {len(matches):,} of them: by agents, mode and seed there are {len(expected):,}"
    return None


def check_text(name: str, value: Any) -> str:
    """Return ``value`` if it is text."""
    if not isinstance(value, str):
        raise ValueError(f"{name}={quoted(value)}: must be text")
    return value


def check_hash(name: str, value: Any) -> None:
    """Refuse what is no SHA-256."""
    if not isinstance(value, str) or not HASH.fullmatch(value):
        raise ValueError(f"{name}={quoted(value)}: must be a SHA-256, 64 hexadecimal digits")
