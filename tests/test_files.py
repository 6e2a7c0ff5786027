"""Files that are whole or not there, whatever stands in their place."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from kuns_env import KunsRules, Table
from kuns_env.engine.record import Recorder, verify, write_records
from kuns_env.files import replacing


def test_a_file_is_replaced_when_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "there"
    path.write_text("old")

    def stopped_halfway() -> None:
        with replacing(path) as beside:
            beside.write_text("half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stopped_halfway()
    assert path.read_text() == "old"
    with replacing(path) as beside:
        beside.write_text("new")
        assert path.read_text() == "old"
    assert path.read_text() == "new"
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    path, link = tmp_path / "folder" / "games.jsonl", tmp_path / "link"
    link.symlink_to(path)
    for content in ("first", "second"):
        with replacing(link) as beside:
            beside.write_text(content)
        assert link.is_symlink()
        assert path.read_text() == content


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names")
def test_a_pipe_is_written_to_and_stays(tmp_path: Path) -> None:
    """So is a device: a name such as /dev/stdout must not become a file."""
    pipe, whole = tmp_path / "pipe", tmp_path / "whole"
    os.mkfifo(pipe)
    recorder = Recorder(Table(KunsRules.duel(), seed=7, options={"dealer": 0}))
    for move in ("ante 2", "fold"):
        recorder.apply(move)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()), daemon=True)
    reader.start()
    write_records(pipe, [recorder.record()])
    reader.join(timeout=10)
    whole.write_bytes(read[0])
    assert verify(whole) == 1
    assert pipe.is_fifo()


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError), replacing(tmp_path) as beside:
        beside.open("wb")
