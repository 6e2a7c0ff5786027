"""No clause of RULES.md is forgotten: each is cited by a test."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

import pytest

GAMES = {"kuns": "K", "kunken": "N"}
"""Game to the letter of its clauses."""


def cited(letter: str, texts: Iterable[str]) -> set[str]:
    """Return the clauses named in ``texts``; ``K5.1-K5.4`` and ``K5.1 to K5.4`` name all between, too."""
    clause = rf"{letter}(\d+)\.(\d+)"
    found = set()
    for text in texts:
        found |= {(int(a), int(b)) for a, b in re.findall(rf"\b{clause}\b", text)}
        for a, first, b, last in re.findall(rf"\b{clause}(?:-| to ){clause}\b", text):
            if a == b:
                found |= {(int(a), number) for number in range(int(first), int(last) + 1)}
    return {f"{letter}{a}.{b}" for a, b in found}


@pytest.mark.parametrize("game", GAMES)
def test_every_clause_is_cited(game: str, root: Path) -> None:
    letter = GAMES[game]
    wanted = cited(letter, [(root / "RULES.md").read_text("utf-8")])
    tests = sorted((root / "tests").rglob("test_*.py"))
    assert wanted, f"RULES.md has no clause {letter}"
    missing = wanted - cited(letter, (path.read_text("utf-8") for path in tests if path != Path(__file__)))
    assert not missing, f"no test cites {sorted(missing)}"


def test_how_clauses_are_cited() -> None:
    # Letters are put in by format: a citation written out here would count.
    text = "{0}1.2, {0}2.1-{0}2.3 and {0}3.9 to {0}3.11, not {0}4.x, X{0}5.1 or {0}6".format("Q")
    names = {"1.2", "2.1", "2.2", "2.3", "3.9", "3.10", "3.11"}
    assert cited("Q", [text]) == {f"Q{name}" for name in names}
