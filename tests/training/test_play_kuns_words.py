"""Kuns in words: what hands are worth."""

from __future__ import annotations

import pytest

from kuns_env import KunsRules
from kuns_training.play_kuns_words import Words, tens_of, values_of

DUEL = KunsRules.duel()


@pytest.mark.parametrize(
    ("cards", "words"),
    [
        # The examples of the text (K5.7).
        (["8c", "5d", "9h", "7s", "Ac"], "kuns 10: 5♦ + 7♠ + 8♣ = 20, A♣ + 9♥ = 10"),
        (["Tc", "Td", "Th", "Ac", "4d"], "kuns 5: 10♣ + 10♦ + 10♥ = 30, A♣ + 4♦ = 5"),
        (["Tc", "7d", "3h", "5c", "6d"], "kuns 1: 3♥ + 7♦ + 10♣ = 20, 5♣ + 6♦ = 11"),
        (["Ac", "Ad", "2h", "2c", "3d"], "no kuns, 9: A♣ + A♦ + 2♣ + 2♥ + 3♦ = 9"),
    ],
)
def test_the_value_of_a_hand_in_words(cards: list[str], words: str) -> None:
    assert Words(DUEL, 0, ["you", "a"]).value(cards).plain == words


def test_zero_without_kuns_is_explained_where_it_counts_as_ten() -> None:
    cards = ["Ac", "Ad", "2c", "2d", "4c"]  # K5.5
    assert tens_of(cards) is None
    assert values_of(cards) == 0
    assert Words(DUEL, 0, ["you", "a"]).value(cards).plain.startswith("no kuns, 0: ")
    best = Words(KunsRules(no_kuns_zero_is_ten=True), 0, ["you", *"abc"])
    assert best.value(cards).plain.endswith("which counts as ten here")
    assert best.strength(cards) == 10
