"""The picture of a table: what it hides, what it shows, that everything finds room, and that Pillow is optional."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("PIL")

from kuns_env import KunsRules, Table, canvas, kuns_v0
from kuns_env.kuns import render

HEIGHT, WIDTH = render.SIZE[1], render.SIZE[0]


def played(rules: KunsRules, num_moves: int, seed: int = 1) -> Table:
    """A game after some moves at random, folds being rare."""
    table, rng = Table(rules, seed), np.random.default_rng(seed)
    for _ in range(num_moves):
        if table.is_over:
            break
        legal = [move for move in table.legal_moves() if move not in ("fold", "leave") or rng.random() < 0.2]
        table.apply(str(rng.choice(legal)))
    return table


def draw(table: Table, seat: int | None) -> np.ndarray:
    return render.rgb_array(table.rules, table.view(seat).record, seat)


def everything(table: Table) -> np.ndarray:
    return render.rgb_array(table.rules, table.state, None)


def called_down(num_players: int = 3) -> Table:
    """A hand that all but the last seat play to the showdown."""
    table = Table(KunsRules.anted(num_players), 3)
    while not table.is_over:
        legal = table.legal_moves()
        folds = table.to_play == num_players - 1 and "fold" in legal
        table.apply("fold" if folds else "call" if "call" in legal else legal[0])
    return table


@pytest.mark.parametrize("num_players", range(2, 9))
@pytest.mark.parametrize("seat", [None, 0, 1])
def test_a_picture_is_an_array_of_one_size(num_players: int, seat: int | None) -> None:
    for num_moves in (0, 8, 40, 200):
        picture = draw(played(KunsRules(num_players=num_players), num_moves), seat)
        assert picture.shape == (HEIGHT, WIDTH, 3)
        assert picture.dtype == np.uint8
        assert picture.flags.writeable


def test_the_same_record_makes_the_same_picture() -> None:
    table = played(KunsRules(), 12)
    assert (draw(table, 1) == draw(table, 1)).all()


@pytest.mark.parametrize("num_moves", [0, 6, 15, 30])
def test_hidden_cards_change_nothing(num_moves: int) -> None:
    """K7.3: what a seat cannot see is not in its picture: worlds that it cannot tell apart look alike."""
    table = played(KunsRules(), num_moves)
    other = table.determinize(2, np.random.default_rng(1))
    assert other.setup_options()["deck"] != table.setup_options()["deck"]
    assert (draw(other, 2) == draw(table, 2)).all()
    assert not (draw(other, 0) == draw(table, 0)).all()  # seat 0 sees that its own cards are others
    assert not (everything(other) == everything(table)).all()


def test_a_picture_of_the_full_record_would_be_found() -> None:
    table = played(KunsRules(), 6)
    other = table.determinize(2, np.random.default_rng(1))
    leaky = [render.rgb_array(t.rules, t.state, 2) for t in (table, other)]
    assert not (leaky[0] == leaky[1]).all()


def test_public_facts_are_seen() -> None:
    table = Table(KunsRules(num_players=3), 1)
    before = draw(table, None)
    for move in ("ante 4", "fold", "call", "call", "pass"):
        table.apply(move)
        after = draw(table, None)
        assert not (after == before).all(), move
        before = after


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> list[tuple[float, float, str]]:
    """All texts that are written, with their places."""
    texts: list[tuple[float, float, str]] = []
    write = render.Canvas.text

    def spy(self: Any, place: Any, text: str, *rest: Any) -> None:
        texts.append((*place, text))
        write(self, place, text, *rest)

    monkeypatch.setattr(render.Canvas, "text", spy)
    return texts


def test_what_is_written_at_a_showdown(written: list[tuple[float, float, str]]) -> None:
    """K5.2, K7.1, K7.3: the hands still in, what they are worth, and what everybody won."""
    table = called_down()
    draw(table, None)
    texts = [text for _, _, text in written]
    assert "D" in texts
    assert f"pot {int(table.state['pot'])}" in texts
    assert "ante 1" in texts
    assert any("showdown" in text for text in texts)
    assert texts.count("folded") == 1
    assert sum("kuns" in text for text in texts) == 2
    for payoff in table.last_payoffs():
        assert f"{payoff:+g}" in texts
    ranks = [text for text in texts if text in [*"A23456789", "10"]]
    assert len(ranks) == 10  # two hands; the folded one is face down


def test_the_viewer_sees_its_folded_hand(written: list[tuple[float, float, str]]) -> None:
    """K7.3."""
    draw(called_down(), 2)
    assert len([text for _, _, text in written if text in [*"A23456789", "10"]]) == 12
    assert "seat 2 (you)" in [text for _, _, text in written]


def test_an_offer_and_side_bets_are_written(written: list[tuple[float, float, str]]) -> None:
    """K6.3, K6.6."""
    table = Table(KunsRules(num_players=3), 1, {"dealer": 0})
    for move in ("ante 2", "call", "call", "call", "against 2", "stake 4", "accept", "against 0", "stake 1"):
        table.apply(move)
    draw(table, None)
    texts = " ".join(text for _, _, text in written)
    assert "1 has 4 x ante on 1 over 2, 2 against" in texts
    assert "offer: seat 2 backs hand 2 against hand 0 for 1 x ante" in texts


def test_everything_finds_room(written: list[tuple[float, float, str]]) -> None:
    """The fullest table: eight players, a side bet by each in each window (K6.1), and an offer."""
    rules = KunsRules(num_players=8, num_hands=None, bankroll=900_000, side_stakes=(100,))
    table = Table(rules, 2, {"dealer": 7})
    table.apply("ante 8")
    while not (table.state["num_bets"] == 23 and "accept" in table.legal_moves()):
        legal = table.legal_moves()
        preferred = [move for move in legal if move in ("call", "accept") or move.startswith("against")]
        table.apply(preferred[0] if preferred else legal[0])
    draw(table, None)
    assert sum("x ante on" in text for _, _, text in written) == 23
    for x, y, text in written:
        assert 0 < x < WIDTH, text
        assert 0 < y < HEIGHT - render.SMALL / 2, text
        if x == render.SIDE:
            large = text.startswith(("Kuns", "round"))
            reach = canvas.font(render.NORMAL if large else render.SMALL).getlength(text)
            assert x + reach <= WIDTH, text


@pytest.mark.parametrize("num_players", range(2, 9))
def test_seats_do_not_cover_each_other(num_players: int) -> None:
    """K1.2."""
    places = [render.place_of(seat, 0, num_players) for seat in range(num_players)]
    for i, (x, y) in enumerate(places):
        assert render.PANEL[0] / 2 <= x <= render.SIDE - render.PANEL[0] / 2
        assert render.PANEL[1] / 2 <= y <= HEIGHT - render.PANEL[1] / 2
        for other_x, other_y in places[:i]:
            assert abs(x - other_x) >= render.PANEL[0] or abs(y - other_y) >= render.PANEL[1]


def test_play_goes_clockwise_from_the_viewer_at_the_bottom() -> None:
    """K2.1: the left of a player who looks at the middle is the next one clockwise."""
    bottom, left, top, right = (render.place_of(seat, 1, 4) for seat in (1, 2, 3, 0))
    assert bottom[1] > left[1] > top[1]
    assert left[0] < top[0] < right[0]


@pytest.mark.parametrize("suit", "cdhs")
def test_suits_are_drawn(suit: str) -> None:
    drawn = render.Canvas(render.SIZE)
    render.draw_suit(drawn, suit, (100, 100), 20, render.PAPER)
    y, x = np.nonzero(drawn.pixels()[..., 0])
    assert 75 <= y.min() <= 85 < 115 <= y.max() <= 125
    assert 75 <= x.min() < 90 < 110 < x.max() <= 125
    assert 400 < len(x) < 1600


def test_the_environment_draws_for_a_seat() -> None:
    """Redacted for the seat that was named; everything only when asked for by name."""
    for seat in (None, 1, "all"):
        env = kuns_v0.env(num_players=3, render_mode="rgb_array", render_seat=seat)
        env.reset(seed=4)
        table = env.unwrapped.table
        expected = everything(table) if seat == "all" else draw(table, seat)
        assert (env.render() == expected).all()


def test_who_looks_on_is_written(written: list[tuple[float, float, str]]) -> None:
    table = played(KunsRules(), 3)
    draw(table, None)
    everything(table)
    assert [text for _, _, text in written if text.startswith("seen by")] == [
        "seen by: a spectator",
        "seen by: one who sees everything",
    ]


WITHOUT_PILLOW = """
import sys
sys.modules["PIL"] = None
from kuns_env import kuns_v0
env = kuns_v0.env(render_mode="ansi")
env.reset(seed=1)
assert "Kuns" in env.render()
try:
    kuns_v0.env(render_mode="rgb_array")
except ImportError as error:
    print(error)
"""


def test_without_pillow_the_extra_is_named(root: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_PILLOW], cwd=root, capture_output=True, text=True, check=True
    )
    assert "pip install 'kuns-env[render]'" in done.stdout


def test_a_folded_hand_is_dimmed() -> None:
    """K4.2: it is still its owner's to look at."""
    table = Table(KunsRules(num_players=3), 1, {"dealer": 0})
    table.apply("ante 1")
    bright = (draw(table, 1) == render.PAPER).all(axis=-1)
    table.apply("fold")
    dimmed = (draw(table, 1) == render.PAPER).all(axis=-1)
    x, y = map(int, render.place_of(1, 1, 3))
    place = slice(y, y + 30), slice(x - 100, x - 30)
    assert bright[place].sum() > 300
    assert not dimmed[place].any()


@pytest.mark.parametrize(
    ("ranks", "zero_is_ten", "text"),
    [
        pytest.param([8, 5, 9, 7, 1], False, "kuns 10", id="K5.2"),
        pytest.param([10, 10, 10, 1, 4], False, "kuns 5", id="K5.3"),
        pytest.param([2, 2, 2, 2, 1], False, "no kuns, 9", id="K5.5"),
        pytest.param([2, 2, 2, 3, 1], False, "no kuns, 0", id="K5.5-zero"),
        pytest.param([2, 2, 2, 3, 1], True, "no kuns, 10", id="K5.5-ten"),
    ],
)
def test_what_a_hand_is_worth_is_written(ranks: list[int], zero_is_ten: bool, text: str) -> None:
    cards = np.array([4 * (rank - 1) for rank in ranks])
    assert render.value_text(KunsRules(no_kuns_zero_is_ten=zero_is_ten), cards) == text
    cards[2] = -1
    assert render.value_text(KunsRules(), cards) == ""
    assert render.value_text(KunsRules(), cards[:2]) == ""
