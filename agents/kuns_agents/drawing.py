"""Drawing moves from probabilities."""

from __future__ import annotations

import numpy as np

from kuns_agents.protocol import Moves, Probabilities


def draw_moves(policy: Probabilities, rng: np.random.Generator) -> Moves:
    """Return a move for each row of ``policy``, ``(B, A)``: a draw of ``rng`` each, in order. Shape ``(B,)``."""
    bounds = policy.cumsum(axis=1)
    draws = rng.random(len(policy))[:, None] * bounds[:, -1:]
    # An illegal move has no width, so the first bound above the draw is that of a legal one.
    above = bounds > draws
    drawn: Moves = np.where(above.any(axis=1), above.argmax(axis=1), policy.argmax(axis=1))
    return drawn
