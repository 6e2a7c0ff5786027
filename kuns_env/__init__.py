"""Kuns and Kunken as reference environments for games of imperfect information."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from kuns_env.errors import IllegalMoveError, OptionsError, RecordError, RulesError
from kuns_env.kunken.rules import KunkenRules
from kuns_env.kuns.rules import KunsRules
from kuns_env.registration import register as _register

if TYPE_CHECKING:
    from kuns_env import records
    from kuns_env.engine.batch import Batch
    from kuns_env.engine.game import preset
    from kuns_env.engine.seat import SeatGames
    from kuns_env.engine.seat_env import SeatEnv
    from kuns_env.engine.seat_vector_env import SeatVectorEnv
    from kuns_env.engine.table import Table
    from kuns_env.engine.view import View, Views

__version__ = "0.1.0"

_register()

__all__ = [
    "Batch",
    "IllegalMoveError",
    "KunkenRules",
    "KunsRules",
    "OptionsError",
    "RecordError",
    "RulesError",
    "SeatEnv",
    "SeatGames",
    "SeatVectorEnv",
    "Table",
    "View",
    "Views",
    "preset",
    "records",
]

# Loaded on use: Numba takes a good part of a second to import.
_LAZY = {
    "Batch": "kuns_env.engine.batch",
    "SeatEnv": "kuns_env.engine.seat_env",
    "SeatGames": "kuns_env.engine.seat",
    "SeatVectorEnv": "kuns_env.engine.seat_vector_env",
    "Table": "kuns_env.engine.table",
    "View": "kuns_env.engine.view",
    "Views": "kuns_env.engine.view",
    "preset": "kuns_env.engine.game",
}


def __getattr__(name: str) -> Any:
    """Import what is asked for."""
    if name == "records":
        return import_module("kuns_env.records")
    if name not in _LAZY:
        raise AttributeError(f"module 'kuns_env' has no attribute {name!r}")
    value = getattr(import_module(_LAZY[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Return the public names, the ones not loaded yet too."""
    return sorted(__all__)
