"""What figures are called."""

from __future__ import annotations

from kuns_env.engine.game import Rules, game_of


def measure(rules: Rules, between: str) -> str:
    """Return what is measured.

    >>> from kuns_env import KunkenRules
    >>> measure(KunkenRules(), " ")
    'points per deal'
    """
    words = game_of(rules).words
    return between.join((words.amount, "per", words.hand))
