"""Heads-up Kuns without side bets: what a table of an equilibrium makes of the cards of both sides.

The value of a position is what both sides win on average if the table goes on for both, given the cards that
they hold, over all cards that may still come. It is computed exactly: backward from the showdown, a pair of hands at
a time. Cards that a hand does not come to are never looked at, so they bring no noise.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from kuns_agents.exact.duel import Strategy, to_strategy, to_table
from kuns_agents.exact.equilibrium import EquilibriumAgent, solution
from kuns_agents.exact.scope import HEADS_UP, why_no_table
from kuns_agents.exact.solve import solve
from kuns_agents.exact.space import hand_space
from kuns_agents.exact.table import TablePolicy, single_hand
from kuns_agents.hands import Floats, Integers, chances, tree
from kuns_agents.luck import duel_kernels
from kuns_agents.luck.protocol import Flags
from kuns_agents.protocol import Probabilities, contiguous
from kuns_env import KunsRules
from kuns_env.engine.game import Rules
from kuns_env.kuns.moves import NUM_MOVES
from kuns_env.kuns.state import NUM_ROUNDS

GOOD_ENOUGH: Final = 2e-3
"""Exploitability, in chips for each chip of the forced ante, to which other rules than `KunsRules.duel` are solved."""
MOST_ITERATIONS: Final = 400
GRAINS: Final = 1024
"""A solved table is rounded to so many parts of one: where sums differ in the last bit, the table is still the same."""

ByRound: TypeAlias = tuple[Floats, ...]


class Tables(NamedTuple):
    """What the kernels read. Chips are those of the left of the dealer."""

    copies: Integers
    """Cards of each rank in the deck, ``(10,)``."""
    counts: Integers
    """`Tree.counts`."""
    children: Integers
    """`Tree.children`."""
    places: Integers
    """`HandSpace.index`."""
    nodes: tuple[Integers, ...]
    """`HandSpace.nodes`."""
    strengths: Integers
    """Of hands of five, ``(hands of five,)``."""
    calls: tuple[ByRound, ByRound]
    """`Strategy.sides`."""
    antes: Floats
    """`Strategy.antes`."""
    losses: Floats
    """Chips that a player has paid who folds, ``(rounds, antes)``."""
    stakes: Floats
    """Chips that the loser of a showdown has paid, ``(antes,)``."""
    called: ByRound
    """Value after both have called, in the first and in the second round, ``(hands, hands, antes)``."""
    starts: Floats
    """Value before the deal, with each ante, and before the ante is set, ``(antes + 1,)``."""


class DuelLuck:
    """What luck was, measured by the play of a table against itself.

    Args:
        table: of a heads-up game without side bets.
        name: of the table.
    """

    judges_dice = True

    def __init__(self, table: TablePolicy, name: str) -> None:
        self.rules, self.name = table.rules, f"{name}, both hands known"
        self.tables = make_tables(table)
        self.sha256 = hash_of(self.tables)

    @property
    def value(self) -> float:
        """What the table wins as the left of the dealer when it plays itself, in chips a hand."""
        return float(self.tables.starts[-1])

    def matters(self, moves: Integers) -> Flags:
        """Return which decisions may have terms: all."""
        return np.ones(len(moves), np.bool_)

    def terms(self, states: npt.NDArray[Any], moves: Integers, policy: Probabilities | None) -> Floats:
        """Return how lucky each seat was, in chips: see `kuns_agents.luck.protocol.Luck`."""
        left = np.empty(len(states))
        known = np.zeros((0, NUM_MOVES)) if policy is None else np.ascontiguousarray(policy, np.float64)
        duel_kernels.write_terms(
            self.tables,
            contiguous(states),
            contiguous(moves),
            known,
            self.rules.dealer_sees_hand,
            left,
        )
        out = np.stack([left, -left], axis=1)
        out[states["dealer"] == 0] *= -1
        return out


def make_tables(table: TablePolicy) -> Tables:
    """Return the values of all pairs of hands that play by ``table``."""
    rules, space, strategy = table.rules, hand_space(table.rules), to_strategy(table)
    deck, menu = chances(rules), np.array(rules.ante_menu, np.float64)
    num_antes = len(menu)
    called = tuple(np.zeros((size, size, num_antes)) for size in space.sizes[:-1])
    starts = np.zeros(num_antes + 1)
    tables = Tables(
        copies=deck.copies,
        counts=tree().counts,
        children=tree().children,
        places=space.index,
        nodes=space.nodes,
        strengths=deck.strengths[space.nodes[-1]],
        calls=(tuple(strategy.sides[0]), tuple(strategy.sides[1])),
        antes=np.ascontiguousarray(strategy.antes),
        losses=np.array([rules.forced_ante + round_ * menu for round_ in range(NUM_ROUNDS)]),
        stakes=rules.forced_ante + NUM_ROUNDS * menu,
        called=called,
        starts=starts,
    )
    duel_kernels.write_last_deal(tables, called[1])
    duel_kernels.write_second_deal(tables, called[0])
    duel_kernels.write_first_deal(tables, starts)
    return tables


def hash_of(tables: Tables) -> str:
    """Return a hash of what the values follow from."""
    digest = hashlib.sha256()
    for array in (
        *tables.calls[0],
        *tables.calls[1],
        tables.antes,
        tables.losses,
        tables.copies,
        tables.strengths,
    ):
        digest.update(array.tobytes())
    return digest.hexdigest()


def why_not_duel(rules: Rules) -> str | None:
    """Return None if under ``rules`` `DuelLuck` can be had, else why not."""
    reason = why_no_table(rules)
    if reason is None and rules.num_players != HEADS_UP:
        reason = f"num_players={rules.num_players}: must be {HEADS_UP}"
    return reason


@lru_cache(maxsize=4)
def duel_luck(rules: KunsRules) -> DuelLuck:
    """Return `DuelLuck` by a solution of ``rules``.

    Raises:
        ValueError: `why_not_duel`.
    """
    reason = why_not_duel(rules)
    if reason is not None:
        raise ValueError(f"this value function is for heads-up Kuns without side bets: {reason}")
    one_hand = single_hand(rules)
    if one_hand == KunsRules.duel():
        return DuelLuck(solution(one_hand).table, EquilibriumAgent.name)
    least = max(1, rules.forced_ante)
    found = solve(one_hand, GOOD_ENOUGH * least, max_iterations=MOST_ITERATIONS)
    return DuelLuck(rounded(found.table), f"{found.algorithm} solution")


def rounded(table: TablePolicy) -> TablePolicy:
    """Return a table whose probabilities are multiples of 1 / `GRAINS`."""
    policy = to_strategy(table)
    sides = tuple([_grains(calls) / GRAINS for calls in side] for side in policy.sides)
    antes = _grains(policy.antes)
    # What rounding has taken away or added goes to the likeliest ante.
    best = policy.antes.argmax(axis=1)
    antes[np.arange(len(antes)), best] += GRAINS - antes.sum(axis=1)
    return to_table(table.rules, Strategy((sides[0], sides[1]), np.clip(antes, 0, GRAINS) / GRAINS))


def _grains(array: Floats) -> Floats:
    grains: Floats = np.rint(array * GRAINS)
    return grains
