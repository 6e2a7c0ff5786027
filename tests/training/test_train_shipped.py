"""The agents that come with the package: their cards, and that they are as strong as these say."""

from __future__ import annotations

import pytest

import kuns_agents
from kuns_agents.registry import TRAINED, WEIGHTS
from kuns_training.config import Config
from kuns_training.evaluate import evaluate

KUNKEN = [name for name, game in TRAINED.items() if game == "kunken"]
MOST_BYTES = 4 * 2**20
DEALS = 1_000


@pytest.mark.parametrize("preset", ["kunken", "kunken-mini"])
def test_there_is_one_for_each_preset(preset):
    assert f"policy-{preset}" in KUNKEN


@pytest.mark.parametrize("name", KUNKEN)
def test_each_has_a_card_and_its_settings(name):
    agent = kuns_agents.load(name)
    assert agent.name == name
    assert agent.path.stat().st_size < MOST_BYTES
    config = Config.from_dict(agent.network.info["settings"])
    assert agent.supports(config.make_rules()) is None
    card = (WEIGHTS / f"{name}.md").read_text("utf-8")
    assert f"kuns train --game {config.game} --seed {config.seed}" in card
    assert "95 % interval" in card


@pytest.mark.parametrize("name", KUNKEN)
@pytest.mark.parametrize("opponent", ["random", "greedy"])
def test_each_beats_the_plain_players(name, opponent):
    agent = kuns_agents.load(name, greedy=True)
    found = evaluate([agent, kuns_agents.load(opponent)], agent.network.rules, DEALS, seed=11)
    assert not found.disqualifications
    assert found.results[0].payoff.low > 0, found.results[0].payoff
