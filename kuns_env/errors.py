"""The errors that callers' mistakes raise. All are `ValueError`; none leaves anything half done."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

MOST_QUOTED: Final = 200
"""Characters of a value that a message repeats."""


def quoted(value: object) -> str:
    """Return ``value`` as a message repeats it: its repr, cut where it is long.

    >>> quoted("x"), quoted(10**5000)
    ("'x'", '<int too long to print>')
    """
    try:
        text = repr(value)
    except (
        ValueError,
        RecursionError,
    ):  # of an integer of more than 4,300 digits, of lists in lists in lists
        return f"<{type(value).__name__} too long to print>"
    return text if len(text) <= MOST_QUOTED else f"{text[:MOST_QUOTED]}..."


class RulesError(ValueError):
    """A field of a rules object is out of range or of the wrong type."""


class OptionsError(ValueError):
    """The options that set up a hand do not fit the rules (K10, N9)."""


class IllegalMoveError(ValueError):
    """A move, well-formed or not, that the rules do not allow here. The state is unchanged.

    Attributes:
        seat: the seat to act, None when the game is over.
        move: what was tried, as it was given.
        legal: the texts of the moves that are legal instead.
        game: which game of a batch it was in, None for a game by itself.
        meaning: the text of the move that was tried by its number, None where there is no such move.
    """

    def __init__(
        self,
        seat: int | None,
        move: object,
        legal: Sequence[str],
        game: int | None = None,
        meaning: str | None = None,
    ) -> None:
        self.seat, self.move, self.legal, self.game, self.meaning = seat, move, list(legal), game, meaning
        tried = quoted(move) if meaning is None else f"{meaning!r} (move {move})"
        if seat is None:
            message = f"the game is over: {quoted(move)} cannot be played"
        else:
            message = f"seat {seat} may not {tried}; legal: {', '.join(self.legal)}"
        super().__init__(message if game is None else f"game {game}: {message}")

    def __reduce__(self) -> tuple[type[IllegalMoveError], tuple[Any, ...]]:
        """Pickle by arguments: worker processes send errors home."""
        return type(self), (self.seat, self.move, self.legal, self.game, self.meaning)


class RecordError(ValueError):
    """A saved game, record or observation is damaged, truncated or of a newer version."""
