"""Agents by name: what is there, and what is said where there is none."""

from __future__ import annotations

import pytest

import kuns_agents


@pytest.mark.parametrize("name", kuns_agents.NAMES)
def test_every_name_loads_an_agent_of_that_name(name):
    agent = kuns_agents.load(name)
    assert agent.name == name
    assert isinstance(agent, kuns_agents.PolicyHolder)
    assert agent.reads == kuns_agents.MULTISET


def test_an_unknown_name_is_named_with_what_there_is():
    with pytest.raises(
        kuns_agents.AgentError,
        match=r"no agent 'randon' \(did you mean 'random'\?\); there are: random, call",
    ):
        kuns_agents.load("randon")


@pytest.mark.parametrize("bad", [None, 3, b"random", "", "policy:", [], {}, kuns_agents.Agent])
def test_what_is_no_name_is_refused(bad):
    with pytest.raises(kuns_agents.AgentError, match="must be a name or a path"):
        kuns_agents.load(bad)


def test_an_agent_of_a_name_takes_no_options():
    with pytest.raises(kuns_agents.AgentError, match="'call' takes no options, and was given greedy"):
        kuns_agents.load("call", greedy=True)


def test_an_agent_without_weights_is_not_saved(tmp_path):
    with pytest.raises(kuns_agents.AgentError, match="'call' has nothing to save"):
        kuns_agents.save(kuns_agents.load("call"), tmp_path / "call.npz")
