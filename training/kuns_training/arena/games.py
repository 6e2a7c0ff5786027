"""Playing a range of deals with agents in given seats; a move that is none is reported with its position."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from kuns_env.engine.batch import Batch
from kuns_env.engine.game import Rules, game_of
from kuns_env.engine.view import Views

if TYPE_CHECKING:
    from kuns_agents import Agent

Array = npt.NDArray[Any]

AGENT_STREAM: Final = 0x616765
"""Sets the agents' random numbers apart from the others that are drawn from the same seed."""

INTEGER_KINDS: Final = "iu"


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


def ask(agent: Agent, seating: Sequence[str], views: Views, rng: np.random.Generator) -> Array:
    """Return the moves of ``agent``, int64 ``(B,)``, all legal.

    Args:
        agent: who is to act in all of the views.
        seating: the names of those who sit in each seat.
        views: what the seats to act know, ``B`` of them.
        rng: the agent's random numbers.

    Raises:
        AgentFailedError: it raised, or returned something else than one legal move for each view.
    """
    masks = views.masks.copy()  # the agent is handed the other one, and may have written into it
    before = rng.bit_generator.state
    try:
        answer = agent.act(views, rng)
    except Exception as error:
        row = first_raising(agent, views, type(rng.bit_generator), before)
        raise failure(seating, views, row, f"raised {type(error).__name__}: {error}") from error
    return check(seating, views, masks, answer)


def first_raising(agent: Agent, views: Views, make_bits: type[np.random.BitGenerator], state: Any) -> int:
    """Return the row of a view that makes ``agent`` raise, by halving; 0 where it takes several together."""

    def raises(some: Views) -> bool:
        bits = make_bits()
        bits.state = state
        try:
            agent.act(some, np.random.Generator(bits))
        except Exception:
            return True
        return False

    low, high = 0, len(views)
    while high - low > 1:
        middle = (low + high) // 2
        if raises(views[low:middle]):
            high = middle
        elif raises(views[middle:high]):
            low = middle
        else:
            return 0
    return low


def check(seating: Sequence[str], views: Views, masks: Array, answer: object) -> Array:
    """Return ``answer`` as int64 ``(B,)`` if it holds one legal move for each view."""
    try:
        moves = np.asarray(answer)
    except Exception:
        raise failure(seating, views, 0, f"returned {type(answer).__name__}, no array of moves") from None
    if moves.shape != (len(views),):
        problem = f"returned an array of shape {moves.shape} for {len(views)} views: one move each is wanted"
        raise failure(seating, views, 0, problem)
    if moves.dtype.kind == "f" and not np.isfinite(moves).all():
        row = int(np.argmin(np.isfinite(moves)))
        raise failure(seating, views, row, f"returned {moves[row]} as its move")
    if moves.dtype.kind not in INTEGER_KINDS:
        raise failure(seating, views, 0, f"returned moves of type {moves.dtype}: integers are wanted")
    known = (moves >= 0) & (moves < masks.shape[1])
    legal = known & (masks[np.arange(len(moves)), np.where(known, moves, 0)] == 1)
    if not legal.all():
        row = int(np.argmin(legal))
        raise failure(
            seating, views, row, f"chose {move_name(views, row, int(moves[row]))}, which is not legal"
        )
    return moves.astype(np.int64)


def move_name(views: Views, row: int, move: int) -> str:
    """Return ``move`` by number and, where the rules have it, by text."""
    texts = game_of(views.rules).move_texts(int(views.seats[row]))
    known = texts[move] if 0 <= move < len(texts) else None
    return f"move {move}" if known is None else f"move {move} ({known})"


def failure(seating: Sequence[str], views: Views, row: int, problem: str) -> AgentFailedError:
    """Return the report on one view."""
    view = views.view(row)
    deal, seat = int(views.games[row, 0]), int(views.seats[row])
    return AgentFailedError(seating, seat, deal, problem, view.text(), view.legal_moves())


def play_deals(
    rules: Rules,
    seating: Sequence[tuple[str, Agent]],
    seed: int,
    first_deal: int,
    num_deals: int,
    sitting: int = 0,
) -> Array:
    """Play each of the deals ``first_deal`` on once, and return what was counted.

    Deal ``d`` is episode 0 of slot ``d`` of ``seed``: the same whoever sits where. The random numbers that
    agents are handed belong to the seat and these deals, so agents that play alike in every seat win alike.

    Args:
        rules: the rules of the game.
        seating: name and agent for each seat.
        seed: of the deals and of the agents' random numbers.
        first_deal: number of the first deal.
        num_deals: ``D``.
        sitting: what tells these games from others on the same deals: agents that remember find it in the
            place of the episode in `Views.games`.

    Returns:
        For each deal, each name of `counted` and each seat, int64 ``(D, len(counted), P)``.

    Raises:
        AgentFailedError: an agent did not choose a legal move.
    """
    batch = Batch(rules, num_deals, seed, copy=False, first_slot=first_deal, play_style=True)
    rngs = [np.random.default_rng([AGENT_STREAM, seed, first_deal, seat]) for seat in range(len(seating))]
    decisions = np.zeros(num_deals, np.int64)
    rows = np.arange(num_deals)
    names = [name for name, _ in seating]
    while len(rows):
        seats = batch.to_play[rows]
        moves = np.zeros(len(rows), np.int64)
        for seat, (_, agent) in enumerate(seating):
            at = np.flatnonzero(seats == seat)
            if len(at):
                views = batch.views(rows[at])
                views.games[:, 1] = sitting
                moves[at] = ask(agent, names, views, rngs[seat])
        batch.step_rows(rows, moves)
        decisions[rows] += 1
        rows = rows[~batch.dones[rows]]
    # No game has been stepped after its first episode: the tallies are those of that episode.
    everybody = np.broadcast_to(decisions[:, None, None], (num_deals, 1, rules.num_players))
    return np.concatenate([batch.tallies, everybody], axis=1)
