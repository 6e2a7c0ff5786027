"""Game records: take games down, write them into files, read, verify and replay them.

>>> from kuns_env import KunsRules, Table, records
>>> recorder = records.Recorder(Table(KunsRules.duel(), seed=7, options={"dealer": 0}))
>>> for move in ("ante 2", "fold"):
...     recorder.apply(move)
>>> records.verify(recorder.record())
1

`Recorder` takes a game down while it is played, `record_of` one whose moves are known. `write_records` and
`append_records` write files of a game a line, which `read_records` reads and `verify` checks; `replay` goes through a
record, and `shown_to` gives what one seat may see of it.
"""

from __future__ import annotations

from kuns_env.engine.record import (
    Deal,
    Record,
    Recorder,
    Step,
    append_records,
    end_of,
    read_records,
    record_of,
    replay,
    shown_to,
    start_of,
    verify,
    write_records,
)
from kuns_env.errors import RecordError

__all__ = [
    "Deal",
    "Record",
    "RecordError",
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
