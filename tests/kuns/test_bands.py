"""The bands that fold rates are told by (`kuns_env.kuns.tally.band_of`): what they hold, and how good it is."""

from __future__ import annotations

from collections import Counter
from itertools import combinations_with_replacement
from math import comb, prod

import numpy as np
import pytest

from games import COMPILED, COMPILED_ONLY
from kuns_env.kuns.tally import BANDS, band_of
from kuns_env.kuns.value import hand_value
from recount import band

NUM_CARDS = (2, 4, 5)


def ways(ranks: tuple[int, ...], held: tuple[int, ...] = ()) -> int:
    """Return how many sets of cards have these ranks, ``held`` being gone from the deck."""
    gone = Counter(held)
    return prod(comb(4 - gone[rank], number) for rank, number in Counter(ranks).items())


def hands(num_cards: int) -> list[tuple[int, ...]]:
    return list(combinations_with_replacement(range(1, 11), num_cards))


@pytest.mark.parametrize("past", range(3))
def test_bands_are_those_of_a_plain_count(past: int) -> None:
    hole = np.full((1, 5), -1, np.int8)
    for ranks in hands(NUM_CARDS[past])[:: 1 if COMPILED else 7]:
        hole[0, : len(ranks)] = [4 * (rank - 1) for rank in ranks]
        assert BANDS[band_of(hole, 0, past)] == band(list(ranks)), ranks


@COMPILED_ONLY
def test_shares_and_strengths_are_what_the_docs_say() -> None:
    strengths = np.zeros(21)
    for ranks in hands(5):
        strengths[hand_value(np.array(ranks))] += ways(ranks)
    strengths /= strengths.sum()
    wins = np.cumsum(strengths) - strengths / 2  # against a hand that nobody knows; a tie is half
    found: dict[int, list[tuple[float, float]]] = {}
    for num_cards in NUM_CARDS:
        weights, sums = Counter[str](), Counter[str]()
        for ranks in hands(num_cards):
            own, name = ways(ranks), band(list(ranks))
            for more in hands(5 - num_cards) if own else ():
                number = own * ways(more, ranks)
                weights[name] += number
                sums[name] += number * float(wins[hand_value(np.array(ranks + more))])
        total = sum(weights.values())
        found[num_cards] = [(round(weights[b] / total, 2), round(sums[b] / weights[b], 2)) for b in BANDS]
    assert found == {
        2: [(0.08, 0.44), (0.84, 0.50), (0.08, 0.52)],
        4: [(0.31, 0.37), (0.34, 0.45), (0.36, 0.66)],
        5: [(0.32, 0.16), (0.34, 0.49), (0.34, 0.83)],
    }
