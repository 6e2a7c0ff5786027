"""A game in progress as JSON. A checksum guards the record: a damaged one never reaches the kernels."""

from __future__ import annotations

import hashlib
import json
from typing import Any, Final

import numpy as np

from kuns_env.engine.game import Array, Game, Rules, rules_from_dict
from kuns_env.engine.seeds import count
from kuns_env.errors import RecordError
from kuns_env.fields import as_integer, parse_json
from kuns_env.rng import MAX_SEED

FORMAT: Final = "kuns-env/table"
VERSION: Final = 1
NO_ACTION: Final = -1
MOST_ACTION: Final = 2**31 - 1


def as_action(move: object) -> int:
    """Return ``move`` as an integer of the kernels' size, -1 for what is no such integer."""
    try:
        action = as_integer(move)
    except TypeError:
        return NO_ACTION
    return action if 0 <= action <= MOST_ACTION else NO_ACTION


def checksum(payload: dict[str, Any]) -> str:
    """Return a hash of everything but the checksum itself."""
    rest = {key: value for key, value in payload.items() if key != "checksum"}
    return hashlib.sha256(json.dumps(rest, sort_keys=True).encode()).hexdigest()[:16]


def plain(record: Any) -> dict[str, Any]:
    """Return a record, or an array of records, as plain data: a list of numbers for each field, by name."""
    names = record.dtype.names
    return {
        name: plain(record[name]) if record[name].dtype.names else record[name].tolist() for name in names
    }


def fill(record: Any, data: dict[str, Any]) -> None:
    """Write what `plain` returned into ``record``.

    Raises:
        KeyError: a field is missing.
        TypeError, ValueError, OverflowError: a field holds something else than it did.
    """
    for name in record.dtype.names:
        if record[name].dtype.names:
            fill(record[name], data[name])
        else:
            record[name] = data[name]


def dump(game: Game, states: Array, stream: tuple[int, int, int]) -> str:
    """Return the game in ``states[0]`` as JSON."""
    payload = {
        "format": FORMAT,
        "version": VERSION,
        "game": game.name,
        "rules": game.rules.to_dict(),
        "stream": list(stream),
        "state": plain(states[0]),
    }
    return json.dumps(payload | {"checksum": checksum(payload)})


def load(text: str) -> tuple[Rules, Array, tuple[int, int, int]]:
    """Return (rules, states ``(1,)``, stream) of what `dump` wrote.

    Raises:
        RecordError: ``text`` is damaged, truncated or of a newer version.
    """
    try:
        payload = parse_json(text)
    except ValueError as error:
        raise RecordError(f"not a saved game: {error}") from None
    if not isinstance(payload, dict) or payload.get("format") != FORMAT:
        raise RecordError(f"not a saved game: no format {FORMAT!r}")
    if payload.get("version") != VERSION:
        raise RecordError(
            f"saved game of version {payload.get('version')!r}: this program reads version {VERSION}"
        )
    if payload.get("checksum") != checksum(payload):
        raise RecordError("the saved game is damaged: its checksum does not fit")
    try:
        rules = rules_from_dict(payload["game"], payload["rules"])
        game = Game(rules)
        states = np.zeros(1, game.state_dtype)
        fill(states[0], payload["state"])
        seed, slot, episode = (count("stream", number, 0, MAX_SEED) for number in payload["stream"])
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise RecordError(f"the saved game is damaged: {error}") from None
    return rules, states, (seed, slot, episode)
