"""Fill the parts of README.md and docs/ that are printed from code.

    python tools/pages.py           rewrite the pages
    python tools/pages.py --check   only say which are out of date

A part begins with ``<!-- printed by module:function -->`` and ends with ``<!-- end -->``; ``function()``
returns what stands between the two.
"""

from __future__ import annotations

import re
import sys
from importlib import import_module
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))  # for what is not installed: benchmarks
PART = re.compile(r"(<!-- printed by ([\w.]+):(\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def pages() -> list[Path]:
    """Return the pages that may hold printed parts."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def fill(text: str) -> str:
    """Return ``text`` with every part printed anew."""

    def part(match: re.Match[str]) -> str:
        printed = getattr(import_module(match[2]), match[3])()
        return f"{match[1]}{printed.rstrip()}\n{match[4]}"

    return PART.sub(part, text)


def main() -> int:
    """Rewrite the pages, or with ``--check`` return 1 if one is out of date."""
    check = "--check" in sys.argv[1:]
    stale = []
    for page in pages():
        text = page.read_text("utf-8")
        filled = fill(text)
        if filled != text:
            stale.append(page.name)
            if not check:
                page.write_text(filled, "utf-8")
    if stale:
        print(f"{'out of date' if check else 'rewritten'}: {', '.join(stale)}")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
