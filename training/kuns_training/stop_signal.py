"""Being asked to stop: a flag that is set, in place of an exception anywhere."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


class StopSignal:
    """Whether somebody has pressed Ctrl-C, or the system asks for the end."""

    def __init__(self) -> None:
        self.is_set = False

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Note the first SIGINT or SIGTERM instead of dying of it; the second acts as ever."""
        if threading.current_thread() is not threading.main_thread():
            yield  # only the main thread may listen
            return
        before = {
            number: signal.getsignal(number) or signal.SIG_DFL for number in (signal.SIGINT, signal.SIGTERM)
        }

        def note(number: int, _: object) -> None:
            self.is_set = True
            signal.signal(number, before[signal.Signals(number)])  # of a second one the process dies

        for number in before:
            signal.signal(number, note)
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
