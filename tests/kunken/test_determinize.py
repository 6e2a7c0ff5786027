"""`determinize`: every assignment of the unseen cards is equally likely, and the seat sees no difference.

By chi-square against full enumeration on small decks set up by options, in mid-take and after reshuffles too. The
enumeration deals the cards that the viewer does not see in every way, plays the same moves, and keeps the worlds in
which they are legal: every assignment of the unseen cards that leads to one is as likely as any other.

Clauses: N2.2, N4.1-N4.3, N4.6, N4.9, N5.1, N9.1.
"""

from __future__ import annotations

import dataclasses
import random
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import combinations, permutations
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games import COMPILED, MANY_SIGMAS, SMALL
from kunken_play import chi_square, drawn_game, kunken_rules, play_out, position_of, walk
from kuns_env import Batch, KunkenRules, Table
from kuns_env.engine.game import game_of
from kuns_env.kunken.cards import NO_CARD, TEXTS
from kuns_env.kunken.state import OWE
from oracle.kunken_games import draw_player

LEAST_IN_A_CELL = 12 if COMPILED else 4

World = tuple[tuple[tuple[str, ...], ...], tuple[str, ...]]
"""The hands, the viewer's too, and the stock."""


class Situation(NamedTuple):
    """A deal that was set up and the moves since."""

    viewer: int
    dealer: int
    hands: list[str]
    bank: str
    stock: str
    moves: str
    rules: dict[str, Any]

    def options(self) -> dict[str, Any]:
        hands = [hand.split() for hand in self.hands]
        return {"dealer": self.dealer, "hands": hands, "bank": self.bank.split(), "stock": self.stock.split()}

    def game_rules(self) -> KunkenRules:
        hand_size = len(self.hands[0].split())
        fields = {"num_players": len(self.hands), "hand_size": hand_size, "bank_points": 15, **self.rules}
        return KunkenRules(**fields)

    def table(self) -> Table:
        table = Table(self.game_rules(), seed=5, options=self.options())
        for move in self.list_of_moves():
            table.apply(move)
        return table

    def list_of_moves(self) -> list[str]:
        return [move.strip() for move in self.moves.split(",") if move.strip()]


TAKE = ["2c 3d 4h", "9c 9d Kh"]
SITUATIONS: dict[str, Situation] = {
    "dealt": Situation(0, 1, TAKE, "9h", "As 2d 7h", "", {}),
    "drawn and discarded": Situation(
        0, 1, TAKE, "9h", "As 2d 7h 7c", "draw, discard As, draw, discard Kh, draw", {}
    ),
    "equal cards": Situation(
        0, 1, ["2c 3d 4h", "9c 9c 2d"], "5h", "9d 2d 7h 7h", "draw, discard 9d, draw, discard 2d", {}
    ),
    "what was taken is known": Situation(
        0, 0, TAKE, "9h Jd 4s", "As 2d 7h Qc", "take 9h, set 9c 9d 9h, discard Jd, draw", {}
    ),
    "a known card leaves first": Situation(
        0, 0, TAKE, "9h Kh 4s", "As 2d 7h", "take 9h, set 9c 9d 9h, discard Kh, draw", {}
    ),
    "in mid-take": Situation(0, 0, TAKE, "9h Jd", "Th 2d 8h", "take 9h", {}),
    "in mid-take, from the bottom": Situation(0, 0, TAKE, "9h Jd 9h 3c", "Th 9s 8h 3s", "take 9h deep", {}),
    "in mid-take, one left to discard": Situation(
        0, 0, ["2c 3d 4h 5s", "9c 9d 9s Kh"], "Jd 9h", "Th Kd 8h", "take 9h", {"discard_to_go_out": True}
    ),
    "in mid-take, a joker": Situation(0, 0, ["2c 3d 4h", "9c * Kh"], "9h Jd", "Th 2d 8h 9s", "take 9h", {}),
    "in mid-take, a joker claimed": Situation(
        0, 0, ["2c 3d 4h", "9c 9h Kh"], "Jd *", "Th 2d 9s Kd", "take *", {}
    ),
    "in mid-take, a meld laid": Situation(
        0,
        0,
        ["2c 3d 4h 5s 6c 7d", "9c 9d Kh Kd Kc 2s"],
        "9h Jd",
        "8h Th 2d Ks",
        "take 9h, set Kc Kd Kh",
        {"bank_points": 45},
    ),
    "in mid-take, the claim laid": Situation(
        0,
        0,
        ["2c 3d 4h 5s 6c 7d", "9c 9d Kh Kd Kc 2s"],
        "9h Jd",
        "9s Qh Kh Jh",
        "take 9h, set 9c 9d 9h",
        {"bank_points": 30, "identical_cards_in_set": False},
    ),
    "in mid-take, seen by a third": Situation(
        2, 0, ["2c 9s 4h", "9c 9d Kh", "5c 6d 7h"], "9h Jd", "Th 2d", "take 9h", {}
    ),
    "one's own take": Situation(1, 0, TAKE, "9h Jd", "Th 2d 8h", "take 9h", {}),
    "opening from the stock": Situation(
        0,
        0,
        ["2c 3d 4h 5s 6c", "9c 9d 9h Kd Kh"],
        "Jd",
        "Ks Qs Kc 2d 3s",
        "draw, set 9c 9d 9h",
        {"bank_points": 45, "open_from_stock": True},
    ),
    "three players": Situation(
        1, 2, ["2c 3d 4s", "9c 9d 9h", "Qh Qh Js"], "5h", "As 2d", "draw, discard 2c", {}
    ),
    "after a reshuffle": Situation(
        0,
        1,
        TAKE,
        "5h 6d Js",
        "As 2d",
        "draw, discard As, draw, discard Kh, draw, discard 3d",
        {},
    ),
    "after a reshuffle, a draw from the new stock": Situation(
        0,
        1,
        TAKE,
        "5h 6d Js",
        "As 2d",
        "draw, discard As, draw, discard Kh, draw, discard 3d, draw, discard 9c",
        {},
    ),
    "after a reshuffle, equal cards": Situation(
        0,
        1,
        ["2c 3d 4h", "9c 9d As"],
        "5h 9c Js",
        "As 2d",
        "draw, discard As, draw, discard 2d, draw, discard 3d, draw, discard 9c",
        {},
    ),
    "after a reshuffle, three players": Situation(
        0,
        2,
        ["2c 3d 4h", "9c 9d Kh", "5s 6s Th"],
        "5h 6d",
        "As 2d 7d",
        "draw, discard As, draw, discard Kh, draw, discard 7d, draw, discard 3d, draw, discard 2d",
        {},
    ),
    "after two reshuffles": Situation(
        0,
        1,
        TAKE,
        "5h 6d",
        "As 2d",
        "draw, discard As, draw, discard Kh, draw, discard 3d, draw, discard 9c, "
        "draw, discard 4h, draw, discard 9d",
        {"max_reshuffles": 2},
    ),
    "the end": Situation(
        0, 1, TAKE, "9h", "As 2d", "draw, discard As, draw, discard Kh", {"max_reshuffles": 0}
    ),
}


# ---------------------------------------------------------------- the enumeration


def world_of(table: Table) -> World:
    here = position_of(table)
    return tuple(tuple(hand) for hand in here.hands), tuple(here.stock)


def ways_to_deal(
    cards: tuple[str, ...], sizes: list[int]
) -> Iterator[tuple[list[list[str]], tuple[str, ...]]]:
    """Yield every way to deal hands of ``sizes`` and leave the rest, each way of physical cards once."""
    if not sizes:
        yield [], cards
        return
    for hand in combinations(range(len(cards)), sizes[0]):
        rest = tuple(card for i, card in enumerate(cards) if i not in hand)
        for others, left in ways_to_deal(rest, sizes[1:]):
            yield [[cards[i] for i in hand], *others], left


def deals(situation: Situation) -> Iterator[dict[str, Any]]:
    """Yield the options of every deal in which the viewer has the same hand and the bank is the same."""
    options = situation.options()
    others = [seat for seat in range(len(situation.hands)) if seat != situation.viewer]
    hidden = tuple(card for seat in others for card in options["hands"][seat]) + tuple(options["stock"])
    sizes = [len(options["hands"][0])] * len(others)
    for hands, stock in ways_to_deal(hidden, sizes):
        dealt = dict(zip(others, hands, strict=True))
        all_hands = [dealt.get(seat, options["hands"][seat]) for seat in range(len(situation.hands))]
        for order in permutations(stock):
            yield {**options, "hands": all_hands, "stock": list(order)}


def play_on(table: Table, moves: list[str], drawn: list[str | None]) -> Iterator[Table]:
    """Yield the game after ``moves`` for every order of a new stock, where the moves are legal.

    ``drawn`` is what the viewer drew with each move, None where it drew nothing.
    """
    for number, move in enumerate(moves):
        if move not in table.legal_moves():
            return
        card = position_of(table).stock[0] if move == "draw" else None
        if drawn[number] not in (None, card):
            return
        reshuffles = int(table.state["reshuffles"])
        table.apply(move)
        if table.state["reshuffles"] > reshuffles:
            stock = position_of(table).stock
            for order in permutations(stock):
                after = table.clone()
                after._states[0]["stock"][: len(stock)] = [TEXTS.index(text) for text in order]
                yield from play_on(after, moves[number + 1 :], drawn[number + 1 :])
            return
    yield table


def drawn_by_the_viewer(situation: Situation) -> list[str | None]:
    """Return the cards that the viewer drew in the real game."""
    table = Table(situation.game_rules(), seed=5, options=situation.options())
    cards: list[str | None] = []
    for move in situation.list_of_moves():
        own = move == "draw" and table.to_play == situation.viewer
        cards.append(position_of(table).stock[0] if own else None)
        table.apply(move)
    return cards


def ways(world: World, hidden: Counter[str]) -> int:
    """Return how many assignments of the ``hidden`` cards, twins told apart, look like ``world``."""
    hands, stock = world
    places = [*hands, *([card] for card in stock)]
    twins = [card for card, count in hidden.items() if count > 1]
    # Two that lie in one hand are in one place, and two that lie apart may be exchanged.
    return 2 ** sum(not any(list(place).count(card) > 1 for place in places) for card in twins)


def hidden_cards(table: Table, viewer: int) -> Counter[str]:
    """Return the cards that ``viewer`` has not located, wherever they are."""
    here = position_of(table)
    hidden = Counter(here.stock)
    for seat, hand in enumerate(here.hands):
        if seat != viewer:
            hidden += Counter(hand) - Counter(here.known[seat])
    return hidden


def enumerate_worlds(situation: Situation) -> Counter[World]:
    """Return every world that the viewer cannot tell from the real one, with its weight."""
    key = situation.table().information_state(situation.viewer)
    moves, drawn = situation.list_of_moves(), drawn_by_the_viewer(situation)
    worlds = Counter[World]()
    for options in deals(situation):
        for world in play_on(Table(situation.game_rules(), seed=5, options=options), moves, drawn):
            found = world_of(world)
            if found not in worlds:
                assert world.information_state(situation.viewer) == key
                worlds[found] = ways(found, hidden_cards(world, situation.viewer))
    return worlds


Determinize = Callable[[Table, int, np.random.Generator], Table]


def unlikeliness(situation: Situation, determinize: Determinize) -> float:
    """Return the chi-square of the worlds that ``determinize`` gives against the enumeration, in sigmas."""
    weights = enumerate_worlds(situation)
    table, rng = situation.table(), np.random.default_rng(11)
    assert world_of(table) in weights
    samples = round(LEAST_IN_A_CELL * weights.total() / min(weights.values()))
    met = Counter(world_of(determinize(table, situation.viewer, rng)) for _ in range(samples))
    if set(met) - set(weights):
        return float("inf")
    expected = [samples * weight / weights.total() for weight in weights.values()]
    return chi_square([met[world] for world in weights], expected) if len(weights) > 1 else 0.0


@pytest.mark.parametrize("name", SITUATIONS)
def test_every_assignment_is_equally_likely(name: str) -> None:
    assert abs(unlikeliness(SITUATIONS[name], Table.determinize)) < MANY_SIGMAS


def test_the_situations_are_what_they_are_called() -> None:
    for name, situation in SITUATIONS.items():
        table = situation.table()
        assert (table.state["phase"] == OWE) == (
            "mid-take" in name or "own take" in name or "opening" in name
        ), name
        assert (table.state["reshuffles"] > 0) == ("reshuffle" in name), name
        assert table.is_over == (name == "the end")
    # Where it matters that a take can be completed, most deals of the unseen cards could not.
    free = SITUATIONS["in mid-take"]
    assert len(enumerate_worlds(free)) < len(enumerate_worlds(free._replace(moves=""))) / 2


def keeps_the_truth(table: Table, seat: int, rng: np.random.Generator) -> Table:
    """Peeks one time in ten."""
    return table.clone() if rng.random() < 0.1 else table.determinize(seat, rng)


def forgets_what_is_known(table: Table, seat: int, rng: np.random.Generator) -> Table:
    known = table.clone()
    known._states["known_one"] = 0
    known._states["known_two"] = 0
    return known.determinize(seat, rng)


def forgets_the_take(table: Table, seat: int, rng: np.random.Generator) -> Table:
    """Deals a hand that need not be able to complete it."""
    other = table.clone()
    other._states["phase"] = 0
    return other.determinize(seat, rng)


def shuffles_badly(table: Table, seat: int, rng: np.random.Generator) -> Table:
    """The next card of the stock stays where it is more often than others."""
    while True:
        world = table.determinize(seat, rng)
        same = position_of(world).stock[0] == position_of(table).stock[0]
        if same or rng.random() < 0.1:
            return world


@pytest.mark.parametrize(
    ("broken", "name"),
    [
        (keeps_the_truth, "dealt"),
        (keeps_the_truth, "in mid-take"),
        (forgets_what_is_known, "what was taken is known"),
        (forgets_the_take, "in mid-take"),
        (forgets_the_take, "in mid-take, the claim laid"),
        (shuffles_badly, "dealt"),
    ],
)
def test_a_biased_determinize_is_found_out(broken: Determinize, name: str) -> None:
    assert unlikeliness(SITUATIONS[name], broken) > MANY_SIGMAS


# ---------------------------------------------------------------- the seat sees no difference


def what_a_seat_sees(table: Table, seat: int) -> list[Any]:
    view = table.view(seat)
    seen: list[Any] = [view.text(), view.to_dict(), view.information_state(), view.mask.tobytes()]
    seen += [view.record.tobytes(), view.legal_moves(), table.to_play]
    return seen + [
        view.observation(name, pad).tobytes() for name in ("table", "history") for pad in (False, True)
    ]


def check_world(world: Table, table: Table, seat: int) -> None:
    """Assert that ``world`` is a whole game that ``seat`` cannot tell from ``table``."""
    assert what_a_seat_sees(world, seat) == what_a_seat_sees(table, seat)
    here, there = position_of(world), position_of(table)
    assert here.cards() == there.cards()
    assert [len(hand) for hand in here.hands] == [len(hand) for hand in there.hands]
    assert len(here.stock) == len(there.stock)
    assert here.known == there.known
    for known, hand in zip(here.known, here.hands, strict=True):
        assert Counter(known) <= Counter(hand)
    assert here.hands[seat] == there.hands[seat]
    if not world.is_over:
        assert world.legal_moves(), "who is in the middle of a take can complete it"


def check_story(world: Table) -> None:
    """Assert that the moves that were seen lead to the world from the deal and the new stocks that it tells of."""
    told = Table(dataclasses.replace(world.rules, num_deals=1), 1, world.setup_options())
    count = int(world.state["num_history"])
    history, drawn = world.state["history"][:count].tolist(), world.state["drawn"][:count].tolist()
    for number, move in enumerate(history):
        reshuffles = int(told.state["reshuffles"])
        told.apply(move)
        if told.state["reshuffles"] > reshuffles:
            size = int(told.state["num_stock"])
            rest = world.state["stock"][
                int(world.state["stock_next"]) : int(world.state["num_stock"])
            ].tolist()
            stock = ([card for card in drawn[number + 1 :] if card != NO_CARD] + rest)[:size]
            assert sorted(stock) == sorted(told.state["stock"][:size].tolist()), (
                "the new stock is the old bank"
            )
            told._states[0]["stock"][:size] = stock
    assert position_of(told).hands == position_of(world).hands
    assert position_of(told).stock == position_of(world).stock
    for name in ("drawn", "dealt_one", "dealt_two"):
        assert told.state[name].tobytes() == world.state[name].tobytes()


@settings(max_examples=max(1, settings().max_examples // 2))
@given(kunken_rules(), SMALL)
def test_the_seat_sees_no_difference_and_the_game_plays_on(rules: KunkenRules, seed: int) -> None:
    rng = np.random.default_rng(seed)
    table, choose = drawn_game(rules, seed)
    seen = [here.clone() for here in walk(table, choose)]
    owing = [here for here in seen if here.state["phase"] == OWE]
    for here in [*seen[:: max(1, len(seen) // 4)], *owing[:2]]:
        before = here.state.tobytes()
        for seat in range(rules.num_players):
            world = here.determinize(seat, rng)
            check_world(world, here, seat)
            # With more players and new stocks the ways to explain a long deal can be too many to try.
            if rules.num_players == 2 or here.state["reshuffles"] == 0:
                check_story(world)
            play_out(world, draw_player(random.Random(seed)))
            assert world.is_over
            if rules.settlement != "points":
                assert sum(world.payoffs(exact=True)) == 0
        assert here.state.tobytes() == before, "the real game is left alone"


def test_a_take_that_the_pools_do_not_allow_is_dealt_from_one_pool() -> None:
    """After a new stock the story may be explained wrongly, and no hand of these pools completes the take."""
    rules = KunkenRules(
        num_players=3,
        num_jokers=1,
        hand_size=3,
        num_deals=3,
        identical_cards_in_set=False,
        bank_points=25,
        bank_points_every_time=False,
        max_reshuffles=1,
        settlement="win",
    )
    table, choose = drawn_game(rules, 1930)
    late = [here.clone() for here in walk(table, choose)]
    late = [here for here in late if here.state["phase"] == OWE and here.state["reshuffles"]]
    assert late
    for here in late:
        for seat in range(rules.num_players):
            world = here.determinize(seat, np.random.default_rng(seat))
            check_world(world, here, seat)
            play_out(world, draw_player(random.Random(seat)))
            assert world.is_over


@settings(max_examples=max(1, settings().max_examples // 4))
@given(st.integers(2, 5), st.integers(3, 8), SMALL)
def test_new_stocks_are_told_of_as_they_were_n5_1(num_players: int, hand_size: int, seed: int) -> None:
    rules = KunkenRules(
        num_players=num_players, hand_size=hand_size, bank_points=15, max_reshuffles=3, open_from_stock=True
    )
    rng = np.random.default_rng(seed)
    table, choose = drawn_game(rules, seed)
    late = [here.clone() for here in walk(table, choose) if here.state["reshuffles"]]
    for here in late[:: max(1, len(late) // 3)]:
        for seat in range(num_players):
            world = here.determinize(seat, rng)
            check_world(world, here, seat)
            check_story(world)


def test_the_same_generator_gives_the_same_world_and_another_one_another() -> None:
    table = SITUATIONS["drawn and discarded"].table()
    worlds = [table.determinize(0, np.random.default_rng(seed)).state.tobytes() for seed in (1, 1, 2)]
    assert worlds[0] == worlds[1] != worlds[2]


def test_the_future_of_a_world_is_its_own() -> None:
    situation = SITUATIONS["the end"]._replace(rules={"max_reshuffles": 0, "num_deals": 2}, moves="")
    rng, setups = np.random.default_rng(3), set()
    for world in [situation.table()] + [situation.table().determinize(0, rng) for _ in range(3)]:
        while world.hands_done == 0:
            world.apply(next(m for m in world.legal_moves() if m.split()[0] in ("draw", "discard")))
        setups.add(str(position_of(world).setup()))
    assert len(setups) == 4, "the next deal would tell which world is the real one"


def test_a_spectator_has_no_world() -> None:
    with pytest.raises(ValueError, match="seat=None"):
        SITUATIONS["dealt"].table().determinize(None, np.random.default_rng(1))  # type: ignore[arg-type]


def test_a_game_of_a_batch() -> None:
    table = Batch(KunkenRules(num_players=3), 4, seed=2).table(3)
    check_world(table.determinize(1, np.random.default_rng(1)), table, 1)


def test_nothing_of_the_other_hands_is_left_in_a_redacted_record() -> None:
    table = SITUATIONS["what was taken is known"].table()
    known = game_of(table.rules).redact(table._states, np.zeros(1, np.int64), np.array([0]))[0]
    assert known["one"][1] == known["two"][1] == known["dealt_one"][1] == known["dealt_two"][1] == 0
    assert known["one"][0] == table.state["one"][0]
    assert (known["stock"] == NO_CARD).all()
    assert not known["key"].any()


@pytest.mark.parametrize("number", range(3))
def test_worlds_of_worlds_in_long_deals_n5_1(number: int) -> None:
    # Four players and three new stocks: ways to explain who held what can be too many to try, and then the story of
    # a world need not fit; whatever is made of that world must be a whole game all the same.
    rules = KunkenRules(num_players=4, num_jokers=1, hand_size=4, max_reshuffles=3, joker_swap=True)
    rng = np.random.default_rng(number)
    table = Table(rules, seed=number)
    steps = 0
    while not table.is_over:
        steps += 1
        if steps % 20 == 0:
            world = table
            for _ in range(3):
                seat = int(rng.integers(4))
                before = world.view(seat).record.tobytes()
                world = world.determinize(seat, rng)
                assert world.view(seat).record.tobytes() == before
                state = world.state
                held = [int(state["one"][s]).bit_count() + int(state["two"][s]).bit_count() for s in range(4)]
                assert held == state["num_cards"][:4].tolist()
                assert sum(held) + num_elsewhere(state) == 2 * 52 + 1
        table.apply(rng.choice(table.legal_actions()))


def num_elsewhere(state: Any) -> int:
    """Return how many cards are not in hands."""
    in_bank = int(state["num_bank"]) - (1 if state["claim_at"] >= 0 else 0)
    on_table = sum(int(meld["size"]) for meld in state["melds"])
    return in_bank + on_table + int(state["num_stock"]) - int(state["stock_next"])
