"""Kunken: how well the cards fit that are drawn from the stock."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from kuns_agents.hands import Floats, Integers
from kuns_agents.luck import kunken_kernels
from kuns_agents.luck.protocol import Flags
from kuns_agents.protocol import Probabilities, contiguous
from kuns_env import KunkenRules
from kuns_env.kunken.moves import DRAW

BEFORE_OPENING: Final = (27.0, 1.3, 2.0, 0.5, 1.0, 2.0)
"""What the features of a card count, in points that it brings its drawer heads-up: see `kunken_kernels`."""
AFTER_OPENING: Final = (28.0, 0.5, 3.0, 8.0, 1.0, 6.0)
"""The same where the seat has opened. Both are rounded from least squares over deals of `greedy` and `thrifty`. Any
numbers leave results unbiased."""
SCALES: Final = {"difference": 1.0, "points": 0.5, "win": 0.011}
"""By settlement (N7), what these numbers are multiplied by; a difference is settled with each of the others."""


class KunkenLuck:
    """What luck was, measured by the cards that were drawn. The deal and the agents' own random draws are left in.

    Args:
        rules: of Kunken.
    """

    name = "cards drawn"
    judges_dice = False

    def __init__(self, rules: KunkenRules) -> None:
        self.rules = rules
        scale = SCALES[rules.settlement]
        if rules.settlement == "difference":
            scale *= rules.num_players - 1
        self.weights: Floats = scale * np.array([BEFORE_OPENING, AFTER_OPENING])
        self.sha256 = hashlib.sha256(self.weights.tobytes()).hexdigest()

    def matters(self, moves: Integers) -> Flags:
        """Return which decisions have terms: those that draw."""
        return np.asarray(moves == DRAW)

    def terms(
        self,
        states: npt.NDArray[Any],
        moves: Integers,
        policy: Probabilities | None,  # noqa: ARG002 (the protocol's)
    ) -> Floats:
        """Return how lucky each seat was, in points: see `kuns_agents.luck.protocol.Luck`."""
        out = np.zeros((len(states), self.rules.num_players))
        draws = np.flatnonzero(moves == DRAW)
        if len(draws):
            part = np.empty((len(draws), out.shape[1]))
            kunken_kernels.write_terms(
                self.weights, contiguous(states[draws]), contiguous(moves[draws]), out.shape[1], part
            )
            out[draws] = part
        return out


@lru_cache(maxsize=16)
def kunken_luck(rules: KunkenRules) -> KunkenLuck:
    """Return `KunkenLuck` for these rules."""
    return KunkenLuck(rules)
