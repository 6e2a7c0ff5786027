"""What finished hands count for statistics, in plain Python, from the moves of a table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from itertools import combinations
from typing import Any

from kuns_env import KunkenRules, KunsRules, Table
from kuns_env.engine.game import game_of
from kuns_env.tallies import HANDS, PAYOFF
from oracle.kuns import FOLDED, UNSEEN, hand_value

LOW, HIGH = "23456789T", "JQKA"


def makes_tens(ranks: tuple[int, ...]) -> bool:
    """K5.1."""
    return any(sum(three) % 10 == 0 for three in combinations(ranks, 3))


def band(ranks: list[int]) -> str:
    """Return how good two, four or five cards are for their number."""
    if len(ranks) == 2:
        one, other = ranks
        return "weak" if one == other else "strong" if one + other == 10 else "middle"
    if len(ranks) == 4:
        if makes_tens(tuple(ranks)):
            return "strong"
        return "middle" if sum(makes_tens((*ranks, rank)) for rank in range(1, 11)) > 4 else "weak"
    kuns, value = hand_value(ranks)
    return "weak" if not kuns else "middle" if value <= 5 else "strong"


class KunsBook:
    """What a hand of Kuns counts for a seat, from the texts of its moves and the cards on the table."""

    def __init__(self, rules: KunsRules) -> None:
        self.rules = rules
        self.begin()

    def begin(self) -> None:
        self.found = [Counter[str]() for _ in range(self.rules.num_players)]
        self.bets: list[tuple[int, int, int, int, int]] = []
        self.folded: set[int] = set()

    def move(self, table: Table, move: str) -> None:
        seat, state = table.to_play, table.state
        assert seat is not None
        kind, *rest = move.split()
        own = self.found[seat]
        self.dealer, self.seated = int(state["dealer"]), state["seated"].astype(bool).tolist()
        self.ranks = [[card // 4 + 1 for card in hole if card >= 0] for hole in state["hole"].tolist()]
        if kind == "ante":
            own.update({"antes": 1, "ante_chips": int(rest[0])})
            own[f"ante_{self.rules.ante_menu.index(int(rest[0]))}"] += 1
        elif kind in {"call", "fold"}:
            number = {2: 1, 4: 2, 5: 3}[len(self.ranks[seat])]
            for word in ("decided", "folded") if kind == "fold" else ("decided",):
                own.update([f"{word}_{number}", f"{word}_{number}_{band(self.ranks[seat])}"])
            if kind == "fold":
                self.folded.add(seat)
        elif kind == "back":
            self.backed = int(rest[0])
        elif kind == "against":
            self.against = int(rest[0])
            self.backed = self.backed if seat in self.folded else seat
        elif kind == "stake":
            self.offerer, self.stake = seat, int(rest[0]) * int(state["ante"])
            own["offers"] += 1
        elif kind in {"accept", "decline"}:
            own["answers"] += 1
            if kind == "accept":
                own["accepts"] += 1
                self.bets.append((self.offerer, seat, self.backed, self.against, self.stake))

    def strength(self, seat: int) -> tuple[int, int]:
        """K6.5."""
        if seat in self.folded:
            return FOLDED
        if len(self.folded) == sum(self.seated) - 1:
            return UNSEEN
        return hand_value(self.ranks[seat], self.rules.no_kuns_zero_is_ten)

    def settle_bets(self) -> None:
        for offerer, taker, backed, opposed, stake in self.bets:
            self.found[offerer]["offers_taken"] += 1
            strengths = self.strength(backed), self.strength(opposed)
            for seat, (own, other) in ((offerer, strengths), (taker, strengths[::-1])):
                self.found[seat]["bets"] += 1
                self.found[seat]["bets_won"] += own > other
                self.found[seat]["payoff_bets"] += 840 * stake * ((own > other) - (own < other))

    def place(self, seat: int) -> str:
        """Return where ``seat`` sat in the order of acting, in which the dealer is the last."""
        num_players = self.rules.num_players
        order = [(self.dealer + 1 + i) % num_players for i in range(num_players)]
        order = [each for each in order if self.seated[each]]
        return "dealer" if seat == order[-1] else "first" if seat == order[0] else "other"

    def hand(self, table: Table, seat: int) -> dict[str, int]:
        if seat == 0:
            self.settle_bets()
        shown = [cards is not None for cards in table.view(seat).to_dict()["shown"]]
        won = table.last_payoffs()[seat] > 0
        found: dict[str, int] = {
            "won": won,
            "shown": shown[seat],
            "won_shown": won and shown[seat],
            "showdowns": any(shown),
            **self.found[seat],
        }
        if self.seated[seat]:
            place = self.place(seat)
            found |= {f"hands_{place}": 1, f"payoff_{place}": int(table.last_payoffs(exact=True)[seat] * 840)}
        if seat == self.rules.num_players - 1:
            self.begin()
        return found


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


MOST_LAID = 4
"""Cards that leave a hand in one move at most (N8.4)."""


def points_held(table: Table, seat: int) -> int:
    """N6.3."""
    cards = table.view(seat).to_dict()["cards"][seat]
    return sum(10 if card == "*" else points(card[0]) for card in cards)


class KunkenBook:
    """What a deal of Kunken counts for a seat, from the texts of its moves."""

    def __init__(self, rules: KunkenRules) -> None:
        self.num_players = rules.num_players
        self.begin()

    def begin(self) -> None:
        self.turns = 0
        self.takes, self.laid = [0] * self.num_players, [0] * self.num_players
        self.style = [Counter[str]() for _ in range(self.num_players)]
        self.own_turns = [0] * self.num_players

    def move(self, table: Table, move: str) -> None:
        seat = table.to_play
        assert seat is not None
        kind = move.split()[0]
        if kind in {"draw", "take"}:
            self.turns += 1
            self.own_turns[seat] += 1
            self.before = self.laid[seat]
        self.takes[seat] += kind == "take"
        self.laid[seat] += points_of(move)
        self.style[seat].update({"set": ["melds"], "run": ["melds"], "lay": ["lay_offs"]}.get(kind, []))
        if self.laid[seat] and not self.style[seat]["opened"]:
            self.style[seat].update(opened=1, open_turn=self.own_turns[seat])
        if table.state["num_cards"][seat] <= MOST_LAID:  # the others' hands stay as they are now
            self.left = [points_held(table, each) for each in range(self.num_players)]
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
            **self.style[seat],
        }
        if self.winner not in {None, seat}:
            found |= {"lost": 1, "left": self.left[seat]}
        if seat == self.num_players - 1:
            self.begin()
        return found


BOOKS: dict[str, Callable[[Any], Any]] = {"kuns": KunsBook, "kunken": KunkenBook}


def recount(table: Table, moves: Iterable[str], counts: dict[str, list[int]]) -> int:
    """Play ``moves``, add what the hands of the table count to ``counts``, by name and seat; return how many moves."""
    units = game_of(table.rules).units
    book = BOOKS[table.rules.game](table.rules)
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
                assert found.keys() <= counts.keys()
                for name, number in found.items():
                    counts[name][seat] += number
    return num_moves
