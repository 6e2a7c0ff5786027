"""Options that are iterators: what `Table` takes, a batch and the environments over it take as well (N9.1, K10.1)."""

from __future__ import annotations

from typing import Any

import pytest

from kuns_env import Batch, KunkenRules, KunsRules, SeatEnv, SeatVectorEnv, Table

RULES = KunkenRules(hand_size=3, bank_points=15)
OPTIONS: dict[str, Any] = {
    "dealer": 0,
    "hands": [["2c", "3d", "*"], ["9c", "9d", "Kh"]],
    "bank": ["4s", "9h", "Jd"],
    "stock": ["As", "2d", "7h", "7h"],
}


def iterators() -> dict[str, Any]:
    return {**OPTIONS, "bank": iter(OPTIONS["bank"])}


def test_a_batch_takes_what_a_table_takes_n9_1() -> None:
    assert Table(RULES, 1, iterators()).setup_options() == OPTIONS
    batch = Batch(RULES, 2, seed=1)
    batch.restart(seed=2, options=iterators())
    assert batch.table(1).setup_options() == OPTIONS


def test_a_refusal_changes_nothing_n9_1() -> None:
    batch = Batch(RULES, 2, seed=1)
    before = batch._states.tobytes(), batch.seed
    try:
        batch.restart(seed=2, options=iterators())
    except ValueError:
        assert (batch._states.tobytes(), batch.seed) == before


@pytest.mark.parametrize("make", [lambda: SeatEnv(RULES, seed=1), lambda: SeatVectorEnv(RULES, 2, seed=1)])
def test_seats_take_what_a_table_takes_n9_1(make: Any) -> None:
    make().reset(seed=1, options=iterators())


def test_options_of_kuns_are_not_silently_dropped_k10_1() -> None:
    deck = ["Ah", "Td", "5c", "5h", "7s", "8c", "2c", "3c"]
    listed, iterated = Batch(KunsRules(), 2, seed=1), Batch(KunsRules(), 2, seed=1)
    listed.restart(seed=2, options={"deck": deck})
    iterated.restart(seed=2, options={"deck": iter(deck)})
    for game in range(2):
        assert iterated.table(game).setup_options() == listed.table(game).setup_options()
