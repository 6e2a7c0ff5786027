"""What finished hands count for statistics, in plain Python, from the moves of a table."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from kuns_env import Table
from kuns_env.engine.game import game_of
from kuns_env.tallies import HANDS, PAYOFF

LOW, HIGH = "23456789T", "JQKA"


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


def recount(table: Table, moves: Iterable[str], counts: dict[str, list[int]]) -> int:
    """Play ``moves``, add what the hands of the table count to ``counts``, by name and seat; return how many moves."""
    units = game_of(table.rules).units
    book = BOOKS[table.rules.game](table.rules.num_players)
    num_moves = 0
    for move in moves:
        num_moves += 1
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
    return num_moves
