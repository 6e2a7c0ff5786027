"""Many games stepped together: arrays in, arrays out, no Python loop per game."""

from __future__ import annotations

import os
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from typing import Any, Self

import numpy as np

from kuns_env.engine.game import Array, Rules, described, game_of, undealable
from kuns_env.engine.seeds import count, make_seed
from kuns_env.engine.stepping import Output, Streams, first_illegal
from kuns_env.engine.table import Table
from kuns_env.engine.view import Views
from kuns_env.errors import quoted
from kuns_env.fields import listed
from kuns_env.jit import jit

MOST_GAMES = 2**24
MOST_THREADS = 256


class Batch:
    """``N`` games in lockstep; a game that ends begins its next episode in the same step.

    Game ``i`` plays the episodes (seed, ``first_slot + i``, 0), (.., 1), …: its deals depend on nothing
    else, whatever the size of the batch or the number of threads. After a step ``rewards`` and ``dones``
    belong to the game that was stepped, everything else to the game that is now going on.

    >>> from kuns_env import KunsRules
    >>> batch = Batch(KunsRules.duel(), num_games=3, seed=1)
    >>> batch.step(batch.masks.argmax(axis=1))
    >>> batch.rewards.shape, batch.dones.tolist()
    ((3, 2), [False, False, False])

    Args:
        rules: a rules object.
        num_games: ``N``, 1 to 16,777,216.
        seed: 0 to 2**63 - 1; None takes fresh entropy.
        copy: give copies of the arrays; False gives read-only windows on the batch's own arrays, which the
            next step overwrites.
        num_threads: threads to step with. The kernels hold no lock, the results do not depend on it.
        pad: lay out observations for the most players that the game has.
        first_slot: the stream slot of game 0.
        play_style: let `tallies` say how each seat played, too. At random play of Kuns that takes a quarter more time.
    """

    def __init__(
        self,
        rules: Rules,
        num_games: int,
        seed: int | None = None,
        *,
        copy: bool = True,
        num_threads: int = 1,
        pad: bool = False,
        first_slot: int = 0,
        play_style: bool = False,
    ) -> None:
        self._game = game = game_of(rules)
        jit.announce(game.name)
        self.num_games = count("num_games", num_games, 1, MOST_GAMES)
        self.num_threads = count("num_threads", num_threads, 1, MOST_THREADS)
        self.seed = make_seed(seed)
        self._copy = copy
        self._rows = np.arange(self.num_games)
        self.encoder: Any = game.encoder("table", pad)
        """The encoder of `observations`."""
        slots = self._rows + count("first_slot", first_slot, 0, 2**62)
        self._streams = Streams(self.seed, slots, np.zeros(self.num_games, np.int64))
        self._states = np.zeros(self.num_games, game.state_dtype)
        num_tallies = len(game.tallies) + (len(game.style_tallies) if play_style else 0)
        self._output = Output(
            to_play=np.zeros(self.num_games, np.int64),
            masks=np.zeros((self.num_games, game.num_moves), np.int8),
            observations=np.zeros((self.num_games, *self.encoder.shape), self.encoder.dtype),
            rewards=np.zeros((self.num_games, game.num_players), np.int64),
            dones=np.zeros(self.num_games, np.uint8),
            final_seats=np.zeros(self.num_games, np.int64),
            finals=np.zeros((self.num_games, *self.encoder.shape), self.encoder.dtype),
            tallies=np.zeros((self.num_games, num_tallies, game.num_players), np.int64),
        )
        self._named = np.zeros(self.num_games, np.bool_)  # scratch of `_distinct`; all False between calls
        self._pool: ThreadPoolExecutor | None = None
        self._pool_process = 0
        self.restart()

    def restart(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Begin every game again: at episode 0 of a new ``seed``, or at each game's next episode.

        Args:
            seed: 0 to 2**63 - 1, or None.
            options: how the first hand of every game is set up, as in RULES.md (K10, N9).

        Raises:
            OptionsError: the options do not fit the rules. Nothing has changed.
            RulesError: under these rules no hand can be dealt.
            ValueError: ``seed`` is no seed.
        """
        options = listed(options)  # each game reads them again
        if options:  # tried out first: a refusal changes nothing
            self._game.start(np.zeros(1, self._game.state_dtype), 0, 0, 0, options)
        if seed is not None:
            self.seed = make_seed(seed)
            self._streams.episodes[:] = 0
            self._streams = self._streams._replace(seed=self.seed)
        elif self._states["seat"].any() or self._states["hands_done"].any() or self._states["key"].any():
            self._streams.episodes[:] += 1
        self._game.loops.start_many(
            self._states, self._game.compiled, self.seed, self._streams.slots, self._streams.episodes
        )
        if options:
            for row in self._rows:  # a game at a time: setting up is for a few games, not for training
                stream = (self.seed, int(self._streams.slots[row]), int(self._streams.episodes[row]))
                self._game.start(self._states[row : row + 1], *stream, options)
        if self._states["seat"][0] < 0:
            raise undealable(self.rules)
        self._output.rewards[:] = 0
        self._output.dones[:] = 0
        self._output.tallies[:] = 0
        self._game.loops.observe_many(
            self._states, self._game.compiled, self._rows, self.encoder.kernel, self._output
        )

    def restart_rows(self, rows: Any) -> None:
        """Abandon the games ``rows`` (distinct): each begins its next episode; nothing is won or lost.

        Raises:
            ValueError: ``rows`` names a game that the batch does not have.
        """
        rows = self._distinct(rows)
        if not len(rows):
            return
        self._streams.episodes[rows] += 1
        states = self._states[rows]
        self._game.loops.start_many(
            states, self._game.compiled, self.seed, self._streams.slots[rows], self._streams.episodes[rows]
        )
        self._states[rows] = states
        self._output.rewards[rows] = 0
        self._output.dones[rows] = 0
        self._game.loops.observe_many(
            self._states, self._game.compiled, rows, self.encoder.kernel, self._output
        )

    # --- what is known --------------------------------------------------------------------------------------

    @property
    def rules(self) -> Rules:
        """The rules of all games."""
        return self._game.rules

    def _out(self, array: Array) -> Array:
        if self._copy:
            return array.copy()
        window = array.view()
        window.flags.writeable = False
        return window

    @property
    def states(self) -> Array:
        """The full records, ``(N,)`` of the game's ``STATE``: more than any seat knows, and nothing for an agent."""
        return self._out(self._states)

    @property
    def to_play(self) -> Array:
        """The seat to act in each game, int64 ``(N,)``."""
        return self._out(self._output.to_play)

    @property
    def masks(self) -> Array:
        """Its legal moves, int8 ``(N, num_moves)``."""
        return self._out(self._output.masks)

    @property
    def observations(self) -> Array:
        """What it knows, as the `table` encoding, float32 ``(N, size)``."""
        return self._out(self._output.observations)

    @property
    def rewards(self) -> Array:
        """Chips or points that each seat won in a hand that the last step ended, float64 ``(N, P)``."""
        rewards: Array = self._output.rewards / self._game.units
        return rewards

    @property
    def dones(self) -> Array:
        """Whether the last step ended each game's episode, bool ``(N,)``."""
        dones: Array = self._output.dones > 0
        return dones

    @property
    def truncations(self) -> Array:
        """Whether it was cut off instead of played to its end, bool ``(N,)``."""
        truncations: Array = self._output.dones > 1
        return truncations

    @property
    def tallies(self) -> Array:
        """What the hands that each game has finished since `restart` add up to, int64 ``(N, T, P)``.

        Its ``T`` rows are named by `Game.tallies` and, with ``play_style``, `Game.style_tallies`; amounts are in
        units.
        """
        return self._out(self._output.tallies)

    @property
    def episodes(self) -> Array:
        """Which episode of its slot each game plays now, int64 ``(N,)``."""
        return self._out(self._streams.episodes)

    @property
    def final_seats(self) -> Array:
        """For whom `final_observations` are written, int64 ``(N,)``; all 0 until it is set."""
        return self._out(self._output.final_seats)

    @final_seats.setter
    def final_seats(self, seats: Any) -> None:
        last = self._game.num_players - 1
        wanted_are = f"must be a seat from 0 to {last}, or one for each of {self.num_games} games"
        problem = f"final_seats={quoted(seats)}: {wanted_are}"
        try:
            wanted = np.asarray(seats)
        except ValueError:  # lists of several lengths
            raise ValueError(problem) from None
        if wanted.dtype.kind not in "iu" or wanted.shape not in ((), (self.num_games,)):
            raise ValueError(problem)
        if not 0 <= wanted.min() <= wanted.max() <= last:
            raise ValueError(problem)
        self._output.final_seats[:] = wanted

    @property
    def final_observations(self) -> Array:
        """The last observation of the episode that ended last, for ``final_seats``, float32 ``(N, size)``."""
        return self._out(self._output.finals)

    @property
    def nbytes(self) -> int:
        """Bytes of memory that the batch holds, for all its games."""
        arrays = (self._states, self._rows, self._streams.slots, self._streams.episodes, *self._output)
        return sum(array.nbytes for array in arrays)

    def views(self, rows: Array | None = None) -> Views:
        """Return what the seats to act know in the games ``rows``, in all games if None."""
        rows = self._rows if rows is None else self._games(rows)
        seats = self._output.to_play[rows]
        games = np.empty((len(rows), 2), np.int64)
        games[:, 0], games[:, 1] = self._streams.slots[rows], self._streams.episodes[rows]
        records = self._game.redact(self._states, rows, seats)
        return Views(self.rules, seats, records, self._output.masks[rows], games)

    def table(self, game: int) -> Table:
        """Return game ``game`` as a `Table`: a copy that goes on identically."""
        game = count("game", game, 0, self.num_games - 1)
        stream = (self.seed, int(self._streams.slots[game]), int(self._streams.episodes[game]))
        return Table._from_states(self.rules, self._states[game : game + 1].copy(), stream)

    # --- play -----------------------------------------------------------------------------------------------

    def step(self, moves: Any) -> None:
        """Play one move in every game.

        Args:
            moves: ``N`` numbers of moves.

        Raises:
            IllegalMoveError: a move is not legal; it names the game. Nothing has changed in any game.
            ValueError: not ``N`` integers.
        """
        self._step(self._rows, moves)

    def step_rows(self, rows: Any, moves: Any) -> None:
        """Play one move in each of the games ``rows``, as `step` does; the other games stand still.

        Raises:
            ValueError: ``rows`` names a game twice, or one that the batch does not have.
        """
        rows = self._distinct(rows)
        if len(rows):
            self._step(rows, moves)

    def _distinct(self, rows: Any) -> Array:
        """Return ``rows`` as `_games` does, no game named twice."""
        games = self._games(rows)
        self._named[games] = True
        distinct = np.count_nonzero(self._named)
        self._named[games] = False
        if distinct < len(games):
            raise ValueError("rows: a game may be named once, and one is named twice")
        return games

    def _games(self, rows: Any) -> Array:
        """Return ``rows`` (indices, or a mask of all games) as indices of games that there are."""
        games = np.asarray(rows)
        if games.dtype == np.bool_ and games.shape == (self.num_games,):
            return np.flatnonzero(games)
        if games.ndim != 1 or (games.dtype.kind not in "iu" and games.size):
            raise ValueError(f"rows={rows!r}: must be a list of games or a mask of {self.num_games}")
        if games.size and not 0 <= games.min() <= games.max() < self.num_games:
            raise ValueError(
                f"rows from {games.min()} to {games.max()}: must be from 0 to {self.num_games - 1}"
            )
        return games.astype(np.int64, copy=False)

    def _step(self, rows: Array, moves: Any) -> None:
        chosen = self._check(rows, moves)
        if self.num_threads == 1 or len(rows) < self.num_threads:
            self._step_part(rows, chosen)
            return
        parts = zip(
            np.array_split(rows, self.num_threads), np.array_split(chosen, self.num_threads), strict=True
        )
        for job in [self._threads().submit(self._step_part, *part) for part in parts]:
            job.result()

    def _step_part(self, rows: Array, chosen: Array) -> None:
        game = self._game
        game.loops.step_many(
            self._states, game.compiled, rows, chosen, self._streams, self.encoder.kernel, self._output
        )

    def _check(self, rows: Array, moves: Any) -> Array:
        chosen = np.asarray(moves)
        if chosen.shape != rows.shape:
            raise ValueError(f"moves have shape {chosen.shape}: must be {rows.shape}, one for each game")
        if chosen.dtype.kind not in "iu" and chosen.size:
            raise ValueError(
                f"moves are of type {chosen.dtype}: must be integers; the first is {chosen.flat[0]!r}"
            )
        if chosen.dtype == np.uint64:  # what no int64 holds must stay out of range
            chosen = np.minimum(chosen, np.uint64(self._game.num_moves))
        chosen = chosen.astype(np.int64, copy=False)
        bad = first_illegal(self._output.masks, rows, chosen)
        if bad >= 0:
            row = int(rows[bad])
            table = self.table(row)
            error = table._refusal(np.asarray(moves).flat[bad].item(), row)
            error.add_note(f"legal moves by number: {table.legal_actions()}")
            raise error
        return chosen

    def _threads(self) -> ThreadPoolExecutor:
        # A forked child inherits the object but not its threads: it makes its own.
        if self._pool is None or self._pool_process != os.getpid():
            self._pool = ThreadPoolExecutor(self.num_threads)
            self._pool_process = os.getpid()
        return self._pool

    def __getstate__(self) -> dict[str, Any]:
        """Pickle everything but the threads, the compiled code and the encoder."""
        state = self.__dict__.copy()
        del state["_game"], state["encoder"]
        state.update(_pool=None, _streams=tuple(self._streams), _output=tuple(self._output))
        return state | {"rules": self.rules, "pad": self.encoder.pad}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore what `__getstate__` kept."""
        game = game_of(state.pop("rules"))
        pad = state.pop("pad")
        self.__dict__.update(state)
        self._game, self.encoder = game, game.encoder("table", pad)
        self._streams = Streams(*state["_streams"])
        self._output = Output(*state["_output"])

    def __copy__(self) -> Self:
        """Return an independent copy that goes on identically: two batches over the same games would be of no use."""
        return deepcopy(self)

    def __len__(self) -> int:
        """Return the number of games."""
        return self.num_games

    def __repr__(self) -> str:
        """Return how many games of what, and their seed."""
        return f"<Batch: {described(self.rules, self.num_games)}, seed {self.seed}>"
