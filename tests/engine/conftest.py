"""What the tests of the engine share."""

from __future__ import annotations

import numpy as np
import pytest


@pytest.fixture
def rng() -> np.random.Generator:
    """Random choices that are the same every time."""
    return np.random.default_rng(5)
