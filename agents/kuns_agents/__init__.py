"""Everything that chooses a move in Kuns and in Kunken: rules of thumb, tables of chances, trained networks."""

from __future__ import annotations

from kuns_agents.protocol import HISTORY, MULTISET, Agent, AgentError, PolicyHolder
from kuns_agents.registry import AGENT_FILE, NAMES, NAMES_OF, load, save

__all__ = [
    "AGENT_FILE",
    "HISTORY",
    "MULTISET",
    "NAMES",
    "NAMES_OF",
    "Agent",
    "AgentError",
    "PolicyHolder",
    "load",
    "save",
]
