"""The tables of docs/training.md, printed from the settings that they describe."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

from kuns_env.fields import field_docs
from kuns_training.config import Config
from kuns_training.settings import A2cSettings, DqnSettings, PpoSettings

GROUPS: dict[str, Any] = {"": Config, "ppo.": PpoSettings, "a2c.": A2cSettings, "dqn.": DqnSettings}


def settings_table(prefix: str = "") -> str:
    """Return the table of all settings of a run, or of one algorithm: ``"ppo."``.

    >>> settings_table("ppo.").splitlines()[0]
    '| setting | default | meaning |'
    """
    kind = GROUPS[prefix]
    values, meanings = dataclasses.asdict(kind()), field_docs(kind)
    rows = [
        f"| `{prefix}{name}` | `{json.dumps(values[name])}` | {' '.join(meanings[name].split())} |"
        for name in values
        if f"{name}." not in GROUPS
    ]
    return "\n".join(["| setting | default | meaning |", "|---|---|---|", *rows])


def all_tables() -> str:
    """Return the tables of all settings, one after the other."""
    return "\n\n".join(settings_table(prefix) for prefix in GROUPS)
