"""Luck in the games of an arena: collected decision by decision, in exact integers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from kuns_agents.luck.duel import duel_luck, why_not_duel
from kuns_agents.luck.protocol import Luck
from kuns_agents.luck.table import table_luck
from kuns_agents.protocol import HISTORY, MULTISET
from kuns_agents.rule_agent import RuleAgent
from kuns_env import KunsRules
from kuns_env.engine.game import Rules, game_of
from kuns_env.engine.view import Views

if TYPE_CHECKING:
    from kuns_agents import Agent

Array = npt.NDArray[Any]

GRAIN: Final = 1024
"""Luck is counted in so many parts of a unit: sums of integers depend on no order."""

SUM_TOLERANCE: Final = 1e-4
"""By how much the probabilities of a policy may miss 1."""


def luck_of(rules: Rules) -> Luck | None:
    """Return the value function for these rules; None where there is none worth its time."""
    if not isinstance(rules, KunsRules):
        return None
    return duel_luck(rules) if why_not_duel(rules) is None else table_luck(rules)


def known_policy(agent: Agent, views: Views) -> Array | None:
    """Return how likely the agent makes each move, float64 ``(B, A)``; rows of zeros where that is no policy.

    None where it is not known, or where the agent leaves nothing to chance, so that its moves are no luck.
    """
    if isinstance(agent, RuleAgent) or getattr(agent, "greedy", None) is True:
        return None
    ask = getattr(agent, "policy", None)
    if not callable(ask) or getattr(agent, "reads", HISTORY) not in (MULTISET, HISTORY):
        return None
    masks = views.masks.copy()
    try:
        policy = np.array(ask(views), np.float64)
    except Exception:
        return None
    if policy.shape != masks.shape:
        return None
    is_policy = np.isfinite(policy).all(axis=1) & (policy >= 0).all(axis=1)
    is_policy &= ((policy > 0) <= (masks == 1)).all(axis=1)
    is_policy &= np.abs(policy.sum(axis=1) - 1) <= SUM_TOLERANCE
    policy[~is_policy] = 0
    totals = policy.sum(axis=1, keepdims=True)
    known: Array = policy / np.where(totals > 0, totals, 1)
    return known


class LuckKeeper:
    """Adds up the luck of every seat in the games of some deals.

    Args:
        rules: of the games.
        luck: their value function.
        first_deal: the number of the first deal.
        num_deals: ``D``.
    """

    def __init__(self, rules: Rules, luck: Luck, first_deal: int, num_deals: int) -> None:
        self.luck, self.first_deal = luck, first_deal
        self._scale = GRAIN * game_of(rules).units
        self._sums = np.zeros((num_deals, rules.num_players))

    def add(self, agent: Agent, deals: Array, states: Array, views: Views, moves: Array) -> None:
        """Add the luck of decisions of one seat, each in a game of its own.

        Args:
            agent: who decided.
            deals: numbers of the deals, int64 ``(B,)``.
            states: full records before the decisions, ``(B,)``.
            views: what the seat knew.
            moves: int64 ``(B,)``, `FAILED` where the game ended by a fault.
        """
        policy = known_policy(agent, views)
        self._sums[deals - self.first_deal] += self.luck.terms(states, moves, policy)

    def counts(self) -> Array:
        """Return the luck of each game and seat in grains of `GRAIN` to a unit, int64 ``(D, P)``."""
        counts: Array = np.rint(self._sums * self._scale).astype(np.int64)
        return counts
