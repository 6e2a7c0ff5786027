"""What agents without dice share: a choice for each view, and all that follows from it."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from kuns_agents.protocol import MULTISET, AgentError, Moves, Probabilities
from kuns_env import KunkenRules, KunsRules, Views
from kuns_env.engine.game import Rules


class RuleAgent:
    """The part that agents without dice share: a choice for each view, and the policy that follows from it."""

    name: ClassVar[str]
    plays: ClassVar[type[Any]]
    """The kind of rules that it plays under, all of them."""
    reads: ClassVar[str] = MULTISET

    def choose(self, views: Views) -> Moves:
        """Return the one move that the agent makes in each view."""
        raise NotImplementedError

    def act(self, views: Views, rng: np.random.Generator) -> Moves:  # noqa: ARG002 (the protocol's)
        """Return `choose`'s moves; nothing is drawn.

        Raises:
            AgentError: the views are of rules that the agent does not support.
        """
        reason = self.supports(views.rules)
        if reason is not None:
            raise AgentError(reason)
        return self.choose(views)

    def policy(self, views: Views) -> Probabilities:
        """Return 1 for the move chosen and 0 for every other."""
        out = np.zeros(views.masks.shape)
        out[np.arange(len(views)), self.choose(views)] = 1
        return out

    def supports(self, rules: Rules) -> str | None:
        """Return None for all rules of its game."""
        if isinstance(rules, self.plays):
            return None
        game = str(self.plays.game).capitalize()
        return f"agent {self.name!r} plays {game}, not {getattr(rules, 'game', type(rules).__name__)}"


class KunsAgent(RuleAgent):
    """Plays under all rules of Kuns."""

    plays = KunsRules


class KunkenAgent(RuleAgent):
    """Plays under all rules of Kunken."""

    plays = KunkenRules
