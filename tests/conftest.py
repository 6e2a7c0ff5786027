"""Options and settings that all tests share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).resolve().parents[1]

# No deadline: the first call of a kernel compiles it. Plain Python is a hundred times slower than compiled
# code, so there the same properties are looked at with fewer examples.
settings.register_profile("compiled", deadline=None)
settings.register_profile(
    "plain", deadline=None, max_examples=10, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("plain" if os.environ.get("NUMBA_DISABLE_JIT", "0") != "0" else "compiled")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden",
        action="store_true",
        help="write the golden files anew instead of failing where they differ; then read the difference",
    )


@pytest.fixture(scope="session")
def root() -> Path:
    """The folder of the project."""
    return ROOT
