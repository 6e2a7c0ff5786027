"""Intervals: against tables of Student's t, and against the ordinary formula."""

from __future__ import annotations

import numpy as np
import pytest

from kuns_training.evaluate_interval import estimate, t_quantile


def test_student_quantiles() -> None:
    table = {
        1: 12.7062,
        2: 4.3027,
        3: 3.1824,
        4: 2.7764,
        5: 2.5706,
        9: 2.2622,
        30: 2.0423,
        199: 1.9720,
        10**6: 1.9600,
    }
    assert {degrees: round(t_quantile(degrees), 4) for degrees in table} == table
    assert t_quantile(10, 0.99) == pytest.approx(3.1693, abs=1e-4)


def test_the_interval_of_equal_blocks_is_the_ordinary_one() -> None:
    units = np.array([840, 0, 1680, -840, 0, 0, 840, 840])
    found = estimate(units, np.full(8, 2), 2, 840)
    blocks = np.array([1 / 4, 1 / 4, 0, 2 / 4])  # chips per hand
    error = blocks.std(ddof=1) / 2
    assert found.mean == pytest.approx(blocks.mean())
    assert found.std_error == pytest.approx(error)
    assert found.half_width == pytest.approx(3.1824 * error, abs=1e-4)
    assert found.num_blocks == 4
