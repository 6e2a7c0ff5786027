"""The file of a trained agent: an ``.npz`` of plain arrays, and what they were trained for as JSON in it."""

from __future__ import annotations

import json
import os
import zipfile
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from kuns_agents.protocol import AgentError
from kuns_env.engine.game import Rules, game_of, rules_from_dict
from kuns_env.fields import parse_json
from kuns_env.files import replacing

FORMAT: Final = "kuns-agents/network"
VERSION: Final = 1
META: Final = "meta"
ARCHIVE: Final = b"PK\x03\x04"
"""How an ``.npz`` begins."""

Weights: TypeAlias = npt.NDArray[np.float32]
Layer: TypeAlias = tuple[Weights, Weights]

UNREADABLE: Final = (
    OSError,
    ValueError,
    KeyError,
    TypeError,
    AttributeError,
    EOFError,
    MemoryError,
    NotImplementedError,
    zipfile.BadZipFile,
    zlib.error,
)
"""What reading a file that is no ``.npz`` of plain arrays, or a damaged one, can raise."""

KINDS: Final = ("policy", "q")
"""What comes out of the network: logits of a policy, or the value of every move."""


@dataclass(frozen=True, slots=True)
class Network:
    """A multi-layer perceptron, and the observations that it reads."""

    layers: tuple[Layer, ...]
    """Weights ``(in, out)`` and biases ``(out,)`` from the observation to one number a move."""
    activation: str
    rules: Rules
    """What it was trained for."""
    encoder: str = "table"
    pad: bool = False
    kind: str = "policy"
    name: str = "policy"
    info: dict[str, Any] = field(default_factory=dict)
    """How it was trained: anything that JSON can hold."""


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
        "info": network.info,
    }
    arrays: dict[str, Any] = {META: np.array(json.dumps(meta))}
    for i, (weights, biases) in enumerate(network.layers):
        arrays[f"weights_{i}"], arrays[f"biases_{i}"] = weights, biases
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as draft, draft.open("wb") as file:
        np.savez(file, **arrays)


def read(path: str | os.PathLike[str]) -> Network:
    """Return the network in the file ``path``.

    Raises:
        AgentError: the file is missing, damaged, of a newer version, or its observations are not laid out as
            this program lays them out.
    """
    source = Path(path)
    if not source.is_file():
        raise AgentError(f"there is no agent file {str(source)!r}")
    try:
        # Anything else NumPy would take for a pickle, and speak of trusting it.
        if not (zipfile.is_zipfile(source) and source.read_bytes().startswith(ARCHIVE)):
            raise ValueError("it is no .npz file")
        with np.load(source, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        meta = parse_json(str(arrays.pop(META)))
    except UNREADABLE as error:
        raise AgentError(f"{str(source)!r} is damaged or no agent file: {error}") from None
    if not isinstance(meta, dict) or meta.get("format") != FORMAT:
        raise AgentError(f"{str(source)!r} is no agent file: it has no format {FORMAT!r}")
    if meta.get("version") != VERSION:
        raise AgentError(
            f"{str(source)!r} is an agent file of version {meta.get('version')!r}: this program reads version {VERSION}"
        )
    try:
        network = _network(meta, arrays)
        here = layout_of(network.rules, network.encoder, network.pad)
        there = [[str(name), int(size)] for name, size in meta["layout"]]
    except (KeyError, TypeError, ValueError) as error:
        raise AgentError(f"the agent file {str(source)!r} is damaged: {error}") from None
    if here != there:
        raise AgentError(
            f"the agent in {str(source)!r} reads observations of {layout_size(there)} numbers; those of this "
            f"program have {layout_size(here)}: {first_difference(there, here)}"
        )
    return network


def _network(meta: dict[str, Any], arrays: dict[str, Any]) -> Network:
    layers = tuple((arrays[f"weights_{i}"], arrays[f"biases_{i}"]) for i in range(int(meta["num_layers"])))
    return Network(
        layers=layers,
        activation=str(meta["activation"]),
        rules=rules_from_dict(meta["game"], meta["rules"]),
        encoder=str(meta["encoder"]),
        pad=bool(meta["pad"]),
        kind=str(meta["kind"]),
        name=str(meta["name"]),
        info=dict(meta["info"]),
    )
