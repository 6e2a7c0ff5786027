"""Cards as bits: a hand is two words, ``one`` of the types held and ``two`` of those held twice.

Type ``4 * rank + suit``, rank 0 is the 2 and 12 the ace, suits c d h s are 0 to 3; 52 is the joker. Words are int64
and never negative: the same in compiled and in plain Python. The same suit of the next rank is `NUM_SUITS` bits higher.
"""

from typing import Final

from kuns_env.jit import jit
from kuns_env.kunken.cards import FIRST_HIGH, JOKER, NUM_SUITS

SUIT_BITS: Final = 2
SUIT_MASK: Final = NUM_SUITS - 1
SUITS: Final = (1 << NUM_SUITS) - 1
"""The four suits of the lowest rank; of four bits of any rank the most they can count."""
NATURALS: Final = (1 << JOKER) - 1
RANKS: Final = NATURALS // SUITS
"""The lowest suit of every rank."""
HIGH: Final = NATURALS & ~((1 << (FIRST_HIGH * NUM_SUITS)) - 1)
"""The cards that count 10 points."""
HIGH_WORTH: Final = 2
"""Their points in units of five; the others count one."""

PAIRS: Final = 0x5555555555555555
NIBBLE_PAIRS: Final = 0x3333333333333333
NIBBLES: Final = 0x0F0F0F0F0F0F0F0F
BYTE_ONES: Final = 0x0101010101010101
TOP_BYTE: Final = 56
BYTE: Final = 0xFF
CARRY_AT: Final = NUM_SUITS - 1
CARRY: Final = 1 << CARRY_AT


@jit.inline
def popcount(word):
    """Return the number of bits set in ``word``, which is not negative."""
    # int(): plain Python's integers do not overflow where the product does. LLVM makes one instruction of it all.
    word = int(word)
    word -= (word >> 1) & PAIRS
    word = (word & NIBBLE_PAIRS) + ((word >> 2) & NIBBLE_PAIRS)
    return ((((word + (word >> 4)) & NIBBLES) * BYTE_ONES) >> TOP_BYTE) & BYTE


@jit.inline
def plain(literal, like):
    """Return the value of ``literal`` with the type of ``like``: Numba compiles a callee anew for every literal."""
    return literal + (like & 0)


@jit.inline
def fives(word):
    """Return the points of the naturals in ``word`` (N1.3), in units of five."""
    return popcount(word & NATURALS) + popcount(word & HIGH)


@jit.inline
def worth(rank):
    """Return the points of a card of ``rank`` on the table (N1.3), in units of five."""
    return HIGH_WORTH if rank >= FIRST_HIGH else 1


@jit.inline
def num_held(one, two, card):
    """Return how many cards of type ``card`` a hand holds: 0 to 2."""
    return ((one >> card) & 1) + ((two >> card) & 1)


@jit.inline
def lowest(word):
    """Return the number of the lowest bit set in ``word``, which is positive."""
    return popcount((word & -word) - 1)


@jit.inline
def with_card(one, two, card):
    """Return the hand with one more card of type ``card``."""
    bit = 1 << int(card)
    return one | bit, two | (one & bit)


@jit.inline
def without(one, two, cards):
    """Return the hand without one card of each type in ``cards``, which it holds."""
    return (one & ~cards) | (two & cards), two & ~cards


@jit.inline
def counts_of(word):
    """Return how many naturals of each rank are in ``word``: four bits a rank."""
    word &= NATURALS
    word -= (word >> 1) & PAIRS
    return (word & NIBBLE_PAIRS) + ((word >> 2) & NIBBLE_PAIRS)


@jit.inline
def rank_counts(one, two, identical):
    """Return how many cards of each rank could stand in sets together (N3.1): four bits a rank, 0 to 8."""
    return counts_of(one) + counts_of(two) if identical else counts_of(one)


@jit.inline
def ranks_with(counts, least):
    """Return all cards of the ranks that count ``least`` or more, which is 1 to 8."""
    return (((counts + (CARRY - least) * RANKS) >> CARRY_AT) & RANKS) * SUITS


@jit.inline
def in_runs(word):
    """Return those of ``word`` that are in runs of three or more without a joker (N3.2)."""
    starts = word & (word >> NUM_SUITS) & (word >> (2 * NUM_SUITS))
    return starts | starts << NUM_SUITS | starts << (2 * NUM_SUITS)
