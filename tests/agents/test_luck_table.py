"""Luck in Kuns at any table: given everything that has happened, cards to come and dice have mean 0."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from kuns_agents import load
from kuns_agents.luck.protocol import FAILED
from kuns_agents.luck.table import TableLuck, table_luck
from kuns_env import Batch, KunsRules
from kuns_env.cards import NUM_SUITS
from kuns_env.engine.game import game_of
from kuns_env.kuns.state import BET, DEAL, RESPOND
from luck_walks import cards_of, rank_draws

EXACT = 1e-12
DECK = {"ranks": (2, 5, 8, 10), "num_suits": 4}
RULES = {
    "side bets": KunsRules(num_players=3, **DECK),
    "four ranks and forced antes": KunsRules.anted(3, **DECK, ante_menu=(2,)),
    "ante before the deal": KunsRules(num_players=3, **DECK, dealer_sees_hand=False, forced_ante=2),
    "short of money": KunsRules(num_players=3, **DECK, bankroll=20, num_hands=3),
    "heads-up with side bets": KunsRules(num_players=2, ranks=(3, 7, 10), num_suits=4),
}


def positions(rules: KunsRules, seed: int, num_games: int = 40, num_steps: int = 25) -> Iterator[np.ndarray]:
    """Yield the records of random games, step by step."""
    batch, agent, rng = Batch(rules, num_games, seed), load("random"), np.random.default_rng(seed)
    for _ in range(num_steps):
        yield batch.states
        batch.step(agent.act(batch.views(), rng))


def just_dealt(rules: KunsRules, seed: int, round_: int) -> np.ndarray:
    """Return some records of random games in which the last thing was the deal of ``round_``."""
    found = []
    for states in positions(rules, seed):
        last = states["history"][np.arange(len(states)), np.maximum(states["num_history"] - 1, 0), 0]
        found.append(states[(states["num_history"] > 0) & (last == DEAL) & (states["round"] == round_)])
    return np.concatenate(found)


def other_deals(rules: KunsRules, state: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the record with every other last deal that there might have been, and in how many ways."""
    seats = [(int(state["dealer"]) + 1 + step) % rules.num_players for step in range(rules.num_players)]
    seats = [seat for seat in seats if state["in_hand"][seat]]
    new = 1 if state["round"] == 3 else 2
    end = int(state["deck_next"])
    first = end - new * len(seats)
    before = [rules.ranks.index(int(card) // NUM_SUITS + 1) for card in state["deck"][:first]]
    counts = [rules.num_suits - before.count(rank) for rank in range(len(rules.ranks))]
    draws = list(rank_draws(counts, new * len(seats)))
    states = np.repeat(np.array([state]), len(draws))
    for row, (ranks, _) in enumerate(draws):
        cards = cards_of(rules, [*before, *ranks])[first:]
        states["deck"][row, first:end] = cards
        for place, card in enumerate(cards):
            seat = seats[place % len(seats)]
            held = int(state["num_cards"][seat]) - new + place // len(seats)
            states["hole"][row, seat, held] = card
    return states, np.array([ways for _, ways in draws], np.float64)


@pytest.mark.parametrize("round_", [1, 2, 3])
@pytest.mark.parametrize("name", RULES)
def test_mean_over_every_deal_is_zero(name: str, round_: int) -> None:
    rules = RULES[name]
    found = just_dealt(rules, 1, round_)
    # Those with most side bets and most chips: the more there is to be got wrong.
    chosen = found[np.argsort(-(found["num_bets"].astype(int) * 1000 + found["pot"]), kind="stable")][:3]
    largest = 0.0
    for state in chosen:
        states, ways = other_deals(rules, state)
        terms = table_luck(rules).terms(states, np.full(len(states), FAILED), None)
        largest = max(largest, np.abs(terms).max())
        assert ways @ terms / ways.sum() == pytest.approx(np.zeros(rules.num_players), abs=EXACT)
    assert largest > 0.01


@pytest.mark.parametrize("name", RULES)
def test_mean_over_dice_is_zero(name: str) -> None:
    rules, rng = RULES[name], np.random.default_rng(3)
    luck, seen = table_luck(rules), 0
    for states in positions(rules, 2):
        batch_masks = masks_of(rules, states)
        policy = rng.random(batch_masks.shape) * batch_masks
        policy /= policy.sum(axis=1, keepdims=True)
        nobody = luck.terms(states, np.full(len(states), FAILED), None)
        mean = np.zeros_like(nobody)
        for move in range(policy.shape[1]):
            rows = np.flatnonzero(batch_masks[:, move])
            terms = luck.terms(states[rows], np.full(len(rows), move), policy[rows])
            mean[rows] += policy[rows, move, None] * terms
            decides = np.isin(states["phase"][rows], (BET, RESPOND))
            seen += (
                np.count_nonzero(np.abs(terms - nobody[rows])[decides].max(axis=1) > 1e-3)
                if decides.any()
                else 0
            )
        assert mean == pytest.approx(nobody, abs=EXACT)
    assert seen > 100


def masks_of(rules: KunsRules, states: np.ndarray) -> np.ndarray:
    """Return the legal moves of each record."""
    game = game_of(rules)
    masks = np.zeros((len(states), game.num_moves), np.int8)
    for row in range(len(states)):
        game.loops.legal_one(states[row : row + 1], game.compiled, masks[row])
    return masks


@pytest.mark.parametrize("rules", [KunsRules(), KunsRules.anted(8), RULES["side bets"]])
def test_what_one_seat_is_lucky_the_others_are_not(rules: KunsRules) -> None:
    agent = load("random")
    batch, rng = Batch(rules, 200, 4), np.random.default_rng(4)
    for _ in range(12):
        views = batch.views()
        moves = agent.act(views, rng)
        terms = table_luck(rules).terms(batch.states, moves, agent.policy(views))
        assert np.abs(terms.sum(axis=1)).max() < 1e-9
        batch.step(moves)


def test_a_policy_that_is_not_known_has_no_dice() -> None:
    rules = KunsRules.anted(4)
    batch = Batch(rules, 50, 5)
    views, agent = batch.views(), load("random")
    moves = agent.act(views, np.random.default_rng(1))
    luck, policy = table_luck(rules), agent.policy(views)
    policy[::2] = 0
    some, none = luck.terms(batch.states, moves, policy), luck.terms(batch.states, moves, None)
    assert np.array_equal(some[::2], none[::2])
    assert (some[1::2] != none[1::2]).any()


def test_hash_follows_the_numbers() -> None:
    hashes = {TableLuck(rules).sha256 for rules in (KunsRules(), KunsRules.anted(4), KunsRules(num_suits=3))}
    assert len(hashes) == 2
