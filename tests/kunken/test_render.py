"""The picture of a table of Kunken: what it hides, what it shows, and that everything finds room."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

pytest.importorskip("PIL")

from kunken_positions import meld, position
from kuns_env import KunkenRules, Table, canvas, kunken_v0
from kuns_env.kunken import render
from kuns_env.kunken.cards import RANKS, SUITS
from kuns_env.kunken.rules import MAX_CARDS
from kuns_env.kunken.state import LEAST_MELD, MAX_MELDS

WIDTH, HEIGHT = render.SIZE
DECK = [rank + suit for rank in RANKS for suit in SUITS] * 2 + ["*", "*"]
Written = list[tuple[float, float, str, int]]


def played(rules: KunkenRules, num_moves: int, seed: int = 1) -> Table:
    """A game after some moves at random, drawing and discarding seldom chosen."""
    table, rng = Table(rules, seed), np.random.default_rng(seed)
    for _ in range(num_moves):
        if table.is_over:
            break
        legal = table.legal_moves()
        rare = [move for move in legal if not move.startswith(("draw", "discard"))]
        table.apply(str(rng.choice(rare if rare and rng.random() < 0.9 else legal)))
    return table


def draw(table: Table, seat: int | None) -> np.ndarray:
    return render.rgb_array(table.rules, table.view(seat).record, seat)


def everything(table: Table) -> np.ndarray:
    return render.rgb_array(table.rules, table.state, None)


def corners(monkeypatch: pytest.MonkeyPatch) -> list[tuple[float, float, float, float, str]]:
    """All cards that are drawn: left, top, right, bottom, text."""
    cards: list[tuple[float, float, float, float, str]] = []
    draw_card = render.draw_card

    def spy(where: Any, corner: Any, size: Any, card: str, dim: float = 0.0) -> None:
        cards.append((*corner, corner[0] + size[0], corner[1] + size[1], card))
        draw_card(where, corner, size, card, dim)

    monkeypatch.setattr(render, "draw_card", spy)
    return cards


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> Written:
    """All texts that are written, with their places and sizes."""
    texts: Written = []
    write = render.Canvas.text

    def spy(self: Any, place: Any, text: str, size: int, *rest: Any) -> None:
        texts.append((*place, text, size))
        write(self, place, text, size, *rest)

    monkeypatch.setattr(render.Canvas, "text", spy)
    return texts


def fullest(num_players: int = 5) -> tuple[KunkenRules, np.void]:
    """A hand of 60 cards and four of 11: no legal game has more cards in hand; and as many melds as there can be.

    The cards are more than the deck holds: each part of the table is as full as it can be.
    """
    rules = KunkenRules(num_players=num_players)
    deck = list(DECK)
    random.Random(1).shuffle(deck)
    hands = [" ".join(deck[:60])] + [
        " ".join(deck[60 + 11 * i : 71 + 11 * i]) for i in range(num_players - 1)
    ]
    melds = [
        meld(f"{rank}c {rank}d *{rank}", i % num_players) for i, rank in enumerate((RANKS * 3)[:MAX_MELDS])
    ]
    bank = " ".join(random.Random(2).sample(deck, 92))
    return rules, position(
        rules, hands=hands, bank=bank, melds=melds, seat=1, laid_points=[995] * num_players
    )


@pytest.mark.parametrize("num_players", range(2, 6))
@pytest.mark.parametrize("seat", [None, 0, 1])
def test_a_picture_is_an_array_of_one_size(num_players: int, seat: int | None) -> None:
    """N1.2."""
    for num_moves in (0, 40, 400):
        picture = draw(played(KunkenRules(num_players=num_players), num_moves), seat)
        assert picture.shape == (HEIGHT, WIDTH, 3)
        assert picture.dtype == np.uint8
        assert picture.flags.writeable


def test_the_same_record_makes_the_same_picture() -> None:
    table = played(KunkenRules(), 30)
    assert (draw(table, 1) == draw(table, 1)).all()


@pytest.mark.parametrize("num_moves", [0, 7, 40, 90])
def test_hidden_cards_change_nothing(num_moves: int) -> None:
    """What a seat cannot see is not in its picture: worlds that it cannot tell apart look alike."""
    table = played(KunkenRules(num_players=3), num_moves)
    other = table.determinize(2, np.random.default_rng(1))
    assert other.state["stock"].tolist() != table.state["stock"].tolist()
    assert (draw(other, 2) == draw(table, 2)).all()
    # Seat 0 sees that its own cards are others, if they are.
    same_hand = all(other.state[word][0] == table.state[word][0] for word in ("one", "two"))
    assert (draw(other, 0) == draw(table, 0)).all() == same_hand
    assert num_moves or not same_hand
    assert not (everything(other) == everything(table)).all()


def test_a_picture_of_the_full_record_would_be_found() -> None:
    table = played(KunkenRules(), 7)
    other = table.determinize(0, np.random.default_rng(1))
    leaky = [render.rgb_array(t.rules, t.state, 0) for t in (table, other)]
    assert not (leaky[0] == leaky[1]).all()


def test_public_facts_are_seen() -> None:
    """Every move changes what a spectator sees."""
    table, rng = Table(KunkenRules.mini(), 3), np.random.default_rng(3)
    before = draw(table, None)
    for _ in range(60):
        if table.is_over:
            break
        move = str(rng.choice(table.legal_moves()))
        table.apply(move)
        after = draw(table, None)
        assert not (after == before).all(), move
        before = after


def test_cards_that_everybody_knows_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """N4.2: what a seat received from the bank lies open, the rest of its hand is a pile with a number."""
    rules = KunkenRules()
    record = position(rules, hands=["3c 4c", "7h 8h 9h Ts"], known={1: "7h 9h"})
    record["one"][1] = 0
    cards = corners(monkeypatch)
    render.rgb_array(rules, record, 0)
    assert [card for *_, card in cards if card != "7c"] == ["7h", "9h", "3c", "4c"]


def test_a_take_is_seen(monkeypatch: pytest.MonkeyPatch, written: Written) -> None:
    """N4.2: bank, claimed card and what waits above it are drawn in their order; what is owed is written."""
    rules = KunkenRules()
    record = position(rules, hands=["Kh", ""], bank="4c 9d", claim="Kh", above="2c 5d", need=35)
    cards = corners(monkeypatch)
    render.rgb_array(rules, record, 0)
    assert [card for *_, card in cards] == ["4c", "9d", "Kh", "2c", "5d", "Kh"]
    texts = " ".join(text for _, _, text, _ in written)
    assert "owed: 35 points more in new melds" in texts
    assert "bank, 4 cards" in texts


def test_what_is_written_at_the_end(written: Written) -> None:
    """N6.2, N7.1."""
    rules = KunkenRules()
    ended: dict[str, Any] = {
        "hands_done": 1,
        "last_winner": 0,
        "last_express": 1,
        "seat": -1,
        "phase": "over",
    }
    record = position(
        rules, hands=["", "4d"], laid_points=[50, 20], last_scores=[100, 20], payoff=[960, -960], **ended
    )
    render.rgb_array(rules, record, None)
    texts = [text for _, _, text, _ in written]
    assert "+80" in texts
    assert "-80" in texts
    assert "0 cards · laid 50 · score 100" in texts
    assert "seat 0 went out, an express: its" in " ".join(texts)


def test_jokers_show_what_they_stand_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """N3.3."""
    record = position(KunkenRules(), melds=[meld("3s *4s 5s"), meld("Kc Kd *K")])
    cards = corners(monkeypatch)
    render.rgb_array(KunkenRules(), record, None)
    assert [card for *_, card in cards][1:] == ["3s", "*4s", "5s", "Kc", "Kd", "*K"]
    shown = [canvas.Canvas((60, 90)) for _ in range(3)]
    for drawn, card in zip(shown, ("*", "*4s", "4s"), strict=True):
        render.draw_card(drawn, (0, 0), (60, 90), card)
    assert len({drawn.pixels().tobytes() for drawn in shown}) == 3


@pytest.mark.parametrize("viewer", [None, 0, 1])
def test_everything_finds_room(monkeypatch: pytest.MonkeyPatch, written: Written, viewer: int | None) -> None:
    """N3, N4.2: the fullest table: 35 melds, a hand of 60 cards, a bank of 92, every hand open."""
    rules, record = fullest()
    cards = corners(monkeypatch)
    render.rgb_array(rules, record, viewer)
    num_cards = 60 + 4 * 11 + LEAST_MELD * MAX_MELDS + 92
    assert len(cards) == num_cards > MAX_CARDS
    left, top, right, bottom, _ = zip(*cards, strict=True)
    assert min(left) > render.TABLE[0]
    assert min(top) > render.TABLE[1]
    assert max(right) < render.TABLE[2]
    assert max(bottom) < render.TABLE[3]
    for x, y, text, _ in written:
        assert 0 < x < WIDTH, text
        assert 0 < y < HEIGHT - render.SMALL / 2, text


def test_the_rank_of_every_card_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """No card covers the rank and suit of another, however many there are."""
    rules, record = fullest()
    cards = corners(monkeypatch)
    render.rgb_array(rules, record, None)
    for i, (left, top, right, bottom, card) in enumerate(cards):
        reach = left + (right - left) * render.INDEX
        for other_left, other_top, other_right, other_bottom, _ in cards[i + 1 :]:
            apart_x = other_left >= reach - 0.01 or other_right <= left
            assert apart_x or other_top >= bottom or other_bottom <= top, card


@pytest.mark.parametrize("number", [*range(1, 107)])
def test_cards_fit_into_their_box(number: int) -> None:
    for width, height in ((930, 120), (210, 100), (860, 90)):
        how = render.fit(number, width, height)
        x, y = zip(*(how.place((0, 0), each) for each in range(number)), strict=True)
        assert max(x) + how.width <= width + 0.01
        assert max(y) + how.size[1] <= height


def test_the_longest_lines_find_room(written: Written) -> None:
    """The column at the right holds a take with everything that can be said about it."""
    rules = KunkenRules(num_players=5, num_deals=2)
    record = position(
        rules,
        hands=["Kh", "", "", "", ""],
        bank="4c",
        claim="Kh",
        above=" ".join(DECK[:60]),
        need=200,
        hands_done=1,
        last_winner=4,
        last_express=1,
        history=["draw", "run 3s * * 6s", "discard 5d"] * 100,
        turns=300,
    )
    render.rgb_array(rules, record, 4)
    column = [(x, y, text, size) for x, y, text, size in written if x == render.SIDE]
    assert len(column) > 30
    for x, y, text, size in column:
        assert x + canvas.font(size).getlength(text) <= WIDTH, text
        assert y < HEIGHT - size / 2, text


def test_play_goes_from_left_to_right_over_the_viewer(written: Written) -> None:
    """N2.3: play goes to the left: of the seats that face the viewer the next one is at the left."""
    draw(Table(KunkenRules(num_players=4), 1), 2)
    places = {text: x for x, y, text, _ in written if text.startswith("seat ") and y < render.PILES[1]}
    assert sorted(places, key=lambda text: places[text]) == ["seat 3", "seat 0", "seat 1"]


def test_the_environment_draws_for_a_seat() -> None:
    """Redacted for the seat that was named; everything only when asked for by name."""
    views: dict[int | str | None, Callable[[Table], np.ndarray]] = {
        None: lambda table: draw(table, None),
        1: lambda table: draw(table, 1),
        "all": everything,
    }
    for seat, expected in views.items():
        env = kunken_v0.env(num_players=3, render_mode="rgb_array", render_seat=seat)
        env.reset(seed=4)
        assert (env.render() == expected(env.unwrapped.table)).all()


def test_who_looks_on_is_written(written: Written) -> None:
    table = Table(KunkenRules(), 1)
    draw(table, None)
    draw(table, 1)
    everything(table)
    assert [text for _, _, text, _ in written if text.startswith("seen by")] == [
        "seen by: a spectator",
        "seen by: seat 1",
        "seen by: one who sees everything",
    ]
