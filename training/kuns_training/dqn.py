"""Deep Q-learning with masks: SB3's `DQN`, where every choice and every maximum is over legal moves only.

Sources: DQN, Mnih et al. 2015; the maximum over the next state's legal moves is what its equation says, since
the next state has no other moves.
"""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt
import torch as th
from gymnasium import spaces
from stable_baselines3 import DQN
from stable_baselines3.common.buffers import ReplayBuffer
from stable_baselines3.common.policies import BasePolicy
from stable_baselines3.common.vec_env import VecNormalize
from torch.nn import functional

from kuns_training.masking import check_logits, guard_gradients, legal_mask, uniform_legal

Array = npt.NDArray[Any]


class MaskedSamples(NamedTuple):
    """A minibatch of transitions."""

    observations: th.Tensor
    actions: th.Tensor
    next_observations: th.Tensor
    dones: th.Tensor
    rewards: th.Tensor
    next_masks: th.Tensor


class MaskedReplayBuffer(ReplayBuffer):
    """A replay buffer in which the legal moves of the next observation travel with it."""

    action_space: spaces.Discrete

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        # An episode that was cut off counts as over: no seat is to act in its last observation, so the
        # network knows no value for it.
        super().__init__(*args, **kwargs | {"handle_timeout_termination": False})
        self.next_masks = np.ones((self.buffer_size, self.n_envs, int(self.action_space.n)), np.int8)

    def add_masked(self, next_masks: Array, *transition: Any) -> None:
        """Remember a transition of every game, with the masks ``(N, A)`` after it."""
        self.next_masks[self.pos] = next_masks
        self.add(*transition)

    def _get_samples(self, batch_inds: Array, env: VecNormalize | None = None) -> MaskedSamples:  # type: ignore[override]  # noqa: ARG002
        games = np.random.randint(0, self.n_envs, len(batch_inds))  # noqa: NPY002 - as SB3, which seeds it
        parts = (
            self.observations[batch_inds, games],
            self.actions[batch_inds, games],
            self.next_observations[batch_inds, games],
            self.dones[batch_inds, games, None],
            self.rewards[batch_inds, games, None],
            self.next_masks[batch_inds, games],
        )
        return MaskedSamples(*map(self.to_torch, parts))


class MaskedDQN(DQN):
    """`DQN` whose exploration, targets and predictions are over legal moves only.

    It takes what `DQN` takes. The environment must answer ``env_method("action_masks")``.
    """

    policy_aliases: ClassVar[dict[str, type[BasePolicy]]] = DQN.policy_aliases
    replay_buffer: MaskedReplayBuffer

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs | {"replay_buffer_class": MaskedReplayBuffer})

    def _setup_model(self) -> None:
        super()._setup_model()
        self.explorer = np.random.default_rng(self.seed)
        guard_gradients(self.policy.optimizer)

    def _masks(self) -> Array:
        assert self.env is not None
        # A list of one array for all games, or of one for each.
        return np.asarray(self.env.env_method("action_masks")).reshape(self.n_envs, -1)

    def _sample_action(
        self,
        learning_starts: int,
        action_noise: Any = None,  # noqa: ARG002 - SB3's signature
        n_envs: int = 1,  # noqa: ARG002
    ) -> tuple[Array, Array]:
        assert self._last_obs is not None
        masks = self._masks()
        if self.num_timesteps < learning_starts:
            moves = uniform_legal(masks, self.explorer)
        else:
            moves, _ = self.predict(self._last_obs, action_masks=masks)  # type: ignore[arg-type]
        return moves, moves

    def predict(  # type: ignore[override]
        self,
        observation: Array,
        state: Any = None,
        episode_start: Any = None,  # noqa: ARG002 - SB3's signature
        deterministic: bool = False,
        action_masks: Array | None = None,
    ) -> tuple[Array, Any]:
        """Return a legal move for each observation: the best, or at the exploration rate any.

        Args:
            observation: ``(size,)`` or ``(B, size)``.
            state: given back as it is.
            episode_start: not used.
            deterministic: do not explore.
            action_masks: the legal moves, ``(A,)`` or ``(B, A)``.

        Raises:
            ValueError: no masks are given.
        """
        if action_masks is None:
            raise ValueError("predict needs action_masks: without them it might choose an illegal move")
        rows = self.policy.obs_to_tensor(observation)[0]
        with th.no_grad():
            values = self.q_net(rows)
        check_logits(values)
        masks = np.asarray(action_masks).reshape(values.shape)
        moves = values.masked_fill(~legal_mask(masks, values), -th.inf).argmax(dim=1).cpu().numpy()
        if not deterministic:
            explores = self.explorer.random(len(moves)) < self.exploration_rate
            moves = np.where(explores, uniform_legal(masks, self.explorer), moves)
        return (moves if np.ndim(action_masks) > 1 else moves[0]), state

    def _store_transition(
        self,
        replay_buffer: ReplayBuffer,
        buffer_action: Array,
        new_obs: Any,
        reward: Array,
        dones: Array,
        infos: list[dict[str, Any]],
    ) -> None:
        # Where an episode has ended, next observation and masks are another episode's: nothing reads them,
        # because nothing follows (see `train`).
        assert isinstance(replay_buffer, MaskedReplayBuffer)
        replay_buffer.add_masked(self._masks(), self._last_obs, new_obs, buffer_action, reward, dones, infos)
        self._last_obs = new_obs

    def train(self, gradient_steps: int, batch_size: int = 100) -> None:
        """Do some minibatches of Q-learning."""
        self.policy.set_training_mode(True)
        self._update_learning_rate(self.policy.optimizer)
        losses = [self._train_once(self.replay_buffer.sample(batch_size)) for _ in range(gradient_steps)]  # type: ignore[arg-type]
        self._n_updates += gradient_steps
        self.logger.record("train/n_updates", self._n_updates, exclude="tensorboard")
        self.logger.record("train/loss", float(np.mean(losses)))

    def _train_once(self, data: MaskedSamples) -> float:
        with th.no_grad():
            following = self.q_net_target(data.next_observations)
            legal = legal_mask(data.next_masks, following)
            best = following.masked_fill(~legal, -th.inf).max(dim=1, keepdim=True).values
            targets = data.rewards + (1 - data.dones) * self.gamma * best
        values = self.q_net(data.observations)
        check_logits(values)
        loss = functional.smooth_l1_loss(values.gather(1, data.actions.long()), targets)
        self.policy.optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        th.nn.utils.clip_grad_norm_(self.policy.parameters(), self.max_grad_norm)
        self.policy.optimizer.step()
        return loss.item()
