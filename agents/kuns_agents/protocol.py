"""What an agent is: one protocol, batched, so that a network, a rule and a person are interchangeable."""

from __future__ import annotations

from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np
import numpy.typing as npt

from kuns_env import Views
from kuns_env.engine.game import Rules

Moves: TypeAlias = npt.NDArray[np.int64]
Probabilities: TypeAlias = npt.NDArray[np.float64]


class AgentError(ValueError):
    """There is no such agent, its file cannot be used, or it cannot play these rules."""


@runtime_checkable
class Agent(Protocol):
    """A player. It sees the views of its seats and nothing else; a single game is a batch of one."""

    name: str

    def act(self, views: Views, rng: np.random.Generator) -> Moves:
        """Return one legal move for each view, int64 ``(B,)``.

        Args:
            views: what ``B`` seats know: redacted records, masks ``(B, A)``, encodings on demand.
            rng: the only source of randomness that an agent may use.
        """
        ...

    def supports(self, rules: Rules) -> str | None:
        """Return None if the agent can play under ``rules``, else why it cannot."""
        ...


@runtime_checkable
class PolicyHolder(Agent, Protocol):
    """An agent that can say how likely each of its moves is; exact measures of strength need that."""

    reads: str
    """What the policy depends on: `MULTISET` or `HISTORY`."""

    def policy(self, views: Views) -> Probabilities:
        """Return the probability of every move, float64 ``(B, A)``: 0 where illegal, every row sums to 1."""
        ...


MULTISET = "multiset"
"""A policy that depends on the ranks in hand and on public facts, not on which card came when."""

HISTORY = "history"
"""A policy that may depend on everything its seat has seen in this hand."""


def contiguous(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return ``array`` in the one memory layout that the kernels are compiled for, copied only if needed."""
    return np.require(array, requirements=["C", "W"])
