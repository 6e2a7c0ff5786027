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

NOT_SHOWN = "Lead over the next"
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
    return "\n\n".join(cross_table(name) for name in TOURNAMENTS)


def cross_table(name: str) -> str:
    """Return the results of one tournament: its table up to `NOT_SHOWN`."""
    tournament, folder = TOURNAMENTS[name], FOLDER / name
    times = json.loads((folder / TIMES).read_text("utf-8"))
    shown = (folder / "table.txt").read_text("utf-8").partition(NOT_SHOWN)[0].rstrip()
    return (
        f"### {tournament.title}\n\n`{tournament.command} --out FOLDER`: {times['hands']:,} hands in "
        f"{times['seconds']:.0f} s with `--jobs {times['jobs']}`. How everybody played is in "
        f"[table.txt](../benchmarks/tournaments/{name}/table.txt), and `kuns reproduce benchmarks/tournaments/{name}` "
        f"plays it again.\n\n```text\n{shown}\n```"
    )


def learners() -> str:
    """Return the exploitability of trained agents."""
    lines_of = [json.loads(line) for line in LEARNERS.read_text("utf-8").splitlines()]
    rows = [
        f"| {line['algorithm'].upper()} | {line['seed']} | {line['decisions']:,} | {line['seconds']:.0f} "
        f"| {line['value']:.3f} | {line['left']:+.3f} | {line['dealer']:+.3f} |"
        for line in sorted(lines_of, key=lambda line: (ALGORITHMS.index(line["algorithm"]), line["seed"]))
    ]
    titles = ("algorithm", "seed", "decisions", "seconds", "exploitability", "as left", "as dealer")
    return "\n".join([f"| {' | '.join(titles)} |", "|---" * len(titles) + "|", *rows])
