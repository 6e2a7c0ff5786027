"""The tables of docs/benchmarks.md, printed from the figures that were measured last."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from benchmarks.learners import ALGORITHMS
from benchmarks.tournaments import FOLDER, TIMES, TOURNAMENTS

RESULTS = Path(__file__).parent / "results.jsonl"
"""What ``python -m benchmarks > benchmarks/results.jsonl`` printed."""

LEARNERS = Path(__file__).parent / "learners.jsonl"
"""What ``python -m benchmarks learners > benchmarks/learners.jsonl`` printed."""

NOT_SHOWN = ("Lead over the next",)
"""Where the part of a tournament's table begins that is left to its file."""

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


def cross_tables() -> str:
    """Return the results of the tournaments that are kept, each with the command that plays it."""
    parts = []
    for name, tournament in TOURNAMENTS.items():
        folder = FOLDER / name
        times = json.loads((folder / TIMES).read_text("utf-8"))
        text = (folder / "table.txt").read_text("utf-8")
        parts += [
            f"### {tournament.title}",
            "",
            f"`{tournament.command} --out FOLDER`: {times['hands']:,} hands in {times['seconds']:.0f} s with "
            f"`--jobs {times['jobs']}`. The whole table, with how everybody played, is in "
            f"[table.txt](../benchmarks/tournaments/{name}/table.txt); `kuns reproduce benchmarks/tournaments/{name}` plays "
            "it again.",
            "",
            f"```text\n{text.partition(NOT_SHOWN[0])[0].rstrip()}\n```",
            "",
        ]
    return "\n".join(parts).rstrip()


def learners() -> str:
    """Return the exploitability of trained agents."""
    lines_of = [json.loads(line) for line in LEARNERS.read_text("utf-8").splitlines()]
    rows = [
        "| algorithm | seed | decisions | seconds | exploitability | as left | as dealer |",
        "|---|---|---|---|---|---|---|",
    ]
    for line in sorted(lines_of, key=lambda line: (ALGORITHMS.index(line["algorithm"]), line["seed"])):
        rows.append(
            f"| {line['algorithm'].upper()} | {line['seed']} | {line['decisions']:,} | {line['seconds']:.0f} "
            f"| {line['value']:.3f} | {line['left']:+.3f} | {line['dealer']:+.3f} |"
        )
    return "\n".join(rows)
