"""The engine against the slow reference of `oracle.kunken`, over rules, player counts and play drawn at random.

Covers N1.1 to N9.1 as a whole, with every field of N11 at every value. A failure prints rules, options, seed and
moves; ``replay(rules, seed, options, moves)`` plays that game again, up to the difference.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

import pytest

from games import COMPILED
from kunken_play import Difference, beside, compare, position_of, random_game
from kuns_env import KunkenRules, Table
from oracle.kunken import KunkenOracle
from oracle.kunken_games import WANTED, Choose, Witness, draw_player
from oracle.kunken_melds import Growth, Meld

QUICK_GAMES = 2_600 if COMPILED else 100
QUICK_DEALS = 3_000 if COMPILED else 100
"""Deals in them, at least."""
SLOW_CHUNKS, SLOW_CHUNK = 4, 2_000
"""The long run: more than 9,000 deals, none of them in the quick sample."""
LONG_EPISODE = 25
"""Deals of an episode long enough to carry over what a few deals would not show."""
BROKEN_GAMES = 1_200
"""Games within which an engine that reads one rule differently must be found out."""
RARE = pytest.mark.skipif(not COMPILED, reason="two jokers for one card are met once in a thousand games")


def play(table: Table, choose: Choose, reference: Callable[..., KunkenOracle] = KunkenOracle) -> KunkenOracle:
    """Play a game on both engines, compare them in every position, and return the oracle at the end."""
    rules, seed = table.rules.to_dict(), table.stream[0]
    options = {"dealer": table.dealer, **position_of(table).setup()}
    moves: list[str] = []
    try:
        oracle = beside(table, reference)
        compare(table, oracle)
        while not oracle.is_over:
            moves.append(choose(oracle.legal_moves()))
            table.apply(moves[-1])
            oracle.apply(moves[-1])
            compare(table, oracle)
    except Exception as error:
        raise Difference(f"{error}\n{rules = }\n{seed = }\n{options = }\n{moves = }") from error
    return oracle


def replay(rules: dict[str, Any], seed: int, options: dict[str, Any], moves: Iterable[str]) -> KunkenOracle:
    """Play the game that a failure printed once more."""
    left = iter(moves)
    return play(Table(KunkenRules.from_dict(rules), seed, options), lambda legal: next(left))


def play_numbers(
    numbers: Iterable[int], reference: Callable[..., KunkenOracle] = KunkenOracle
) -> tuple[int, dict[str, Counter[Any]]]:
    """Play the random games of these numbers; return the deals played and how often each rule had each value."""
    deals, values = 0, {}
    for number in numbers:
        table, choose = random_game(number)
        for name, value in table.rules.to_dict().items():
            values.setdefault(name, Counter())[value] += 1
        deals += len(play(table, choose, reference).deal_payoffs)
    return deals, values


EVERY_VALUE: dict[str, Iterable[Any]] = {
    "num_players": range(2, 6),
    "num_jokers": range(3),
    "hand_size": range(3, 21),
    "num_deals": range(1, 4),
    "bank_points": range(5, 201),
    "max_reshuffles": range(4),
    "identical_cards_in_set": (False, True),
    "joker_swap": (False, True),
    "bank_points_every_time": (False, True),
    "open_from_stock": (False, True),
    "discard_to_go_out": (False, True),
    "hand_penalty": (False, True),
    "settlement": ("difference", "win", "points"),
}
"""Every value of every field (N11); of the number of deals the first ones."""


def test_a_quick_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Witness, "met", Counter())
    deals, values = play_numbers(range(QUICK_GAMES), Witness)
    assert deals >= QUICK_DEALS
    if COMPILED:
        assert not set(WANTED) - set(Witness.met), f"met only {dict(Witness.met)}"
        assert set(values) == set(EVERY_VALUE) == set(KunkenRules().to_dict())
        missing = {name: set(wanted) - set(values[name]) for name, wanted in EVERY_VALUE.items()}
        assert not any(missing.values()), missing


@pytest.mark.slow
@pytest.mark.parametrize("num_players", [2, 4])
def test_a_long_episode(num_players: int) -> None:
    fields = {"num_players": num_players, "num_deals": LONG_EPISODE, "hand_size": 9, "bank_points": 30}
    rules = KunkenRules(**fields, open_from_stock=True, joker_swap=True)
    oracle = play(Table(rules, seed=num_players), draw_player(random.Random(num_players)))
    assert len(oracle.deal_payoffs) == LONG_EPISODE


@pytest.mark.slow
@pytest.mark.parametrize("chunk", range(SLOW_CHUNKS))
def test_many_games(chunk: int) -> None:
    first = QUICK_GAMES + chunk * SLOW_CHUNK
    play_numbers(range(first, first + SLOW_CHUNK))


def test_a_failure_can_be_replayed() -> None:
    table, choose = random_game(4)
    rules, options = table.rules.to_dict(), {"dealer": table.dealer, **position_of(table).setup()}
    played: list[str] = []

    def record(legal: list[str]) -> str:
        played.append(choose(legal))
        return played[-1]

    oracle = play(table, record)
    assert replay(rules, 4, options, played).deal_payoffs == oracle.deal_payoffs


# ---------------------------------------------------------------- engines that the comparison must reject


def reads(**change: Callable[[Any], Any]) -> Callable[..., KunkenOracle]:
    """Return an oracle that reads the given fields differently, so that the engine is the wrong one of the two."""

    def build(rules: dict[str, Any], *args: Any) -> KunkenOracle:
        return KunkenOracle({**rules, **{name: new(rules[name]) for name, new in change.items()}}, *args)

    return build


def flip(flag: bool) -> bool:
    return not flag


class WrongDealer(KunkenOracle):
    def __init__(self, rules: dict[str, Any], dealer: int, *args: Any) -> None:
        super().__init__(rules, (dealer + 1) % rules["num_players"], *args)


class NeverChecksTheTake(KunkenOracle):
    """Offers every card of the bank (N4.3)."""

    def _takes(self, seat: int) -> dict[str, int]:
        return {f"take {card}": place for place, card in enumerate(self.bank)}


class DiscardsUnderTheBank(KunkenOracle):
    def _decide(self, seat: int, moves: Iterable[str]) -> Any:
        move = yield from super()._decide(seat, moves)
        if move.startswith("discard"):
            self.bank.reverse()
        return move


class LaysOffOnTheYoungest(KunkenOracle):
    """N8.5 the other way round."""

    def _grow_moves(self, seat: int, numbers: Iterable[int]) -> dict[str, tuple[int, Growth]]:
        return super()._grow_moves(seat, sorted(numbers, reverse=True))


class SwapsTheYoungest(KunkenOracle):
    def _swap_moves(self, seat: int) -> dict[str, tuple[int, Meld]]:
        melds = self.melds
        self.melds = melds[::-1]
        moves = super()._swap_moves(seat)
        self.melds = melds
        return {text: (len(melds) - 1 - number, after) for text, (number, after) in moves.items()}


class OwnerScores(KunkenOracle):
    """The owner of a meld scores a lay-off, not the layer (N6.1)."""

    def _grow(self, seat: int, number: int, growth: Growth) -> None:
        super()._grow(seat, number, growth)
        points = 10 if growth.text.split()[1].strip("*")[0] in "JQKA" else 5
        self.laid_points[seat] -= points
        self.laid_points[self.melds[number].owner] += points


class ForgetsWhatWasTaken(KunkenOracle):
    def _receive(self, seat: int, cards: Any) -> None:
        self.hands[seat] += cards


class NoExpress(KunkenOracle):
    def _settle(self) -> None:
        self.express = False
        super()._settle()


class WinnerTakesOnePointMore(KunkenOracle):
    def _settle(self) -> None:
        super()._settle()
        self.deal_payoffs[-1][0] += 1
        self.deal_payoffs[-1][1] -= 1


class EndsWithoutTheCardsAbove(KunkenOracle):
    """Looks at N4.9 before the cards above are received (N4.2)."""

    def _lay(self, seat: int, cards: Any, points: int) -> None:
        if len(self.hands[seat]) == len(cards):
            self.above = []
        super()._lay(seat, cards, points)


@pytest.mark.parametrize(
    "wrong",
    [
        pytest.param(WrongDealer, id="N2.3-first-to-play"),
        pytest.param(reads(identical_cards_in_set=flip), id="N3.1-identical_cards_in_set"),
        pytest.param(reads(joker_swap=flip), id="N3.4-joker_swap"),
        pytest.param(SwapsTheYoungest, id="N3.4-oldest-first", marks=RARE),
        pytest.param(reads(bank_points=lambda points: points + 5), id="N4.2-bank_points"),
        pytest.param(EndsWithoutTheCardsAbove, id="N4.2-cards-above"),
        pytest.param(NeverChecksTheTake, id="N4.3-takes"),
        pytest.param(reads(bank_points_every_time=flip), id="N4.5-bank_points_every_time"),
        pytest.param(reads(open_from_stock=flip), id="N4.6-open_from_stock"),
        pytest.param(DiscardsUnderTheBank, id="N4.8-top-of-the-bank"),
        pytest.param(reads(discard_to_go_out=flip), id="N4.9-discard_to_go_out"),
        pytest.param(reads(max_reshuffles=lambda times: times + 1), id="N5.1-max_reshuffles"),
        pytest.param(OwnerScores, id="N6.1-layer"),
        pytest.param(NoExpress, id="N6.2-express"),
        pytest.param(reads(hand_penalty=flip), id="N6.3-hand_penalty"),
        pytest.param(WinnerTakesOnePointMore, id="N7.1-payoff"),
        pytest.param(reads(settlement=lambda how: "win" if how != "win" else "points"), id="N7.2-settlement"),
        pytest.param(LaysOffOnTheYoungest, id="N8.5-oldest-first"),
        pytest.param(ForgetsWhatWasTaken, id="known-cards"),
    ],
)
def test_a_broken_engine_is_rejected(wrong: Callable[..., KunkenOracle]) -> None:
    with pytest.raises(Difference):
        play_numbers(range(BROKEN_GAMES), wrong)
