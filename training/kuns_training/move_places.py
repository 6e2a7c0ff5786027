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


AROUND: Final = range(-2, 5)
"""Steps in rank from the card of a move; of a run, whose lowest place is step 0, to two above its third card."""
CLOSE: Final = range(-2, 3)


def kunken_places(layout: Any) -> npt.NDArray[np.int16]:
    """Return where the `table` encoding speaks of each move of Kunken, int16 ``(num_moves, J)``.

    Cards are counted from the one that the move names: by rank, and by suit from its own on.
    """
    place = tables.PLACE.astype(np.int64)
    natural = (place >= 0) & (place < NUM_NATURALS)
    deep = tables.KIND == tables.DEEP

    def card(ranks: int, suits: int = 0) -> npt.NDArray[np.int64]:
        rank = place // NUM_SUITS + ranks
        there = natural & (rank >= 0) & (rank < NUM_RANKS)
        found = np.where(there, rank * NUM_SUITS + (place + suits) % NUM_SUITS, NOWHERE)
        return np.where(place == JOKER, JOKER, found) if ranks == suits == 0 else found

    def at(name: str, cards: npt.NDArray[np.int64], first: int = 0) -> npt.NDArray[np.int64]:
        part = layout[name]
        inside = (cards >= first) & (cards - first < part.stop - part.start)
        return np.where(inside, part.start + cards - first, NOWHERE)

    columns = [np.full(len(place), layout["own"].start + JOKER)]
    columns += [at("own", card(ranks, suits)) for ranks in AROUND for suits in range(NUM_SUITS)]
    for name in ("unseen", "bank", "known"):
        columns += [at(name, card(ranks)) for ranks in CLOSE]
        columns += [at(name, card(0, suits)) for suits in range(1, NUM_SUITS)]
    columns += [at("open_high", card(0), FIRST_HIGH_PLACE), at("open_low", card(0)), at("open_set", card(0))]
    for size in ("cards", "points"):
        columns.append(np.where(deep, at(f"deep_{size}", card(0)), at(f"top_{size}", card(0))))
    return np.stack(columns, axis=1).astype(np.int16)
