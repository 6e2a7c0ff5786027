"""From torch to the file that plays without torch: the layers of the network that chooses moves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import torch as th
from stable_baselines3.common.base_class import BaseAlgorithm
from torch import nn

from kuns_agents.network_file import Head
from kuns_agents.policy import PolicyAgent
from kuns_training.config import Config
from kuns_training.dqn import MaskedDQN
from kuns_training.moves_head import MovesHead

if TYPE_CHECKING:
    from kuns_agents import Agent

ACTION_NET = "action_net."
"""Begins the names of the head's weights in a policy's ``state_dict``."""

Layers = list[tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]]


def layers_of(model: BaseAlgorithm, weights: Mapping[str, th.Tensor] | None = None) -> Layers:
    """Return weights ``(in, out)`` and biases ``(out,)`` of the layers from observation to logits (or values).

    Args:
        model: one of the three algorithms.
        weights: to use in place of the model's own: a ``state_dict`` of its policy.
    """
    policy: Any = model.policy
    tensors = policy.state_dict() if weights is None else weights
    names = {id(module): name for name, module in policy.named_modules()}
    if isinstance(model, MaskedDQN):
        modules = [*policy.q_net.q_net]
    else:
        shared = getattr(policy.pi_features_extractor, "layers", ())
        modules = [*shared, *policy.mlp_extractor.policy_net, policy.action_net]
    linear = [names[id(module)] for module in modules if isinstance(module, nn.Linear)]
    return [(_array(tensors[f"{name}.weight"]).T.copy(), _array(tensors[f"{name}.bias"])) for name in linear]


def head_of(model: BaseAlgorithm, weights: Mapping[str, th.Tensor] | None = None) -> Head | None:
    """Return the head that scores moves by what they are, None where the last of `layers_of` has one output a move.

    What each move is has been multiplied by its weights, so the agent needs to know nothing of it.
    """
    net = getattr(model.policy, "action_net", None)
    if not isinstance(net, MovesHead):
        return None
    tensors = (
        net.state_dict()
        if weights is None
        else {
            name.removeprefix(ACTION_NET): tensor
            for name, tensor in weights.items()
            if name.startswith(ACTION_NET)
        }
    )
    moves = tensors["table"] + tensors["state.bias"]
    if net.kinds is not None:
        moves = net.features @ tensors["kinds.weight"].T + moves
    local = th.zeros(len(tensors["out"]), 0) if net.local is None else tensors["local.weight"]
    places = net.places.numpy()
    return Head(
        state=_array(tensors["state.weight"]).T.copy(),
        moves=_array(moves),
        places=np.where(places == net.size, -1, places).astype(np.int16),
        local=_array(local).T.copy(),
        out=_array(tensors["out"]),
        bias=_array(tensors["bias"]),
    )


def agent_of(
    model: BaseAlgorithm, config: Config, name: str, weights: Mapping[str, th.Tensor] | None = None
) -> Agent:
    """Return what ``model`` has learned as an agent that needs no torch.

    Args:
        model: one of the three algorithms.
        config: of its run.
        name: of the agent.
        weights: see `layers_of`.
    """
    return PolicyAgent(
        layers_of(model, weights),
        config.activation,
        config.make_rules(),
        pad=config.pad,
        kind="q" if isinstance(model, MaskedDQN) else "policy",
        name=name,
        info={"settings": config.to_dict(), "steps": int(model.num_timesteps)},
        head=head_of(model, weights),
    )


def _array(tensor: th.Tensor) -> npt.NDArray[np.float32]:
    # A copy: a snapshot must not go on learning.
    return np.array(tensor.detach().cpu().numpy(), np.float32)
