"""The table: copies go on identically, seeds and streams mean what they say, and every promised name is there.

Clauses: K2.1 (the lot), K2.2, K7.1, K9.2, K10.1.
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
    MANY_SIGMAS,
    SEEDS,
    SMALL,
    chi_square,
    chooser,
    kuns_rules,
    play_out,
    positions,
    same_bytes,
)
from kuns_env import Batch, IllegalMoveError, KunsRules, Table, preset
from kuns_env.kuns.moves import NUM_MOVES

SESSION = KunsRules(num_players=3, num_hands=None, max_hands=5, bankroll=60, forced_ante=1)
"""Several hands, so that a copy must also deal the next ones alike."""

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


@pytest.mark.parametrize("how", COPIES)
def test_a_copy_at_every_decision_goes_on_identically(how: str) -> None:
    for number, position in enumerate(positions(Table(SESSION, seed=11), chooser(4))):
        original, twin = position.clone(), COPIES[how](position)
        assert goes_on_alike(original, twin, number)


@settings(max_examples=settings().max_examples // 4)
@given(kuns_rules(), SMALL, st.sampled_from(sorted(COPIES)))
def test_copies_under_any_rules(rules: KunsRules, seed: int, how: str) -> None:
    for number, position in enumerate(positions(Table(rules, seed=seed), chooser(seed))):
        if number % 7 == 0:
            assert same_bytes(COPIES[how](position), position)
    assert COPIES[how](position).payoffs(exact=True) == position.payoffs(exact=True)


@pytest.mark.parametrize("how", COPIES)
def test_a_copy_is_independent(how: str) -> None:
    table = Table(SESSION, seed=11)
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


def test_broken_copies_are_found_out() -> None:
    forgetful = ForgetsTheRandomState(SESSION, seed=11)
    assert not goes_on_alike(forgetful, forgetful.clone(), 1)
    sharing = SharesTheRecord(SESSION, seed=11)
    before = sharing.state.tobytes()
    play_out(sharing.clone(), 1)
    assert sharing.state.tobytes() != before


# ---------------------------------------------------------------- seeds and streams


@given(kuns_rules(), SEEDS)
def test_a_seed_is_slot_0_episode_0(rules: KunsRules, seed: int) -> None:
    table = Table(rules, seed=seed)
    assert table.stream == (seed, 0, 0)
    assert same_bytes(table, Table(rules, seed=seed, slot=0, episode=0))


def deals(table: Table, seed: int) -> list[list[str]]:
    """Return the decks of all hands of a game played at random."""
    decks = [table.setup_options()["deck"]]
    choose = chooser(seed)
    while not table.is_over:
        done = table.hands_done
        table.apply(choose(table))
        if table.hands_done > done and not table.is_over:
            decks.append(table.setup_options()["deck"])
    return decks


@given(st.integers(2, 8), SEEDS, SMALL, SMALL)
def test_deals_depend_on_the_stream_alone_whatever_is_played(
    players: int, seed: int, one: int, two: int
) -> None:
    rules = KunsRules(num_players=players, num_hands=3, forced_ante=1)
    other = KunsRules(num_players=players, num_hands=3, ante_menu=(5,), side_bets=False, bankroll=10_000)
    decks = deals(Table(rules, seed=seed), one)
    assert len(decks) == 3
    assert len({tuple(deck) for deck in decks}) == 3
    assert decks == deals(Table(rules, seed=seed), two) == deals(Table(other, seed=seed), one)


@given(SEEDS, st.integers(0, 2**62), st.integers(0, 1000))
def test_slots_episodes_and_seeds_have_deals_of_their_own(seed: int, slot: int, episode: int) -> None:
    rules = KunsRules()
    streams = {
        (seed, slot, episode),
        (seed, slot + 1, episode),
        (seed, slot, episode + 1),
        (seed ^ 1, slot, episode),
    }
    decks = {tuple(Table(rules, s, slot=k, episode=e).setup_options()["deck"]) for s, k, e in streams}
    assert len(decks) == len(streams)


def test_without_a_seed_every_table_has_other_deals() -> None:
    tables = [Table(KunsRules()) for _ in range(5)]
    assert len({tuple(table.setup_options()["deck"]) for table in tables}) == 5
    assert all(0 <= table.stream[0] < 2**63 for table in tables)


def test_no_global_random_state_is_read_or_written() -> None:
    np.random.seed(1)  # noqa: NPY002
    before = np.random.get_state()[1].tobytes()  # type: ignore[index,union-attr]  # noqa: NPY002
    play_out(Table(SESSION, seed=1), 1)
    Table(SESSION)
    assert np.random.get_state()[1].tobytes() == before  # type: ignore[index,union-attr]  # noqa: NPY002


@pytest.mark.parametrize("players", range(2, 9))
def test_the_first_dealer_is_drawn_by_lot_k2_1(players: int) -> None:
    rules = KunsRules(num_players=players)
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


def test_the_deal_rotates_to_the_left_k2_1() -> None:
    table = Table(KunsRules(num_players=3, num_hands=4), seed=5)
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


def test_presets_by_name() -> None:
    assert preset("kuns-duel") == KunsRules.duel()
    with pytest.raises(KeyError, match=r"no game 'whist'; there are: kuns, kuns-anted"):
        preset("whist")


def test_masks_are_the_legal_moves_of_who_acts_and_ones_for_the_others() -> None:
    for table in positions(Table(SESSION, seed=3), chooser(2)):
        for seat in range(3):
            mask = table.view(seat).mask
            if seat == table.to_play:
                assert np.flatnonzero(mask).tolist() == table.legal_actions()
                assert table.view(seat).legal_moves() == table.legal_moves()
            else:
                assert mask.all()
                assert table.view(seat).legal_moves() == []


def test_a_spectator() -> None:
    table = Table(KunsRules(), seed=3)
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


def test_payoffs_are_of_the_whole_session_and_of_the_last_hand_k7_1() -> None:
    table = Table(KunsRules(num_players=3, num_hands=3, forced_ante=1), seed=3)
    total, done = [Fraction(0)] * 3, 0
    for position in positions(table, chooser(2)):
        if position.hands_done > done:
            done = position.hands_done
            total = [a + b for a, b in zip(total, position.last_payoffs(exact=True), strict=True)]
        assert position.payoffs(exact=True) == total
    assert done == 3
    assert table.payoffs() == [float(chips) for chips in total]


def test_views_and_errors_can_be_pickled() -> None:
    table = Table(KunsRules(), seed=3)
    view: Any = pickle.loads(pickle.dumps(table.view(1)))
    assert view.text() == copy.deepcopy(table.view(1)).text() == table.view(1).text()
    with pytest.raises(IllegalMoveError) as caught:
        table.apply("call")
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == str(caught.value)
    assert (again.seat, again.move, again.legal) == (table.to_play, "call", table.legal_moves())
