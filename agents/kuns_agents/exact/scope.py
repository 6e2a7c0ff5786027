"""Which rules the exact measures speak about."""

from __future__ import annotations

from kuns_env import KunsRules
from kuns_env.engine.game import Rules

HEADS_UP = 2


def why_no_table(rules: Rules) -> str | None:
    """Return None if one hand under ``rules`` is a tree of calls and folds alone, else why it is not.

    Several hands in an episode are as many games: with unlimited money nothing passes from one to the next.
    """
    if isinstance(rules, str):
        return f"rules={rules!r}: must be a KunsRules, which kuns_env.preset({rules!r}) gives for the name of a preset"
    if not isinstance(rules, KunsRules):
        return f"the game is {getattr(rules, 'game', type(rules).__name__)}: must be kuns"
    if rules.side_bets:
        return "side_bets=True: must be False (K6)"
    if rules.bankroll is not None:
        return f"bankroll={rules.bankroll}: must be None, since what is left would decide who can call (K2.3)"
    return None


def why_not_exact(rules: Rules) -> str | None:
    """Return None if strength under ``rules`` can be computed exactly, else why it cannot."""
    reason = why_no_table(rules)
    if reason is None and rules.num_players != HEADS_UP:
        return f"num_players={rules.num_players}: must be 2"
    if reason is None and isinstance(rules, KunsRules) and rules.num_hands != 1:
        return f"num_hands={rules.num_hands}: must be 1; the hands of a longer episode are as many games"
    return reason


def check_exact(rules: Rules) -> KunsRules:
    """Return ``rules`` if strength under them can be computed exactly.

    Raises:
        ValueError: it cannot; the message names the field.
    """
    reason = why_not_exact(rules)
    if reason is not None or not isinstance(rules, KunsRules):
        raise ValueError(f"exact strength is defined for heads-up Kuns without side bets: {reason}")
    return rules
