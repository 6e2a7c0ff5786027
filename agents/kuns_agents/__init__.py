"""Everything that chooses a move in Kuns: rules of thumb, tables of chances, trained networks."""

from __future__ import annotations

from kuns_agents.protocol import HISTORY, MULTISET, Agent, AgentError, PolicyHolder
from kuns_agents.registry import AGENT_FILE, NAMES, load, save

__all__ = [
    "AGENT_FILE",
    "HISTORY",
    "MULTISET",
    "NAMES",
    "Agent",
    "AgentError",
    "PolicyHolder",
    "load",
    "save",
]
