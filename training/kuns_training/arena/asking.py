"""Asking an agent for its moves, and judging the answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from kuns_agents.raised import PASSED, in_words
from kuns_env.engine.game import game_of
from kuns_env.engine.view import Views

if TYPE_CHECKING:
    from kuns_agents import Agent

Array = npt.NDArray[Any]

INTEGER_KINDS: Final = "iu"
MOST_LETTERS: Final = 300
"""Letters of a problem that are kept: the text of an error may be of any length."""


class AgentFailedError(RuntimeError):
    """An agent did not choose a legal move.

    Attributes:
        seating: who sits where.
        seat: the seat that it was to act for.
        deal: the number of the deal.
        problem: what it did, in a line.
        position: what that seat knows, as text.
        legal: the texts of its legal moves.
    """

    def __init__(
        self, seating: Sequence[str], seat: int, deal: int, problem: str, position: str, legal: Sequence[str]
    ) -> None:
        self.seating, self.seat, self.deal = tuple(seating), seat, deal
        self.problem, self.position, self.legal = problem, position, tuple(legal)
        super().__init__(f"agent {self.agent!r} failed in deal {deal}, seat {seat}: {problem}")

    @property
    def agent(self) -> str:
        """The name of the agent that failed."""
        return self.seating[self.seat]

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle by arguments."""
        return type(self), (self.seating, self.seat, self.deal, self.problem, self.position, self.legal)


class UselessAnswerError(Exception):
    """An agent raised, or its answer as a whole is not one move for each view; the message says which."""


class Answer(NamedTuple):
    """What an agent wants to do in some views."""

    moves: Array
    """A legal move for each view, int64 ``(B,)``; 0 where there is a problem."""
    problems: dict[int, str]
    """What is wrong, by the number of the view."""


def answered(agent: Agent, views: Views, rng: np.random.Generator) -> Answer:
    """Return the moves of ``agent``.

    Args:
        agent: who is to act in all of the views.
        views: what the seats to act know, ``B`` of them.
        rng: the agent's random numbers.

    Raises:
        UselessAnswerError: no move for any of the views can be read from what it did.
    """
    masks = views.masks.copy()  # the agent is handed the other one, and may write into it
    try:
        answer = agent.act(views, rng)
    except PASSED:
        raise
    except BaseException as error:
        raise UselessAnswerError(shortened(f"raised {in_words(error)}")) from error
    return judged(views, masks, answer)


def judged(views: Views, masks: Array, answer: object) -> Answer:
    """Return ``answer`` as moves, and what is wrong with some of them.

    Raises:
        UselessAnswerError: it is not one integer for each view.
    """
    try:
        moves = np.asarray(answer)
    except PASSED:
        raise
    except BaseException:
        raise UselessAnswerError(f"returned {type(answer).__name__}, no array of moves") from None
    if moves.shape != (len(views),):
        raise UselessAnswerError(
            f"returned an array of shape {moves.shape} for {len(views)} views: one move each is wanted"
        )
    if moves.dtype.kind == "f" and not np.isfinite(moves).all():
        raise UselessAnswerError(f"returned {moves[np.argmin(np.isfinite(moves))]} as its move")
    if moves.dtype.kind not in INTEGER_KINDS:
        raise UselessAnswerError(f"returned moves of type {moves.dtype}: integers are wanted")
    known = (moves >= 0) & (moves < masks.shape[1])
    legal = known & (masks[np.arange(len(moves)), np.where(known, moves, 0)] == 1)
    problems = {
        int(row): f"chose {move_name(views, int(row), int(moves[row]))}, which is not legal"
        for row in np.flatnonzero(~legal)
    }
    return Answer(np.where(legal, moves, 0).astype(np.int64), problems)


def shortened(text: str) -> str:
    """Return ``text`` in one line of no more than `MOST_LETTERS`."""
    line = " ".join(text.split())
    return line if len(line) <= MOST_LETTERS else f"{line[: MOST_LETTERS - 1]}…"


def move_name(views: Views, row: int, move: int) -> str:
    """Return ``move`` by number and, where the rules have it, by text."""
    texts = game_of(views.rules).move_texts(int(views.seats[row]))
    known = texts[move] if 0 <= move < len(texts) else None
    return f"move {move}" if known is None else f"move {move} ({known})"


def ask(agent: Agent, seating: Sequence[str], views: Views, rng: np.random.Generator) -> Array:
    """Return the moves of ``agent``, int64 ``(B,)``, all legal. For games in which a failure ends everything.

    Args:
        agent: who is to act in all of the views.
        seating: the names of those who sit in each seat.
        views: what the seats to act know, ``B`` of them.
        rng: the agent's random numbers.

    Raises:
        AgentFailedError: it raised, or returned something else than one legal move for each view.
    """
    cause: UselessAnswerError | None = None
    try:
        moves, problems = answered(agent, views, rng)
    except UselessAnswerError as error:
        moves, problems, cause = views.seats, {0: str(error)}, error
    for row, problem in problems.items():
        view = views.view(row)
        deal, seat = int(views.games[row, 0]), int(views.seats[row])
        raise AgentFailedError(seating, seat, deal, problem, view.text(), view.legal_moves()) from cause
    return moves
