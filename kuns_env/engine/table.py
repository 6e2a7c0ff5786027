"""One game, for people and for search."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, Self

import numpy as np

from kuns_env.engine import saved
from kuns_env.engine.game import Array, Rules, game_of
from kuns_env.engine.seeds import count, make_seed
from kuns_env.engine.view import ONE_ROW, SPECTATOR, View
from kuns_env.errors import IllegalMoveError, quoted
from kuns_env.jit import jit
from kuns_env.rng import MAX_SEED

Stream = tuple[int, int, int]
"""(seed, slot, episode): where a game's random numbers come from."""


class Table:
    """One episode in progress, and everything that may be asked of it.

    >>> from kuns_env import KunsRules
    >>> table = Table(KunsRules.duel(), seed=7, options={"dealer": 0})
    >>> table.to_play, table.legal_moves()
    (0, ['ante 1', 'ante 2', 'ante 4', 'ante 8'])
    >>> table.apply("ante 2")
    >>> table.to_play
    1

    Args:
        rules: a rules object; the game follows from its type.
        seed: 0 to 2**63 - 1; None takes fresh entropy. The same seed gives the same deals.
        options: how the first hand is set up, as in RULES.md (K10, N9).
        slot: the stream slot: game ``slot`` of a `Batch` with this seed has the same deals.
        episode: the episode of that slot.

    Where no hand can be dealt under the rules (in Kuns, with ``bankroll`` below ``forced_ante``: K2.3), the episode is
    over at once with payoffs of 0; `Batch` and the environments, which would never get to a move, refuse such rules.

    Raises:
        OptionsError: the options do not fit the rules.
    """

    def __init__(
        self,
        rules: Rules,
        seed: int | None = None,
        options: Mapping[str, Any] | None = None,
        *,
        slot: int = 0,
        episode: int = 0,
    ) -> None:
        self._game = game_of(rules)
        jit.announce(self._game.name)
        stream = (make_seed(seed), count("slot", slot, 0, MAX_SEED), count("episode", episode, 0, MAX_SEED))
        states = np.zeros(1, self._game.state_dtype)
        self._game.start(states, *stream, options)
        self._attach(states, stream)

    def _attach(self, states: Array, stream: Stream) -> None:
        self._states = states
        self._stream = stream
        self._mask = np.empty(self._game.num_moves, np.int8)  # scratch of the kernels
        self._seat = states["seat"]  # a view: reading it is much quicker than states[0]["seat"]

    @classmethod
    def _from_states(cls, rules: Rules, states: Array, stream: Stream) -> Self:
        """Return a table over ``states``, which it takes as its own."""
        table = cls.__new__(cls)
        table._game = game_of(rules)
        table._attach(states, stream)
        return table

    # --- what everybody may ask -------------------------------------------------------------------------

    @property
    def rules(self) -> Rules:
        """The rules of this game."""
        return self._game.rules

    @property
    def stream(self) -> Stream:
        """(seed, slot, episode) of the deals. Not for agents."""
        return self._stream

    @property
    def to_play(self) -> int | None:
        """The seat to act, None when the game is over."""
        seat: int = self._seat.item()
        return None if seat < 0 else seat

    @property
    def is_over(self) -> bool:
        """Whether the episode has ended."""
        return bool(self._seat.item() < 0)

    @property
    def truncated(self) -> bool:
        """Whether the episode was cut off instead of played to its end (K2.2: a session of Kuns may be)."""
        return bool(self._states[0]["truncated"])

    @property
    def dealer(self) -> int:
        """The dealer of the current hand or deal."""
        return int(self._states[0]["dealer"])

    @property
    def hands_done(self) -> int:
        """Hands or deals that have ended in this episode."""
        return int(self._states[0]["hands_done"])

    @property
    def seated(self) -> tuple[bool, ...]:
        """Whether each seat is still in the session."""
        return tuple(bool(x) for x in self._states[0]["seated"][: self._game.num_players])

    def legal_actions(self) -> list[int]:
        """Return the numbers of the legal moves, none when the game is over."""
        if self.is_over:
            return []
        self._game.loops.legal_one(self._states, self._game.compiled, self._mask)
        actions: list[int] = self._mask.nonzero()[0].tolist()
        return actions

    def legal_moves(self) -> list[str]:
        """Return the texts of the legal moves, none when the game is over."""
        actions = self.legal_actions()
        if not actions:
            return []
        texts = self._game.move_texts(self._seat.item())
        return [str(texts[action]) for action in actions]

    def move_text(self, action: int) -> str:
        """Return the text of move ``action`` for the seat to act.

        Raises:
            ValueError: these rules have no such move, or the game is over.
        """
        self._check_running(action)
        texts = self._game.move_texts(self._seat.item())
        number = saved.as_action(action)
        if not 0 <= number < len(texts) or texts[number] is None:
            raise ValueError(
                f"move {quoted(action)}: these rules have no such move; legal here: {self.legal_actions()}"
            )
        return str(texts[number])

    def move_id(self, move: str) -> int:
        """Return the number of the move ``move`` for the seat to act.

        Raises:
            IllegalMoveError: these rules have no such move, or the game is over.
        """
        self._check_running(move)
        ids = self._game.move_ids(self._seat.item())
        if not isinstance(move, str) or move not in ids:
            raise IllegalMoveError(self.to_play, move, self.legal_moves())
        return ids[move]

    def payoffs(self, exact: bool = False) -> list[Any]:
        """Return what each seat has won in this episode so far, in chips or points.

        Args:
            exact: give `fractions.Fraction` instead of float.
        """
        return self._amounts("standing", exact)

    def last_payoffs(self, exact: bool = False) -> list[Any]:
        """Return what each seat won in the hand or deal that ended last; zeros before the first end."""
        return self._amounts("payoff", exact)

    def _amounts(self, field: str, exact: bool) -> list[Any]:
        units = self._states[0][field][: self._game.num_players].tolist()
        return [Fraction(u, self._game.units) if exact else u / self._game.units for u in units]

    # --- play -------------------------------------------------------------------------------------------

    def apply(self, move: str | int) -> None:
        """Play ``move``, a text or a number, for the seat to act.

        Raises:
            IllegalMoveError: the rules do not allow it here, or there is no such move. Nothing has changed.
        """
        game = self._game
        if isinstance(move, str):
            action = game.move_ids(self._seat.item()).get(move, -1) if self._seat.item() >= 0 else -1
        else:
            action = saved.as_action(move)
        # One compiled call checks and applies: two calls would cost more than the rule itself.
        if not game.loops.apply_one(self._states, game.compiled, self._mask, action):
            raise self._refusal(move)

    def _refusal(self, move: object, game: int | None = None) -> IllegalMoveError:
        """Return the error to raise for ``move``; for a number it says what move that is."""
        seat, number = self.to_play, saved.as_action(move)
        texts = () if seat is None else self._game.move_texts(seat)
        meaning = texts[number] if 0 <= number < len(texts) else None
        return IllegalMoveError(seat, move, self.legal_moves(), game, meaning)

    def _check_running(self, move: object) -> None:
        if self.is_over:
            raise IllegalMoveError(None, move, [])

    # --- what a seat knows --------------------------------------------------------------------------------

    def view(self, seat: int | None = None) -> View:
        """Return what ``seat`` knows; with None, what a spectator knows: public facts only.

        Raises:
            ValueError: there is no such seat.
        """
        if seat is not None:
            seat = self._check_seat(seat)
        viewer = np.array([SPECTATOR if seat is None else seat], np.int64)
        return View(self.rules, seat, self._game.redact(self._states, ONE_ROW, viewer))

    def _check_seat(self, seat: object) -> int:
        """Return ``seat`` as an int: views are plain data, which no integer of NumPy is."""
        if (
            isinstance(seat, bool)
            or not isinstance(seat, (int, np.integer))
            or not 0 <= seat < self.rules.num_players
        ):
            raise ValueError(f"seat={quoted(seat)}: must be from 0 to {self.rules.num_players - 1}")
        return int(seat)

    def information_state(self, seat: int) -> str:
        """Return the perfect-recall key of ``seat``: equal keys mean that it cannot tell the games apart."""
        self._check_seat(seat)
        return self.view(seat).information_state()

    def determinize(self, seat: int, rng: np.random.Generator) -> Table:
        """Return a full game that ``seat`` cannot tell from this one, with a random future of its own.

        Every assignment of the unseen cards to the hidden places that the public facts allow is equally likely;
        nothing is inferred from how others chose to play.

        Args:
            seat: whose knowledge is kept.
            rng: the only chance.

        Raises:
            ValueError: there is no such seat.
            TypeError: ``rng`` is no generator.
        """
        self._check_seat(seat)
        if not isinstance(rng, np.random.Generator):
            raise TypeError(
                f"rng={quoted(rng)}: must be a numpy.random.Generator, such as numpy.random.default_rng(1)"
            )
        known = self._game.redact(self._states, ONE_ROW, np.array([seat], np.int64))
        keys = rng.integers(0, 2**64, 2, np.uint64)
        states = np.zeros(1, self._game.state_dtype)
        self._game.loops.determinize_one(known, self._game.compiled, keys[0], keys[1], states)
        return self._from_states(self.rules, states, (int(keys[0] >> np.uint64(1)), 0, 0))

    # --- the whole record: not for agents -----------------------------------------------------------------

    @property
    def state(self) -> np.void:
        """A copy of the full record: everybody's cards, the deck, the random state. Not for agents."""
        record: np.void = self._states.copy()[0]
        return record

    def setup_options(self) -> dict[str, Any]:
        """Return the options that would set up the current hand again: dealer and cards. Not for agents.

        In Kuns ``deck``: the cards in the order they are dealt, as far as they can be needed (K10). In Kunken
        ``hands``, ``bank`` and ``stock`` as the deal began (N9).
        """
        return self._game.options_of(self._states)

    # --- copies -------------------------------------------------------------------------------------------

    def clone(self) -> Self:
        """Return an independent copy that goes on identically."""
        return self._from_states(self.rules, self._states.copy(), self._stream)

    def __copy__(self) -> Self:
        """Return a clone."""
        return self.clone()

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """Return a clone."""
        return self.clone()

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle as rules and record."""
        return _restore, (type(self), self.rules, self._states, self._stream)

    def to_json(self) -> str:
        """Return the whole game as JSON, random state included. Not for agents."""
        return saved.dump(self._game, self._states, self._stream)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Return the game that `to_json` wrote; it goes on identically.

        Raises:
            RecordError: ``text`` is damaged, truncated or of a newer version.
        """
        return cls._from_states(*saved.load(text))

    def __repr__(self) -> str:
        """Return rules and whose turn it is."""
        return f"<Table {self.rules!r}: {'over' if self.is_over else f'seat {self.to_play} to play'}>"


def _restore(cls: type[Table], rules: Rules, states: Array, stream: Stream) -> Table:
    return cls._from_states(rules, states, stream)
