"""The engine against the slow reference of `oracle.kuns`, over rules, player counts and play drawn at random.

Covers K1.2 to K7.3 as a whole, with every field of K11. A failure prints rules, seed and moves;
``replay(rules, seed, moves)`` plays that game again, up to the difference.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

import pytest

from kuns_env import KunsRules, Table
from oracle.kuns import KunsOracle
from oracle.kuns_games import WANTED, Choose, Witness, draw_player, draw_rules

QUICK_GAMES = 1_500
SLOW_CHUNKS, SLOW_CHUNK = 8, 2_600
"""The long run: more than 20,000 games, none of them in the quick sample."""
LONG_SESSION = 60
"""Hands of a session long enough to carry over what a few hands would not show."""
BROKEN_GAMES = 400
"""Games within which an engine that reads one rule differently must be found out."""
BET_FIELDS = ("offerer", "taker", "backed", "opposed", "stake")
"""The order in which the oracle keeps them; a view writes the stake as a multiple of the ante (K6.2)."""
HIDDEN = "?"
"""How a view writes a card that the viewer does not know."""


class Difference(AssertionError):
    """Engine and oracle disagree."""


def compare(table: Table, oracle: KunsOracle) -> None:
    """Raise `Difference` where the table, or what a seat is told of it, is not as the oracle has it."""
    viewer = oracle.to_play or 0
    known = table.view(viewer).to_dict()
    rows = oracle.hand_payoffs
    bets = [(*parties, chips // oracle.ante) for *parties, chips in oracle.bets]
    facts: list[tuple[str, Any, Any]] = [
        ("seat to act", table.to_play, oracle.to_play),
        ("is over", table.is_over, oracle.is_over),
        ("truncated", table.truncated, oracle.truncated),
        ("legal moves", sorted(table.legal_moves()), oracle.legal_moves()),
        ("payoffs", table.payoffs(exact=True), oracle.payoffs()),
        (
            "payoffs of the last hand",
            table.last_payoffs(exact=True),
            rows[-1] if rows else [0] * len(oracle.paid),
        ),
        ("hands done", table.hands_done, len(rows)),
        ("dealer", known["dealer"], oracle.dealer),
        ("ante", known["ante"] or 0, oracle.ante),
        ("pot", known["pot"], sum(oracle.paid)),
        ("paid", known["paid"], oracle.paid),
        ("seated", flagged(known["seated"]), oracle.seated),
        ("in hand", flagged(known["in_hand"]), oracle.in_hand),
        ("bets", [tuple(bet[field] for field in BET_FIELDS) for bet in known["bets"]], bets),
        ("cards", [sorted(cards) for cards in known["cards"]], cards_seen_by(viewer, oracle)),
    ]
    for name, engine, reference in facts:
        if engine != reference:
            raise Difference(f"{name}: the engine says {engine}, the oracle {reference}")


def flagged(flags: list[bool]) -> set[int]:
    """Return the seats whose flag is set."""
    return {seat for seat, flag in enumerate(flags) if flag}


def cards_seen_by(viewer: int, oracle: KunsOracle) -> list[list[str]]:
    """Return each seat's cards: the viewer's own, those of a showdown until the next deal (K7.3), else hidden."""
    shown = oracle.shown if len(oracle.hand_payoffs) > oracle.hand_index else {}
    hands = [oracle.hole(seat) for seat in range(oracle.num_players)]
    return [
        sorted(hand) if seat == viewer or seat in shown else [HIDDEN] * len(hand)
        for seat, hand in enumerate(hands)
    ]


def play(
    rules: dict[str, Any], seed: int, choose: Choose, reference: Callable[..., KunsOracle] = KunsOracle
) -> KunsOracle:
    """Play one game on both engines, compare them in every position, and return the oracle at the end."""
    moves: list[str] = []
    try:
        table = Table(KunsRules.from_dict(rules), seed=seed)
        oracle = reference(rules, table.dealer, lambda hand: table.setup_options()["deck"])
        compare(table, oracle)
        while not oracle.is_over:
            moves.append(choose(oracle.legal_moves()))
            # The table first: the oracle asks it for the deck of the hand that this move may begin.
            table.apply(moves[-1])
            oracle.apply(moves[-1])
            compare(table, oracle)
    except Exception as error:
        raise Difference(f"{error}\n{rules = }\n{seed = }\n{moves = }") from error
    return oracle


def replay(rules: dict[str, Any], seed: int, moves: Iterable[str]) -> KunsOracle:
    """Play the game that a failure printed once more."""
    left = iter(moves)
    return play(rules, seed, lambda legal: next(left))


def play_numbers(numbers: Iterable[int], reference: Callable[..., KunsOracle] = KunsOracle) -> None:
    """Play the random games of these numbers. A number always means the same rules and the same play."""
    for number in numbers:
        rng = random.Random(number)
        rules = draw_rules(rng)
        play(rules, number, draw_player(rng), reference)


def test_a_quick_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Witness, "met", Counter())
    play_numbers(range(QUICK_GAMES), Witness)
    assert not set(WANTED) - set(Witness.met), f"met only {dict(Witness.met)}"


@pytest.mark.slow
@pytest.mark.parametrize("num_players", [2, 4, 8])
def test_a_long_session(num_players: int) -> None:
    rules = {
        "num_players": num_players,
        "num_hands": LONG_SESSION,
        "ante_menu": [1, 9_999, 10_000],
        "side_stakes": [1, 100],
    }
    oracle = play(rules, num_players, draw_player(random.Random(num_players)))
    assert len(oracle.hand_payoffs) == LONG_SESSION


@pytest.mark.slow
@pytest.mark.parametrize("chunk", range(SLOW_CHUNKS))
def test_many_games(chunk: int) -> None:
    first = QUICK_GAMES + chunk * SLOW_CHUNK
    play_numbers(range(first, first + SLOW_CHUNK))


def test_a_failure_can_be_replayed() -> None:
    rng = random.Random(1)
    rules = draw_rules(rng)
    played: list[str] = []
    choose = draw_player(rng)

    def record(legal: list[str]) -> str:
        played.append(choose(legal))
        return played[-1]

    oracle = play(rules, 1, record)
    assert replay(rules, 1, played).hand_payoffs == oracle.hand_payoffs


# ---------------------------------------------------------------- engines that the comparison must reject


def reads(**change: Callable[[Any], Any]) -> Callable[..., KunsOracle]:
    """Return an oracle that reads the given fields differently, so that the engine is the wrong one of the two."""

    def build(rules: dict[str, Any], *args: Any) -> KunsOracle:
        return KunsOracle({**rules, **{name: new(rules[name]) for name, new in change.items()}}, *args)

    return build


class WrongDealer(KunsOracle):
    def __init__(self, rules: dict[str, Any], dealer: int, deck_of: Any) -> None:
        super().__init__(rules, (dealer + 1) % rules["num_players"], deck_of)


class ReversedDeck(KunsOracle):
    def __init__(self, rules: dict[str, Any], dealer: int, deck_of: Any) -> None:
        super().__init__(rules, dealer, lambda hand: list(deck_of(hand))[::-1])


class WinnerTakesOneChipMore(KunsOracle):
    def _settle(self) -> None:
        super()._settle()
        row = self.hand_payoffs[-1]
        winner = row.index(max(row))
        row[winner] += 1
        row[winner - 1] -= 1


@pytest.mark.parametrize(
    "wrong",
    [
        pytest.param(WrongDealer, id="K2.1-dealer"),
        pytest.param(reads(max_hands=lambda hands: hands + 1), id="K2.2-max_hands"),
        pytest.param(reads(bankroll=lambda chips: chips and chips + 1), id="K2.3-bankroll"),
        pytest.param(reads(forced_ante=lambda chips: chips + 1), id="K2.4-forced_ante"),
        pytest.param(ReversedDeck, id="K3.1-order-of-cards"),
        pytest.param(reads(dealer_sees_hand=lambda sees: not sees), id="K3.2-dealer_sees_hand"),
        pytest.param(reads(no_kuns_zero_is_ten=lambda ten: not ten), id="K5.5-no_kuns_zero_is_ten"),
        pytest.param(reads(side_bets=lambda bets: not bets), id="K6-side_bets"),
        pytest.param(WinnerTakesOneChipMore, id="K7.1-payoff"),
    ],
)
def test_a_broken_engine_is_rejected(wrong: Callable[..., KunsOracle]) -> None:
    with pytest.raises(Difference):
        play_numbers(range(BROKEN_GAMES), wrong)


# ---------------------------------------------------------------- information states

SMALL_RULES = (
    KunsRules.tiny().to_dict(),
    {**KunsRules.tiny().to_dict(), "num_hands": None, "max_hands": 3, "bankroll": 5},
    {**KunsRules.tiny().to_dict(), "side_bets": True, "dealer_sees_hand": False},
)
"""Small enough that random games often look alike to a seat."""
NUM_SMALL_GAMES = 1_000


class KeyPairs:
    """Pairs the two engines' information states: equal on one side must be equal on the other."""

    def __init__(self, key_of: Callable[[Table, int], str]) -> None:
        self.key_of = key_of
        self.keys: dict[tuple[Any, ...], str] = {}
        self.states: dict[str, tuple[Any, ...]] = {}
        self.num_seen = 0

    def add(self, table: Table, oracle: KunsOracle) -> None:
        for seat in range(oracle.num_players):
            key, state = self.key_of(table, seat), (seat, *oracle.information_state(seat))
            if (self.keys.setdefault(state, key), self.states.setdefault(key, state)) != (key, state):
                raise Difference(
                    f"{key!r} beside {state!r}; before: {self.keys[state]!r}, {self.states[key]!r}"
                )
            self.num_seen += 1


def pair_keys(rules: dict[str, Any], key_of: Callable[[Table, int], str]) -> KeyPairs:
    """Return the pairs of many random games of these rules."""
    pairs = KeyPairs(key_of)
    for number in range(NUM_SMALL_GAMES):
        choose = draw_player(random.Random(number))
        table = Table(KunsRules.from_dict(rules), seed=number)
        oracle = KunsOracle(rules, table.dealer, lambda hand, table=table: table.setup_options()["deck"])
        pairs.add(table, oracle)
        while not oracle.is_over:
            move = choose(oracle.legal_moves())
            table.apply(move)
            oracle.apply(move)
            pairs.add(table, oracle)
    return pairs


@pytest.mark.parametrize("rules", SMALL_RULES, ids=["hand", "session", "side-bets"])
def test_information_states_tell_the_same_games_apart(rules: dict[str, Any]) -> None:
    pairs = pair_keys(rules, Table.information_state)
    assert len(pairs.keys) < pairs.num_seen * 3 / 4, "too few games looked alike for this to be a test"


@pytest.mark.parametrize(
    "key_of",
    [
        pytest.param(lambda table, seat: table.information_state(seat)[:-1], id="forgets"),
        pytest.param(
            lambda table, seat: table.information_state(seat) + table.setup_options()["deck"][-1],
            id="knows-too-much",
        ),
        pytest.param(lambda table, seat: table.information_state(1 - seat), id="wrong-seat"),
    ],
)
def test_broken_information_states_are_rejected(key_of: Callable[[Table, int], str]) -> None:
    with pytest.raises(Difference):
        pair_keys(SMALL_RULES[0], key_of)
