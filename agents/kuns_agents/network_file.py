"""The file of a trained agent: an ``.npz`` of plain arrays, and what they were trained for as JSON in it.

The arrays are float32, without pickles. ``meta`` is a JSON text with these keys:

- ``format`` (`FORMAT`), ``version`` (`VERSION`; older ones are read), ``kind`` (one of `KINDS`), ``name``, ``info``
  (anything);
- ``game`` and ``rules`` (the rules object as plain data), ``encoder``, ``pad`` and ``layout`` (name and size of each
  feature of the observation): what was trained for and what is read;
- ``activation`` (between layers, not after the last) and ``num_layers``: the arrays ``weights_0`` ``(in, out)``,
  ``biases_0`` ``(out,)``, ``weights_1``, … are a multi-layer perceptron that reads the observation;
- ``head`` (one of `HEADS`; since version 2): how moves get their numbers.

  - ``linear``: the perceptron ends in one number a move.
  - ``moves``: a score for every legal move from what the move is: see `Head`, whose arrays are named ``head_state``,
    ``head_moves``, …. The perceptron then has the activation after its last layer too.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields
from itertools import zip_longest
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from kuns_agents.archive import check_format, read_archive, write_archive
from kuns_agents.protocol import AgentError
from kuns_env.engine.game import Rules, game_of, rules_from_dict

FORMAT: Final = "kuns-agents/network"
VERSION: Final = 2
VERSIONS: Final = (1, VERSION)
"""Those that are read. Version 1 has no ``head``: it is linear."""
Weights: TypeAlias = npt.NDArray[np.float32]
Layer: TypeAlias = tuple[Weights, Weights]


def relu(x: Weights) -> Weights:
    """Return ``x`` where it is positive, else 0."""
    return np.maximum(x, np.float32(0))


RELU: Final = "relu"
ACTIVATIONS: Final[dict[str, Callable[[Weights], Weights]]] = {"tanh": np.tanh, RELU: relu}
"""What stands between two layers."""

KINDS: Final = ("policy", "q")
"""What comes out of the network: logits of a policy, or the value of every move."""

LINEAR: Final = "linear"
MOVES: Final = "moves"
HEADS: Final = (LINEAR, MOVES)
"""How moves get their numbers: see above."""


@dataclass(frozen=True, slots=True)
class Head:
    """Scores moves one by one: ``act(h @ state + moves[m] + x[places[m]] @ local) @ out + bias[m]``.

    ``h`` is what the layers before it say of the position, ``x`` the observation, ``m`` the move, ``act`` the
    network's activation.
    """

    state: Weights
    """``(H, D)``: from the position to the ``D`` hidden units."""
    moves: Weights
    """``(num_moves, D)``: what each move is."""
    places: npt.NDArray[np.int16]
    """``(num_moves, J)``: places of the observation that speak of this very move; -1 where there is none."""
    local: Weights
    """``(J, D)``: what is found there."""
    out: Weights
    """``(D,)``: from the hidden units to the score."""
    bias: Weights
    """``(num_moves,)``."""


HEAD_ARRAYS: Final = tuple(entry.name for entry in fields(Head))
"""In the file: ``head_`` and the name."""


@dataclass(frozen=True, slots=True)
class Network:
    """A multi-layer perceptron, and the observations that it reads."""

    layers: tuple[Layer, ...]
    """Weights ``(in, out)`` and biases ``(out,)`` from the observation on: to one number a move, or to what `head`
    reads."""
    activation: str
    rules: Rules
    """What it was trained for."""
    encoder: str = "table"
    pad: bool = False
    kind: str = "policy"
    name: str = "policy"
    info: dict[str, Any] = field(default_factory=dict)
    """How it was trained: anything that JSON can hold."""
    head: Head | None = None
    """Where moves are scored by what they are; None where the last layer has a number for each."""


def layout_of(rules: Rules, encoder: str, pad: bool) -> list[list[Any]]:
    """Return the name and size of every feature of an observation; of tokens, the length alone."""
    made: Any = game_of(rules).encoder(encoder, pad)
    if hasattr(made, "layout"):
        return [[feature.name, feature.size] for feature in made.layout]
    return [[encoder, int(made.shape[0])]]


def layout_size(layout: Sequence[Sequence[Any]]) -> int:
    """Return how many numbers a layout has.

    >>> layout_size([["phase", 8], ["round", 3]])
    11
    """
    return sum(size for _, size in layout)


def first_difference(there: Sequence[Sequence[Any]], here: Sequence[Sequence[Any]]) -> str:
    """Return in words the first feature in which two layouts differ.

    >>> first_difference([["phase", 8], ["round", 3]], [["phase", 8], ["round", 4]])
    "feature 1 is ['round', 3] there, ['round', 4] here"
    """
    for place, (one, other) in enumerate(zip_longest(there, here, fillvalue=None)):
        if one != other:
            return f"feature {place} is {one or 'missing'} there, {other or 'missing'} here"
    return "no feature differs"


def write(network: Network, path: str | os.PathLike[str]) -> None:
    """Write ``network`` into the file ``path``; an older one is replaced in one step."""
    meta = {
        "format": FORMAT,
        "version": VERSION,
        "kind": network.kind,
        "name": network.name,
        "game": network.rules.game,
        "rules": network.rules.to_dict(),
        "encoder": network.encoder,
        "pad": network.pad,
        "layout": layout_of(network.rules, network.encoder, network.pad),
        "activation": network.activation,
        "num_layers": len(network.layers),
        "head": LINEAR if network.head is None else MOVES,
        "info": network.info,
    }
    arrays: dict[str, Any] = {}
    for i, (weights, biases) in enumerate(network.layers):
        arrays[f"weights_{i}"], arrays[f"biases_{i}"] = weights, biases
    if network.head is not None:
        arrays |= {f"head_{name}": getattr(network.head, name) for name in HEAD_ARRAYS}
    write_archive(path, meta, arrays)


def read(path: str | os.PathLike[str]) -> Network:
    """Return the network in the file ``path``.

    Raises:
        AgentError: the file is missing, damaged, of a newer version, or its observations are not laid out as
            this program lays them out.
    """
    meta, arrays = read_archive(path)
    check_format(path, meta, FORMAT, VERSIONS)
    source = Path(path)
    try:
        network = _network(meta, arrays)
        here = layout_of(network.rules, network.encoder, network.pad)
        there = _layout(meta["layout"])
    except (KeyError, TypeError, ValueError) as error:
        raise AgentError(f"the agent file {str(source)!r} is damaged: {error}") from None
    if here != there:
        raise AgentError(
            f"the agent in {str(source)!r} reads observations of {layout_size(there)} numbers; those of this "
            f"program have {layout_size(here)}: {first_difference(there, here)}"
        )
    return network


def _layout(features: Any) -> list[list[Any]]:
    return [[str(name), int(size)] for name, size in features]


def _network(meta: dict[str, Any], arrays: dict[str, Any]) -> Network:
    head = meta.get("head", LINEAR)
    if head not in HEADS:
        raise ValueError(f"its head is {head!r}: must be one of {', '.join(HEADS)}")
    return Network(
        layers=tuple((arrays[f"weights_{i}"], arrays[f"biases_{i}"]) for i in range(int(meta["num_layers"]))),
        activation=str(meta["activation"]),
        rules=rules_from_dict(meta["game"], meta["rules"]),
        encoder=str(meta["encoder"]),
        pad=bool(meta["pad"]),
        kind=str(meta["kind"]),
        name=str(meta["name"]),
        info=dict(meta["info"]),
        head=Head(**{name: arrays[f"head_{name}"] for name in HEAD_ARRAYS}) if head == MOVES else None,
    )
