"""What several tests need: rules drawn by hypothesis, and games played at random."""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

from kunken_play import kunken_rules
from kuns_env import KunkenRules, KunsRules, Table
from oracle import kunken_games, kuns_games

COMPILED = os.environ.get("NUMBA_DISABLE_JIT", "0") == "0"
"""Whether kernels are compiled: plain Python is a hundred times slower."""

COMPILED_ONLY = pytest.mark.skipif(not COMPILED, reason="as plain Python Kunken is played by its own tests")

SEEDS = st.integers(0, 2**63 - 1)
SMALL = st.integers(0, 2**32 - 1)
CARDS_A_PLAYER, MAX_RANKS, MAX_SUITS = 5, 10, 4


def ascending(low: int, high: int, most: int) -> st.SearchStrategy[tuple[int, ...]]:
    """Return distinct ascending integers."""
    return st.lists(st.integers(low, high), min_size=1, max_size=most, unique=True).map(
        lambda entries: tuple(sorted(entries))
    )


@st.composite
def kuns_rules(draw: st.DrawFn, **fixed: Any) -> KunsRules:
    """Return rules over every field of K11; money is scarce as often as not, sessions are short."""
    num_players = fixed.get("num_players") or draw(st.integers(2, 8))
    num_suits = draw(st.integers(-(-CARDS_A_PLAYER * num_players // MAX_RANKS), MAX_SUITS))
    num_ranks = draw(st.integers(-(-CARDS_A_PLAYER * num_players // num_suits), MAX_RANKS))
    menu = draw(ascending(1, draw(st.sampled_from((4, 20, 10_000))), 8))
    fields: dict[str, Any] = {
        "num_players": num_players,
        "ranks": tuple(sorted(draw(st.permutations(range(1, MAX_RANKS + 1)))[:num_ranks])),
        "num_suits": num_suits,
        "num_hands": draw(st.sampled_from((1, 1, 2, 3, None, None))),
        "max_hands": draw(st.integers(1, 6)),
        "forced_ante": draw(st.sampled_from((0, 0, 1, 3, 1000))),
        "ante_menu": menu,
        "dealer_sees_hand": draw(st.booleans()),
        "no_kuns_zero_is_ten": draw(st.booleans()),
        "side_bets": draw(st.booleans()),
        "side_stakes": draw(ascending(1, draw(st.sampled_from((4, 100))), 4)),
    }
    # Enough to be dealt a hand, seldom enough for all of it.
    least = max(1, fields["forced_ante"])
    fields["bankroll"] = draw(st.none() | st.integers(least, least + 4 * menu[-1]))
    return KunsRules(**{**fields, **fixed})


def any_rules(**fixed: Any) -> st.SearchStrategy[KunsRules | KunkenRules]:
    """Return rules of both games; where nothing is compiled of Kuns, whose games are short."""
    return st.one_of(kuns_rules(**fixed), kunken_rules(**fixed)) if COMPILED else kuns_rules(**fixed)


SHORT_DEALS = KunkenRules(num_players=5, hand_size=20, num_deals=2, open_from_stock=True)
"""Five cards are left to be drawn: deals of a few dozen moves, with every kind of meld, a new stock and an end."""

MINI = KunkenRules.mini(num_players=3, num_deals=2, joker_swap=True)
"""Longer deals, in which players take and go out."""


def chooser(seed: int) -> Callable[[Table], str]:
    """Return a way to play either game at random that also reaches deep positions."""
    players = {game.__name__: game.draw_player(random.Random(seed)) for game in (kuns_games, kunken_games)}
    return lambda table: players[f"oracle.{table.rules.game}_games"](table.legal_moves())


def positions(table: Table, choose: Callable[[Table], str]) -> Iterator[Table]:
    """Play ``table`` to its end and yield it in every position, the first and the last too."""
    yield table
    while not table.is_over:
        table.apply(choose(table))
        yield table


def play_out(table: Table, seed: int) -> list[str]:
    """Play ``table`` to its end and return the moves."""
    choose, moves = chooser(seed), []
    while not table.is_over:
        moves.append(choose(table))
        table.apply(moves[-1])
    return moves


def same_bytes(one: Table, other: Table) -> bool:
    """Return whether two tables hold the same record, byte for byte."""
    return one.state.tobytes() == other.state.tobytes()


def chi_square(counts: np.ndarray[Any, Any], expected: float) -> float:
    """Return how many standard deviations the chi-square statistic of equal chances is above its mean."""
    freedom = len(counts) - 1
    statistic = float(((counts - expected) ** 2).sum() / expected)
    return (statistic - freedom) / (2 * freedom) ** 0.5


MANY_SIGMAS = 5.0
"""A fair sample exceeds this once in many thousand runs, and seeds are fixed."""
