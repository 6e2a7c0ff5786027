"""Luck in the games of an arena: which value function it is judged by, and adding it up, decision by decision."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from kuns_agents.luck.protocol import Luck
from kuns_agents.protocol import HISTORY, MULTISET
from kuns_agents.raised import PASSED
from kuns_agents.rule_agent import RuleAgent
from kuns_env import KunkenRules, KunsRules
from kuns_env.engine.game import Rules, game_of
from kuns_env.engine.view import Views
from kuns_training.arena.statistics import GRAIN

if TYPE_CHECKING:
    from kuns_agents import Agent

Array = npt.NDArray[Any]

SUM_TOLERANCE: Final = 1e-4
"""By how much the probabilities of a policy may miss 1."""


METHOD: Final = (
    "payoff less luck: what a value function that sees all cards says of each deal of cards less its mean, and of "
    "each move less the mean by the agent's own policy (Burch et al., AIVAT, AAAI 2018, without imaginary "
    "observations; where time is limited policies are not asked, and moves are left out); the true mean of luck is 0"
)


class LuckError(ValueError):
    """Luck cannot be taken out under these rules, or not by the value function that was named."""


@dataclass(frozen=True, slots=True)
class ValueFunction:
    """What identifies the value function by which luck is judged."""

    name: str
    sha256: str
    """Hash of the numbers that it reads."""


def luck_of(rules: Rules) -> Luck | None:
    """Return the value function for these rules; None where there is none."""
    # Loaded on use: many evaluations leave luck in.
    from kuns_agents.luck.duel import duel_luck, why_not_duel
    from kuns_agents.luck.kunken import kunken_luck
    from kuns_agents.luck.table import table_luck

    if isinstance(rules, KunkenRules):
        return kunken_luck(rules)
    if not isinstance(rules, KunsRules):
        return None

    return duel_luck(rules) if why_not_duel(rules) is None else table_luck(rules)


def value_function(rules: Rules) -> ValueFunction | None:
    """Return what identifies the value function for these rules; None where there is none."""
    luck = luck_of(rules)
    return None if luck is None else ValueFunction(luck.name, luck.sha256)


def luck_by(rules: Rules, named: ValueFunction) -> Luck:
    """Return the value function that is ``named``.

    Raises:
        LuckError: there is another one now.
    """
    luck = luck_of(rules)
    if luck is None or (luck.name, luck.sha256) != (named.name, named.sha256):
        now = "there is none" if luck is None else f"{luck.name!r} with SHA-256 {luck.sha256}"
        raise LuckError(
            f"luck was judged by {named.name!r} with SHA-256 {named.sha256}; now {now}: the adjusted figures "
            "would be others"
        )
    return luck


def luck_dict(judge: ValueFunction | None) -> dict[str, str] | None:
    """Return by what luck was judged, as plain data; None where it is left in."""
    return None if judge is None else {**dataclasses.asdict(judge), "method": METHOD}


def has_dice(agent: Agent) -> bool:
    """Return whether the agent draws its moves by a policy that it tells, one that depends on the hand alone."""
    if isinstance(agent, RuleAgent) or getattr(agent, "greedy", None) is True:
        return False  # leaves nothing to chance
    reads = getattr(agent, "reads", HISTORY)
    reads_the_hand = isinstance(reads, str) and reads in (MULTISET, HISTORY)
    return callable(getattr(agent, "policy", None)) and reads_the_hand


def known_policy(agent: Agent, views: Views) -> Array | None:
    """Return how likely the agent makes each move, float64 ``(B, A)``; rows of zeros where that is no policy.

    None where the agent has no policy for them. It `has_dice`.
    """
    masks = views.masks.copy()  # the agent is handed the other ones
    try:
        policy = np.array(agent.policy(views), np.float64)  # type: ignore[attr-defined]
    except PASSED:
        raise
    except BaseException:
        return None
    if policy.shape != masks.shape:
        return None
    with np.errstate(invalid="ignore"):
        is_policy = np.isfinite(policy).all(axis=1) & (policy >= 0).all(axis=1)
        is_policy &= ((policy > 0) <= (masks == 1)).all(axis=1)
        is_policy &= np.abs(policy.sum(axis=1) - 1) <= SUM_TOLERANCE
    policy[~is_policy] = 0
    totals = policy.sum(axis=1, keepdims=True)
    known: Array = policy / np.where(totals > 0, totals, 1)
    return known


class LuckKeeper:
    """Adds up the luck of every seat in games that are played together.

    Args:
        rules: of the games.
        luck: their value function.
        num_games: ``D``.
        asks_policies: whether agents are asked how they draw their moves. Where they are not, and where they fail to
            answer, the luck of their draws is left in: the mean of the rest is 0 all the same.
    """

    def __init__(self, rules: Rules, luck: Luck, num_games: int, *, asks_policies: bool = True) -> None:
        self.luck = luck
        self._asks_policies = asks_policies and luck.judges_dice
        self._scale = GRAIN * game_of(rules).units
        self._sums = np.zeros((num_games, rules.num_players))

    def add(
        self, agent: Agent, rows: Array, states: Array, see: Callable[[Array], Views], moves: Array
    ) -> None:
        """Add the luck of decisions of one seat, each in a game of its own.

        Args:
            agent: who decided.
            rows: the games, int64 ``(B,)``.
            states: full records of all games before the decisions, ``(D,)``.
            see: returns fresh views of what the seat knew in some games.
            moves: int64 ``(B,)``, `FAILED` where the game ended by a fault.
        """
        matters = self.luck.matters(moves)
        rows, moves = rows[matters], moves[matters]
        if len(rows):
            is_judged = self._asks_policies and has_dice(agent)
            policy = known_policy(agent, see(rows)) if is_judged else None
            self._sums[rows] += self.luck.terms(states[rows], moves, policy)

    def counts(self) -> Array:
        """Return the luck of each game and seat in grains of `GRAIN` to a unit, int64 ``(D, P)``."""
        counts: Array = np.rint(self._sums * self._scale).astype(np.int64)
        return counts
