"""Hints for a person that plays Kunken."""

from __future__ import annotations

from typing import Final

from rich.text import Text

from kuns_env.engine.view import View
from kuns_training.play_host import advice
from kuns_training.play_kunken_words import Words

ADVISER: Final = "thrifty"


def hints(view: View, words: Words) -> list[Text]:
    """Return lines."""
    move, problem = advice(ADVISER, view)
    if move is None:
        return [Text(f"No advice: {problem}")]
    return [Text.assemble(f"{ADVISER} would choose: ", words.move(move), ".")]
