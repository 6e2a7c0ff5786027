"""What a batch counts of finished hands, against tables that are played along and counted in plain Python."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from games import COMPILED
from kuns_env import Batch, KunkenRules, KunsRules, Table
from kuns_env.engine.game import game_of
from kuns_env.tallies import HANDS, PAYOFF
from recount import recount

NUM_GAMES, NUM_STEPS = (10, 1200) if COMPILED else (2, 60)

RARE = ("express", "unwon")
"""What ten games played at random may not show."""

RULES = {
    "kuns": KunsRules(num_players=3, num_hands=2),
    "an open session of kuns": KunsRules(num_players=2, num_hands=None, max_hands=4),
    "kunken": KunkenRules(num_players=3, joker_swap=True),
    "kunken-mini": KunkenRules.mini(),
    "two deals": KunkenRules(num_deals=2, hand_size=5, bank_points=15, hand_penalty=True, num_players=4),
    "express": KunkenRules(hand_size=3, bank_points=5, num_deals=3),
    "no winner": KunkenRules(hand_size=20, num_players=5, max_reshuffles=0, settlement="win"),
}


@pytest.mark.parametrize("name", RULES)
def test_tallies_are_what_single_tables_count(name: str) -> None:
    rules, rng = RULES[name], np.random.default_rng(3)
    game = game_of(rules)
    batch = Batch(rules, NUM_GAMES, seed=7, first_slot=2, copy=False, play_style=True)
    names = (*game.tallies, *game.style_tallies)
    moves: list[list[list[str]]] = [[[]] for _ in range(NUM_GAMES)]
    for _ in range(NUM_STEPS):
        chosen = (batch.masks * (rng.random(batch.masks.shape) + 1e-9)).argmax(axis=1)
        for row, (move, seat) in enumerate(zip(chosen.tolist(), batch.to_play.tolist(), strict=True)):
            moves[row][-1].append(str(game.move_texts(seat)[move]))
        batch.step(chosen)
        for row in np.flatnonzero(batch.dones):
            moves[row].append([])
    for row, episodes in enumerate(moves):
        counts = {tally: [0] * rules.num_players for tally in names}
        for episode, played in enumerate(episodes):
            table = Table(rules, 7, slot=2 + row, episode=episode)
            recount(table, played, counts)
        assert dict(zip(names, batch.tallies[row].tolist(), strict=True)) == counts
    if COMPILED:  # every kind of ending has been seen somewhere
        assert (batch.tallies[:, 0] > 0).all()
        seen = dict(zip(names, batch.tallies.sum(axis=(0, 2)).tolist(), strict=True))
        assert seen.get("express", 1) > 0 or name != "express"
        assert seen.get("unwon", 1) > 0 or name != "no winner"
        if name in {"kuns", "kunken"}:
            unseen = {name for name, number in seen.items() if number == 0}
            assert unseen <= {*(f"ante_{entry}" for entry in range(4, 8)), "payoff", "payoff_bets", *RARE}


@pytest.mark.parametrize("rules", RULES.values(), ids=RULES)
def test_the_style_of_play_is_counted_where_it_is_asked_for(rules: Any) -> None:
    game = game_of(rules)
    plain, styled = (Batch(rules, 3, seed=1, play_style=asked) for asked in (False, True))
    for _ in range(NUM_STEPS // 4):
        moves = plain.masks.argmax(axis=1)
        plain.step(moves)
        styled.step(moves)
    assert plain.tallies.shape[1] == len(game.tallies)
    assert (styled.tallies[:, : len(game.tallies)] == plain.tallies).all()
    assert (plain.observations == styled.observations).all()


@pytest.mark.parametrize("rules", [KunsRules.duel(), KunkenRules.mini()], ids=["kuns", "kunken"])
def test_restart_begins_to_count_again_and_restart_rows_goes_on(rules: Any) -> None:
    batch = Batch(rules, 3, seed=1)
    while not batch.tallies[:, 0].all():
        batch.step(batch.masks.argmax(axis=1))
    kept = batch.tallies
    batch.restart_rows([0])
    assert (batch.tallies == kept).all()
    batch.restart()
    assert not batch.tallies.any()
    assert kept.any()  # a copy


@pytest.mark.parametrize("rules", [KunsRules(), KunkenRules()], ids=["kuns", "kunken"])
def test_statistics_are_ratios_of_tallies_that_there_are(rules: Any) -> None:
    game = game_of(rules)
    assert game.tallies[:2] == (HANDS, PAYOFF)
    assert len({statistic.name for statistic in game.statistics}) == len(game.statistics)
    for statistic in game.statistics:
        names = {*game.tallies, *game.style_tallies} if statistic.group else {*game.tallies}
        assert {statistic.name, statistic.per} <= names
        assert statistic.title
        assert statistic.meaning.endswith(".")
