"""Means with confidence intervals over blocks of deals."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import atan, pi, sqrt, tan
from typing import Any, Final

import numpy as np
import numpy.typing as npt

CONFIDENCE: Final = 0.95
BISECTIONS: Final = 60

Array = npt.NDArray[Any]


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean and what is known of its error."""

    mean: float
    """Chips per hand."""
    low: float
    """Lower end of the interval."""
    high: float
    """Upper end of the interval."""
    std_error: float
    """Standard error of the mean."""
    num_hands: int
    """Hands that the mean is taken over."""
    num_blocks: int
    """Blocks of deals that the error is judged from."""

    @property
    def half_width(self) -> float:
        """What stands after the ± sign."""
        return (self.high - self.low) / 2

    @property
    def is_clear(self) -> bool:
        """Whether the interval leaves zero out."""
        return self.low > 0 or self.high < 0


def two_sided(theta: float, degrees: int) -> float:
    """Return the probability of [-t, t] under Student's t for ``theta = atan(t / sqrt(degrees))``.

    The finite series for whole degrees of freedom: Abramowitz & Stegun, 26.7.3 and 26.7.4.
    """
    sine, cosine = np.sin(theta), np.cos(theta)
    odd = degrees % 2
    # Factors (1 + odd)/(2 + odd), (3 + odd)/(4 + odd), ... of the terms after the first.
    tops = np.arange(1 + odd, degrees - 2 + odd, 2, dtype=float)
    terms = np.cumprod(np.concatenate([[1.0], tops / (tops + 1) * cosine**2]))
    if not odd:
        return float(sine * terms.sum())
    series = sine * cosine * terms.sum() if degrees > 1 else 0.0
    return float(2 / pi * (theta + series))


@lru_cache(maxsize=64)
def t_quantile(degrees: int, confidence: float = CONFIDENCE) -> float:
    """Return the t for which a Student variable lies in [-t, t] with probability ``confidence``.

    >>> [round(t_quantile(n), 3) for n in (1, 2, 3, 10, 199)]
    [12.706, 4.303, 3.182, 2.228, 1.972]
    """
    low, high = 0.0, atan(np.inf)
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        if two_sided(middle, degrees) < confidence:
            low = middle
        else:
            high = middle
    return sqrt(degrees) * tan(high)


def estimate(units: Array, hands: Array, block_deals: int, units_per_chip: int) -> Estimate:
    """Return the mean chips per hand with a t-interval over blocks of consecutive deals.

    The mean is all chips over all hands. Its error is that of a ratio (for hands of equal number in
    every block it is the ordinary error of the mean of blocks): with ``x`` chips and ``h`` hands in each
    of ``n`` blocks, ``sqrt(n / (n - 1) * sum((x - mean * h)**2)) / sum(h)``, ``n - 1`` degrees of freedom.

    Args:
        units: what was won in each deal, all its seatings together, int64 ``(D,)``.
        hands: the hands that were played for it, int64 ``(D,)``.
        block_deals: deals in a block; the last block may be shorter.
        units_per_chip: units in a chip.
    """
    starts = np.arange(0, len(units), block_deals)
    chips = np.add.reduceat(units, starts) / units_per_chip
    counts = np.add.reduceat(hands, starts)
    num_hands, num_blocks = int(counts.sum()), len(starts)
    mean = int(units.sum()) / (units_per_chip * num_hands)
    spread = float(((chips - mean * counts) ** 2).sum())
    error = sqrt(num_blocks / (num_blocks - 1) * spread) / num_hands
    half = t_quantile(num_blocks - 1) * error
    return Estimate(mean, mean - half, mean + half, error, num_hands, num_blocks)
