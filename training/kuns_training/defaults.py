"""What a run does where its settings do not say: by game, by preset, and by how long it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from kuns_env.engine.game import preset
from kuns_training.settings import A2cSettings, DqnSettings, PpoSettings, WarmSettings

PPO: Final = "ppo"
DQN: Final = "dqn"
"""It learns values, so there is nobody to imitate."""

SELF: Final = "self"
"""In `Config.opponents`: the learner's own snapshots."""

LINEAR: Final = "linear"
MOVES: Final = "moves"
HEADS: Final = (LINEAR, MOVES)
"""How moves are scored: by a layer with an output for each, or one by one (`kuns_training.moves_head`)."""

LEAST_POINTS: Final = 2
LEAST_DEALS: Final = 512


@dataclass(frozen=True, slots=True)
class FinalTable:
    """The table at the end of `kuns train`."""

    agents: tuple[str, ...]
    """Whom the trained agent meets."""
    deals: int


@dataclass(frozen=True, slots=True)
class FullCurve:
    """The curve of a run of full length. Shorter runs get less of one, or most of their time would go into it."""

    steps_of_a_point: int
    points: int
    deals: int


KUNS: Final[dict[str, Any]] = {
    "total_steps": 14_000_000,
    "num_games": 1_024,
    "hidden": (64, 64),
    "shared_layers": 0,
    "head": LINEAR,
    "skip_forced": False,
    "opponents": {SELF: 0.7, "equity": 0.12, "cautious": 0.12, "call": 0.03, "random": 0.03},
    "snapshot_every": 250_000,
    "curve_opponents": ("random", "call", "cautious", "equity"),
    "warm": WarmSettings(),
    "ppo": PpoSettings(),
    "a2c": A2cSettings(),
    "dqn": DqnSettings(),
}
"""A thousand short hands, a small network, an output for each of a few dozen moves."""

KUNKEN: Final[dict[str, Any]] = KUNS | {
    "total_steps": 8_000_000,
    "num_games": 1_024,
    "hidden": (256, 128),
    "shared_layers": 1,
    "head": MOVES,
    "skip_forced": True,
    "opponents": {SELF: 0.4, "thrifty": 0.35, "greedy": 0.25},
    "snapshot_every": 500_000,
    "curve_opponents": ("random", "greedy", "thrifty"),
    "warm": WarmSettings(agent="thrifty", steps=3_000_000),
    "ppo": PpoSettings(
        learning_rate=6e-4,
        final_learning_rate=5e-5,
        rollout_steps=32,
        batch_size=4_096,
        gae_lambda=0.97,
        entropy=0.005,
        final_entropy=0.0005,
    ),
}
"""Deals of twenty to a hundred decisions, a thousand moves of which five are legal: docs/training.md has the figures
behind each of these."""

BY_GAME: Final = {"kuns": KUNS, "kunken": KUNKEN}
BY_PRESET: Final[dict[str, dict[str, Any]]] = {
    "kunken-mini": {
        "total_steps": 3_000_000,
        "warm": WarmSettings(agent="thrifty", steps=1_500_000),
    }
}
CURVES: Final = {"kuns": FullCurve(1_000_000, 12, 16_384), "kunken": FullCurve(1_000_000, 8, 2_048)}


TABLES: Final = {
    "kuns": FinalTable(("equity", "cautious", "call", "random"), 100_000),
    "kunken": FinalTable(("thrifty", "greedy", "random"), 10_000),
}


RESPONSES: Final[dict[str, dict[str, Any]]] = {
    "kuns": {
        "total_steps": 6_000_000,
        "ppo": PpoSettings(
            learning_rate=1e-3,
            final_learning_rate=1e-5,
            entropy=0.3,
            final_entropy=0.01,
        ),
    },
    "kunken": {"total_steps": 1_500_000, "warm": WarmSettings(agent="thrifty", steps=1_000_000)},
}
"""Where a response is trained otherwise than an agent is, by game. More entropy in Kuns: what it is worth to set a high
ante is found late, because it depends on calls and folds that are themselves still being learned."""

SELECTION_DEALS: Final = {"kuns": 20_000, "kunken": 2_000}
"""Deals on which the best snapshot of a response is chosen, by game; each is played in every seat."""


def table_of(name: str) -> FinalTable:
    """Return the table at the end of a run on the preset ``name``."""
    return TABLES[preset(name).game]


def defaults_of(name: str, algo: str = PPO) -> dict[str, Any]:
    """Return the settings of a run of ``algo`` on the preset ``name``.

    >>> defaults_of("kuns-duel")["num_games"]
    1024
    """
    by_algorithm = {"warm": WarmSettings()} if algo == DQN else {}
    return BY_GAME[preset(name).game] | BY_PRESET.get(name, {}) | by_algorithm


def curve_defaults(name: str, total_steps: int) -> dict[str, int]:
    """Return points and deals of the curve of a run of this length, so that training takes most of its time.

    >>> curve_defaults("kuns-duel", 14_000_000)
    {'curve_points': 12, 'curve_deals': 16384}
    >>> curve_defaults("kuns-duel", 200_000)
    {'curve_points': 2, 'curve_deals': 512}
    """
    full = CURVES[preset(name).game]
    points = min(max(total_steps // full.steps_of_a_point, LEAST_POINTS), full.points)
    deals = full.deals * total_steps // defaults_of(name)["total_steps"]
    return {"curve_points": points, "curve_deals": min(max(deals, LEAST_DEALS), full.deals)}
