"""Every channel by which a seat learns of a game, for the tests that nothing leaks; they serve both games."""

from __future__ import annotations

import json
import pickle
import random
from collections.abc import Callable
from typing import Any

import numpy as np

from aec_play import raw
from games import chooser, positions
from kuns_env import Batch, Table
from kuns_env.engine.game import game_of
from kuns_env.engine.view import ONE_ROW

POSITIONS_A_GAME = 6
"""Positions of a game that are looked at, spread over it."""

Channel = Callable[[Table, int], Any]
"""What a seat is given of a game, comparable with ==."""

OtherWorld = Callable[[Table, int | None, random.Random], Table]
"""Returns a game that a seat cannot tell from the one given."""


def full_encoding(name: str, pad: bool = False) -> Channel:
    """Return the fast path: the encoding straight from the full record."""

    def encode(table: Table, seat: int) -> bytes:
        encoder = game_of(table.rules).encoder(name, pad)
        return bytes(encoder.encode(table._states, ONE_ROW, np.array([seat]))[0].tobytes())

    return encode


def encoding(name: str, pad: bool = False) -> Channel:
    return lambda table, seat: table.view(seat).observation(name, pad).tobytes()


def determinized(table: Table, seat: int) -> Any:
    other = table.determinize(seat, np.random.default_rng(5))
    return other.state.tobytes(), other.to_json()


def batched(table: Table, seat: int) -> Any:
    """What a batch hands to agents, for the seat to act."""
    if table.is_over:
        return None
    batch = Batch(table.rules, 1, seed=1)
    batch._states[:] = table._states
    batch._game.loops.observe_many(
        batch._states, batch._game.compiled, batch._rows, batch.encoder.kernel, batch._output
    )
    if table.to_play != seat:
        return None
    views = batch.views()
    return (
        views.records.tobytes(),
        views.masks.tobytes(),
        views.observations("history").tobytes(),
        batch.observations.tobytes(),
        batch.masks.tobytes(),
    )


def aec(table: Table, seat: int, **options: Any) -> Any:
    env = raw(table.rules, render_seat=seat, **options)
    env.reset(seed=1)
    env._attach(table.clone())
    if not table.is_over:
        env.agent_selection = f"player_{table.to_play}"
    env._write_infos()
    agent = f"player_{seat}"
    rendered = env.render() if env.render_mode else None
    return (
        pickle.dumps(env.observe(agent)),
        pickle.dumps(env.infos[agent]),
        rendered.tobytes() if isinstance(rendered, np.ndarray) else rendered,
        pickle.dumps((env.rewards, env.terminations, env.truncations, env.agent_selection)),
    )


CHANNELS: dict[str, Channel] = {
    "table": encoding("table"),
    "table, padded": encoding("table", True),
    "table, fast path": full_encoding("table"),
    "table, fast path, padded": full_encoding("table", True),
    "history": encoding("history"),
    "history, padded": encoding("history", True),
    "history, fast path": full_encoding("history"),
    "mask": lambda table, seat: table.view(seat).mask.tobytes(),
    "legal moves": lambda table, seat: table.view(seat).legal_moves(),
    "text": lambda table, seat: table.view(seat).text(),
    "json": lambda table, seat: json.dumps(table.view(seat).to_dict()),
    "information state": lambda table, seat: table.information_state(seat),
    "redacted record": lambda table, seat: table.view(seat).record.tobytes(),
    "view": lambda table, seat: pickle.dumps(table.view(seat)),
    "views": lambda table, seat: pickle.dumps(table.view(seat).views()),
    "determinize": determinized,
    "batch": batched,
    "spectator": lambda table, seat: (
        table.view().text(),
        table.view().to_dict(),
        table.view().record.tobytes(),
    ),
    "repr": lambda table, seat: repr(table),
}
SLOW_CHANNELS: dict[str, Channel] = {
    "aec": lambda table, seat: aec(table, seat),
    "aec, ansi, mask in info": lambda table, seat: aec(table, seat, render_mode="ansi", mask_in_info=True),
    "aec, history": lambda table, seat: aec(table, seat, encoder="history", pad=True),
    "aec, picture": lambda table, seat: aec(table, seat, render_mode="rgb_array"),
}
CARDLESS = {"mask", "legal moves", "spectator", "repr"}
"""Channels in which a seat's own cards are not."""


def differing(channels: dict[str, Channel], one: Table, other: Table, seat: int) -> set[str]:
    """Return the channels in which two games look different to ``seat``."""
    return {name for name, look in channels.items() if look(one, seat) != look(other, seat)}


def some_positions(table: Table, seed: int) -> list[Table]:
    """Return positions of a random game, spread over it, the last one always."""
    seen = [position.clone() for position in positions(table, chooser(seed))]
    return seen[:: max(1, len(seen) // POSITIONS_A_GAME)] + seen[-1:]


def compare_worlds(
    channels: dict[str, Channel], table: Table, seed: int, other_world: OtherWorld
) -> set[str]:
    """Return the channels that leak in some position of a game, to some seat."""
    rng = random.Random(seed)
    leaks: set[str] = set()
    for position in some_positions(table, seed):
        for seat in range(table.rules.num_players):
            leaks |= differing(channels, position, other_world(position, seat, rng), seat)
    return leaks


def only_redacted(position: Table, seat: int) -> set[str]:
    """Return the encodings that are not the same from the full record and from what the seat knows."""
    return {
        f"{name}{', padded' if pad else ''}"
        for name in ("table", "history")
        for pad in (False, True)
        if full_encoding(name, pad)(position, seat) != encoding(name, pad)(position, seat)
    }
