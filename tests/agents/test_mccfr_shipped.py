"""The agent `mccfr-3`: what it plays, how it was made."""

from __future__ import annotations

import numpy as np

import kuns_agents
from kuns_agents.exact.mccfr import Mccfr
from kuns_agents.exact.mccfr_agent import FILE
from kuns_env import KunsRules

ANTED = KunsRules.anted(3)


def test_it_plays_the_rules_that_it_was_made_for():
    agent = kuns_agents.load("mccfr-3")
    assert agent.table.rules == ANTED
    assert agent.supports(ANTED) is None
    assert "num_players=2 instead of 3" in agent.supports(KunsRules.duel())
    assert "side_bets" in agent.supports(KunsRules(3))
    assert agent.path == FILE
    assert agent.info["method"] == "external-sampling MCCFR"


def test_its_card_says_how_it_was_made():
    info, card = kuns_agents.load("mccfr-3").info, FILE.with_suffix(".md").read_text("utf-8")
    assert f"{info['iterations']:,} iterations" in card
    assert f"--players 3 --max-iterations {info['iterations']} --seed {info['seed']}`" in card
    for opponent in ("cautious", "equity", "random", "call"):
        assert f"| `{opponent}` | +" in card


def test_a_short_run_goes_where_it_is():
    agent = kuns_agents.load("mccfr-3")
    solver = Mccfr(ANTED, agent.info["seed"])
    apart = []
    for iterations in (10_000, 1_000_000):
        solver.run(iterations)
        policy = solver.policy()
        weights = np.concatenate(
            [solver.space.weights[each - 1] for each in solver.public.rounds if each > 0]
        )
        apart.append(np.average(np.abs(policy.calls - agent.table.calls), weights=weights))
    assert apart[1] < apart[0] / 2
