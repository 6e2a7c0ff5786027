"""What the tests of the AEC environment share: rules to play, a random player, everything that can be seen."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from games import SHORT_DEALS
from kuns_env import KunkenRules, KunsRules, kunken_v0, kuns_v0, preset
from kuns_env.engine.aec import TableEnv
from kuns_env.engine.checked import CheckedEnv
from kuns_env.engine.game import PRESETS

SESSION = {"num_hands": 3, "forced_ante": 1}
OPEN = {"num_hands": None, "max_hands": 6}
POOR = {"num_hands": None, "bankroll": 9, "forced_ante": 2, "max_hands": 30}
"""Money runs out soon: seats leave because they can no longer pay (K2.3)."""

RULES = {
    **{name: preset(name) for name in PRESETS},
    **{f"kuns-{n}": KunsRules(num_players=n) for n in range(2, 9)},
    **{f"anted-{n}": KunsRules.anted(n) for n in range(2, 9)},
    **{f"session-{n}": KunsRules(num_players=n, **SESSION) for n in (2, 5, 8)},
    **{f"open-{n}": KunsRules(num_players=n, **OPEN) for n in (2, 4, 8)},
    **{f"poor-{n}": KunsRules(num_players=n, **POOR) for n in (2, 3, 6)},
    **{f"kunken-{n}": KunkenRules(num_players=n) for n in (3, 4, 5)},
    "kunken-deals": SHORT_DEALS,
    "kunken-win": KunkenRules(num_players=4, hand_size=20, settlement="win", open_from_stock=True),
}

FEW = {name: RULES[name] for name in ("kuns", "kuns-duel", "session-5", "open-4", "poor-3", "kunken-deals")}
"""One of every kind, for the tests that look long at each position."""


BOTH = pytest.mark.parametrize("mask_in_info", [False, True], ids=["in-observation", "in-info"])
SOME = pytest.mark.parametrize("rules", FEW.values(), ids=FEW)
ALL = pytest.mark.parametrize("rules", RULES.values(), ids=RULES)


MODULES = {"kuns": kuns_v0, "kunken": kunken_v0}


def raw(rules: Any, **options: Any) -> TableEnv:
    """The ``raw_env`` of the game that ``rules`` belong to."""
    return MODULES[rules.game].raw_env(rules, **options)


def checked(rules: Any, **options: Any) -> CheckedEnv:
    """Its ``env``."""
    return MODULES[rules.game].env(rules, **options)


def started(rules: Any, seed: int = 1, **options: Any) -> TableEnv:
    """A game that has begun."""
    env = raw(rules, **options)
    env.reset(seed=seed)
    return env


def mask_of(env: Any, agent: str) -> np.ndarray:
    """The mask of ``agent``, wherever it is carried."""
    if env.unwrapped.mask_in_info:
        return env.infos[agent]["action_mask"]
    return env.observe(agent)["action_mask"]


def choose(env: Any, rng: np.random.Generator) -> int | None:
    """A legal move at random for the agent to act, None for one that has finished."""
    agent = env.agent_selection
    if env.terminations[agent] or env.truncations[agent]:
        return None
    return int(rng.choice(np.flatnonzero(mask_of(env, agent))))


def turns(env: Any, rng: np.random.Generator, most: int = 10_000) -> Iterator[str]:
    """Play on at random; yields the agent to act before each of its steps."""
    for agent in env.agent_iter(most):
        yield agent
        env.step(choose(env, rng))


def plain(value: Any) -> Any:
    """``value`` with arrays as bytes, so that it can be compared by ``==``."""
    if isinstance(value, dict):
        return {key: plain(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(entry) for entry in value]
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes()
    return value


def seen(env: Any) -> dict[str, Any]:
    """Everything that PettingZoo lets one see of ``env``, for comparison."""
    names = ("agents", "agent_selection", "rewards", "terminations", "truncations", "infos")
    everything = {name: getattr(env, name) for name in names}
    everything["cumulative"] = env._cumulative_rewards
    everything["observations"] = {agent: env.observe(agent) for agent in env.possible_agents}
    everything["state"] = env.state()
    return plain(everything)
