"""Every deal of a small deck, and every way to play it, with exact weights: luck has to have mean 0."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np

from kuns_agents.luck.protocol import FAILED, Luck
from kuns_env import KunsRules
from kuns_env.cards import NUM_SUITS, format_card
from kuns_env.engine.game import game_of
from kuns_env.kuns.moves import NUM_MOVES

Array = np.ndarray[Any, Any]

CARDS_A_STEP = (2, 2, 1)


def rank_draws(counts: Sequence[int], num_cards: int) -> Iterator[tuple[tuple[int, ...], int]]:
    """Yield every sequence of ranks that ``num_cards`` cards can have, and in how many ways they can be drawn."""
    for ranks in product(range(len(counts)), repeat=num_cards):
        left, ways = list(counts), 1
        for rank in ranks:
            ways *= left[rank]
            left[rank] -= 1
        if ways > 0:
            yield ranks, ways


def hand_deals(rules: KunsRules) -> Iterator[tuple[list[str], float]]:
    """Yield decks of a heads-up hand, one for each order of ranks within a seat's step, and their probabilities."""
    full = [rules.num_suits] * len(rules.ranks)
    steps = [size for size in CARDS_A_STEP for _ in range(2)]

    def grow(step: int, left: list[int], ranks: list[tuple[int, ...]], weight: float) -> Iterator[Any]:
        if step == len(steps):
            yield ranks, weight
            return
        total = sum(left)
        for drawn, ways in rank_draws(left, steps[step]):
            if drawn == tuple(sorted(drawn)):  # a hand is as likely in each order of its cards
                orders = 2 if len(set(drawn)) > 1 else 1
                after = [count - drawn.count(rank) for rank, count in enumerate(left)]
                of = total * (total - 1) if len(drawn) > 1 else total
                yield from grow(step + 1, after, [*ranks, drawn], weight * ways * orders / of)

    for ranks, weight in grow(0, full, [], 1.0):
        order = [
            ranks[2 * step + seat][card]
            for step, size in enumerate(CARDS_A_STEP)
            for card in range(size)
            for seat in range(2)
        ]
        yield [format_card(card) for card in cards_of(rules, order)], weight


def cards_of(rules: KunsRules, order: Sequence[int]) -> list[int]:
    """Return different cards of these ranks, counted from 0 among those of the deck."""
    return [
        NUM_SUITS * (rules.ranks[rank] - 1) + list(order[:place]).count(rank)
        for place, rank in enumerate(order)
    ]


def all_deals(rules: KunsRules, dealer: int) -> tuple[Array, Array]:
    """Return the first record of every deal, and how likely each is."""
    game = game_of(rules)
    deals = list(hand_deals(rules))
    states = np.zeros(len(deals), game.state_dtype)
    for row, (deck, _) in enumerate(deals):
        game.start(states[row : row + 1], 0, 0, 0, {"dealer": dealer, "deck": deck})
    return states, np.array([weight for _, weight in deals])


Policy = Callable[[Array, Array], Array]
"""Is given records and the legal moves; returns probabilities ``(B, A)``."""


def some_policy(salt: int) -> Policy:
    """Return a policy that depends on the seat's cards and on the round in no sensible way."""

    def policy(states: Array, legal: Array) -> Array:
        seats = states["seat"].astype(np.int64)
        hole = states["hole"][np.arange(len(states)), seats].astype(np.int64) // NUM_SUITS
        key = (hole + 2).prod(axis=1) * (1 + states["round"].astype(np.int64)) + salt + 5 * seats
        out = np.zeros((len(states), NUM_MOVES))
        out[:, legal] = 0.05 + np.modf(np.sin(key[:, None] * (3.7 + legal)) ** 2)[0]
        return out / out.sum(axis=1, keepdims=True)

    return policy


class Walk:
    """All ways to go on from some records in which the same is public."""

    def __init__(
        self, rules: KunsRules, luck: Luck, policy: Policy, known: Sequence[int], fails: bool = False
    ) -> None:
        self.rules, self.luck, self.policy = rules, luck, policy
        self.known, self.fails = known, fails
        self.game = game_of(rules)
        self.luck_mean, self.payoff_mean = np.zeros(2), np.zeros(2)
        self.spread = 0.0
        """Mean square of the payoff of seat 0 less its luck."""

    def go(self, states: Array, weights: Array, sums: Array | None = None) -> None:
        """Add the means of luck and payoff, as likely as the policy makes them."""
        sums = np.zeros((len(states), 2)) if sums is None else sums
        if states["seat"][0] < 0:
            payoffs = states["payoff"][:, :2] / self.game.units
            self.luck_mean += weights @ sums
            self.payoff_mean += weights @ payoffs
            self.spread += weights @ (payoffs - sums)[:, 0] ** 2
            return
        if self.fails:  # who holds a low card first of all gives no move in the second round
            gone = (states["round"] == 2) & (states["hole"][:, 0, 0] < NUM_SUITS)
            ended = sums[gone] + self.luck.terms(states[gone], np.full(gone.sum(), FAILED), None)
            self.luck_mean += weights[gone] @ ended
            states, weights, sums = states[~gone], weights[~gone], sums[~gone]
        mask = np.zeros(NUM_MOVES, np.int8)
        self.game.loops.legal_one(states[:1], self.game.compiled, mask)
        legal = np.flatnonzero(mask)
        policy = self.policy(states, legal)
        known = policy if int(states["seat"][0]) in self.known else None
        for move in legal:
            after = states.copy()
            for row in range(len(after)):
                self.game.loops.apply_one(after[row : row + 1], self.game.compiled, mask, move)
            terms = self.luck.terms(states, np.full(len(states), move), known)
            self.go(after, weights * policy[:, move], sums + terms)
