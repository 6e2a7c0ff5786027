"""What a seat knows of Kunken as plain data and as text."""

from __future__ import annotations

import json

import numpy as np
import pytest

from kunken_positions import meld, position
from kuns_env.kunken.rules import KunkenRules
from kuns_env.kunken.setup import hand_texts
from kuns_env.kunken.text import WIDTH, by_suit, to_dict, to_text

RULES = KunkenRules(num_players=3)
HANDS = ["3c 4c 5c Td Tc Ts 2h 2h * 9s Kd Kh", "4d 7h 8h 8h", "2c"]


def in_a_take() -> np.void:
    """Seat 0 has claimed the king of hearts and owes 35 points."""
    return position(
        RULES,
        hands=HANDS,
        bank="4c 9d 9d",
        claim="Kh",
        above="2c 5d",
        known={0: "Kd", 1: "7h 8h"},
        melds=[meld("3s *4s 5s 6s", 1, [1, 1, 1, 0]), meld("5c 5d 5h *5", 2)],
        dealer=2,
        need=35,
        laid_points=[5, 15, 20],
        opened=[0, 1, 1],
    )


def hidden_from(viewer: int, record: np.void) -> np.void:
    """The record without the hands of the others."""
    known = record.copy()
    for seat in range(RULES.num_players):
        if seat != viewer:
            known["one"][seat] = known["two"][seat] = 0
    return known


def test_plain_data_is_json() -> None:
    facts = to_dict(RULES, in_a_take(), 0)
    assert json.loads(json.dumps(facts)) == facts


def test_hands_are_seen_as_far_as_they_are_known() -> None:
    """N4.2: cards received from the bank are known to everybody; the length is the size of the hand."""
    facts = to_dict(RULES, hidden_from(0, in_a_take()), 0)
    assert facts["cards"] == [
        ["2h", "2h", "3c", "4c", "5c", "9s", "Tc", "Td", "Ts", "Kd", "Kh", "*"],
        ["7h", "8h", "?", "?"],
        ["?"],
    ]
    assert facts["known"] == [["Kd"], ["7h", "8h"], []]
    assert facts["hand_sizes"] == [12, 4, 1]
    assert hand_texts(in_a_take(), 1) == ["4d", "7h", "8h", "8h"]  # of a full record all are seen


def test_the_bank_in_a_take() -> None:
    """N4.2: the claimed card, what lies below it, and what waits above it."""
    facts = to_dict(RULES, in_a_take(), 0)
    assert facts["bank"] == ["4c", "9d", "9d"]
    assert facts["claimed"] == "Kh"
    assert facts["waiting"] == ["2c", "5d"]
    assert (facts["owed"], facts["claim_due"], facts["leave"]) == (35, True, False)
    after = in_a_take()
    after["phase"], after["claim_at"], after["need"] = 2, -1, -5
    after["bank"][3:] = -1
    facts = to_dict(RULES, after, 0)
    assert (facts["owed"], facts["claim_due"], facts["waiting"]) == (None, False, [])
    assert facts["claimed"] == "Kh"
    over = in_a_take()
    over["need"] = -5
    assert to_dict(RULES, over, 0)["owed"] == 0


@pytest.mark.parametrize(
    ("cards", "kind", "points"),
    [
        pytest.param("2c 2d 2d", "set", 15, id="N1.3-low"),
        pytest.param("Kc Kd *K", "set", 30, id="N1.3-joker-in-a-set"),
        pytest.param("Td Jd *Qd Kd Ad", "run", 45, id="N1.3-joker-in-a-run"),
        pytest.param("*2h 3h 4h *5h", "run", 20, id="N3.3"),
    ],
)
def test_a_meld_in_words(cards: str, kind: str, points: int) -> None:
    record = position(RULES, melds=[meld(cards, 1)])
    (found,) = to_dict(RULES, record, None)["melds"]
    assert found["cards"] == cards.split()
    assert (found["kind"], found["owner"], found["points"]) == (kind, 1, points)
    assert found["layers"] == [1] * len(cards.split())


def test_events_name_the_seat_that_acts() -> None:
    """N4.8, N5.1: a discard ends the turn; the new stock is all of the bank but its top card."""
    history = ["draw", "discard 7h", "take 7h", "set 7c 7d 7h", "discard 2c", "draw", "discard 3c", "draw"]
    record = position(
        RULES, history=history, num_first_bank=3, num_first_stock=2, first_bank=[0, 1, 2], reshuffles=1
    )
    assert to_dict(RULES, record, None)["events"] == [
        "1: draw",
        "1: discard 7h",
        "2: take 7h",
        "2: set 7c 7d 7h",
        "2: discard 2c",
        "0: draw",
        "0: discard 3c",
        "reshuffle",
        "1: draw",
    ]


def test_a_bank_that_is_taken_is_no_new_stock() -> None:
    """N4.2, N5.1: a deep claim takes what lies above it away; one card that is left makes no stock."""
    history = ["draw", "discard 4c", "draw", "discard 2c", "draw"]
    record = position(
        RULES, history=history, num_first_bank=1, num_first_stock=1, first_bank=[0], reshuffles=2
    )
    # One card to draw, then one under the top, and so on: a new stock after each turn.
    assert [event for event in to_dict(RULES, record, None)["events"] if event == "reshuffle"] == [
        "reshuffle"
    ] * 2
    deep = ["draw", "discard 4c", "take 2c deep", "discard 9d", "draw", "discard 9d", "draw"]
    record = position(
        RULES, history=deep, num_first_bank=3, num_first_stock=2, first_bank=[0, 0, 1], reshuffles=1
    )
    assert to_dict(RULES, record, None)["events"][-2:] == ["reshuffle", "1: draw"]


def test_the_card_drawn_is_told_to_who_drew_it() -> None:
    record = position(RULES, history=["draw", "discard 7h", "draw"])
    assert to_dict(RULES, record, 2)["drew"] is None
    record["drawn"][2] = 0
    assert to_dict(RULES, record, 2)["drew"] == "2c"
    assert "drawn: 2c" in to_text(RULES, record, 2)
    record["history"][3], record["num_history"] = record["history"][1], 4
    assert to_dict(RULES, record, 2)["drew"] is None  # the turn is over


def test_the_end_of_a_deal() -> None:
    """N6.2, N7.4."""
    ended = {
        "hands_done": 1,
        "last_scores": [100, 15, 0],
        "last_winner": 0,
        "last_express": 1,
        "last_turns": 9,
        "last_takes": [1, 0, 0],
        "payoff": [185 * 12, -70 * 12, -115 * 12],
        "seat": -1,
    }
    record = position(RULES, hands=["", "4d", "5d"], phase="over", **ended)
    facts = to_dict(RULES, record, 0)
    assert facts["payoffs"] == facts["last_payoffs"] == ["185", "-70", "-115"]
    assert (facts["last_winner"], facts["last_express"], facts["last_scores"]) == (0, True, [100, 15, 0])
    assert facts["to_play"] is None
    assert facts["hand"] == 1
    assert facts["shown"] == [None] * 3
    text = to_text(RULES, record, 0)
    assert "seat 0 went out, an express: its score is doubled" in text
    assert "score 100  payoff 185" in text
    record["last_winner"] = -1
    assert "nobody went out" in to_text(RULES, record, 0)
    record = position(RULES, hands=HANDS, phase="play", **ended)
    facts = to_dict(RULES, record, 0)
    assert facts["payoffs"] is None
    assert facts["last_payoffs"] == ["185", "-70", "-115"]
    assert facts["hand"] == 2


def test_before_the_first_end_there_is_no_last_deal() -> None:
    facts = to_dict(RULES, position(RULES, hands=HANDS), 0)
    assert {facts[name] for name in facts if name.startswith("last_") and name != "last_takes"} == {None}
    assert facts["hand"] == 1


def test_the_hand_is_sorted_by_rank_and_by_suit() -> None:
    lines = to_text(RULES, in_a_take(), 0).splitlines()
    assert "hand by rank: 2h 2h 3c 4c 5c 9s Tc Td Ts Kd Kh *" in lines
    assert "hand by suit: c: 3 4 5 T | d: T K | h: 2 2 K | s: 9 T | *" in lines
    assert by_suit([]) == ""


def test_what_is_owed_and_laid_is_told() -> None:
    text = to_text(RULES, hidden_from(1, in_a_take()), 1)
    assert "owed: 35 points more in new melds, Kh among the cards" in text
    assert "above Kh: 2c 5d" in text
    assert "seat 1 (you) 4 cards    laid 15  opened  known 7h 8h" in text
    assert "seat 0       12 cards   laid 5           holds Kd  [to act]" in text
    assert "1 run  20 points  3s *4s 5s 6s  by seat 1, 6s by seat 0" in text
    assert "bank from bottom to top: 4c 9d 9d" in text
    assert "hand by rank: 4d 7h 8h 8h" in text
    assert "2h" not in text


def test_long_lines_go_on_in_the_next() -> None:
    """N4.2: a hand of dozens of cards, a bank of dozens more."""
    ranks = "23456789TJQKA"
    hand = " ".join(rank + suit for rank in ranks for suit in "cdhs")
    record = position(RULES, hands=[hand + " * *", "", ""], bank=hand)
    for viewer in (0, 1, None):
        assert max(map(len, to_text(RULES, record, viewer).splitlines())) <= WIDTH
    assert to_text(RULES, record, 0).split().count("As") == 2
