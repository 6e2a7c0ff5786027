"""How good a response is where the best one is known: heads-up Kuns without side bets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kuns_env.engine.game import Rules

if TYPE_CHECKING:
    from kuns_agents import Agent


@dataclass(frozen=True, slots=True)
class Exact:
    """What can be won from a profile, in chips per hand, the mean of both seats; computed, not played."""

    exploitability: float
    """By a best response."""
    responder: float
    """By this one."""

    @property
    def share(self) -> float | None:
        """How much of what there is to win the responder finds; None where there is nothing."""
        return self.responder / self.exploitability if self.exploitability > 0 else None


def exact_figures(responder: Agent, profile: Agent, rules: Rules) -> Exact | None:
    """Return what both win exactly; None where it cannot be computed.

    That is so under most rules, with agents that cannot say how likely their moves are, and with those that play
    differently in the two seats.
    """
    from kuns_agents.exact.ask import NoPolicyError
    from kuns_agents.exact.duel import duel, to_strategy
    from kuns_agents.exact.exploitability import POSITIONS, exploitability, tables_of
    from kuns_agents.exact.response import value_of
    from kuns_agents.exact.scope import check_exact, why_not_exact

    if why_not_exact(rules) is not None:
        return None
    try:
        found = exploitability(profile, rules)
        _, own = tables_of(responder, rules)
    except NoPolicyError:
        return None
    if len(found.tables) > 1 or len(own) > 1:
        return None
    game, mine, other = duel(check_exact(rules)), to_strategy(own[0]), to_strategy(found.tables[0])
    won = sum(value_of(game, position, mine, other) for position in POSITIONS) / len(POSITIONS)
    return Exact(found.exploitability, won)
