"""What a game offers the shared code: the only list of it, and the registry of games by name."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from importlib import import_module
from types import ModuleType
from typing import Any, Final, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from kuns_env.errors import RulesError, quoted
from kuns_env.fields import RulesBase
from kuns_env.tallies import Statistic, Words

Array: TypeAlias = npt.NDArray[Any]
Rules: TypeAlias = Any
"""A rules object: `KunsRules` or `KunkenRules`."""

ILLEGAL_FINE: Final = 1
"""Chips or points that an illegal move, where it is no error, costs beyond all that is at stake: so that it is always
worse than a legal way out."""

PRESETS: Final = {
    "kuns": ("kuns_env.kuns.rules", "KunsRules", ""),
    "kuns-anted": ("kuns_env.kuns.rules", "KunsRules", "anted"),
    "kuns-tiny": ("kuns_env.kuns.rules", "KunsRules", "tiny"),
    "kuns-duel": ("kuns_env.kuns.rules", "KunsRules", "duel"),
    "kunken": ("kuns_env.kunken.rules", "KunkenRules", ""),
    "kunken-mini": ("kuns_env.kunken.rules", "KunkenRules", "mini"),
}
"""Name to module, class and preset. Loaded on use, so that `import kuns_env` stays quick."""

PACKAGES: Final = {"kuns": "kuns_env.kuns", "kunken": "kuns_env.kunken"}
"""The game that a rules object names, to the package that plays it."""


def preset(name: str, /, **fields: Any) -> Rules:
    """Return the rules of the preset ``name``, with ``fields`` that the preset does not fix.

    >>> preset("kuns-duel", num_hands=2).num_players
    2

    Raises:
        KeyError: there is no such preset.
        RulesError: a field that the preset fixes, or a bad one.
    """
    if not isinstance(name, str) or name not in PRESETS:
        raise KeyError(f"no game {quoted(name)}; there are: {', '.join(PRESETS)}")
    module, cls, maker = PRESETS[name]
    rules_type = getattr(import_module(module), cls)
    return getattr(rules_type, maker)(**fields) if maker else rules_type.from_dict(fields)


def rules_from_dict(game: str, fields: Mapping[str, Any]) -> Rules:
    """Return the rules of ``game`` with these fields.

    Raises:
        RulesError: no such game, or fields that its rules refuse.
    """
    if not isinstance(game, str) or game not in PACKAGES:
        raise RulesError(f"no game {quoted(game)}; there are: {', '.join(PACKAGES)}")
    module, cls, _ = PRESETS[game]
    return getattr(import_module(module), cls).from_dict(fields)


class Encoder(Protocol):
    """One way to turn what a seat knows into numbers."""

    name: str
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    low: Array
    high: Array

    def encode(self, states: Array, rows: Array, viewers: Array) -> Array:
        """Return the encodings of ``states[rows]`` for ``viewers``, shape ``(B, *shape)``."""
        ...

    def explain(self, observation: Array) -> Any:
        """Return in words what an observation says."""
        ...


class Game:
    """One game under one rules object: the modules of its package, looked up by the names they share.

    What the shared code calls a *hand* is what a game deals and settles at one go: a hand of Kuns, a deal of Kunken.

    - ``state``: ``STATE``, ``UNITS`` and ``compile_rules(rules)``. Every game's record has the fields ``seat`` (to
      act, -1 when over), ``phase``, ``hands_done``, ``payoff`` and ``standing`` (int64 units a seat), ``seated``,
      ``truncated``, ``dealer`` and ``key``. ``STAY``, where there is one, is the phase between two hands.
    - ``moves``: ``NUM_MOVES``, ``texts(rules, seat)`` and ``ids(rules, seat)``.
    - ``setup``: ``start``, ``options_of`` and ``at_stake``, as below. ``UNDEALABLE``, where rules may end an episode
      before its first decision, says when.
    - ``loops``: the compiled loops that `Table` (``legal_one``, ``apply_one``, ``determinize_one``), `Batch`
      (``start_many``, ``observe_many``, ``step_many``) and both (``redact_many``) call.
    - ``tally``: ``TALLIES``, names of what is counted of finished hands, `HANDS` and `PAYOFF` first; ``STYLE_TALLIES``,
      names of what is counted besides, where a batch is asked to; ``statistics(rules)``, what is made of both;
      ``WORDS``.
    - ``encoders``: ``ENCODERS``, names to classes of `Encoder`; ``table`` and ``history`` are among them.
    - ``history``: ``information_state(rules, known, viewer)``.
    - ``text``: ``to_text(rules, known, viewer)`` and ``to_dict(rules, known, viewer)``; what the latter holds at least,
      `Game.to_dict` says.
    - ``render``: ``rgb_array(rules, known, viewer)``; it alone may need an extra.
    """

    def __init__(self, rules: Rules) -> None:
        package = PACKAGES[rules.game]
        self.rules = rules
        self.name: str = rules.game
        self.num_players: int = rules.num_players
        self._state = self._module("state")
        self._moves = self._module("moves")
        self._setup = self._module("setup")
        self._text = self._module("text")
        self._history = self._module("history")
        self._encoders: Mapping[str, Any] = self._module("encoders").ENCODERS
        tally = self._module("tally")
        self.tallies: tuple[str, ...] = tally.TALLIES
        """What is counted of finished hands."""
        self.style_tallies: tuple[str, ...] = tally.STYLE_TALLIES
        """What is counted besides where the style of play is asked for."""
        self.statistics: tuple[Statistic, ...] = tally.statistics(rules)
        """What the counts say of those who played."""
        self.words: Words = tally.WORDS
        """What the game calls a hand, and what is won in it."""
        self.loops = self._module("loops")
        """The compiled loops."""
        self.compiled: Array = self._state.compile_rules(rules)
        """The rules as an array of one record."""
        self.state_dtype: np.dtype[Any] = self._state.STATE
        self.units: int = self._state.UNITS
        """Units of money or points in a chip or point."""
        self.num_moves: int = self._moves.NUM_MOVES
        self.between_hands: int = getattr(self._state, "STAY", -1)
        """The phase in which one hand is over and the next not yet dealt; -1 where the next is dealt at once."""
        self.why_undealable: str = getattr(self._setup, "UNDEALABLE", "it is over before its first decision")
        """When the rules end an episode before its first deal."""
        self.max_players: int = self.state_dtype["seated"].shape[0]
        self.package = package

    def _module(self, name: str) -> ModuleType:
        return import_module(f"{PACKAGES[self.rules.game]}.{name}")

    def move_texts(self, seat: int) -> tuple[str | None, ...]:
        """Return the text of every move of ``seat``; None where these rules have no such move."""
        texts: tuple[str | None, ...] = self._moves.texts(self.rules, seat)
        return texts

    def move_ids(self, seat: int) -> dict[str, int]:
        """Return the number of every move text of ``seat``."""
        ids: dict[str, int] = self._moves.ids(self.rules, seat)
        return ids

    def start(
        self, states: Array, seed: int, slot: int, episode: int, options: Mapping[str, Any] | None
    ) -> None:
        """Begin an episode in ``states[0]``."""
        self._setup.start(states, self.rules, seed, slot, episode, options)

    def options_of(self, states: Array) -> dict[str, Any]:
        """Return the options that would set up the hand in ``states[0]``."""
        options: dict[str, Any] = self._setup.options_of(self.rules, states[0])
        return options

    def at_stake(self, states: Array, seats: Array) -> Array:
        """Return what a legal way out could cost ``seats`` ``(B,)`` in the hands of ``states`` ``(B,)``, in units.

        All that a seat has put in, where it may give up; the most that can be lost, where it must play on.
        """
        units: Array = self._setup.at_stake(self.rules, states, seats)
        return units

    def forfeit(self, states: Array, seats: Array) -> Array:
        """Return what an illegal move costs ``seats`` ``(B,)`` in the games ``states`` ``(B,)``, in units.

        All that is at stake, and `ILLEGAL_FINE` on top.
        """
        return self.at_stake(states, seats) + ILLEGAL_FINE * self.units

    def encoder(self, name: str, pad: bool = False) -> Encoder:
        """Return the encoder ``name``; ``pad`` lays out the most seats that the game has.

        Raises:
            ValueError: the game has no such encoder.
        """
        if not isinstance(name, str) or name not in self._encoders:
            raise ValueError(f"no encoder {quoted(name)}; {self.name} has: {', '.join(self._encoders)}")
        return _encoder(self.rules, name, bool(pad))

    def redact(self, states: Array, rows: Array, viewers: Array) -> Array:
        """Return what ``viewers`` (a seat, or -1 for a spectator) know of ``states[rows]``: records ``(B,)``."""
        out = np.empty(len(rows), self.state_dtype)  # every byte of it is written
        self.loops.redact_many(states, self.compiled, rows, viewers, out)
        return out

    def mask(self, known: Array, viewer: int) -> Array:
        """Return the moves that are legal for ``viewer``: its own if it is to act, else all ones."""
        mask = np.ones(self.num_moves, np.int8)
        if known[0]["seat"] == viewer:
            self.loops.legal_one(known, self.compiled, mask)
        return mask

    def to_dict(self, known: Array, viewer: int | None) -> dict[str, Any]:
        """Return a redacted record as plain data, ready for JSON. Every game offers these keys, and more of its own.

        - ``game``, ``viewer`` (None for a spectator), ``phase`` (its name), ``to_play`` and ``dealer`` (seats; None:
          nobody is to act);
        - ``hand``: the number of the hand, from 1; once it is over, and until the next is dealt, the one that is over;
        - ``cards``: for each seat the cards that it holds, as texts, ``?`` for one that the viewer does not see;
        - ``bank``, in games with cards that lie face up: these, from bottom to top;
        - ``events``: the public events of the hand, as texts;
        - ``payoffs``: of the hand that is over, None while one is going on; ``last_payoffs``: of the hand that ended
          last, None before the first end; ``standings``: of the episode so far. Amounts are texts: exact fractions;
        - ``shown``: for each seat the cards that it showed when the last hand ended, None where it showed none.
        """
        data: dict[str, Any] = self._text.to_dict(self.rules, known[0], viewer)
        return data

    def to_text(self, known: Array, viewer: int | None) -> str:
        """Return a redacted record as text for people."""
        return str(self._text.to_text(self.rules, known[0], viewer))

    def information_state(self, known: Array, viewer: int) -> str:
        """Return the perfect-recall key of ``viewer``."""
        return str(self._history.information_state(self.rules, known[0], viewer))


def game_of(rules: Rules) -> Game:
    """Return the game that ``rules`` belong to.

    Raises:
        RulesError: ``rules`` is not a rules object.
    """
    if not isinstance(rules, RulesBase) or rules.game not in PACKAGES:
        raise RulesError(f"rules must be a rules object such as KunsRules(), not {rules!r}")
    return _game(rules)


def described(rules: Rules, num_games: int) -> str:
    """Return in short what is played, for the repr of what plays it."""
    games = "1 game" if num_games == 1 else f"{num_games:,} games"
    return f"{games} of {rules.game} with {rules.num_players} players"


def undealable(rules: Rules) -> RulesError:
    """Return the error to raise where ``rules`` end every episode before its first deal."""
    return RulesError(f"under {rules!r} no hand can be dealt: {game_of(rules).why_undealable}")


@lru_cache(maxsize=256)
def _game(rules: Rules) -> Game:
    return Game(rules)


@lru_cache(maxsize=256)
def _encoder(rules: Rules, name: str, pad: bool) -> Encoder:
    encoder: Encoder = import_module(f"{PACKAGES[rules.game]}.encoders").ENCODERS[name](rules, pad)
    return encoder
