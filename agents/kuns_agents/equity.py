"""`equity`: its chances against the hands that it has not seen, against the odds that the pot gives."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from kuns_agents import equity_kernels
from kuns_agents.equity_kernels import Knowledge
from kuns_agents.hands import BETTING_SIZES, Floats, chances, tree
from kuns_agents.protocol import Moves, contiguous
from kuns_agents.rule_agent import KunsAgent
from kuns_env import KunsRules, Views
from kuns_env.kuns.rules import MAX_PLAYERS
from kuns_env.kuns.state import compile_rules


class EquityAgent(KunsAgent):
    """Calls where that pays if all others still in call to the end on hands that it has not seen."""

    name = "equity"

    def choose(self, views: Views) -> Moves:
        """Return what the tables say."""
        out = np.empty(len(views), np.int64)
        equity_kernels.choose_equity(
            contiguous(views.records),
            contiguous(views.seats),
            contiguous(views.masks),
            compile_rules(views.rules),
            knowledge(views.rules),
            out,
        )
        return out


@lru_cache(maxsize=64)
def knowledge(rules: KunsRules) -> Knowledge:
    """Return the tables of `equity` for these rules."""
    hands, deck = tree(), chances(rules)
    break_even = _break_even(rules.ranks, rules.num_suits, rules.no_kuns_zero_is_ten)
    antes = np.zeros((len(hands.sizes), MAX_PLAYERS - 1), np.int64)
    seen = deck.possible(BETTING_SIZES[0]) if rules.dealer_sees_hand else deck.possible(0)
    unseen = deck.copies - hands.counts
    equity_kernels.write_antes(
        deck.shares, hands.children, unseen, compile_rules(rules)[0], seen.astype(np.int64), antes
    )
    return Knowledge(hands.children, hands.sizes, unseen, deck.shares, deck.against_good, break_even, antes)


@lru_cache(maxsize=16)
def _break_even(ranks: tuple[int, ...], num_suits: int, zero_is_ten: bool) -> Floats:
    # The pot does not matter here, so rules that differ in money alone share the table.
    deck = chances(KunsRules(2, ranks, num_suits, no_kuns_zero_is_ten=zero_is_ten))
    hands = tree()
    nodes = np.concatenate([deck.possible(size) for size in BETTING_SIZES])
    out = np.zeros(deck.shares.shape)
    equity_kernels.write_break_even(
        deck.shares, hands.children, deck.copies - hands.counts, hands.sizes, nodes, out
    )
    return out
