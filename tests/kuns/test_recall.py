"""Perfect recall: the `history` encoding tells two situations apart exactly when the seat can.

Over all play of small rules, from many deals: equal encodings exactly when the oracle's information states are
equal, and exactly when `Table.information_state` is. Clauses: K2.2, K3.2, K6.6, K7.3.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable, Iterator
from typing import Any

import numpy as np
import pytest

from games import COMPILED
from kuns_env import KunsRules, Table
from oracle.kuns import KunsOracle

SMALL_DECK: dict[str, Any] = {"num_players": 2, "ranks": (1, 5, 10)}
RULES: dict[str, KunsRules] = {
    "tiny": KunsRules.tiny(),
    "ante before the deal": KunsRules(
        **SMALL_DECK, ante_menu=(1, 2), forced_ante=1, side_bets=False, dealer_sees_hand=False
    ),
    "side bets": KunsRules(**SMALL_DECK, ante_menu=(1,), side_stakes=(2,)),
    "open session": KunsRules(
        **SMALL_DECK, ante_menu=(1,), forced_ante=1, side_bets=False, num_hands=None, max_hands=2
    ),
    "two hands, money short": KunsRules(
        **SMALL_DECK, ante_menu=(1, 3), forced_ante=1, side_bets=False, num_hands=2, bankroll=3
    ),
}
SAMPLED: dict[str, KunsRules] = {
    "three players": KunsRules(num_players=3, ranks=(1, 5, 9, 10), ante_menu=(1, 2), side_stakes=(1, 3)),
    "three players, open session": KunsRules(
        num_players=3,
        ranks=(1, 5, 9, 10),
        ante_menu=(1,),
        forced_ante=1,
        num_hands=None,
        max_hands=3,
        bankroll=9,
    ),
}
"""Too many plays to go through: the same few deals are played often."""

Look = Callable[[Table, int], Hashable]


def history(table: Table, seat: int) -> Hashable:
    return table.view(seat).observation("history").tobytes()


def padded_history(table: Table, seat: int) -> Hashable:
    return table.view(seat).observation("history", pad=True).tobytes()


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


def starts(rules: KunsRules, deals: int) -> list[Table]:
    """Return games to begin with: deals, and for each seat deals that it cannot tell from them."""
    rng = np.random.default_rng(1)
    tables = []
    for number in range(deals):
        table = Table(rules, seed=number)
        tables.append(table)
        tables += [table.determinize(seat, rng) for seat in range(rules.num_players)]
        tables.append(other_suits(table, number))
    return tables


def other_suits(table: Table, number: int) -> Table:
    """Return the game with the suits exchanged: the same to everybody (K1.1)."""
    suits = "cdhs"[: table.rules.num_suits]
    order = random.Random(number).sample(suits, len(suits))
    names = str.maketrans(suits, "".join(order))
    options = table.setup_options()
    return Table(
        table.rules,
        seed=number + 1_000,
        options=options | {"deck": [card.translate(names) for card in options["deck"]]},
    )


def all_plays(table: Table) -> Iterator[list[str]]:
    """Yield every sequence of moves that ends the game."""
    if table.is_over:
        yield []
        return
    for move in table.legal_moves():
        after = table.clone()
        after.apply(move)
        for rest in all_plays(after):
            yield [move, *rest]


def random_plays(table: Table, count: int) -> Iterator[list[str]]:
    rng = random.Random(count)
    for _ in range(count):
        game, moves = table.clone(), []
        while not game.is_over:
            # Few folds, and the first moves of a list more often, so that plays run together for a while.
            legal = [move for move in game.legal_moves() if move != "fold" or rng.random() < 0.3]
            moves.append(rng.choice(legal[:2] or game.legal_moves()))
            game.apply(moves[-1])
        yield moves


def situations(start: Table, plays: Iterator[list[str]]) -> Iterator[tuple[Table, KunsOracle]]:
    """Yield the game beside the oracle in every situation of ``plays``, each once."""
    seen: set[tuple[str, ...]] = set()
    for moves in plays:
        table = start.clone()
        oracle = KunsOracle(
            table.rules.to_dict(), table.dealer, lambda hand, table=table: table.setup_options()["deck"]
        )  # type: ignore[misc]
        for number, move in enumerate((*moves, None)):
            if (prefix := tuple(moves[:number])) not in seen:
                seen.add(prefix)
                yield table, oracle
            if move is not None:
                table.apply(move)
                oracle.apply(move)


def compare(tables: list[Table], plays_of: Callable[[Table], Iterator[list[str]]], look: Look) -> int:
    """Compare ``look`` with both information states; return how many seats met a situation they knew already."""
    rules = tables[0].rules
    with_oracle = [Pairs() for _ in range(rules.num_players)]
    with_table = [Pairs() for _ in range(rules.num_players)]
    for start in tables:
        for table, oracle in situations(start, plays_of(start)):
            for seat in range(rules.num_players):
                seen = look(table, seat)
                with_oracle[seat].add(seen, oracle.information_state(seat))
                with_table[seat].add(seen, table.information_state(seat))
    return sum(pairs.met - len(pairs.there) for pairs in with_oracle)


DEALS = {"side bets": 1} if COMPILED else {"side bets": 0}
"""Fewer deals where there are thousands of plays."""


@pytest.mark.parametrize("name", RULES)
def test_all_play_of_small_rules(name: str) -> None:
    rules = RULES[name]
    deals = DEALS.get(name, 8 if COMPILED else 3)
    if deals:
        again = compare(starts(rules, deals), all_plays, history)
        assert again > 100, "hardly two situations were the same to a seat: nothing is proven"


@pytest.mark.parametrize("name", SAMPLED)
@pytest.mark.parametrize("look", [history, padded_history])
def test_sampled_play_of_larger_rules(name: str, look: Look) -> None:
    tables = starts(SAMPLED[name], 3 if COMPILED else 1)
    assert compare(tables, lambda table: random_plays(table, 20 if COMPILED else 3), look) > 20


# ---------------------------------------------------------------- encodings without perfect recall


def forgets_moves(table: Table, seat: int) -> Hashable:
    """The `table` encoding: what the seat knows now, not how it came about."""
    return table.view(seat).observation("table").tobytes()


def tells_suits(table: Table, seat: int) -> Hashable:
    """Tells apart what is the same to the seat."""
    return history(table, seat), str(table.view(seat).to_dict()["cards"])


def forgets_a_token(table: Table, seat: int) -> Hashable:
    tokens = table.view(seat).observation("history")
    tokens[6] = 0
    return tokens.tobytes()


def knows_the_deck(table: Table, seat: int) -> Hashable:
    return history(table, seat), table.setup_options()["deck"][-1]


def order_of_dealing(table: Table, seat: int) -> Hashable:
    return history(table, seat), table.state["hole"][seat].tobytes()


@pytest.mark.parametrize(
    "look", [forgets_moves, tells_suits, forgets_a_token, knows_the_deck, order_of_dealing]
)
def test_an_encoding_without_perfect_recall_is_found_out(look: Look) -> None:
    tables = starts(RULES["side bets"], 1)
    with pytest.raises(NotOneToOne):
        compare(tables, lambda table: random_plays(table, 30), look)
