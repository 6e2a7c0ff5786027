"""The opponents of a run: agents that stay as they are, and snapshots of the learner."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kuns_agents import load
from kuns_training.arena.entries import why_not
from kuns_training.config import Config
from kuns_training.defaults import SELF
from kuns_training.settings import ConfigError

if TYPE_CHECKING:
    from kuns_agents import Agent

NEWEST_SHARE = 0.5
"""Share of the newest snapshot in the weight of `self`; the older ones have the rest in equal parts."""


class Pool:
    """Agents and their weights; the learner meets each with a probability in proportion."""

    def __init__(self, config: Config) -> None:
        self.fixed: list[Agent] = []
        self._fixed_weights: list[float] = []
        self._self_weight = config.opponents.get(SELF, 0.0)
        self._most = config.num_snapshots
        self.snapshots: list[Agent] = []
        """Past selves, oldest first."""
        rules = config.make_rules()
        for name, weight in config.opponents.items():
            if name == SELF or weight == 0:
                continue
            self.fixed.append(load_for(name, rules, "opponents"))
            self._fixed_weights.append(weight)

    @property
    def plays_itself(self) -> bool:
        """Whether snapshots of the learner are among its opponents."""
        return self._self_weight > 0

    def add(self, snapshot: Agent) -> None:
        """Take in a snapshot; the oldest leaves if there are too many."""
        self.snapshots = [*self.snapshots, snapshot][-self._most :]

    @property
    def agents(self) -> list[Agent]:
        """Everybody in the pool."""
        return [*self.fixed, *self.snapshots]

    @property
    def weights(self) -> list[float]:
        """The weight of each of `agents`."""
        return [*self._fixed_weights, *self._snapshot_weights()]

    def _snapshot_weights(self) -> list[float]:
        older = len(self.snapshots) - 1
        if older < 1:
            return [self._self_weight] * len(self.snapshots)
        rest = self._self_weight * (1 - NEWEST_SHARE) / older
        return [*[rest] * older, self._self_weight * NEWEST_SHARE]


def load_judges(config: Config) -> list[Agent]:
    """Return the agents that the learner is evaluated against during a run.

    Raises:
        ConfigError: there is no such agent.
    """
    rules = config.make_rules()
    return [load_for(name, rules, "curve_opponents") for name in config.curve_opponents]


def load_for(name: str, rules: object, setting: str) -> Agent:
    """Return the agent ``name``, which is to play under ``rules``.

    Raises:
        ConfigError: there is no such agent, or it does not play these rules; it names the ``setting``.
    """
    try:
        agent = load(name)
    except ValueError as error:
        raise ConfigError(f"{setting}: {error}") from None
    refusal = why_not(agent, rules)
    if refusal is not None:
        raise ConfigError(f"{setting}: {refusal}")
    return agent
