"""The rules object of Kunken: every field, its type and range (N11), dicts and JSON, and the presets (N10)."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

from kuns_env import RulesError
from kuns_env.kunken.rules import KunkenRules

INTEGERS: dict[str, tuple[int, int]] = {
    "num_players": (2, 5),
    "num_jokers": (0, 2),
    "hand_size": (3, 20),
    "num_deals": (1, 1_000),
    "bank_points": (5, 200),
    "max_reshuffles": (0, 3),
}
BOOLEANS = (
    "identical_cards_in_set",
    "joker_swap",
    "bank_points_every_time",
    "open_from_stock",
    "discard_to_go_out",
    "hand_penalty",
)
SETTLEMENTS = ("difference", "win", "points")


def test_every_field_is_tested() -> None:
    assert {field.name for field in dataclasses.fields(KunkenRules)} == {*INTEGERS, *BOOLEANS, "settlement"}


@pytest.mark.parametrize(("name", "bounds"), INTEGERS.items())
def test_integers_n11(name: str, bounds: tuple[int, int]) -> None:
    for value in bounds:
        assert getattr(KunkenRules(**{name: value}), name) == value
    assert getattr(KunkenRules(**{name: np.int64(bounds[0])}), name) == bounds[0]
    for value in (bounds[0] - 1, bounds[1] + 1, True, 2.0, "3", None, float("nan")):
        with pytest.raises(RulesError, match=rf"{name}=.*must be an integer from {bounds[0]} to"):
            KunkenRules(**{name: value})


@pytest.mark.parametrize("name", BOOLEANS)
def test_booleans_n11(name: str) -> None:
    for value in (True, False):
        assert getattr(KunkenRules(**{name: value}), name) is value
    for value in (0, 1, "yes", None):
        with pytest.raises(RulesError, match=rf"{name}=.*True or False"):
            KunkenRules(**{name: value})  # type: ignore[arg-type]


def test_settlements_n7() -> None:
    for value in SETTLEMENTS:
        assert KunkenRules(settlement=value).settlement == value
    wrong: Any
    for wrong in ("score", "", None, 1, ["win"]):
        with pytest.raises(RulesError, match="difference, win, points"):
            KunkenRules(settlement=wrong)


def test_the_deck_leaves_two_cards_n1_2() -> None:
    assert KunkenRules(num_players=5, hand_size=20).hand_size == 20  # 100 of 106 cards
    assert KunkenRules(num_players=5, hand_size=20, num_jokers=0).hand_size == 20  # 100 of 104


def test_presets_n10_1_n10_2() -> None:
    rules = KunkenRules()
    assert (rules.num_players, rules.num_jokers, rules.hand_size, rules.bank_points) == (2, 2, 13, 50)
    assert KunkenRules.mini() == KunkenRules(hand_size=7, bank_points=25)


def test_dicts_json_and_hashes() -> None:
    rules = KunkenRules(num_players=4, joker_swap=True, settlement="win")
    assert KunkenRules.from_dict(rules.to_dict()) == rules == KunkenRules.from_json(rules.to_json())
    assert hash(KunkenRules.from_dict({})) == hash(KunkenRules())
    with pytest.raises(RulesError, match="ante_menu"):
        KunkenRules.from_dict({"ante_menu": [1]})


def test_mini_takes_other_fields_n10_2() -> None:
    assert KunkenRules.mini(num_players=3).num_players == 3
    with pytest.raises(RulesError, match=r"hand_size=9: KunkenRules.mini fixes hand_size=7"):
        KunkenRules.mini(hand_size=9)
