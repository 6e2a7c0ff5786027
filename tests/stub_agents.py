"""Agents for tests, made of one function each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from kuns_env import Views

Choose = Callable[[Views, np.random.Generator], Any]


class Stub:
    """An agent made of one function."""

    def __init__(self, name: str, choose: Choose) -> None:
        self.name, self.choose = name, choose

    def act(self, views: Views, rng: np.random.Generator) -> Any:
        return self.choose(views, rng)

    def supports(self, rules: Any) -> str | None:
        return None


def by_cards(salt: int) -> Stub:
    """An agent of Kuns without chance whose moves depend on its cards and on the position."""

    def choose(views: Views, rng: np.random.Generator) -> np.ndarray:
        own = views.records["hole"][np.arange(len(views)), views.seats].astype(int).sum(axis=1)
        key = own * 7 + views.records["pot"] * 3 + views.records["num_history"] * 5 + salt
        num_legal = views.masks.sum(axis=1)
        return (views.masks.cumsum(axis=1) > (key % num_legal)[:, None]).argmax(axis=1)

    return Stub(f"cards {salt}", choose)


def highest(views: Views, rng: np.random.Generator) -> np.ndarray:
    """The last legal move: the highest ante, calls."""
    return views.masks.shape[1] - 1 - views.masks[:, ::-1].argmax(axis=1)


def lowest_call(views: Views, rng: np.random.Generator) -> np.ndarray:
    """The lowest ante, calls (in games without side bets)."""
    masks = views.masks.copy()
    masks[:, 0] = 0
    return masks.argmax(axis=1)
