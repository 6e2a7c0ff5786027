"""The files of agents: an ``.npz`` of plain arrays without pickles, and ``meta``, a JSON text that describes them.

Every ``meta`` has a ``format``, which says what kind of agent it is, and the ``version`` of that format.
"""

from __future__ import annotations

import json
import os
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from kuns_agents.protocol import AgentError
from kuns_env.fields import parse_json
from kuns_env.files import replacing

META: Final = "meta"
ARCHIVE: Final = b"PK\x03\x04"
"""How an ``.npz`` begins."""

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


def write_archive(
    path: str | os.PathLike[str],
    meta: Mapping[str, Any],
    arrays: Mapping[str, Any],
    *,
    compressed: bool = False,
) -> None:
    """Write ``arrays`` and ``meta`` into the file ``path``; an older one is replaced in one step."""
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    save = np.savez_compressed if compressed else np.savez
    with replacing(path) as draft, draft.open("wb") as file:
        save(file, **{META: np.array(json.dumps(meta)), **arrays})


def read_archive(
    path: str | os.PathLike[str], *, only_meta: bool = False
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return ``meta`` and the arrays in the file ``path``; no arrays if ``only_meta`` is wanted.

    Raises:
        AgentError: the file is missing, damaged, or no agent's.
    """
    source = Path(path)
    if not source.is_file():
        raise AgentError(f"there is no agent file {str(source)!r}")
    try:
        # Anything else NumPy would take for a pickle, and speak of trusting it.
        with source.open("rb") as file:
            begins = file.read(len(ARCHIVE))
        if not (zipfile.is_zipfile(source) and begins == ARCHIVE):
            raise ValueError("it is no .npz file")
        with np.load(source, allow_pickle=False) as members:
            wanted = [META] if only_meta else members.files
            arrays = {name: members[name] for name in wanted}
        meta = parse_json(str(arrays.pop(META)))
    except UNREADABLE as error:
        raise AgentError(f"{str(source)!r} is damaged or no agent file: {error}") from None
    if not isinstance(meta, dict):
        raise AgentError(f"{str(source)!r} is no agent file: its {META} is no JSON object")
    return meta, arrays


def check_format(
    path: str | os.PathLike[str], meta: Mapping[str, Any], wanted: str, versions: Sequence[int]
) -> None:
    """Refuse a file of another format, or of a version that this program does not read.

    Raises:
        AgentError: see above.
    """
    if meta.get("format") != wanted:
        raise AgentError(f"{os.fspath(path)!r} is no agent file: it has no format {wanted!r}")
    if meta.get("version") not in versions:
        raise AgentError(
            f"{os.fspath(path)!r} is an agent file of version {meta.get('version')!r}: "
            f"this program reads version{'s' if len(versions) > 1 else ''} "
            + (f"{versions[0]} to {versions[-1]}" if len(versions) > 1 else f"{versions[0]}")
        )
