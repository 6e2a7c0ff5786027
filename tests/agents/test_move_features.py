"""Moves as numbers, for networks that score moves by what they are."""

from __future__ import annotations

import numpy as np
import pytest

from kuns_agents.move_features import LAYOUT, move_features
from kuns_agents.protocol import AgentError
from kuns_env import KunkenRules
from kuns_env.engine.game import game_of
from kuns_env.kunken.moves import NUM_MOVES


def features_of(text):
    row = move_features("kunken").rows[game_of(KunkenRules(joker_swap=True)).move_ids(0)[text]]
    return LAYOUT.explain(row)


def test_no_two_moves_are_alike():
    rows = move_features("kunken").rows
    assert rows.shape == (NUM_MOVES, LAYOUT.size)
    assert rows.dtype == np.float32
    assert len(np.unique(rows, axis=0)) == NUM_MOVES
    assert (rows >= LAYOUT.low).all()
    assert (rows <= LAYOUT.high).all()


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("draw", {"kind"}),
        ("take *", {"kind"}),
        ("take 7h deep", {"kind", "rank", "suit"}),
        ("set 5c 5d 5h", {"kind", "rank", "cards", "size", "points"}),
        ("run 3s * 5s", {"kind", "rank", "suit", "cards", "size", "jokers", "points"}),
        ("lay *5 set", {"kind", "rank", "cards", "size", "jokers", "points"}),
        ("discard Kd", {"kind", "rank", "suit", "cards", "size"}),
        ("swap 7h", {"kind", "rank", "suit", "cards", "size"}),
    ],
)
def test_what_a_move_is_said_to_be(text, names):
    """N8: of each text the words that make it."""
    assert set(features_of(text)) == names


def test_cards_points_and_sizes():
    """N1.3: a queen counts 10, also where a joker stands for it."""
    words = features_of("set Qc Qd *")
    assert sum(words["cards"]) == 3
    assert words["points"] == [pytest.approx(30 / 40)]
    assert (words["size"], words["jokers"]) == ([0.75], [0.5])


def test_moves_of_kuns_have_none():
    with pytest.raises(AgentError, match="moves of 'kuns' have no features"):
        move_features("kuns")
