"""The compiler of this package's kernels. Their cache changes with any source of either package."""

from __future__ import annotations

from pathlib import Path

from kuns_env.jit import PACKAGE, Compiler

jit = Compiler(PACKAGE, Path(__file__).resolve().parent)
