"""What a person types: whatever it is, it is a move or gets an answer."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kuns_training.play_prompt import listed, understood

BET = ["fold", "call"]
ANTES = ["ante 1", "ante 2", "ante 4", "ante 8"]
OFFERS = ["pass", "against 3", "against 0"]


@pytest.mark.parametrize(
    ("typed", "legal", "move"),
    [
        ("call", BET, "call"),
        ("  CALL ", BET, "call"),
        ("c", BET, "call"),
        ("1", BET, "fold"),
        ("02", BET, "call"),
        ("3", BET, None),
        ("0", BET, None),
        ("-1", BET, None),
        ("", BET, None),
        ("calll", BET, None),
        ("ante   4", ANTES, "ante 4"),
        ("4", ANTES, "ante 4"),
        ("3", ANTES, None),
        ("ante", ANTES, None),
        ("0", OFFERS, "against 0"),
        ("1", OFFERS, None),
        ("p", OFFERS, "pass"),
        ("²", BET, None),
        ("\x00\x1b[2J", BET, None),
        ("9" * 10_000, BET, None),
    ],
)
def test_what_typed_words_mean(typed: str, legal: list[str], move: str | None) -> None:
    found, complaint = understood(typed, legal)
    assert found == move
    assert bool(complaint) == (move is None)
    assert len(complaint) < 200


@given(st.text(max_size=30), st.sampled_from([BET, ANTES, OFFERS]))
def test_any_text_is_a_legal_move_or_gets_an_answer(typed: str, legal: list[str]) -> None:
    move, complaint = understood(typed, legal)
    assert (move in legal) != bool(complaint)


def test_moves_are_numbered_where_they_have_no_numbers_of_their_own() -> None:
    assert listed(BET, {"call": "pay 2"}) == "1 fold | 2 call (pay 2)"
    assert listed(OFFERS, {}) == "pass | against 3 | against 0"
