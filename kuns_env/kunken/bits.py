"""Cards as bits: a hand is two words, ``one`` of the types held and ``two`` of those held twice.

Type ``4 * rank + suit``, rank 0 is the 2 and 12 the ace, suits c d h s are 0 to 3; 52 is the joker. Words are int64
and never negative: the same in compiled and in plain Python.
"""

from typing import Final

from kuns_env.jit import jit
from kuns_env.kunken.cards import FIRST_HIGH, JOKER, NUM_SUITS

SUIT_BITS: Final = 2
SUIT_MASK: Final = NUM_SUITS - 1
SUITS: Final = (1 << NUM_SUITS) - 1
"""The four suits of the lowest rank."""
NATURALS: Final = (1 << JOKER) - 1
HIGH: Final = NATURALS & ~((1 << (FIRST_HIGH * NUM_SUITS)) - 1)
"""The cards that count 10 points."""

PAIRS: Final = 0x5555555555555555
NIBBLE_PAIRS: Final = 0x3333333333333333
NIBBLES: Final = 0x0F0F0F0F0F0F0F0F
BYTES: Final = 0x00FF00FF00FF00FF
WORDS: Final = 0x0000FFFF0000FFFF
HALVES: Final = 0xFFFFFFFF


@jit.inline
def popcount(word):
    """Return the number of bits set in ``word``, which is not negative."""
    word -= (word >> 1) & PAIRS
    word = (word & NIBBLE_PAIRS) + ((word >> 2) & NIBBLE_PAIRS)
    word = (word + (word >> 4)) & NIBBLES
    word = (word & BYTES) + ((word >> 8) & BYTES)
    word = (word & WORDS) + ((word >> 16) & WORDS)
    return (word & HALVES) + (word >> 32)


@jit.inline
def fives(word):
    """Return the points of the naturals in ``word`` (N1.3), in units of 5."""
    return popcount(word & NATURALS) + popcount(word & HIGH)


@jit.inline
def num_held(one, two, card):
    """Return how many cards of type ``card`` a hand holds: 0 to 2."""
    return ((one >> card) & 1) + ((two >> card) & 1)


@jit.inline
def lowest(word):
    """Return the number of the lowest bit set in ``word``, which is positive."""
    return popcount((word & -word) - 1)
