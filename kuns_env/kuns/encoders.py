"""The encoders of Kuns as objects: shape, range and how to fill them."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from kuns_env.kuns import history, loops, observe
from kuns_env.kuns.rules import MAX_PLAYERS, KunsRules
from kuns_env.kuns.state import compile_rules
from kuns_env.layout import Layout

Array = npt.NDArray[Any]


class TableEncoder:
    """`table`: what the seat knows now, as float32 of shape ``(layout.size,)``."""

    name: Final = "table"
    dtype: Final = np.dtype(np.float32)

    def __init__(self, rules: KunsRules, pad: bool) -> None:
        self.rules, self.pad = rules, pad
        self.layout: Layout = observe.layout(rules, pad)
        self.shape = (self.layout.size,)
        self.low: Array = self.layout.low
        self.high: Array = self.layout.high
        width = MAX_PLAYERS if pad else rules.num_players
        self.kernel = loops.Encoding(width, 1 / max(rules.ante_menu), self.layout.offsets)
        """What the batch kernels are handed."""

    def encode(self, states: Array, rows: Array, viewers: Array) -> Array:
        """Return the encodings of ``states[rows]`` for ``viewers``, shape ``(B, size)``."""
        out = np.empty((len(rows), *self.shape), self.dtype)
        loops.encode_table(states, compile_rules(self.rules), rows, viewers, self.kernel, out)
        return out

    def explain(self, observation: Array) -> dict[str, list[float]]:
        """Return the entries of every feature that is not all zero, by name."""
        return self.layout.explain(observation)


class HistoryEncoder:
    """`history`: perfect recall of the hand, as int16 tokens of shape ``(length,)``."""

    name: Final = "history"
    dtype: Final = np.dtype(np.int16)

    def __init__(self, rules: KunsRules, pad: bool) -> None:
        # A padded sequence is as long as eight players can make it; tokens do not depend on the count.
        self.rules, self.pad = rules, pad
        self.digits = history.digits_of(rules)
        self.shape = (history.length(rules, MAX_PLAYERS if pad else rules.num_players),)
        self.low: Array = np.zeros(self.shape, self.dtype)
        self.high: Array = np.full(self.shape, history.NUM_TOKENS - 1, self.dtype)

    def encode(self, states: Array, rows: Array, viewers: Array) -> Array:
        """Return the token sequences of ``states[rows]`` for ``viewers``, shape ``(B, length)``."""
        out = np.empty((len(rows), *self.shape), self.dtype)
        loops.encode_history(states, compile_rules(self.rules), rows, viewers, *self.digits, out)
        return out

    def explain(self, observation: Array) -> list[str]:
        """Return what every token means, up to the end of the sequence.

        Raises:
            ValueError: ``observation`` has another shape than ``(length,)`` or holds no such tokens.
        """
        tokens = np.asarray(observation)
        if tokens.shape != self.shape:
            raise ValueError(f"observation has shape {tokens.shape}; this encoding has shape {self.shape}")
        return [history.describe_token(int(token)) for token in tokens if token != history.PAD]


ENCODERS: Final = {"table": TableEncoder, "history": HistoryEncoder}
"""Encoder name to class."""
