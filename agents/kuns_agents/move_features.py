"""What each move is, as numbers: for networks that score moves by what they are.

A thousand moves are few kinds of moves with few cards. A network that reads these rows learns of every ``set Q Q Q``
from each of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt

from kuns_agents.protocol import AgentError
from kuns_env.kunken import tables
from kuns_env.kunken.cards import HIGH_POINTS, NUM_RANKS, NUM_SUITS, NUM_TYPES
from kuns_env.kunken.moves import NUM_MOVES
from kuns_env.kunken.rules import KunkenRules
from kuns_env.layout import Feature, Layout

MOST_OF_A_TYPE: Final = 2

LAYOUT: Final = Layout(
    [
        Feature("kind", len(tables.WORDS), f"one-hot: {', '.join(tables.WORDS)} (N8)"),
        Feature("rank", NUM_RANKS, "one-hot: the rank named; of a run its lowest (N8); zeros for a draw and a joker"),
        Feature("suit", NUM_SUITS, "one-hot: the suit named; zeros for sets, a draw and a joker"),
        Feature("cards", NUM_TYPES, "cards of each type that leave the hand", high=MOST_OF_A_TYPE),
        Feature("size", 1, "cards that leave the hand, in fours"),
        Feature("jokers", 1, "jokers among them, in twos"),
        Feature("points", 1, "points that the move lays (N1.3), in forties"),
    ]
)  # fmt: skip
"""The features of a move of Kunken."""


@dataclass(frozen=True, slots=True)
class MoveFeatures:
    """The features of all moves of a game."""

    layout: Layout
    rows: npt.NDArray[np.float32]
    """Shape ``(num_moves, layout.size)``. Do not write to it: it is shared."""


@lru_cache(maxsize=1)
def _of_kunken() -> MoveFeatures:
    rows = np.zeros((NUM_MOVES, LAYOUT.size), np.float32)
    moves = np.arange(NUM_MOVES)
    kind, place = tables.KIND.astype(np.int64), tables.PLACE.astype(np.int64)
    rows[moves, LAYOUT["kind"].start + kind] = 1
    natural = (place >= 0) & (place < NUM_TYPES - 1)
    rows[moves[natural], LAYOUT["rank"].start + place[natural] // NUM_SUITS] = 1
    of_suit = natural & (kind != tables.SET) & ~((kind == tables.FOURTH) & (tables.JOKERS > 0))
    rows[moves[of_suit], LAYOUT["suit"].start + place[of_suit] % NUM_SUITS] = 1
    for cards in tables.CARDS.T.astype(np.int64):
        there = cards >= 0
        rows[moves[there], LAYOUT["cards"].start + cards[there]] += 1
    rows[:, LAYOUT["size"].start] = tables.SIZE / tables.MOST_CARDS
    rows[:, LAYOUT["jokers"].start] = tables.JOKERS / MOST_OF_A_TYPE
    rows[:, LAYOUT["points"].start] = tables.POINTS / (tables.MOST_CARDS * HIGH_POINTS)
    rows.flags.writeable = False
    return MoveFeatures(LAYOUT, rows)


def move_features(game: str) -> MoveFeatures:
    """Return what each move of ``game`` is, a row a move.

    >>> move_features("kunken").rows.shape
    (990, 83)

    Raises:
        AgentError: its moves have no features.
    """
    if game != KunkenRules.game:
        raise AgentError(f"moves of {game!r} have no features: only those of {KunkenRules.game!r} do")
    return _of_kunken()
