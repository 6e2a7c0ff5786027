"""The table: copies go on identically, seeds and streams mean what they say, and every promised name is there.

Clauses: K2.1 and N2.1 (the lot, the rotation), K2.2, K7.1, N7.4, K9.2, K10.1, N9.1.
"""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games import (
    COMPILED,
    COMPILED_ONLY,
    MANY_SIGMAS,
    SEEDS,
    SHORT_DEALS,
    SMALL,
    any_rules,
    chi_square,
    chooser,
    play_out,
    positions,
    same_bytes,
)
from kuns_env import Batch, IllegalMoveError, KunkenRules, KunsRules, Table, preset
from kuns_env.engine.game import game_of
from kuns_env.kunken.cards import NUM_NATURALS
from kuns_env.kunken.rules import MAX_CARDS, NUM_DECKS
from kuns_env.kuns.moves import NUM_MOVES

SESSION = KunsRules(num_players=3, num_hands=None, max_hands=5, bankroll=60, forced_ante=1)
"""Several hands, so that a copy must also deal the next ones alike."""

BOTH = pytest.mark.parametrize(
    "rules", [pytest.param(SESSION, id="kuns"), pytest.param(SHORT_DEALS, id="kunken", marks=COMPILED_ONLY)]
)
EVERY = 4
"""Of the positions of a game, so many are looked at: one in four."""

COPIES: dict[str, Callable[[Table], Table]] = {
    "clone": Table.clone,
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda table: pickle.loads(pickle.dumps(table)),
    "json": lambda table: Table.from_json(table.to_json()),
    "json, written anew": lambda table: Table.from_json(json.dumps(json.loads(table.to_json()), indent=1)),
}


def goes_on_alike(table: Table, twin: Table, seed: int) -> bool:
    """Return whether both play on identically, to the last card."""
    if not same_bytes(table, twin) or (table.rules, table.stream) != (twin.rules, twin.stream):
        return False
    choose = chooser(seed)
    while not table.is_over:
        if table.legal_moves() != twin.legal_moves():
            return False
        move = choose(table)
        table.apply(move)
        twin.apply(move)
        if not same_bytes(table, twin):
            return False
    return twin.is_over and table.payoffs(exact=True) == twin.payoffs(exact=True)


@BOTH
@pytest.mark.parametrize("how", COPIES)
def test_a_copy_goes_on_identically(how: str, rules: Any) -> None:
    for number, position in enumerate(positions(Table(rules, seed=11), chooser(4))):
        if number % EVERY == 0:
            original, twin = position.clone(), COPIES[how](position)
            assert goes_on_alike(original, twin, number)
    assert number > 3 * EVERY


@settings(max_examples=settings().max_examples // 4)
@given(any_rules(), SMALL, st.sampled_from(sorted(COPIES)))
def test_copies_under_any_rules(rules: Any, seed: int, how: str) -> None:
    for number, position in enumerate(positions(Table(rules, seed=seed), chooser(seed))):
        if number % 7 == 0:
            assert same_bytes(COPIES[how](position), position)
    assert COPIES[how](position).payoffs(exact=True) == position.payoffs(exact=True)


@BOTH
@pytest.mark.parametrize("how", COPIES)
def test_a_copy_is_independent(how: str, rules: Any) -> None:
    table = Table(rules, seed=11)
    before = table.state.tobytes()
    twin = COPIES[how](table)
    play_out(twin, 1)
    assert table.state.tobytes() == before
    assert not same_bytes(table, twin)


class ForgetsTheRandomState(Table):
    def clone(self) -> Table:
        twin = super().clone()
        twin._states["key"] = 0
        return twin


class SharesTheRecord(Table):
    def clone(self) -> Table:
        return Table._from_states(self.rules, self._states, self.stream)


@BOTH
def test_broken_copies_are_found_out(rules: Any) -> None:
    forgetful = ForgetsTheRandomState(rules, seed=11)
    assert not goes_on_alike(forgetful, forgetful.clone(), 1)
    sharing = SharesTheRecord(rules, seed=11)
    before = sharing.state.tobytes()
    play_out(sharing.clone(), 1)
    assert sharing.state.tobytes() != before


# ---------------------------------------------------------------- seeds and streams


@given(any_rules(), SEEDS)
def test_a_seed_is_slot_0_episode_0(rules: Any, seed: int) -> None:
    table = Table(rules, seed=seed)
    assert table.stream == (seed, 0, 0)
    assert same_bytes(table, Table(rules, seed=seed, slot=0, episode=0))


def dealt(table: Table) -> str:
    """Return all cards of the hand or deal that is going on, in their order; not who deals."""
    return json.dumps(table.setup_options() | {"dealer": None})


def deals(table: Table, seed: int) -> list[str]:
    """Return the cards of all hands of a game played at random."""
    decks = [dealt(table)]
    choose = chooser(seed)
    while not table.is_over:
        done = table.hands_done
        table.apply(choose(table))
        if table.hands_done > done and not table.is_over:
            decks.append(dealt(table))
    return decks


@given(st.integers(2, 8), SEEDS, SMALL, SMALL)
def test_deals_depend_on_the_stream_alone_whatever_is_played(
    players: int, seed: int, one: int, two: int
) -> None:
    rules = KunsRules(num_players=players, num_hands=3, forced_ante=1)
    other = KunsRules(num_players=players, num_hands=3, ante_menu=(5,), side_bets=False, bankroll=10_000)
    decks = deals(Table(rules, seed=seed), one)
    assert len(decks) == len(set(decks)) == 3
    assert decks == deals(Table(rules, seed=seed), two) == deals(Table(other, seed=seed), one)


@COMPILED_ONLY
@settings(max_examples=settings().max_examples // 5)
@given(st.integers(4, 5), SEEDS, SMALL, SMALL)
def test_deals_of_kunken_depend_on_the_stream_alone_whatever_is_played(
    players: int, seed: int, one: int, two: int
) -> None:
    rules = KunkenRules(num_players=players, hand_size=20, num_deals=3, open_from_stock=True)
    other = KunkenRules(num_players=players, hand_size=20, num_deals=3, bank_points=5, max_reshuffles=3)
    decks = deals(Table(rules, seed=seed), one)
    assert len(decks) == len(set(decks)) == 3
    assert decks == deals(Table(rules, seed=seed), two) == deals(Table(other, seed=seed), one)


@pytest.mark.parametrize("rules", [KunsRules(), KunkenRules()])
@given(seed=SEEDS, slot=st.integers(0, 2**62), episode=st.integers(0, 1000))
def test_slots_episodes_and_seeds_have_deals_of_their_own(
    rules: Any, seed: int, slot: int, episode: int
) -> None:
    streams = {
        (seed, slot, episode),
        (seed, slot + 1, episode),
        (seed, slot, episode + 1),
        (seed ^ 1, slot, episode),
    }
    decks = {dealt(Table(rules, s, slot=k, episode=e)) for s, k, e in streams}
    assert len(decks) == len(streams)


@BOTH
def test_without_a_seed_every_table_has_other_deals(rules: Any) -> None:
    tables = [Table(rules) for _ in range(5)]
    assert len({dealt(table) for table in tables}) == 5
    assert all(0 <= table.stream[0] < 2**63 for table in tables)


@BOTH
def test_no_global_random_state_is_read_or_written(rules: Any) -> None:
    np.random.seed(1)  # noqa: NPY002
    before = np.random.get_state()[1].tobytes()  # type: ignore[index,union-attr]  # noqa: NPY002
    play_out(Table(rules, seed=1), 1)
    Table(rules)
    assert np.random.get_state()[1].tobytes() == before  # type: ignore[index,union-attr]  # noqa: NPY002


LOTS = [
    *(KunsRules(num_players=n) for n in range(2, 9)),
    *(KunkenRules.mini(num_players=n) for n in range(2, 6)),
]


@pytest.mark.parametrize("rules", LOTS, ids=lambda rules: f"{rules.game}-{rules.num_players}")
def test_the_first_dealer_is_drawn_by_lot_k2_1_n2_1(rules: Any) -> None:
    players = rules.num_players
    games = 4_000 if COMPILED else 400
    dealers = np.bincount(Batch(rules, games, seed=17)._states["dealer"], minlength=players)
    assert len(dealers) == players
    assert chi_square(dealers, games / players) < MANY_SIGMAS
    biased = np.bincount(np.minimum(np.arange(games) % (players + 1), players - 1))
    assert chi_square(biased, games / players) > MANY_SIGMAS


def test_every_place_of_the_deck_holds_every_card_equally_often_k3_1() -> None:
    games = 8_000 if COMPILED else 800
    decks = Batch(KunsRules(num_players=8), games, seed=18)._states["deck"]
    for place in (0, 1, 20, 39):
        assert chi_square(np.bincount(decks[:, place], minlength=40), games / 40) < MANY_SIGMAS
    pairs = np.bincount(decks[:, 0].astype(np.int64) * 40 + decks[:, 1], minlength=1600)
    off = pairs[~np.eye(40, dtype=bool).ravel()]
    assert len(off) == 1560
    assert chi_square(off, games / 1560) < MANY_SIGMAS


def test_every_place_of_the_deck_holds_every_card_equally_often_n2_2() -> None:
    games = 8_000 if COMPILED else 800
    states = Batch(KunkenRules(num_players=5, hand_size=20), games, seed=18)._states
    expected = games * NUM_DECKS / MAX_CARDS
    for cards in (states["bank"][:, 0], states["stock"][:, 0], states["stock"][:, 4]):
        counts = np.bincount(cards, minlength=NUM_NATURALS + 1)
        assert chi_square(counts, expected) < MANY_SIGMAS  # two jokers, two of every other card
    for seat in (0, 4):
        held = [(states[word][:, seat, None] >> np.arange(NUM_NATURALS + 1)) & 1 for word in ("one", "two")]
        counts = sum(held).sum(axis=0)
        assert chi_square(counts, games * 20 * NUM_DECKS / MAX_CARDS) < MANY_SIGMAS


@pytest.mark.parametrize(
    "rules",
    [
        KunsRules(num_players=3, num_hands=4),
        KunkenRules(num_players=3, hand_size=20, num_deals=4, max_reshuffles=0),
    ],
)
def test_the_deal_rotates_to_the_left_k2_1_n2_1(rules: Any) -> None:
    table = Table(rules, seed=5)
    first, dealers = table.dealer, []
    for position in positions(table, chooser(1)):
        if len(dealers) == position.hands_done and not position.is_over:
            dealers.append(position.dealer)
    assert dealers == [(first + i) % 3 for i in range(4)]


# ---------------------------------------------------------------- the promised names


def test_the_names_that_others_rely_on() -> None:
    rules = KunsRules.from_dict({"num_players": 3})
    assert rules == KunsRules(num_players=3)
    assert KunsRules.from_dict(rules.to_dict()) == rules
    table = Table(KunsRules(num_players=3), seed=7, options={"dealer": 1, "deck": ["Ah", "Td"]})
    assert (table.to_play, table.is_over, table.dealer) == (1, False, 1)
    assert table.legal_moves() == ["ante 1", "ante 2", "ante 4", "ante 8"]
    assert [table.move_text(action) for action in table.legal_actions()] == table.legal_moves()
    assert [table.move_id(move) for move in table.legal_moves()] == table.legal_actions()
    table.apply("ante 2")
    assert table.to_play == 2
    table.apply(table.move_id("call"))
    assert table.payoffs() == [0.0, 0.0, 0.0]
    assert table.payoffs(exact=True) == [Fraction(0)] * 3
    assert isinstance(table.information_state(0), str)
    view = table.view(2)
    assert "Ah" in view.text()
    assert view.to_dict()["cards"][2][0] == "Ah"
    assert json.loads(json.dumps(view.to_dict())) == view.to_dict()
    assert view.observation("table").dtype == np.float32
    assert view.mask.shape == (NUM_MOVES,)
    assert view.mask.dtype == np.int8
    other = table.determinize(2, np.random.default_rng(1))
    assert other.view(2).text() == view.text()
    batch = Batch(rules, num_games=8, seed=1)
    assert batch.observations.shape == (8, *table.view(0).observation().shape)
    assert batch.masks.shape == (8, NUM_MOVES)
    assert batch.to_play.shape == batch.dones.shape == (8,)
    assert batch.rewards.shape == (8, 3)
    batch.step(batch.masks.argmax(axis=1))
    assert isinstance(batch.table(3), Table)


def test_the_names_that_others_rely_on_in_kunken() -> None:
    rules = KunkenRules.from_dict({"num_players": 3, "hand_size": 3, "bank_points": 15})
    assert KunkenRules.from_dict(rules.to_dict()) == rules
    hands = [["2c", "2d", "9s"], ["5h", "6h", "Ks"], ["4c", "4d", "*"]]
    options = {"dealer": 2, "hands": hands, "bank": ["3c", "7h"], "stock": ["Qd", "Jd", "Td"]}
    table = Table(rules, seed=7, options=options)
    assert (table.to_play, table.is_over, table.dealer, table.hands_done) == (0, False, 2, 0)
    assert table.legal_moves() == ["draw"]
    assert table.setup_options() == options
    table.apply("draw")
    assert table.legal_moves() == ["discard 2c", "discard 2d", "discard 9s", "discard Qd"]
    assert [table.move_text(action) for action in table.legal_actions()] == table.legal_moves()
    assert [table.move_id(move) for move in table.legal_moves()] == table.legal_actions()
    table.apply(table.move_id("discard Qd"))
    assert table.to_play == 1
    assert table.legal_moves() == ["draw", "take 7h"]
    table.apply("take 7h")
    assert table.payoffs() == [0.0, 0.0, 0.0]
    assert table.payoffs(exact=True) == [Fraction(0)] * 3
    assert isinstance(table.information_state(0), str)
    view = table.view(1)
    assert view.to_dict()["cards"] == [["?"] * 3, ["5h", "6h", "7h", "Ks"], ["?"] * 3]
    assert "6h" in view.text()
    assert json.loads(json.dumps(view.to_dict())) == view.to_dict()
    assert view.observation("table").dtype == np.float32
    assert view.mask.shape == (game_of(rules).num_moves,)
    assert view.mask.dtype == np.int8
    other = table.determinize(1, np.random.default_rng(1))
    assert other.view(1).text() == view.text()
    batch = Batch(rules, num_games=8, seed=1)
    assert batch.observations.shape == (8, *table.view(0).observation().shape)
    assert batch.masks.shape == (8, game_of(rules).num_moves)
    batch.step(batch.masks.argmax(axis=1))
    assert isinstance(batch.table(3), Table)


OFFERED = {
    "game",
    "viewer",
    "phase",
    "to_play",
    "hand",
    "dealer",
    "cards",
    "events",
    "payoffs",
    "last_payoffs",
}
OFFERED |= {"standings", "shown"}


@BOTH
def test_what_every_game_offers_as_plain_data(rules: Any) -> None:
    hands, ended = set(), None
    for table in positions(Table(rules, seed=11), chooser(4)):
        for viewer in (*range(rules.num_players), None):
            data = table.view(viewer).to_dict()
            assert set(data) >= OFFERED
            assert (data["game"], data["viewer"], data["to_play"]) == (rules.game, viewer, table.to_play)
            assert len(data["cards"]) == len(data["standings"]) == len(data["shown"]) == rules.num_players
            assert all("?" not in hand for seat, hand in enumerate(data["cards"]) if seat == viewer)
            assert data["standings"] == [str(amount) for amount in table.payoffs(exact=True)]
            ended = [str(amount) for amount in table.last_payoffs(exact=True)]
            assert data["last_payoffs"] == (ended if table.hands_done else None)
            assert data["payoffs"] in (None, ended)
        hands.add(data["hand"])
    assert hands == set(range(1, table.hands_done + 1))
    assert data["payoffs"] == ended


def test_presets_by_name() -> None:
    assert preset("kuns-duel") == KunsRules.duel()
    assert preset("kunken-mini", num_players=3) == KunkenRules.mini(num_players=3)
    with pytest.raises(KeyError, match=r"no game 'whist'; there are: kuns, kuns-anted"):
        preset("whist")


@BOTH
def test_masks_are_the_legal_moves_of_who_acts_and_ones_for_the_others(rules: Any) -> None:
    for table in positions(Table(rules, seed=3), chooser(2)):
        for seat in range(rules.num_players):
            mask = table.view(seat).mask
            if seat == table.to_play:
                assert np.flatnonzero(mask).tolist() == table.legal_actions()
                assert table.view(seat).legal_moves() == table.legal_moves()
            else:
                assert mask.all()
                assert table.view(seat).legal_moves() == []


@pytest.mark.parametrize("rules", [KunsRules(), KunkenRules()])
def test_a_spectator(rules: Any) -> None:
    table = Table(rules, seed=3)
    view = table.view(None)
    assert view.seat is None
    assert {card for hand in view.to_dict()["cards"] for card in hand} == {"?"}
    assert view.mask.all()
    assert view.legal_moves() == []
    for ask in (view.observation, view.information_state, view.views):
        with pytest.raises(ValueError, match="spectator"):
            ask()


def test_what_is_given_out_is_a_copy() -> None:
    table = Table(KunsRules(), seed=3)
    before = table.state.tobytes()
    state = table.state
    state["hole"] = 0
    table.view(0).record["ante"] = 99
    table.view(0).observation()[:] = 7
    table.setup_options()["deck"].clear()
    table.legal_moves().clear()
    assert table.state.tobytes() == before


@pytest.mark.parametrize(
    "rules",
    [
        KunsRules(num_players=3, num_hands=3, forced_ante=1),
        KunkenRules(num_players=4, hand_size=20, num_deals=3, open_from_stock=True),
        KunkenRules(num_players=4, hand_size=20, num_deals=3, open_from_stock=True, settlement="win"),
    ],
)
def test_payoffs_are_of_the_whole_episode_and_of_the_last_hand_k7_1_n7_4(rules: Any) -> None:
    table = Table(rules, seed=3)
    total, done = [Fraction(0)] * rules.num_players, 0
    for position in positions(table, chooser(2)):
        if position.hands_done > done:
            done = position.hands_done
            total = [a + b for a, b in zip(total, position.last_payoffs(exact=True), strict=True)]
        assert position.payoffs(exact=True) == total
    assert done == 3
    assert table.payoffs() == [float(chips) for chips in total]


@pytest.mark.parametrize("rules", [KunsRules(), KunkenRules()])
def test_views_and_errors_can_be_pickled(rules: Any) -> None:
    table = Table(rules, seed=3)
    view: Any = pickle.loads(pickle.dumps(table.view(1)))
    assert view.text() == copy.deepcopy(table.view(1)).text() == table.view(1).text()
    with pytest.raises(IllegalMoveError) as caught:
        table.apply("call")
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == str(caught.value)
    assert (again.seat, again.move, again.legal) == (table.to_play, "call", table.legal_moves())
