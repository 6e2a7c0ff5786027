"""The `history` encoding: every sequence can be read back to what the oracle says that the seat has seen.

That tells any two situations apart that the seat can. `test_recall` holds the other direction, and the text key.
Clauses: N2.1-N2.3, N4.8, N5.1, N6.3, N7.4, N9.1.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from games import COMPILED
from kunken_play import beside, random_game, walk
from kuns_env import KunkenRules, Table
from kuns_env.engine.game import game_of
from kuns_env.kunken import history
from kuns_env.kunken.cards import TEXTS
from kuns_env.kunken.moves import ALL_TEXTS
from kuns_env.kunken.rules import MAX_PLAYERS
from kuns_env.kunken.state import MAX_EVENTS, UNITS
from oracle.kunken_games import Choose, deck_of
from oracle.kunken_history import KunkenHistory

GAMES = 60 if COMPILED else 5
EVERY = 7
"""Of this many positions one is looked at."""
STALLED_GAMES = 40 if COMPILED else 2


class Unreadable(AssertionError):
    """A sequence of tokens means nothing, or goes on where it should have ended."""


# ---------------------------------------------------------------- reading tokens back


@dataclass
class Reader:
    """Goes through the texts of tokens."""

    texts: list[str]

    def next(self, prefix: str) -> str:
        """Return the rest of the next token, which must begin with ``prefix``."""
        if not self.texts or not self.texts[0].startswith(prefix):
            raise Unreadable(f"wanted {prefix!r}, there is {self.texts[:3]}")
        return self.texts.pop(0).removeprefix(prefix)

    def while_next(self, prefix: str) -> list[str]:
        """Return the rests of all tokens from here on that begin with ``prefix``."""
        found = []
        while self.texts and self.texts[0].startswith(prefix):
            found.append(self.next(prefix))
        return found

    def number(self, digits: int) -> int:
        """Return the number that the next tokens spell."""
        value = 0
        for _ in range(digits):
            value = value * 256 + int(self.next("digit "))
        return value


def read(rules: KunkenRules, observation: np.ndarray[Any, Any], viewer: int) -> tuple[Any, ...]:
    """Return what a sequence says, in the form of the oracle's information state.

    Deals done and standings are None where they are not written down.
    """
    tokens = observation.tolist()
    size = len(tokens) - tokens[::-1].index(next((token for token in tokens[::-1] if token), 0))
    if any(token == history.PAD for token in tokens[:size]):
        raise Unreadable("a zero before the end")
    reader = Reader([history.describe_token(token) for token in tokens[:size]])
    players = rules.num_players

    def seat(distance: str) -> int:
        return (viewer + int(distance)) % players

    dealer = seat(reader.next("dealer: seat +"))
    deal_digits, standing_digits = history.digits_of(rules)
    done, standings = None, None
    if deal_digits:
        done = reader.number(deal_digits)
        won = [Fraction(0)] * players
        for distance in range(players):
            sign = {"plus": 1, "minus": -1}[reader.next("standing, ")]
            won[seat(str(distance))] = sign * Fraction(reader.number(standing_digits), UNITS)
        standings = tuple(won)
    hand = tuple(sorted(reader.next("card ") for _ in range(rules.hand_size)))
    stock = int(reader.next("stock of ").split(";")[0])
    bank = tuple(reader.while_next("card "))
    events = []
    while reader.texts:
        who, move = reader.next("seat +").split(": ")
        drawn = reader.next("card ") if move == "draw" and who == "0" else ""
        events.append((seat(who), move, drawn))
    return done, dealer, standings, hand, bank, stock, tuple(events)


def wanted(rules: KunkenRules, oracle: KunkenHistory, seat: int) -> tuple[Any, ...]:
    """Return the oracle's information state in the same form."""
    deal, dealer, payoffs, *rest = oracle.information_state(seat)
    if history.digits_of(rules) == (0, 0):
        return None, dealer, None, *rest
    return deal + oracle.is_over, dealer, payoffs, *rest


def compare(table: Table, oracle: KunkenHistory) -> None:
    """Read every seat's sequence, padded and not, and compare it with what the oracle remembers."""
    for seat in range(table.rules.num_players):
        for pad in (False, True):
            said = read(table.rules, table.view(seat).observation("history", pad), seat)
            assert said == wanted(table.rules, oracle, seat)


def test_every_sequence_can_be_read_back() -> None:
    met: Counter[str] = Counter()
    for number in range(GAMES):
        table, choose = random_game(number)
        oracle = beside(table, KunkenHistory)
        compare(table, oracle)  # type: ignore[arg-type]
        played = 0
        while not table.is_over:
            move = choose(oracle.legal_moves())
            table.apply(move)
            oracle.apply(move)
            played += 1
            if played % EVERY == 0 or table.is_over:
                compare(table, oracle)  # type: ignore[arg-type]
        met.update(reshuffled=oracle.reshuffles > 0, several=table.rules.num_deals > 1)
        met.update(penalty=table.rules.hand_penalty and table.rules.num_deals == 1)
        met.update(lost=any(payoff < 0 for payoff in oracle.payoffs()))
    assert not COMPILED or all(met[name] for name in ("reshuffled", "several", "penalty", "lost"))


def test_standings_are_written_where_the_moves_do_not_tell_them_n6_3() -> None:
    assert history.digits_of(KunkenRules()) == (0, 0)
    assert history.digits_of(KunkenRules(hand_penalty=True))[1] > 0
    for deals, digits in ((2, 1), (255, 1), (256, 2), (1_000, 2)):
        assert history.digits_of(KunkenRules(num_deals=deals))[0] == digits


def test_what_others_draw_is_not_in_it() -> None:
    table = Table(KunkenRules(hand_size=3), seed=5)
    drawer = table.to_play
    assert drawer is not None
    table.apply("draw")
    card = TEXTS[int(table.state["drawn"][0])]
    assert table.view(drawer).explain("history")[-2:] == ["seat +0: draw", f"card {card}"]
    assert table.view(1 - drawer).explain("history")[-1] == "seat +1: draw"


# ---------------------------------------------------------------- the text key


@pytest.mark.parametrize("num_deals", [1, 2])
def test_the_key_says_what_the_oracle_remembers(num_deals: int) -> None:
    rules = KunkenRules(num_players=3, hand_size=7, bank_points=15, num_deals=num_deals, hand_penalty=True)
    table, choose = Table(rules, seed=2), random_game(2)[1]
    oracle = beside(table, KunkenHistory)
    while not table.is_over:
        move = choose(oracle.legal_moves())
        table.apply(move)
        oracle.apply(move)
        for seat in range(3):
            deal, dealer, payoffs, hand, bank, stock, events = oracle.information_state(seat)  # type: ignore[attr-defined]
            moves = [f"{who} {text}" + (f" {card}" if card else "") for who, text, card in events]
            key = table.information_state(seat).split("|")
            assert key[:2] == [f"seat {seat}", oracle.phase]
            assert key[2:4] == [f"dealer {dealer}", f"deal {deal + oracle.is_over}"]
            assert key[4] == "standings " + ":".join(str(payoff * UNITS) for payoff in payoffs)
            assert sorted(key[5].split()[1:]) == sorted(hand)
            assert key[6:] == ["bank " + " ".join(bank), f"stock {stock}", *moves]


# ---------------------------------------------------------------- tokens


def test_every_token_means_something_else() -> None:
    said = [history.describe_token(token) for token in range(history.NUM_TOKENS)]
    assert len(set(said)) == history.NUM_TOKENS <= np.iinfo(np.int16).max
    assert said[history.PAD] == "end"
    assert said[history.CARD_BASE : history.DEALER_BASE] == [f"card {text}" for text in TEXTS]
    assert said[history.MOVE_BASE : history.LOST] == [
        f"seat +{distance}: {text}" for distance in range(MAX_PLAYERS) for text in ALL_TEXTS
    ]


@pytest.mark.parametrize("token", [-1, history.NUM_TOKENS])
def test_tokens_that_are_none(token: int) -> None:
    with pytest.raises(ValueError, match=rf"token {token}: must be from 0 to {history.NUM_TOKENS - 1}"):
        history.describe_token(token)


def test_other_shapes_are_refused() -> None:
    encoder = game_of(KunkenRules()).encoder("history")
    with pytest.raises(ValueError, match="this encoding has shape"):
        encoder.explain(np.zeros(encoder.shape[0] + 1, np.int16))


# ---------------------------------------------------------------- the length is enough


def used(table: Table) -> int:
    """Return how many tokens the fullest sequence of a table has."""
    seats = range(table.rules.num_players)
    return max(int(np.count_nonzero(table.view(seat).observation("history"))) for seat in seats)


def bound(rules: KunkenRules) -> int:
    return history.length(rules, rules.num_players)


def stalling(rng: random.Random, takes: bool) -> Choose:
    """Return a way to play that makes a deal as long as it can: it takes the top card where it may, lays one meld
    a turn and keeps its cards; a swap whenever there is one, as it brings a joker that can be laid again."""

    def choose(legal: list[str]) -> str:
        by_word: dict[str, list[str]] = {}
        for move in legal:
            by_word.setdefault(move.split()[0], []).append(move)
        order = (["take"] if takes else []) + ["draw", "swap", "discard", "lay", "set", "run", "take"]
        word = next(word for word in order if word in by_word)
        if word == "discard" and "swap" not in by_word and "lay" in by_word and rng.random() < 0.2:
            word = "lay"
        return rng.choice(by_word[word])

    return choose


@pytest.mark.parametrize("takes", [False, True])
def test_a_deal_that_is_drawn_out_fits(takes: bool) -> None:
    fullest = 0.0
    for number in range(STALLED_GAMES):
        rng = random.Random(number)
        rules = KunkenRules(
            num_players=rng.choice((2, 2, 3, 5)),
            hand_size=rng.choice((3, 4, 7, 13)),
            bank_points=rng.choice((5, 15)),
            max_reshuffles=rng.randrange(4),
            joker_swap=rng.random() < 0.5,
            open_from_stock=rng.random() < 0.5,
        )
        table = Table(rules, seed=number)
        choose = stalling(rng, takes)
        while not table.is_over:
            table.apply(choose(table.legal_moves()))
        tokens, most = used(table), bound(rules)
        assert tokens <= most
        fullest = max(fullest, tokens / most)
    assert not COMPILED or fullest > (0.3 if takes else 0.6), "far from the bound: nothing is shown"


def test_a_stock_that_is_drawn_to_its_end_again_and_again_n5_1() -> None:
    """The longest deal that can be built: three cards a hand, three reshuffles, nobody ever lays."""
    rules = KunkenRules(hand_size=3, max_reshuffles=3)
    table = Table(rules, seed=1)
    while not table.is_over:
        legal = table.legal_moves()
        table.apply("draw" if "draw" in legal else legal[0])
    turns = int(table.state["turns"])
    assert table.state["reshuffles"] == 3
    # The first stock, and three times all cards but those in the hands and the top of the bank.
    assert turns == 99 + 3 * 99
    assert used(table) == 1 + 3 + 1 + 1 + 2 * turns + turns // 2
    # What is left is room for takes, and for laying every card.
    takes, deck = 106 // 3, 106
    assert bound(rules) - used(table) <= 2 * takes + takes + deck + 3 * 2 * 3


def test_a_bank_of_nearly_all_cards_fits_n9_1() -> None:
    rules = KunkenRules(hand_size=3, max_reshuffles=3)
    deck = deck_of(2)
    options = {"dealer": 1, "hands": [deck[:3], deck[3:6]], "bank": deck[6:-1], "stock": deck[-1:]}
    table = Table(rules, seed=1, options=options)
    assert used(table) == 1 + 3 + 1 + len(deck) - 7
    while not table.is_over:
        legal = table.legal_moves()
        table.apply("draw" if "draw" in legal else legal[-1])
    assert used(table) <= bound(rules)


@pytest.mark.parametrize("num_players", range(2, MAX_PLAYERS + 1))
def test_lengths(num_players: int) -> None:
    for fields in ({}, {"hand_size": 3, "max_reshuffles": 3, "joker_swap": True}, {"num_deals": 1_000}):
        rules = KunkenRules(num_players=num_players, **fields)  # type: ignore[arg-type]
        game = game_of(rules)
        narrow, wide = game.encoder("history").shape, game.encoder("history", True).shape
        assert narrow == (bound(rules),)
        assert wide == (max(history.length(rules, players) for players in range(2, 6)),)
        # No longer than what the record of a game has room for, with a card for every second event.
        assert bound(rules) <= 2 * MAX_EVENTS


def test_a_sequence_without_an_end_is_found_out() -> None:
    rules = KunkenRules(hand_size=3)
    tokens = Table(rules, seed=3).view(0).observation("history")
    said = read(rules, tokens, 0)
    assert said[0] is None
    for spoil in (lambda t: t[1:], lambda t: np.delete(t, 4), lambda t: np.insert(t, 2, 0)):
        with pytest.raises(Unreadable):
            read(rules, spoil(tokens), 0)


def test_play_goes_to_the_left_n2_3_n4_8() -> None:
    table, choose = Table(KunkenRules(num_players=3), seed=9), random_game(9)[1]
    seats = []
    for position in walk(table, choose):
        assert [seat for seat, _, _ in history.events(table.rules, position.state)] == seats
        if position.to_play is not None:
            seats.append(position.to_play)
