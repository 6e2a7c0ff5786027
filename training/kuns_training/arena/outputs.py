"""Everything that is told of an evaluation, as files in a folder."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from kuns_training.arena import pictures, report, tidy
from kuns_training.arena.evaluation import Evaluation
from kuns_training.run_folder import write_text

TABLE: Final = "table.txt"
JSON: Final = "results.json"
CSV: Final = "results.csv"
PICTURE: Final = "picture.png"


def table_text(evaluation: Evaluation) -> str:
    """Return what `TABLE` holds: everything that can be printed."""
    return report.to_text(evaluation, statistics=True, style=True, ratings=True) + "\n"


def write_outputs(folder: Path, evaluation: Evaluation) -> str | None:
    """Write `TABLE`, `JSON`, `CSV` and `PICTURE` into ``folder``, each of them whole or not at all.

    All but the picture follow from the evaluation alone, byte for byte; ratings are left out where openskill is not
    installed.

    Returns:
        None, or why there is no picture.
    """
    write_text(folder / TABLE, table_text(evaluation))
    write_text(folder / JSON, report.to_json(evaluation))
    write_text(folder / CSV, tidy.to_csv(evaluation))
    refusal = pictures.why_no_picture()
    if refusal is None:
        pictures.draw(folder / PICTURE, evaluation)
    return refusal
