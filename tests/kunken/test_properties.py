"""What must hold in every position of every game, whatever the rules and the play.

Clauses: N1.1, N1.3, N2.1-N2.3, N3.1-N3.3, N4.2, N4.3, N4.6, N4.9, N5.1, N6.1-N6.3, N7.1, N7.2, N7.4, N8.1-N8.8.
"""

from __future__ import annotations

import json
import pickle
import random
from collections import Counter
from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games import COMPILED, SMALL, same_bytes
from kunken_play import drawn_game, kunken_rules, meld_texts, play_out, position_of, walk, words
from kuns_env import Batch, IllegalMoveError, KunkenRules, Table
from kuns_env.engine.game import game_of
from kuns_env.kunken import moves
from kuns_env.kunken.cards import JOKER, NO_CARD, RANKS, TEXTS
from kuns_env.kunken.state import ACQUIRE, MAX_EVENTS, MAX_HISTORY, MAX_TURNS, OVER, OWE, RUN, SET, UNITS
from oracle.kunken_games import Choose, deck_of, draw_player
from oracle.kunken_melds import Laid, Meld, all_beginnings, growths, is_meld, points_of
from oracle.kunken_scores import payoffs_of, scores_of

FEWER = settings(max_examples=max(1, settings().max_examples // 4))


class Broken(AssertionError):
    """A law does not hold."""


# ---------------------------------------------------------------- laws of a position

Law = Callable[[Table], bool]


def somebody_may_move(table: Table) -> bool:
    """N4.3: "a player can never be stuck"."""
    return table.is_over == (not table.legal_moves())


def words_agree_with_counts(table: Table) -> bool:
    state = table.state
    for prefix, count in (("", state["num_cards"]), ("known_", None)):
        one, two = state[prefix + "one"].tolist(), state[prefix + "two"].tolist()
        for seat in range(len(one)):
            if two[seat] & ~one[seat] or one[seat] >> (JOKER + 1) or one[seat] < 0:
                return False
            size = one[seat].bit_count() + two[seat].bit_count()
            if count is not None and size != count[seat]:
                return False
    return True


def known_cards_are_held(table: Table) -> bool:
    here = position_of(table)
    return all(Counter(known) <= Counter(hand) for known, hand in zip(here.known, here.hands, strict=True))


def bank_words_agree_with_the_bank(table: Table) -> bool:
    """Bit ``t`` of the words: a card of type ``t`` lies in the bank, both do."""
    state = table.state
    size = int(state["num_bank"])
    bank = state["bank"].tolist()
    texts = [TEXTS[card] for card in bank[:size]]
    return (int(state["bank_one"]), int(state["bank_two"])) == words(texts) and all(
        card == NO_CARD for card in bank[size:]
    )


def stock_is_where_it_should_be(table: Table) -> bool:
    state = table.state
    first, end = int(state["stock_next"]), int(state["num_stock"])
    stock = state["stock"].tolist()
    empty = [*stock[:first], *stock[end:]]
    return all(card == NO_CARD for card in empty) and all(card != NO_CARD for card in stock[first:end])


def somebody_can_always_draw(table: Table) -> bool:
    """N4.1, N5.1: the stock is never empty when a turn begins; nor is the bank at the end of one."""
    state = table.state
    return state["phase"] != ACQUIRE or state["stock_next"] < state["num_stock"]


def melds_are_melds(table: Table) -> bool:
    """N3.1-N3.3, by the oracle; and the record of a meld agrees with itself."""
    state = table.state
    for meld in state["melds"][: int(state["num_melds"])]:
        _, kind, cards, layers = meld_texts(meld)
        laid = Meld(kind, tuple(Laid(card, place) for card, place in cards))
        if not is_meld(laid, table.rules.identical_cards_in_set) or len(layers) != len(cards):
            return False
        if meld["jokers"] != sum(card == "*" for card, _ in cards):
            return False
        low, size = int(meld["low"]), int(meld["size"])
        if cards[0][1][0] != RANKS[low]:
            return False
        places = range(low, low + size) if meld["kind"] == RUN else range(size)
        for name in ("cards", "layers"):
            filled = [place for place, entry in enumerate(meld[name].tolist()) if entry != NO_CARD]
            if filled != list(places):
                return False
        if (meld["kind"] == SET) != (meld["suit"] == -1):
            return False
    return not state["melds"]["size"][int(state["num_melds"]) :].any()


def points_are_those_of_the_cards_by_layer(table: Table) -> bool:
    """N6.1, N1.3."""
    state = table.state
    points, cards = Counter[int](), Counter[int]()
    for meld in state["melds"][: int(state["num_melds"])]:
        _, _, laid, layers = meld_texts(meld)
        for (_, place), seat in zip(laid, layers, strict=True):
            points[seat] += points_of(place)
            cards[seat] += 1
    seats = range(table.rules.num_players)
    # A swap lays a card that counts for whoever laid the joker (N3.4).
    return state["laid_points"].tolist()[: len(seats)] == [points[seat] for seat in seats] and state[
        "num_laid"
    ].tolist()[: len(seats)] == [cards[seat] for seat in seats]


def payoffs_sum_to_zero(table: Table) -> bool:
    """N7.1, N7.2: in units, so exactly."""
    state = table.state
    if table.rules.settlement == "points":
        return True
    return int(state["payoff"].sum()) == 0 == int(state["standing"].sum())


def counts_are_within_their_bounds(table: Table) -> bool:
    state = table.state
    return bool(state["num_history"] <= MAX_EVENTS <= MAX_HISTORY and state["turns"] <= MAX_TURNS)


def who_has_laid_has_opened(table: Table) -> bool:
    """N4.6: but for what was begun and is unfinished."""
    state = table.state
    laid = state["num_laid"] > 0
    if state["phase"] == OWE:
        laid[int(state["seat"])] = state["opened"][int(state["seat"])]
    return bool((laid == state["opened"]).all())


def a_debt_is_only_owed_in_its_phase(table: Table) -> bool:
    """N4.2, N4.6."""
    state = table.state
    if state["phase"] == OWE:
        return bool(state["need"] > 0 or state["claim_due"])
    owed = [int(state[name]) for name in ("need", "claim_due", "leave")]
    return owed == [0, 0, 0] and state["claim_at"] == NO_CARD


def the_deal_is_scored_by_the_rules(table: Table) -> bool:
    """N6.1-N6.3, N7.1-N7.3: at the end of the episode the last deal still lies there."""
    if not table.is_over:
        return True
    state, rules, here = table.state, table.rules.to_dict(), position_of(table)
    seats = slice(table.rules.num_players)
    winner = None if state["last_winner"] < 0 else int(state["last_winner"])
    if (winner is None) != all(here.hands) or (winner is not None and here.hands[winner]):
        return False
    express = bool(state["last_express"])
    if express and winner is None:
        return False
    scores = scores_of(rules, state["laid_points"][seats].tolist(), here.hands, winner, express)
    row = payoffs_of(rules["settlement"], scores, winner)
    return state["last_scores"][seats].tolist() == scores and table.last_payoffs(exact=True) == row


LAWS: tuple[Law, ...] = (
    somebody_may_move,
    words_agree_with_counts,
    known_cards_are_held,
    bank_words_agree_with_the_bank,
    stock_is_where_it_should_be,
    somebody_can_always_draw,
    melds_are_melds,
    points_are_those_of_the_cards_by_layer,
    payoffs_sum_to_zero,
    counts_are_within_their_bounds,
    who_has_laid_has_opened,
    a_debt_is_only_owed_in_its_phase,
    the_deal_is_scored_by_the_rules,
)


def check_game(laws: Iterable[Law], table: Table, choose: Choose) -> None:
    """Raise `Broken` in the first position of a game in which a law does not hold."""
    deal, cards = -1, Counter[str]()
    for number, here in enumerate(walk(table, choose)):
        if here.hands_done != deal and not here.is_over:
            deal, cards = here.hands_done, position_of(here).cards()
            if not cards <= Counter(deck_of(here.rules.num_jokers)):
                raise Broken(f"deal {deal}: {cards} is no part of the deck")
        if position_of(here).cards() != cards:
            raise Broken(f"position {number}: the cards are {position_of(here).cards()}, not {cards}")
        for law in laws:
            if not law(here):
                raise Broken(f"{law.__name__} in position {number} of {here!r}, stream {here.stream}")


@given(kunken_rules(), SMALL)
def test_the_laws_hold_in_every_position(rules: KunkenRules, seed: int) -> None:
    check_game(LAWS, *drawn_game(rules, seed))


@pytest.mark.parametrize("num_players", range(2, 6))
@pytest.mark.parametrize("num_jokers", range(3))
def test_every_deal_is_of_the_whole_deck_n1_1_n2_2(num_players: int, num_jokers: int) -> None:
    rules = KunkenRules(num_players=num_players, num_jokers=num_jokers, num_deals=3, max_reshuffles=0)
    choose = draw_player(random.Random(1))
    for table in walk(Table(rules, seed=num_players), choose):
        here = position_of(table)
        assert here.cards() == Counter(deck_of(num_jokers))
        if table.state["num_history"] == 0:
            assert [len(hand) for hand in here.hands] == [13] * num_players
            assert len(here.bank) == 1
            assert table.to_play == (table.dealer + 1) % num_players  # N2.3


def midgame(**rules: Any) -> Table:
    """Return a game in which a seat has taken the bank and something lies everywhere."""
    options = {
        "dealer": 0,
        "hands": [["2c", "3d", "*"], ["9c", "9d", "Kh"]],
        "bank": ["4s", "9h", "Jd"],
        "stock": ["As", "2d", "7h", "7h"],
    }
    table = Table(KunkenRules(hand_size=3, bank_points=15, num_deals=2, **rules), seed=3, options=options)
    for move in ("take 9h", "set 9c 9d 9h"):
        table.apply(move)
    return table


def spoiled(name: str, value: Any) -> Table:
    """Return a table in mid-game with one field of its record wrong."""
    table = midgame()
    table._states[0][name] = value(table.state[name])
    return table


def other(meld_field: str, value: Any) -> Table:
    table = midgame()
    table._states[0]["melds"][0][meld_field] = value
    return table


def ended(name: str, value: Any) -> Table:
    """Return a table at the end of its episode with one field wrong."""
    table = Table(KunkenRules(hand_size=3, max_reshuffles=0), seed=3)
    play_out(table, draw_player(random.Random(1)))
    table._states[0][name] = value(table.state[name])
    return table


def stuck() -> Table:
    table = midgame()
    table._states[0]["phase"] = OVER
    return table


FAULTS: dict[Law, list[Table]] = {
    somebody_may_move: [stuck()],
    words_agree_with_counts: [
        spoiled("num_cards", lambda x: x + 1),
        spoiled("two", lambda x: x | (1 << 50)),
        spoiled("known_two", lambda x: x | 1),
        spoiled("one", lambda x: x | (1 << (JOKER + 1))),
    ],
    known_cards_are_held: [spoiled("known_one", lambda x: x | (1 << 11))],
    bank_words_agree_with_the_bank: [
        spoiled("bank_one", lambda x: x ^ 1),
        spoiled("bank_two", lambda x: x ^ 1),
        spoiled("bank", lambda x: np.where(x == NO_CARD, 0, x)),
    ],
    stock_is_where_it_should_be: [
        spoiled("stock", lambda x: np.where(x == NO_CARD, 0, x)),
        spoiled("num_stock", lambda x: x + 1),
    ],
    somebody_can_always_draw: [],
    melds_are_melds: [
        other("jokers", 1),
        other("suit", 1),
        other("size", 4),
        other("low", 3),
        other("kind", RUN),
        other("cards", np.arange(13)),
    ],
    points_are_those_of_the_cards_by_layer: [
        spoiled("laid_points", lambda x: x[::-1].copy()),
        spoiled("num_laid", lambda x: x + 1),
        other("layers", 0),
    ],
    payoffs_sum_to_zero: [spoiled("standing", lambda x: x + 1), ended("payoff", lambda x: x + UNITS)],
    counts_are_within_their_bounds: [spoiled("num_history", lambda x: MAX_EVENTS + 1)],
    who_has_laid_has_opened: [spoiled("opened", lambda x: 1 - x)],
    a_debt_is_only_owed_in_its_phase: [spoiled("need", lambda x: 5), spoiled("phase", lambda x: OWE)],
    the_deal_is_scored_by_the_rules: [
        ended("last_scores", lambda x: x + 1),
        ended("last_winner", lambda x: 1),
        ended("last_express", lambda x: 1),
        ended("payoff", lambda x: x[::-1] + np.arange(len(x))),
    ],
}


@pytest.mark.parametrize("law", FAULTS, ids=lambda law: law.__name__)
def test_a_law_that_is_broken_is_noticed(law: Law) -> None:
    if law is somebody_can_always_draw:
        table = Table(KunkenRules(), seed=3)
        table._states[0]["stock_next"] = table.state["num_stock"]
        FAULTS[law].append(table)
    if law is the_deal_is_scored_by_the_rules:
        # Somebody that has gone out is the winner.
        assert law(ended("payoff", lambda x: x))
    for table in FAULTS[law]:
        assert not law(table)
    assert law(midgame())
    assert law(Table(KunkenRules(num_players=3), seed=3))


@pytest.mark.parametrize(
    ("name", "value"),
    [("one", lambda x: x & ~1), ("bank", lambda x: np.roll(x, 1)), ("stock_next", lambda x: x + 1)],
)
def test_cards_lost_are_noticed(name: str, value: Any) -> None:
    cards = position_of(midgame()).cards()
    assert position_of(spoiled(name, value)).cards() != cards


# ---------------------------------------------------------------- N4.3: what is owed can always be paid


def pays(table: Table, move: str, seed: int) -> bool:
    """Return whether whatever is played after ``move`` at random the debt is paid by the seat that owes it."""
    after = table.clone()
    seat, done = after.to_play, after.hands_done
    after.apply(move)
    rng = random.Random(seed)
    while after.hands_done == done and after.state["phase"] == OWE:
        legal = after.legal_moves()
        if (
            after.to_play != seat
            or not legal
            or {move.split()[0] for move in legal} & {"discard", "swap", "draw"}
        ):
            return False
        after.apply(rng.choice(legal))
    return after.hands_done > done or (after.to_play == seat and bool(after.state["opened"][seat]))


@given(kunken_rules(), SMALL)
def test_no_obligation_that_cannot_be_met_n4_3(rules: KunkenRules, seed: int) -> None:
    table, choose = drawn_game(rules, seed)
    for number, here in enumerate(walk(table, choose)):
        legal = here.legal_moves()
        words_of = {move.split()[0] for move in legal}
        if here.state["phase"] == OWE or "take" in words_of or words_of & {"set", "run"}:
            for i, move in enumerate(legal[:: max(1, len(legal) // 4)]):
                if move.split()[0] in ("take", "set", "run", "lay"):
                    assert pays(here, move, number + i), (rules, seed, number, move)


def test_an_obligation_that_cannot_be_met_is_noticed() -> None:
    table = Table(KunkenRules(hand_size=3, bank_points=15), 3, midgame().setup_options())
    assert pays(table, "take 9h", 1)

    class ForgetsTheClaim(Table):
        """Takes the bank and asks for more than there is."""

        def apply(self, move: str | int) -> None:
            super().apply(move)
            if str(move).startswith("take"):
                self._states[0]["need"] = 200

    assert not pays(ForgetsTheClaim(table.rules, 3, midgame().setup_options()), "take 9h", 1)


# ---------------------------------------------------------------- the longest deals


def longest(rules: KunkenRules, choose: Choose, seed: int) -> Table:
    """Return a game played to its end, all its bounds looked at."""
    table = Table(rules, seed=seed)
    for here in walk(table, choose):
        assert counts_are_within_their_bounds(here)
    return table


@pytest.mark.parametrize("num_players", range(2, 6))
def test_the_longest_deal_of_draws_fits_n5_1(num_players: int) -> None:
    rules = KunkenRules(num_players=num_players, hand_size=3, max_reshuffles=3)
    table = longest(rules, lambda legal: next(m for m in legal if m.split()[0] in ("draw", "discard")), 1)
    dealt = 3 * num_players + 1
    # The first stock is drawn, then three times all that was discarded but the top card.
    turns = (106 - dealt) + 3 * (106 - dealt)
    assert (int(table.state["turns"]), int(table.state["num_history"])) == (turns, 2 * turns)
    assert table.state["reshuffles"] == 3


@given(st.integers(2, 5), SMALL, st.booleans())
def test_deals_in_which_much_is_laid_fit(num_players: int, seed: int, swap: bool) -> None:
    rules = KunkenRules(
        num_players=num_players,
        hand_size=20,
        bank_points=5,
        max_reshuffles=3,
        joker_swap=swap,
        discard_to_go_out=True,
    )
    rng = random.Random(seed)

    def lays(legal: list[str]) -> str:
        chosen = [move for move in legal if move.split()[0] not in ("discard", "draw")]
        return rng.choice(chosen or legal)

    longest(rules, lays, seed)


def test_swaps_come_to_an_end_n3_4() -> None:
    # A swap puts a natural on the table for good, so a turn cannot swap for ever.
    options = {
        "dealer": 1,
        "hands": [
            ["5s", "7s", "*", "6s", "9h", "9d", "9c", "2d"],
            ["3d"] * 2 + ["4h"] * 2 + ["8c"] * 2 + ["Jc"] * 2,
        ],
        "bank": ["2c"],
        "stock": ["Kd", "Kc", "Qd"],
    }
    rules = KunkenRules(hand_size=8, bank_points=15, open_from_stock=True, joker_swap=True)
    table = Table(rules, seed=1, options=options)
    for move in ("draw", "run 5s * 7s", "swap 6s"):
        table.apply(move)
    assert "swap 6s" not in table.legal_moves()
    assert "set 9c 9d *" in table.legal_moves()


# ---------------------------------------------------------------- copies


COPIES: dict[str, Callable[[Table], Table]] = {
    "clone": Table.clone,
    "pickle": lambda table: pickle.loads(pickle.dumps(table)),
    "json": lambda table: Table.from_json(table.to_json()),
    "json, written anew": lambda table: Table.from_json(json.dumps(json.loads(table.to_json()), indent=1)),
}


def goes_on_alike(table: Table, twin: Table, choose: Choose) -> bool:
    """Return whether both play on identically, to the last card."""
    if not same_bytes(table, twin) or (table.rules, table.stream) != (twin.rules, twin.stream):
        return False
    while not table.is_over:
        if table.legal_moves() != twin.legal_moves():
            return False
        move = choose(table.legal_moves())
        table.apply(move)
        twin.apply(move)
        if not same_bytes(table, twin):
            return False
    return twin.is_over and table.payoffs(exact=True) == twin.payoffs(exact=True)


@pytest.mark.parametrize("how", COPIES)
@FEWER
@given(rules=kunken_rules(), seed=SMALL)
def test_a_copy_in_mid_game_goes_on_identically(how: str, rules: KunkenRules, seed: int) -> None:
    table, choose = drawn_game(rules, seed)
    before = [here.clone() for here in walk(table, choose)]
    for here in before[:: max(1, len(before) // 3)]:
        bytes_before = here.state.tobytes()
        twin = COPIES[how](here)
        assert goes_on_alike(here.clone(), twin, draw_player(random.Random(seed)))
        assert here.state.tobytes() == bytes_before, "the copy is independent"


def test_a_copy_in_the_middle_of_a_take_goes_on_identically() -> None:
    table = midgame(discard_to_go_out=True)
    here = Table(table.rules, 3, table.setup_options())
    here.apply("take 9h")
    assert here.state["phase"] == OWE
    for copy in COPIES.values():
        assert goes_on_alike(here.clone(), copy(here), draw_player(random.Random(1)))


def test_a_broken_copy_is_found_out() -> None:
    table = Table(KunkenRules(num_deals=2, hand_size=3, max_reshuffles=0), seed=1)
    twin = table.clone()
    twin._states["key"] = 0
    assert not goes_on_alike(table, twin, draw_player(random.Random(1)))


@given(kunken_rules(), SMALL)
def test_two_games_in_the_same_position_are_equal_byte_for_byte(rules: KunkenRules, seed: int) -> None:
    # A record that was used before keeps nothing of its past.
    fresh = Table(rules, seed=seed)
    used, choose = drawn_game(rules, seed + 1)
    stop = seed % 200
    for number, _ in enumerate(walk(used, choose)):
        if number == stop:
            break
    game_of(rules).start(used._states, seed, 0, 0, None)
    assert same_bytes(used, fresh)


@FEWER
@given(kunken_rules(), SMALL)
def test_the_options_of_a_deal_set_it_up_again_n9_1(rules: KunkenRules, seed: int) -> None:
    table, choose = drawn_game(rules, seed)
    start, played = table.clone(), []
    while table.hands_done == 0 and not table.is_over:
        if table.state["reshuffles"] == 0:
            options = table.setup_options()
            assert options == start.setup_options()
        played.append(choose(table.legal_moves()))
        table.apply(played[-1])
    again = Table(rules, seed=seed, options=options)
    assert position_of(again).setup() == position_of(start).setup()
    assert again.dealer == start.dealer
    for move in played:
        again.apply(move)
    assert same_bytes(again, table), "the stream is the same, too"


# ---------------------------------------------------------------- the deal comes from the seed alone


def deals(table: Table, choose: Choose) -> list[Any]:
    """Return the cards and the dealer of all deals of an episode."""
    seen: list[Any] = []
    for here in walk(table, choose):
        if here.hands_done == len(seen) and not here.is_over:
            seen.append((here.dealer, position_of(here).setup()))
    return seen


@FEWER
@given(st.integers(2, 5), st.integers(3, 13), SMALL, SMALL, SMALL)
def test_deals_depend_on_the_stream_alone_whatever_is_played_n2_1(
    players: int, hand_size: int, seed: int, one: int, two: int
) -> None:
    fields: dict[str, Any] = {"num_players": players, "hand_size": hand_size, "num_deals": 3}
    rules = KunkenRules(**fields, max_reshuffles=0)
    others = KunkenRules(
        **fields, bank_points=20, open_from_stock=True, joker_swap=True, settlement="win", max_reshuffles=2
    )
    first = deals(Table(rules, seed=seed), draw_player(random.Random(one)))
    assert len(first) == 3
    assert [dealer for dealer, _ in first] == [(first[0][0] + i) % players for i in range(3)]
    assert first[0][1] != first[1][1] != first[2][1]
    for again in (rules, others):
        assert deals(Table(again, seed=seed), draw_player(random.Random(two))) == first


def test_the_first_dealer_is_drawn_by_lot_n2_1() -> None:
    dealers = Counter(Table(KunkenRules(num_players=5), seed=seed).dealer for seed in range(200))
    assert set(dealers) == set(range(5))
    assert max(dealers.values()) < 70


def test_a_reshuffle_is_of_the_games_own_stream_n5_1() -> None:
    options = midgame().setup_options()
    stocks = set()
    for seed in (1, 1, 2):
        table = Table(KunkenRules(hand_size=3), seed, options)
        while table.state["reshuffles"] == 0:
            table.apply(next(m for m in table.legal_moves() if m.split()[0] in ("draw", "discard")))
        here = position_of(table)
        assert len(here.bank) == 1
        stocks.add(tuple(here.stock))
    assert len(stocks) == 2
    assert len({tuple(sorted(stock)) for stock in stocks}) == 1


# ---------------------------------------------------------------- a batch is its single games


@FEWER
@given(kunken_rules(), SMALL, st.integers(1, 3))
def test_a_batch_equals_its_single_games(rules: KunkenRules, seed: int, threads: int) -> None:
    size = 3
    batch = Batch(rules, size, seed, num_threads=threads)
    tables = [Table(rules, seed, slot=game) for game in range(size)]
    rng = np.random.default_rng(seed)
    for _ in range(60 if COMPILED else 10):
        masks = batch.masks
        for game, table in enumerate(tables):
            view = table.view(table.to_play)
            assert batch.table(game).state.tobytes() == table.state.tobytes()
            assert masks[game].tobytes() == view.mask.tobytes()
            assert batch.observations[game].tobytes() == view.observation().tobytes()
        # Melds rather than discards, so that deals get somewhere.
        weights = np.where(np.arange(moves.NUM_MOVES) < moves.DISCARD_BASE, 3.0, 1.0)
        chosen = (masks * weights * (rng.random(masks.shape) + 1e-9)).argmax(axis=1)
        batch.step(chosen)
        for game, table in enumerate(tables):
            done = table.hands_done
            table.apply(int(chosen[game]))
            rewards = table.last_payoffs() if table.hands_done > done else [0.0] * rules.num_players
            assert batch.rewards[game].tolist() == rewards
            assert bool(batch.dones[game]) == table.is_over
            if table.is_over:
                seed_, slot, episode = table.stream
                tables[game] = Table(rules, seed_, slot=slot, episode=episode + 1)


# ---------------------------------------------------------------- refusals change nothing


@FEWER
@given(kunken_rules(), SMALL)
def test_every_illegal_move_is_refused_and_changes_nothing(rules: KunkenRules, seed: int) -> None:
    table, choose = drawn_game(rules, seed)
    before = [here.clone() for here in walk(table, choose)]
    for here in before[:: max(1, len(before) // 3)]:
        legal, state = set(here.legal_actions()), here.state.tobytes()
        for move in range(-2, moves.NUM_MOVES + 2):
            if move not in legal:
                assert not game_of(rules).loops.apply_one(
                    here._states, game_of(rules).compiled, here._mask, move
                )
        assert here.state.tobytes() == state
        for move in ("", "take", "discard", "lay 2c high low", -1, moves.NUM_MOVES, None, True, 2.0):
            with pytest.raises(IllegalMoveError):
                here.apply(move)  # type: ignore[arg-type]
        assert here.state.tobytes() == state


# ---------------------------------------------------------------- the numbering of moves (N8)


def texts_by_the_oracle(identical: bool) -> set[str]:
    """Return every move text there is, from the melds of the oracle."""
    begun = all_beginnings(identical)
    found = {beginning.text for beginning in begun} | {"draw"}
    found |= {f"{word} {card}" for word in ("take", "discard") for card in deck_of(1)}
    naturals = deck_of(0)
    found |= {f"take {card} deep" for card in naturals} | {f"swap {card}" for card in naturals}
    melds = [beginning.meld for beginning in begun]
    seen: set[Meld] = set()
    while melds:
        meld = melds.pop()
        if meld in seen or len(meld.cards) > 5:
            continue
        seen.add(meld)
        for growth in growths(meld, identical):
            found.add(growth.text)
            melds.append(growth.meld)
    return found


@pytest.mark.parametrize("identical", [False, True])
def test_the_moves_are_those_of_the_rules_n8_1_to_n8_8(identical: bool) -> None:
    rules = KunkenRules(identical_cards_in_set=identical, joker_swap=True)
    texts = [text for text in moves.texts(rules, 0) if text is not None]
    assert len(texts) == len(set(texts))
    assert set(texts) == texts_by_the_oracle(identical)


def test_one_numbering_serves_every_rule_variant_n8() -> None:
    whole = moves.ALL_TEXTS
    for rules in (KunkenRules(), KunkenRules(num_jokers=0), KunkenRules(num_players=5, joker_swap=True)):
        for number, text in enumerate(moves.texts(rules, 0)):
            assert text in (None, whole[number])
            if text is not None:
                assert moves.ids(rules, 0)[text] == number


# ---------------------------------------------------------------- N7: payoffs


@FEWER
@given(kunken_rules(), SMALL)
def test_payoffs_add_up_over_the_deals_and_are_rewarded_as_they_end_n7_4(
    rules: KunkenRules, seed: int
) -> None:
    table, choose = drawn_game(rules, seed)
    total = [Fraction(0)] * rules.num_players
    done = 0
    for here in walk(table, choose):
        if here.hands_done > done:
            done = here.hands_done
            total = [a + b for a, b in zip(total, here.last_payoffs(exact=True), strict=True)]
        assert here.payoffs(exact=True) == total
        if rules.settlement != "points":
            assert sum(total) == 0
    assert done == rules.num_deals
