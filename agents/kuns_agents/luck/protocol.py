"""What a value function for taking out luck has to offer, and why that leaves results unbiased.

N. Burch, M. Schmid, M. Moravcik, D. Morrill and M. Bowling, *AIVAT: A New Variance Reduction Technique for Agent
Evaluation in Imperfect Information Games*, AAAI 2018. Of it the terms for chance and for decisions are here;
its "imaginary observations", averages over hands that an agent might have held, are not.

Let ``u(h)`` be any fixed function of everything that has happened, all cards included. Chance then moves on to
``h'``: the mean of ``u(h') - E[u(h') | h]`` is 0, given ``h``. An agent that is known to play move ``a`` with
probability ``p(a)`` plays ``m``: the mean of ``u(h m) - sum of p(a) u(h a)`` is 0, given ``h``. So the sum of all
such terms of a game, its *luck*, has mean 0 whatever the agents do and however bad ``u`` is; a payoff less its luck
has the mean of the payoff. The better ``u`` tells what will be won, the less variance is left.
"""

from __future__ import annotations

from typing import Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from kuns_agents.hands import Floats, Integers
from kuns_agents.protocol import Probabilities

Flags: TypeAlias = npt.NDArray[np.bool_]

FAILED = -1
"""In place of a move: the agent made none, and the game is over. What was dealt before counts all the same."""


class Luck(Protocol):
    """A value function for the rules that it was made for."""

    name: str
    """What it is, in a few words."""
    sha256: str
    """Hash of all the numbers that it reads."""
    judges_dice: bool
    """Whether it makes anything of policies."""

    def matters(self, moves: Integers) -> Flags:
        """Return which decisions, ``(B,)``, can have other terms than 0; `terms` need not be asked of the rest."""
        ...

    def terms(self, states: npt.NDArray[Any], moves: Integers, policy: Probabilities | None) -> Floats:
        """Return how lucky each seat was, in chips or points: what chance dealt before these decisions, and their dice.

        Every decision of a game has to be handed over once: the cards that were dealt since the one before are
        found in its record.

        Args:
            states: full records before the decisions, ``(B,)`` of the game's ``STATE``.
            moves: what was decided, int64 ``(B,)``, or `FAILED`.
            policy: how likely each move was, float64 ``(B, A)``; rows of zeros where that is not known. None
                where it is known of none, or where nothing was left to chance.

        Returns:
            float64 ``(B, P)``.
        """
        ...
