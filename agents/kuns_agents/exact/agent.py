"""An agent that plays a table: an equilibrium, a best response, or what a solver made."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from kuns_agents.drawing import draw_moves
from kuns_agents.exact.public import public_tree
from kuns_agents.exact.scope import why_no_table
from kuns_agents.exact.table import TablePolicy, same_game
from kuns_agents.exact.table_file import read, write
from kuns_agents.hands import nodes_of
from kuns_agents.protocol import MULTISET, AgentError, Moves, Probabilities
from kuns_env import KunsRules, Views
from kuns_env.engine.game import Rules
from kuns_env.kuns import moves
from kuns_env.kuns.state import ANTE, BET


class TableAgent:
    """Plays Kuns without side bets by a table of probabilities, which depend on the ranks in hand."""

    reads: ClassVar[str] = MULTISET
    path: Path | None = None
    """The file that it was read from."""

    def __init__(self, table: TablePolicy, name: str, info: Mapping[str, Any] | None = None) -> None:
        self.table, self.name = table, name
        self.info = dict(info or {})
        """How the table was made: anything that JSON can hold."""

    def supports(self, rules: Rules) -> str | None:
        """Return None where a hand is the game that the table is for, else which field is not as it was."""
        reason = why_no_table(rules)
        if reason is None and isinstance(rules, KunsRules):
            reason = same_game(self.table.rules, rules)
        return None if reason is None else f"agent {self.name!r} does not play these rules: {reason}"

    def policy(self, views: Views) -> Probabilities:
        """Return the table's probabilities; where a session asks whether to stay (K2.2), it stays.

        Raises:
            AgentError: the views are of rules that the agent does not support.
        """
        rules = supported(views.rules, self.supports(views.rules))
        out = np.zeros(views.masks.shape)
        phases = views.records["phase"]
        asked = np.flatnonzero((phases == ANTE) | (phases == BET))
        some = views if len(asked) == len(views) else views[asked]
        calls, antes = self.table.at(public_tree(rules).nodes_of(some.records), nodes_of(some))
        bets = phases[asked] == BET
        out[asked[bets], moves.CALL] = calls[bets]
        out[asked[bets], moves.FOLD] = 1 - calls[bets]
        num_antes = antes.shape[1]
        out[asked[~bets], moves.ANTE_BASE : moves.ANTE_BASE + num_antes] = antes[~bets]
        out[np.flatnonzero((phases != ANTE) & (phases != BET)), moves.STAY_ON] = 1
        return out

    def act(self, views: Views, rng: np.random.Generator) -> Moves:
        """Return a move for each view, drawn from `policy`."""
        return draw_moves(self.policy(views), rng)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the table into the file ``path``, from which `kuns_agents.load` returns the agent."""
        write(self.table, path, name=self.name, info=self.info)


def supported(rules: Rules, reason: str | None) -> KunsRules:
    """Return ``rules`` of Kuns that an agent supports.

    Args:
        rules: the rules.
        reason: what its ``supports`` says of them.

    Raises:
        AgentError: it does not support them.
    """
    if reason is not None or not isinstance(rules, KunsRules):
        raise AgentError(str(reason))
    return rules


def load_table(path: str | os.PathLike[str]) -> TableAgent:
    """Return the agent whose table is in the file ``path``.

    Raises:
        AgentError: the file is missing, damaged or of a newer version.
    """
    agent = TableAgent(*read(path))
    agent.path = Path(path)
    return agent
