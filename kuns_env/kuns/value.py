"""The value of a hand (K5)."""

from typing import Final

from kuns_env.jit import jit

KUNS_BONUS: Final = 10
TENS: Final = 10
SUIT_BITS: Final = 2
"""A card id is four times its rank from 0, plus its suit."""
HAND: Final = 5


@jit.inline
def value_of(hand):
    """Return the strength of ``hand``, a tuple of five ranks, as `hand_value` does."""
    total = hand[0] + hand[1] + hand[2] + hand[3] + hand[4]
    digit = total % TENS
    for i in range(HAND - 1):
        for j in range(i + 1, HAND):
            # Three cards make tens exactly when the other two are congruent to the total.
            if (hand[i] + hand[j] - total) % TENS == 0:
                return KUNS_BONUS + (digit if digit > 0 else TENS)
    return digit


@jit.inline
def hand_value(ranks):
    """Return the strength of a five-card hand (K5.1 to K5.5).

    The examples are the text's own (K5.7).

    >>> import numpy as np
    >>> [int(hand_value(np.array(h))) for h in ([8, 5, 9, 7, 1], [10, 10, 10, 1, 4], [10, 5, 5, 5, 4])]
    [20, 15, 19]

    Args:
        ranks: int array, shape ``(5,)``, ranks 1 to 10.

    Returns:
        11 to 20 with kuns (the last digit of the other two, 0 counting as 10), 0 to 9 without.
    """
    # int() widens: small integers would overflow in one of compiled and plain Python.
    return value_of((int(ranks[0]), int(ranks[1]), int(ranks[2]), int(ranks[3]), int(ranks[4])))


@jit.inline
def rank_at(hole, seat, place):
    """Return the rank, 1 to 10, of a card in a ``(seats, 5)`` array of card ids."""
    return (int(hole[seat, place]) >> SUIT_BITS) + 1


@jit.inline
def has_kuns(ranks, count, digit):
    """Return 1 if some three of ``count`` cards make tens (K5.1), else 0.

    Args:
        ranks: tuple of five ranks; 0 stands for a card that is not there, and those come last.
        count: cards there are.
        digit: last digit of their sum.
    """
    # Three cards make tens exactly when the others are congruent to the total: bit s of ``wanted`` marks a
    # sum s of the others that is. No branch, no division: this runs at every observation.
    wanted = (1 << digit) | (1 << (digit + TENS)) | (1 << (digit + 2 * TENS))
    pairs, singles = 0, 0
    for i in range(HAND - 1):
        singles |= wanted >> ranks[i]
        for j in range(i + 1, HAND):
            pairs |= wanted >> (ranks[i] + ranks[j])
    return (pairs if count == HAND else singles if count == HAND - 1 else 0) & 1
