"""What a card more would bring, for all 52 places at once.

The gain of a place, in units of five, is a number below 16: four words, the *planes*, hold one binary digit of it for
every place. Adding and comparing are a few operations on words.
"""

from typing import Final

from kuns_env.jit import jit
from kuns_env.kunken.bits import HIGH, HIGH_WORTH, NATURALS
from kuns_env.kunken.cards import NUM_SUITS
from kuns_env.kunken.state import LEAST_MELD

MOST_GAIN: Final = 15
STEP_1, STEP_2 = NUM_SUITS, 2 * NUM_SUITS


@jit.inline
def add3(a, b, c):
    """Return the two binary digits of the sums of three words of bits."""
    either = a ^ b
    return either ^ c, (a & b) | (c & either)


@jit.inline
def gain_planes(up_1, up_2, down_1, down_2):
    """Return the planes of the points of a card at every place and of up to four cards beside it.

    Args:
        up_1: the places above which a card is to be counted.
        up_2: those for which the card two above is.
        down_1: those for which the card below is.
        down_2: those for which the card two below is.
    """
    s_1, c_1 = add3(NATURALS, HIGH, up_1)
    s_2, c_2 = add3(up_1 & (HIGH >> STEP_1), up_2, up_2 & (HIGH >> STEP_2))
    s_3, c_3 = add3(down_1, down_1 & (HIGH << STEP_1), down_2)
    s_4, c_4 = add3(s_1, s_2, s_3)
    last = down_2 & (HIGH << STEP_2)
    s_5, c_5 = add3(c_1, c_2, c_3)
    s_6, c_6 = add3(s_5, c_4, s_4 & last)
    return s_4 ^ last, s_6, c_5 ^ c_6, c_5 & c_6


@jit.inline
def plus(planes, bits):
    """Return the planes with one added at every place in ``bits``."""
    p_0, p_1, p_2, p_3 = planes
    c_1 = p_0 & bits
    c_2 = p_1 & c_1
    return p_0 ^ bits, p_1 ^ c_1, p_2 ^ c_2, p_3 ^ (p_2 & c_2)


@jit.inline
def at_least(planes, least):
    """Return the places whose gain is ``least`` or more."""
    if least <= 0:
        return NATURALS
    if least > MOST_GAIN:
        return 0
    p_0, p_1, p_2, p_3 = planes
    # Gain - least, carried through: a place that borrows has less.
    less = 0
    for digit in range(4):
        plane = p_0 if digit == 0 else p_1 if digit == 1 else p_2 if digit == 2 else p_3
        less = (less | ~plane) if (least >> digit) & 1 else (less & ~plane)
    return NATURALS & ~less


@jit.inline
def highest(planes, places):
    """Return the highest gain among ``places``, and those that have it; 0 if there are none."""
    p_0, p_1, p_2, p_3 = planes
    best = 0
    for digit in range(4):
        plane = p_3 if digit == 0 else p_2 if digit == 1 else p_1 if digit == 2 else p_0
        best *= 2
        if plane & places:
            best += 1
            places &= plane
    return best, places


@jit.inline
def set_gains(pairs, full, least):
    """Return the places in sets whose gain is ``least`` or more.

    Args:
        pairs: places that make a new set with two cards.
        full: places that bring only themselves.
        least: in units of five.
    """
    found = pairs & set_worth(LEAST_MELD, least)
    return found | (full & set_worth(1, least))


@jit.inline
def set_worth(size, least):
    """Return the places at which ``size`` cards of a rank have ``least`` points or more."""
    return NATURALS if least <= size else HIGH if least <= HIGH_WORTH * size else 0
