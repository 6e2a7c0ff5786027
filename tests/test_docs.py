"""Every Python example in README.md and docs/ runs as it stands, from top to bottom of its page."""

from __future__ import annotations

import doctest
import re
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```(?:python|pycon)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def run_examples(text: str, name: str) -> int:
    """Run the Python blocks of a page in one namespace and return how many there are.

    A block with ``>>>`` is compared with the output it shows; another block need only run.
    """
    names: dict[str, Any] = {"__name__": "__page__"}
    blocks = BLOCK.findall(text)
    for number, block in enumerate(blocks, start=1):
        label = f"{name}, example {number}"
        if not block.lstrip().startswith(">>>"):
            exec(compile(block, label, "exec"), names)
            continue
        example = doctest.DocTestParser().get_doctest(block, names, label, name, 0)
        report: list[str] = []
        failed = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(
            example, out=report.append, clear_globs=False
        )
        assert not failed.failed, "".join(report)
        names.update(example.globs)
    return len(blocks)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_examples_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run_examples(page.read_text("utf-8"), page.name)


def test_examples_are_found_and_share_names() -> None:
    page = "Text\n```python\nx = 2\n```\n```bash\nmake test\n```\n```python\n>>> x + 1\n3\n```\n"
    assert run_examples(page, "page") == 2


@pytest.mark.parametrize("block", ["1 / 0", ">>> 1 + 1\n3"])
def test_a_broken_example_is_rejected(block: str) -> None:
    with pytest.raises((ZeroDivisionError, AssertionError)):
        run_examples(f"```python\n{block}\n```\n", "page")
