"""Ranks and what ranks are possible: small cases by hand, and how often the truth is among them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from evaluations import made_up
from kuns_training.arena.differences import p_value
from kuns_training.arena.evaluation import Evaluation
from kuns_training.arena.ranking import ranking

NOISE = [0.3, -0.2, 0.1, -0.3, 0.2, -0.1, 0.25, -0.25]


def table_of(means: Sequence[float], noise: np.ndarray) -> Evaluation:
    """Return a table at which each agent wins its mean and, in each block, ``noise`` ``(agents, blocks)``."""
    won = {agent: (mean + noise[agent]).tolist() for agent, mean in enumerate(means)}
    return made_up({0: won}, len(means), len(means))


def test_ranks_by_hand() -> None:
    """Far apart are (a, b) from c, and c from d; a and b are not."""
    noise = np.array([NOISE, NOISE[::-1], NOISE[2:] + NOISE[:2], NOISE[4:] + NOISE[:4]])
    found = ranking(table_of([10.0, 10.1, 5.0, -3.0], noise))
    ranks = [(each.agent, each.rank, each.best_rank, each.worst_rank) for each in found.standings]
    assert ranks == [("b", 1, 1, 2), ("a", 2, 1, 2), ("c", 3, 3, 3), ("d", 4, 4, 4)]
    assert found.num_comparisons == 6
    pairs = [(each.agent, each.other) for each in found.differences]
    assert pairs == [("b", "a"), ("b", "c"), ("b", "d"), ("a", "c"), ("a", "d"), ("c", "d")]
    assert [(each.agent, each.other) for each in found.neighbours()] == [("b", "a"), ("a", "c"), ("c", "d")]
    assert found.between("d", "a") == found.between("a", "d")
    assert found.unranked == ()


def test_equals_share_a_rank_and_may_have_any() -> None:
    found = ranking(table_of([1, 1, 1], np.array([NOISE] * 3)))
    assert [(each.rank, each.best_rank, each.worst_rank) for each in found.standings] == [(1, 1, 3)] * 3
    assert [each.agent for each in found.standings] == ["a", "b", "c"]


def test_agents_without_results_are_named() -> None:
    won = {0: {0: [1, 2], 1: [-1, -2]}}
    found = ranking(made_up(won, 3))  # c has not finished a match, so nobody has finished all
    assert (found.standings, found.unranked) == ((), ("a", "b", "c"))


NUM_RUNS, NUM_BLOCKS = 600, 20


def claims(true: Sequence[float], seed: int) -> list[tuple[bool, bool, bool]]:
    """Return for many tables whether all true ranks are possible, a claim is false, one without correction would be.

    What is won in a block is heavy with luck that all share, and skewed.
    """
    rng, found = np.random.default_rng(seed), []
    for _ in range(NUM_RUNS):
        luck = rng.normal(0, 5, NUM_BLOCKS) + rng.normal(0, 1, (len(true), NUM_BLOCKS))
        luck += rng.exponential(0.5, (len(true), NUM_BLOCKS)) - 0.5
        ranked = ranking(table_of(true, luck))
        level = {entry.label: mean for entry, mean in zip(made_labels(true), true, strict=True)}
        possible = all(
            each.best_rank <= 1 + sum(mean > level[each.agent] for mean in true)
            and sum(mean >= level[each.agent] for mean in true) <= each.worst_rank
            for each in ranked.standings
        )
        wrong = [each for each in ranked.differences if level[each.agent] <= level[each.other]]
        bare = [each for each in wrong if p_value(each.payoff) <= 0.05]
        found.append((possible, any(each.is_clear for each in wrong), bool(bare)))
    return found


def made_labels(true: Sequence[float]) -> Sequence[object]:
    return made_up({0: {agent: [0, 0] for agent in range(len(true))}}, len(true), len(true)).agents


@pytest.mark.parametrize("true", [[0, 0, 0, 0, 0, 0], [1, 1, 0, 0, -1, -1]], ids=["equals", "three pairs"])
def test_all_true_ranks_are_possible_as_often_as_is_said(true: list[float]) -> None:
    possible, wrong, bare = np.mean(claims(true, seed=5), axis=0)
    three_errors = 3 * (0.05 * 0.95 / NUM_RUNS) ** 0.5
    assert possible >= 0.95 - three_errors
    assert wrong <= 0.05 + three_errors
    assert bare > (0.2 if len(set(true)) == 1 else 0.09)  # what the correction is for


def test_clear_differences_are_found() -> None:
    rng = np.random.default_rng(2)
    found = ranking(table_of([3, 2, 1, 0], rng.normal(0, 1, (4, 100))))
    assert [(each.best_rank, each.worst_rank) for each in found.standings] == [(n, n) for n in (1, 2, 3, 4)]
