"""How a figure is measured and printed: the median of several runs, one JSON line."""

from __future__ import annotations

import json
import os
import platform
import statistics
import time
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

RUNS = 5
SECONDS = 1.0
"""About how long one run is to take."""


def processor() -> str:
    """Return the name of the processor, as far as the system tells."""
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text("utf-8").splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


def versions(*packages: str) -> dict[str, str]:
    """Return the installed versions of ``packages``; those that are not installed are left out."""
    found = {}
    for package in packages:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


MACHINE = {
    "processor": processor(),
    "cores": os.cpu_count(),
    "python": platform.python_version(),
    **versions("numpy", "numba", "pettingzoo", "gymnasium"),
}


def emit(name: str, value: float, unit: str, **details: Any) -> None:
    """Print one figure as a JSON line."""
    line = {"name": name, "value": float(f"{value:.4g}"), "unit": unit, **details, "machine": MACHINE}
    print(json.dumps(line), flush=True)


def rate(work: Callable[[int], int]) -> tuple[float, float, float]:
    """Return (median, lowest, highest) units of work a second.

    Args:
        work: does about ``n`` units of work and returns how many it did.
    """
    work(1)  # compiles, or loads what was compiled
    amount, took = 1, 0.0
    while took < SECONDS / 10:  # find out how much fills a run
        amount *= 4
        start = time.perf_counter()
        done = work(amount)
        took = time.perf_counter() - start
    amount = max(1, int(done * SECONDS / took))
    rates = []
    for _ in range(RUNS):
        start = time.perf_counter()
        done = work(amount)
        rates.append(done / (time.perf_counter() - start))
    return statistics.median(rates), min(rates), max(rates)


def emit_rate(name: str, work: Callable[[int], int], unit: str = "decisions/s", **details: Any) -> float:
    """Measure ``work``, print the figure, and return its median."""
    median, lowest, highest = rate(work)
    emit(name, median, unit, lowest=float(f"{lowest:.4g}"), highest=float(f"{highest:.4g}"), **details)
    return median
