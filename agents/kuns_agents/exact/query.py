"""Asking an agent what it does in every situation of a heads-up game, and the table that follows.

An agent may look at everything that its seat has seen, so by default it is asked at every *perfect-recall* state:
which cards came in which deal. In `KunsRules.duel` these are 55, 3,025 and 30,240 private states in the three
rounds. An agent that declares that it reads the multiset alone is asked once for each of 55, 715 and 1,992 hands;
samples check that it does, and that no agent looks at suits or remembers.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from kuns_agents.exact.public import PublicTree, public_tree
from kuns_agents.exact.space import HandSpace, hand_space
from kuns_agents.hands import BETTING_SIZES, Integers, tree
from kuns_env import KunsRules, Table, Views
from kuns_env.cards import NUM_SUITS
from kuns_env.kuns.rules import HAND_SIZE

NO_CARD: Final = -1


@dataclass(frozen=True, slots=True)
class Deals:
    """Private states of one size: the ranks that a seat holds, by the deal they came with."""

    ranks: Integers
    """Ranks from 0 on, ascending within each deal; `NO_CARD` past the last. Shape ``(states, 5)``."""
    hands: Integers
    """The hand, among those of its size: not a node but a place. Shape ``(states,)``."""
    before: Integers
    """The state of the round before; itself where that is not told apart. Shape ``(states,)``."""
    chances: npt.NDArray[np.float64]
    """Probability of the state, given the hand. Shape ``(states,)``."""

    def __len__(self) -> int:
        """Return the number of states."""
        return len(self.hands)


@lru_cache(maxsize=16)
def multiset_deals(rules: KunsRules) -> tuple[Deals, ...]:
    """Return one state for each hand, in which the lowest ranks came first, for each round.

    >>> [len(deals) for deals in multiset_deals(KunsRules.duel())]
    [55, 715, 1992]
    """
    space = hand_space(rules)
    return tuple(_one_for_each(space, round_) for round_ in range(len(space.sizes)))


def _one_for_each(space: HandSpace, round_: int) -> Deals:
    counts = tree().counts[space.nodes[round_]]
    ranks = np.full((len(counts), HAND_SIZE), NO_CARD, np.int64)
    for row, held in enumerate(counts):
        ranks[row, : BETTING_SIZES[round_]] = np.repeat(np.arange(len(held)), held)
    everyone = np.arange(len(counts))
    return Deals(ranks, everyone, everyone, np.ones(len(counts)))


@lru_cache(maxsize=16)
def recall_deals(rules: KunsRules) -> tuple[Deals, ...]:
    """Return all perfect-recall states, for each round.

    >>> [len(deals) for deals in recall_deals(KunsRules.duel())]
    [55, 3025, 30240]
    """
    space = hand_space(rules)
    found = [_one_for_each(space, 0)]
    for round_, splits in enumerate(space.splits):
        earlier, counts = found[-1], tree().counts
        by_hand = np.argsort(earlier.hands, kind="stable")
        firsts = np.searchsorted(earlier.hands[by_hand], np.arange(space.sizes[round_] + 1))
        hands = np.repeat(np.arange(space.sizes[round_ + 1]), np.diff(splits.starts))
        ways = np.diff(firsts)[splits.parents]
        split = np.repeat(np.arange(len(splits.parents)), ways)
        offsets = np.arange(len(split)) - np.repeat(ways.cumsum() - ways, ways)
        before = by_hand[firsts[splits.parents[split]] + offsets]
        new = (
            counts[space.nodes[round_ + 1][hands[split]]] - counts[space.nodes[round_][splits.parents[split]]]
        )
        ranks = earlier.ranks[before].copy()
        size, added = BETTING_SIZES[round_], BETTING_SIZES[round_ + 1] - BETTING_SIZES[round_]
        ranks[:, size : size + added] = np.repeat(
            np.tile(np.arange(new.shape[1]), len(new)), new.ravel()
        ).reshape(-1, added)
        found.append(Deals(ranks, hands[split], before, splits.chances[split] * earlier.chances[before]))
    return tuple(found)


class Situations:
    """The records in which an agent is asked.

    Args:
        rules: of a heads-up game without side bets.
        dealer: the seat that deals.
    """

    def __init__(self, rules: KunsRules, dealer: int) -> None:
        self.rules, self.dealer = rules, dealer
        self.tree: PublicTree = public_tree(rules)
        self._known = [self._lead_to(node) for node in range(len(self.tree))]

    def _lead_to(self, node: int) -> tuple[int, npt.NDArray[Any], npt.NDArray[Any]]:
        """Return the seat that is asked at ``node``, what it knows there, cards aside, and its legal moves."""
        ante, round_ = int(self.tree.antes[node]), int(self.tree.rounds[node])
        table = Table(self.rules, seed=0, options={"dealer": self.dealer})
        if round_ > 0 and self.tree.has_ante:
            table.apply(f"ante {self.rules.ante_menu[ante]}")
        seat = (self.dealer + 1 + int(self.tree.positions[node])) % self.rules.num_players
        while round_ > 0 and (table.state["round"], table.to_play) != (round_, seat):
            table.apply("call")
        view = table.view(seat)
        return seat, np.array([view.record]), view.mask

    def views(self, node: int, cards: npt.NDArray[np.int8], first: int = 0) -> Views:
        """Return what is known at ``node`` with each of ``cards``, int8 ``(B, 5)``, in games counted from ``first``."""
        seat, known, mask = self._known[node]
        records = np.repeat(known, len(cards))
        records["hole"][:, seat] = cards
        games = np.stack([np.arange(first, first + len(cards)), np.zeros(len(cards), np.int64)], axis=1)
        return Views(
            self.rules, np.full(len(cards), seat, np.int64), records, np.tile(mask, (len(cards), 1)), games
        )


def cards_of(ranks: Integers, num_suits: int, rng: np.random.Generator | None = None) -> npt.NDArray[np.int8]:
    """Return cards of these ranks, each a different one; within a deal step ascending, as a seat remembers them.

    Args:
        ranks: `Deals.ranks`, int64 ``(B, 5)``.
        num_suits: suits in the deck.
        rng: chooses the suits; None takes the first of each rank.

    Returns:
        Card ids, int8 ``(B, 5)``, -1 where there is no card.
    """
    rows = len(ranks)
    order = np.tile(np.arange(num_suits), (rows, 1))
    if rng is not None:
        order = rng.permuted(order, axis=1)
    suits = np.zeros(ranks.shape, np.int64)
    for place in range(HAND_SIZE):
        # The suits of a rank are given out in turn.
        earlier = (ranks[:, :place] == ranks[:, place : place + 1]).sum(axis=1)
        suits[:, place] = order[np.arange(rows), (earlier + ranks[:, place]) % num_suits]
    cards = np.where(ranks == NO_CARD, NO_CARD, NUM_SUITS * ranks + suits)
    for start, end in zip((0, *BETTING_SIZES), BETTING_SIZES, strict=False):
        cards[:, start:end] = np.sort(cards[:, start:end], axis=1)
    return cards.astype(np.int8)
