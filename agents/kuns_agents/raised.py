"""What an agent's code raised, in words. It may raise anything, and its errors may be unable to tell what they are."""

from __future__ import annotations

from typing import Final


class InterruptionError(BaseException):
    """Breaks off an agent's code from outside. No `Exception`, so that the code does not catch it by mistake."""


PASSED: Final = (KeyboardInterrupt, InterruptionError)
"""What comes from outside, though it is raised in an agent's code; all else that is raised there is the agent's."""


def in_words(error: BaseException) -> str:
    """Return the kind of an error and its text, as text that any file can hold.

    >>> in_words(ValueError("no ten")), in_words(SystemExit())
    ('ValueError: no ten', 'SystemExit')
    """
    kind = writable(type(error).__name__)
    try:
        text = writable(str(error))
    except PASSED:
        raise
    except BaseException:
        text = "its text could not be made"
    return f"{kind}: {text}" if text else kind


def writable(text: str) -> str:
    r"""Return ``text`` with lone surrogates, which no file can hold, written as escapes.

    >>> writable("a\ud800b")
    'a\\ud800b'
    """
    return str.encode(text, "utf-8", "backslashreplace").decode("utf-8")
