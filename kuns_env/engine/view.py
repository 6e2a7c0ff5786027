"""What seats know: `View` for one, `Views` for a batch. Both hold redacted records, never the full one."""

from __future__ import annotations

from typing import Any

import numpy as np

from kuns_env.engine.game import Array, Rules, described, game_of

ONE_ROW = np.zeros(1, np.int64)
SPECTATOR = -1


class Views:
    """What ``B`` seats, each of its own game, know. Agents are handed this and nothing else."""

    def __init__(self, rules: Rules, seats: Array, records: Array, masks: Array, games: Array) -> None:
        self.rules = rules
        self.seats = seats
        """The viewers, int64 ``(B,)``."""
        self.records = records
        """Redacted records, ``(B,)`` of the game's ``STATE``."""
        self.masks = masks
        """Legal moves, int8 ``(B, num_moves)``."""
        self.games = games
        """Which game and which episode of it, int64 ``(B, 2)``, for agents that remember."""

    def __len__(self) -> int:
        """Return ``B``."""
        return len(self.seats)

    def __repr__(self) -> str:
        """Return how many views of what."""
        return f"<Views: {described(self.rules, len(self))}>"

    def __getitem__(self, rows: Array | slice) -> Views:
        """Return the views of some rows: a slice, a mask or an index array. `view` gives a single one."""
        if isinstance(rows, (int, np.integer)):
            raise TypeError(f"views[{rows}]: take views.view({rows}) for one view, or rows for several")
        return Views(self.rules, self.seats[rows], self.records[rows], self.masks[rows], self.games[rows])

    def observations(self, encoder: str = "table", pad: bool = False) -> Array:
        """Return the encodings, shape ``(B, *shape)``, made when asked for."""
        return (
            game_of(self.rules).encoder(encoder, pad).encode(self.records, np.arange(len(self)), self.seats)
        )

    def view(self, row: int) -> View:
        """Return one of the views by itself; rows below 0 count from the end.

        Raises:
            IndexError: there is no such row.
        """
        row = range(len(self))[row]
        return View(self.rules, int(self.seats[row]), self.records[row : row + 1])


class View:
    """What one seat knows of one game; with seat None, what a spectator knows."""

    def __init__(self, rules: Rules, seat: int | None, known: Array) -> None:
        self.rules = rules
        self.seat = seat
        self._known = known
        self._game = game_of(rules)

    def __repr__(self) -> str:
        """Return whose view of what."""
        viewer = "a spectator" if self.seat is None else f"seat {self.seat}"
        return f"<View of {viewer}: {described(self.rules, 1)}>"

    def __reduce__(self) -> tuple[type[View], tuple[Rules, int | None, Array]]:
        """Pickle and copy by what is known."""
        return type(self), (self.rules, self.seat, self._known)

    @property
    def record(self) -> np.void:
        """The redacted record."""
        record: np.void = self._known[0]
        return record

    @property
    def to_play(self) -> int | None:
        """The seat to act, None when the game is over."""
        seat = int(self._known["seat"][0])
        return None if seat < 0 else seat

    @property
    def mask(self) -> Array:
        """Legal moves, int8 ``(num_moves,)``: of this seat if it is to act; all ones for every other seat."""
        return self._game.mask(self._known, SPECTATOR - 1 if self.seat is None else self.seat)

    def legal_moves(self) -> list[str]:
        """Return the texts of this seat's legal moves: none unless it is to act."""
        if self.seat is None or self.to_play != self.seat:
            return []
        texts = self._game.move_texts(self.seat)
        return [str(texts[move]) for move in np.flatnonzero(self.mask)]

    def observation(self, encoder: str = "table", pad: bool = False) -> Array:
        """Return the encoding of what this seat knows.

        Raises:
            ValueError: there is no such encoder, or a spectator asks: it has no place to count seats from.
        """
        if self.seat is None:
            raise ValueError("a spectator has no observation: name a seat")
        viewers = np.array([self.seat], np.int64)
        encoding: Array = self._game.encoder(encoder, pad).encode(self._known, ONE_ROW, viewers)[0]
        return encoding

    def explain(self, encoder: str = "table", pad: bool = False) -> Any:
        """Return in words what `observation` says."""
        return self._game.encoder(encoder, pad).explain(self.observation(encoder, pad))

    def information_state(self) -> str:
        """Return the perfect-recall key of this seat."""
        if self.seat is None:
            raise ValueError("a spectator has no information state: name a seat")
        return self._game.information_state(self._known, self.seat)

    def text(self) -> str:
        """Return what this seat knows, for people."""
        return self._game.to_text(self._known, self.seat)

    def to_dict(self) -> dict[str, Any]:
        """Return what this seat knows as plain data, ready for JSON."""
        return self._game.to_dict(self._known, self.seat)

    def views(self) -> Views:
        """Return this view as a batch of one."""
        if self.seat is None:
            raise ValueError("a spectator does not act: name a seat")
        seats = np.array([self.seat], np.int64)
        return Views(self.rules, seats, self._known, self.mask[None, :], np.zeros((1, 2), np.int64))
