"""Ways to play heads-up Kuns for `oracle.kuns_exact`: plain rules and random tables."""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable
from fractions import Fraction
from typing import Any

from oracle.kuns_exact import Policy, Situation

MOST_WEIGHT = 5


def options(asked: Situation, menu: tuple[int, ...]) -> list[str]:
    """Return the legal moves: an ante from the menu as long as none is set, else call or fold (K3.1, K4.2)."""
    if len(menu) > 1 and not asked.moves:
        return [f"ante {chips}" for chips in menu]
    return ["call", "fold"]


def uniform(menu: tuple[int, ...]) -> Policy:
    """Return the policy that chooses every legal move equally often."""

    def policy(asked: Situation) -> dict[str, Any]:
        moves = options(asked, menu)
        return {move: Fraction(1, len(moves)) for move in moves}

    return policy


def always(move: str, menu: tuple[int, ...]) -> Policy:
    """Return the policy that plays ``move``, "call" or "fold", always, and sets the lowest ante."""

    def policy(asked: Situation) -> dict[str, Any]:
        moves = options(asked, menu)
        return {move if move in moves else moves[0]: 1}

    return policy


def by_order(asked: Situation) -> Hashable:
    """Return all that is known: which cards came when."""
    return asked


def by_multiset(asked: Situation) -> Hashable:
    """Return what is known but for the order in which the cards came."""
    return asked.dealer, asked.seat, asked.moves, tuple(sorted(sum(asked.cards, ())))


def at_random(
    seed: int, menu: tuple[int, ...], reads: Callable[[Situation], Hashable] = by_order, pure: float = 0.25
) -> Policy:
    """Return a policy drawn from ``seed``: a mixture, at a share of ``pure`` of the places a single move.

    Args:
        seed: equal seeds give equal policies.
        menu: the antes that the dealer may set.
        reads: what the policy depends on.
        pure: the chance that one move has all the probability.
    """

    def policy(asked: Situation) -> dict[str, Any]:
        rng = random.Random(f"{seed} {reads(asked)}")
        moves = options(asked, menu)
        if rng.random() < pure:
            return {rng.choice(moves): 1}
        weights = [rng.randint(1, MOST_WEIGHT) for _ in moves]
        return {move: Fraction(weight, sum(weights)) for move, weight in zip(moves, weights, strict=True)}

    return policy


def by_table(table: dict[Situation, str]) -> Policy:
    """Return the policy that plays the move that ``table`` has for each situation."""
    return lambda asked: {table[asked]: 1}
