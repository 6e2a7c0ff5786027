"""The opponents of a learner: which agent sits where, and what each of them does, batched."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any, Final, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from kuns_env.engine import seat_loops
from kuns_env.engine.game import Array, Rules
from kuns_env.engine.seeds import count
from kuns_env.engine.stepping import first_illegal
from kuns_env.engine.view import Views
from kuns_env.rng import MAX_SEED

STREAM_OF_DRAWS: Final = 0x0BB0
STREAM_OF_MOVES: Final = 0x0ACE
"""Names of the opponents' random streams: beside the seed, so that they are not the stream of the deals."""
MOST_AGENTS: Final = 10_000


@runtime_checkable
class Opponent(Protocol):
    """Whatever chooses moves: the agents of `kuns_agents`, or any object with these members."""

    name: str

    def act(self, views: Views, rng: np.random.Generator) -> npt.NDArray[Any]:
        """Return one legal move for each of the ``B`` views, integers ``(B,)``; ``rng`` is the only chance."""
        ...

    def supports(self, rules: Rules) -> str | None:
        """Return None, or why it cannot play under ``rules``."""
        ...


class OpponentError(ValueError):
    """An opponent failed; the message names it and the position.

    Attributes:
        name: of the opponent.
        position: what its seat knew, as text; empty where it refused the rules.
    """

    def __init__(self, name: str, problem: str, position: str = "") -> None:
        self.name, self.problem, self.position = name, problem, position
        super().__init__(f"opponent {name!r} {problem}" + (f"\n{position}" if position else ""))

    def __reduce__(self) -> tuple[type[OpponentError], tuple[str, str, str]]:
        """Pickle by arguments."""
        return type(self), (self.name, self.problem, self.position)


class UniformOpponent:
    """Every legal move is as likely as any other. Plays all rules."""

    name = "random"

    def act(self, views: Views, rng: np.random.Generator) -> npt.NDArray[Any]:
        """Return a legal move for each view, int64 ``(B,)``."""
        moves = np.empty(len(views), np.int64)
        seat_loops.pick(views.masks, rng.random(len(views)), moves)
        return moves

    def supports(self, rules: Rules) -> str | None:  # noqa: ARG002 - the protocol's
        """Return None: no rules are refused."""
        return None


class Opponents:
    """A pool of agents with weights, and which of them sits where in ``N`` games.

    For each game and seat an agent is drawn per episode; the draw depends on (seed, slot, episode, seat), so
    neither on the size of the batch nor on what is played, and the deals do not depend on it.
    """

    def __init__(self, rules: Rules, num_games: int, agents: Any, weights: Any, seed: int) -> None:
        self.rules = rules
        self._agents: list[Opponent] = []
        self._assigned = np.zeros((num_games, rules.num_players), np.int64)
        self._started = False
        self.set_pool(agents, weights)
        self.reseed(seed)

    def reseed(self, seed: int) -> None:
        """Derive the draws and the opponents' randomness from ``seed`` anew."""
        draws = np.random.SeedSequence([seed, STREAM_OF_DRAWS]).generate_state(1, np.uint64)[0]
        self._seed = int(draws) & MAX_SEED
        self._rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence([seed, STREAM_OF_MOVES])))

    @property
    def pool(self) -> tuple[Opponent, ...]:
        """The agents that seats are drawn from."""
        return tuple(self._agents[i] for i in self._pool)

    def names(self) -> Array:
        """Return who sits where: names ``(N, P)``; what stands at the learner's seat means nothing."""
        return np.array([agent.name for agent in self._agents], object)[self._assigned]

    def set_pool(self, agents: Any, weights: Any = None) -> None:
        """Replace the pool; each game draws from it from its next episode on.

        Args:
            agents: an agent or a sequence of agents.
            weights: how likely each is, not negative; equal where None.

        Raises:
            OpponentError: one of them does not support the rules, or fails when asked.
            ValueError: there is none, or ``weights`` do not fit.
            TypeError: one of them is no agent.
        """
        new = as_agents(agents)
        cumulative = as_cumulative(weights, len(new))
        for agent in new:
            try:
                problem = agent.supports(self.rules)
            except Exception as error:
                raised = f"raised {type(error).__name__} when asked whether it plays these rules: {error}"
                raise OpponentError(agent.name, raised) from error
            if problem is not None:
                named = f"agent {agent.name!r} "  # the reason may name the agent itself
                known = problem.startswith(named)
                reason = problem.removeprefix(named) if known else f"does not play these rules: {problem}"
                raise OpponentError(agent.name, reason)
        # Games in progress keep whom they have; an agent that is in both has one place, and so one call.
        used = np.unique(self._assigned) if self._started else np.zeros(0, np.int64)
        kept = [self._agents[i] for i in used]
        self._assigned = np.searchsorted(used, self._assigned) if self._started else self._assigned
        places = {id(agent): place for place, agent in enumerate(kept)}
        for agent in new:
            if places.setdefault(id(agent), len(kept)) == len(kept):
                kept.append(agent)
        self._agents = kept
        self._pool = np.array([places[id(agent)] for agent in new], np.int64)
        self._cumulative = cumulative

    def draw(self, rows: Array, slots: Array, episodes: Array) -> None:
        """Seat opponents in the games ``rows``, whose new episode has begun."""
        self._started = True
        seat_loops.assign(rows, self._seed, slots, episodes, self._cumulative, self._pool, self._assigned)

    def by_agent(self, rows: Array, seats: Array) -> Array:
        """Return ``rows``, the games in which ``seats`` are to act, in order of who sits there."""
        if len(self._agents) == 1:
            return rows
        return rows[np.argsort(self._assigned[rows, seats], kind="stable")]

    def act(self, views: Views, rows: Array) -> Array:
        """Return the moves of whoever sits where ``views`` look from, int64 ``(B,)``.

        Args:
            views: the seats to act.
            rows: their games, as `by_agent` orders them: each agent's views are then a slice, no copy.

        Raises:
            OpponentError: an agent raised an error or gave something else than legal moves.
        """
        who = self._assigned[rows, views.seats]
        bounds = [0, *(np.flatnonzero(np.diff(who)) + 1).tolist(), len(rows)]
        moves = np.empty(len(rows), np.int64)
        for start, end in pairwise(bounds):
            moves[start:end] = ask(self._agents[who[start]], views[start:end], self._rng)
        return moves


def ask(agent: Opponent, views: Views, rng: np.random.Generator) -> Array:
    """Return the moves of ``agent``, checked, int64 ``(B,)``.

    Raises:
        OpponentError: it raised an error or gave something else than ``B`` legal moves.
    """
    masks = views.masks.copy()  # the agent is handed the other ones, and may write into them
    try:
        moves = np.asarray(agent.act(views, rng))
    except Exception as error:
        problem = f"raised {type(error).__name__}: {error}"
        raise OpponentError(agent.name, problem, describe(views, 0, "the first of its positions:")) from error
    views.masks = masks
    if moves.shape != (len(views),) or moves.dtype.kind not in "iu":
        problem = (
            f"gave moves of type {moves.dtype} and shape {moves.shape}: must be integers, ({len(views)},)"
        )
        bad = 0
        if moves.shape == (len(views),) and moves.dtype.kind == "f" and np.isnan(moves).any():
            bad = int(np.argmax(np.isnan(moves)))
            problem = f"gave NaN as a move; {problem}"
        raise OpponentError(agent.name, problem, describe(views, bad, "in this position:"))
    # An unsigned number that is too large must not come out as a small one.
    chosen: Array = np.minimum(moves, np.iinfo(np.int32).max).astype(np.int64)
    bad = first_illegal(masks, np.arange(len(views)), chosen)
    if bad >= 0:
        problem = f"gave the illegal move {moves[bad]}"
        raise OpponentError(agent.name, problem, describe(views, bad, "in this position:"))
    return chosen


def describe(views: Views, row: int, title: str) -> str:
    """Return which game and position an agent failed in, as far as its seat knows it, with the legal moves."""
    view = views.view(row)
    slot, episode = views.games[row].tolist()
    numbers = np.flatnonzero(views.masks[row]).tolist()
    return f"{title} game {slot}, episode {episode}, seat {view.seat}; legal moves by number: {numbers}\n{view.text()}"


def as_agents(agents: Any) -> list[Opponent]:
    """Return ``agents`` as a list, each checked to be an agent.

    Raises:
        TypeError: one is not; a name is not one either.
        ValueError: there is none, or there are too many.
    """
    if isinstance(agents, (str, Opponent)) or not isinstance(agents, Iterable):
        agents = [agents]
    listed = list(agents)
    count("the number of opponents", len(listed), 1, MOST_AGENTS)
    for agent in listed:
        if isinstance(agent, str):
            raise TypeError(
                f"opponent {agent!r} is a name: give the agent itself, kuns_agents.load({agent!r})"
            )
        if isinstance(agent, type) or not isinstance(agent, Opponent):
            raise TypeError(
                f"opponent {agent!r} is no agent: it needs `name`, `act(views, rng)` and `supports(rules)`"
            )
    return listed


def as_cumulative(weights: Sequence[float] | None, num_agents: int) -> Array:
    """Return the running sums of ``weights``, scaled to end at 1, float64 ``(num_agents,)``.

    Raises:
        ValueError: not as many as agents, negative, not finite, or all zero.
    """
    if weights is None:
        weights = [1.0] * num_agents
    try:
        values = np.asarray(weights, np.float64)
    except (TypeError, ValueError):
        values = np.full(1, np.nan)
    if (
        values.shape != (num_agents,)
        or not np.isfinite(values).all()
        or (values < 0).any()
        or not values.any()
    ):
        raise ValueError(f"weights={weights!r}: must be {num_agents} numbers, not negative and not all zero")
    values = values / values.max()  # so that the sum is finite
    sums: Array = np.cumsum(values / values.sum())
    # Rounding must not leave a gap at the top, nor hand it to an agent of weight zero.
    sums[np.flatnonzero(values)[-1] :] = 1.0
    return sums
