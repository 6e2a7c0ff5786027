"""The best layouts of hands (N3, N8.2 to N8.5, N8.8): against all layouts there are, and laid move by move."""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest

from kuns_env.kunken.best import fewest_left as fewest_left_kernel
from kuns_env.kunken.best import measure_hands, most_points
from kuns_env.kunken.cards import TEXTS, parse_card
from kuns_env.kunken.layouts import Layout, best_points, fewest_left
from oracle.kunken_layouts import Layouts, layouts
from oracle.kunken_melds import Meld, all_beginnings, first_growths, is_meld, meld_points

PLAIN = os.environ.get("NUMBA_DISABLE_JIT", "0") != "0"
NUM_HANDS = 10 if PLAIN else 60
ALL = {identical: Layouts(identical) for identical in (False, True)}


def words(cards: list[str]) -> tuple[int, int]:
    count = Counter(parse_card(card) for card in cards)
    return sum(1 << card for card in count), sum(1 << card for card in count if count[card] > 1)


def brute(cards: list[str], identical: bool, must: str | None) -> list[tuple[int, int]]:
    """The number of cards and the points of every layout."""
    held = Counter(cards)
    new = [choice for choice in ALL[identical].new_melds if Counter(choice[0]) <= held]
    return [(len(used), points) for used, points in layouts(held, (), new) if must is None or must in used]


def dealt(rng: random.Random) -> list[str]:
    """A hand of neighbouring ranks, so that much can be laid."""
    low = rng.randint(0, 8)
    deck = 2 * [TEXTS[card] for card in range(4 * low, 4 * min(low + rng.randint(2, 6), 13))]
    deck = [card for card in deck if card[1] in rng.choice(["c", "cd", "cdh", "cdhs"])]
    deck += ["*"] * rng.randint(0, 2)
    rng.shuffle(deck)
    return deck[: rng.randint(1, 8)]


def lay(layout: Layout, hand: list[str], identical: bool) -> list[Meld]:
    """The melds on the table when the moves have been made one after the other."""
    beginnings = {begun.text: begun for begun in all_beginnings(identical)}
    table: list[Meld] = []
    held = list(hand)
    for move in layout.moves:
        if move in beginnings:
            for card in beginnings[move].cards:
                held.remove(card)
            table.append(beginnings[move].meld)
        else:
            number, growth = first_growths(enumerate(table), held, identical)[move]
            held.remove(growth.card)
            table[number] = growth.meld
    assert sorted(held) == sorted(layout.left)
    return table


@pytest.mark.parametrize("identical", [True, False], ids=["N3.1", "N3.1-not-identical"])
@pytest.mark.parametrize("best", [best_points, fewest_left])
def test_no_layout_is_better(best: Callable[..., Layout | None], identical: bool) -> None:
    rng = random.Random(int(identical))
    for _ in range(NUM_HANDS):
        hand = dealt(rng)
        must = rng.choice([None, *hand])
        layout = best(hand, identical_cards_in_set=identical, must_use=must)
        ways = brute(hand, identical, must)
        assert (layout is None) == (not ways), (hand, must)
        if layout is None:
            continue
        found = (len(hand) - len(layout.left), layout.points)
        assert found in ways
        if best is best_points:
            assert layout.points == max(points for _, points in ways), (hand, must)
        else:
            assert found == max(ways), (hand, must)
        assert must is None or any(must in meld for meld in layout.melds)


@pytest.mark.parametrize("identical", [True, False], ids=["N8.8", "N8.8-not-identical"])
def test_moves_lay_it(identical: bool) -> None:
    rng = random.Random(2 + int(identical))
    for _ in range(NUM_HANDS):
        hand = dealt(rng)
        for best in (best_points, fewest_left):
            layout = best(hand, identical_cards_in_set=identical)
            assert layout is not None
            table = lay(layout, hand, identical)
            assert all(is_meld(meld, identical) for meld in table)
            assert sum(meld_points(meld) for meld in table) == layout.points
            laid = Counter(card for meld in layout.melds for card in meld)
            assert laid + Counter(layout.left) == Counter(hand)


@pytest.mark.parametrize(
    ("hand", "melds", "places", "moves"),
    [
        pytest.param("As * *", [], [], [], id="N3.3"),
        pytest.param(
            "5s 8s * *", [("5s", "*", "*", "8s")], [("5s", "6s", "7s", "8s")], ["run 5s * * 8s"], id="N8.4"
        ),
        pytest.param(
            "5c 5d * *",
            [("5c", "5d", "*", "*")],
            [("5", "5", "5", "5")],
            ["set 5c 5d *", "lay *5 set"],
            id="N8.5",
        ),
    ],
)
def test_jokers(hand: str, melds: list[object], places: list[object], moves: list[str]) -> None:
    layout = best_points(hand.split())
    assert layout is not None
    assert (list(layout.melds), list(layout.places), list(layout.moves)) == (melds, places, moves)


def test_kernels_say_the_same() -> None:
    rng = random.Random(7)
    hands = [dealt(rng) for _ in range(20)]
    one, two = (np.array(word, np.int64) for word in zip(*map(words, hands), strict=True))
    points, left = np.zeros(len(hands), np.int32), np.zeros(len(hands), np.int32)
    measure_hands(one, two, 1, points, left)
    for row, hand in enumerate(hands):
        most, fewest = best_points(hand), fewest_left(hand)
        assert most is not None
        assert fewest is not None
        assert points[row] == most_points(one[row], two[row], 1) == most.points
        assert (left[row], fewest.points) == fewest_left_kernel(one[row], two[row], 1)
        assert left[row] == len(fewest.left)


def test_whole_deck() -> None:
    hand = 2 * list(TEXTS)
    layout = best_points(hand) if not PLAIN else None
    assert PLAIN or (layout is not None and not layout.left and len(lay(layout, hand, True)) > 0)


@pytest.mark.parametrize(
    ("hand", "must", "message"),
    [
        (["5c", "1c"], None, "1c"),
        (["5c", "5c", "5c"], None, "3 times"),
        (["5c"], "5d", "'5d' is not in the hand"),
    ],
)
def test_bad_hands(hand: list[str], must: str | None, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        best_points(hand, must_use=must)


def test_nothing_to_lay() -> None:
    assert best_points(["5c", "9d", "*"]) == Layout((), (), 0, ("5c", "9d", "*"), ())
    assert best_points(["5c", "9d", "*"], must_use="*") is None
    assert best_points([]) == Layout((), (), 0, (), ())
