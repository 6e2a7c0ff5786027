"""Everything that chooses a move in Kuns and in Kunken: rules of thumb, tables of chances, trained networks."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from kuns_agents.protocol import HISTORY, MULTISET, Agent, AgentError, PolicyHolder
from kuns_agents.registry import AGENT_FILE, NAMES, NAMES_OF, load, save

if TYPE_CHECKING:
    from kuns_agents.exact.ask import NoPolicyError
    from kuns_agents.exact.exploitability import Exploitability, best_response, exploitability
    from kuns_agents.exact.solve import solve

__all__ = [
    "AGENT_FILE",
    "HISTORY",
    "MULTISET",
    "NAMES",
    "NAMES_OF",
    "Agent",
    "AgentError",
    "Exploitability",
    "NoPolicyError",
    "PolicyHolder",
    "best_response",
    "exploitability",
    "load",
    "save",
    "solve",
]

# Loaded on use: most who load an agent measure nothing.
_LAZY = {
    "Exploitability": "kuns_agents.exact.exploitability",
    "NoPolicyError": "kuns_agents.exact.ask",
    "best_response": "kuns_agents.exact.exploitability",
    "exploitability": "kuns_agents.exact.exploitability",
    "solve": "kuns_agents.exact.solve",
}


def __getattr__(name: str) -> Any:
    """Import what is asked for."""
    if name not in _LAZY:
        raise AttributeError(f"module 'kuns_agents' has no attribute {name!r}")
    value = getattr(import_module(_LAZY[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Return the public names, the ones not loaded yet too."""
    return sorted(__all__)
