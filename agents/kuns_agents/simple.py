"""`random`, `call` and `fold`: the agents that look at nothing but the legal moves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final

import numpy as np

from kuns_agents import simple_kernels
from kuns_agents.protocol import MULTISET, Moves, Probabilities, contiguous
from kuns_agents.rule_agent import KunsAgent
from kuns_env import Views
from kuns_env.engine.seat_opponents import UniformOpponent
from kuns_env.kuns import moves


class RandomAgent(UniformOpponent):
    """Every legal move is equally likely. Plays every game of this project."""

    reads: ClassVar[str] = MULTISET

    def policy(self, views: Views) -> Probabilities:
        """Return one over the number of legal moves, where legal."""
        masks = views.masks.astype(np.float64)
        policy: Probabilities = masks / masks.sum(axis=1, keepdims=True)
        return policy


def order_of(first: Sequence[int]) -> Moves:
    """Return all moves: those in ``first``, in that order, then the others by number."""
    return np.array([*first, *(move for move in range(moves.NUM_MOVES) if move not in first)], np.int64)


QUIET: Final = (moves.ANTE_BASE, moves.PASS, moves.DECLINE, moves.STAY_ON)
"""The lowest ante, no side bet, the next hand too."""


class CallAgent(KunsAgent):
    """Calls, always; sets the lowest ante, makes and takes no side bet. Folds only what it cannot pay (K2.3)."""

    name = "call"
    _order = order_of((moves.CALL, *QUIET, moves.FOLD))

    def choose(self, views: Views) -> Moves:
        """Return ``call`` where it is legal."""
        out = np.empty(len(views), np.int64)
        simple_kernels.pick_first(contiguous(views.masks), self._order, out)
        return out


class FoldAgent(CallAgent):
    """Folds, always; else as `call`. Where no ante is forced it cannot be exploited (K8.5)."""

    name = "fold"
    _order = order_of((moves.FOLD, *QUIET))
