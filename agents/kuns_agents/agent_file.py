"""Any agent's file, whatever kind of agent is in it."""

from __future__ import annotations

import os
from typing import Any

from kuns_agents.archive import read_archive
from kuns_agents.exact import table_file
from kuns_agents.exact.agent import load_table
from kuns_agents.policy import load_policy
from kuns_agents.protocol import Agent, AgentError


def load_file(path: str | os.PathLike[str], **options: Any) -> Agent:
    """Return the agent in the file ``path``: a table, or else a network.

    Args:
        path: of an ``.npz`` file.
        options: what a network takes: ``greedy``, ``epsilon``.

    Raises:
        AgentError: the file is missing, damaged or of a newer version, or the agent has no such options.
    """
    meta, _ = read_archive(path, only_meta=True)
    if meta.get("format") != table_file.FORMAT:
        return load_policy(path, **options)
    if options:
        raise AgentError(f"the agent {os.fspath(path)!r} is a table: it takes no {', '.join(options)}")
    return load_table(path)
