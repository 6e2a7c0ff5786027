"""`random`, `call` and `fold`: the agents that look at nothing but the legal moves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final

import numpy as np

from kuns_agents import simple_kernels
from kuns_agents.protocol import MULTISET, AgentError, Moves, Probabilities, contiguous
from kuns_env import KunsRules, Views
from kuns_env.engine.game import Rules
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


class KunsAgent:
    """The part that agents without dice share: a choice for each view, and the policy that follows from it."""

    name: ClassVar[str]
    reads: ClassVar[str] = MULTISET

    def choose(self, views: Views) -> Moves:
        """Return the one move that the agent makes in each view."""
        raise NotImplementedError

    def act(self, views: Views, rng: np.random.Generator) -> Moves:  # noqa: ARG002 (the protocol's)
        """Return `choose`'s moves; nothing is drawn.

        Raises:
            AgentError: the views are of rules that the agent does not support.
        """
        reason = self.supports(views.rules)
        if reason is not None:
            raise AgentError(reason)
        return self.choose(views)

    def policy(self, views: Views) -> Probabilities:
        """Return 1 for the move chosen and 0 for every other."""
        out = np.zeros(views.masks.shape)
        out[np.arange(len(views)), self.choose(views)] = 1
        return out

    def supports(self, rules: Rules) -> str | None:
        """Return None for all rules of Kuns."""
        if isinstance(rules, KunsRules):
            return None
        return f"agent {self.name!r} plays Kuns, not {getattr(rules, 'game', type(rules).__name__)}"


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
