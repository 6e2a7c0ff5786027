"""`thrifty`: a player of Kunken that knows when to wait."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from kuns_agents import thrifty_kernels
from kuns_agents.plan_kernels import workspace
from kuns_agents.protocol import Moves, contiguous
from kuns_agents.rule_agent import KunkenAgent
from kuns_env import KunkenRules, Views
from kuns_env.kunken.state import compile_rules

POINTS_A_CARD: Final = 12
"""What it expects a take to bring for every card of a dealt hand, before it takes without need."""


class Thresholds(NamedTuple):
    """When `thrifty` takes the bank although it could go on waiting."""

    enough: int
    """Points that the turn must bring while nobody has opened."""
    few: int = 3
    """Cards of another with which that may be about to go out: then any points are enough."""
    last_draws: int = 2
    """Cards of the stock with which any points are enough."""
    left: int = 3
    """Where only going out counts (N7.2): cards that the turn may leave."""


class ThriftyAgent(KunkenAgent):
    """Holds its melds back while the bank grows; takes what brings much, goes out at once, or is about to be lost."""

    name = "thrifty"

    def choose(self, views: Views) -> Moves:
        """Return what the plan for the turn says."""
        out = np.empty(len(views), np.int64)
        thrifty_kernels.choose_thrifty(
            contiguous(views.records),
            contiguous(views.seats),
            contiguous(views.masks),
            compile_rules(views.rules),
            thresholds(views.rules),
            workspace(),
            out,
        )
        return out


@lru_cache(maxsize=64)
def thresholds(rules: KunkenRules) -> npt.NDArray[Any]:
    """Return the thresholds for these rules as the kernel reads them."""
    return np.array(Thresholds(POINTS_A_CARD * rules.hand_size), np.int64)
