"""The tables of the docs pages of both games, printed from the code that they describe."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Any

from kuns_env.fields import field_docs


def table(head: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """Return a table of Markdown.

    >>> print(table(["a", "b"], [[1, 2]]))
    | a | b |
    |---|---|
    | 1 | 2 |
    """
    lines = [list(map(str, row)) for row in (head, *rows)]
    lines.insert(1, ["---"] * len(lines[0]))
    return "\n".join(
        f"|{'|'.join(line)}|" if line[0] == "---" else f"| {' | '.join(line)} |" for line in lines
    )


def fields(rules_type: Any) -> str:
    """Return the table of the fields of a rules class."""
    docs = field_docs(rules_type)
    rows = [
        [f"`{field.name}`", f"`{field.default!r}`", docs[field.name]]
        for field in dataclasses.fields(rules_type)
    ]
    return table(["field", "default", "meaning"], rows)


def layout(encoder: Any) -> str:
    """Return the size of a `table` encoding and the table of its slices."""
    return f"{encoder.layout.size} numbers, {encoder.dtype}:\n\n{encoder.layout.to_markdown()}"


def span(low: int, high: int) -> str:
    """Return the numbers from ``low`` to ``high``, both meant, as text.

    >>> span(3, 3), span(3, 5)
    ('3', '3–5')
    """
    return f"{low}" if low == high else f"{low}–{high}"


def tokens(spans: Iterable[tuple[int, int, str]]) -> str:
    """Return the table of the tokens of a `history` encoding: first, last, meaning."""
    return table(["token", "meaning"], [[span(low, high), meaning] for low, high, meaning in spans])
