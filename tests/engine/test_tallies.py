"""What a batch counts of finished hands, against tables that are played along and counted in plain Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from games import COMPILED
from kuns_env import Batch, KunkenRules, KunsRules, Table
from kuns_env.engine.game import game_of
from kuns_env.tallies import HANDS, PAYOFF

NUM_GAMES, NUM_STEPS = (10, 1200) if COMPILED else (2, 60)
LOW, HIGH = "23456789T", "JQKA"

RULES = {
    "kuns": KunsRules(num_players=3, num_hands=2),
    "an open session of kuns": KunsRules(num_players=2, num_hands=None, max_hands=4),
    "kunken": KunkenRules(num_players=3, joker_swap=True),
    "kunken-mini": KunkenRules.mini(),
    "two deals": KunkenRules(num_deals=2, hand_size=5, bank_points=15, hand_penalty=True, num_players=4),
    "express": KunkenRules(hand_size=3, bank_points=5, num_deals=3),
    "no winner": KunkenRules(hand_size=20, num_players=5, max_reshuffles=0, settlement="win"),
}


class KunsBook:
    """What a hand of Kuns counts for a seat."""

    def __init__(self, num_players: int) -> None:
        """Nothing has to be kept."""

    def move(self, table: Table, move: str) -> None:
        """Nothing has to be kept."""

    def hand(self, table: Table, seat: int) -> dict[str, int]:
        shown = [cards is not None for cards in table.view(seat).to_dict()["shown"]]
        won = table.last_payoffs()[seat] > 0
        return {
            "won": won,
            "shown": shown[seat],
            "won_shown": won and shown[seat],
            "showdowns": any(shown),
        }


def points(rank: str) -> int:
    """N1.3."""
    return 10 if rank in HIGH else 5


def points_of(move: str) -> int:
    """The points of the cards that a move lays; a joker counts as the card it stands for."""
    kind, *cards = move.split()
    if kind == "lay":
        return points(cards[0].removeprefix("*")[0])
    if kind == "set":
        return 3 * points(cards[0][0])
    if kind == "run":
        order = LOW + HIGH
        place, card = next((place, card) for place, card in enumerate(cards) if card != "*")
        low = order.index(card[0]) - place
        return sum(points(rank) for rank in order[low : low + len(cards)])
    return 0


class KunkenBook:
    """What a deal of Kunken counts for a seat, from the texts of its moves."""

    def __init__(self, num_players: int) -> None:
        self.num_players = num_players
        self.begin()

    def begin(self) -> None:
        self.turns = 0
        self.takes, self.laid = [0] * self.num_players, [0] * self.num_players

    def move(self, table: Table, move: str) -> None:
        seat = table.to_play
        assert seat is not None
        kind = move.split()[0]
        if kind in {"draw", "take"}:
            self.turns += 1
            self.before = self.laid[seat]
        self.takes[seat] += kind == "take"
        self.laid[seat] += points_of(move)
        # A deal that a discard ends has a winner only if it was the last card (N4.9, N5.1).
        gone_out = kind != "discard" or table.state["num_cards"][seat] == 1
        self.winner = seat if gone_out else None

    def hand(self, table: Table, seat: int) -> dict[str, int]:
        found = {
            "won": self.winner == seat,
            "express": self.winner == seat and self.before == 0,
            "unwon": self.winner is None,
            "turns": self.turns,
            "takes": self.takes[seat],
            "laid": self.laid[seat],
        }
        if seat == self.num_players - 1:
            self.begin()
        return found


BOOKS: dict[str, Callable[[int], Any]] = {"kuns": KunsBook, "kunken": KunkenBook}


def recount(table: Table, moves: list[str], book: Any, counts: dict[str, list[int]]) -> None:
    """Add what the hands of an episode count to ``counts``, by name and seat."""
    units = game_of(table.rules).units
    for move in moves:
        before = table.hands_done
        book.move(table, move)
        table.apply(move)
        if table.hands_done > before:
            payoffs = table.last_payoffs(exact=True)
            for seat in range(table.rules.num_players):
                found = {HANDS: 1, PAYOFF: int(payoffs[seat] * units), **book.hand(table, seat)}
                assert found.keys() == counts.keys()
                for name in counts:
                    counts[name][seat] += found[name]


@pytest.mark.parametrize("name", RULES)
def test_tallies_are_what_single_tables_count(name: str) -> None:
    rules, rng = RULES[name], np.random.default_rng(3)
    game = game_of(rules)
    batch = Batch(rules, NUM_GAMES, seed=7, first_slot=2, copy=False)
    moves: list[list[list[str]]] = [[[]] for _ in range(NUM_GAMES)]
    for _ in range(NUM_STEPS):
        chosen = (batch.masks * (rng.random(batch.masks.shape) + 1e-9)).argmax(axis=1)
        for row, (move, seat) in enumerate(zip(chosen.tolist(), batch.to_play.tolist(), strict=True)):
            moves[row][-1].append(str(game.move_texts(seat)[move]))
        batch.step(chosen)
        for row in np.flatnonzero(batch.dones):
            moves[row].append([])
    for row, episodes in enumerate(moves):
        counts = {tally: [0] * rules.num_players for tally in game.tallies}
        for episode, played in enumerate(episodes):
            table = Table(rules, 7, slot=2 + row, episode=episode)
            recount(table, played, BOOKS[rules.game](rules.num_players), counts)
        assert dict(zip(game.tallies, batch.tallies[row].tolist(), strict=True)) == counts
    if COMPILED:  # every kind of ending has been seen somewhere
        assert (batch.tallies[:, 0] > 0).all()
        seen = dict(zip(game.tallies, batch.tallies.sum(axis=(0, 2)).tolist(), strict=True))
        assert seen.get("express", 1) > 0 or name != "express"
        assert seen.get("unwon", 1) > 0 or name != "no winner"


@pytest.mark.parametrize("rules", [KunsRules.duel(), KunkenRules.mini()], ids=["kuns", "kunken"])
def test_restart_begins_to_count_again_and_restart_rows_goes_on(rules: Any) -> None:
    batch = Batch(rules, 3, seed=1)
    while not batch.tallies[:, 0].all():
        batch.step(batch.masks.argmax(axis=1))
    kept = batch.tallies
    batch.restart_rows([0])
    assert (batch.tallies == kept).all()
    batch.restart()
    assert not batch.tallies.any()
    assert kept.any()  # a copy


@pytest.mark.parametrize("rules", [KunsRules(), KunkenRules()], ids=["kuns", "kunken"])
def test_statistics_are_ratios_of_tallies_that_there_are(rules: Any) -> None:
    game = game_of(rules)
    assert game.tallies[:2] == (HANDS, PAYOFF)
    assert len({statistic.name for statistic in game.statistics}) == len(game.statistics)
    for statistic in game.statistics:
        assert {statistic.name, statistic.per} <= set(game.tallies)
        assert statistic.title
        assert statistic.meaning.endswith(".")
