"""Asking a person for a move: whatever is typed, the answer is a legal move, a request, or a friendly line."""

from __future__ import annotations

from typing import Final

REQUESTS: Final = {
    "help": "help",
    "h": "help",
    "?": "help",
    "hint": "hint",
    "table": "table",
    "t": "table",
    "quit": "quit",
    "q": "quit",
    "exit": "quit",
}
"""What may be typed instead of a move, and what it asks for."""

MOST_SHOWN: Final = 40
"""Letters of nonsense that are quoted back."""


def shortened(text: str) -> str:
    """Return as much of what was typed as is worth quoting."""
    return text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}..."


def has_number(move: str) -> bool:
    """Return whether a move names an ante, a seat or a stake."""
    return " " in move


def listed(legal: list[str], notes: dict[str, str]) -> str:
    """Return the choices in a line; they are numbered where they hold no numbers of their own.

    >>> listed(["fold", "call"], {"call": "pay 2"}), listed(["ante 1", "ante 4"], {})
    ('1 fold | 2 call (pay 2)', 'ante 1 | ante 4')
    """
    numbered = not any(map(has_number, legal))
    shown = []
    for place, move in enumerate(legal, start=1):
        note = f" ({notes[move]})" if move in notes else ""
        shown.append((f"{place} " if numbered else "") + move + note)
    return " | ".join(shown)


def by_number(number: str, legal: list[str]) -> list[str]:
    """Return the moves that a bare number may mean: at most one."""
    if any(map(has_number, legal)):
        return [move for move in legal if move.split()[-1] == number]
    return [move for place, move in enumerate(legal, start=1) if str(place) == number]


def understood(typed: str, legal: list[str]) -> tuple[str | None, str]:
    """Return the move that ``typed`` means, or None and what to say.

    >>> understood("c", ["fold", "call"]), understood("4", ["ante 1", "ante 4"])
    (('call', ''), ('ante 4', ''))
    """
    text = " ".join(typed.lower().split())
    if not text:
        return None, "Type a move or its number; ? explains."
    if text in legal:
        return text, ""
    # Superscripts are digits for Python, but no numbers.
    if text.isdecimal():
        found = by_number(str(int(text[:MOST_SHOWN])), legal)
    else:
        found = [move for move in legal if move.startswith(text)]
    if len(found) == 1:
        return found[0], ""
    if found:
        return None, f"Which one: {', '.join(found)}?"
    return None, f"{shortened(text)!r} is no move here. You may: {', '.join(legal)}; ? explains."
