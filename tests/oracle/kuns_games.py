"""Random games for the oracle of Kuns: rules, ways to play, and a count of the situations that were met."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any, ClassVar

from oracle.kuns import FOLDED, Decision, KunsOracle, Play

Choose = Callable[[list[str]], str]
"""Picks one of the legal moves."""

MAX_RANKS, MAX_SUITS, CARDS_A_PLAYER = 10, 4, 5


def draw_rules(rng: random.Random) -> dict[str, Any]:
    """Return rules drawn over every field of K11, money scarce as often as not."""
    num_players = rng.randint(2, 8)
    num_cards = CARDS_A_PLAYER * num_players  # K1.3: five cards for every player
    num_suits = rng.randint(-(-num_cards // MAX_RANKS), MAX_SUITS)
    num_ranks = rng.randint(-(-num_cards // num_suits), MAX_RANKS)
    most = rng.choice((8, 20, 10_000))
    menu = sorted(rng.sample(range(1, most + 1), rng.randint(1, 8)))
    forced_ante = rng.choice((0, 0, 1, 3, rng.randint(0, most)))
    cost = forced_ante + 3 * menu[-1]  # of a hand that calls three times
    bankroll = rng.choice((rng.randint(1, 4), rng.randint(1, cost), rng.randint(1, 5 * cost)))
    return {
        "num_players": num_players,
        "ranks": sorted(rng.sample(range(1, MAX_RANKS + 1), num_ranks)),
        "num_suits": num_suits,
        "num_hands": rng.choice((1, 1, 2, 3, None, None, None)),
        "max_hands": rng.randint(1, 6),
        "bankroll": rng.choice((None, bankroll)),
        "forced_ante": forced_ante,
        "ante_menu": menu,
        "dealer_sees_hand": rng.random() < 0.5,
        "no_kuns_zero_is_ten": rng.random() < 0.5,
        "side_bets": rng.random() < 0.6,
        "side_stakes": sorted(rng.sample(range(1, rng.choice((4, 100)) + 1), rng.randint(1, 4))),
    }


def draw_player(rng: random.Random) -> Choose:
    """Return a way to play: how often the moves that end things are chosen differs, so that deep positions occur."""
    weight = {
        "fold": rng.choice((0.02, 0.1, 0.5)),
        "pass": rng.choice((0.3, 1.0, 6.0)),
        "decline": rng.choice((0.3, 1.0, 4.0)),
        "leave": rng.choice((0.02, 0.1, 0.5)),
    }
    return lambda legal: rng.choices(legal, [weight.get(move.split()[0], 1.0) for move in legal])[0]


class Witness(KunsOracle):
    """An oracle that counts the situations it goes through, over all its games, in `met`."""

    met: ClassVar[Counter[str]] = Counter()

    def _decide(self, seat: int, moves: Iterable[str]) -> Decision:
        moves = list(moves)
        word = moves[0].split()[0]
        if len(moves) == 1:
            self.met[f"only {word}"] += 1
        if word == "stake" and len(moves) < len(self.rules["side_stakes"]):
            self.met["fewer stakes"] += 1
        if word == "ante" and not self.hole(seat):
            self.met["ante before the deal"] += 1
        return (yield from super()._decide(seat, moves))

    def _stay_or_leave(self, next_dealer: int) -> Play:
        before = set(self.seated)
        yield from super()._stay_or_leave(next_dealer)
        if before - self.seated:
            self.met["left, and the session ended" if len(self.seated) == 1 else "left"] += 1
            if next_dealer not in self.seated and len(self.seated) > 1:
                self.met["the next dealer left"] += 1

    def _leave_if_broke(self) -> None:
        before = set(self.seated)
        super()._leave_if_broke()
        if before - self.seated:
            if not self.hand_payoffs:
                self.met["nobody can pay the first forced ante"] += 1
            else:
                self.met["broke, and the session ended" if len(self.seated) < 2 else "broke"] += 1

    def _settle(self) -> None:
        super()._settle()
        num_in, payoff = len(self.in_hand), self.hand_payoffs[-1]
        if num_in == 1:
            num_cards = len(self.hole(min(self.in_hand)))
            self.met[f"no showdown after {num_cards} cards"] += 1
        else:
            self.met[f"showdown of {num_in}"] += 1
        if any(chips.denominator > 1 for chips in payoff):
            self.met["split with a fraction"] += 1
        if len(self.seated) < self.num_players:
            self.met["hand with empty seats"] += 1
        if not any(self.paid):
            self.met["no chip paid"] += 1
        self._count_bets(self._strengths())

    def _count_bets(self, strength: list[tuple[int, int]]) -> None:
        if self.shown:
            best = max(strength)
            self.met[f"split in {strength.count(best)}"] += 1
            self.met["showdown with kuns" if best[0] else "showdown without kuns"] += 1
        for offerer, taker, backed, opposed, _ in self.bets:
            num_folded = (strength[backed], strength[opposed]).count(FOLDED)
            self.met[f"bet with {num_folded} hands folded"] += 1
            if not self.shown:
                self.met["bet without a showdown"] += 1
            elif strength[backed] == strength[opposed] and not num_folded:
                self.met["bet on equal hands"] += 1
            if not {offerer, taker} & {backed, opposed}:
                self.met["bet on the hands of others"] += 1


WANTED = (
    *("only fold", "only pass", "only decline", "only against", "only stake", "fewer stakes"),  # K2.3, K6.3
    *("left", "left, and the session ended", "the next dealer left"),  # K2.2
    *("broke", "broke, and the session ended", "hand with empty seats"),  # K2.3
    "nobody can pay the first forced ante",
    *("ante before the deal", "no chip paid"),  # K3.2, K8.5
    *("no showdown after 2 cards", "no showdown after 4 cards", "no showdown after 5 cards"),  # K4.4
    *("showdown of 2", "showdown of 8", "showdown with kuns", "showdown without kuns"),  # K5
    *("split in 1", "split in 2", "split in 3", "split with a fraction"),  # K5.6
    *("bet with 0 hands folded", "bet with 1 hands folded", "bet with 2 hands folded"),  # K6.5
    *("bet without a showdown", "bet on equal hands", "bet on the hands of others"),
)
"""Situations that a sample must meet, else it proves nothing about them."""
