"""The rules object: every field, its type and range (K11), dicts and JSON, and the presets (K8.1-K8.4)."""

from __future__ import annotations

import copy
import dataclasses
import json
import pickle
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from games import kuns_rules
from kuns_env import KunsRules, RulesError, preset

INTEGERS: dict[str, tuple[int, int]] = {
    "num_players": (2, 8),
    "num_suits": (1, 4),
    "num_hands": (1, 1_000),
    "max_hands": (1, 1_000_000),
    "bankroll": (1, 1_000_000),
    "forced_ante": (0, 10_000),
}
OPTIONAL = {"num_hands", "bankroll"}
BOOLEANS = ("dealer_sees_hand", "no_kuns_zero_is_ten", "side_bets")
LISTS: dict[str, tuple[int, int, int]] = {
    "ranks": (10, 1, 10),
    "ante_menu": (8, 1, 10_000),
    "side_stakes": (4, 1, 100),
}
CLAUSES = {
    "num_players": "K1.2",
    "ranks": "K1.3",
    "num_suits": "K1.3",
    "num_hands": "K2.2",
    "max_hands": "K2.2",
    "bankroll": "K2.3",
    "forced_ante": "K2.4",
    "ante_menu": "K3.1",
    "dealer_sees_hand": "K3.2",
    "no_kuns_zero_is_ten": "K5.5",
    "side_bets": "K6",
    "side_stakes": "K6.2",
}
NO_INTEGERS = (
    True,
    False,
    1.0,
    float("nan"),
    "4",
    b"4",
    [4],
    (4,),
    {},
    1j,
    Fraction(2),
    np.float64(2),
    np.bool_(True),
)
NO_BOOLEANS = (None, 0, 1, 1.0, "True", [], np.bool_(True))
NO_LISTS = (
    None,
    4,
    1.5,
    True,
    "12",
    b"12",
    {1: 2},
    [],
    (),
    [1, 1],
    [2, 1],
    [1, 2.0],
    [True, 2],
    [1, None],
    ["1"],
)


def test_all_fields_are_checked_here() -> None:
    names = {field.name for field in dataclasses.fields(KunsRules)}
    assert names == {*INTEGERS, *BOOLEANS, *LISTS} == set(CLAUSES)


def refused(name: str, value: Any, *allowed: str) -> None:
    """Check that the error names the field, the value, what is allowed and the clause."""
    with pytest.raises(RulesError) as caught:
        KunsRules(**{name: value})
    message = str(caught.value)
    assert message.startswith(name), message
    assert isinstance(caught.value, ValueError)
    for part in (*allowed, CLAUSES[name]):
        assert part in message, message


@pytest.mark.parametrize("name", INTEGERS)
@pytest.mark.parametrize("value", NO_INTEGERS, ids=repr)
def test_an_integer_field_refuses_other_types_k11(name: str, value: Any) -> None:
    low, high = INTEGERS[name]
    refused(name, value, repr(value), f"{low:,} to {high:,}")


@pytest.mark.parametrize("name", INTEGERS)
def test_ranges_of_integers_k11(name: str) -> None:
    low, high = INTEGERS[name]
    for value in (low - 1, high + 1, -1, 2**63, -(2**70)):
        if not low <= value <= high:
            refused(name, value, repr(value), f"{low:,} to {high:,}")
    for value in (low, high):
        room = {"ranks": range(1, 11), "num_suits": 4} if name == "num_players" else {"num_players": 2}
        assert getattr(KunsRules(**{**room, name: value}), name) == value
    if name in OPTIONAL:
        assert getattr(KunsRules(**{name: None}), name) is None
        with pytest.raises(RulesError, match="None or an integer"):
            KunsRules(**{name: 0})
    else:
        refused(name, None, "None")


@pytest.mark.parametrize("name", BOOLEANS)
@pytest.mark.parametrize("value", NO_BOOLEANS, ids=repr)
def test_a_flag_refuses_other_types_k11(name: str, value: Any) -> None:
    refused(name, value, repr(value), "True or False")


@pytest.mark.parametrize("name", LISTS)
@pytest.mark.parametrize("value", NO_LISTS, ids=repr)
def test_a_list_refuses_what_is_not_ascending_integers_k11(name: str, value: Any) -> None:
    _, low, high = LISTS[name]
    refused(name, value, f"{low:,} to {high:,}")


@pytest.mark.parametrize("name", LISTS)
def test_ranges_of_lists_k11(name: str) -> None:
    most, low, high = LISTS[name]
    for value in ((low - 1,), (low, high + 1), (-5, 1)):
        refused(name, value, f"{low:,} to {high:,}")
    refused(name, tuple(range(low, low + most + 1)), f"{low:,} to {high:,}")
    assert getattr(KunsRules(num_players=2, **{name: range(low, low + most)}), name) == tuple(
        range(low, low + most)
    )
    if name != "ranks":
        assert getattr(KunsRules(**{name: [high]}), name) == (high,)


@pytest.mark.parametrize("name", LISTS)
def test_lists_are_taken_for_tuples_k11(name: str) -> None:
    default = getattr(KunsRules(), name)
    for value in (list(default), np.array(default), iter(default)):
        rules = KunsRules(**{name: value})
        assert rules == KunsRules()
        assert hash(rules) == hash(KunsRules())
        assert {type(entry) for entry in getattr(rules, name)} == {int}


def test_numpy_integers_are_integers() -> None:
    rules = KunsRules(num_players=np.int64(3), bankroll=np.uint8(7), forced_ante=np.int32(1))  # type: ignore[arg-type]
    assert rules == KunsRules(num_players=3, bankroll=7, forced_ante=1)
    assert json.loads(rules.to_json())["num_players"] == 3


@pytest.mark.parametrize("players", range(2, 9))
def test_the_deck_holds_five_cards_for_every_player_k1_3(players: int) -> None:
    for num_suits in range(1, 5):
        for num_ranks in range(1, 11):
            fields: dict[str, Any] = {
                "num_players": players,
                "ranks": range(1, num_ranks + 1),
                "num_suits": num_suits,
            }
            if num_ranks * num_suits >= 5 * players:
                KunsRules(**fields)
            else:
                with pytest.raises(
                    RulesError, match=f"{num_ranks * num_suits} cards.*at least {5 * players}"
                ):
                    KunsRules(**fields)


# ---------------------------------------------------------------- a value among values


@given(kuns_rules())
def test_round_trips_equality_and_hash(rules: KunsRules) -> None:
    for twin in (
        KunsRules.from_dict(rules.to_dict()),
        KunsRules.from_json(rules.to_json()),
        KunsRules.from_dict(json.loads(json.dumps(rules.to_dict()))),
        pickle.loads(pickle.dumps(rules)),
        copy.deepcopy(rules),
        dataclasses.replace(rules),
        eval(repr(rules)),
    ):
        assert twin == rules
        assert hash(twin) == hash(rules)
    assert all(isinstance(value, (int, bool, list, type(None))) for value in rules.to_dict().values())


def test_every_field_makes_a_difference() -> None:
    others: dict[str, Any] = {
        **{name: not getattr(KunsRules(), name) for name in BOOLEANS},
        "num_players": 3,
        "num_suits": 2,
        "num_hands": None,
        "max_hands": 5,
        "bankroll": 9,
        "forced_ante": 1,
        "ranks": range(1, 10),
        "ante_menu": (1,),
        "side_stakes": (1,),
    }
    seen = {KunsRules()} | {KunsRules(**{name: value}) for name, value in others.items()}
    assert len(seen) == 1 + len(CLAUSES)


def test_rules_are_immutable() -> None:
    rules = KunsRules()
    with pytest.raises(dataclasses.FrozenInstanceError):
        rules.num_players = 5  # type: ignore[misc]
    with pytest.raises((AttributeError, TypeError)):
        rules.extra = 1  # type: ignore[attr-defined]


@pytest.mark.parametrize("fields", [{"wild": 1}, {"Num_players": 2}, {3: 4}])
def test_unknown_fields_are_named(fields: dict[Any, Any]) -> None:
    with pytest.raises(
        RulesError, match=r"is not a field of KunsRules; there are: num_players, ranks"
    ) as caught:
        KunsRules.from_dict(fields)
    assert repr(next(iter(fields))) in str(caught.value)


@pytest.mark.parametrize("data", [None, [], "x", 3, [("num_players", 3)]])
def test_rules_from_what_is_no_mapping(data: Any) -> None:
    with pytest.raises(RulesError, match="mapping"):
        KunsRules.from_dict(data)


@pytest.mark.parametrize("text", ["", "{", "nothing", "[1]", "null", '{"num_players": 9}', '{"wild": 1}'])
def test_rules_from_bad_json(text: str) -> None:
    with pytest.raises(RulesError):
        KunsRules.from_json(text)


@pytest.mark.parametrize("text", ["[" * 100_000, "9" * 5_000, b"\xff", 5], ids=["deep", "long", "bytes", "5"])
def test_rules_from_text_that_json_stumbles_over(text: Any) -> None:
    with pytest.raises(RulesError):
        KunsRules.from_json(text)


def test_defaults_stand_for_fields_that_are_not_named() -> None:
    assert KunsRules.from_dict({}) == KunsRules()
    assert KunsRules.from_json('{"num_players": 3}') == KunsRules(num_players=3)


# ---------------------------------------------------------------- presets


def test_the_default_is_the_text_k8_1() -> None:
    rules = KunsRules()
    assert rules.to_dict() == {
        "num_players": 4,
        "ranks": list(range(1, 11)),
        "num_suits": 4,
        "num_hands": 1,
        "max_hands": 1_000,
        "bankroll": None,
        "forced_ante": 0,
        "ante_menu": [1, 2, 4, 8],
        "dealer_sees_hand": True,
        "no_kuns_zero_is_ten": False,
        "side_bets": True,
        "side_stakes": [1, 2, 4],
    }


def test_anted_k8_2() -> None:
    assert KunsRules.anted() == KunsRules(forced_ante=1, side_bets=False)
    assert KunsRules.anted(6).num_players == 6


def test_tiny_k8_3() -> None:
    assert KunsRules.tiny() == KunsRules(
        num_players=2, ranks=(1, 4, 5, 10), num_suits=3, forced_ante=1, ante_menu=(1, 2), side_bets=False
    )


def test_duel_k8_4() -> None:
    assert KunsRules.duel() == KunsRules(
        num_players=2, forced_ante=1, ante_menu=(1, 2, 4, 8), side_bets=False
    )


@pytest.mark.parametrize("name", ["anted", "tiny", "duel"])
def test_presets_take_fields_that_they_do_not_fix_k8(name: str) -> None:
    make = getattr(KunsRules, name)
    free = {"num_hands": 2, "bankroll": 50, "dealer_sees_hand": False}
    assert make(**free) == dataclasses.replace(make(), **free)
    assert preset(f"kuns-{name}", **free) == make(**free)
    for field, value in {"forced_ante": 1, "side_bets": True}.items():
        with pytest.raises(RulesError, match=f"{field}={value}: KunsRules.{name} fixes {field}="):
            make(**{field: value})
    with pytest.raises(RulesError, match="'num_decks' is not a field"):
        make(num_decks=2)
    with pytest.raises(RulesError, match="num_hands=0"):
        make(num_hands=0)


def test_other_presets_take_fields_k8() -> None:
    assert KunsRules.anted(num_players=3, num_hands=2) == KunsRules.anted(3, num_hands=2)
    assert preset("kuns", num_players=3) == KunsRules(num_players=3)
    with pytest.raises(RulesError, match="ranks="):
        KunsRules.tiny(ranks=(1, 2))
