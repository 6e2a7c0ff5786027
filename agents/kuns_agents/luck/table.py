"""Kuns at any table, with side bets or without: what the hands promise if all that are in call to the end."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from kuns_agents.hands import Floats, Integers, chances, tree
from kuns_agents.luck import table_kernels
from kuns_agents.luck.protocol import Flags
from kuns_agents.protocol import Probabilities, contiguous
from kuns_env import KunsRules
from kuns_env.kuns.moves import NUM_MOVES
from kuns_env.kuns.rules import MAX_PLAYERS
from kuns_env.kuns.state import compile_rules

EARLY_WEIGHT: Final = 0.95
"""How much of the cards of the first and second deal is counted as luck, if nobody were in: see `EARLY_LESS`."""
EARLY_LESS: Final = 0.08
"""And how much less for each hand that is in: the more there are, the more fold before the end."""
LAST_WEIGHT: Final = 0.87
"""How much of the last card is counted."""
DICE_WEIGHT: Final = 0.75
"""How much of dice is counted. All four numbers are rounded from least squares over hands of `equity`, `cautious`,
`call` and `random` at tables of 2 to 8. Any numbers leave results unbiased."""


class Tables(NamedTuple):
    """What the kernels read."""

    copies: Integers
    """Cards of each rank in the deck, ``(10,)``."""
    children: Integers
    """`Tree.children`."""
    chances: Floats
    """Chance of every hand to beat one that is not seen, a tie counting half, ``(nodes,)``."""
    strengths: Integers
    """`Chances.strengths`."""
    weights: Floats
    """How much of each deal is counted, by round and hands in, ``(rounds, players + 1)``."""
    dice_weight: float
    """`DICE_WEIGHT`."""


class TableLuck:
    """What luck was, measured by how good the hands were.

    Args:
        rules: of Kuns.
    """

    name = "hands played to the end"
    judges_dice = True

    def __init__(self, rules: KunsRules) -> None:
        self.rules, deck = rules, chances(rules)
        self.tables = Tables(
            copies=deck.copies,
            children=tree().children,
            chances=np.ascontiguousarray(deck.shares[:, 0]),
            strengths=deck.strengths,
            weights=weights(),
            dice_weight=DICE_WEIGHT,
        )
        digest = hashlib.sha256()
        for array in self.tables:
            digest.update(np.asarray(array).tobytes())
        self.sha256 = digest.hexdigest()

    def matters(self, moves: Integers) -> Flags:
        """Return which decisions may have terms: all."""
        return np.ones(len(moves), np.bool_)

    def terms(self, states: npt.NDArray[Any], moves: Integers, policy: Probabilities | None) -> Floats:
        """Return how lucky each seat was, in chips: see `kuns_agents.luck.protocol.Luck`."""
        out = np.empty((len(states), self.rules.num_players))
        known = np.zeros((0, NUM_MOVES)) if policy is None else np.ascontiguousarray(policy, np.float64)
        table_kernels.write_terms(
            self.tables, contiguous(states), compile_rules(self.rules), contiguous(moves), known, out
        )
        return out


def weights() -> Floats:
    """Return how much of each deal is counted, by round and hands in."""
    early = EARLY_WEIGHT - EARLY_LESS * np.arange(MAX_PLAYERS + 1)
    return np.stack([early, early, np.full(MAX_PLAYERS + 1, LAST_WEIGHT)])


@lru_cache(maxsize=16)
def table_luck(rules: KunsRules) -> TableLuck:
    """Return `TableLuck` for these rules."""
    return TableLuck(rules)
