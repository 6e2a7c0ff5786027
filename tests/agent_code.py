"""Files of code with agents, for tests: well-behaved ones and others."""

from __future__ import annotations

from pathlib import Path

CODE = '''
import os
import time
import numpy as np


class Base:
    def supports(self, rules):
        return None


class Modest(Base):
    """The lowest ante, calls."""
    name = "modest"

    def act(self, views, rng):
        masks = views.masks.copy()
        masks[:, 0] = 0
        return masks.argmax(axis=1)


class Dice(Base):
    """Any legal move, and remembers how often it was asked."""
    name = "dice"

    def __init__(self):
        self.calls = 0

    def act(self, views, rng):
        self.calls += 1
        draws = views.masks * rng.random(views.masks.shape)
        return (draws + views.masks * (self.calls % 3)).argmax(axis=1)


class Faulty(Modest):
    """Fails in every way, by the cards that it holds."""
    name = "faulty"

    def act(self, views, rng):
        own = views.records["hole"][np.arange(len(views)), views.seats].max(axis=1)
        if (own % 10 == 0).any():
            raise ValueError("ten")
        return np.where(own % 10 == 1, 99, super().act(views, rng))


class Slow(Modest):
    """Takes a second where it holds a certain card."""
    name = "slow"

    def act(self, views, rng):
        own = views.records["hole"][np.arange(len(views)), views.seats]
        end = time.perf_counter() + 1.0
        while (own == 12).any() and "KUNS_TEST_SWIFT" not in os.environ and time.perf_counter() < end:
            pass
        return super().act(views, rng)


class Endless(Modest):
    """Never comes back."""
    name = "endless"

    def act(self, views, rng):
        while True:
            pass


class Deadly(Modest):
    """Ends its process."""
    name = "deadly"

    def act(self, views, rng):
        os._exit(7)
'''


def write_code(folder: Path, extra: str = "") -> str:
    """Write the agents into a file in ``folder``, and return its path."""
    file = folder / "mine.py"
    file.write_text(CODE + extra, "utf-8")
    return str(file)
