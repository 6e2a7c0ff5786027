"""What must hold under any rules and any play: chips, cards, bankrolls, bounds, and room for every hand.

Clauses: K1.1, K2.3, K3.1, K4.1, K5.1-K5.6, K6.1-K6.6, K7.1, K7.3.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from fractions import Fraction
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from games import COMPILED, SMALL, chooser, kuns_rules, positions, same_bytes
from kuns_env import KunsRules, Table
from kuns_env.engine.game import game_of
from kuns_env.kuns.history import length
from kuns_env.kuns.state import MAX_BETS, MAX_EVENTS, NUM_ROUNDS, OVER, STAY, UNITS
from kuns_env.kuns.value import hand_value
from oracle.kuns import hand_value as slow_hand_value

HANDS = json.loads((Path(__file__).parents[1] / "vectors" / "kuns_hands.json").read_text("utf-8"))
RANKS = "A23456789T"
NO_CARD = -1
FOLDED = (-1, 0)


class Broken(AssertionError):
    """A law does not hold."""


Law = Callable[[Table], bool]


def check_positions(laws: Iterable[Law], rules: KunsRules, seed: int) -> None:
    """Raise `Broken` in the first position of a random game in which a law does not hold."""
    for number, table in enumerate(positions(Table(rules, seed=seed), chooser(seed))):
        for law in laws:
            if not law(table):
                text = table.view().text()
                raise Broken(f"{law.__name__} in position {number} of {rules}, seed {seed}:\n{text}")


# ---------------------------------------------------------------- laws of a position


def chips_sum_to_zero(table: Table) -> bool:
    """K7.1: in units, so exactly."""
    state = table.state
    return int(state["payoff"].sum()) == 0 and int(state["standing"].sum()) == 0


def the_pot_is_what_was_paid(table: Table) -> bool:
    state = table.state
    return bool(state["pot"] == state["paid"].sum())


def cards_are_conserved(table: Table) -> bool:
    """K1.1, K3.1: no card twice, and the cards dealt are the first of the deck, in the order of the deal."""
    state, rules = table.state, table.rules
    if not state["num_history"]:
        return not state["num_cards"].any()  # nobody can be dealt a hand
    deck = state["deck"]
    whole = game_of(rules).compiled[0]["deck"]
    if sorted(deck.tolist()) != sorted(whole.tolist()):
        return False
    dealt, num_cards = [], state["num_cards"]
    for place in range(5):
        for step in range(1, rules.num_players + 1):
            seat = (int(state["dealer"]) + step) % rules.num_players
            if num_cards[seat] > place:
                dealt.append(int(state["hole"][seat][place]))
    held = state["hole"][state["hole"] != NO_CARD]
    return dealt == deck[: int(state["deck_next"])].tolist() and len(held) == len(dealt)


def somebody_may_move(table: Table) -> bool:
    return table.is_over == (not table.legal_moves())


def nobody_spends_more_than_it_has(table: Table) -> bool:
    """K2.3: what is paid and what is reserved for open bets never exceeds the bankroll."""
    if table.rules.bankroll is None:
        return True
    state = table.state
    money = table.rules.bankroll * UNITS + state["standing"]
    running = state["phase"] not in (STAY, OVER)
    spent = (state["paid"] + state["staked"]).astype(np.int64) * UNITS * running
    return bool((money - spent >= 0).all())


def encodings_are_within_their_bounds(table: Table) -> bool:
    game = game_of(table.rules)
    for name in ("table", "history"):
        for pad in (False, True):
            encoder = game.encoder(name, pad)
            for seat in range(table.rules.num_players):
                values = table.view(seat).observation(name, pad)
                if values.shape != encoder.shape or values.dtype != encoder.dtype:
                    return False
                if not ((encoder.low <= values) & (values <= encoder.high)).all():
                    return False
    return True


def counts_are_within_their_arrays(table: Table) -> bool:
    state = table.state
    return bool(state["num_history"] <= MAX_EVENTS and state["num_bets"] <= MAX_BETS)


def the_order_of_own_cards_never_matters(table: Table) -> bool:
    """The two cards of a deal step came together: nobody can tell which was first (K3.1)."""
    twin = table.clone()
    hole = twin._states[0]["hole"]
    for first in (0, 2):
        hole[:, [first, first + 1]] = hole[:, [first + 1, first]]
    for seat in range(table.rules.num_players):
        one, other = table.view(seat), twin.view(seat)
        if one.record.tobytes() != other.record.tobytes():
            return False
    if not table.is_over:
        move = table.legal_moves()[0]
        after = table.clone()
        after.apply(move)
        twin.apply(move)
        return after.payoffs(exact=True) == twin.payoffs(exact=True)
    return True


def shown_hands_are_those_still_in(table: Table) -> bool:
    """K7.3, K4.4: at the end of a hand, to everybody, and only where two or more are left."""
    state = table.state
    if state["phase"] not in (STAY, OVER) or not state["hands_done"]:
        return True
    in_hand = state["in_hand"] == 1
    wanted = [
        sorted(state["hole"][seat].tolist()) if in_hand[seat] and in_hand.sum() > 1 else [NO_CARD] * 5
        for seat in range(table.rules.num_players)
    ]
    return bool(wanted == state["shown"][: table.rules.num_players].tolist())


LAWS: tuple[Law, ...] = (
    chips_sum_to_zero,
    the_pot_is_what_was_paid,
    cards_are_conserved,
    somebody_may_move,
    nobody_spends_more_than_it_has,
    encodings_are_within_their_bounds,
    counts_are_within_their_arrays,
    the_order_of_own_cards_never_matters,
    shown_hands_are_those_still_in,
)


@given(kuns_rules(), SMALL)
def test_the_laws_hold_in_every_position(rules: KunsRules, seed: int) -> None:
    check_positions(LAWS, rules, seed)


def spoiled(name: str, value: Any) -> Table:
    """Return a table in mid-game with one field of its record wrong."""
    table = Table(KunsRules(num_players=3, bankroll=20), seed=3, options={"dealer": 0})
    for move in ("ante 2", "call", "call", "call"):
        table.apply(move)
    table._states[0][name] = value(table.state[name])
    return table


FAULTS: dict[Law, Table] = {
    chips_sum_to_zero: spoiled("standing", lambda x: x + np.arange(8)),
    the_pot_is_what_was_paid: spoiled("pot", lambda x: x + 1),
    cards_are_conserved: spoiled("deck", lambda x: np.roll(x, 1)),
    somebody_may_move: spoiled("seat", lambda x: -1),
    nobody_spends_more_than_it_has: spoiled("staked", lambda x: x + 19),
    encodings_are_within_their_bounds: spoiled("pot", lambda x: 1_000),
    counts_are_within_their_arrays: spoiled("num_history", lambda x: MAX_EVENTS + 1),
}


@pytest.mark.parametrize("law", FAULTS, ids=lambda law: law.__name__)
def test_a_law_that_is_broken_is_noticed(law: Law) -> None:
    if law is somebody_may_move:
        FAULTS[law]._states[0]["seat"] = 0
        FAULTS[law]._states[0]["phase"] = OVER
    assert not law(FAULTS[law])
    assert law(Table(KunsRules(num_players=3), seed=3))


def test_cards_twice_and_cards_lost_are_noticed() -> None:
    twice = spoiled("hole", lambda hole: np.where(hole == hole[1, 0], hole[2, 0], hole))
    lost = spoiled("hole", lambda hole: np.where(hole == hole[1, 0], NO_CARD, hole))
    assert not cards_are_conserved(twice)
    assert not cards_are_conserved(lost)


# ---------------------------------------------------------------- hand values


def test_every_hand_has_the_value_of_the_oracle_in_any_order_k5_1_to_k5_5() -> None:
    assert len(HANDS) == 1992
    for number, key in enumerate(HANDS):
        ranks = [RANKS.index(text) + 1 for text in key]
        kuns, value = slow_hand_value(ranks)
        assert int(hand_value(np.array(ranks))) == 10 * kuns + value
        orders = list(permutations(ranks))
        for order in orders[number % 7 :: 7 if COMPILED else 40]:
            assert hand_value(np.array(order)) == hand_value(np.array(ranks))


@given(st.lists(st.integers(1, 10), min_size=5, max_size=5), st.permutations(range(5)))
def test_the_order_of_cards_never_matters_to_a_value(hand: list[int], order: list[int]) -> None:
    assert hand_value(np.array(hand)) == hand_value(np.array([hand[i] for i in order]))


@given(st.lists(st.integers(1, 10), min_size=5, max_size=5), st.sampled_from((np.int8, np.uint8, np.int64)))
def test_the_type_of_the_numbers_never_matters_to_a_value(hand: list[int], kind: type) -> None:
    assert hand_value(np.array(hand, kind)) == hand_value(np.array(hand, np.int64))


# ---------------------------------------------------------------- settlement


def settled(table: Table) -> list[Fraction]:
    """K5.6, K6.5, K7.1 word for word: what the hand that has just ended pays, from the record before."""
    state, rules = table.state, table.rules
    seats = range(rules.num_players)
    alive = [seat for seat in seats if state["in_hand"][seat]]
    strength = [FOLDED] * rules.num_players
    for seat in alive:
        ranks = [int(card) // 4 + 1 for card in state["hole"][seat]]
        shown = len(alive) > 1
        strength[seat] = slow_hand_value(ranks, rules.no_kuns_zero_is_ten) if shown else (0, 0)
    winners = [seat for seat in alive if strength[seat] == max(strength)]
    pay = [Fraction(-int(state["paid"][seat])) for seat in seats]
    for seat in winners:
        pay[seat] += Fraction(int(state["paid"].sum()), len(winners))
    for offerer, taker, backed, opposed, stake in state["bets"][: int(state["num_bets"])].tolist():
        chips = stake * int(state["ante"])
        sign = (strength[backed] > strength[opposed]) - (strength[backed] < strength[opposed])
        pay[offerer] += sign * chips
        pay[taker] -= sign * chips
    return pay


@given(kuns_rules(num_hands=1), SMALL)
def test_every_hand_is_settled_by_the_rules_k5_6_k6_5_k7_1(rules: KunsRules, seed: int) -> None:
    *_, table = positions(Table(rules, seed=seed), chooser(seed))
    if table.hands_done:
        assert table.payoffs(exact=True) == settled(table)
        assert table.payoffs() == [float(chips) for chips in settled(table)]


TIED = ["66828", "67737", "479TT", "38946", "235TT", "AA855", "235A9", "244A9"]
"""Eight hands of the best value, kuns and 10, from one deck (K5.2)."""


def cards_of(hands: Iterable[str]) -> list[list[str]]:
    """Return the hands as cards, each with a suit of its own."""
    suits = {rank: iter("cdhs") for rank in RANKS}
    return [[rank + next(suits[rank]) for rank in hand] for hand in hands]


@pytest.mark.parametrize("winners", range(2, 9))
def test_ties_split_the_pot_exactly_k5_6(winners: int) -> None:
    rules = KunsRules(num_players=8, forced_ante=1, ante_menu=(3,), side_bets=False)
    hands = cards_of(TIED)
    deck = [hands[seat][card] for card in (0, 1) for seat in range(8)]
    deck += [hands[seat][card] for card in (2, 3) for seat in range(winners)]
    deck += [hands[seat][4] for seat in range(winners)]
    table = Table(rules, seed=1, options={"dealer": 7, "deck": deck})
    while not table.is_over:
        seat = table.to_play
        assert seat is not None
        table.apply("call" if seat < winners else "fold")
    share = Fraction(8, winners) - 1
    assert table.payoffs(exact=True) == [share] * winners + [Fraction(-1)] * (8 - winners)
    assert sum(table.payoffs(exact=True)) == 0
    shown = [sorted(hand, key=lambda card: (RANKS.index(card[0]), card[1])) for hand in hands[:winners]]
    assert table.view().to_dict()["shown"] == [*shown, *[None] * (8 - winners)]


# ---------------------------------------------------------------- room for every hand


def longest_play(table: Table, kept: int) -> None:
    """Play the longest hand there is with ``kept`` players: all offer, nobody accepts, all stay or the last leaves."""
    rules = table.rules
    while not table.is_over and table.hands_done == 0:
        legal = table.legal_moves()
        seat = table.to_play
        place = (seat - table.dealer - 1) % rules.num_players  # type: ignore[operator]
        if "fold" in legal:
            table.apply("call" if place >= rules.num_players - kept else "fold")
        else:
            # What goes on: an offer before a pass, a no before a yes.
            table.apply(next((move for move in legal if move.split()[0] in LONGER), legal[0]))


LONGER = ("back", "against", "stake", "decline", "ante")


def longest_hand(players: int, kept: int) -> int:
    """Return the events of that hand by the rules: K3.1, K4.1, K4.2, K6.1, K6.3, K6.4, K2.2."""
    out = players - kept
    window = out * (3 + 1 + out - 1) + kept * (2 + 1 + out)
    return 1 + NUM_ROUNDS * (1 + window) + players + (NUM_ROUNDS - 1) * kept


@pytest.mark.parametrize("players", [2, 3, 5, 8])
def test_the_longest_hands_fit_k6_1_to_k6_4(players: int) -> None:
    rules = KunsRules(num_players=players, num_hands=None, forced_ante=1)
    longest = 0
    for kept in range(2, players + 1):
        table = Table(rules, seed=2)
        longest_play(table, kept)
        events = int(table.state["num_history"])
        assert events == longest_hand(players, kept)
        while not table.is_over and table.hands_done == 1 and table.state["phase"] == STAY:
            events = int(table.state["num_history"])
            for seat in range(players):
                tokens = table.view(seat).observation("history")
                assert len(tokens) == length(rules, players)
                assert tokens[-1] == 0, "no token was cut off"
            last = table.view().to_dict()["events"]
            assert len(last) == events
            table.apply("stay")
        longest = max(longest, events + 1)
    assert longest <= MAX_EVENTS
    if players == 8:
        # The bound allows for no more than a tenth of room that is never used.
        assert longest > 0.85 * MAX_EVENTS


@given(kuns_rules(num_players=8, side_bets=True), SMALL, st.integers(2, 8))
def test_long_hands_of_eight_players_fit_under_any_rules(rules: KunsRules, seed: int, kept: int) -> None:
    table = Table(rules, seed=seed)
    while not table.is_over and table.hands_done == 0:
        legal = table.legal_moves()
        wanted = ("call",) if (seed + len(legal)) % 3 else ("accept", "call")
        table.apply(next((move for move in legal if move.split()[0] in wanted + LONGER), legal[0]))
        assert counts_are_within_their_arrays(table)
    assert encodings_are_within_their_bounds(table)


def test_bets_fit_when_every_offer_is_taken_k6_1() -> None:
    table = Table(KunsRules(num_players=8), seed=2)
    while not table.is_over:
        legal = table.legal_moves()
        table.apply(
            next((m for m in legal if m.split()[0] in ("accept", "call", "against", "stake")), legal[0])
        )
    assert table.state["num_bets"] == MAX_BETS
    assert sum(table.payoffs(exact=True)) == 0


@given(kuns_rules(), SMALL)
def test_two_games_in_the_same_position_are_equal_byte_for_byte(rules: KunsRules, seed: int) -> None:
    # A record that was used before keeps nothing of its past.
    fresh, used = Table(rules, seed=seed), Table(rules, seed=seed + 1)
    for position in positions(used, chooser(seed)):
        last = position
    game_of(rules).start(last._states, seed, 0, 0, None)
    assert same_bytes(last, fresh)
