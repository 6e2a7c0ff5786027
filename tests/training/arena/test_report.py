"""Evaluations as tables: in the order that was given, and with all their digits."""

from __future__ import annotations

import io
import sys

import pytest
from rich.console import Console

from kuns_agents import load
from kuns_env import KunsRules
from kuns_training.arena import report as evaluate_report
from kuns_training.evaluate import evaluate


def test_an_evaluation_prints_as_its_tables() -> None:
    text = str(evaluate([load("fold"), load("call"), load("random")], KunsRules.duel(), 100, 1))
    assert text.startswith("Chips per hand of the row against the column")
    first = text[: text.index("Ranking by")]
    rows = [line.split()[1] for line in first.splitlines() if line.startswith("│") and line[2] != " "]
    assert rows == ["fold", "call", "random"]
    assert "-1.000 ± 0.000" in text
    assert "600 hands: 100 deals (seed 1)" in text


@pytest.mark.parametrize("width", [50, 56, 60, 70, 80, 200])
def test_no_digit_is_lost_in_a_narrow_terminal(width: int) -> None:
    agents = [load(name) for name in ("call", "fold", "call", "random")]
    for agent, name in zip(agents, ("ppo-1 greedy", "ppo-2 greedy", "dqn-3 greedy"), strict=False):
        agent.name = name
    found = evaluate(agents, KunsRules.duel(), 40, 1)
    console = Console(file=io.StringIO(), width=width, highlight=False)
    with console.capture() as capture:
        for shown in evaluate_report.tables(found):
            console.print(shown)
    text = capture.get()
    assert "…" not in text
    for result in found.results + found.overall:
        assert f"{result.payoff.mean:+.3f}" in text
        assert f"± {result.payoff.half_width:.3f}" in text
    assert all(len(line) <= width for line in text.splitlines())
    assert ("against the column" in text) == (width > 80)


def test_without_rich_an_evaluation_prints_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    found = evaluate([load("fold"), load("call")], KunsRules.duel(), 10, 1)
    monkeypatch.setitem(sys.modules, "kuns_training.arena.report", None)
    assert str(found).startswith("Evaluation(rules=")
