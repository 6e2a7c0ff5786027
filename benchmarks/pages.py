"""The table of docs/benchmarks.md, printed from the figures that were measured last."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results.jsonl"
"""What ``python -m benchmarks > benchmarks/results.jsonl`` printed."""

LEFT_OUT = ("name", "value", "unit", "machine", "packages", "peer", "lowest", "highest")


def lines() -> list[dict[str, Any]]:
    """Return the figures that were measured last."""
    return [json.loads(line) for line in RESULTS.read_text("utf-8").splitlines()]


def number(value: float) -> str:
    """Return a figure for people.

    >>> number(10420000.0), number(7.125)
    ('10,420,000', '7.12')
    """
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def machine() -> str:
    """Return the machine on which the figures were measured, in one line."""
    facts = lines()[0]["machine"]
    versions = ", ".join(f"{name} {facts[name]}" for name in facts if name not in ("processor", "cores"))
    return f"Measured on {facts['processor']}, {facts['cores']} cores; {versions}."


def speed() -> str:
    """Return the table of all figures: the median of five runs, and between which values they lay."""
    rows = ["| what | figure | runs | details |", "|---|---|---|---|"]
    for line in lines():
        runs = f"{number(line['lowest'])} – {number(line['highest'])}" if "lowest" in line else ""
        details = ", ".join(f"{key} {value}" for key, value in line.items() if key not in LEFT_OUT)
        rows.append(f"| {line['name']} | {number(line['value'])} {line['unit']} | {runs} | {details} |")
    return "\n".join(rows)
