"""Perfect recall: `information_state` tells two situations apart exactly when the seat can.

The partition is that of `oracle.kunken_history`, over many plays of the same deal and of deals that a seat cannot tell
from it. Clauses: N2.2, N4.1, N4.2, N4.8, N5.1, N6.3, N7.4.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable
from typing import Any

import numpy as np
import pytest

from games import COMPILED
from kunken_play import beside, position_of
from kuns_env import KunkenRules, Table
from oracle.kunken_history import KunkenHistory

Look = Callable[[Table, int], Hashable]


class NotOneToOne(AssertionError):
    """Two things that should tell the same situations apart do not."""


class Pairs:
    """Holds that two descriptions of a situation determine each other."""

    def __init__(self) -> None:
        self.there: dict[Hashable, Hashable] = {}
        self.back: dict[Hashable, Hashable] = {}
        self.met = 0

    def add(self, one: Hashable, other: Hashable) -> None:
        self.met += 1
        if self.there.setdefault(one, other) != other:
            raise NotOneToOne(f"equal {one!r}, but {self.there[one]!r} and {other!r} differ")
        if self.back.setdefault(other, one) != one:
            raise NotOneToOne(f"equal {other!r}, but {self.back[other]!r} and {one!r} differ")


FREE = {"bank_points": 15, "open_from_stock": True, "joker_swap": True, "max_reshuffles": 2}
TWO = {
    "dealer": 0,
    "hands": [["9s", "9h", "*", "3d"], ["9c", "9d", "8h", "Th"]],
    "bank": ["2c", "9h"],
    "stock": ["7h", "3d", "Jh"],
}
THREE = {
    "dealer": 1,
    "hands": [["9s", "*", "3d"], ["9c", "9d", "8h"], ["5c", "5c", "5d"]],
    "bank": ["9h"],
    "stock": ["7h", "3d", "Jh", "5h"],
}
DEALS: dict[str, tuple[KunkenRules, dict[str, Any] | None]] = {
    "two players": (KunkenRules(hand_size=4, **FREE), TWO),
    "without opening from the stock": (KunkenRules(hand_size=4, bank_points=15), TWO),
    "three players": (KunkenRules(num_players=3, hand_size=3, **FREE), THREE),
    "cards in hand count": (KunkenRules(hand_size=4, hand_penalty=True, **FREE), TWO),
    "several deals": (
        KunkenRules(hand_size=3, num_deals=2, bank_points=5),
        {**THREE, "hands": THREE["hands"][:2]},
    ),
    "dealt": (KunkenRules(num_players=5, hand_size=20, bank_points=5, max_reshuffles=1), None),
}


def starts(name: str) -> list[Table]:
    """Return games to begin with: one, for each seat deals that it cannot tell from it, and others."""
    rules, options = DEALS[name]
    rng = np.random.default_rng(1)
    table = Table(rules, seed=1, options=options)
    tables = [table]
    for _ in range(2):
        tables += [table.determinize(seat, rng) for seat in range(rules.num_players)]
    # A new stock in another order, a later deal of other cards.
    tables += [Table(rules, seed=seed, options=options) for seed in (2, 3)]
    return tables


def compare(name: str, look: Look, plays: int) -> int:
    """Compare ``look`` with the oracle; return how often a seat met a situation that it knew already."""
    rules, _ = DEALS[name]
    pairs = [Pairs() for _ in range(rules.num_players)]
    for start in starts(name):
        for number in range(plays):
            # The same few ways to play on every start, so that plays run together for a while.
            rng = random.Random(number)
            table = start.clone()
            oracle = beside(table, KunkenHistory)
            for seat in range(rules.num_players):
                pairs[seat].add(look(table, seat), oracle.information_state(seat))
            while not table.is_over and int(table.state["num_history"]) < 60:
                legal = table.legal_moves()
                # Few moves to choose from, melds first: text order would discard first.
                wanted = [move for move in legal if move.split()[0] not in ("discard", "draw")]
                move = rng.choice((wanted if wanted and rng.random() < 0.7 else legal)[:2])
                table.apply(move)
                oracle.apply(move)
                for seat in range(rules.num_players):
                    pairs[seat].add(look(table, seat), oracle.information_state(seat))
    return sum(pair.met - len(pair.there) for pair in pairs)


@pytest.mark.parametrize("name", DEALS)
def test_the_information_state_has_perfect_recall(name: str) -> None:
    again = compare(name, Table.information_state, 12 if COMPILED else 3)
    assert again > 100, "hardly two situations were the same to a seat: nothing is proven"


def test_keys_of_different_seats_differ() -> None:
    table = starts("two players")[0]
    assert table.information_state(0) != table.information_state(1)


# ---------------------------------------------------------------- keys without perfect recall


def forgets_moves(table: Table, seat: int) -> Hashable:
    """What the seat knows now, not how it came about."""
    return table.view(seat).observation("table").tobytes()


def forgets_the_last_move(table: Table, seat: int) -> Hashable:
    return table.information_state(seat).rpartition("|")[0]


def forgets_its_draws(table: Table, seat: int) -> Hashable:
    return tuple(part[: len("0 draw")] for part in table.information_state(seat).split("|"))


def knows_the_stock(table: Table, seat: int) -> Hashable:
    return table.information_state(seat), tuple(position_of(table).stock)


def knows_the_other_hands(table: Table, seat: int) -> Hashable:
    return table.information_state(seat), str(position_of(table).hands)


def knows_the_seed(table: Table, seat: int) -> Hashable:
    return table.information_state(seat), table.state["key"].tobytes()


def is_another_seat(table: Table, seat: int) -> Hashable:
    return table.information_state((seat + 1) % table.rules.num_players)


@pytest.mark.parametrize(
    "look",
    [
        *(forgets_moves, forgets_the_last_move, forgets_its_draws, knows_the_stock),
        *(knows_the_other_hands, knows_the_seed, is_another_seat),
    ],
)
def test_a_key_without_perfect_recall_is_found_out(look: Look) -> None:
    with pytest.raises(NotOneToOne):
        compare("two players", look, 15 if COMPILED else 10)


# ---------------------------------------------------------------- what scores tell of hands


def at_the_end(other: str, **rules: Any) -> tuple[Table, KunkenHistory]:
    """Return a deal that nobody wins, in which seat 1 holds ``other`` to the end."""
    options = {
        "dealer": 1,
        "hands": [["2c", "3d", "4s"], ["9c", "Jd", other]],
        "bank": ["5h"],
        "stock": ["As", "6d"],
    }
    table = Table(KunkenRules(hand_size=3, max_reshuffles=0, **rules), seed=1, options=options)
    oracle = beside(table, KunkenHistory)
    for move in ("draw", "discard 2c", "draw", "discard 6d"):
        table.apply(move)
        oracle.apply(move)
    assert table.is_over
    return table, oracle  # type: ignore[return-value]


def test_what_scores_tell_of_hands_is_known_n6_3() -> None:
    low, high = at_the_end("7s", hand_penalty=True), at_the_end("Ks", hand_penalty=True)
    assert low[0].information_state(0) != high[0].information_state(0)
    assert low[1].information_state(0) != high[1].information_state(0)
    # Where cards in hand do not count, nothing is told of them.
    low, high = at_the_end("7s"), at_the_end("Ks")
    assert low[0].information_state(0) == high[0].information_state(0)
    assert low[1].information_state(0) == high[1].information_state(0)
    assert low[0].information_state(1) != high[0].information_state(1)
