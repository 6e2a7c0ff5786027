"""A start by imitation: the learner first learns what another agent would do in its place.

A thousand moves and a payoff after a hundred decisions give an untrained network little to learn from. Here it is
shown a player: in each of its decisions it is told that player's move. At first the player makes the moves, so that
the learner sees good games; more and more the learner makes them itself, so that it is told what to do where its own
mistakes have led, and learns what its positions are worth in its own hands.

Sources: learning by asking in one's own positions, Ross, Gordon & Bagnell 2011 (arXiv:1011.0686).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import torch as th
from stable_baselines3.common.base_class import BaseAlgorithm
from torch.nn import functional

from kuns_agents.code_file import staying
from kuns_training.config import Config
from kuns_training.pool import load_for
from kuns_training.settings import ConfigError, WarmSettings

if TYPE_CHECKING:
    from kuns_agents import Agent
    from kuns_training.watch import Watch

LAST_RATE: Final = 0.1
"""The learning rate at the end, as a share of that at the start."""
STREAM: Final = 0x1417
"""Name of the random stream of the player that is imitated, beside the seed."""
KEPT: Final = ("observations", "actions", "rewards", "starts", "values", "masks", "labels")


def load_teacher(config: Config) -> Agent | None:
    """Return the agent to imitate, None where there is none.

    Raises:
        ConfigError: there is no such agent, it does not play these rules, or the algorithm has no policy.
    """
    if not config.warm.agent or not config.warm.steps:
        return None
    if config.algo == "dqn":
        raise ConfigError("warm.agent: dqn learns values of moves, not moves: it cannot imitate")
    return load_for(config.warm.agent, config.make_rules(), "warm.agent")


class Imitation:
    """The part of a run that comes before its rewards. What it needs to go on is in a checkpoint like all else."""

    def __init__(self, config: Config, teacher: Agent) -> None:
        self.settings: WarmSettings = config.warm
        self.teacher = teacher
        self.steps = 0
        """Decisions so far."""
        self.rng = np.random.default_rng([config.seed, STREAM])

    @property
    def is_done(self) -> bool:
        """Whether all decisions have been imitated."""
        return self.steps >= self.settings.steps

    def run(self, model: BaseAlgorithm, watch: Watch) -> None:
        """Imitate until it is done; ``watch`` may end it between two updates."""
        learner: Any = model
        if learner._last_obs is None:
            learner._last_obs = learner.env.reset()
            learner._last_episode_starts = np.ones(learner.n_envs, bool)
        while not self.is_done:
            watch.between_imitations()
            self._update(learner, *self._collect(learner, watch))

    def _collect(self, learner: Any, watch: Watch) -> tuple[dict[str, Any], Any]:
        """Play, and return what was seen and told, arrays ``(T, N, …)``, and the values at the end ``(N,)``."""
        kept: dict[str, list[Any]] = {name: [] for name in KEPT}
        games = watch.env.games
        for _ in range(self.settings.rollout_steps):
            observations, masks = learner._last_obs, games.masks
            rows = th.as_tensor(observations)
            with th.no_grad():
                own, values, _ = learner.policy(rows, action_masks=masks)
            with staying():
                labels = np.asarray(self.teacher.act(games.views(), self.rng), np.int64)
            led = self.rng.random(len(labels)) * self.settings.steps >= self.steps
            moves = np.where(led, labels, own.numpy())
            found, rewards, dones, _ = learner.env.step(moves)
            row = (
                observations,
                moves,
                rewards,
                learner._last_episode_starts,
                values.numpy().ravel(),
                masks,
                labels,
            )
            for name, value in zip(KEPT, row, strict=True):
                kept[name].append(value)
            learner._last_obs, learner._last_episode_starts = found, dones
            self.steps += len(labels)
        with th.no_grad():
            last = learner.policy.predict_values(th.as_tensor(learner._last_obs)).numpy().ravel()
        return {name: np.stack(values) for name, values in kept.items()}, last

    def _update(self, learner: Any, seen: dict[str, Any], last: Any) -> None:
        targets = returns_of(seen, last, learner._last_episode_starts, learner.gae_lambda)
        flat = [
            values.reshape(-1, *values.shape[2:])
            for values in (seen["observations"], seen["masks"], seen["labels"])
        ]
        optimizer = learner.policy.optimizer
        left = max(1 - self.steps / self.settings.steps, 0.0)
        for group in optimizer.param_groups:
            group["lr"] = self.settings.learning_rate * (LAST_RATE + (1 - LAST_RATE) * left)
        learner.policy.set_training_mode(True)
        losses = []
        for _ in range(self.settings.epochs):
            order = self.rng.permutation(len(flat[0]))
            for start in range(0, len(order), self.settings.batch_size):
                rows = order[start : start + self.settings.batch_size]
                observations, masks, labels = (th.as_tensor(values[rows]) for values in flat)
                losses.append(
                    self._step(learner, observations, labels, masks, th.as_tensor(targets.reshape(-1)[rows]))
                )
        learner.policy.set_training_mode(False)
        learner.logger.record("imitation/loss", float(np.mean([policy for policy, _ in losses])))
        learner.logger.record("imitation/value_loss", float(np.mean([value for _, value in losses])))
        learner.logger.dump(step=self.steps)

    def _step(
        self,
        learner: Any,
        observations: th.Tensor,
        labels: th.Tensor,
        masks: th.Tensor,
        targets: th.Tensor,
    ) -> tuple[float, float]:
        """Follow one gradient, and return the losses of policy and value."""
        values, log_prob, _ = learner.policy.evaluate_actions(observations, labels, action_masks=masks)
        policy_loss = -log_prob.mean()
        value_loss = functional.mse_loss(values.flatten(), targets)
        optimizer = learner.policy.optimizer
        optimizer.zero_grad()
        (policy_loss + learner.vf_coef * value_loss).backward()
        th.nn.utils.clip_grad_norm_(learner.policy.parameters(), learner.max_grad_norm)
        optimizer.step()
        return policy_loss.item(), value_loss.item()


def returns_of(seen: dict[str, Any], last: Any, starts: Any, gae_lambda: float) -> Any:
    """Return what each decision was followed by, undiscounted, float32 ``(T, N)``: TD(lambda) of what was played.

    Args:
        seen: ``rewards``, ``values`` and ``starts`` (whether an episode begins with the decision), ``(T, N)`` each.
        last: values of the decisions after the last, ``(N,)``.
        starts: whether an episode begins with them, ``(N,)``.
        gae_lambda: weight of longer returns.
    """
    rewards, values = seen["rewards"], seen["values"]
    advantages = np.zeros_like(values)
    after = np.zeros_like(last)
    for t in range(len(rewards) - 1, -1, -1):
        ends = starts if t == len(rewards) - 1 else seen["starts"][t + 1]
        following = last if t == len(rewards) - 1 else values[t + 1]
        goes_on = 1.0 - ends.astype(np.float32)
        after = rewards[t] + goes_on * following - values[t] + goes_on * gae_lambda * after
        advantages[t] = after
    return (advantages + values).astype(np.float32)
