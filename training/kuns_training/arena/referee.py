"""The referee: asks the agents of a unit of play for their moves, and disqualifies from single games."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from kuns_env.engine.view import Views
from kuns_training.arena.asking import Answer, Array, UselessAnswerError, answered
from kuns_training.arena.timer import TimeLimitError, within

if TYPE_CHECKING:
    from kuns_agents import Agent

MOST_KEPT: Final = 10
"""Faults of an agent in a unit that are kept one by one; all are counted."""
MOST_POSITIONS: Final = 3
"""Of these, those that are kept with the position in words."""
MOST_LATE: Final = 10
"""Games of a unit in which an agent may be late before it is asked no more."""


class Place(NamedTuple):
    """A decision of a unit of play."""

    seating: int
    """The number of the seating in its match."""
    deal: int
    decision: int
    """How many decisions were made in this game before."""


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a game ended early."""

    agent: int
    place: Place
    seat: int
    is_late: bool
    """Whether its time was up."""
    problem: str
    """What it did, in a line."""
    position: str = ""
    """What its seat knew, as text; kept for the first `MOST_POSITIONS` of an agent in a unit."""
    legal: tuple[str, ...] = ()
    """The texts of its legal moves, kept with the position."""


@dataclass(frozen=True, slots=True)
class Question:
    """Positions of one seat that wait for a move, each in a game of its own."""

    agent: int
    player: Agent
    seating: int
    seat: int
    deals: Array
    """The number of each game's deal, int64 ``(B,)``."""
    decisions: Array
    """How many decisions were made in each game, int64 ``(B,)``."""
    see: Callable[[Array], Views]
    """Returns fresh views of some of the positions, by their numbers."""
    rng: np.random.Generator
    """The agent's random numbers."""
    alone: Callable[[int], np.random.Generator]
    """Returns those for one of the positions by itself."""

    def place(self, row: int) -> Place:
        """Return the place of one of the positions."""
        return Place(self.seating, int(self.deals[row]), int(self.decisions[row]))


class Referee:
    """Asks for moves in the games of one unit of play, and keeps who failed where.

    All positions of a seat are put to its agent in one call. If the call raises, or what it returns is not one
    integer for each position, they are put to it again, one at a time, in the same order. Games in which it fails
    alone, too, end there. Where the call returned integers and some are no legal moves, only these games end, and
    nothing is asked twice.

    With a time limit, positions are put to the agent one at a time from the start, and the limit is that of a
    decision. An agent that was late in ``most_late`` games of the unit is asked no more: its other games end at its
    next decision in them.

    A position that is put to an agent alone comes with random numbers of its own, which belong to the seat, the deal
    and the number of the decision; those that the agent had drawn before in the call that failed are put back. So
    what happens in a game that is asked alone never depends on the faults in others.

    Args:
        time_limit: seconds that a decision may take; None where there is no limit.
        late: for a replay, the places where agents were late: they are not asked there, and nothing is timed.
        most_late: games in which an agent may be late before it is asked no more.
    """

    def __init__(
        self,
        time_limit: float | None = None,
        late: Collection[Place] | None = None,
        most_late: int = MOST_LATE,
    ) -> None:
        self.time_limit, self.late, self.most_late = time_limit, late, most_late
        self.faults: list[Fault] = []
        """The first `MOST_KEPT` of each agent, and all in which it was late."""
        self.counts: Counter[int] = Counter()
        """Agent to the number of games that it was disqualified from."""
        self._num_late: Counter[int] = Counter()

    def moves(self, question: Question) -> Answer:
        """Return a legal move for each position; where there is a problem, the game is over for all."""
        num_positions = len(question.deals)
        if self.time_limit is not None:
            answer = self._one_by_one(question)
        else:
            state = question.rng.bit_generator.state
            try:
                answer = answered(question.player, question.see(np.arange(num_positions)), question.rng)
            except UselessAnswerError:
                question.rng.bit_generator.state = state
                answer = self._one_by_one(question)
            else:
                for row, problem in answer.problems.items():
                    self._note(question, row, problem)
        return answer

    def _one_by_one(self, question: Question) -> Answer:
        """Put each position to the agent by itself."""
        moves = np.zeros(len(question.deals), np.int64)
        problems = {}
        for row in range(len(moves)):
            problem, is_late, move = self._alone(question, row)
            moves[row] = move
            if problem:
                problems[row] = problem
                self._note(question, row, problem, is_late=is_late)
        return Answer(moves, problems)

    def _alone(self, question: Question, row: int) -> tuple[str, bool, int]:
        """Return what is wrong (or nothing), whether the agent was late, and its move in one position."""
        if self._num_late[question.agent] >= self.most_late:
            return f"not asked: it was late in {self.most_late} games of this part of the match", False, 0
        late = f"took longer than {self.time_limit:g} s" if self.time_limit is not None else ""
        if question.place(row) in (self.late or ()):
            return late, True, 0
        view, rng = question.see(np.array([row])), question.alone(row)
        try:
            moves, problems = self._limited(lambda: answered(question.player, view, rng))
            problem, is_late = problems.get(0, ""), False
        except UselessAnswerError as error:
            problem, is_late = str(error), False
        except TimeLimitError:
            problem, is_late = late, True
        return problem, is_late, 0 if problem else int(moves[0])

    def _limited(self, call: Callable[[], Answer]) -> Answer:
        """Return what ``call`` returns, within the time limit unless this is a replay."""
        return call() if self.time_limit is None or self.late is not None else within(self.time_limit, call)

    def _note(self, question: Question, row: int, problem: str, *, is_late: bool = False) -> None:
        """Count a fault, and keep it if it is one of the first."""
        agent = question.agent
        self.counts[agent] += 1
        self._num_late[agent] += is_late
        if self.counts[agent] > MOST_KEPT and not is_late:
            return
        position, legal = "", tuple[str, ...]()
        if self.counts[agent] <= MOST_POSITIONS:
            view = question.see(np.array([row])).view(0)
            position, legal = view.text(), tuple(view.legal_moves())
        self.faults.append(
            Fault(agent, question.place(row), question.seat, is_late, problem, position, legal)
        )
