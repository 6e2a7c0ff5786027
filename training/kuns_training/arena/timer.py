"""Time limits: a call that takes too long is broken off by a signal of the system."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable
from types import FrameType
from typing import Final, TypeVar

from kuns_agents.raised import InterruptionError
from kuns_env.errors import quoted

T = TypeVar("T")

AGAIN: Final = 0.05
"""Seconds until a call that went on in spite of the signal is told again."""
MOST_SECONDS: Final = 86_400.0


class TimeLimitError(InterruptionError):
    """The time is up."""


def check_seconds(seconds: object) -> float | None:
    """Return ``seconds`` if it is a limit, here or on another system; None where there is none.

    Raises:
        ValueError: not a number of seconds.
    """
    if seconds is None:
        return None
    number = isinstance(seconds, (int, float)) and not isinstance(seconds, bool)
    if not number or not 0 < seconds <= MOST_SECONDS:  # type: ignore[operator]  # it is a number
        raise ValueError(
            f"time_limit={quoted(seconds)}: must be seconds, above 0 and up to {MOST_SECONDS:,.0f}"
        )
    return float(seconds)  # type: ignore[arg-type]  # it is a number


def check_time_limit(seconds: object) -> float | None:
    """Return ``seconds`` if a decision can be limited to it; None where there is no limit.

    Raises:
        ValueError: not a number of seconds, or this is no place where a call can be broken off.
    """
    limit = check_seconds(seconds)
    if limit is None:
        return None
    if not hasattr(signal, "setitimer"):
        raise ValueError(f"time_limit={seconds}: this system has no timer signals; leave the limit out")
    if threading.current_thread() is not threading.main_thread():
        raise ValueError(f"time_limit={seconds}: only the main thread of a process can limit time")
    return limit


def within(seconds: float, call: Callable[[], T]) -> T:
    """Return what ``call`` returns, if it takes no longer than ``seconds``.

    Python code is broken off when they have passed. Compiled code that runs on without Python is not: that it was
    late shows when it comes back. Code that never comes back cannot be ended from within its own process.

    Raises:
        TimeLimitError: the time was up.
    """
    armed = True

    def late(_signal: int, _frame: FrameType | None) -> None:
        if armed:
            raise TimeLimitError

    before = signal.signal(signal.SIGALRM, late)
    start = time.perf_counter()
    try:
        # Two of them: the signal may come while the inner one is left.
        try:
            signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN)
            result = call()
        finally:
            armed = False
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
    if time.perf_counter() - start > seconds:
        raise TimeLimitError
    return result
