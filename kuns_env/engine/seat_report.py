"""What the games of a learner's seat can be asked."""

from __future__ import annotations

from typing import Any

import numpy as np

from kuns_env.engine import seat_loops
from kuns_env.engine.batch import Batch
from kuns_env.engine.game import Array, Rules
from kuns_env.engine.seat_opponents import Opponent, Opponents
from kuns_env.engine.seeds import count
from kuns_env.engine.view import Views


class SeatReport:
    """The readable side of `SeatGames`: what the learner knows, and what the last step brought."""

    _batch: Batch
    _books: seat_loops.Books
    _opponents: Opponents
    _rows: Array
    _final_records: Array | None
    num_games: int
    """``N``."""

    @property
    def rules(self) -> Rules:
        """The rules of all games."""
        return self._batch.rules

    @property
    def seed(self) -> int:
        """What everything is derived from."""
        return self._batch.seed

    @property
    def encoder(self) -> Any:
        """The encoder of `observations`."""
        return self._batch.encoder

    @property
    def num_moves(self) -> int:
        """Columns of `masks`."""
        return self._batch._game.num_moves

    @property
    def observations(self) -> Array:
        """What the learner knows at its decision, float32 ``(N, size)``."""
        return self._batch.observations.copy()

    @property
    def masks(self) -> Array:
        """Its legal moves, int8 ``(N, num_moves)``."""
        return self._batch.masks.copy()

    @property
    def seats(self) -> Array:
        """Its seat in the episode that is going on, int64 ``(N,)``."""
        return self._books.seats.copy()  # type: ignore[no-any-return]

    @property
    def rewards(self) -> Array:
        """Chips or points that the last step brought, float64 ``(N,)``."""
        return self._chips(self._books.gains)

    @property
    def dones(self) -> Array:
        """Whether the last step ended the learner's episode, bool ``(N,)``."""
        return self._books.dones > seat_loops.RUNNING  # type: ignore[no-any-return]

    @property
    def truncations(self) -> Array:
        """Whether the episode was cut off instead of played to its end (K2.2: sessions of Kuns), bool ``(N,)``."""
        return self._books.dones == seat_loops.TRUNCATED  # type: ignore[no-any-return]

    @property
    def forfeits(self) -> Array:
        """Whether it ended for an illegal move (see `SeatGames.step`), bool ``(N,)``."""
        return self._books.forfeits > 0  # type: ignore[no-any-return]

    @property
    def final_observations(self) -> Array:
        """The last observation of the learner's last episode, float32 ``(N, size)``."""
        return self._books.finals.copy()  # type: ignore[no-any-return]

    @property
    def skipped_hands(self) -> Array:
        """Hands without a decision of the learner that ended in the last step or reset, int64 ``(N,)``."""
        return self._books.skipped_hands.copy()  # type: ignore[no-any-return]

    @property
    def skipped_payoffs(self) -> Array:
        """What it won in them, float64 ``(N,)``."""
        return self._chips(self._books.skipped_units)

    @property
    def episodes(self) -> Array:
        """Which episode of its slot each game plays now, int64 ``(N,)``."""
        return self._batch.episodes.copy()

    # The last finished episode of each game that had a decision of the learner in it:

    @property
    def episode_payoffs(self) -> Array:
        """What it brought, float64 ``(N,)``: all hands since the episode before it, skipped ones included."""
        return self._chips(self._books.last_units)

    @property
    def episode_hands(self) -> Array:
        """The number of those hands, int64 ``(N,)``."""
        return self._books.last_hands.copy()  # type: ignore[no-any-return]

    @property
    def episode_lengths(self) -> Array:
        """The learner's decisions in it, int64 ``(N,)``."""
        return self._books.last_moves.copy()  # type: ignore[no-any-return]

    @property
    def episode_seats(self) -> Array:
        """The learner's seat in it, int64 ``(N,)``."""
        return self._books.last_seats.copy()  # type: ignore[no-any-return]

    @property
    def opponents(self) -> tuple[Opponent, ...]:
        """The pool that opponents are drawn from."""
        return self._opponents.pool

    def opponent_names(self) -> Array:
        """Return who sits where in the episode that is going on: ``(N, P)``, None at the learner's seat."""
        names = self._opponents.names()
        names[self._rows, self._books.seats] = None
        return names

    def views(self, rows: Array | None = None) -> Views:
        """Return what the learner knows in the games ``rows``, in all games if None."""
        return self._batch.views(rows)

    def final_view(self, game: int) -> Views:
        """Return what the learner knew when its last episode in ``game`` ended: a batch of one.

        Raises:
            ValueError: `keep_finals` is off.
        """
        if self._final_records is None:
            raise ValueError("last positions are not kept: make the games with keep_finals=True")
        row = count("game", game, 0, self.num_games - 1)
        masks = np.ones((1, self.num_moves), np.int8)
        games = np.zeros((1, 2), np.int64)
        return Views(self.rules, self._books.last_seats[[row]], self._final_records[[row]], masks, games)

    def _chips(self, units: Array) -> Array:
        return units / self._batch._game.units


def new_books(num_games: int, encoder: Any) -> seat_loops.Books:
    """Return empty books for ``num_games`` games."""
    small = ("decided", "between", "dones", "forfeits")
    arrays = {
        name: np.zeros(num_games, np.uint8 if name in small else np.int64)
        for name in seat_loops.Books._fields
    }
    arrays["finals"] = np.zeros((num_games, *encoder.shape), encoder.dtype)
    return seat_loops.Books(**arrays)
