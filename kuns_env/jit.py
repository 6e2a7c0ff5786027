"""The one door to Numba: what is compiled, where it is cached, and when the user is told.

Numba keys its disk cache by the file of a function alone, so a changed *callee* in another file would be
served stale. Here the cache folder is named by a hash of every source file that kernels are made from.
"""

from __future__ import annotations

import hashlib
import logging
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numba
import numba.core.config as numba_config

Function = TypeVar("Function", bound=Callable[..., Any])

log = logging.getLogger("kuns_env")
PACKAGE = Path(__file__).resolve().parent


def source_hash(folders: Sequence[Path]) -> str:
    """Return a hash of all Python sources under ``folders``: 16 hexadecimal digits."""
    digest = hashlib.sha256()
    for folder in folders:
        for path in sorted(folder.rglob("*.py")):
            digest.update(path.relative_to(folder).as_posix().encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def cache_root() -> Path:
    """Return the folder for compiled code: ``NUMBA_CACHE_DIR``, else the user's cache folder."""
    given = os.environ.get("NUMBA_CACHE_DIR")
    if given:
        return Path(given) / "kuns-env"
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local"))
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "kuns-env"


def writable(folder: Path) -> bool:
    """Return whether compiled code can be kept in ``folder``, which is made."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    return os.access(folder, os.W_OK)


class Compiler:
    """Compiles kernels of one package into a cache folder that changes with any of its sources."""

    def __init__(self, *folders: Path) -> None:
        self.folder = cache_root() / source_hash(folders)
        # Numba, left to find out by itself, would fall back on a folder that is not named by the sources.
        self._cache = writable(self.folder)
        self._announced: set[str] = set()

    def __call__(self, function: Function, **options: bool) -> Function:
        """Return ``function`` compiled on first use: no GIL held, cached on disk where that is possible."""
        before = numba_config.CACHE_DIR
        # Numba reads this setting when it decorates; other libraries' caches keep theirs.
        numba_config.CACHE_DIR = str(self.folder)
        try:
            compiled = numba.njit(nogil=True, cache=self._cache, error_model="numpy", **options)(function)
        finally:
            numba_config.CACHE_DIR = before
        return compiled  # type: ignore[no-any-return]

    def kernel(self, function: Function) -> Function:
        """Return ``function`` compiled without reference counts: it must not allocate an array.

        Counting references to the arrays that kernels hand to each other took a third of the time of a step.
        """
        return self(function, _nrt=False)

    def allocating(self, function: Function) -> Function:
        """Return ``function`` compiled so that it may allocate arrays, also where a `kernel` calls it."""
        return self(function, _nrt=True)

    def inline(self, function: Function) -> Function:
        """Return ``function`` compiled as a `kernel`, into each of its callers: for small helpers on the hot path."""
        return self(function, _nrt=False, forceinline=True)

    def announce(self, game: str) -> None:
        """Say once, in one line, that the first start of ``game`` compiles. Silent when the cache is warm."""
        if game in self._announced or numba_config.DISABLE_JIT:
            return
        self._announced.add(game)
        # Numba names a folder by that of the sources and a hash of its path.
        if not any(self.folder.glob(f"{game}_*/*.nbi")):
            log.warning(
                "kuns-env: compiling the rules of %s once (up to a minute); later starts take under a second",
                game,
            )


jit = Compiler(PACKAGE)
"""The compiler of `kuns_env`'s own kernels."""
