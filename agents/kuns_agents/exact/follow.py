"""Whether an agent's moves follow its probabilities: a sample, in every public situation."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from kuns_agents.code_file import staying
from kuns_agents.exact.probabilities import NoPolicyError, probabilities
from kuns_agents.protocol import Moves
from kuns_agents.raised import PASSED, in_words
from kuns_env import Views
from kuns_env.engine.game import game_of

STATES: Final = 16
"""States of a situation in which moves are drawn."""
DRAWS: Final = 64
"""Moves that are drawn in each."""
ERROR: Final = 1e-12
"""How likely an agent that draws each move from its probabilities is refused in a situation, at the most."""


def plays(agent: Any) -> bool:
    """Return whether there are moves to compare: what has probabilities alone is taken at its word."""
    return callable(getattr(agent, "act", None))


def check_follows(agent: Any, asked: Views, played: Views, rng: np.random.Generator) -> None:
    """Draw a move for each view and compare with the probabilities.

    The measure is the mean, over states, of the distance ``sum |frequency - probability|``. For ``n`` draws in all,
    each from its probabilities and independent of the others, it is above what is expected of it by more than
    ``sqrt(2 log(1 / ERROR) / n)`` with a probability of at most `ERROR` (McDiarmid, *On the method of bounded
    differences*, 1989); what is expected is at most the sum of ``sqrt(p (1 - p) / DRAWS)`` over the moves.

    Args:
        agent: with ``policy`` and ``act``.
        asked: every state `DRAWS` times in a row.
        played: the same once more, since an agent may write into what it is handed.
        rng: what the agent draws from.

    Raises:
        NoPolicyError: a move of probability 0 is played, or frequencies are off by more than chance allows.
    """
    # Asked in the same batch, not once for each state: networks round differently in batches of another size.
    policy = probabilities(agent, asked)
    moves = moves_of(agent, played, rng)
    rows = np.arange(len(moves))
    never = policy[rows, moves] <= 0
    if never.any():
        row = int(never.argmax())
        move = game_of(asked.rules).move_texts(int(asked.seats[row]))[int(moves[row])]
        raise NoPolicyError(
            f"agent {agent.name!r} does not play by its `policy`: `act` chose {move!r}, which has probability 0, "
            f"here:\n{asked.view(row).text()}"
        )
    by_state = (-1, DRAWS, policy.shape[1])
    chosen = np.zeros_like(policy)
    chosen[rows, moves] = 1
    wanted, found = policy.reshape(by_state).mean(axis=1), chosen.reshape(by_state).mean(axis=1)
    gaps = np.abs(found - wanted).sum(axis=1)
    expected = np.sqrt(np.clip(wanted * (1 - wanted), 0, None) / DRAWS).sum(axis=1).mean()
    if gaps.mean() > expected + np.sqrt(2 * np.log(1 / ERROR) / len(moves)):
        state = int(gaps.argmax())
        row = state * DRAWS
        texts = game_of(asked.rules).move_texts(int(asked.seats[row]))
        worst = int(np.abs(found[state] - wanted[state]).argmax())
        raise NoPolicyError(
            f"agent {agent.name!r} does not play by its `policy`: of {DRAWS} moves of `act`, "
            f"{round(DRAWS * found[state, worst])} were {texts[worst]!r}, "
            f"which has probability {wanted[state, worst]:.3g}, here:\n{asked.view(row).text()}"
        )


def moves_of(agent: Any, views: Views, rng: np.random.Generator) -> Moves:
    """Return the agent's moves, checked: one for each view, all of them legal."""
    masks, seats = views.masks.copy(), views.seats.copy()
    try:
        with staying():
            moves = np.asarray(agent.act(views, rng))
    except PASSED:
        raise
    except BaseException as error:
        raise NoPolicyError(f"agent {agent.name!r} raised in `act`: {in_words(error)}") from error
    if moves.shape != (len(masks),) or not np.issubdtype(moves.dtype, np.integer):
        raise NoPolicyError(
            f"agent {agent.name!r} returned moves of shape {moves.shape} and type {moves.dtype} in `act`: must be "
            f"integers of shape {(len(masks),)}"
        )
    inside = (moves >= 0) & (moves < masks.shape[1])
    legal = inside & (masks[np.arange(len(masks)), np.where(inside, moves, 0)] > 0)
    if not legal.all():
        row = int((~legal).argmax())
        raise NoPolicyError(
            f"agent {agent.name!r} chose the move {moves[row]} in `act`, which is illegal, in seat {seats[row]}"
        )
    return moves.astype(np.int64)
