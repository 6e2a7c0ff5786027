"""The encoders that every game has, as objects: shape, range and how to fill them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from kuns_env.layout import Layout

Array = npt.NDArray[Any]


class TableEncoder:
    """`table`: what the seat knows now, as float32 of shape ``(layout.size,)``.

    Args:
        rules: the rules.
        pad: whether the most seats that the game has are laid out.
        compiled: the rules as an array of one record.
        layout: the named slices.
        kernel: what the game's kernels are told of the layout; the batch hands it on.
        fill: the game's `encode_table` loop.
    """

    name: Final = "table"
    dtype: Final = np.dtype(np.float32)

    def __init__(
        self, rules: Any, pad: bool, compiled: Array, layout: Layout, kernel: Any, fill: Callable[..., None]
    ) -> None:
        self.rules, self.pad = rules, pad
        self.layout = layout
        self.shape = (layout.size,)
        self.low: Array = layout.low
        self.high: Array = layout.high
        self.kernel = kernel
        self._compiled, self._fill = compiled, fill

    def encode(self, states: Array, rows: Array, viewers: Array) -> Array:
        """Return the encodings of ``states[rows]`` for ``viewers``, shape ``(B, size)``."""
        out = np.empty((len(rows), *self.shape), self.dtype)
        self._fill(states, self._compiled, rows, viewers, self.kernel, out)
        return out

    def explain(self, observation: Array) -> dict[str, Any]:
        """Return by name the entries of every feature that is not all zero, those with names of their own too."""
        return self.layout.explain(observation)


class HistoryEncoder:
    """`history`: perfect recall of the hand or deal, as int16 tokens of shape ``(length,)``; 0 fills up.

    Args:
        rules: the rules.
        pad: whether the sequence is as long as any number of players can make it.
        compiled: the rules as an array of one record.
        length: tokens in a sequence.
        num_tokens: one more than the greatest token.
        digits: how many digits the numbers in a sequence have.
        fill: the game's `encode_history` loop.
        describe: says what a token means.
    """

    name: Final = "history"
    dtype: Final = np.dtype(np.int16)
    end: Final = 0

    def __init__(
        self,
        rules: Any,
        pad: bool,
        compiled: Array,
        length: int,
        num_tokens: int,
        digits: tuple[int, int],
        fill: Callable[..., None],
        describe: Callable[[int], str],
    ) -> None:
        self.rules, self.pad = rules, pad
        self.shape = (length,)
        self.low: Array = np.zeros(self.shape, self.dtype)
        self.high: Array = np.full(self.shape, num_tokens - 1, self.dtype)
        self.digits = digits
        self._compiled, self._fill, self._describe = compiled, fill, describe

    def encode(self, states: Array, rows: Array, viewers: Array) -> Array:
        """Return the token sequences of ``states[rows]`` for ``viewers``, shape ``(B, length)``."""
        out = np.empty((len(rows), *self.shape), self.dtype)
        self._fill(states, self._compiled, rows, viewers, *self.digits, out)
        return out

    def explain(self, observation: Array) -> list[str]:
        """Return what every token means, up to the end of the sequence.

        Raises:
            ValueError: ``observation`` has another shape than ``(length,)`` or holds no such tokens.
        """
        tokens = np.asarray(observation)
        if tokens.shape != self.shape:
            raise ValueError(f"observation has shape {tokens.shape}; this encoding has shape {self.shape}")
        return [self._describe(int(token)) for token in tokens if token != self.end]
