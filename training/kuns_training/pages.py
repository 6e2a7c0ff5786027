"""Tables of docs/training.md and docs/evaluate.md and an example of docs/exact.md, printed from the code."""

from __future__ import annotations

import dataclasses
import json
from typing import Any, Final

from kuns_agents.exact.cousins import COUSINS
from kuns_env import KunsRules
from kuns_env.engine.game import PACKAGES, preset
from kuns_env.fields import field_docs
from kuns_training.arena.statistics import statistics_of
from kuns_training.cli_rules import nearest_preset
from kuns_training.config import DEFAULT_PRESET, Config, changed_fields
from kuns_training.settings import A2cSettings, DqnSettings, PpoSettings, WarmSettings
from kuns_training.train_words import rules_options

GROUPS: dict[str, Any] = {
    "": Config,
    "warm.": WarmSettings,
    "ppo.": PpoSettings,
    "a2c.": A2cSettings,
    "dqn.": DqnSettings,
}
EXPLOITED: Final = "cautious"
NUM_SPOTS: Final = 3
PRESETS: Final = (DEFAULT_PRESET, "kunken")
"""Whose defaults are shown."""


def settings_table(prefix: str = "") -> str:
    """Return the table of all settings of a run, or of one algorithm: ``"ppo."``.

    >>> settings_table("ppo.").splitlines()[0]
    '| setting | `kuns-duel` | `kunken` | meaning |'
    """
    meanings = field_docs(GROUPS[prefix])
    columns = [Config(game=name).to_dict() for name in PRESETS]
    if prefix:
        columns = [column[prefix.removesuffix(".")] for column in columns]
    names = [field.name for field in dataclasses.fields(GROUPS[prefix]) if f"{field.name}." not in GROUPS]
    rows = [
        " | ".join(
            [
                f"| `{prefix}{name}`",
                *(f"`{json.dumps(column[name])}`" for column in columns),
                " ".join(meanings[name].split()) + " |",
            ]
        )
        for name in names
    ]
    head = " | ".join(["| setting", *(f"`{name}`" for name in PRESETS), "meaning |"])
    return "\n".join([head, "|" + "---|" * (len(PRESETS) + 2), *rows])


def statistics_tables() -> str:
    """Return the statistics of every game: what stands over them, their names in JSON, what they mean."""
    tables = []
    for game in PACKAGES:
        rows = [
            f"| {statistic.title} | `{statistic.name}` | {'match' if statistic.of_table else 'agent'} "
            f"| {statistic.group} | {statistic.meaning} |"
            for statistic in statistics_of(preset(game))
        ]
        head = f"| {game} | in JSON | of each | style of play | meaning |"
        tables.append("\n".join([head, "|---|---|---|---|---|", *rows]))
    return "\n\n".join(tables)


def all_tables() -> str:
    """Return the tables of all settings, one after the other."""
    return "\n\n".join(settings_table(prefix) for prefix in GROUPS)


def spots() -> str:
    """Return where `cautious` loses most, as `kuns exploit` tells it."""
    from kuns_agents import load
    from kuns_training.exploit import exploit
    from kuns_training.exploit_words import spot_lines

    lines = spot_lines(exploit(load(EXPLOITED), EXPLOITED, KunsRules.duel()), NUM_SPOTS)
    return "\n".join(["```text", *lines, "```"])


def options_of(rules: KunsRules) -> str:
    """Return the options that choose ``rules``, as they are typed, from the nearest preset on.

    >>> options_of(KunsRules.duel(num_suits=2))
    '--game kuns-duel --set num_suits=2'
    """
    game = nearest_preset(rules)
    options = rules_options(Config(game=game, rules=changed_fields(game, rules.to_dict())))
    return " ".join(options if "--game" in options else ["--game", game, *options])


def rules_of_cousins() -> str:
    """Return the rules of the small games: as code, and as options."""
    plain = KunsRules(num_players=2, side_bets=False).to_dict()
    rows = ["| name | beside `num_players=2, side_bets=False` | after `kuns solve` |", "|---|---|---|"]
    for name, rules in COUSINS.items():
        changed = {field: value for field, value in rules.to_dict().items() if plain[field] != value}
        words = ", ".join(f"{field}={getattr(rules, field)!r}" for field in changed)
        rows.append(f"| {name} | `{words}` | `{options_of(rules)}` |")
    return "\n".join(rows)
