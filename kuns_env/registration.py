"""The environments by name: ``pettingzoo.make("aec", "kuns_v0")``, ``gymnasium.make("KunsDuel-v0")``.

Entry points are text, so nothing is loaded before an environment is made.
"""

from __future__ import annotations

from typing import Final

import gymnasium
import pettingzoo

AEC_IDS: Final = {"kuns-v0": "kuns_env.kuns_v0:env", "kunken-v0": "kuns_env.kunken_v0:env"}
"""PettingZoo id to entry point. PettingZoo reads ``kuns_v0`` as ``kuns-v0``."""

SEAT_IDS: Final = {
    "Kuns-v0": "kuns",
    "KunsAnted-v0": "kuns-anted",
    "KunsTiny-v0": "kuns-tiny",
    "KunsDuel-v0": "kuns-duel",
    "Kunken-v0": "kunken",
    "KunkenMini-v0": "kunken-mini",
}
"""gymnasium id to preset: one seat of it, against opponents that play at random unless others are given."""

SEAT_ENV: Final = "kuns_env.engine.seat_env:make_seat_env"
SEAT_VECTOR_ENV: Final = "kuns_env.engine.seat_vector_env:make_seat_vector_env"


def register() -> None:
    """Enter every environment into the registries of PettingZoo and gymnasium, once."""
    if hasattr(pettingzoo, "register"):  # since PettingZoo 1.27
        for name, entry_point in AEC_IDS.items():
            if name not in pettingzoo.aec_registry:
                pettingzoo.register("aec", name, entry_point)
    for name, preset in SEAT_IDS.items():
        game = preset.partition("-")[0]  # a preset's name begins with its game
        if name not in gymnasium.registry:
            gymnasium.register(
                name,
                entry_point=SEAT_ENV,
                vector_entry_point=SEAT_VECTOR_ENV,
                kwargs={"rules": preset, "game": game},
            )
