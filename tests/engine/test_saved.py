"""Saved games that are damaged, truncated, edited or of a newer version: a clear error, and nothing half done."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from games import MINI, chooser, positions, same_bytes
from kuns_env import KunsRules, RecordError, Table
from kuns_env.engine import saved

RULES = KunsRules(num_players=3, num_hands=2, bankroll=30, forced_ante=1)


def in_mid_game() -> Table:
    for table in positions(Table(RULES, seed=3), chooser(1)):
        if table.hands_done == 1 and table.state["round"] == 2:
            return table
    raise AssertionError("no such position")


TEXT = in_mid_game().to_json()


def with_melds() -> Table:
    """Return a game of Kunken in its second deal, with melds on the table."""
    for table in positions(Table(MINI, seed=3), chooser(1)):
        if table.hands_done == 1 and table.state["num_melds"] > 2:
            return table
    raise AssertionError("no such position")


TEXTS = [TEXT, with_melds().to_json()]
GAMES = pytest.mark.parametrize("text", TEXTS, ids=["kuns", "kunken"])


@GAMES
@pytest.mark.parametrize("share", [0, 1 / 1000, 1 / 10, 1 / 2, 1 - 1e-9])
def test_truncated(share: float, text: str) -> None:
    with pytest.raises(RecordError, match="not a saved game"):
        Table.from_json(text[: int(share * len(text))])


@GAMES
def test_every_digit_that_flips_is_noticed(text: str) -> None:
    places = [place for place, letter in enumerate(text) if letter.isdigit()]
    noticed = 0
    for place in places[:: max(1, len(places) // 200)]:
        digit = "0" if text[place] != "0" else "7"
        with pytest.raises(RecordError):
            Table.from_json(text[:place] + digit + text[place + 1 :])
        noticed += 1
    assert noticed > 100


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not a saved game"),
        ("null", "no format"),
        ("[]", "no format"),
        ("{}", "no format"),
        ('{"format": "kuns-env/record"}', "no format"),
        (None, "not a saved game"),
        (7, "not a saved game"),
        ("\x00", "not a saved game"),
    ],
)
def test_what_is_no_saved_game(text: Any, message: str) -> None:
    with pytest.raises(RecordError, match=message):
        Table.from_json(text)


def edited(edit: Callable[[dict[str, Any]], Any], sign: bool, text: str = TEXT) -> str:
    """Return the saved game after ``edit``, with a checksum that fits if ``sign``."""
    data = json.loads(text)
    edit(data)
    if sign:
        data["checksum"] = saved.checksum(data)
    return json.dumps(data)


EDITS: dict[str, tuple[Callable[[dict[str, Any]], Any], str]] = {
    "a newer version": (lambda d: d.update(version=saved.VERSION + 1), "version 2: this program reads"),
    "no version": (lambda d: d.pop("version"), "version None"),
    "an unknown game": (lambda d: d.update(game="whist"), "no game 'whist'"),
    "bad rules": (lambda d: d["rules"].update(num_players=1), "num_players=1"),
    "an unknown rule": (lambda d: d["rules"].update(wild=1), "'wild' is not a field"),
    "no rules": (lambda d: d.pop("rules"), "damaged"),
    "no state": (lambda d: d.pop("state"), "damaged"),
    "a field too few": (lambda d: d["state"].pop("deck"), "damaged"),
    "a wrong shape": (lambda d: d["state"].update(deck=[1, 2]), "damaged"),
    "a number too large": (lambda d: d["state"].update(ante=2**40), "damaged"),
    "a text for a number": (lambda d: d["state"].update(pot="x"), "damaged"),
    "no stream": (lambda d: d.pop("stream"), "damaged"),
    "half a stream": (lambda d: d.update(stream=[1]), "damaged"),
}


@pytest.mark.parametrize("edit", EDITS)
@pytest.mark.parametrize("sign", [False, True], ids=["unsigned", "signed"])
def test_an_edited_game_is_refused(edit: str, sign: bool) -> None:
    change, message = EDITS[edit]
    with pytest.raises(RecordError, match=message if sign else "version|checksum|damaged"):
        Table.from_json(edited(change, sign))


MELD_EDITS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "no melds": lambda d: d["state"].pop("melds"),
    "a field of the melds too few": lambda d: d["state"]["melds"].pop("low"),
    "too few melds": lambda d: d["state"]["melds"].update(low=[1, 2]),
    "melds of a wrong shape": lambda d: d["state"]["melds"].update(cards=[[1, 2], [3]]),
    "melds that are none": lambda d: d["state"].update(melds=7),
    "a number too large": lambda d: d["state"]["melds"]["size"].__setitem__(0, 2**40),
    "a text for a number": lambda d: d["state"]["melds"]["size"].__setitem__(0, "x"),
}


@pytest.mark.parametrize("edit", MELD_EDITS)
def test_melds_that_were_edited_are_refused(edit: str) -> None:
    with pytest.raises(RecordError, match="damaged"):
        Table.from_json(edited(MELD_EDITS[edit], sign=True, text=TEXTS[1]))


def test_a_saved_game_names_every_field_of_every_meld() -> None:
    table = with_melds()
    melds = json.loads(TEXTS[1])["state"]["melds"]
    assert set(melds) == set(table.state["melds"].dtype.names)
    assert melds["cards"] == table.state["melds"]["cards"].tolist()
    assert same_bytes(Table.from_json(TEXTS[1]), table)


def test_an_edit_of_the_cards_is_refused_although_it_is_well_formed() -> None:
    def swap(data: dict[str, Any]) -> None:
        deck = data["state"]["deck"]
        deck[0], deck[1] = deck[1], deck[0]

    with pytest.raises(RecordError, match="checksum"):
        Table.from_json(edited(swap, sign=False))
    # Without the checksum nothing would be noticed: the check is what refuses it.
    assert isinstance(Table.from_json(edited(swap, sign=True)), Table)


def test_a_refused_game_leaves_nothing_behind() -> None:
    table = in_mid_game()
    before = table.state.tobytes()
    for change, _ in EDITS.values():
        with pytest.raises(RecordError):
            table.from_json(edited(change, sign=True))
    assert table.state.tobytes() == before
    assert same_bytes(Table.from_json(TEXT), table)


@pytest.mark.parametrize("text", ["[" * 100_000, b"\xff", "9" * 5_000], ids=["nested", "no text", "number"])
def test_text_that_json_stumbles_over(text: Any) -> None:
    with pytest.raises(RecordError, match="not a saved game"):
        Table.from_json(text)


@pytest.mark.parametrize("stream", [[-1, 0, 0], [0, 0, 2**63], [1.0, 0, 0], [True, 0, 0]], ids=str)
def test_a_stream_that_is_none(stream: list[Any]) -> None:
    with pytest.raises(RecordError, match="stream="):
        Table.from_json(edited(lambda data: data.update(stream=stream), sign=True))
