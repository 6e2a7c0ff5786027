"""The oracle of Kunken by itself: the vectors, and what never changes in random games."""

from __future__ import annotations

import ast
import json
from collections import Counter
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from oracle import kunken, kunken_history, kunken_melds, kunken_scores, kunken_search
from oracle.kunken import DEFAULTS, OVER, OWE, KunkenOracle
from oracle.kunken_games import WANTED, Witness, deck_of, new_game
from oracle.kunken_history import KunkenHistory
from oracle.kunken_melds import is_meld, points_of

GAMES = (Path(__file__).parents[1] / "vectors" / "kunken_games.jsonl").read_text("utf-8").splitlines()
NUM_GAMES = 24
NUM_RANDOM_GAMES = 250
STANDARD_LIBRARY = {"__future__", "collections", "collections.abc", "dataclasses", "fractions", "functools"}
STANDARD_LIBRARY |= {"itertools", "typing"}


class Difference(AssertionError):
    """The oracle does not do what the vector says."""


def check_game(game: dict[str, Any], oracle: KunkenOracle) -> None:
    """Replay a vector: who acts, what is legal and how it ends must be the same."""
    for seat, legal, move in game["steps"]:
        if (oracle.to_play, oracle.legal_moves()) != (seat, legal):
            raise Difference(f"{oracle.to_play} may {oracle.legal_moves()}, not {seat} may {legal}")
        oracle.apply(move)
    end = (oracle.is_over, oracle.payoffs(), oracle.winner, oracle.express, oracle.scores)
    wanted = [Fraction(text) for text in game["payoff"]]
    if end != (True, wanted, game["winner"], game["express"], game["scores"]):
        raise Difference(f"the end is {end}, not {game}")


def vector(line: str, **change: Any) -> tuple[dict[str, Any], KunkenOracle]:
    """Return a vector and the oracle at its start, with other rules if asked for."""
    game = json.loads(line)
    options = game["options"]
    rules = {**game["rules"], **change}
    return game, KunkenOracle(rules, options["dealer"], lambda deal: options, lambda cards: cards)


def check_all(**change: Any) -> None:
    for line in GAMES:
        check_game(*vector(line, **change))


def test_it_imports_nothing_of_the_project() -> None:
    for module in (kunken, kunken_history, kunken_melds, kunken_scores, kunken_search):
        tree = ast.parse(Path(str(module.__file__)).read_text("utf-8"))
        found = {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
        found |= {
            alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names
        }
        assert {name for name in found - STANDARD_LIBRARY if not name.startswith("oracle.kunken")} == set()


def test_the_vectors_are_complete() -> None:
    assert len(GAMES) == NUM_GAMES


@pytest.mark.parametrize("line", [pytest.param(line, id=f"line{i}") for i, line in enumerate(GAMES, start=1)])
def test_every_vector_game(line: str) -> None:
    check_game(*vector(line))


@pytest.mark.parametrize(
    "change",
    [
        {"bank_points": 45},
        {"identical_cards_in_set": False},
        {"bank_points_every_time": False},
        {"open_from_stock": True},
        {"joker_swap": True},
        {"hand_penalty": True},
        {"settlement": "win"},
    ],
    ids=lambda change: next(iter(change)),
)
def test_other_rules_are_found_out_by_the_vectors(change: dict[str, Any]) -> None:
    with pytest.raises((Difference, ValueError)):
        check_all(**change)


# ---------------------------------------------------------------- what never changes


def cards_in_play(oracle: KunkenOracle) -> Counter[str]:
    melds = (laid.card for on_table in oracle.melds for laid in on_table.meld.cards)
    hands = (card for hand in oracle.hands for card in hand)
    return Counter([*hands, *oracle.bank, *oracle.above, *oracle.stock, *melds])


def check_position(oracle: KunkenOracle, cards: Counter[str]) -> None:
    """Assert what holds in every position of a deal with these cards."""
    assert cards_in_play(oracle) == cards  # N1.1
    legal = oracle.legal_moves()
    assert all(first < second for first, second in pairwise(legal))
    assert oracle.is_over == (not legal) == (oracle.phase == OVER)
    by_layer = Counter[int]()
    for on_table in oracle.melds:
        assert is_meld(on_table.meld, oracle.rules["identical_cards_in_set"])  # N3.1-N3.3
        assert len(on_table.layers) == len(on_table.meld.cards)
        for seat, laid in zip(on_table.layers, on_table.meld.cards, strict=True):
            by_layer[seat] += points_of(laid.place)
    assert oracle.laid_points == [by_layer[seat] for seat in range(oracle.num_players)]  # N6.1
    assert oracle.opened == [points > 0 for points in oracle.laid_points] or oracle.phase == OWE  # N4.6
    for known, hand in zip(oracle.known, oracle.hands, strict=True):
        assert known <= Counter(hand)
    assert (oracle.debt is not None) == (oracle.phase == OWE)
    assert oracle.above == [] or oracle.phase == OWE
    assert oracle.stock or oracle.phase != kunken.ACQUIRE  # N4.1, N5.1


def check_end(oracle: KunkenOracle) -> None:
    """Assert what holds at the end of every deal (N4.9, N5.1, N6, N7)."""
    row = oracle.deal_payoffs[-1]
    if oracle.rules["settlement"] != "points":
        assert sum(row) == 0
    assert (oracle.winner is None) == all(oracle.hands)
    assert oracle.winner is not None or not oracle.express
    assert oracle.scores != oracle.laid_points or not (oracle.express or oracle.rules["hand_penalty"])


@pytest.fixture(scope="module")
def met() -> Counter[str]:
    """What many random games have met, with every position looked at."""
    before, Witness.met = Witness.met, Counter()
    for number in range(NUM_RANDOM_GAMES):
        oracle, choose = new_game(number, Witness)
        deal = -1
        while not oracle.is_over:
            if oracle.deal_index != deal:
                deal, cards = oracle.deal_index, cards_in_play(oracle)
                assert cards <= Counter(deck_of(oracle.rules["num_jokers"]))
            check_position(oracle, cards)
            num_deals = len(oracle.deal_payoffs)
            oracle.apply(choose(oracle.legal_moves()))
            if len(oracle.deal_payoffs) > num_deals and oracle.is_over:
                check_position(oracle, cards)
                check_end(oracle)
        assert len(oracle.deal_payoffs) == oracle.rules["num_deals"]  # N2.1
        columns = zip(*oracle.deal_payoffs, strict=True)
        assert oracle.payoffs() == [sum(column) for column in columns]  # N7.4
    met, Witness.met = Witness.met, before
    return met


def test_random_games_keep_the_cards_and_the_sums_and_nobody_is_ever_stuck(met: Counter[str]) -> None:
    assert met["debt paid"] > 0


def test_random_games_meet_what_they_should(met: Counter[str]) -> None:
    assert not set(WANTED) - set(met), sorted(set(WANTED) - set(met))


def test_the_fields_are_those_of_n11(root: Path) -> None:
    text = (root / "RULES.md").read_text("utf-8").split("## N11 ")[1]
    assert all(f"`{field}`" in text for field in DEFAULTS)


# ---------------------------------------------------------------- information states


def told(hand: list[str], stock: list[str], moves: list[str]) -> list[tuple[Any, ...]]:
    """Return what both seats know after ``moves`` of a deal in which seat 0 has ``hand`` and begins."""
    setup = {"hands": [hand, ["3c", "4d"]], "bank": ["9h"], "stock": stock}
    oracle = KunkenHistory({"bank_points": 15}, 1, lambda deal: setup, lambda cards: cards)
    for move in moves:
        oracle.apply(move)
    return [oracle.information_state(seat) for seat in range(2)]


def test_a_drawn_card_is_seen_by_who_draws_it_n4_1() -> None:
    first = told(["9c", "9d"], ["5c", "6c", "7c"], ["draw", "discard 9c", "draw"])
    for other_stock, same in ((["5d", "6c", "7c"], (False, True)), (["5c", "6d", "7c"], (True, False))):
        second = told(["9c", "9d"], other_stock, ["draw", "discard 9c", "draw"])
        assert tuple(before == after for before, after in zip(first, second, strict=True)) == same


def test_the_stock_and_other_hands_are_not_known_and_moves_are() -> None:
    first = told(["9d", "9c"], ["5c", "6c"], ["draw", "discard 9c"])
    assert first == told(["9c", "9d"], ["5c", "7c"], ["draw", "discard 9c"])
    second = told(["9c", "Kd"], ["5c", "6c"], ["draw", "discard 9c"])
    assert [before == after for before, after in zip(first, second, strict=True)] == [False, True]
    third = told(["9c", "9d"], ["5c", "6c"], ["draw", "discard 9d"])
    assert all(before != after for before, after in zip(first, third, strict=True))
