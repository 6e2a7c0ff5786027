"""From settings to SB3's objects: the environment with scaled rewards, and the algorithm on it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias

import numpy as np
from sb3_contrib import MaskablePPO
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.vec_env import VecEnv, VecEnvWrapper
from stable_baselines3.common.vec_env.base_vec_env import VecEnvStepReturn
from torch import nn

from kuns_env import KunkenRules
from kuns_env.engine.game import Rules
from kuns_training.a2c import MaskedA2C
from kuns_training.config import Config
from kuns_training.defaults import MOVES
from kuns_training.dqn import MaskedDQN
from kuns_training.masking import SafeMaskablePolicy
from kuns_training.move_places import move_places
from kuns_training.moves_head import ScoringPolicy, SharedLayers
from kuns_training.vec_env import KunsVecEnv

ACTIVATION_LAYERS: Final[dict[str, type[nn.Module]]] = {"relu": nn.ReLU, "tanh": nn.Tanh}
DEVICE: Final = "cpu"
"""A network this small waits for a graphics card longer than it computes."""
GAMMA: Final = 1.0
"""No discount: a chip at the end of a hand is worth a chip."""
A2C_EPSILON: Final = 1e-5
TAKES_OF_A_DEAL: Final = 4
"""A deal of Kunken between good players is won or lost by about as many times `bank_points`."""

EnvMaker: TypeAlias = Callable[..., KunsVecEnv]


def reward_scale(rules: Rules) -> float:
    """Return what rewards are multiplied by for learning: one over the highest ante, or over the points of some takes.

    Rewards then have the size of one, whatever the rules. It is a constant of the rules: nothing is measured, so
    nothing drifts, needs saving or differs between runs.

    >>> from kuns_env import KunkenRules, KunsRules
    >>> reward_scale(KunsRules.duel()), reward_scale(KunkenRules()), reward_scale(KunkenRules(settlement="win"))
    (0.125, 0.005, 1.0)
    """
    if isinstance(rules, KunkenRules):
        return 1.0 if rules.settlement == "win" else 1 / (TAKES_OF_A_DEAL * rules.bank_points)
    return float(1 / max(rules.ante_menu))


class ScaledRewards(VecEnvWrapper):
    """An environment whose rewards are multiplied by a constant; logged returns stay in chips or points."""

    def __init__(self, venv: VecEnv, scale: float) -> None:
        super().__init__(venv)
        self.scale = scale

    def reset(self) -> Any:
        """Begin every game again."""
        return self.venv.reset()

    def step_wait(self) -> VecEnvStepReturn:
        """Return the step with its rewards scaled, float32."""
        observations, rewards, dones, infos = self.venv.step_wait()
        return observations, (rewards * self.scale).astype(np.float32), dones, infos


def make_env(config: Config, opponents: Any, weights: Any, maker: EnvMaker = KunsVecEnv) -> KunsVecEnv:
    """Return the games of a run, rewards in chips or points."""
    return maker(
        config.make_rules(),
        config.num_games,
        opponents,
        config.seed,
        weights=weights,
        pad=config.pad,
        skip_forced=config.skip_forced,
    )


def falling(start: float, end: float) -> Callable[[float], float]:
    """Return a schedule that falls (or rises) linearly from ``start`` to ``end`` over the run.

    >>> falling(1.0, 0.0)(0.25)  # a quarter of the run is left
    0.25
    """

    def schedule(remaining: float) -> float:
        return end + (start - end) * remaining

    return schedule


def cooling(start: float, end: float) -> Callable[[float], float]:
    """Return a schedule that changes from ``start`` to ``end`` by the same factor in equal times.

    Most of the run is then near ``end``. Where one of them is 0 the schedule is linear.

    >>> round(cooling(0.1, 0.001)(0.5), 9)
    0.01
    """
    if start == 0 or end == 0:
        return falling(start, end)

    def schedule(remaining: float) -> float:
        return float(end * (start / end) ** remaining)

    return schedule


def make_model(config: Config, env: KunsVecEnv) -> BaseAlgorithm:
    """Return the algorithm of a run, untrained."""
    makers = {"ppo": make_ppo, "a2c": make_a2c, "dqn": make_dqn}
    return makers[config.algo](config, ScaledRewards(env, reward_scale(config.make_rules())))


def policy_class(config: Config) -> type[SafeMaskablePolicy]:
    """Return the kind of policy of an actor-critic."""
    return ScoringPolicy if config.head == MOVES else SafeMaskablePolicy


def policy_arguments(config: Config) -> dict[str, Any]:
    """Return the network of an actor-critic: layers that policy and value share, then equal ones for each."""
    activation = ACTIVATION_LAYERS[config.activation]
    shared, layers = config.hidden[: config.shared_layers], list(config.hidden[config.shared_layers :])
    arguments: dict[str, Any] = {"net_arch": {"pi": layers, "vf": layers}, "activation_fn": activation}
    if shared:
        arguments["features_extractor_class"] = SharedLayers
        arguments["features_extractor_kwargs"] = {"sizes": shared, "activation": activation}
    if config.head == MOVES:
        arguments["head_units"] = config.head_units
        arguments["places"] = move_places(config.make_rules(), config.pad)
    return arguments


def make_ppo(config: Config, env: VecEnv) -> BaseAlgorithm:
    """Return sb3-contrib's masked PPO."""
    settings = config.ppo
    return MaskablePPO(
        policy_class(config),
        env,
        learning_rate=falling(settings.learning_rate, settings.final_learning_rate),
        n_steps=settings.rollout_steps,
        batch_size=settings.batch_size,
        n_epochs=settings.epochs,
        gamma=GAMMA,
        gae_lambda=settings.gae_lambda,
        clip_range=settings.clip,
        ent_coef=settings.entropy,
        vf_coef=settings.value_weight,
        max_grad_norm=settings.max_grad_norm,
        policy_kwargs=policy_arguments(config),
        seed=config.seed % 2**32,
        device=DEVICE,
    )


def make_a2c(config: Config, env: VecEnv) -> BaseAlgorithm:
    """Return masked A2C."""
    settings = config.a2c
    return MaskedA2C(
        policy_class(config),
        env,
        learning_rate=falling(settings.learning_rate, settings.final_learning_rate),
        n_steps=settings.rollout_steps,
        gamma=GAMMA,
        gae_lambda=settings.gae_lambda,
        ent_coef=settings.entropy,
        vf_coef=settings.value_weight,
        max_grad_norm=settings.max_grad_norm,
        rms_prop_eps=A2C_EPSILON,
        policy_kwargs=policy_arguments(config),
        seed=config.seed % 2**32,
        device=DEVICE,
    )


def make_dqn(config: Config, env: VecEnv) -> BaseAlgorithm:
    """Return masked DQN."""
    settings = config.dqn
    return MaskedDQN(
        "MlpPolicy",
        env,
        learning_rate=falling(settings.learning_rate, settings.final_learning_rate),
        buffer_size=settings.buffer_size,
        learning_starts=settings.learning_starts,
        batch_size=settings.batch_size,
        gamma=GAMMA,
        train_freq=settings.rollout_steps,
        gradient_steps=settings.gradient_steps,
        # SB3 warns of an interval that is shorter than one step of all games, and then does what is meant.
        target_update_interval=max(settings.target_every, config.num_games),
        exploration_fraction=settings.exploration_part,
        exploration_initial_eps=settings.exploration,
        exploration_final_eps=settings.final_exploration,
        max_grad_norm=settings.max_grad_norm,
        policy_kwargs={
            "net_arch": list(config.hidden),
            "activation_fn": ACTIVATION_LAYERS[config.activation],
        },
        seed=config.seed % 2**32,
        device=DEVICE,
    )
