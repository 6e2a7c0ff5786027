"""`profile:A,B,…`: an agent for each seat, who together are one, such as a best response is trained against."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kuns_agents.protocol import Agent, AgentError, Moves
from kuns_env import Views
from kuns_env.engine.game import Rules


class ProfileAgent:
    """Plays as another agent in each seat: the first of them in seat 0.

    >>> from kuns_agents import load
    >>> load("profile:cautious,equity,call").name
    'cautious, equity, call'

    Args:
        agents: one for each seat of the table.
    """

    def __init__(self, agents: Sequence[Agent]) -> None:
        self.agents = tuple(agents)
        self.name = ", ".join(agent.name for agent in self.agents)

    def act(self, views: Views, rng: np.random.Generator) -> Moves:
        """Return for each view the move of the agent of its seat; the agents draw in the order of their seats.

        Raises:
            AgentError: the views are of rules that it does not support.
        """
        reason = self.supports(views.rules)
        if reason is not None:
            raise AgentError(reason)
        moves = np.empty(len(views), np.int64)
        for seat, agent in enumerate(self.agents):
            rows = np.flatnonzero(views.seats == seat)
            if len(rows):
                moves[rows] = agent.act(views[rows], rng)
        return moves

    def supports(self, rules: Rules) -> str | None:
        """Return None if there is an agent for each seat, and each of them plays these rules."""
        if len(self.agents) != rules.num_players:
            return f"agent {self.name!r} has an agent for each of {len(self.agents)} seats, not of {rules.num_players}"
        return next(filter(None, (agent.supports(rules) for agent in self.agents)), None)
