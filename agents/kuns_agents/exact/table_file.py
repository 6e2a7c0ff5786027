"""The file of a table policy: see `kuns_agents.archive` for what the files of agents share.

``meta`` holds ``format``, ``version``, ``name``, the ``rules`` as plain data and ``info`` (how the table was
made). The arrays are ``calls`` and ``antes`` of `TablePolicy` in float32.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from kuns_agents.archive import check_format, read_archive, write_archive
from kuns_agents.exact.table import TablePolicy
from kuns_agents.hands import Floats
from kuns_agents.protocol import AgentError
from kuns_env import KunsRules

FORMAT: Final = "kuns-agents/table"
VERSION: Final = 1


def write(
    table: TablePolicy, path: str | os.PathLike[str], *, name: str, info: Mapping[str, Any] | None = None
) -> None:
    """Write ``table`` into the file ``path``; an older one is replaced in one step."""
    meta = {
        "format": FORMAT,
        "version": VERSION,
        "name": name,
        "rules": table.rules.to_dict(),
        "info": dict(info or {}),
    }
    arrays = {
        name: array.astype(np.float32) for name, array in (("calls", table.calls), ("antes", table.antes))
    }
    write_archive(path, meta, arrays, compressed=True)


def read(path: str | os.PathLike[str]) -> tuple[TablePolicy, str, dict[str, Any]]:
    """Return the table in the file ``path``, its name, and how it was made.

    Raises:
        AgentError: the file is missing, damaged or of a newer version.
    """
    meta, arrays = read_archive(path)
    check_format(path, meta, FORMAT, (VERSION,))
    try:
        rules = KunsRules.from_dict(meta["rules"])
        calls, antes = (_array(arrays[name]) for name in ("calls", "antes"))
        # float32 sums to 1 only nearly
        table = TablePolicy(rules, calls, antes / antes.sum(axis=1, keepdims=True))
        return table, str(meta["name"]), dict(meta["info"])
    except (KeyError, TypeError, ValueError) as error:
        raise AgentError(f"the agent file {os.fspath(path)!r} is damaged: {error}") from None


def _array(array: Any) -> Floats:
    made: Floats = np.asarray(array, np.float64)
    return made
