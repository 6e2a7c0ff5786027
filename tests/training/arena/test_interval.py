"""Intervals: against tables of Student's t, and against the ordinary formula."""

from __future__ import annotations

import numpy as np
import pytest

from kuns_training.arena.interval import ratio, t_quantile


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
    blocks = np.array([1, 1, 0, 2])  # chips in blocks of four hands
    found = ratio(840 * blocks, np.full(4, 4), 840)
    assert found is not None
    error = (blocks / 4).std(ddof=1) / 2
    assert found.mean == pytest.approx(1 / 4)
    assert found.std_error == pytest.approx(error)
    assert found.half_width == pytest.approx(3.1824 * error, abs=1e-4)
    assert (found.count, found.num_blocks) == (16, 4)


def test_totals_beyond_64_bits_do_not_wrap() -> None:
    lost, hands = -1_144_819_200_000 * 60_000, 60_000
    found = ratio(np.full(200, lost), np.full(200, hands), 1024 * 840)
    assert found is not None
    assert found.mean == pytest.approx(-1_330_937.5, abs=1)
    assert (found.count, found.std_error) == (200 * hands, pytest.approx(0, abs=1e-6))


def test_nothing_to_count_by_is_no_estimate() -> None:
    assert ratio(np.zeros(4, np.int64), np.zeros(4, np.int64)) is None


def test_nineteen_of_twenty_intervals_of_a_ratio_hold_the_truth() -> None:
    """Both sums vary from block to block, and hang together, as wins by express and wins do."""
    rng, inside = np.random.default_rng(1), 0
    for _ in range(400):
        bottoms = rng.binomial(40, 0.5, 50)
        found = ratio(rng.binomial(bottoms, 0.2), bottoms)
        assert found is not None
        inside += found.low <= 0.2 <= found.high
    assert 366 <= inside <= 394
