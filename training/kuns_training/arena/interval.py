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
    """Say, chips per hand."""
    low: float
    """Lower end of the interval."""
    high: float
    """Upper end of the interval."""
    std_error: float
    """Standard error of the mean."""
    count: int
    """Hands, or what else the mean is taken over."""
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


def ratio(tops: Array, bottoms: Array, scale: int = 1, confidence: float = CONFIDENCE) -> Estimate | None:
    """Return one sum over another, with a t-interval over independent blocks; None where the other is 0.

    Its error is that of a ratio (where every block counts the same below, the ordinary error of the mean of
    blocks): with ``x`` above and ``h`` below in each of ``n`` blocks, and ``m`` their ratio,
    ``sqrt(n / (n - 1) * sum((x - m * h)**2)) / sum(h)``, ``n - 1`` degrees of freedom.

    Args:
        tops: what was counted in each block, say units won, int64 ``(n,)``.
        bottoms: what it is counted by, say hands, int64 ``(n,)``.
        scale: how many of the units above make one.
        confidence: how likely the interval is to hold the truth.
    """
    # Totals in whole numbers of any size: blocks that fit into 64 bits may not fit together.
    all_tops, count, num_blocks = sum(tops.tolist()), sum(bottoms.tolist()), len(tops)
    if count == 0:
        return None
    mean = all_tops / (scale * count)
    spread = float(((tops.astype(np.float64) / scale - mean * bottoms) ** 2).sum())
    error = sqrt(num_blocks / (num_blocks - 1) * spread) / count
    half = t_quantile(num_blocks - 1, confidence) * error
    return Estimate(mean, mean - half, mean + half, error, count, num_blocks)
