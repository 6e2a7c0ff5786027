"""One learner's seat in each of many games, against opponents that act inside `step`: over a `Batch`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from kuns_env.engine import seat_loops
from kuns_env.engine.batch import Batch
from kuns_env.engine.game import Array, Rules, described
from kuns_env.engine.seat_opponents import Opponents, UniformOpponent
from kuns_env.engine.seat_report import SeatReport, new_books
from kuns_env.engine.seeds import count

ROTATE: Final = "rotate"
MOST_SKIPPED: Final = 10_000
"""Episodes without a decision of the learner, in a row in one game, that are taken for a game without any."""


class SeatGames(SeatReport):
    """``N`` games, each at a decision of the learner; everybody else's decisions are made inside `step`.

    The reward of a step is all that the learner won in hands that ended after it, up to its next decision or the
    end of its episode. It counts the hands in which the learner has made a decision, or which it entered by one
    (``stay``): so the rewards of a hand add up to its payoff exactly. Other hands are *skipped*: their payoffs are
    in `skipped_payoffs` and in `episode_payoffs`, never in a reward. An episode without any decision of the
    learner is skipped as a whole. Where the learner leaves, or cannot pay, its episode is over, and the game is
    abandoned; a game that is over begins its next episode in the same step.

    >>> from kuns_env import KunsRules
    >>> games = SeatGames(KunsRules.duel(), num_games=3, seed=1)
    >>> games.step(games.masks.argmax(axis=1))
    >>> games.rewards.shape, games.dones.shape
    ((3,), (3,))

    Args:
        rules: a rules object.
        opponents: an agent, or a pool of agents: for each episode and seat one is drawn. Uniformly random play
            where None.
        num_games: ``N``.
        seed: of everything: the deals are those of ``Batch(rules, N, seed)``; the draws of opponents and the
            opponents' own randomness have streams beside it.
        weights: how likely each agent of the pool is drawn; equally where None.
        seats: the learner's seat in all games, or "rotate": (slot + episode) modulo the number of players.
        pad: lay out observations for the most players that the game has.
        num_threads: threads for the rules of the game; the results do not depend on it.
        first_slot: the stream slot of game 0.
        keep_finals: keep what the learner knew when an episode ended, for `final_view`. Costs time.

    Raises:
        OpponentError: an opponent does not support the rules, or fails in play; it is named.
        ValueError: a size, seat, seed or weight that is not allowed.
    """

    def __init__(
        self,
        rules: Rules,
        opponents: Any = None,
        num_games: int = 1,
        seed: int | None = None,
        *,
        weights: Any = None,
        seats: int | str = ROTATE,
        pad: bool = False,
        num_threads: int = 1,
        first_slot: int = 0,
        keep_finals: bool = False,
    ) -> None:
        self._batch = batch = Batch(
            rules, num_games, seed, copy=False, num_threads=num_threads, pad=pad, first_slot=first_slot
        )
        self.num_games = batch.num_games
        self._fixed_seat = -1 if seats == ROTATE else _seat(rules, seats)
        pool = UniformOpponent() if opponents is None else opponents
        self._opponents = Opponents(rules, self.num_games, pool, weights, batch.seed)
        self._rows = np.arange(self.num_games)
        self._books = new_books(self.num_games, batch.encoder)
        self._over = np.zeros((2, self.num_games), np.int64)
        self._final_records = np.zeros(self.num_games, batch._game.state_dtype) if keep_finals else None
        self._settled = False
        self._start()

    # --- play -----------------------------------------------------------------------------------------------

    def set_opponents(self, opponents: Any, weights: Any = None) -> None:
        """Replace the pool; it takes effect in each game with its next episode.

        Raises:
            OpponentError: one of them does not support the rules. The pool is as it was.
            TypeError: one of them is no agent.
            ValueError: there is none, or ``weights`` do not fit.
        """
        self._opponents.set_pool(opponents, weights)

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Begin every game again: at episode 0 of a new ``seed``, or at each game's next episode.

        Args:
            seed: 0 to 2**63 - 1, or None: opponents' randomness then goes on as well.
            options: how the first hand of every game is set up, as in RULES.md (K10, N9).

        Raises:
            OptionsError: the options do not fit the rules. Nothing has changed.
            ValueError: ``seed`` is no seed.
        """
        self._batch.restart(seed, options)
        if seed is not None:
            self._opponents.reseed(self._batch.seed)
        self._start()

    def _start(self) -> None:
        for array in self._books:
            array[:] = 0
        self._settled = False
        self._begin(self._rows)
        self._await_learner(self._rows)
        self._settled = True

    def step(self, moves: Any, rows: Any = None, *, forfeit_illegal: bool = False) -> None:
        """Play the learner's moves, then everybody else's until the learner is to decide again in every game.

        Args:
            moves: a number of a legal move for each game.
            rows: only these games (distinct); the others stand still, with reward 0.
            forfeit_illegal: let an illegal number end the learner's episode instead of raising an error: the
                game is abandoned, and the reward is the loss of all that is at stake for the learner in the hand
                (in Kuns what it has paid and staked, in Kunken the most that a deal can cost), and of
                `ILLEGAL_FINE` on top. `episode_payoffs` say the same.

        Raises:
            IllegalMoveError: a move is not legal; it names the game. Nothing has changed in any game.
            OpponentError: an opponent failed. The games must be reset.
            ValueError: not as many integers as games.
        """
        if not self._settled:
            raise ValueError(
                "the last step was broken off, by an opponent that failed or from outside: reset() first"
            )
        batch, books = self._batch, self._books
        rows = self._rows if rows is None else batch._distinct(rows)
        playing, chosen, forfeits = rows, np.asarray(moves), rows[:0]
        if forfeit_illegal and chosen.shape == rows.shape and chosen.dtype.kind in "iu":
            legal = _legal(batch.masks, rows, chosen)
            playing, chosen, forfeits = rows[legal], chosen[legal], rows[~legal]
        before = self._remember(playing)
        batch._step(playing, chosen)
        self._settled = False
        for name in seat_loops.OF_A_STEP:
            getattr(books, name)[:] = 0
        books.decided[playing] = 1
        books.moves[rows] += 1
        self._account(playing, before, chosen)
        self._forfeit(forfeits)
        self._await_learner(rows)
        self._settled = True

    def _await_learner(self, rows: Array) -> None:
        """Let the opponents play in ``rows`` until everywhere the learner is to decide."""
        batch = self._batch
        while True:
            rows = rows[batch.to_play[rows] != self._books.seats[rows]]
            if not len(rows):
                return
            rows = self._opponents.by_agent(rows, batch.to_play[rows])
            moves = self._opponents.act(batch.views(rows), rows)
            before = self._remember(rows)
            batch._step(rows, moves)
            self._account(rows, before, moves)

    def _account(self, rows: Array, before: Array | None, moves: Any) -> None:
        """Enter the moves just made into the books, and begin the next episode where one is over."""
        batch, books = self._batch, self._books
        output = batch._output
        between = batch._game.between_hands
        number = seat_loops.account(
            batch._states, rows, output.rewards, output.dones, output.finals, between, books, self._over
        )
        if number == 0:
            return
        over, how = self._over[:, :number]
        left = over[how == seat_loops.LEFT]
        if len(left):
            books.finals[left] = batch.encoder.encode(batch._states, left, books.seats[left])
        if before is not None:
            self._keep_finals(rows, before, np.asarray(moves), over)
        gone = over[how != seat_loops.ENDED]
        if len(gone):
            batch.restart_rows(gone)
        self._begin(over.copy())
        streaks = books.streak[over]
        if streaks.max() >= MOST_SKIPPED:
            game = int(over[streaks.argmax()])
            raise ValueError(
                f"game {game}: {MOST_SKIPPED} episodes in a row without a decision of the learner in seat "
                f"{books.seats[game]} under {self.rules!r}: against these opponents it never gets to move"
            )

    def _forfeit(self, rows: Array) -> None:
        """End the learner's episode in ``rows`` for an illegal move, and abandon the games."""
        if not len(rows):
            return
        batch, books = self._batch, self._books
        seats = books.seats[rows]
        if self._final_records is not None:
            self._final_records[rows] = batch._game.redact(batch._states, rows, seats)
        books.finals[rows] = batch.encoder.encode(batch._states, rows, seats)
        losses = batch._game.forfeit(batch._states[rows], seats)
        books.gains[rows] = -losses
        books.dones[rows] = seat_loops.TERMINATED
        books.forfeits[rows] = 1
        books.last_seats[rows] = seats
        books.last_moves[rows] = books.moves[rows]
        books.last_units[rows] = books.logged_units[rows] - losses
        books.last_hands[rows] = books.logged_hands[rows] + (books.between[rows] == 0)
        for array in (books.logged_units, books.logged_hands, books.streak):
            array[rows] = 0
        batch.restart_rows(rows)
        self._begin(rows)

    def _begin(self, rows: Array) -> None:
        batch = self._batch
        slots, episodes = batch._streams.slots, batch._streams.episodes
        seat_loops.begin(
            rows,
            slots,
            episodes,
            self.rules.num_players,
            self._fixed_seat,
            self._books,
            batch._output.final_seats,
        )
        self._opponents.draw(rows, slots, episodes)

    def _remember(self, rows: Array) -> Array | None:
        return None if self._final_records is None else self._batch._states[rows]

    def _keep_finals(self, rows: Array, before: Array, moves: Array, over: Array) -> None:
        """Make the last position of the games ``over`` once more: the batch has gone on to the next episode."""
        game, records = self._batch._game, self._final_records
        assert records is not None
        mask = np.empty(game.num_moves, np.int8)
        for row in over[self._books.streak[over] == 0]:  # a skipped episode is not the learner's last
            place = int(np.flatnonzero(rows == row)[0])
            state = before[place : place + 1]
            game.loops.apply_one(state, game.compiled, mask, int(moves[place]))
            records[row] = game.redact(state, np.zeros(1, np.int64), self._books.last_seats[[row]])[0]

    def __len__(self) -> int:
        """Return the number of games."""
        return self.num_games

    def __repr__(self) -> str:
        """Return how many games of what, and against whom."""
        names = ", ".join(str(agent.name) for agent in self.opponents)
        return f"<SeatGames: {described(self.rules, self.num_games)}, against {names}>"


def _seat(rules: Rules, seats: object) -> int:
    """Return the learner's fixed seat.

    Raises:
        ValueError: no seat of these rules.
    """
    try:
        return count("seats", seats, 0, rules.num_players - 1)
    except ValueError as error:
        raise ValueError(f"{error}, or {ROTATE!r}") from None


def _legal(masks: Array, rows: Array, moves: Array) -> Array:
    """Return which of ``moves`` are legal in the games ``rows``, bool ``(B,)``."""
    known = (moves >= 0) & (moves < masks.shape[1])
    legal: Array = known & (masks[rows, np.where(known, moves, 0).astype(np.int64)] == 1)
    return legal
