"""Evaluations of games that nobody played: what was won in each block is made up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from kuns_env import KunsRules
from kuns_env.engine.game import game_of
from kuns_env.tallies import HANDS, PAYOFF
from kuns_training.arena.entries import Entry
from kuns_training.arena.evaluation import Evaluation, Result
from kuns_training.arena.schedule import Match, schedule
from kuns_training.arena.statistics import Sums, counted

UNITS = game_of(KunsRules.duel()).units


def sums_of(rules: Any, won: Sequence[float], hands: Sequence[int]) -> Sums:
    """Return sums with these chips and hands in each block."""
    blocks = np.zeros((len(won), len(counted(rules))), np.int64)
    blocks[:, counted(rules).index(PAYOFF)] = np.round(np.asarray(won, float) * game_of(rules).units)
    blocks[:, counted(rules).index(HANDS)] = hands
    return Sums(rules, 1, blocks)


def made_up(
    won: Mapping[int, Mapping[int, Sequence[float]]],
    num_agents: int,
    num_players: int = 2,
    hands: Sequence[int] | None = None,
    matches: Sequence[Match] | None = None,
) -> Evaluation:
    """Return an evaluation of agents a, b, c, ... that won these chips, by match, agent and block."""
    rules = KunsRules.anted(num_players)
    num_blocks = len(next(iter(next(iter(won.values())).values())))
    matches = schedule(num_agents, num_players) if matches is None else matches
    known: dict[str, Any] = {
        "rules": rules,
        "seed": 1,
        "num_deals": num_blocks,
        "block_deals": 1,
        "num_hands": num_blocks,
        "agents": tuple(Entry(label, label) for label in "abcdefghijklmnopqrstuvwxyz"[:num_agents]),
        "matches": tuple(matches),
        "sums": {
            match: {agent: sums_of(rules, chips, hands or [1] * num_blocks) for agent, chips in each.items()}
            for match, each in won.items()
        },
    }
    labels = [entry.label for entry in known["agents"]]
    results = tuple(
        Result(labels[agent], tuple(labels[other] for other in sorted({*seats} - {agent})), sums.payoff(), {})
        for number, each in known["sums"].items()
        for seats in known["matches"][number].seatings[:1]
        for agent, sums in each.items()
    )
    return Evaluation(**known, results=results, overall=(), meetings=())


def duels(lead: Mapping[tuple[int, int], Sequence[float]]) -> dict[int, dict[int, list[float]]]:
    """Return what is won where every two agents meet heads-up: ``lead`` of the first over the second, by pair."""
    pairs = sorted(lead)
    return {
        number: {pair[0]: list(lead[pair]), pair[1]: [-chips for chips in lead[pair]]}
        for number, pair in enumerate(pairs)
    }
