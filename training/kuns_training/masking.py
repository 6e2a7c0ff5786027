"""Masked distributions and policies that hold: no illegal move is ever drawn, no NaN is ever learned.

Usual masking puts a large negative number (-1e8) in place of an illegal logit and lets the distribution check
that probabilities sum to one. With many moves the check fails by rounding; with large logits the number is
not large enough. Here illegal moves are minus infinity inside one log-softmax, everything that multiplies
by it is masked first, moves are drawn by the Gumbel trick (which cannot return a move of probability zero),
and a network that is itself not finite is reported as what it is.

Sources: invalid action masking, Huang & Ontanon 2022 (arXiv:2006.14171).
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import torch as th
from gymnasium import spaces
from sb3_contrib.common.maskable.distributions import MaskableDistribution
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.type_aliases import Schedule
from torch import nn

MOST_SKIPPED: Final = 20
"""Updates in a row that may be skipped for gradients that are not finite before training gives up."""


class DivergedError(FloatingPointError):
    """The network, not the masking, has broken: its outputs or its gradients are not finite."""


def check_logits(logits: th.Tensor) -> None:
    """Let finite ``logits`` pass.

    Raises:
        DivergedError: an entry is NaN or infinite; the message says how many and what may help.
    """
    if bool(th.isfinite(logits).all()):
        return
    bad = int((~th.isfinite(logits)).any(dim=-1).sum())
    raise DivergedError(
        f"the network's outputs are not finite in {bad} of {len(logits)} positions: its weights have diverged. "
        "Masking is not the cause; a lower learning rate or a lower max_grad_norm may help, "
        "and the last checkpoint is intact"
    )


def legal_mask(masks: Any, logits: th.Tensor) -> th.Tensor:
    """Return ``masks`` as a bool tensor of the shape of ``logits``, ``(B, A)``.

    Raises:
        ValueError: a row allows no move.
    """
    legal = th.as_tensor(masks, device=logits.device).reshape(logits.shape).to(th.bool)
    allowed = legal.any(dim=-1)
    if not bool(allowed.all()):
        row = int((~allowed).nonzero()[0, 0])
        raise ValueError(f"the mask of row {row} allows no move: the environment must always allow one")
    return legal


class SafeCategorical(MaskableDistribution):
    """A categorical distribution over the legal moves of each row.

    >>> distribution = SafeCategorical(3).proba_distribution(th.tensor([[0.0, 1e6, -1e6]]))
    >>> distribution.apply_masking(np.array([[1, 0, 0]]))
    >>> distribution.sample().tolist(), distribution.log_prob(th.tensor([0])).tolist()
    ([0], [0.0])
    """

    def __init__(self, action_dim: int) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.action_dim = action_dim
        self._logits = self._log_probs = th.zeros(0, action_dim)
        self._legal: th.Tensor | None = None

    def proba_distribution_net(self, latent_dim: int) -> nn.Module:
        """Return the layer that makes the logits."""
        return nn.Linear(latent_dim, self.action_dim)

    def proba_distribution(self, action_logits: th.Tensor) -> SafeCategorical:
        """Take new logits, any number of rows of ``action_dim``, with every move legal."""
        self._logits = action_logits.reshape(-1, self.action_dim)
        check_logits(self._logits)
        self.apply_masking(None)
        return self

    def apply_masking(self, masks: Any) -> None:
        """Make the moves whose mask is 0 impossible; None makes every move legal again."""
        if masks is None:
            self._legal = None
            self._log_probs = th.log_softmax(self._logits, dim=-1)
            return
        self._legal = legal_mask(masks, self._logits)
        self._log_probs = th.log_softmax(self._logits.masked_fill(~self._legal, -th.inf), dim=-1)

    @property
    def probs(self) -> th.Tensor:
        """Probabilities, ``(B, A)``: exactly 0 where illegal."""
        return self._log_probs.exp()

    def log_prob(self, actions: th.Tensor) -> th.Tensor:
        """Return the log probability of ``actions`` ``(B,)``: finite for every legal move."""
        return self._log_probs.gather(-1, actions.long().reshape(-1, 1)).squeeze(-1)

    def entropy(self) -> th.Tensor:
        """Return the entropy of every row, ``(B,)``."""
        log_probs = self._log_probs
        if self._legal is not None:
            # Zero times minus infinity is NaN, in the gradient too: masked before it is multiplied.
            log_probs = log_probs.masked_fill(~self._legal, 0.0)
            return -(log_probs * log_probs.exp().masked_fill(~self._legal, 0.0)).sum(dim=-1)
        return -(log_probs * log_probs.exp()).sum(dim=-1)

    def sample(self) -> th.Tensor:
        """Return a move for every row, drawn with its probability, ``(B,)``."""
        # The largest of log p + Gumbel noise is distributed as p. The noise is kept finite, so that even
        # the least likely legal move is above every illegal one.
        noise = th.empty_like(self._log_probs).exponential_().clamp_min_(th.finfo(th.float32).tiny)
        return (self._log_probs - noise.log_()).argmax(dim=-1)

    def mode(self) -> th.Tensor:
        """Return the likeliest move of every row, ``(B,)``."""
        return self._log_probs.argmax(dim=-1)

    def actions_from_params(self, action_logits: th.Tensor, deterministic: bool = False) -> th.Tensor:
        """Return moves for new logits, every move legal."""
        return self.proba_distribution(action_logits).get_actions(deterministic=deterministic)

    def log_prob_from_params(self, action_logits: th.Tensor) -> tuple[th.Tensor, th.Tensor]:
        """Return moves for new logits, and their log probabilities."""
        actions = self.actions_from_params(action_logits)
        return actions, self.log_prob(actions)


def guard_gradients(optimizer: th.optim.Optimizer) -> None:
    """Make ``optimizer`` skip an update whose gradients are not finite, and give up after `MOST_SKIPPED` in a row.

    Clipping does not help there: an infinite norm turns every gradient into NaN, and one such update ruins
    every weight for good.
    """
    skipped = 0

    def before_step(optimizer: th.optim.Optimizer, *_: Any) -> None:
        nonlocal skipped
        parameters = [parameter for group in optimizer.param_groups for parameter in group["params"]]
        # One sum for all: NaN and infinity survive every sum.
        total = sum((p.grad.sum() for p in parameters if p.grad is not None), th.zeros(()))
        if bool(th.isfinite(total)):
            skipped = 0
            return
        skipped += 1
        if skipped > MOST_SKIPPED:
            raise DivergedError(
                f"the gradients of {skipped} updates in a row are not finite: training cannot go on. "
                "Look for rewards that are not finite or far too large; the last checkpoint is intact"
            )
        for parameter in parameters:
            parameter.grad = None

    optimizer.register_step_pre_hook(before_step)


class SafeMaskablePolicy(MaskableActorCriticPolicy):
    """sb3-contrib's masked actor-critic policy with `SafeCategorical` and guarded gradients."""

    action_space: spaces.Discrete

    def __init__(self, *args: Any, use_sde: bool = False, **kwargs: Any) -> None:  # noqa: ARG002 - SB3's A2C gives it
        super().__init__(*args, **kwargs)

    def make_distribution(self) -> MaskableDistribution:
        """Return the distribution over moves, which makes the layer that feeds it."""
        return SafeCategorical(int(self.action_space.n))

    def _build(self, lr_schedule: Schedule) -> None:
        self.action_dist = self.make_distribution()
        super()._build(lr_schedule)
        guard_gradients(self.optimizer)


def uniform_legal(
    masks: np.ndarray[Any, Any], rng: np.random.Generator
) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Return one legal move for every row of ``masks`` ``(B, A)``, each legal move equally likely."""
    # Uniform numbers are at least 0, so adding 1 to the legal ones keeps them above every illegal one.
    moves: np.ndarray[Any, np.dtype[np.int64]] = ((masks > 0) * (1.0 + rng.random(masks.shape))).argmax(
        axis=1
    )
    return moves
