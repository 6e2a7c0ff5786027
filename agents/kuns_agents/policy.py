"""`policy`: a trained network, run with plain NumPy, so that playing against it needs no torch."""

from __future__ import annotations

import json
import numbers
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from kuns_agents import network_kernels
from kuns_agents.drawing import draw_moves
from kuns_agents.hands import Floats
from kuns_agents.network_file import (
    ACTIVATIONS,
    HEAD_ARRAYS,
    KINDS,
    RELU,
    Head,
    Layer,
    Network,
    Weights,
    layout_of,
    layout_size,
    read,
    write,
)
from kuns_agents.protocol import HISTORY, MULTISET, AgentError, Moves, Probabilities, contiguous
from kuns_env import KunsRules, Views
from kuns_env.engine.game import Rules, game_of
from kuns_env.fields import RulesBase

MOST: Final = float(np.finfo(np.float32).max)


def what_matters(rules: Rules) -> dict[str, Any]:
    """Return the fields of ``rules`` that observations without padding, and moves, take their meaning from."""
    fields = ["num_players"]
    if isinstance(rules, KunsRules):
        fields += ["ante_menu", "side_bets", *(["side_stakes"] if rules.side_bets else [])]
    return {name: getattr(rules, name) for name in fields}


def in_words(fields: dict[str, Any]) -> str:
    """Return fields as Python would be given them.

    >>> in_words({"num_players": 3, "ante_menu": (1, 2)})
    'num_players=3, ante_menu=(1, 2)'
    """
    return ", ".join(f"{name}={value!r}" for name, value in fields.items())


def as_options(fields: dict[str, Any]) -> str:
    """Return fields as the command `kuns` would be given them.

    >>> as_options({"num_players": 3, "ante_menu": (1, 2)})
    '--players 3 --set ante_menu=[1,2]'
    """
    options = []
    for name, value in fields.items():
        text = json.dumps(value, separators=(",", ":"))
        options.append(f"--players {text}" if name == "num_players" else f"--set {name}={text}")
    return " ".join(options)


ONE_THREAD: Final = 2**18
"""Multiplications up to which OpenBLAS does a product in one thread."""
LONG: Final = 512
"""Numbers from which an observation is taken to be mostly zeros, which are then skipped."""


def multiply(x: Weights, weights: Weights) -> Weights:
    """Return ``x @ weights``, a slice of the rows at a time.

    Products this small gain nothing by threads, and lose a hundredfold where the processors are busy: each waits
    for the others. Slices also make the sums, and so the agent, the same whatever the number of processors.
    """
    rows = max(1, ONE_THREAD // max(weights.size, 1))
    if len(x) <= rows:
        return x @ weights
    return np.concatenate([x[i : i + rows] @ weights for i in range(0, len(x), rows)])


def masked_softmax(logits: Floats, masks: Any) -> Probabilities:
    """Return the softmax over the legal moves: 0 elsewhere, whatever the logits are, and every row sums to 1.

    >>> masked_softmax(np.array([[1e38, -1e38, np.inf]]), np.array([[1, 1, 0]])).tolist()
    [[1.0, 0.0, 0.0]]

    Args:
        logits: shape ``(B, A)``; infinite ones count as the largest float32.
        masks: shape ``(B, A)``, at least one legal move in every row.
    """
    legal = np.asarray(masks) > 0
    # Illegal moves take no part: the largest of all logits may be an illegal one, and all others vanish beside it.
    finite = np.where(legal, np.clip(logits.astype(np.float64), -MOST, MOST), -np.inf)
    odds = np.exp(finite - finite.max(axis=1, keepdims=True))
    policy: Probabilities = odds / odds.sum(axis=1, keepdims=True)
    return policy


class PolicyAgent:
    """Draws a move from the policy that it has learned, or takes the best.

    Args:
        layers: weights ``(in, out)`` and biases ``(out,)`` from the observation to one number a move.
        activation: one of `ACTIVATIONS`, between the layers.
        rules: what it was trained for.
        encoder: the observation that it reads.
        pad: whether that is laid out for the most players that the game has.
        kind: "policy", if logits come out, or "q", if the values of moves do: then the best is taken.
        name: of the agent; " greedy" is added where it is, since it then plays another game.
        info: how it was trained: anything that JSON can hold.
        greedy: take the likeliest move instead of drawing one.
        epsilon: the share of moves that are drawn from all legal ones alike.
        head: scores moves by what they are; ``layers`` then end in what it reads.

    Raises:
        AgentError: layers that do not fit each other, the observation or the moves; an unknown activation.
    """

    def __init__(
        self,
        layers: Sequence[Layer],
        activation: str,
        rules: Rules,
        *,
        encoder: str = "table",
        pad: bool = False,
        kind: str = "policy",
        name: str = "policy",
        info: dict[str, Any] | None = None,
        greedy: bool = False,
        epsilon: float = 0.0,
        head: Head | None = None,
    ) -> None:
        _check_kinds(layers, activation, rules, encoder, kind, name)
        self.network = Network(tuple(layers), activation, rules, encoder, pad, kind, name, info or {}, head)
        self.name = f"{name} greedy" if greedy and kind != "q" else name
        self.greedy = greedy or kind == "q"
        self.epsilon = epsilon
        self.path: Path | None = None
        """The file that it was read from: evaluations name it and its hash."""
        self.reads = MULTISET if encoder == "table" else HISTORY
        _check(self.network)
        if not isinstance(epsilon, numbers.Real) or not 0 <= epsilon <= 1:
            raise AgentError(f"epsilon={epsilon!r}: must be from 0 to 1")

    def logits(self, observations: Any, masks: Any = None) -> Weights:
        """Return the network's number for every move, float32 ``(B, A)``.

        Args:
            observations: shape ``(B, size)``.
            masks: shape ``(B, A)``: only numbers of legal moves are wanted, the others may be 0.
        """
        network = self.network
        between = ACTIVATIONS[network.activation]
        seen: Weights = contiguous(np.asarray(observations, np.float32))
        x = seen
        for i, (weights, biases) in enumerate(network.layers):
            if i == 0 and len(weights) >= LONG:
                x = np.empty((len(seen), len(biases)), np.float32)
                network_kernels.sparse_layer(seen, weights, biases, x)
            else:
                x = multiply(x if i == 0 else between(x), weights) + biases
        head = network.head
        if head is None:
            return x
        scores = np.zeros((len(seen), len(head.bias)), np.float32)
        legal = np.ones(scores.shape, np.int8) if masks is None else contiguous(masks)
        network_kernels.score_legal(
            seen,
            multiply(between(x), head.state),
            legal,
            network.activation == RELU,
            tuple(getattr(head, name) for name in HEAD_ARRAYS[1:]),
            scores,
        )
        return scores

    def policy(self, views: Views) -> Probabilities:
        """Return the probability of every move, float64 ``(B, A)``.

        Raises:
            AgentError: the rules are others than it can play, or the network answers with NaN.
        """
        logits = self._numbers(views).astype(np.float64)
        legal = views.masks > 0
        if self.greedy:
            out = np.zeros(logits.shape)
            out[
                np.arange(len(out)), np.where(legal, np.clip(logits, -MOST, MOST), -np.inf).argmax(axis=1)
            ] = 1
        else:
            out = masked_softmax(logits, views.masks)
        if self.epsilon > 0:
            out = (1 - self.epsilon) * out + self.epsilon * legal / legal.sum(axis=1, keepdims=True)
        return out

    def _numbers(self, views: Views) -> Weights:
        """Return the network's numbers, those of legal moves not NaN."""
        reason = self.supports(views.rules)
        if reason is not None:
            raise AgentError(reason)
        logits = self.logits(views.observations(self.network.encoder, self.network.pad), views.masks)
        if np.isnan(logits).any() and np.isnan(logits[views.masks > 0]).any():
            raise AgentError(f"agent {self.name!r}: its network answers with NaN")
        return logits

    def act(self, views: Views, rng: np.random.Generator) -> Moves:
        """Return one legal move for each view: a draw of ``rng`` each, in order; none where it is not needed."""
        if self.network.head is not None and self.epsilon == 0:
            return self._act_on_scores(views, rng)
        policy = self.policy(views)
        if self.greedy and self.epsilon == 0:
            best: Moves = policy.argmax(axis=1)
            return best
        return draw_moves(policy, rng)

    def _act_on_scores(self, views: Views, rng: np.random.Generator) -> Moves:
        """Return `act`'s moves where a few of a thousand moves are legal: nothing is computed for the others."""
        scores = np.clip(self._numbers(views), -MOST, MOST)
        moves = np.empty(len(views), np.int64)
        draws = np.full(len(views), -1.0) if self.greedy else rng.random(len(views))
        network_kernels.draw_legal(scores, contiguous(views.masks), draws, moves)
        return moves

    def supports(self, rules: Rules) -> str | None:
        """Return None if observations and moves mean under ``rules`` what they meant in training, else why not."""
        trained = self.network.rules
        if type(rules) is not type(trained):
            other = getattr(rules, "game", type(rules).__name__)
            return f"agent {self.name!r} was trained for {trained.game}, not for {other}"
        wanted, given = what_matters(trained), what_matters(rules)
        if self.network.pad or wanted == given:
            return None
        wanted_only = {name: value for name, value in wanted.items() if given.get(name, value) != value}
        given_only = {name: given[name] for name in wanted_only}
        sizes = [layout_size(layout_of(each, self.network.encoder, False)) for each in (trained, rules)]
        return (
            f"agent {self.name!r} was trained for {in_words(wanted_only)} (observations of {sizes[0]} numbers); "
            f"not for {in_words(given_only)} ({sizes[1]} numbers): {as_options(wanted_only)}, or train with --pad"
        )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the agent into the file ``path``, for `kuns_agents.load`."""
        write(self.network, path)


def load_policy(path: str | os.PathLike[str], *, greedy: bool = False, epsilon: float = 0.0) -> PolicyAgent:
    """Return the agent in the file ``path``.

    Raises:
        AgentError: the file is missing, damaged, of a newer version or for another observation layout.
    """
    network = read(path)
    try:
        agent = PolicyAgent(
            network.layers,
            network.activation,
            network.rules,
            encoder=network.encoder,
            pad=network.pad,
            kind=network.kind,
            name=network.name,
            info=network.info,
            greedy=greedy,
            epsilon=epsilon,
            head=network.head,
        )
    except AgentError as error:
        raise AgentError(f"the agent file {os.fspath(path)!r} cannot be used: {error}") from None
    agent.path = Path(path)
    return agent


def _check_kinds(
    layers: object, activation: object, rules: object, encoder: object, kind: object, name: object
) -> None:
    """Raise `AgentError` unless everything is of the kind that it has to be."""
    texts = {"activation": activation, "encoder": encoder, "kind": kind, "name": name}
    for field, value in texts.items():
        if not isinstance(value, str):
            raise AgentError(f"{field} {value!r}: must be text")
    if not isinstance(rules, RulesBase):
        raise AgentError(f"rules {rules!r}: must be a rules object, such as KunsRules()")
    _check_layers(layers)


def _check_layers(layers: object) -> None:
    """Raise `AgentError` unless ``layers`` are layers."""
    wanted = "must be pairs of arrays, the weights and the biases of each layer"
    if not isinstance(layers, Sequence):
        raise AgentError(f"layers={layers!r}: {wanted}")
    for i, layer in enumerate(layers):
        if not isinstance(layer, tuple | list) or [isinstance(part, np.ndarray) for part in layer] != [
            True,
            True,
        ]:
            raise AgentError(f"layer {i} is of type {type(layer).__name__}: {wanted}")


def _check(network: Network) -> None:
    """Raise `AgentError` unless the parts of ``network`` fit each other."""
    if network.activation not in ACTIVATIONS:
        raise AgentError(f"activation {network.activation!r}: must be one of {', '.join(ACTIVATIONS)}")
    if network.kind not in KINDS:
        raise AgentError(f"kind {network.kind!r}: must be one of {', '.join(KINDS)}")
    game = game_of(network.rules)
    size = sum(size for _, size in layout_of(network.rules, network.encoder, network.pad))
    if not network.layers:
        raise AgentError("the network has no layers")
    width = _width(network.layers, size)
    if network.head is not None:
        _check_head(network.head, width, game.num_moves, size)
    elif width != game.num_moves:
        raise AgentError(f"the network ends in {width} numbers: must be {game.num_moves}, one a move")


def _check_head(head: Head, width: int, num_moves: int, size: int) -> None:
    """Raise `AgentError` unless ``head`` fits the network, the moves and the observation."""
    units, columns = head.out.size, head.local.shape[0]
    wanted = {
        "state": (width, units),
        "moves": (num_moves, units),
        "places": (num_moves, columns),
        "local": (columns, units),
        "out": (units,),
        "bias": (num_moves,),
    }
    for name, shape in wanted.items():
        found = getattr(head, name).shape
        if found != shape:
            raise AgentError(f"the head's {name} has the shape {found}: must be {shape}")
    if head.places.size and not -1 <= head.places.min() <= head.places.max() < size:
        raise AgentError(f"the head looks at places beyond the {size} numbers of the observation")


def _width(layers: Sequence[Layer], size: int) -> int:
    """Return in how many numbers ``layers`` end that are given ``size``."""
    for i, (weights, biases) in enumerate(layers):
        if weights.ndim != 2 or biases.shape != weights.shape[1:]:
            raise AgentError(
                f"layer {i} has weights {weights.shape} and biases {biases.shape}: they do not fit"
            )
        if weights.shape[0] != size:
            raise AgentError(f"layer {i} reads {weights.shape[0]} numbers and is given {size}")
        size = weights.shape[1]
    return size
