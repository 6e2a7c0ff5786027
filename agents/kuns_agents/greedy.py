"""`greedy`: the plainest player of Kunken that still plays to win."""

from __future__ import annotations

import numpy as np

from kuns_agents import greedy_kernels
from kuns_agents.protocol import Moves, contiguous
from kuns_agents.rule_agent import KunkenAgent
from kuns_env import Views


class GreedyAgent(KunkenAgent):
    """Takes the bank when it can, as deep as it can; lays all it can; discards what fits its hand worst."""

    name = "greedy"

    def choose(self, views: Views) -> Moves:
        """Return the deepest take, the meld of most points, or the discard."""
        out = np.empty(len(views), np.int64)
        greedy_kernels.choose_greedy(
            contiguous(views.records), contiguous(views.seats), contiguous(views.masks), out
        )
        return out
