"""The table that an agent plays by, from its answers; refused by name where it has none."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from kuns_agents.code_file import staying
from kuns_agents.exact.follow import DRAWS, STATES, check_follows, plays
from kuns_agents.exact.probabilities import NoPolicyError, probabilities
from kuns_agents.exact.public import public_tree
from kuns_agents.exact.query import Deals, Situations, cards_of, multiset_deals, recall_deals
from kuns_agents.exact.space import hand_space
from kuns_agents.exact.table import TablePolicy, num_ante_rows, rows_of
from kuns_agents.hands import Floats, Integers
from kuns_agents.protocol import HISTORY, MULTISET
from kuns_agents.raised import PASSED, in_words, writable
from kuns_env import KunsRules
from kuns_env.errors import quoted
from kuns_env.kuns import moves
from kuns_env.kuns.rules import HAND_SIZE

__all__ = ["Asked", "NoPolicyError", "average", "check_agent"]

CHUNK: Final = 16_384
"""Views that an agent is handed at once."""
TOLERANCE: Final = 1e-4
"""By how much two answers may differ that should be one: networks round differently in batches of another size."""
SAMPLES: Final = 100
"""States of a node in which an agent is asked once more."""
SAMPLE_SEED: Final = 1


class Asked:
    """An agent and its answers.

    Args:
        agent: with a ``policy``, which depends on what its seat has seen in this hand.
        rules: of a heads-up game without side bets.
        dealer: the seat that deals.

    Raises:
        NoPolicyError: it has no such policy; the message names it and says why.
    """

    def __init__(self, agent: Any, rules: KunsRules, dealer: int) -> None:
        self.agent, self.rules, self.dealer = agent, rules, dealer
        check_agent(agent, rules)
        self.tree, self.space = public_tree(rules), hand_space(rules)
        self.situations = Situations(rules, dealer)
        self.by_multiset = getattr(agent, "reads", HISTORY) == MULTISET
        self.deals: tuple[Deals, ...] = multiset_deals(rules) if self.by_multiset else recall_deals(rules)
        self.answers = [self._answer(node) for node in range(len(self.tree))]
        """Of each node: the probability to call in each state, or of each ante."""

    # --- asking -------------------------------------------------------------------------------------------

    def states_at(self, node: int) -> Deals:
        """Return the states in which the agent is asked at ``node``."""
        round_ = int(self.tree.rounds[node])
        if round_ > 0:
            return self.deals[round_ - 1]
        if self.rules.dealer_sees_hand:
            return self.deals[0]
        nothing = np.zeros(1, np.int64)
        return Deals(np.full((1, HAND_SIZE), -1, np.int64), nothing, nothing, np.ones(1))

    def _answer(self, node: int) -> Floats:
        cards = cards_of(self.states_at(node).ranks, self.rules.num_suits)
        return self.ask(self.situations, node, cards)

    def ask(self, situations: Situations, node: int, cards: npt.NDArray[np.int8]) -> Floats:
        """Return the probability to call with each of ``cards``, ``(B,)``, or of each ante, ``(B, antes)``."""
        parts = []
        for first in range(0, len(cards), CHUNK):
            views = situations.views(node, cards[first : first + CHUNK], first)
            parts.append(probabilities(self.agent, views))
        policy = np.concatenate(parts)
        if self.tree.rounds[node] > 0:
            return policy[:, moves.CALL]
        return policy[:, moves.ANTE_BASE : moves.ANTE_BASE + len(self.rules.ante_menu)]

    # --- the table ----------------------------------------------------------------------------------------

    def table(self) -> TablePolicy:
        """Return what the agent does with each multiset, averaged over how the cards came."""
        antes = np.ones((num_ante_rows(self.rules, self.space), 1))
        if self.tree.has_ante:
            antes = self.answers[0]
        bets = np.flatnonzero(self.tree.rounds > 0)
        if self.by_multiset:
            calls = np.concatenate([self.answers[node] for node in bets])
        else:
            calls = self._averaged(bets, antes)
        return TablePolicy(self.rules, np.clip(calls, 0, 1), antes)

    def _averaged(self, bets: Integers, antes: Floats) -> Floats:
        """Return the probability to call with each multiset at each of the nodes ``bets``.

        A state counts by its probability, given the multiset, and by how likely the agent's own play leads to
        it; where that is nowhere, by its probability alone.
        """
        rows = rows_of(self.tree, self.space)
        calls = np.empty(int(rows[-1]))
        # How likely the agent, in each position, comes to the next round in each state of this one.
        reach: dict[int, Floats] = {}
        for node in bets:
            round_, position = int(self.tree.rounds[node]) - 1, int(self.tree.positions[node])
            deals = self.deals[round_]
            if round_ > 0:
                came = reach[position][deals.before]
            elif position == self.rules.num_players - 1:
                came = np.broadcast_to(antes[:, int(self.tree.antes[node])], len(deals))
            else:
                came = np.ones(len(deals))
            reach[position] = came * self.answers[node]
            calls[rows[node] : rows[node + 1]] = average(
                deals, came, self.answers[node], self.space.sizes[round_]
            )
        return calls

    # --- samples ------------------------------------------------------------------------------------------

    def check_samples(self) -> None:
        """Ask once more in some states, with other suits, and other orders of the cards.

        Raises:
            NoPolicyError: an answer changes that should not.
        """
        rng = np.random.default_rng(SAMPLE_SEED)
        for node in reversed(range(len(self.tree))):
            states = self.states_at(node)
            rows = rng.permutation(len(states))[:SAMPLES]
            ranks = states.ranks[rows]
            self._compare(node, rows, cards_of(ranks, self.rules.num_suits), "when it is asked again")
            self._compare(node, rows, cards_of(ranks, self.rules.num_suits, rng), "with other suits")
            if self.by_multiset and self.tree.rounds[node] > 1:
                others, hands = self._other_orders(node, rng)
                cards = cards_of(others, self.rules.num_suits)
                self._compare(
                    node, hands, cards, "in another order, though it declares that it reads the multiset"
                )

    def check_moves(self) -> None:
        """Draw moves in some states of every situation; an agent without ``act`` has nothing to compare.

        Raises:
            NoPolicyError: the agent does not play by its probabilities.
        """
        if not plays(self.agent):
            return
        rng = np.random.default_rng(SAMPLE_SEED)
        for node in range(len(self.tree)):
            states = self.states_at(node)
            rows = rng.permutation(len(states))[:STATES]
            cards = np.repeat(cards_of(states.ranks[rows], self.rules.num_suits, rng), DRAWS, axis=0)
            asked, played = (self.situations.views(node, cards) for _ in range(2))
            check_follows(self.agent, asked, played, rng)

    def _other_orders(self, node: int, rng: np.random.Generator) -> tuple[Integers, Integers]:
        """Return the ranks of some perfect-recall states, and their hands."""
        deals = recall_deals(self.rules)[int(self.tree.rounds[node]) - 1]
        rows = rng.permutation(len(deals))[:SAMPLES]
        return deals.ranks[rows], deals.hands[rows]

    def _compare(self, node: int, rows: Integers, cards: npt.NDArray[np.int8], how: str) -> None:
        again = self.ask(self.situations, node, cards)
        gaps = np.abs(again - self.answers[node][rows]).reshape(len(rows), -1).max(axis=1)
        if gaps.max(initial=0) > TOLERANCE:
            view = self.situations.views(node, cards[[int(gaps.argmax())]]).view(0)
            raise NoPolicyError(
                f"agent {self.agent.name!r} plays the same ranks differently {how}, so that its policy is no function "
                f"of what its seat has seen in the hand. It does so here:\n{view.text()}"
            )

    def differs_from(self, other: Asked) -> bool:
        """Return whether the agent plays otherwise in ``other``, where the other seat deals, in any state at all."""
        pairs = zip(self.answers, other.answers, strict=True)
        return any(np.abs(ours - theirs).max() > TOLERANCE for ours, theirs in pairs)


def average(deals: Deals, came: Floats, answers: Floats, num_hands: int) -> Floats:
    """Return the mean of ``answers`` over the states of each hand, weighted by their chances and by ``came``."""
    weights = deals.chances * came
    total = np.bincount(deals.hands, weights, num_hands)
    never = total[deals.hands] <= 0
    weights = np.where(never, deals.chances, weights)
    total = np.bincount(deals.hands, weights, num_hands)
    mean: Floats = np.bincount(deals.hands, weights * answers, num_hands) / total
    return mean


def check_agent(agent: Any, rules: KunsRules) -> None:
    """Refuse an agent without a policy for ``rules`` that depends on one hand alone."""
    name = quoted(getattr(agent, "name", agent))
    if isinstance(agent, str):
        raise NoPolicyError(f"{name} is a name: load the agent first, by kuns_agents.load({name})")
    if not callable(getattr(agent, "policy", None)):
        raise NoPolicyError(
            f"agent {name} has no `policy`: without probabilities nothing can be computed exactly"
        )
    for needed in ("name", "supports"):
        if not hasattr(agent, needed):
            raise NoPolicyError(
                f"agent {name} has no `{needed}`: see kuns_agents.Agent for what an agent has"
            )
    reads = getattr(agent, "reads", HISTORY)
    if not isinstance(reads, str) or reads not in (MULTISET, HISTORY):
        raise NoPolicyError(
            f"agent {name} declares reads={quoted(reads)}: must be {MULTISET!r} or {HISTORY!r}. One that remembers "
            "earlier hands has no policy for a single one"
        )
    try:
        with staying():
            reason = agent.supports(rules)
    except PASSED:
        raise
    except BaseException as error:
        raise NoPolicyError(f"agent {name} raised in `supports`: {in_words(error)}") from error
    if reason is not None and not isinstance(reason, str):
        raise NoPolicyError(
            f"agent {name} answered supports(rules) by {quoted(reason)}: must be None, or a text that says why not"
        )
    if reason is not None:
        raise NoPolicyError(writable(reason))
