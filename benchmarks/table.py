"""`Table`: one game from Python, legality checked, with and without asking for the legal moves."""

from __future__ import annotations

from collections.abc import Callable

from benchmarks.figures import emit_rate
from kuns_env import KunkenRules, KunsRules, Table

SHOWDOWN = ("ante 4", *["call"] * 6)
"""A whole hand of `KunsRules.duel()`."""


def known_moves(amount: int) -> int:
    """Play hands of known moves; return the number of moves."""
    start = Table(KunsRules.duel(), seed=1)
    hands = -(-amount // len(SHOWDOWN))
    for _ in range(hands):
        table = start.clone()
        for move in SHOWDOWN:
            table.apply(move)
    return hands * len(SHOWDOWN)


def with_legal_moves(rules: KunsRules) -> Callable[[int], int]:
    """Return work that asks for the legal moves before each move, and plays the last."""

    def work(amount: int) -> int:
        done = 0
        start = Table(rules, seed=1)
        while done < amount:
            table = start.clone()
            while not table.is_over:
                table.apply(table.legal_moves()[-1])
                done += 1
        return done

    return work


def run() -> None:
    """Print the figures of the table."""
    emit_rate("table apply, legality checked: duel", known_moves, "moves/s")
    emit_rate("table legal_moves and apply: duel", with_legal_moves(KunsRules.duel()), "moves/s")
    emit_rate("table legal_moves and apply: full rules, 4 players", with_legal_moves(KunsRules()), "moves/s")
    emit_rate("table legal_moves and apply: Kunken, 2 players", with_legal_moves(KunkenRules()), "moves/s")
