"""What the pages print from code is what the code prints now."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from games import COMPILED

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tools"))

import pages  # noqa: E402 - a script, found by the line above


@pytest.mark.parametrize("page", pages.pages(), ids=lambda page: page.name)
def test_printed_parts_are_up_to_date(page: Path) -> None:
    text = page.read_text("utf-8")
    if "kuns_agents.exact" in text and not COMPILED:
        pytest.skip("as plain Python, games take hours to solve")
    assert pages.fill(text) == text, "run: python tools/pages.py"


def test_a_stale_part_is_found() -> None:
    stale = "# Page\n<!-- printed by kuns_env.kuns.pages:moves_table -->\n| nothing |\n<!-- end -->\nrest\n"
    filled = pages.fill(stale)
    assert "| nothing |" not in filled
    assert filled.startswith("# Page\n<!-- printed by")
    assert filled.endswith("<!-- end -->\nrest\n")
    assert pages.fill(filled) == filled


def dead_links(page: Path, text: str) -> list[str]:
    """Return the links of a page to files that are not there."""
    links = re.findall(r"\]\((?!https?:)([^)#]+)[^)]*\)", text)
    return [link for link in links if not (page.parent / link).exists()]


@pytest.mark.parametrize("page", pages.pages(), ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    assert dead_links(page, page.read_text("utf-8")) == []


def test_a_dead_link_is_found() -> None:
    text = "[rules](RULES.md#kuns) ![curve](docs/none.png) [web](https://example.org)"
    assert dead_links(ROOT / "README.md", text) == ["docs/none.png"]
