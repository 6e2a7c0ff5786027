"""Nothing leaks in Kunken: two worlds that differ only in what a seat cannot see look the same in every channel.

A world is changed by giving the unseen cards (other hands but for what was taken in public view, the stock) other
places, and the game another random state, other hands dealt to the others and other cards drawn by them. The changed
world is as real as the first: it plays on. Clauses: N2.2, N4.2, N4.3.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable
from itertools import chain
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from aec_play import raw
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
from games import COMPILED_ONLY, MINI, SHORT_DEALS, SMALL, chooser
from kunken_play import drawn_game, held, kunken_rules, position_of, words
from kuns_env import KunkenRules, Table
from kuns_env.engine.record import Record, Recorder, record_of, shown_to
from kuns_env.engine.view import View
from kuns_env.kunken import text
from kuns_env.kunken.cards import NO_CARD, TEXTS
from kuns_env.kunken.moves import ALL_TEXTS
from kuns_env.kunken.state import ACQUIRE, OWE

pytestmark = COMPILED_ONLY

SOME_SEEDS = range(4)
FULL = KunkenRules(num_players=4, hand_size=20, open_from_stock=True)
PLAIN = {"hand_penalty": False, "max_reshuffles": 0, "num_deals": 1}
"""Rules under which a record tells nothing of hands by the payoffs, and all cards are in the first deal."""


# ---------------------------------------------------------------- worlds


def hidden_cards(table: Table, seat: int | None) -> dict[int, list[str]]:
    """Return the cards of each other hand that ``seat`` does not know, by text."""
    here = position_of(table)
    others = [other for other in range(table.rules.num_players) if other != seat]
    return {
        other: sorted((Counter(here.hands[other]) - Counter(here.known[other])).elements())
        for other in others
    }


def set_hand(table: Table, seat: int, cards: list[str], field: str = "") -> None:
    """Let ``seat`` hold ``cards``, or write them into the fields ``dealt`` or ``known``."""
    state = table._states[0]
    for name, word in zip(("one", "two"), words(cards), strict=True):
        state[f"{field}{name}"][seat] = word


def other_world(table: Table, seat: int | None, rng: random.Random) -> Table:
    """Return a game that ``seat`` cannot tell from ``table``."""
    world = table.clone()
    state, here = world._states[0], position_of(table)
    hidden = hidden_cards(table, seat)
    if state["phase"] == OWE:
        hidden.pop(int(state["seat"]), None)  # whoever has begun a take must be able to complete it (N4.3)
    pool = [*chain.from_iterable(hidden.values()), *here.stock]
    rng.shuffle(pool)
    for other, cards in hidden.items():
        new, pool = pool[: len(cards)], pool[len(cards) :]
        set_hand(world, other, here.known[other] + new)
    first, last = int(state["stock_next"]), int(state["num_stock"])
    state["stock"][first:last] = [TEXTS.index(card) for card in pool]
    forget_the_past(world, seat, rng)
    state["key"] = rng.getrandbits(64), rng.getrandbits(64)
    return world


def forget_the_past(world: Table, seat: int | None, rng: random.Random) -> None:
    """Give every other seat other cards as dealt, and let it have drawn others."""
    rules, state = world.rules, world._states[0]
    deck = held(state["deck_one"], state["deck_two"])
    for other in range(rules.num_players):
        if other != seat:
            set_hand(world, other, rng.sample(deck, rules.hand_size), "dealt_")
    mover = (int(state["dealer"]) + 1) % rules.num_players
    for i, move in enumerate(state["history"][: int(state["num_history"])].tolist()):
        if state["drawn"][i] != NO_CARD and mover != seat:
            state["drawn"][i] = rng.randrange(len(TEXTS))
        if ALL_TEXTS[move].startswith("discard"):
            mover = (mover + 1) % rules.num_players


def other_own_card(table: Table, seat: int) -> Table | None:
    """Return the game with a card of the seat's hand, none that others know, exchanged for another of the stock."""
    here = position_of(table)
    mine = sorted((Counter(here.hands[seat]) - Counter(here.known[seat])).elements())
    state = table.state
    for place in range(int(state["stock_next"]), int(state["num_stock"])):
        theirs = TEXTS[int(state["stock"][place])]
        for card in mine:
            if card == theirs or here.hands[seat].count(theirs) > 1:
                continue
            world = exchanged(table, seat, card, place)
            # A hand of drawn cards can be told as dealt in a way that is the one it was.
            if any(world.state[name][seat] != state[name][seat] for name in ("dealt_one", "dealt_two")):
                return world
    return None


def exchanged(table: Table, seat: int, card: str, place: int) -> Table:
    """Return the game in which ``seat`` was dealt the card in ``place`` of the stock for ``card``."""
    world = table.clone()
    state = world._states[0]
    theirs = TEXTS[int(state["stock"][place])]
    hand = list(held(state["one"][seat], state["two"][seat]))
    hand[hand.index(card)] = theirs
    set_hand(world, seat, hand)
    dealt = list(held(state["dealt_one"][seat], state["dealt_two"][seat]))
    if card not in dealt or dealt.count(theirs) > 1:  # it was drawn: then it is told otherwise
        dealt = hand[: world.rules.hand_size]
    else:
        dealt[dealt.index(card)] = theirs
    set_hand(world, seat, dealt, "dealt_")
    state["stock"][place] = TEXTS.index(card)
    return world


def leaks_of(channels: dict[str, Channel], rules: KunkenRules, seed: int) -> set[str]:
    """Return the channels that leak in some position of a game, to some seat."""
    return compare_worlds(channels, drawn_game(rules, seed)[0], seed, other_world)


# ---------------------------------------------------------------- the tests


@settings(max_examples=settings().max_examples // 4)
@given(kunken_rules(), SMALL)
def test_what_a_seat_cannot_see_changes_no_channel(rules: KunkenRules, seed: int) -> None:
    assert not leaks_of(CHANNELS, rules, seed)


@settings(max_examples=settings().max_examples // 50 or 1)
@given(kunken_rules(num_players=3), SMALL)
def test_what_a_seat_cannot_see_changes_nothing_of_the_aec_environment(rules: KunkenRules, seed: int) -> None:
    pytest.importorskip("PIL")
    assert not leaks_of(SLOW_CHANNELS, rules, seed)


@settings(max_examples=settings().max_examples // 4)
@given(kunken_rules(), SMALL)
def test_what_is_legal_depends_on_nothing_that_is_hidden_n4_3(rules: KunkenRules, seed: int) -> None:
    """At every decision of a game, in the middle of a take too: masks and texts of the seat to act, step by step."""
    rng = random.Random(seed)
    table, choose = drawn_game(rules, seed)
    while not table.is_over:
        world = other_world(table, table.to_play, rng)
        legal = table.legal_moves()
        assert world.legal_moves() == legal
        assert world.view(world.to_play).mask.tobytes() == table.view(table.to_play).mask.tobytes()
        table.apply(choose(legal))


@settings(max_examples=settings().max_examples // 4)
@given(kunken_rules(), SMALL)
def test_a_spectator_sees_no_hand(rules: KunkenRules, seed: int) -> None:
    rng = random.Random(seed)
    for position in some_positions(drawn_game(rules, seed)[0], seed):
        world = other_world(position, None, rng)
        for look in (
            lambda t: t.view().text(),
            lambda t: t.view().to_dict(),
            lambda t: t.view().record.tobytes(),
        ):
            assert look(position) == look(world)


@settings(max_examples=settings().max_examples // 4)
@given(kunken_rules(), SMALL)
def test_the_fast_path_is_the_encoding_of_the_redacted_record(rules: KunkenRules, seed: int) -> None:
    for position in some_positions(drawn_game(rules, seed)[0], seed):
        for seat in range(rules.num_players):
            assert not only_redacted(position, seat)


@pytest.mark.parametrize("seed", SOME_SEEDS)
def test_another_world_is_as_real_as_the_first(seed: int) -> None:
    """The worlds of these tests hold the same cards, play on to an end, and differ where nobody looks."""
    rng = random.Random(seed)
    different = 0
    for position in some_positions(Table(FULL, seed=seed), seed):
        for seat in range(FULL.num_players):
            world = other_world(position, seat, rng)
            assert position_of(world).cards() == position_of(position).cards()
            different += position_of(world).hands != position_of(position).hands
            choose = chooser(seed)
            while not world.is_over:
                world.apply(choose(world))
    assert different


@settings(max_examples=settings().max_examples // 4)
@given(kunken_rules(), SMALL)
def test_an_own_card_shows_in_every_channel_but_those_without_cards(rules: KunkenRules, seed: int) -> None:
    blind = CARDLESS | {"batch"}
    for position in some_positions(drawn_game(rules, seed)[0], seed):
        for seat in range(rules.num_players):
            world = other_own_card(position, seat)
            if world is None or position.is_over:
                continue
            missing = set(CHANNELS) - differing(CHANNELS, position, world, seat)
            assert missing <= blind
            assert "spectator" in missing
            if position.to_play == seat:
                assert "batch" not in missing


@pytest.mark.parametrize("seat", range(2))
def test_a_public_fact_shows_in_every_channel(seat: int) -> None:
    pytest.importorskip("PIL")
    worlds = [Table(KunkenRules.mini(), seed=3, options={"dealer": 1}) for _ in range(2)]
    for world in worlds:
        world.apply("draw")
    for world, card in zip(worlds, worlds[0].legal_moves()[::3], strict=False):
        world.apply(card)
    same = {"repr"} | ({"batch"} if worlds[0].to_play != seat else set())
    channels = CHANNELS | SLOW_CHANNELS
    assert set(channels) - differing(channels, *worlds, seat) <= same | {"mask", "legal moves"}


# ---------------------------------------------------------------- leaks that the test must catch


def own_state(shown: tuple[str, ...]) -> Channel:
    """Return a redaction written here that leaves ``shown`` as they are."""

    def look(table: Table, seat: int) -> bytes:
        known = table._states.copy()
        for name in {"one", "two", "dealt_one", "dealt_two"} - set(shown):
            known[0][name][[other for other in range(known[0][name].size) if other != seat]] = 0
        for name in {"key", "stock", "drawn"} - set(shown):
            known[name] = 0
        return bytes(known.tobytes())

    return look


def neighbour(table: Table, seat: int) -> bytes:
    """An encoder that is handed the full record and counts seats wrongly by one."""
    return bytes(full_encoding("table")(table, (seat + 1) % table.rules.num_players))


def may_take(table: Table, seat: int) -> Any:
    """A mask that tells everybody what the next player may claim."""
    return table.legal_moves() if table.state["phase"] == ACQUIRE else None


LEAKY: dict[str, Channel] = {
    "random state": own_state(("key",)),
    "stock": own_state(("stock",)),
    "other hands": own_state(("one",)),
    "second copies in other hands": own_state(("two",)),
    "hands as dealt": own_state(("dealt_one",)),
    "what others drew": own_state(("drawn",)),
    "the neighbour's hand": neighbour,
    "what others may take": may_take,
    "the next card": lambda table, seat: int(table.state["stock"][int(table.state["stock_next"])]),
    "json of the table": lambda table, seat: table.to_json(),
    "how the deal was set up": lambda table, seat: json.dumps(table.setup_options()),
}


@pytest.mark.parametrize("leak", LEAKY)
def test_a_leaky_encoder_is_caught(leak: str) -> None:
    channels = {leak: LEAKY[leak]}
    assert any(
        compare_worlds(channels, Table(rules, seed=seed), seed, other_world)
        for rules in (SHORT_DEALS, MINI)
        for seed in SOME_SEEDS
    )


def test_a_sound_redaction_written_here_is_not_accused() -> None:
    for seed in SOME_SEEDS:
        assert not compare_worlds({"own": own_state(())}, Table(FULL, seed=seed), seed, other_world)


# ---------------------------------------------------------------- the record shown to a seat


def finished(rules: KunkenRules, seed: int) -> tuple[Record, Table]:
    table, choose = drawn_game(rules, seed)
    recorder = Recorder(table)
    while not table.is_over:
        recorder.apply(choose(table.legal_moves()))
    return recorder.record(), table


def record_in_other_world(record: Record, end: Table, seat: int | None, rng: random.Random) -> Record:
    """Return the record of the same moves where the cards that ``seat`` never saw are others.

    What others still hold at the end, unseen, was dealt to them or drawn from the stock; what is left of the stock
    nobody has seen. These cards change places, in the deal from which the game began.
    """
    options = record.deal.table(record.rules).setup_options()
    drawn, num_drawn = draws_of(record)
    places: list[tuple[str, int, int]] = []
    for other, cards in hidden_cards(end, seat).items():
        for card in cards:  # of equal cards the one that came last is the one that never left
            of_hand = [
                ("hands", other, i) for i, dealt in enumerate(options["hands"][other]) if dealt == card
            ]
            of_stock = [("stock", 0, i) for i in drawn[other][::-1] if options["stock"][i] == card]
            places.append(next(place for place in of_stock + of_hand if place not in places))
    places += [("stock", 0, i) for i in range(num_drawn, len(options["stock"]))]
    cards = [card_in(options, place) for place in places]
    rng.shuffle(cards)
    for (name, row, i), card in zip(places, cards, strict=True):
        (options["hands"][row] if name == "hands" else options["stock"])[i] = card
    table = Table(record.rules, seed=rng.getrandbits(40), options=options)
    return record_of(table, [move for _, move in record.moves])


def card_in(options: dict[str, Any], place: tuple[str, int, int]) -> str:
    name, row, i = place
    return str(options["hands"][row][i] if name == "hands" else options["stock"][i])


def draws_of(record: Record) -> tuple[dict[int, list[int]], int]:
    """Return the places of the stock that each seat drew, and how many cards were drawn."""
    drawn: dict[int, list[int]] = {other: [] for other in range(record.rules.num_players)}
    count = 0
    for mover, move in record.moves:
        if move == "draw":
            drawn[mover].append(count)
            count += 1
    return drawn, count


def shown_leaks(rules: KunkenRules, seed: int, look: Callable[[Record, int | None], Any]) -> bool:
    record, end = finished(rules, seed)
    rng = random.Random(seed)
    return any(
        look(record, seat) != look(record_in_other_world(record, end, seat, rng), seat)
        for seat in (*range(rules.num_players), None)
    )


def told(record: Record, seat: int | None) -> str:
    return json.dumps(shown_to(record, seat))


@settings(max_examples=settings().max_examples // 10)
@given(kunken_rules(**PLAIN), SMALL)
def test_a_record_shown_to_a_seat_tells_nothing_else(rules: KunkenRules, seed: int) -> None:
    assert not shown_leaks(rules, seed, told)


@pytest.mark.parametrize("seed", SOME_SEEDS)
def test_a_record_shown_to_a_seat_shows_all_its_cards(seed: int) -> None:
    rules = KunkenRules(num_players=4, hand_size=20, **PLAIN)
    record, _ = finished(rules, seed)
    options = record.deal.table(rules).setup_options()
    for seat in range(4):
        shown = [event["cards"] for event in shown_to(record, seat)["events"] if "cards" in event]
        assert sorted(shown[0]) == sorted(options["hands"][seat])
        drawn = [options["stock"][i] for i in draws_of(record)[0][seat]]
        assert all(any(card in cards for cards in shown) for card in drawn)
    assert not [event for event in shown_to(record, None)["events"] if "cards" in event]


def test_a_record_that_shows_too_much_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = KunkenRules(num_players=4, hand_size=20, **PLAIN)
    assert any(shown_leaks(rules, seed, lambda record, seat: record.to_json()) for seed in SOME_SEEDS)

    def with_deal(record: Record, seat: int | None) -> Any:
        return shown_to(record, seat) | {"deal": record.deal.to_dict()}

    assert any(shown_leaks(rules, seed, with_deal) for seed in SOME_SEEDS)
    # One that forgets to redact, and shows every hand at the end.
    to_dict = text.to_dict

    def with_hands(rules: KunkenRules, known: np.void, viewer: int | None) -> dict[str, Any]:
        data = to_dict(rules, known, viewer)
        return data | {"shown": data["cards"]}

    monkeypatch.setattr(text, "to_dict", with_hands)
    monkeypatch.setattr(Table, "view", lambda table, seat: View(table.rules, seat, table._states))
    assert any(shown_leaks(rules, seed, told) for seed in SOME_SEEDS)


# ---------------------------------------------------------------- environments


def test_infos_and_flags_of_two_worlds_are_the_same_all_through_a_game() -> None:
    """Two environments that differ in what seat 0 cannot see are played alike while seat 0 cannot tell them apart."""
    one = raw(FULL, mask_in_info=True)
    one.reset(seed=5)
    rng = np.random.default_rng(1)
    for step in range(40):
        if not one.agents or one.table.is_over:
            break
        other = raw(FULL, mask_in_info=True)
        other.reset(seed=6)
        other._attach(other_world(one.table, 0, random.Random(step)))
        other.agent_selection = one.agent_selection
        other._write_infos()
        assert np.array_equal(one.observe("player_0"), other.observe("player_0"))
        assert np.array_equal(one.infos["player_0"]["action_mask"], other.infos["player_0"]["action_mask"])
        mask = one.infos[one.agent_selection]["action_mask"]
        one.step(int(rng.choice(np.flatnonzero(mask))))
