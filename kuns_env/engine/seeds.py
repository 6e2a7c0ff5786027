"""Seeds: what is taken for one, and where one comes from when none is given."""

from __future__ import annotations

import secrets

from kuns_env.errors import quoted
from kuns_env.fields import as_integer
from kuns_env.rng import MAX_SEED


def make_seed(seed: object) -> int:
    """Return ``seed``, or fresh entropy from the system where it is None.

    Raises:
        ValueError: not None and not an integer from 0 to 2**63 - 1.
    """
    if seed is None:
        return secrets.randbits(63)
    return count("seed", seed, 0, MAX_SEED)


def count(name: str, value: object, low: int, high: int) -> int:
    """Return ``value`` as an int from ``low`` to ``high``.

    Raises:
        ValueError: not such an integer; bool and float are refused.
    """
    try:
        number = as_integer(value)
    except TypeError:
        number = low - 1
    if not low <= number <= high:
        raise ValueError(f"{name}={quoted(value)}: must be an integer from {low:,} to {high:,}")
    return number
