"""What each move of a game is, and where in an observation something is said of it.

A game that says nothing here can still have its moves scored one by one: each is then known by its number alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from kuns_agents.move_features import move_features
from kuns_env.engine.game import Rules, game_of
from kuns_env.kunken import tables
from kuns_env.kunken.cards import JOKER, NUM_NATURALS, NUM_RANKS, NUM_SUITS
from kuns_env.kunken.moves import FIRST_HIGH_PLACE
from kuns_env.kunken.rules import KunkenRules

NOWHERE: Final = -1


@dataclass(frozen=True, slots=True)
class MovePlaces:
    """What the moves of a game are."""

    features: npt.NDArray[np.float32]
    """Shape ``(num_moves, K)``: what each move is, in numbers."""
    places: npt.NDArray[np.int16]
    """Shape ``(num_moves, J)``: places of an observation that are about each move; -1 where there is none. A column
    means the same for all moves."""
    size: int
    """Numbers in an observation."""


def move_places(rules: Rules, pad: bool) -> MovePlaces:
    """Return what the moves under ``rules`` are.

    Args:
        rules: a rules object.
        pad: whether observations are laid out for the most players that the game has.
    """
    game = game_of(rules)
    layout: Any = game.encoder("table", pad).layout  # type: ignore[attr-defined]
    size = int(layout.size)
    if isinstance(rules, KunkenRules):
        return MovePlaces(move_features(game.name).rows, kunken_places(layout), size)
    nothing = np.zeros((game.num_moves, 0))
    return MovePlaces(nothing.astype(np.float32), nothing.astype(np.int16), size)


NEAR: Final = (-2, -1, 0, 1, 2, 3)
"""Steps in rank from the card of a move; of a run, whose lowest place is step 0, to the card above it."""
CLOSE: Final = (-2, -1, 0, 1, 2)
MATES: Final = (1, 2, 3)
"""Steps in suit to the other cards of the same rank."""


def kunken_places(layout: Any) -> npt.NDArray[np.int16]:
    """Return where the `table` encoding speaks of each move of Kunken, int16 ``(num_moves, J)``."""
    place = tables.PLACE.astype(np.int64)
    deep = tables.KIND == tables.DEEP

    def steps(ranks: int) -> npt.NDArray[np.int64]:
        rank = place // NUM_SUITS + ranks
        there = (place >= 0) & (place < NUM_NATURALS) & (rank >= 0) & (rank < NUM_RANKS)
        if ranks == 0:
            there |= place == JOKER
        return np.where(there, place + ranks * NUM_SUITS, NOWHERE)

    def mate(suits: int) -> npt.NDArray[np.int64]:
        there = (place >= 0) & (place < NUM_NATURALS)
        return np.where(there, place // NUM_SUITS * NUM_SUITS + (place + suits) % NUM_SUITS, NOWHERE)

    def at(name: str, cards: npt.NDArray[np.int64], first: int = 0) -> npt.NDArray[np.int64]:
        part = layout[name]
        inside = (cards >= first) & (cards - first < part.stop - part.start)
        return np.where(inside, part.start + cards - first, NOWHERE)

    columns = [np.full(len(place), layout["own"].start + JOKER)]
    for name, near in (("own", NEAR), ("unseen", CLOSE), ("bank", CLOSE), ("known", CLOSE)):
        columns += [at(name, steps(ranks)) for ranks in near]
        columns += [at(name, mate(suits)) for suits in MATES]
    columns += [
        at("open_high", steps(0), FIRST_HIGH_PLACE),
        at("open_low", steps(0)),
        at("open_set", steps(0)),
    ]
    for size in ("cards", "points"):
        columns.append(np.where(deep, at(f"deep_{size}", steps(0)), at(f"top_{size}", steps(0))))
    return np.stack(columns, axis=1).astype(np.int16)
