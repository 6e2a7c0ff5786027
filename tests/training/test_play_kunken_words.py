"""Kunken in words: the table, a hand, what is asked."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest
from rich.console import Console
from rich.text import Text

from kunken_positions import meld, position
from kuns_env import KunkenRules
from kuns_env.engine.view import View
from kuns_env.kunken.cards import RANKS
from kuns_env.kunken.moves import ALL_TEXTS
from kuns_training.play_kunken_words import Words, is_card, series

RULES = KunkenRules(num_players=3)
WORDS = Words(RULES, 0, ["you", "greedy", "thrifty"])


def view_of(record: np.void) -> View:
    known = np.zeros(1, record.dtype)
    known[0] = record
    return View(RULES, 0, known)


def printed(*parts: Any) -> list[str]:
    """The lines of what is shown, without the spaces at their ends."""
    file = io.StringIO()
    console = Console(file=file, width=100, highlight=False)
    for part in parts:
        console.print(part)
    return [line.rstrip() for line in file.getvalue().splitlines()]


def test_the_table_in_a_take() -> None:
    """N4.2, N6.1: what waits above the claimed card, whose melds lie there and who laid cards on them."""
    record = position(
        RULES,
        hands=["Kh 2c", "7h 8h", "9c"],
        bank="4c 9d",
        claim="Kh",
        above="2c 5d",
        need=35,
        known={0: "Kh", 1: "7h"},
        melds=[meld("3s *4s 5s 6s", 1, [1, 1, 1, 0]), meld("5c 5d 5h *5", 2)],
        opened=[0, 1, 1],
        laid_points=[5, 15, 20],
    )
    record["one"][1:3] = 0
    view = view_of(record)
    assert printed(*WORDS.table(view)) == [
        "stock: 40 cards, 1 reshuffle left",
        "bank:  4♣ 9♦ | above the claimed card: 2♣ 5♦  (the top is at the right)",
        ">  seat 0  you      2 cards  laid 5           dealer  known: K♥",
        "   seat 1  greedy   2 cards  laid 15  opened          holds 7♥",
        "   seat 2  thrifty  1 card   laid 20  opened",
        "melds:",
        "  1  3♠ *4♠ 5♠ 6♠  20  seat 1, 6♠ by you",
        "  2  5♣ 5♦ 5♥ *5   20  seat 2",
    ]
    task = WORDS.task(view.to_dict())
    assert task is not None
    assert task.plain == "You still have to lay 35 points more in new melds, with K♥ in one of them."


@pytest.mark.parametrize(
    ("fields", "task"),
    [
        ({"phase": "play"}, "You have not opened yet: you can only discard."),
        ({"phase": "play", "opened": [1]}, None),
        ({"phase": "acquire"}, None),
        ({"phase": "owe", "need": 5}, "You still have to lay 5 points more in new melds."),
    ],
)
def test_what_is_to_be_done(fields: dict[str, Any], task: str | None) -> None:
    """N4.2, N4.6."""
    found = WORDS.task(view_of(position(RULES, hands=["2c", "", ""], **fields)).to_dict())
    assert (found and found.plain) == task


def test_a_claimed_card_that_alone_is_still_to_be_laid() -> None:
    """N4.2, N4.4."""
    record = position(RULES, hands=["2c", "", ""], claim="2c", need=-5)
    task = WORDS.task(view_of(record).to_dict())
    assert task is not None
    assert task.plain == "You still have to lay 2♣ in a new meld."


def test_a_large_hand_has_a_line_to_each_suit() -> None:
    small = {"cards": [["2c", "Ah", "2s", "*"]]}
    assert printed(WORDS.own_hand(small)) == ["by suit  2♣   A♥   2♠   *", "by rank  2♣ 2♠  A♥  *"]
    large = {"cards": [[rank + suit for suit in "chs" for rank in RANKS]]}
    lines = printed(WORDS.own_hand(large))
    assert lines[0] == "by suit  2♣ 3♣ 4♣ 5♣ 6♣ 7♣ 8♣ 9♣ 10♣ J♣ Q♣ K♣ A♣"
    assert lines[1] == "         2♥ 3♥ 4♥ 5♥ 6♥ 7♥ 8♥ 9♥ 10♥ J♥ Q♥ K♥ A♥"
    assert lines[3].startswith("by rank  2♣ 2♥ 2♠  3♣ 3♥ 3♠")


def test_words_of_moves_that_are_cards() -> None:
    """N8."""
    words = {word for text in ALL_TEXTS for word in text.split()}
    plain = {"draw", "take", "deep", "set", "run", "lay", "high", "low", "discard", "swap"}
    assert {word for word in words if not is_card(word)} == plain
    assert WORDS.move("lay *Ts high").plain == "lay *10♠ high"
    assert WORDS.move("set 5c 5d *").plain == "set 5♣ 5♦ *"
    assert WORDS.move("lay *5 set").plain == "lay *5 set"


def test_a_list_in_a_sentence() -> None:
    assert series([Text("draws")]).plain == "draws"
    assert series([Text("draws"), Text("discards 2♣")]).plain == "draws and discards 2♣"
