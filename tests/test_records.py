"""The records of games, as one finds them: `kuns_env.records`."""

from __future__ import annotations

from pathlib import Path

import kuns_env
from kuns_env import KunsRules, Table, records
from kuns_env.engine import record


def test_it_is_found_from_the_package() -> None:
    assert "records" in dir(kuns_env)
    assert kuns_env.records is records


def test_all_of_it_is_there() -> None:
    assert set(record.__all__) - {"RECORD_VERSION"} <= set(records.__all__)
    for name in records.__all__:
        assert getattr(records, name) is getattr(record, name)


def test_a_game_is_saved_and_verified(tmp_path: Path) -> None:
    recorder = records.Recorder(Table(KunsRules.duel(), seed=1))
    while not recorder.table.is_over:
        recorder.apply(recorder.table.legal_actions()[-1])
    path = tmp_path / "games.jsonl"
    assert records.write_records(path, [recorder.record()]) == 1
    assert records.append_records(path, [recorder.record()]) == 1
    assert records.verify(path) == 2
    assert [step.move for step in records.replay(next(records.read_records(path)))]
