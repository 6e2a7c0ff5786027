"""`equilibrium`: plays the solved game."""

from __future__ import annotations

import logging
from functools import lru_cache
from pathlib import Path
from typing import ClassVar, Final

import numpy as np

from kuns_agents.drawing import draw_moves
from kuns_agents.exact.agent import TableAgent, load_table, supported
from kuns_agents.exact.scope import why_not_exact
from kuns_agents.exact.solve import solve
from kuns_agents.exact.table import single_hand
from kuns_agents.protocol import MULTISET, Moves, Probabilities
from kuns_env import KunsRules, Views
from kuns_env.engine.game import Rules
from kuns_env.kuns.state import NUM_ROUNDS

FILE: Final = Path(__file__).resolve().parents[1] / "weights" / "equilibrium.npz"
"""The solution of `KunsRules.duel`."""

PRECISION: Final = 1e-6
"""Exploitability to which other rules are solved, in chips a hand for each chip that can be lost in one."""

log = logging.getLogger("kuns_agents")


class EquilibriumAgent:
    """Plays heads-up Kuns without side bets by its exact solution: nobody wins from it in the long run."""

    name: ClassVar[str] = "equilibrium"
    reads: ClassVar[str] = MULTISET
    path: ClassVar[Path] = FILE
    """The file with the solution of `KunsRules.duel`; other rules are solved when they are first played."""

    def supports(self, rules: Rules) -> str | None:
        """Return None for all heads-up rules without side bets and bankrolls, for any number of hands."""
        reason = why_not_exact(single_hand(rules) if isinstance(rules, KunsRules) else rules)
        return (
            None if reason is None else f"agent {self.name!r} plays heads-up Kuns without side bets: {reason}"
        )

    def policy(self, views: Views) -> Probabilities:
        """Return the probabilities of the solution.

        Raises:
            AgentError: the views are of rules that the agent does not support.
        """
        rules = supported(views.rules, self.supports(views.rules))
        return solution(single_hand(rules)).policy(views)

    def act(self, views: Views, rng: np.random.Generator) -> Moves:
        """Return a move for each view, drawn from `policy`."""
        return draw_moves(self.policy(views), rng)


@lru_cache(maxsize=16)
def solution(rules: KunsRules) -> TableAgent:
    """Return the solution of ``rules``, in which an episode is one hand: the one that ships, or one made now."""
    if rules == KunsRules.duel():
        return load_table(FILE)
    log.info("solving %s", rules)
    most = rules.forced_ante + NUM_ROUNDS * max(rules.ante_menu)
    found = solve(rules, PRECISION * most)
    return TableAgent(found.table, EquilibriumAgent.name)
