"""The data of a game record: what a line of a record file holds, and the way to and from JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from operator import index
from typing import Any, Final, Self

import numpy as np

import kuns_env
from kuns_env.engine import saved
from kuns_env.engine.game import Rules, game_of, rules_from_dict
from kuns_env.engine.table import Table
from kuns_env.errors import RecordError
from kuns_env.fields import parse_json

FORMAT: Final = "kuns-env/record"
RECORD_VERSION: Final = 1
"""It grows with any change of the rules, of the deals that a seed gives, or of this format."""

UPGRADES: Final[dict[int, Callable[[dict[str, Any]], dict[str, Any]]]] = {}
"""Version to the function that turns its plain data into those of the next version: old records stay readable."""

KEY_WORDS: Final = 2
REQUIRED: Final = ("format", "version", "program", "game", "rules", "deal", "moves", "payoffs", "truncated")
OPTIONAL: Final = ("hands", "agents")
DEAL_REQUIRED: Final = ("seed", "slot", "episode")
DEAL_OPTIONAL: Final = ("options", "key")
AMOUNT: Final = re.compile(r"-?[0-9]{1,20}(/[0-9]{1,6})?")
"""Chips or points as text."""


@dataclass(frozen=True, slots=True)
class Deal:
    """Where the cards of a game come from."""

    seed: int
    slot: int = 0
    episode: int = 0
    options: Mapping[str, Any] | None = None
    """What set up the first hand or deal where that was not the stream (K10, N9)."""
    key: tuple[int, int] | None = None
    """The random state where it is not that of the stream: of games made by `Table.determinize`."""

    @classmethod
    def of(cls, table: Table) -> Self:
        """Return the deal of ``table``, which is at its first decision.

        Raises:
            ValueError: moves have been made already.
        """
        deal = cls(*table.stream)
        if _same(deal.table(table.rules), table):
            return deal
        # Set up by options; or determinized: then the stream is not that of the random state either.
        word_0, word_1 = table.state["key"].tolist()
        for key in (None, (word_0, word_1)):
            deal = replace(deal, options=table.setup_options(), key=key)
            if _same(deal.table(table.rules), table):
                return deal
        raise ValueError("a record begins at the first decision of a game: this table has been played on")

    def table(self, rules: Rules) -> Table:
        """Return the table at its first decision."""
        table = Table(rules, self.seed, self.options, slot=self.slot, episode=self.episode)
        if self.key is not None:
            table._states["key"][0] = self.key
        return table

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        data: dict[str, Any] = {"seed": self.seed, "slot": self.slot, "episode": self.episode}
        if self.options is not None:
            data["options"] = dict(self.options)
        if self.key is not None:
            data["key"] = list(self.key)
        return data


@dataclass(frozen=True, slots=True)
class Record:
    """One finished game."""

    rules: Rules
    deal: Deal
    moves: tuple[tuple[int, str], ...]
    """Seat and text of every move in order."""
    payoffs: tuple[Fraction, ...]
    """What each seat won, exactly."""
    truncated: bool = False
    hands: tuple[tuple[Fraction, ...], ...] | None = None
    """The payoffs hand by hand, or deal by deal."""
    agents: tuple[str, ...] | None = None
    """Who sat in each seat."""
    program: str = kuns_env.__version__
    """Version of the program that played the game."""
    line: int | None = None
    """The line of the file it was read from."""

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, ready for JSON; amounts are texts such as ``7/2``."""
        data: dict[str, Any] = {
            "format": FORMAT,
            "version": RECORD_VERSION,
            "program": self.program,
            "game": self.rules.game,
            "rules": self.rules.to_dict(),
            "deal": self.deal.to_dict(),
            "moves": [list(move) for move in self.moves],
            "payoffs": texts(self.payoffs),
            "truncated": self.truncated,
        }
        if self.hands is not None:
            data["hands"] = [texts(row) for row in self.hands]
        if self.agents is not None:
            data["agents"] = list(self.agents)
        return data

    def to_json(self) -> str:
        """Return the record as one line of JSON, without the end of the line."""
        return json.dumps(self.to_dict(), separators=(",", ":"))

    @classmethod
    def from_dict(cls, data: object, line: int | None = None) -> Self:
        """Return the record that `to_dict` wrote, or an older version of it.

        Raises:
            RecordError: it is damaged, of a newer version, or of rules that are not known.
        """
        try:
            return cls(**_parse(data), line=line)
        except RecordError:
            raise
        except (KeyError, TypeError, ValueError, ZeroDivisionError) as error:
            raise RecordError(f"the record is damaged: {error}") from None

    @classmethod
    def from_json(cls, text: str | bytes, line: int | None = None) -> Self:
        """Return the record that `to_json` wrote; see `from_dict`."""
        try:
            data = parse_json(text)
        except ValueError as error:
            raise RecordError(f"not a record: {error}") from None
        return cls.from_dict(data, line)


def _same(one: Table, other: Table) -> bool:
    """Return whether two tables are at the same first decision and have the same deals to come.

    The options leave out cards that a hand cannot need: they are behind the others in no order that matters.
    """
    if one.setup_options() != other.setup_options() or not np.array_equal(
        one.state["key"], other.state["key"]
    ):
        return False
    if one.hands_done or other.hands_done:
        return False
    seats = range(one.rules.num_players)
    return all(one.view(seat).record.tobytes() == other.view(seat).record.tobytes() for seat in seats)


def texts(amounts: Iterable[Fraction]) -> list[str]:
    """Return exact amounts as texts such as ``7/2``."""
    return [str(amount) for amount in amounts]


# --- reading plain data -----------------------------------------------------------------------------------


def _parse(data: object) -> dict[str, Any]:
    """Return the fields of a `Record` from plain data of any version."""
    if isinstance(data, dict) and data.get("format") == saved.FORMAT:
        raise RecordError(
            "this is a saved table, which Table.from_json reads, not a record (see kuns_env.records)"
        )
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise RecordError(f"not a record: no format {FORMAT!r}")
    version = data.get("version")
    if isinstance(version, bool) or not isinstance(version, int) or version < 1:
        raise RecordError(f"the record is damaged: version {version!r}")
    if version > RECORD_VERSION:
        raise RecordError(f"record of version {version}: this program reads versions up to {RECORD_VERSION}")
    for old in range(version, RECORD_VERSION):
        data = UPGRADES[old](data)
    _check_keys("record", data, REQUIRED, OPTIONAL)
    rules = rules_from_dict(_text("game", data["game"]), data["rules"])
    seats = game_of(rules).num_players
    hands, agents = data.get("hands"), data.get("agents")
    return {
        "rules": rules,
        "deal": _deal(data["deal"]),
        "moves": tuple(
            (_number("seat", seat, seats - 1), _text("move", move)) for seat, move in data["moves"]
        ),
        "payoffs": _payoffs(data["payoffs"], seats),
        "truncated": _flag("truncated", data["truncated"]),
        "hands": None if hands is None else tuple(_payoffs(row, seats) for row in hands),
        "agents": None if agents is None else _names(agents, seats),
        "program": _text("program", data["program"]),
    }


def _deal(data: object) -> Deal:
    _check_keys("deal", data, DEAL_REQUIRED, DEAL_OPTIONAL)
    assert isinstance(data, dict)
    most = np.iinfo(np.int64).max
    seed, slot, episode = (_number(name, data[name], int(most)) for name in DEAL_REQUIRED)
    options, key = data.get("options"), data.get("key")
    if options is not None and not isinstance(options, dict):
        raise RecordError(f"the record is damaged: options {options!r}")
    if key is not None:
        words = [_number("key", word, int(np.iinfo(np.uint64).max)) for word in key]
        if len(words) != KEY_WORDS:
            raise RecordError(f"the record is damaged: key {key!r}")
        return Deal(seed, slot, episode, options, (words[0], words[1]))
    return Deal(seed, slot, episode, options)


def _check_keys(what: str, data: object, required: Sequence[str], optional: Sequence[str]) -> None:
    if not isinstance(data, dict):
        raise RecordError(f"the record is damaged: {what} {data!r}")
    missing = [key for key in required if key not in data]
    unknown = [key for key in data if key not in required and key not in optional]
    if missing or unknown:
        wrong = f"no {missing[0]!r}" if missing else f"{unknown[0]!r} is not a part"
        raise RecordError(f"the record is damaged: {wrong} of {what}")


def _number(name: str, value: object, most: int) -> int:
    number = -1 if isinstance(value, (bool, float, str)) else index(value)  # type: ignore[arg-type]
    if not 0 <= number <= most:
        raise RecordError(f"the record is damaged: {name} {value!r}, not from 0 to {most}")
    return number


def _text(name: str, value: object) -> str:
    if not isinstance(value, str):
        raise RecordError(f"the record is damaged: {name} {value!r}, not a text")
    return value


def _flag(name: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise RecordError(f"the record is damaged: {name} {value!r}, not true or false")
    return value


def _names(values: object, seats: int) -> tuple[str, ...]:
    if not isinstance(values, list) or len(values) != seats:
        raise RecordError(f"the record is damaged: agents {values!r}, not {seats} names")
    return tuple(_text("agent", value) for value in values)


def _payoffs(values: object, seats: int) -> tuple[Fraction, ...]:
    if not isinstance(values, list) or len(values) != seats:
        raise RecordError(f"the record is damaged: payoffs {values!r}, not {seats} amounts")
    for value in values:
        if not AMOUNT.fullmatch(_text("payoff", value)):
            raise RecordError(f"the record is damaged: payoff {value!r}, not an amount such as '-7/2'")
    return tuple(Fraction(value) for value in values)
