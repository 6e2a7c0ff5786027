"""`mccfr-3`: the strategy for three players that comes with the package."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from kuns_agents.exact.agent import TableAgent
from kuns_agents.exact.table_file import read

NAME: Final = "mccfr-3"
FILE: Final = Path(__file__).resolve().parents[1] / "weights" / f"{NAME}.npz"


class Mccfr3Agent(TableAgent):
    """Plays `KunsRules.anted(3)` by the average strategy of MCCFR: strong in play, no equilibrium that is known of."""

    path = FILE

    def __init__(self) -> None:
        """Read the table."""
        super().__init__(*read(FILE))
