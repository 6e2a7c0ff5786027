"""Nothing leaks: two worlds that differ only in what a seat cannot see look the same in every channel.

A world is changed by giving the unseen cards other places (other hands, folded hands, the undealt deck) and the
game another random state. The changed world is as real as the first: it plays on. Clauses: K4.2, K7.3.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from channels import (
    CARDLESS,
    CHANNELS,
    SLOW_CHANNELS,
    Channel,
    compare_worlds,
    differing,
    full_encoding,
    only_redacted,
    some_positions,
)
from games import SMALL, chooser, kuns_rules
from kuns_env import KunsRules, Table
from kuns_env.cards import NO_CARD, NUM_CARDS, format_cards, parse_card
from kuns_env.engine.game import game_of
from kuns_env.engine.record import Record, Recorder, record_of, shown_to
from kuns_env.engine.view import View
from kuns_env.kuns import text
from kuns_env.kuns.state import OVER, STAY

RULES = KunsRules(num_players=3)

# ---------------------------------------------------------------- worlds


def seen_cards(table: Table, seat: int | None) -> set[int]:
    """Return the cards that ``seat`` sees: its own, and after a showdown those shown (K7.3)."""
    state = table.state
    seen = set() if seat is None else set(state["hole"][seat].tolist())
    if state["phase"] in (STAY, OVER):
        seen |= set(state["shown"].ravel().tolist())
    return seen - {NO_CARD}


def relabelled(table: Table, labels: np.ndarray[Any, Any]) -> Table:
    """Return the game with every card ``c`` of this hand replaced by ``labels[c]``, hands shown as they are."""
    states = table._states.copy()
    for name in ("hole", "deck"):
        cards = states[0][name]
        cards[cards >= 0] = labels[cards[cards >= 0]]
    return Table._from_states(table.rules, states, (1, 2, 3))


def other_world(table: Table, seat: int | None, rng: random.Random) -> Table:
    """Return a game that ``seat`` cannot tell from ``table``: unseen cards, order of own cards, random state."""
    deck = game_of(table.rules).compiled[0]["deck"]
    hidden = [int(card) for card in deck if card >= 0 and card not in seen_cards(table, seat)]
    labels = np.arange(NUM_CARDS, dtype=np.int8)
    labels[hidden] = rng.sample(hidden, len(hidden))
    if seat is not None:  # the two cards of a deal step came together
        hole = table.state["hole"][seat]
        for first in (0, 2):
            low, high = int(hole[first]), int(hole[first + 1])
            if low != NO_CARD and rng.random() < 0.5:
                labels[[low, high]] = high, low
    world = relabelled(table, labels)
    world._states["key"] = rng.getrandbits(64), rng.getrandbits(64)
    return world


def other_own_card(table: Table, seat: int) -> Table | None:
    """Return the game with one of the seat's cards of another rank, None where it holds none."""
    hole = table.state["hole"][seat]
    if hole[0] == NO_CARD:
        return None
    seen = seen_cards(table, seat)
    deck = game_of(table.rules).compiled[0]["deck"].tolist()
    mine = int(hole[0])
    others = [card for card in deck if card >= 0 and card not in seen and card // 4 != mine // 4]
    if not others:
        return None
    labels = np.arange(NUM_CARDS, dtype=np.int8)
    labels[[mine, others[0]]] = others[0], mine
    return relabelled(table, labels)


def compare(channels: dict[str, Channel], rules: KunsRules, seed: int) -> set[str]:
    """Return the channels that leak in some position of a game, to some seat."""
    return compare_worlds(channels, Table(rules, seed=seed), seed, other_world)


# ---------------------------------------------------------------- the tests


@settings(max_examples=settings().max_examples // 2)
@given(kuns_rules(), SMALL)
def test_what_a_seat_cannot_see_changes_no_channel(rules: KunsRules, seed: int) -> None:
    assert not compare(CHANNELS, rules, seed)


@settings(max_examples=settings().max_examples // 25 or 1)
@given(kuns_rules(num_players=3), SMALL)
def test_what_a_seat_cannot_see_changes_nothing_of_the_aec_environment(rules: KunsRules, seed: int) -> None:
    pytest.importorskip("PIL")
    assert not compare(SLOW_CHANNELS, rules, seed)


@given(kuns_rules(), SMALL)
def test_a_spectator_sees_no_card_until_it_is_shown_k7_3(rules: KunsRules, seed: int) -> None:
    rng = random.Random(seed)
    for position in some_positions(Table(rules, seed=seed), seed):
        world = other_world(position, None, rng)
        for look in (
            lambda t: t.view().text(),
            lambda t: t.view().to_dict(),
            lambda t: t.view().record.tobytes(),
        ):
            assert look(position) == look(world)


@given(kuns_rules(), SMALL)
def test_the_fast_path_is_the_encoding_of_the_redacted_record(rules: KunsRules, seed: int) -> None:
    for position in some_positions(Table(rules, seed=seed), seed):
        for seat in range(rules.num_players):
            assert not only_redacted(position, seat)


@given(kuns_rules(), SMALL)
def test_an_own_card_of_another_rank_shows_in_every_channel_but_those_without_cards(
    rules: KunsRules, seed: int
) -> None:
    for position in some_positions(Table(rules, seed=seed), seed):
        for seat in range(rules.num_players):
            world = other_own_card(position, seat)
            if world is None or position.state["phase"] in (STAY, OVER):
                continue
            blind = CARDLESS | (set() if position.to_play == seat else {"batch"})
            assert differing(CHANNELS, position, world, seat) == set(CHANNELS) - blind


@pytest.mark.parametrize("seat", range(3))
def test_a_public_fact_shows_in_every_channel(seat: int) -> None:
    pytest.importorskip("PIL")
    worlds = [Table(RULES, seed=3, options={"dealer": 2}) for _ in range(2)]
    for world, ante in zip(worlds, ("ante 2", "ante 4"), strict=True):
        world.apply(ante)
    same = {"mask", "legal moves", "repr"} | ({"batch"} if worlds[0].to_play != seat else set())
    channels = CHANNELS | SLOW_CHANNELS
    assert differing(channels, *worlds, seat) == set(channels) - same
    for world, move in zip(worlds, ("call", "fold"), strict=True):
        world.apply(move)
    # Who is to act, and what it may do, is the same; that seat 0 has folded is not.
    assert not differing(channels, *worlds, seat) & {"mask"}
    assert "text" in differing(channels, *worlds, seat)


def test_what_is_legal_is_public() -> None:
    # The mask of a seat that may pay differs from that of one that may not: it depends on money alone.
    worlds = [Table(KunsRules(num_players=2, bankroll=3), seed=3, options={"dealer": 0}) for _ in range(2)]
    for world, ante in zip(worlds, ("ante 2", "ante 8"), strict=True):
        world.apply(ante)
    assert {"mask", "legal moves"} <= differing(CHANNELS, *worlds, 1)


# ---------------------------------------------------------------- leaks that the test must catch


def own_state(blank: tuple[str, ...]) -> Channel:
    """Return a redaction that blanks only some fields of the hidden ones, and other hands."""

    def look(table: Table, seat: int) -> bytes:
        known = table._states.copy()
        hole = known[0]["hole"].copy()
        known["hole"] = NO_CARD
        known[0]["hole"][seat] = np.sort(hole[seat])
        for name in blank:
            known[name] = 0
        return bytes(known.tobytes())

    return look


def neighbour(table: Table, seat: int) -> bytes:
    """An encoder that is handed the full record and counts seats wrongly by one."""
    return bytes(full_encoding("table")(table, (seat + 1) % table.rules.num_players))


def counts_all_cards(table: Table, seat: int) -> bytes:
    cards = table.state["hole"]
    return bytes(np.bincount(cards[cards >= 0] // 4, minlength=10).tobytes())


def next_card(table: Table, seat: int) -> Any:
    state = table.state
    return state["deck"][min(int(state["deck_next"]), NUM_CARDS - 1)].item()


def best_folded(table: Table, seat: int) -> Any:
    """Shows folded hands at the end (K7.3 forbids it)."""
    return table.state["hole"].tobytes() if table.state["phase"] in (STAY, OVER) else None


LEAKY: dict[str, Channel] = {
    "random state": own_state(("deck",)),
    "deck": own_state(("key",)),
    "the neighbour's hand": neighbour,
    "all cards": counts_all_cards,
    "the next card": next_card,
    "folded hands": best_folded,
    "json of the table": lambda table, seat: table.to_json(),
    "order of own cards": lambda table, seat: table.state["hole"][seat].tobytes(),
}


@pytest.mark.parametrize("leak", LEAKY)
def test_a_leaky_encoder_is_caught(leak: str) -> None:
    channels = {leak: LEAKY[leak]}
    assert any(compare(channels, RULES, seed) for seed in range(5))


def test_a_sound_redaction_written_here_is_not_accused() -> None:
    channels = {"own": own_state(("key", "deck", "shown"))}
    for seed in range(5):
        for position in some_positions(Table(RULES, seed=seed), seed):
            for seat in range(3):
                world = relabelled(position, np.arange(NUM_CARDS, dtype=np.int8))
                assert not differing(channels, position, world, seat)


# ---------------------------------------------------------------- the record shown to a seat


def finished(rules: KunsRules, seed: int) -> tuple[Record, Table]:
    recorder = Recorder(Table(rules, seed=seed))
    choose = chooser(seed)
    while not recorder.table.is_over:
        recorder.apply(choose(recorder.table))
    return recorder.record(), recorder.table


def record_in_other_world(record: Record, end: Table, seat: int | None, rng: random.Random) -> Record | None:
    """Return the record of the same moves where the cards that ``seat`` never saw are others."""
    deck = [parse_card(card) for card in Table(record.rules, record.deal.seed).setup_options()["deck"]]
    all_cards = [card for card in game_of(record.rules).compiled[0]["deck"].tolist() if card >= 0]
    seen = seen_cards(end, seat)
    hidden = [card for card in all_cards if card not in seen]
    labels = dict(zip(hidden, rng.sample(hidden, len(hidden)), strict=True))
    options = {
        "dealer": Table(record.rules, record.deal.seed).dealer,
        "deck": format_cards([labels.get(card, card) for card in deck]),
    }
    table = Table(record.rules, seed=rng.getrandbits(40), options=options)
    return record_of(table, [move for _, move in record.moves])


def shown_leaks(rules: KunsRules, seed: int, look: Callable[[Record, int | None], Any]) -> bool:
    record, end = finished(rules, seed)
    for seat in (*range(rules.num_players), None):
        world = record_in_other_world(record, end, seat, random.Random(seed))
        if world is not None and look(record, seat) != look(world, seat):
            return True
    return False


def told(record: Record, seat: int | None) -> str:
    return json.dumps(shown_to(record, seat))


@given(kuns_rules(num_hands=1, forced_ante=1), SMALL)
def test_a_record_shown_to_a_seat_tells_nothing_else_k7_3(rules: KunsRules, seed: int) -> None:
    if not Table(rules, seed=seed).is_over:
        assert not shown_leaks(rules, seed, told)


@given(SMALL, st.integers(0, 2))
def test_a_record_shown_to_a_seat_shows_its_own_cards(seed: int, seat: int) -> None:
    record, end = finished(RULES, seed)
    for card in format_cards(end.state["hole"][seat]):
        assert f'"{card}"' in told(record, seat)


def test_a_record_that_shows_too_much_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    seeds = range(10)
    assert any(shown_leaks(RULES, seed, lambda record, seat: record.to_json()) for seed in seeds)

    def with_deal(record: Record, seat: int | None) -> Any:
        return shown_to(record, seat) | {"deal": record.deal.to_dict()}

    assert any(shown_leaks(RULES, seed, with_deal) for seed in seeds)
    # One that forgets to redact, and shows every hand at the end.
    monkeypatch.setattr(
        text, "shown_hands", lambda rules, known: [format_cards(hand) for hand in known["hole"]]
    )
    monkeypatch.setattr(Table, "view", lambda table, seat: View(table.rules, seat, table._states))
    assert any(shown_leaks(RULES, seed, told) for seed in seeds)
