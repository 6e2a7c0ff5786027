"""A policy as a table: how likely each call is with each hand at each node of the public tree, and each ante."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import numpy as np

from kuns_agents.exact.public import PublicTree, public_tree
from kuns_agents.exact.space import HandSpace, hand_space
from kuns_agents.hands import Floats, Integers
from kuns_env import KunsRules

SUM_TOLERANCE: Final = 1e-6
"""By how much the probabilities of the antes may miss 1."""


def rows_of(tree: PublicTree, space: HandSpace) -> Integers:
    """Return where the rows of each call-or-fold node begin in a table, and where the last ones end.

    The ante has none: it has a table of its own. Shape ``(nodes + 1,)``.
    """
    counts = np.array([0, *space.sizes])[tree.rounds]
    rows: Integers = np.concatenate([[0], counts.cumsum()])
    return rows


def num_ante_rows(rules: KunsRules, space: HandSpace) -> int:
    """Return the hands that the dealer tells apart when it sets the ante: all of two cards, or one (K3.2)."""
    return space.sizes[0] if rules.dealer_sees_hand else 1


@dataclass(frozen=True)
class TablePolicy:
    """The probability of every move in every situation that Kuns without side bets has.

    Raises:
        ValueError: arrays of a wrong shape, or what is no probability.
    """

    rules: KunsRules
    calls: Floats
    """Probability to call, node by node and in each the hands in the order of `HandSpace.nodes`: see `rows_of`."""
    antes: Floats
    """Probability of each entry of the menu, shape ``(hands of two, antes)``; one row where the dealer has not
    seen its cards (K3.2)."""

    def __post_init__(self) -> None:
        """Check shapes and numbers."""
        calls, antes = (
            (int(self.rows[-1]),),
            (num_ante_rows(self.rules, self.space), len(self.rules.ante_menu)),
        )
        for name, array, shape in (("calls", self.calls, calls), ("antes", self.antes, antes)):
            if array.shape != shape:
                raise ValueError(f"{name} has shape {array.shape}: must be {shape}")
            if not (np.isfinite(array).all() and (array >= 0).all() and (array <= 1).all()):
                raise ValueError(f"{name} must hold probabilities, from 0 to 1")
        if np.abs(self.antes.sum(axis=1) - 1).max() > SUM_TOLERANCE:
            raise ValueError("antes: the probabilities of a hand must sum to 1")

    @cached_property
    def tree(self) -> PublicTree:
        """The nodes."""
        return public_tree(self.rules)

    @cached_property
    def space(self) -> HandSpace:
        """The hands."""
        return hand_space(self.rules)

    @cached_property
    def rows(self) -> Integers:
        """Where each node's rows begin: `rows_of`."""
        return rows_of(self.tree, self.space)

    def calls_at(self, node: int) -> Floats:
        """Return the probability to call at ``node`` with each hand."""
        return self.calls[self.rows[node] : self.rows[node + 1]]

    def at(self, nodes: Integers, hands: Integers) -> tuple[Floats, Floats]:
        """Return the probability to call, and that of each ante, where ``hands`` are held at ``nodes``.

        Args:
            nodes: nodes of the public tree, int64 ``(B,)``.
            hands: nodes of the tree of hands, int64 ``(B,)``.

        Returns:
            ``(B,)``, which means nothing at the ante, and ``(B, antes)``, which means nothing elsewhere.
        """
        index = self.space.index[hands]
        is_ante = self.tree.rounds[nodes] == 0
        calls = self.calls[np.where(is_ante, 0, self.rows[nodes] + index)]
        antes = self.antes[np.where(is_ante & self.rules.dealer_sees_hand, index, 0)]
        return calls, antes


def uniform(rules: KunsRules) -> TablePolicy:
    """Return the policy that takes every legal move with the same probability."""
    tree, space = public_tree(rules), hand_space(rules)
    num_antes = len(rules.ante_menu)
    return TablePolicy(
        rules,
        np.full(int(rows_of(tree, space)[-1]), 1 / 2),
        np.full((num_ante_rows(rules, space), num_antes), 1 / num_antes),
    )


def single_hand(rules: KunsRules) -> KunsRules:
    """Return ``rules`` with one hand in an episode, and plain values in the fields that change nothing in a hand.

    With unlimited money nothing passes from one hand to the next, and without side bets there are no stakes.
    """
    plain = KunsRules()
    fixed = {name: getattr(plain, name) for name in ("num_hands", "max_hands", "side_stakes")}
    return replace(rules, **fixed)


def same_game(one: KunsRules, other: KunsRules) -> str | None:
    """Return None if a hand under both rules is the same game, else the first field in which they differ."""
    fields, others = single_hand(one).to_dict(), single_hand(other).to_dict()
    for name, value in fields.items():
        if value != others[name]:
            return f"{name}={others[name]!r} instead of {value!r}"
    return None
