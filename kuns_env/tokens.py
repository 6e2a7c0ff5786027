"""Numbers in token sequences: the digits that both games' histories spell amounts with."""

from typing import Final

from kuns_env.jit import jit

RADIX: Final = 256


def num_digits(most: int) -> int:
    """Return how many digits to base `RADIX` hold every number from 0 to ``most``.

    >>> num_digits(0), num_digits(255), num_digits(256)
    (1, 1, 2)
    """
    return max(1, -(-most.bit_length() // (RADIX.bit_length() - 1)))


@jit.kernel
def write_number(out, place, number, digits, base):
    """Write ``number`` as ``digits`` tokens, ``base`` plus a digit each, from ``place`` on; return the next place."""
    for i in range(digits - 1, -1, -1):
        out[place + i] = base + number % RADIX
        number //= RADIX
    return place + digits
