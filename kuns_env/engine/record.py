"""Game records: one game a line of JSON, written, read, verified and replayed.

A record holds the rules, where the deals came from, the moves as text with the seats that made them, and the
exact payoffs. It replays to the last card, so it is not for players while they play: `shown_to` gives the
record as one seat, or a spectator, may see it.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import IO, Any, Final, NamedTuple

from kuns_env.engine.game import game_of
from kuns_env.engine.record_data import RECORD_VERSION, Deal, Record, texts
from kuns_env.engine.table import Table
from kuns_env.errors import IllegalMoveError, RecordError
from kuns_env.fields import parse_json
from kuns_env.files import replacing

__all__ = [
    "RECORD_VERSION",
    "Deal",
    "Record",
    "Recorder",
    "Step",
    "append_records",
    "end_of",
    "read_records",
    "record_of",
    "replay",
    "shown_to",
    "start_of",
    "verify",
    "write_records",
]

log = logging.getLogger("kuns_env")

SHOWN_FORMAT: Final = "kuns-env/record-shown"
OPENING: Final = ("hand", "dealer", "bank")
"""What everybody learns when a hand begins, of what `Game.to_dict` offers."""
END_OF_LINE: Final = b"\n"


# --- making records ---------------------------------------------------------------------------------------


class Recorder:
    """Plays a game and takes it down.

    >>> from kuns_env import KunsRules
    >>> recorder = Recorder(Table(KunsRules.duel(), seed=7, options={"dealer": 0}))
    >>> for move in ("ante 2", "fold"):
    ...     recorder.apply(move)
    >>> recorder.record().moves, [str(chips) for chips in recorder.record().payoffs]
    (((0, 'ante 2'), (1, 'fold')), ['1', '-1'])

    Args:
        table: a game at its first decision. It is the one that is played, not a copy.

    Raises:
        ValueError: ``table`` has been played on already.
    """

    def __init__(self, table: Table) -> None:
        self.table = table
        self.deal = Deal.of(table)
        self.moves: list[tuple[int, str]] = []
        self.hands: list[tuple[Fraction, ...]] = []

    def apply(self, move: str | int) -> None:
        """Play ``move``, a text or a number, and take it down.

        Raises:
            IllegalMoveError: the rules do not allow it here. Nothing has changed.
        """
        table = self.table
        seat, done = table.to_play, table.hands_done
        table.apply(move)
        assert seat is not None
        text = move if isinstance(move, str) else game_of(table.rules).move_texts(seat)[move]
        self.moves.append((seat, str(text)))
        if table.hands_done > done:
            self.hands.append(tuple(table.last_payoffs(exact=True)))

    def record(self, agents: Sequence[str] | None = None) -> Record:
        """Return the record of the finished game.

        Args:
            agents: who sat in each seat, if that is to be kept.

        Raises:
            ValueError: the game is not over, or there are not as many agents as seats.
        """
        table = self.table
        if not table.is_over:
            raise ValueError(f"a record is made of a finished game: seat {table.to_play} is to act")
        if agents is not None and (isinstance(agents, str) or len(agents) != table.rules.num_players):
            raise ValueError(f"agents={agents!r}: must be a name for each of {table.rules.num_players} seats")
        names = None if agents is None else tuple(str(name) for name in agents)
        payoffs = tuple(table.payoffs(exact=True))
        return Record(
            table.rules, self.deal, tuple(self.moves), payoffs, table.truncated, tuple(self.hands), names
        )


def record_of(table: Table, moves: Iterable[str | int], agents: Sequence[str] | None = None) -> Record:
    """Return the record of the game that ``moves`` make of ``table``, which stays as it is.

    Args:
        table: a game at its first decision.
        moves: all moves of the game, as texts or numbers.
        agents: who sat in each seat, if that is to be kept.

    Raises:
        IllegalMoveError: a move is not legal.
        ValueError: ``table`` has been played on, or the moves do not end the game.
    """
    recorder = Recorder(table.clone())
    for move in moves:
        recorder.apply(move)
    return recorder.record(agents)


# --- replaying --------------------------------------------------------------------------------------------


class Step(NamedTuple):
    """One move of a record."""

    table: Table
    """The game before the move; a copy of its own."""
    seat: int
    move: str


def replay(record: Record) -> Iterator[Step]:
    """Yield every move of ``record`` with the game before it.

    Raises:
        RecordError: a move is not legal, or is another seat's; it says which.
    """
    table = start_of(record)
    for number, (seat, move) in enumerate(record.moves, start=1):
        _check_turn(record, table, number, seat)
        yield Step(table.clone(), seat, move)
        _apply(record, table, number, move)


def start_of(record: Record) -> Table:
    """Return the game of ``record`` at its first decision.

    Raises:
        RecordError: the rules cannot deal as the record says.
    """
    try:
        return record.deal.table(record.rules)
    except ValueError as error:
        raise RecordError(f"{_where(record)}the deal does not fit the rules: {error}") from None


def end_of(record: Record) -> Table:
    """Return the game of ``record`` after its last move; see `replay`."""
    table = start_of(record)
    for number, (seat, move) in enumerate(record.moves, start=1):
        _check_turn(record, table, number, seat)
        _apply(record, table, number, move)
    return table


def verify(source: Record | str | os.PathLike[str]) -> int:
    """Replay a record, or every record of a file, and compare everything that it says.

    Returns:
        How many records were verified.

    Raises:
        RecordError: the first thing that is wrong, with its line and move: the seat, the move, a game that
            goes on, a payoff; or a line that cannot be read.
        OSError: the file cannot be read.
    """
    if isinstance(source, Record):
        _verify_record(source)
        return 1
    number = 0
    for record in read_records(source):
        number += 1
        try:
            _verify_record(record)
        except RecordError as error:
            raise RecordError(f"{os.fspath(source)}, {error}") from None
    return number


def _verify_record(record: Record) -> None:
    """Replay ``record`` and compare everything that it says."""
    recorder = Recorder(start_of(record))
    for number, (seat, move) in enumerate(record.moves, start=1):
        _check_turn(record, recorder.table, number, seat)
        _apply(record, recorder, number, move)
    table, after = recorder.table, f"{_where(record)}after move {len(record.moves)}"
    if not table.is_over:
        raise RecordError(f"{after} moves are missing: seat {table.to_play} is to act")
    if record.truncated != table.truncated:
        raise RecordError(f"{after} the game is {'' if table.truncated else 'not '}truncated")
    if record.hands is not None:
        if len(record.hands) != len(recorder.hands):
            raise RecordError(f"{after} {len(recorder.hands)} hands are played, not {len(record.hands)}")
        for number, (said, paid) in enumerate(zip(record.hands, recorder.hands, strict=True), start=1):
            _check_payoffs(f"{_where(record)}hand {number}: ", said, paid)
    _check_payoffs(_where(record), record.payoffs, table.payoffs(exact=True))


def _check_payoffs(where: str, said: Sequence[Fraction], paid: Sequence[Fraction]) -> None:
    if tuple(said) != tuple(paid):
        raise RecordError(f"{where}the payoffs are {texts(paid)}, not {texts(said)}")


def _check_turn(record: Record, table: Table, number: int, seat: int) -> None:
    if table.is_over:
        raise RecordError(f"{_where(record)}move {number}: the game was over after move {number - 1}")
    if table.to_play != seat:
        raise RecordError(f"{_where(record)}move {number}: seat {table.to_play} is to act, not seat {seat}")


def _apply(record: Record, game: Table | Recorder, number: int, move: str) -> None:
    try:
        game.apply(move)
    except IllegalMoveError as error:
        raise RecordError(f"{_where(record)}move {number}: {error}") from None


def _where(record: Record) -> str:
    return "" if record.line is None else f"line {record.line}, "


# --- the record as a seat may see it ----------------------------------------------------------------------


def shown_to(record: Record, seat: int | None) -> dict[str, Any]:
    """Return ``record`` as ``seat``, or a spectator with None, may see it, as plain data ready for JSON.

    It holds what was public, the seat's own cards, and the hands that were shown at the end (K7.3). It holds no
    other hand, nothing of the deck or stock and no seed: it does not replay.

    Returns:
        A dict; its ``events`` are, in order: ``{"hand": 1, "dealer": 0}`` (with the ``bank``, in games that have one),
        ``{"cards": ["4h", "7d"]}`` (all that the seat now holds, wherever that has changed), ``{"seat": 1,
        "move": "call"}``, and ``{"payoffs": ["3", "-3"], "shown": [["4h", …], None]}`` when a hand has ended.

    Raises:
        RecordError: the record does not replay.
        ValueError: there is no such seat.
    """
    table = start_of(record)
    events: list[dict[str, Any]] = []
    hand, cards = 0, None
    for number, (mover, move) in enumerate(record.moves, start=1):
        _check_turn(record, table, number, mover)
        known = table.view(seat).to_dict()
        # A choice to stay (K2.2) comes after its hand: nothing new is dealt before it.
        if known["hand"] != hand:
            hand, cards = known["hand"], None
            events.append({name: known[name] for name in OPENING if name in known})
        if seat is not None and known["cards"][seat] != (cards or []):
            cards = known["cards"][seat]
            events.append({"cards": cards})
        events.append({"seat": mover, "move": move})
        done = table.hands_done
        _apply(record, table, number, move)
        if table.hands_done > done:
            known = table.view(seat).to_dict()
            events.append({"payoffs": known["last_payoffs"], "shown": known["shown"]})
    seat = table.view(seat).seat  # a record without a move has a seat to check, too
    shown = record.to_dict()
    del shown["deal"], shown["moves"]
    return shown | {"format": SHOWN_FORMAT, "seat": seat, "events": events}


# --- files ------------------------------------------------------------------------------------------------


def write_records(path: str | os.PathLike[str], records: Iterable[Record]) -> int:
    """Write ``records`` into a new file, a line a game; return how many.

    The file appears when it is whole: a writer that is stopped leaves what was there before.
    """
    with replacing(path) as part, part.open("wb") as file:
        return _write(file, records)


def append_records(path: str | os.PathLike[str], records: Iterable[Record]) -> int:
    """Write ``records`` at the end of a file, each as soon as it comes; return how many.

    A writer that is stopped leaves at most one truncated last line, which `read_records` names and the next
    `append_records` takes away.
    """
    with Path(path).open("ab+") as file:
        _repair(file, path)
        return _write(file, records)


def read_records(path: str | os.PathLike[str]) -> Iterator[Record]:
    """Yield the records of a file. Empty lines are skipped; nothing is replayed (see `verify`).

    Raises:
        RecordError: a line is damaged, truncated, of a newer version or of unknown rules; it says which line.
        OSError: the file cannot be read.
    """
    with Path(path).open("rb") as file:
        for line, text in enumerate(file, start=1):
            if not text.strip():
                continue
            try:
                yield Record.from_json(text, line)
            except RecordError as error:
                whole = text.endswith(END_OF_LINE) or _is_json(text)
                cut = "" if whole else "truncated, its writer was stopped: "
                raise RecordError(f"{os.fspath(path)}, line {line}: {cut}{error}") from None


def _write(file: IO[bytes], records: Iterable[Record]) -> int:
    number = 0
    for record in records:
        file.write(record.to_json().encode() + END_OF_LINE)
        file.flush()
        number += 1
    return number


def _is_json(text: bytes) -> bool:
    try:
        parse_json(text)
    except ValueError:
        return False
    return True


def _repair(file: IO[bytes], path: object) -> None:
    """Take away a truncated last line, and end a whole one that only lacks its end."""
    file.seek(0)
    kept, last = 0, b""
    for last in file:
        kept += len(last)
    if last.endswith(END_OF_LINE) or not last:
        return
    if _is_json(last):
        file.write(END_OF_LINE)
    else:
        file.truncate(kept - len(last))
        log.warning("%s: the last line was truncated and is taken away", path)
