"""Advantage actor-critic with masks: SB3's `A2C`, with the masks of a rollout kept and used in its update.

Sources: A3C/A2C, Mnih et al. 2016 (arXiv:1602.01783); invalid action masking, Huang & Ontanon 2022.
"""

from __future__ import annotations

from typing import Any

import torch as th
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.buffers import MaskableRolloutBuffer
from stable_baselines3 import A2C
from stable_baselines3.common.buffers import RolloutBuffer
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.utils import explained_variance
from stable_baselines3.common.vec_env import VecEnv
from torch.nn import functional

from kuns_training.masking import SafeMaskablePolicy

SMALLEST_DEVIATION = 1e-8
"""Added to the deviation of advantages, so that equal ones divide to zero."""


class MaskedA2C(A2C):
    """`A2C` on legal moves only. It takes what `A2C` takes; the policy is `SafeMaskablePolicy`."""

    policy: SafeMaskablePolicy  # type: ignore[assignment]
    rollout_buffer: MaskableRolloutBuffer

    def __init__(self, policy: Any, env: Any, **kwargs: Any) -> None:
        super().__init__(policy, env, rollout_buffer_class=MaskableRolloutBuffer, **kwargs)

    def collect_rollouts(
        self, env: VecEnv, callback: BaseCallback, rollout_buffer: RolloutBuffer, n_rollout_steps: int
    ) -> bool:
        """Play, and keep masks with the decisions: what `MaskablePPO` does, since the two differ in the update."""
        collect = MaskablePPO.collect_rollouts
        return collect(self, env, callback, rollout_buffer, n_rollout_steps)  # type: ignore[arg-type]

    def train(self) -> None:
        """Do one gradient step on the whole rollout."""
        self.policy.set_training_mode(True)
        self._update_learning_rate(self.policy.optimizer)
        data = next(self.rollout_buffer.get(batch_size=None))
        values, log_prob, entropy = self.policy.evaluate_actions(
            data.observations, data.actions.flatten(), action_masks=data.action_masks
        )
        advantages = data.advantages
        if self.normalize_advantage:
            advantages = (advantages - advantages.mean()) / (advantages.std() + SMALLEST_DEVIATION)
        policy_loss = -(advantages * log_prob).mean()
        value_loss = functional.mse_loss(data.returns, values.flatten())
        assert entropy is not None
        entropy_loss = -entropy.mean()
        loss = policy_loss + self.ent_coef * entropy_loss + self.vf_coef * value_loss
        self.policy.optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        th.nn.utils.clip_grad_norm_(self.policy.parameters(), self.max_grad_norm)
        self.policy.optimizer.step()
        self._n_updates += 1
        buffer = self.rollout_buffer
        self.logger.record("train/n_updates", self._n_updates, exclude="tensorboard")
        explained = explained_variance(buffer.values.flatten(), buffer.returns.flatten())
        self.logger.record("train/explained_variance", explained)
        self.logger.record("train/entropy_loss", entropy_loss.item())
        self.logger.record("train/policy_loss", policy_loss.item())
        self.logger.record("train/value_loss", value_loss.item())

    def predict(self, *args: Any, **kwargs: Any) -> Any:
        """Return moves as the policy's ``predict`` does; it takes ``action_masks``."""
        return self.policy.predict(*args, **kwargs)
