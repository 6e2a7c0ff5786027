"""The numbers and texts of moves (K9). One numbering serves every rule variant and player count."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from kuns_env.kuns.rules import MAX_ANTES, MAX_PLAYERS, MAX_STAKES, KunsRules

FOLD: Final = 0
CALL: Final = 1
ANTE_BASE: Final = 2
"""``ANTE_BASE + i`` sets the ante to ``ante_menu[i]``."""
PASS: Final = ANTE_BASE + MAX_ANTES
BACK_BASE: Final = PASS + 1
"""``BACK_BASE + d - 1`` backs the hand ``d`` seats to the left of the player to act, d from 1 to 7."""
AGAINST_BASE: Final = BACK_BASE + MAX_PLAYERS - 1
"""``AGAINST_BASE + d - 1`` opposes the hand ``d`` seats to the left of the player to act."""
STAKE_BASE: Final = AGAINST_BASE + MAX_PLAYERS - 1
"""``STAKE_BASE + i`` stakes ``side_stakes[i]`` antes."""
ACCEPT: Final = STAKE_BASE + MAX_STAKES
DECLINE: Final = ACCEPT + 1
STAY_ON: Final = DECLINE + 1
LEAVE: Final = STAY_ON + 1
NUM_MOVES: Final = LEAVE + 1

_PLAIN: Final = {
    FOLD: "fold",
    CALL: "call",
    PASS: "pass",
    ACCEPT: "accept",
    DECLINE: "decline",
    STAY_ON: "stay",
    LEAVE: "leave",
}


@lru_cache(maxsize=1024)
def texts(rules: KunsRules, seat: int) -> tuple[str | None, ...]:
    """Return the text of every move of ``seat``, None where these rules have no such move (K9.1)."""
    row: list[str | None] = [_PLAIN.get(move) for move in range(NUM_MOVES)]
    for i, ante in enumerate(rules.ante_menu):
        row[ANTE_BASE + i] = f"ante {ante}"
    for i, stake in enumerate(rules.side_stakes):
        row[STAKE_BASE + i] = f"stake {stake}"
    for distance in range(1, rules.num_players):
        other = (seat + distance) % rules.num_players
        row[BACK_BASE + distance - 1] = f"back {other}"
        row[AGAINST_BASE + distance - 1] = f"against {other}"
    return tuple(row)


@lru_cache(maxsize=1024)
def ids(rules: KunsRules, seat: int) -> dict[str, int]:
    """Return the number of every move text of ``seat``: the way back from `texts`."""
    return {text: move for move, text in enumerate(texts(rules, seat)) if text is not None}


def describe(move: int) -> str:
    """Return what ``move`` means in every rule variant, for the printed table of the docs.

    >>> describe(CALL), describe(ANTE_BASE), describe(AGAINST_BASE + 1)
    ('call', 'ante: entry 0 of ante_menu', 'against the hand 2 to the left')
    """
    if move in _PLAIN:
        return _PLAIN[move]
    if move < PASS:
        return f"ante: entry {move - ANTE_BASE} of ante_menu"
    if move < AGAINST_BASE:
        return f"back the hand {move - BACK_BASE + 1} to the left"
    if move < STAKE_BASE:
        return f"against the hand {move - AGAINST_BASE + 1} to the left"
    return f"stake: entry {move - STAKE_BASE} of side_stakes"
