"""Observations are named once: encoders, docs, tests and `explain` read the same table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True, slots=True)
class Feature:
    """One named slice of an observation."""

    name: str
    size: int
    """Numbers in the slice."""
    doc: str
    """What they mean, with the clause of RULES.md."""
    low: float = 0.0
    """Least value an entry can have."""
    high: float = 1.0
    """Greatest value an entry can have."""
    entries: Sequence[str] = ()
    """Names of the entries, where they have any: `Layout.explain` then gives those that are not zero by name."""


def named(feature: Feature, values: list[float]) -> list[float] | dict[str, float]:
    """Return the values of a feature, or, where its entries have names, those that are not zero by name.

    >>> named(Feature("dealer", 2, "one-hot", entries=("you", "other")), [0.0, 1.0])
    {'other': 1.0}
    """
    if not feature.entries:
        return values
    return {name: value for name, value in zip(feature.entries, values, strict=True) if value}


class Layout:
    """The named slices of an observation, in order.

    >>> layout = Layout([Feature("round", 3, "one-hot"), Feature("pot", 1, "chips", high=9.0)])
    >>> layout.size, layout["pot"]
    (4, slice(3, 4, None))
    """

    def __init__(self, features: list[Feature]) -> None:
        self.features = tuple(features)
        ends = np.cumsum([0, *(feature.size for feature in features)])
        self.offsets: npt.NDArray[np.int64] = ends[:-1].astype(np.int64)
        """Where each feature begins, in the order of `features`: what the kernels are handed."""
        self.size = int(ends[-1])
        """Numbers in an observation."""
        self._slices = {
            feature.name: slice(int(start), int(end))
            for feature, start, end in zip(features, ends[:-1], ends[1:], strict=True)
        }

    def __getitem__(self, name: str) -> slice:
        """Return the slice of the feature ``name``."""
        try:
            return self._slices[name]
        except KeyError:
            raise KeyError(f"no feature {name!r}; there are: {', '.join(self._slices)}") from None

    def __iter__(self) -> Iterator[Feature]:
        """Go over the features in order."""
        return iter(self.features)

    @cached_property
    def low(self) -> npt.NDArray[np.float32]:
        """Least value of every entry, shape ``(size,)``."""
        return np.concatenate([np.full(feature.size, feature.low, np.float32) for feature in self.features])

    @cached_property
    def high(self) -> npt.NDArray[np.float32]:
        """Greatest value of every entry, shape ``(size,)``."""
        return np.concatenate([np.full(feature.size, feature.high, np.float32) for feature in self.features])

    def explain(self, observation: npt.NDArray[Any]) -> dict[str, Any]:
        """Return the entries of every feature that is not all zero, by name.

        They are a list, or, where entries have names, a dict of those that are not zero.

        Raises:
            ValueError: ``observation`` has another shape than ``(size,)``.
        """
        values = np.asarray(observation)
        if values.shape != (self.size,):
            raise ValueError(f"observation has shape {values.shape}; this layout has shape ({self.size},)")
        parts = [(feature, values[self[feature.name]].tolist()) for feature in self.features]
        return {feature.name: named(feature, part) for feature, part in parts if any(part)}

    def to_markdown(self) -> str:
        """Return the table of the docs: slice, name, range, meaning."""
        rows = ["| entries | name | range | meaning |", "|---|---|---|---|"]
        for feature in self.features:
            where = self[feature.name]
            span = f"{where.start}" if feature.size == 1 else f"{where.start}–{where.stop - 1}"
            rows.append(
                f"| {span} | `{feature.name}` | {feature.low:g} to {feature.high:g} | {feature.doc} |"
            )
        return "\n".join(rows)
