"""A score for each legal move, made from the position and from what the move is.

A layer with an output for each of a thousand moves learns each of them by itself, and computes all of them where five
are legal. Here a move is scored by a small network that is the same for all moves. It reads the position as the
layers before it have summed it up, what the move is (`kuns_training.move_places`), and the few numbers of the
observation that are about this very move: whether its card is held twice, what lies beside it, where it would fit.
Only legal moves are scored.

Sources: scoring actions by their features, He et al. 2016 (arXiv:1511.04636).
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import torch as th
from gymnasium import spaces
from sb3_contrib.common.maskable.distributions import MaskableDistribution
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from stable_baselines3.common.type_aliases import Schedule
from torch import nn

from kuns_training.masking import SafeMaskablePolicy, check_logits, legal_mask
from kuns_training.move_places import MovePlaces

OUT_GAIN: Final = 0.1
"""Of the last weights at the start: small, so that every legal move is about as likely."""


class SharedLayers(BaseFeaturesExtractor):
    """The first hidden layers, which policy and value share."""

    def __init__(
        self, observation_space: spaces.Box, sizes: tuple[int, ...], activation: type[nn.Module]
    ) -> None:
        super().__init__(observation_space, sizes[-1])
        layers: list[nn.Module] = []
        size = int(observation_space.shape[0])
        for units in sizes:
            layers += [nn.Linear(size, units), activation()]
            size = units
        self.layers = nn.Sequential(*layers)

    def forward(self, observations: th.Tensor) -> th.Tensor:
        """Return the last of these layers, ``(B, sizes[-1])``."""
        out: th.Tensor = self.layers(observations)
        return out


class MovesHead(nn.Module):
    """Scores pairs of a position and a move.

    Args:
        size: of what the layers before it give, ``S``.
        units: hidden units, ``D``.
        places: what the moves are, and where the observation speaks of them.
        activation: of the hidden units.
    """

    features: th.Tensor
    places: th.Tensor

    def __init__(self, size: int, units: int, places: MovePlaces, activation: type[nn.Module]) -> None:
        super().__init__()
        num_moves, num_features = places.features.shape
        num_columns = places.places.shape[1]
        self.register_buffer("features", th.tensor(places.features), persistent=False)
        # One number more than the observation has is put at its end, always zero: the place that is none.
        self.size = places.size
        near = np.where(places.places < 0, places.size, places.places)
        self.register_buffer("places", th.tensor(near).long(), persistent=False)
        self.state = nn.Linear(size, units)
        self.kinds = nn.Linear(num_features, units, bias=False) if num_features else None
        self.table = nn.Parameter(th.zeros(num_moves, units))
        self.local = nn.Linear(num_columns, units, bias=False) if num_columns else None
        self.activation = activation()
        self.out = nn.Parameter(th.zeros(units))
        self.bias = nn.Parameter(th.zeros(num_moves))

    def start(self) -> None:
        """Set the weights with which training begins."""
        for layer in (self.state, self.kinds, self.local):
            if layer is not None:
                nn.init.orthogonal_(layer.weight)
        nn.init.normal_(self.out, std=OUT_GAIN / len(self.out) ** 0.5)

    def moves(self) -> th.Tensor:
        """Return the part of every move that no position changes, ``(num_moves, D)``."""
        return self.table if self.kinds is None else self.kinds(self.features) + self.table

    def forward(
        self, latent: th.Tensor, observations: th.Tensor, rows: th.Tensor, moves: th.Tensor
    ) -> th.Tensor:
        """Return the score of move ``moves[i]`` in position ``rows[i]``, ``(L,)``.

        Args:
            latent: what the layers before it give, ``(B, S)``.
            observations: ``(B, size)``.
            rows: ``(L,)``, from 0 to ``B - 1``.
            moves: ``(L,)``.
        """
        hidden = self.state(latent)[rows] + self.moves()[moves]
        if self.local is not None:
            spare = nn.functional.pad(observations, (0, 1))
            hidden = hidden + self.local(
                spare.reshape(-1)[(rows * spare.shape[1]).unsqueeze(1) + self.places[moves]]
            )
        scores: th.Tensor = self.activation(hidden) @ self.out + self.bias[moves]
        return scores


class LegalMoves(MaskableDistribution):
    """A categorical distribution over the legal moves of each row, of which only these have scores.

    It is `SafeCategorical` for a head that scores what it is asked for.
    """

    def __init__(self, action_dim: int) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.action_dim = action_dim
        self.make_head: Any = None
        self._score: Any = None
        self._num_rows = 0
        self._rows = self._moves = self._log_probs = th.zeros(0)
        self._ready = False

    def proba_distribution_net(self, latent_dim: int) -> nn.Module:
        """Return the head."""
        head: nn.Module = self.make_head(latent_dim)
        return head

    def proba_distribution(self, action_logits: Any) -> LegalMoves:
        """Take positions: how many, and what scores ``(rows, moves)`` of them. Every move is legal at first."""
        self._num_rows, self._score = action_logits
        self._ready = False
        return self

    def apply_masking(self, masks: Any) -> None:
        """Make the moves whose mask is 0 impossible; None makes every move legal again."""
        shape = th.empty(0).new_zeros(self._num_rows, self.action_dim)
        legal = legal_mask(th.ones_like(shape) if masks is None else masks, shape)
        self._rows, self._moves = legal.nonzero(as_tuple=True)
        scores = self._score(self._rows, self._moves)
        check_logits(scores.unsqueeze(-1))
        top = self._of_rows(scores.detach(), "amax")
        scores = scores - top[self._rows]
        total = th.zeros(self._num_rows).index_add(0, self._rows, scores.exp())
        self._log_probs = scores - total.log()[self._rows]
        self._ready = True

    def _of_rows(self, values: th.Tensor, how: str) -> th.Tensor:
        """Return the largest or least of ``values`` ``(L,)`` in every row, ``(B,)``."""
        out = th.zeros(self._num_rows, dtype=values.dtype)
        return out.scatter_reduce(0, self._rows, values, how, include_self=False)

    def _flat(self) -> th.Tensor:
        """Return log probabilities of the legal moves, row by row, ``(L,)``."""
        if not self._ready:
            self.apply_masking(None)
        return self._log_probs

    @property
    def probs(self) -> th.Tensor:
        """Probabilities, ``(B, A)``: exactly 0 where illegal."""
        values = self._flat().exp()
        out = th.zeros(self._num_rows, self.action_dim)
        return out.index_put((self._rows, self._moves), values)

    def log_prob(self, actions: th.Tensor) -> th.Tensor:
        """Return the log probability of legal ``actions`` ``(B,)``.

        Raises:
            ValueError: one of them is not legal.
        """
        log_probs = self._flat()
        keys = self._rows * self.action_dim + self._moves
        wanted = th.arange(self._num_rows) * self.action_dim + actions.long().reshape(-1)
        places = th.searchsorted(keys, wanted).clamp_max(len(keys) - 1)
        if not bool((keys[places] == wanted).all()):
            raise ValueError("an illegal move has no log probability")
        return log_probs[places]

    def entropy(self) -> th.Tensor:
        """Return the entropy of every row, ``(B,)``."""
        log_probs = self._flat()
        return -th.zeros(self._num_rows).index_add(0, self._rows, log_probs * log_probs.exp())

    def sample(self) -> th.Tensor:
        """Return a move for every row, drawn with its probability, ``(B,)``."""
        log_probs = self._flat().detach()
        noise = th.empty_like(log_probs).exponential_().clamp_min_(th.finfo(th.float32).tiny)
        return self._best(log_probs - noise.log_())

    def mode(self) -> th.Tensor:
        """Return the likeliest move of every row, ``(B,)``; of equals the one with the least number."""
        return self._best(self._flat().detach())

    def _best(self, values: th.Tensor) -> th.Tensor:
        best = values == self._of_rows(values, "amax")[self._rows]
        return self._of_rows(th.where(best, self._moves, self.action_dim), "amin")

    def actions_from_params(self, action_logits: Any, deterministic: bool = False) -> th.Tensor:
        """Return moves for new positions, every move legal."""
        return self.proba_distribution(action_logits).get_actions(deterministic=deterministic)

    def log_prob_from_params(self, action_logits: Any) -> tuple[th.Tensor, th.Tensor]:
        """Return moves for new positions, and their log probabilities."""
        actions = self.actions_from_params(action_logits)
        return actions, self.log_prob(actions)


class ScoringPolicy(SafeMaskablePolicy):
    """`SafeMaskablePolicy` that scores legal moves one by one.

    Args:
        args: as SB3's policies.
        head_units: hidden units of the head.
        places: what the moves are, and where the observation speaks of them.
        kwargs: as SB3's policies.
    """

    def __init__(self, *args: Any, head_units: int, places: MovePlaces, **kwargs: Any) -> None:
        self._head_units, self._places = head_units, places
        super().__init__(*args, **kwargs)

    def _get_constructor_parameters(self) -> dict[str, Any]:
        return super()._get_constructor_parameters() | {
            "head_units": self._head_units,
            "places": self._places,
        }

    def _build(self, lr_schedule: Schedule) -> None:
        super()._build(lr_schedule)
        assert isinstance(self.action_net, MovesHead)
        self.action_net.start()

    def make_distribution(self) -> MaskableDistribution:
        """Return the distribution over moves, which makes the head."""
        moves = LegalMoves(int(self.action_space.n))
        moves.make_head = lambda size: MovesHead(size, self._head_units, self._places, self.activation_fn)
        return moves

    def extract_features(self, obs: Any, features_extractor: Any = None) -> Any:
        """Return what the shared layers give. The observation itself is kept for the head, which reads it too."""
        self._seen = obs.float()
        return super().extract_features(obs, features_extractor)

    def get_distribution(self, obs: Any, action_masks: Any = None) -> MaskableDistribution:
        """Return the distribution over moves in positions."""
        self._seen = obs.float()  # sb3-contrib does not come by the method above
        return super().get_distribution(obs, action_masks)

    def _get_action_dist_from_latent(self, latent_pi: th.Tensor) -> MaskableDistribution:
        seen = self._seen

        def score(rows: th.Tensor, moves: th.Tensor) -> th.Tensor:
            scores: th.Tensor = self.action_net(latent_pi, seen, rows, moves)
            return scores

        return self.action_dist.proba_distribution((len(latent_pi), score))
