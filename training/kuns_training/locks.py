"""A folder that one process at a time works in."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any


class LockedError(ValueError):
    """Another process works in the folder."""


@contextmanager
def locked(file: Path) -> Iterator[None]:
    """Hold the lock ``file``, and say in it who does; the system lets go when this process ends, however it ends.

    Raises:
        LockedError: another process holds it; the message says which.
        OSError: the file cannot be opened.
    """
    with file.open("a+", encoding="utf-8") as handle:
        if not try_lock(handle):
            raise LockedError(holder(handle))
        handle.truncate(0)
        since = time.strftime("%Y-%m-%d %H:%M:%S")
        handle.write(f"process {os.getpid()} on {platform.node()} since {since}\n")
        handle.flush()
        yield


def holder(handle: IO[str]) -> str:
    """Return who holds the lock, as far as it can be read."""
    try:
        handle.seek(0)
        return handle.read().strip() or "another process"
    except OSError:  # Windows keeps others from reading, too
        return "another process"


def try_lock(handle: IO[str]) -> bool:
    """Return whether this process now holds the lock on an open file."""
    try:
        import fcntl
    except ImportError:
        return _try_lock_windows(handle)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _try_lock_windows(handle: IO[str]) -> bool:
    import msvcrt

    handle.seek(0)
    lock: Any = msvcrt
    try:
        lock.locking(handle.fileno(), lock.LK_NBLCK, 1)
    except OSError:
        return False
    return True
