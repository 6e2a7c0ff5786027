"""What a person types at Kunken: a number, a move, a card, the cards of a meld; or it gets an answer."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kuns_env.kunken.moves import ALL_TEXTS
from kuns_training.play_kunken_prompt import grouped, normal, several, understood

ACQUIRE = ["draw", "take 7h", "take Kd", "take 7h deep", "take *"]
PLAY = [
    *("set 5c 5d 5h", "set 5c 5c *", "set Kc Kd Ks", "run 3s 4s 5s", "run 3s * 5s", "run 5s * * 8s"),
    *("lay 6s high", "lay 2s low", "lay *6s high", "lay *5 set", "lay Th set"),
    *("discard 5c", "discard Th", "discard *", "swap 7h"),
]


def listed(legal: list[str]) -> list[str]:
    return [move for group in grouped(legal) for move in group.moves]


@pytest.mark.parametrize(
    ("typed", "legal", "move"),
    [
        ("draw", ACQUIRE, "draw"),
        ("d", ACQUIRE, "draw"),
        ("1", ACQUIRE, "draw"),
        ("take kd", ACQUIRE, "take Kd"),
        ("KD", ACQUIRE, "take Kd"),
        ("k♦", ACQUIRE, "take Kd"),
        ("7h", ACQUIRE, "take 7h"),
        ("7h deep", ACQUIRE, "take 7h deep"),
        ("take 7h", ACQUIRE, "take 7h"),
        ("*", ACQUIRE, "take *"),
        ("take joker", ACQUIRE, "take *"),
        ("take", ACQUIRE, None),
        ("discard 7h", ACQUIRE, None),
        ("set 5c 5d 5h", PLAY, "set 5c 5d 5h"),
        ("5h 5c 5d", PLAY, "set 5c 5d 5h"),
        ("set 5h 5d 5c", PLAY, "set 5c 5d 5h"),
        ("set k", PLAY, "set Kc Kd Ks"),
        ("set 5", PLAY, None),
        ("run 3s 4s", PLAY, "run 3s 4s 5s"),
        ("5s 4s 3s", PLAY, "run 3s 4s 5s"),
        ("3s, 4s, 5s", PLAY, "run 3s 4s 5s"),
        ("run 3s * 5s", PLAY, "run 3s * 5s"),
        ("5s * * 8s", PLAY, "run 5s * * 8s"),
        ("lay 6s", PLAY, "lay 6s high"),
        ("lay *6s", PLAY, "lay *6s high"),
        ("lay 2s", PLAY, "lay 2s low"),
        ("lay *5", PLAY, "lay *5 set"),
        ("lay 10h", PLAY, "lay Th set"),
        ("th", PLAY, "discard Th"),
        ("10♥", PLAY, "discard Th"),
        ("joker", PLAY, "discard *"),
        ("dis 5c", PLAY, "discard 5c"),
        ("swap 7h", PLAY, "swap 7h"),
        ("swap", PLAY, "swap 7h"),
        ("15", PLAY, "discard *"),
        ("0", PLAY, None),
        ("16", PLAY, None),
        ("9" * 10_000, PLAY, None),
        ("²", PLAY, None),
        ("", PLAY, None),
        ("   ", PLAY, None),
        ("as", PLAY, None),
        ("take as", PLAY, None),
        ("lay", PLAY, None),
        ("set", PLAY, None),
        ("\x00\x1b[2J", PLAY, None),
        ("[bold]", PLAY, None),
        ("* * * *", PLAY, None),
    ],
)
def test_what_typed_words_mean(typed: str, legal: list[str], move: str | None) -> None:
    """N8."""
    meant = understood(typed, legal, listed(legal))
    assert meant.move == move
    assert bool(meant.complaint) == (move is None)
    assert len(meant.complaint) < 300
    assert not meant.then


def test_every_move_can_be_typed() -> None:
    """N8: also in small letters, and with 10 for T."""
    legal = list(ALL_TEXTS)
    for move in legal:
        for typed in (move, move.lower(), move.replace("T", "10")):
            assert understood(typed, legal, legal).move == move
            assert " ".join(normal(typed)) == move


@given(st.text(max_size=30), st.sampled_from([ACQUIRE, PLAY, ["draw"]]))
def test_any_text_is_a_legal_move_or_gets_an_answer(typed: str, legal: list[str]) -> None:
    meant = understood(typed, legal, listed(legal))
    assert (meant.move in legal) != bool(meant.complaint)


CARDS = st.lists(
    st.sampled_from(["3s", "4s", "5s", "6s", "*", "Kc", "Kd", "t", "set", "run", "lay", "1"]), max_size=8
)


@given(CARDS)
def test_any_cards_are_a_legal_move_or_get_an_answer(words: list[str]) -> None:
    meant = understood(" ".join(words), PLAY, listed(PLAY))
    assert (meant.move in PLAY) != bool(meant.complaint)


@pytest.mark.parametrize(
    ("typed", "legal", "steps"),
    [
        ("3s 4s 5s 6s 7s", ["run 3s 4s 5s"], ["run 3s 4s 5s", "lay 6s high", "lay 7s high"]),
        ("3s 4s 5s 6s 7s", ["run 5s 6s 7s"], ["run 5s 6s 7s", "lay 4s low", "lay 3s low"]),
        ("run 3s * 5s 6s", ["run 3s * 5s"], ["run 3s * 5s", "lay 6s high"]),
        ("run * 4s 5s *", ["run * 4s 5s"], ["run * 4s 5s", "lay *6s high"]),
        ("run 4s * * 7s 8s", ["run 4s * * 7s"], ["run 4s * * 7s", "lay 8s high"]),
        ("5c 5d 5h 5s", ["set 5c 5d 5h"], ["set 5c 5d 5h", "lay 5s set"]),
        ("5s 5c 5d 5h", ["set 5c 5d 5h", "set 5c 5d 5s"], ["set 5c 5d 5s", "lay 5h set"]),
        ("set 5c 5d 5h *", ["set 5c 5d 5h", "set 5c 5d *"], ["set 5c 5d 5h", "lay *5 set"]),
        ("set 5c 5d * *", ["set 5c 5d *"], ["set 5c 5d *", "lay *5 set"]),
        ("3s 4s 5s 7s", ["run 3s 4s 5s"], []),
        ("3s 4s 5s 6h", ["run 3s 4s 5s"], []),
        ("Ks As 2s 3s", ["run Ks As 2s"], []),
        ("3s 4s 5s 6s", ["draw"], []),
        ("5c 5d 5h 5s 5s", ["set 5c 5d 5h"], []),
        ("* * * *", ["draw"], []),
        ("6s 5s 4s 3s", ["run 3s 4s 5s"], []),
    ],
)
def test_a_long_meld_is_several_moves(typed: str, legal: list[str], steps: list[str]) -> None:
    """N8.4, N8.8, N3.3."""
    assert several(normal(typed), legal) == steps


def test_moves_are_listed_in_groups() -> None:
    groups = {group.title: group.moves for group in grouped(PLAY)}
    assert list(groups) == [
        *("new melds", "new melds, with a joker", "add to a meld", "add to a meld, with a joker"),
        *("swap for a joker", "discard"),
    ]
    assert groups["new melds"][0] == "set Kc Kd Ks"  # of the most points
    assert groups["discard"] == ["discard 5c", "discard Th", "discard *"]
    assert sorted(listed(PLAY)) == sorted(PLAY)
    assert [group.title for group in grouped(ACQUIRE)] == ["", "take from the bank"]


def test_every_move_is_in_one_group() -> None:
    assert sorted(listed(list(ALL_TEXTS))) == sorted(ALL_TEXTS)


def test_a_complaint_says_what_would_be_legal() -> None:
    assert "now you may draw or take" in understood("discard 7h", ACQUIRE, ACQUIRE).complaint
    assert "cannot lay what a take asks for" in understood("take As", ACQUIRE, ACQUIRE).complaint
    assert "numbered from 1 to 5" in understood("17", ACQUIRE, ACQUIRE).complaint
    assert understood("set", PLAY, PLAY).complaint == "Which one: set 5c 5d 5h, set 5c 5c *, set Kc Kd Ks?"


def test_a_complaint_quotes_what_was_typed_and_shows_moves_as_cards_are_shown() -> None:
    assert understood("10d", PLAY, PLAY).complaint.startswith("'10d' is no move here")
    shown = understood("set", PLAY, PLAY, str.upper).complaint
    assert shown == "Which one: SET 5C 5D 5H, SET 5C 5C *, SET KC KD KS?"
