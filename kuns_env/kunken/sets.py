"""How many cards of one rank can be laid in new sets (N3.1, N3.3), for everything that can be left of a rank."""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import Final

import numpy as np
import numpy.typing as npt

from kuns_env.kunken.cards import NUM_SUITS

MAX_JOKERS: Final = 2
COPIES: Final = 2
"""A card is there at most twice."""
SET_SIZES: Final = (3, 4)
RESTS: Final = 4**NUM_SUITS
"""What is left of a rank, as a number: two bits a suit, clubs lowest."""
NOT_POSSIBLE: Final = -1

Counts = tuple[int, ...]
"""Cards by suit."""


@cache
def _splits(counts: Counts, jokers: int, identical: bool) -> bool:
    """Return whether cards of one rank can be dealt out into sets, none being left."""
    if not any(counts) and not jokers:
        return True
    copies = COPIES if identical else 1
    for part in product(*(range(min(count, copies) + 1) for count in counts)):
        for wild in range(jokers + 1):
            size = sum(part) + wild
            if size in SET_SIZES and 2 * wild <= size:
                rest = tuple(count - used for count, used in zip(counts, part, strict=True))
                if _splits(rest, jokers - wild, identical):
                    return True
    return False


def _most(rest: Counts, jokers: int, identical: bool, claim: int, leave: bool) -> int:
    fitting = [
        sum(used)
        for used in product(*(range(count + 1) for count in rest))
        if (claim < 0 or used[claim]) and (not leave or used != rest) and _splits(used, jokers, identical)
    ]
    return max(fitting, default=NOT_POSSIBLE)


def most_in_sets() -> npt.NDArray[np.int8]:
    """Return the largest number of naturals of one rank that sets with exactly so many jokers can hold.

    Returns:
        Shape ``(2, 256, 3, 5, 2)``: identical cards may stand in one set; what is left of the rank, two bits a
        suit; jokers; 0, or 1 + a suit of which a card must be among them; whether a card of the rank must be
        left over. -1 where there is no way.
    """
    table = np.full((2, RESTS, MAX_JOKERS + 1, NUM_SUITS + 1, 2), NOT_POSSIBLE, np.int8)
    for rest in product(range(COPIES + 1), repeat=NUM_SUITS):
        number = sum(count << (2 * suit) for suit, count in enumerate(rest))
        for identical, jokers, claim, leave in np.ndindex(2, MAX_JOKERS + 1, NUM_SUITS + 1, 2):
            table[identical, number, jokers, claim, leave] = _most(
                rest, jokers, bool(identical), claim - 1, bool(leave)
            )
    return table


MOST_IN_SETS: Final = most_in_sets()
