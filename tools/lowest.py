"""Print the lowest versions that pyproject.toml allows, as a constraints file for pip.

    python tools/lowest.py > constraints.txt

The bounds stand in pyproject.toml and nowhere else: this reads them there. Python's own library is enough.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

PYPROJECT = Path(__file__).resolve().parents[1] / "pyproject.toml"

NOT_SHIPPED = ("dev",)
"""Extras for people who change this project: they use what is newest."""

NOT_PINNED = ("torch",)
"""Its oldest release comes with gigabytes of GPU libraries; the CPU build that install.py picks is used instead."""

REQUIREMENT = re.compile(r"(?P<name>[A-Za-z0-9][A-Za-z0-9._-]*)(?P<extras>\[[^]]*\])?(?P<ranges>[^;]*)")
LOWEST = re.compile(r">=\s*([^,\s]+)")


def requirements(project: Mapping[str, Any]) -> Iterator[str]:
    """Yield what the project and its shipped extras require, the project's own extras left out."""
    extras: Mapping[str, Iterable[str]] = project["optional-dependencies"]
    groups = [
        project["dependencies"],
        *(wanted for name, wanted in extras.items() if name not in NOT_SHIPPED),
    ]
    for group in groups:
        for text in group:
            if not text.startswith(f"{project['name']}["):
                yield text


def constraints(project: Mapping[str, Any]) -> list[str]:
    """Return one ``name==version`` for each requirement, sorted.

    Raises:
        ValueError: a requirement without a lower bound, or with two different ones.
    """
    lowest: dict[str, str] = {}
    for text in requirements(project):
        parts = REQUIREMENT.match(text)
        bound = LOWEST.search(parts["ranges"]) if parts else None
        if parts is None or bound is None:
            raise ValueError(f"{text!r}: has no lower bound (`>=`)")
        if lowest.setdefault(parts["name"], bound[1]) != bound[1]:
            raise ValueError(f"{text!r}: another extra asks for >={lowest[parts['name']]}")
    return sorted(f"{name}=={version}" for name, version in lowest.items() if name not in NOT_PINNED)


def main() -> None:
    """Print the constraints."""
    project = tomllib.loads(PYPROJECT.read_text("utf-8"))["project"]
    print("\n".join(constraints(project)))


if __name__ == "__main__":
    main()
