"""The settings of a response: those of a training run whose pool is the profile that it answers, and nobody else."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from kuns_agents.registry import PROFILE
from kuns_env.engine.game import preset
from kuns_training.config import Config
from kuns_training.defaults import DQN, RESPONSES, SELF
from kuns_training.run_folder import RUNS, label
from kuns_training.settings import ConfigError

FIXED: Final = ("opponents", "curve_opponents", "keep_agents")
"""Settings that make a run a response."""
LONGEST_NAME: Final = 60
"""Letters of the part of a folder's name that tells the profile."""


def response_config(
    agents: Sequence[str], game: str, rules: Mapping[str, Any] | None = None, **settings: Any
) -> Config:
    """Return the settings of a response to ``agents``.

    >>> response_config(["cautious"], "kuns-duel", seed=2).opponents
    {'cautious': 1.0}

    Args:
        agents: one, who sits in every seat, or as many as there are seats, the first for seat 0.
        game: a preset of rules.
        rules: fields that differ from it.
        settings: other settings of `Config`; those of an algorithm as a mapping, ``ppo={"epochs": 8}``.

    Raises:
        ConfigError: a wrong number of agents, or a setting that is not allowed.
    """
    fixed = [name for name in FIXED if name in settings]
    if fixed:
        raise ConfigError(f"{fixed[0]}: follows from the agents that are answered, and cannot be set")
    data: dict[str, Any] = {"game": game, "rules": dict(rules or {})}
    for name, by_default in RESPONSES[preset(game).game].items():
        if name == "warm" and settings.get("algo") == DQN:
            continue
        is_group = dataclasses.is_dataclass(by_default) and not isinstance(by_default, type)
        data[name] = dataclasses.asdict(by_default) if is_group else by_default
    for name, value in settings.items():
        both_groups = isinstance(value, Mapping) and isinstance(data.get(name), Mapping)
        data[name] = data[name] | value if both_groups else value
    profile = profile_name(agents)
    data |= {"opponents": {profile: 1.0}, "curve_opponents": [profile], "keep_agents": True}
    config = Config.from_dict(data)
    check_number(agents, config.make_rules().num_players)
    return config


def profile_name(agents: Sequence[str]) -> str:
    """Return the name by which `kuns_agents.load` returns the profile.

    >>> profile_name(["cautious"]), profile_name(["call", "equity"])
    ('cautious', 'profile:call,equity')
    """
    if not agents or SELF in agents:
        raise ConfigError(f"agents={list(agents)!r}: must name the agents that a response is trained against")
    return agents[0] if len(agents) == 1 else PROFILE + ",".join(agents)


def check_number(agents: Sequence[str], num_players: int) -> None:
    """Refuse any other number of agents than one, or one for each seat."""
    if len(agents) not in (1, num_players):
        raise ConfigError(
            f"{len(agents)} agents given: must be one, who then sits in every seat, or {num_players}, one for each seat"
        )


def profile_of(config: Config) -> str:
    """Return the name of the one profile that a run is trained against.

    Raises:
        ConfigError: it is trained against several, or against itself: it would be no response.
    """
    names = [name for name, weight in config.opponents.items() if weight > 0]
    if len(names) != 1 or names == [SELF]:
        raise ConfigError(
            f"opponents={config.opponents!r}: must be one agent, who is never the learner itself"
        )
    if not config.keep_agents:
        raise ConfigError(
            "keep_agents=False: must be True, because the response is chosen from the kept agents"
        )
    if config.curve_points < 1:
        raise ConfigError(
            "curve_points=0: must be at least 1, because the response is chosen from the agents that are kept at these "
            "points"
        )
    return names[0]


def response_folder(config: Config, profile: str) -> Path:
    """Return where a response is kept if nothing else is said.

    >>> response_folder(response_config(["cautious"], "kuns-duel"), "cautious").as_posix()
    'runs/kuns-duel-ppo-1-against-cautious'
    """
    return RUNS / f"{config.game}-{responder_name(config, profile)}"


def responder_name(config: Config, profile: str) -> str:
    """Return the name of the agent that a response is.

    >>> responder_name(response_config(["call", "equity"], "kuns-duel"), "profile:call,equity")
    'ppo-1-against-profile_call_equity'
    """
    against = re.sub(r"[^\w.-]+", "_", profile).strip("_")[:LONGEST_NAME]
    return f"{label(config)}-against-{against}"
