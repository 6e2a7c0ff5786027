"""What an agent says of its moves, checked."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from kuns_agents.code_file import staying
from kuns_agents.protocol import Probabilities
from kuns_agents.raised import PASSED, in_words
from kuns_env import Views
from kuns_env.engine.game import game_of

SUM_TOLERANCE: Final = 1e-4
"""By how much the probabilities of a view may miss 1."""
MOVES_SHOWN: Final = 6
"""Moves that a message names."""


class NoPolicyError(ValueError):
    """An agent's policy is no function of what its seat has seen in the hand, or not what it plays by."""


def probabilities(agent: Any, views: Views) -> Probabilities:
    """Return the agent's probabilities, checked and summing to 1, float64 ``(B, A)``.

    Raises:
        NoPolicyError: they are none; the message names the agent, the moves and the position.
    """
    masks = views.masks.copy()  # the agent is handed the other ones
    try:
        with staying():
            policy = np.asarray(agent.policy(views), np.float64)
    except PASSED:
        raise
    except BaseException as error:
        raise NoPolicyError(f"agent {agent.name!r} raised {in_words(error)}") from error
    if policy.shape != masks.shape:
        raise NoPolicyError(
            f"agent {agent.name!r} returned probabilities of shape {policy.shape}: must be {masks.shape}"
        )
    missed = ~(np.abs(policy.sum(axis=1) - 1) <= SUM_TOLERANCE)
    wrong = {
        "that are not finite": ~np.isfinite(policy),
        "below 0": policy < 0,
        "above 0 for illegal moves": (policy > 0) & (masks == 0),
        "that do not sum to 1": missed[:, None] & (policy != 0) | (missed & ~policy.any(axis=1))[:, None],
    }
    for problem, places in wrong.items():
        rows = places.any(axis=1)
        if rows.any():
            row = int(rows.argmax())
            texts = game_of(views.rules).move_texts(int(views.seats[row]))
            told = chances_told(policy[row], np.flatnonzero(places[row]), texts)
            raise NoPolicyError(
                f"agent {agent.name!r} returned probabilities {problem}: {told}, here:\n{views.view(row).text()}"
            )
    normalised: Probabilities = policy / policy.sum(axis=1, keepdims=True)
    return normalised


def chances_told(row: Probabilities, named: npt.NDArray[np.int64], texts: tuple[str | None, ...]) -> str:
    """Return some of a row's probabilities with the names of their moves, and the sum of all.

    >>> chances_told(np.array([0.5, 1.25, 0.0]), np.array([0, 1]), ("fold", "call", None))
    "'fold': 0.5, 'call': 1.25, sum 1.75"
    """
    words = [f"{texts[move] or f'move {move}'!r}: {row[move]:.4g}" for move in named[:MOVES_SHOWN]]
    words += [f"and {len(named) - MOVES_SHOWN} more"] if len(named) > MOVES_SHOWN else []
    return ", ".join([*words, f"sum {row.sum():.4g}"])
