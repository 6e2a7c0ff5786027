"""`determinize`: every assignment of the unseen cards is equally likely, and the seat sees no difference.

By chi-square against full enumeration on small decks. Clauses: K3.1, K3.2, K4.1, K7.3.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from games import MANY_SIGMAS, SMALL, chi_square, chooser, kuns_rules, play_out, positions
from kuns_env import Batch, KunsRules, Table
from kuns_env.engine.game import game_of

TWO = KunsRules.tiny()
THREE = KunsRules(
    num_players=3, ranks=(1, 2, 3, 4, 5), num_suits=3, forced_ante=1, ante_menu=(1,), side_bets=False
)
BLIND = KunsRules(num_players=2, ranks=(1, 4, 5, 10), num_suits=3, dealer_sees_hand=False, side_bets=False)
SAMPLES_A_CELL = 20
NO_CARD = -1

Place = tuple[str, ...] | tuple[str, int] | tuple[str, int, int]
"""``("hole", seat, place)`` or ``("deck", place)``."""


def after(rules: KunsRules, moves: list[str]) -> Table:
    table = Table(rules, seed=5, options={"dealer": 0})
    for move in moves:
        table.apply(move)
    return table


# Name: (game, viewer, hidden places whose joint distribution is looked at).
SITUATIONS: dict[str, tuple[Table, int, list[Any]]] = {
    "round 1": (after(TWO, ["ante 2"]), 0, [("hole", 1, 0), ("hole", 1, 1), ("deck", 4)]),
    "round 2, one has folded": (
        after(THREE, ["fold", "call", "call"]),
        0,
        [("hole", 1, 1), ("hole", 2, 0), ("hole", 2, 3)],
    ),
    "round 2, the viewer has folded": (
        after(THREE, ["fold", "call", "call"]),
        1,
        [("hole", 0, 0), ("hole", 2, 2), ("deck", 10)],
    ),
    "round 3": (
        after(THREE, ["fold", "call", "call", "call", "call"]),
        2,
        [("hole", 0, 4), ("hole", 1, 0), ("deck", 12)],
    ),
    "before the deal (K3.2)": (after(BLIND, []), 0, [("deck", 0), ("deck", 3), ("deck", 9)]),
    "the end, hands shown (K7.3)": (
        after(THREE, ["fold", "call", "call", "call", "call", "call", "call"]),
        0,
        [("hole", 1, 0), ("hole", 1, 1), ("deck", 12)],
    ),
    "the end, nothing shown (K4.4)": (
        after(THREE, ["fold", "call", "call", "fold"]),
        0,
        [("hole", 2, 0), ("hole", 2, 3), ("hole", 1, 1)],
    ),
}


def card_at(state: np.void, place: Any) -> int:
    name, *index = place
    return int(state[name][tuple(index)])


def unseen_by(table: Table, seat: int) -> list[int]:
    """Return the cards that ``seat`` does not see, by their texts in its view."""
    known = [card for hand in table.view(seat).to_dict()["cards"] for card in hand]
    deck = [card for card in game_of(table.rules).compiled[0]["deck"].tolist() if card != NO_CARD]
    texts = {"A23456789T"[card // 4] + "cdhs"[card % 4]: card for card in deck}
    return sorted(card for text, card in texts.items() if text not in known)


Determinize = Callable[[Table, int, np.random.Generator], Table]


def unlikeliness(table: Table, seat: int, places: list[Any], determinize: Determinize) -> float:
    """Return the chi-square of the joint distribution at ``places`` against the enumeration, in sigmas."""
    cells = Counter(dict.fromkeys(permutations(unseen_by(table, seat), len(places)), 0))
    rng = np.random.default_rng(11)
    samples = SAMPLES_A_CELL * len(cells)
    for _ in range(samples):
        state = determinize(table, seat, rng)._states[0]
        cards = tuple(card_at(state, place) for place in places)
        if cards not in cells:
            return float("inf")
        cells[cards] += 1
    return chi_square(np.array(list(cells.values())), SAMPLES_A_CELL)


@pytest.mark.parametrize("name", SITUATIONS)
def test_every_assignment_is_equally_likely(name: str) -> None:
    assert abs(unlikeliness(*SITUATIONS[name], Table.determinize)) < MANY_SIGMAS


def keeps_the_truth(table: Table, seat: int, rng: np.random.Generator) -> Table:
    """Peeks one time in twenty."""
    return table.clone() if rng.random() < 0.05 else table.determinize(seat, rng)


def deals_from_all_cards(table: Table, seat: int, rng: np.random.Generator) -> Table:
    """Forgets what the seat sees."""
    return Table(table.rules, seed=int(rng.integers(2**40)), options={"dealer": table.dealer})


def shuffles_badly(table: Table, seat: int, rng: np.random.Generator) -> Table:
    """Exchanges every place with any place: the textbook's biased shuffle."""
    twin = table.clone()
    cards = unseen_by(table, seat)
    order = list(cards)
    for i in range(len(order)):
        j = int(rng.integers(len(order)))
        order[i], order[j] = order[j], order[i]
    labels = dict(zip(cards, order, strict=True))
    for name in ("hole", "deck"):
        flat = twin._states[0][name].ravel()
        flat[:] = [labels.get(int(card), int(card)) for card in flat]
    return twin


@pytest.mark.parametrize("broken", [keeps_the_truth, deals_from_all_cards, shuffles_badly])
def test_a_biased_determinize_is_found_out(broken: Determinize) -> None:
    assert unlikeliness(*SITUATIONS["round 1"], broken) > MANY_SIGMAS


# ---------------------------------------------------------------- the seat sees no difference


def what_a_seat_sees(table: Table, seat: int) -> list[Any]:
    view = table.view(seat)
    seen: list[Any] = [view.text(), view.to_dict(), view.information_state(), view.mask.tobytes()]
    seen += [view.record.tobytes(), view.legal_moves(), table.legal_moves(), table.to_play]
    return seen + [
        view.observation(name, pad).tobytes() for name in ("table", "history") for pad in (False, True)
    ]


@settings(max_examples=settings().max_examples // 2)
@given(kuns_rules(), SMALL)
def test_the_seat_sees_no_difference_and_the_game_plays_on(rules: KunsRules, seed: int) -> None:
    rng = np.random.default_rng(seed)
    seen = [table.clone() for table in positions(Table(rules, seed=seed), chooser(seed))]
    deck = sorted(game_of(rules).compiled[0]["deck"].tolist())
    for table in seen[:: max(1, len(seen) // 5)]:
        before = table.state.tobytes()
        for seat in range(rules.num_players):
            world = table.determinize(seat, rng)
            assert what_a_seat_sees(world, seat) == what_a_seat_sees(table, seat)
            state = world.state
            dealt = state["hole"][state["hole"] != NO_CARD].tolist()
            assert sorted(state["deck"].tolist()) == deck, "the deck is whole, and no card is in it twice"
            assert len(set(dealt)) == len(dealt) == state["num_cards"].sum()
            assert sorted(dealt) == sorted(state["deck"][: len(dealt)].tolist())
            play_out(world, seed)
            assert world.is_over
            assert sum(world.payoffs(exact=True)) == 0
        assert table.state.tobytes() == before, "the real game is left alone"


def test_the_same_generator_gives_the_same_world_and_another_one_another() -> None:
    table = after(KunsRules(num_players=4, num_hands=3), ["ante 2", "call"])
    worlds = [table.determinize(1, np.random.default_rng(seed)).state.tobytes() for seed in (1, 1, 2)]
    assert worlds[0] == worlds[1] != worlds[2]


def test_the_future_of_a_world_is_its_own() -> None:
    rules = KunsRules(num_players=2, num_hands=2, ante_menu=(1,), side_bets=False)
    rng = np.random.default_rng(3)
    decks = set()
    for world in [after(rules, [])] + [after(rules, []).determinize(0, rng) for _ in range(3)]:
        world.apply("fold")
        assert world.hands_done == 1
        decks.add(tuple(world.setup_options()["deck"]))
    assert len(decks) == 4, "the next deal would tell which world is the real one"


def test_a_spectator_has_no_world() -> None:
    with pytest.raises(ValueError, match="seat=None"):
        after(TWO, []).determinize(None, np.random.default_rng(1))  # type: ignore[arg-type]


def test_a_game_of_a_batch() -> None:
    table = Batch(THREE, 4, seed=2).table(3)
    world = table.determinize(1, np.random.default_rng(1))
    assert what_a_seat_sees(world, 1) == what_a_seat_sees(table, 1)
