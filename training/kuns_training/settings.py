"""The settings of each algorithm, and the checks that all settings share."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from kuns_env.engine.seeds import count

MOST_STEPS: Final = 10**11
MOST_TRANSITIONS: Final = 2**22
"""Decisions that may be held in memory at once: about two gigabytes."""
MOST_ROUNDS: Final = 1_000


class ConfigError(ValueError):
    """A setting of the wrong type or out of range; the message names it and says what is allowed."""


def number(name: str, value: object, low: float, high: float) -> float:
    """Return ``value`` as a float from ``low`` to ``high``; a bool, NaN or text is refused."""
    wanted = f"must be a number from {low:g} to {high:g}"
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ConfigError(f"{name}={value!r}: {wanted}")
    if not math.isfinite(value) or not low <= value <= high:
        raise ConfigError(f"{name}={value!r}: {wanted}")
    return float(value)


def whole(name: str, value: object, low: int, high: int) -> int:
    """Return ``value`` as an int from ``low`` to ``high``; a bool or float is refused."""
    try:
        return count(name, value, low, high)
    except ValueError as error:
        raise ConfigError(str(error)) from None


def one_of(name: str, value: object, allowed: tuple[str, ...]) -> str:
    """Return ``value`` if it is one of the words ``allowed``."""
    if not isinstance(value, str) or value not in allowed:
        raise ConfigError(f"{name}={value!r}: must be one of {', '.join(allowed)}")
    return value


def check_fields(prefix: str, settings: object, ranges: Mapping[str, tuple[float, float]]) -> None:
    """Check the fields of ``settings`` that are named in ``ranges``: integers where both bounds are."""
    for name, (low, high) in ranges.items():
        value = getattr(settings, name)
        if isinstance(low, int) and isinstance(high, int):
            checked: float = whole(prefix + name, value, low, high)
        else:
            checked = number(prefix + name, value, low, high)
        object.__setattr__(settings, name, checked)


@dataclass(frozen=True, slots=True)
class PpoSettings:
    """Masked proximal policy optimization, sb3-contrib's `MaskablePPO`."""

    learning_rate: float = 2e-3
    """At the start; it falls linearly to `final_learning_rate`."""
    final_learning_rate: float = 1e-4
    """At the end."""
    rollout_steps: int = 16
    """Decisions in each game between two updates."""
    batch_size: int = 2_048
    """Decisions in a minibatch; it must divide ``num_games * rollout_steps``."""
    epochs: int = 3
    """Passes over the decisions of an update."""
    clip: float = 0.2
    """Half-width of the trust region of the probability ratio."""
    gae_lambda: float = 0.95
    """Weight of longer returns in the advantages."""
    entropy: float = 0.1
    """Weight of the policy's entropy at the start; it falls by the same factor in equal times to
    `final_entropy`. Large at first: chips are so much a matter of luck that a move which is given up early is
    not found again."""
    final_entropy: float = 0.005
    """At the end."""
    value_weight: float = 0.5
    """Weight of the value function's error."""
    max_grad_norm: float = 0.5
    """Longest gradient that is followed; longer ones are shortened."""

    def __post_init__(self) -> None:
        """Check every field."""
        check_fields(
            "ppo.",
            self,
            _ON_POLICY | {"batch_size": (2, MOST_TRANSITIONS), "epochs": (1, 1_000), "clip": (1e-3, 1.0)},
        )


@dataclass(frozen=True, slots=True)
class A2cSettings:
    """Masked advantage actor-critic: one gradient step on each rollout, no ratio, no clipping."""

    learning_rate: float = 2e-3
    """At the start; it falls linearly to `final_learning_rate`."""
    final_learning_rate: float = 2e-4
    """At the end."""
    rollout_steps: int = 5
    """Decisions in each game between two updates."""
    gae_lambda: float = 1.0
    """Weight of longer returns in the advantages."""
    entropy: float = 0.02
    """Weight of the policy's entropy at the start; it falls by the same factor in equal times to
    `final_entropy`."""
    final_entropy: float = 0.01
    """At the end."""
    value_weight: float = 0.5
    """Weight of the value function's error."""
    max_grad_norm: float = 0.5
    """Longest gradient that is followed; longer ones are shortened."""

    def __post_init__(self) -> None:
        """Check every field."""
        check_fields("a2c.", self, _ON_POLICY)


@dataclass(frozen=True, slots=True)
class DqnSettings:
    """Masked deep Q-learning: greedy on the legal moves' values, so deterministic when it plays."""

    learning_rate: float = 1e-3
    """At the start; it falls linearly to `final_learning_rate`."""
    final_learning_rate: float = 1e-4
    """At the end."""
    buffer_size: int = 131_072
    """Decisions that are remembered."""
    learning_starts: int = 16_384
    """Decisions played at random before learning begins."""
    batch_size: int = 1_024
    """Decisions in a minibatch."""
    rollout_steps: int = 1
    """Decisions in each game between two updates."""
    gradient_steps: int = 2
    """Minibatches in an update."""
    target_every: int = 65_536
    """Decisions between two refreshes of the target network."""
    exploration: float = 1.0
    """Share of random legal moves at the start."""
    final_exploration: float = 0.05
    """Share at the end of `exploration_part`, and from there on."""
    exploration_part: float = 0.3
    """Part of the run in which exploration falls."""
    max_grad_norm: float = 10.0
    """Longest gradient that is followed; longer ones are shortened."""

    def __post_init__(self) -> None:
        """Check every field."""
        check_fields("dqn.", self, _DQN)


@dataclass(frozen=True, slots=True)
class WarmSettings:
    """A start by imitation: before the learner is rewarded, it learns to do what another agent would do."""

    agent: str = ""
    """Whom to imitate: a built-in agent or a saved one; empty for nobody. Not for `dqn`, which learns values."""
    steps: int = 1_000_000
    """Decisions to imitate; they come before `total_steps`. Who makes them changes: at first the agent, in the end the
    learner, so that it has seen where its own mistakes lead, and what its positions are worth in its own hands."""
    rollout_steps: int = 16
    """Decisions in each game between two updates."""
    batch_size: int = 1_024
    """Decisions in a minibatch."""
    epochs: int = 2
    """Passes over the decisions of an update."""
    learning_rate: float = 2e-3
    """At the start; it falls linearly to a tenth of it."""

    def __post_init__(self) -> None:
        """Check every field."""
        if not isinstance(self.agent, str):
            raise ConfigError(f"warm.agent={self.agent!r}: must be the name of an agent, or empty")
        check_fields("warm.", self, _WARM)


_RATES: Final = {
    "learning_rate": (0.0, 1.0),
    "final_learning_rate": (0.0, 1.0),
    "rollout_steps": (1, MOST_ROUNDS),
}
_ON_POLICY: Final[dict[str, tuple[float, float]]] = _RATES | {
    "gae_lambda": (0.0, 1.0),
    "entropy": (0.0, 10.0),
    "final_entropy": (0.0, 10.0),
    "value_weight": (0.0, 100.0),
    "max_grad_norm": (1e-6, 1e6),
}
_DQN: Final[dict[str, tuple[float, float]]] = _RATES | {
    "buffer_size": (1, MOST_TRANSITIONS),
    "learning_starts": (0, MOST_STEPS),
    "batch_size": (1, MOST_TRANSITIONS),
    "gradient_steps": (1, 10_000),
    "target_every": (1, MOST_STEPS),
    "exploration": (0.0, 1.0),
    "final_exploration": (0.0, 1.0),
    "exploration_part": (1e-6, 1.0),
    "max_grad_norm": (1e-6, 1e6),
}
_WARM: Final[dict[str, tuple[float, float]]] = {
    "steps": (0, MOST_STEPS),
    "rollout_steps": (1, MOST_ROUNDS),
    "batch_size": (1, MOST_TRANSITIONS),
    "epochs": (1, 1_000),
    "learning_rate": (0.0, 1.0),
}
