"""Playing a range of deals with agents in given seats, and counting what happens."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from kuns_agents.code_file import staying
from kuns_agents.luck.protocol import FAILED
from kuns_env.engine.batch import Batch
from kuns_env.engine.game import Rules, game_of
from kuns_env.engine.view import Views
from kuns_env.tallies import HANDS, PAYOFF
from kuns_training.arena.asking import Answer
from kuns_training.arena.luck import LuckKeeper
from kuns_training.arena.referee import Question, Referee

if TYPE_CHECKING:
    from kuns_agents import Agent
    from kuns_agents.luck.protocol import Luck

Array = npt.NDArray[Any]

AGENT_STREAM: Final = 0x616765
"""Sets the agents' random numbers apart from the others that are drawn from the same seed."""
ALONE_STREAM: Final = 0x6F6E65
"""The same for positions that are put to an agent one at a time."""
NAME_STREAM: Final = 0x6E616D
"""The same for the names of games."""
MOST_NAMES: Final = 2**63


@dataclass(frozen=True, slots=True)
class Span:
    """Deals that are played together."""

    first: int
    num_deals: int

    @property
    def end(self) -> int:
        """The deal after the last."""
        return self.first + self.num_deals


@dataclass(frozen=True, slots=True)
class Sitting:
    """Agents in given seats."""

    players: tuple[Agent, ...]
    """Who sits in each seat."""
    agents: tuple[int, ...]
    """Their numbers."""
    seating: int = 0
    """The number of the seating in its match."""
    number: int = 0
    """Tells these games from all others on the same deals."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What one seat decides in ``B`` games, before it is played."""

    sitting: Sitting
    seat: int
    deals: Array
    """The numbers of the deals, int64 ``(B,)``."""
    states: Array
    """Full records, ``(B,)`` of the game's ``STATE``: more than the seat knows."""
    views: Views
    """What the seat knows, the legal moves among it."""
    moves: Array
    """What it plays, int64 ``(B,)``."""


Watch: TypeAlias = Callable[[Decision], None]
"""Is told every decision that is played."""


def play_deals(
    rules: Rules,
    sitting: Sitting,
    seed: int,
    span: Span,
    referee: Referee | None = None,
    watch: Watch | None = None,
    luck: Luck | None = None,
) -> Array:
    """Play each deal of ``span`` once, and return what was counted.

    Deal ``d`` is episode 0 of slot ``d`` of ``seed``: the same whoever sits where. The random numbers that
    agents are handed belong to the seat and these deals (see `Referee`), so agents that play alike in every seat win
    alike. In `Views.games` agents find random names, other ones in every sitting: one game keeps its name, and no
    name tells which deal it is.

    A game in which an agent fails is over for all. Its hand counts as a hand, in which the agent lost what
    `Game.forfeit` says and the other seats share it equally (it is rounded up to units that they can share). Hands that
    the game had finished before keep their payoffs. Of the whole game nothing but hands, payoffs and luck is counted.

    Args:
        rules: the rules of the game.
        sitting: who sits where.
        seed: of the deals and of the agents' random numbers.
        span: the deals, ``D`` of them.
        referee: asks the agents; keeps who failed.
        watch: is told every decision.
        luck: judges how lucky each seat was; None: that is not counted.

    Returns:
        For each deal, each name of `counted` and each seat, int64 ``(D, len(counted), P)``.
    """
    with staying():
        return _Games(rules, sitting, seed, span, referee or Referee(), watch, luck).play()


def game_names(seed: int, sitting: int, span: Span) -> Array:
    """Return what the games on the deals of ``span`` are called, int64 ``(D, 2)``: random, as good as distinct."""
    rng = np.random.default_rng([NAME_STREAM, seed, sitting, span.first])
    return rng.integers(MOST_NAMES, size=(span.num_deals, 2), dtype=np.uint64).astype(np.int64)


class _Games:
    """Games of one sitting, played together until the last is over."""

    def __init__(
        self,
        rules: Rules,
        sitting: Sitting,
        seed: int,
        span: Span,
        referee: Referee,
        watch: Watch | None,
        luck: Luck | None,
    ) -> None:
        self.rules, self.sitting, self.seed, self.span = rules, sitting, seed, span
        self.referee, self.watch = referee, watch
        self.batch = Batch(rules, span.num_deals, seed, copy=False, first_slot=span.first, play_style=True)
        self.rngs = [
            np.random.default_rng([AGENT_STREAM, seed, span.first, seat]) for seat in range(rules.num_players)
        ]
        self.names = game_names(seed, sitting.number, span)
        self.decisions = np.zeros(span.num_deals, np.int64)
        self.is_forfeited = np.zeros(span.num_deals, bool)
        self.forfeits = np.zeros(self.batch.tallies.shape, np.int64)
        # A policy may take as long as it likes, so that nobody is asked for one where time is limited.
        asks = self.referee.time_limit is None
        self.keeper = None if luck is None else LuckKeeper(rules, luck, span.num_deals, asks_policies=asks)

    def play(self) -> Array:
        """Return what was counted."""
        batch, rows = self.batch, np.arange(self.span.num_deals)
        while len(rows):
            seats = batch.to_play[rows]
            moves = np.zeros(len(rows), np.int64)
            is_legal = np.ones(len(rows), bool)
            for seat in range(self.rules.num_players):
                at = np.flatnonzero(seats == seat)
                if len(at):
                    moves[at], problems = self._ask(rows[at], seat)
                    is_legal[at[list(problems)]] = False
            self._forfeit(rows[~is_legal], seats[~is_legal])
            rows = rows[is_legal]
            batch.step_rows(rows, moves[is_legal])
            self.decisions[rows] += 1
            rows = rows[~batch.dones[rows]]
        # No game has been stepped after its first episode: the tallies are those of that episode.
        shape = (self.span.num_deals, 1, self.rules.num_players)
        decisions = np.where(self.is_forfeited, 0, self.decisions)
        tallies = self._tallies()
        hands = tallies[:, game_of(self.rules).tallies.index(HANDS)]
        forfeited = np.where(self.is_forfeited[:, None], hands, 0)[:, None]
        everybody = np.broadcast_to(decisions[:, None, None], shape)
        luck = np.zeros(shape, np.int64) if self.keeper is None else self.keeper.counts()[:, None]
        return np.concatenate([tallies, everybody, forfeited, luck], axis=1)

    def _tallies(self) -> Array:
        """Return the tallies; of games that a disqualification ended hands and payoffs alone."""
        names = game_of(self.rules).tallies
        others = np.ones(self.batch.tallies.shape[1], bool)
        others[[names.index(HANDS), names.index(PAYOFF)]] = False
        tallies = self.batch.tallies.copy()
        tallies[np.ix_(self.is_forfeited, others)] = 0
        return tallies + self.forfeits

    def _views(self, rows: Array) -> Views:
        views = self.batch.views(rows)
        views.games[:] = self.names[rows]
        return views

    def _ask(self, rows: Array, seat: int) -> Answer:
        """Return what the agent in ``seat`` does in the games ``rows``."""
        question = Question(
            self.sitting.agents[seat],
            self.sitting.players[seat],
            self.sitting.seating,
            seat,
            rows + self.span.first,
            self.decisions[rows],
            lambda some: self._views(rows[some]),
            self.rngs[seat],
            lambda row: np.random.default_rng(
                [
                    ALONE_STREAM,
                    self.seed,
                    seat,
                    int(rows[row]) + self.span.first,
                    int(self.decisions[rows[row]]),
                ]
            ),
        )
        answer = self.referee.moves(question)
        if self.keeper is not None:
            moves = answer.moves.copy()
            moves[list(answer.problems)] = FAILED
            self.keeper.add(question.player, rows, self.batch.states, self._views, moves)
        if self.watch is not None:
            played = np.delete(np.arange(len(rows)), list(answer.problems))
            deals, states = question.deals[played], self.batch.states[rows[played]]
            views = question.see(played)  # the agent may have written into its own
            self.watch(Decision(self.sitting, seat, deals, states, views, answer.moves[played]))
        return answer

    def _forfeit(self, rows: Array, seats: Array) -> None:
        """Enter that ``seats`` have lost the hands of the games ``rows`` by a fault, which end there."""
        if not len(rows):
            return
        game, others = game_of(self.rules), self.rules.num_players - 1
        self.is_forfeited[rows] = True
        states = self.batch.states[rows]
        losses = game.forfeit(states, seats)
        shares = -(-losses // others)
        payoffs = np.repeat(shares[:, None], self.rules.num_players, axis=1)
        payoffs[np.arange(len(rows)), seats] = -shares * others
        self.forfeits[rows, game.tallies.index(PAYOFF)] = payoffs
        # Between two hands of a session none is going on: the fine is paid beside those that are counted.
        self.forfeits[rows, game.tallies.index(HANDS)] = (states["phase"] != game.between_hands)[:, None]
