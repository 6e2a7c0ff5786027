"""`cautious`: thresholds on its own hand, as a careful beginner would play."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import numpy as np

from kuns_agents import cautious_kernels
from kuns_agents.hands import Floats, chances, tree
from kuns_agents.protocol import Moves, contiguous
from kuns_agents.rule_agent import KunsAgent
from kuns_agents.simple import QUIET, order_of
from kuns_env import KunsRules, Views
from kuns_env.kuns import moves
from kuns_env.kuns.state import compile_rules

LEAST_TO_CALL: Final = (0.0, 0.25, 0.15)
"""The least chance to beat one hand not seen with which it calls, in rounds 1, 2 and 3."""

LEAST_TO_RAISE_ANTE: Final = 0.5
"""The least such chance, on two cards that it has seen, with which it sets the highest ante instead of the lowest."""


class CautiousAgent(KunsAgent):
    """Calls with a hand that is good enough for the round, whatever the pot; makes and takes no side bet."""

    name = "cautious"
    _order = order_of((*QUIET, moves.FOLD))
    _least = np.array(LEAST_TO_CALL)

    def choose(self, views: Views) -> Moves:
        """Return what the thresholds say."""
        out = np.empty(len(views), np.int64)
        cautious_kernels.choose_cautious(
            contiguous(views.records),
            contiguous(views.seats),
            contiguous(views.masks),
            compile_rules(views.rules),
            tree().children,
            one_opponent(views.rules),
            self._least,
            LEAST_TO_RAISE_ANTE,
            self._order,
            out,
        )
        return out


@lru_cache(maxsize=64)
def one_opponent(rules: KunsRules) -> Floats:
    """Return the chance of every hand to beat one hand not seen, a tie counting half, shape ``(nodes,)``."""
    return np.ascontiguousarray(chances(rules).shares[:, 0])
