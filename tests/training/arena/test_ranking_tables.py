"""Rankings as people read them, and as data."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console

from evaluations import duels, made_up
from kuns_agents import load
from kuns_env import KunkenRules, KunsRules
from kuns_training.arena import outputs, pictures, ranking_tables, report
from kuns_training.arena.ranking import ranking
from kuns_training.arena.tidy import read_csv, rows
from kuns_training.evaluate import evaluate


def printed(found: Any, width: int) -> str:
    console = Console(file=io.StringIO(), width=width, highlight=False)
    with console.capture() as capture:
        for shown in report.tables(found, ratings=True):
            console.print(shown)
    return capture.get()


def lines_below(text: str, title: str) -> list[list[str]]:
    """Return the cells of the table below a title."""
    rows = text[text.index(title) :].split("└")[0].splitlines()
    return [[cell.strip() for cell in row.split("│")[1:-1]] for row in rows if row.startswith("│")]


@pytest.fixture
def four() -> Any:
    rng = np.random.default_rng(3)
    lead = {
        (one, other): (4 * (other // 2 - one // 2) + rng.normal(0, 1, 30)).tolist()
        for other in range(4)
        for one in range(other)
    }
    return made_up(duels(lead), 4)


def test_the_table_holds_ranks_that_are_possible(four: Any) -> None:
    ranked = ranking(four)
    shown = lines_below(printed(four, 100), "Ranking by chips per hand")
    assert [row[0] for row in shown] == ["1", "2", "3", "4"]
    assert [row[1] for row in shown] == ["1 to 2", "1 to 2", "3 to 4", "3 to 4"]
    for row, standing in zip(shown, ranked.standings, strict=True):
        assert row[2] == standing.agent
        assert row[3] == f"{standing.payoff.mean:+.3f} ± {standing.payoff.half_width:.3f}"


def test_the_leads_are_those_of_neighbours(four: Any) -> None:
    shown = lines_below(printed(four, 100), "Lead over the next")
    for row, each in zip(shown, ranking(four).neighbours(), strict=True):
        assert row[:2] == [each.agent, each.other]
        assert row[2] == f"{each.payoff.mean:+.3f} ± {each.payoff.half_width:.3f}"
        assert each.same_opponents is not None
        assert row[3] == f"{each.same_opponents.mean:+.3f} ± {each.same_opponents.half_width:.3f}"
        assert row[4] == ("< 0.001" if each.p_adjusted < 0.001 else f"{each.p_adjusted:.3f}")
    assert [row[4] == "< 0.001" for row in shown] == [False, True, False]


def test_more_than_two_agents_are_told_of_many_comparisons(four: Any) -> None:
    assert "over all 6 differences (Holm)" in " ".join(printed(four, 100).split())
    two = printed(made_up(duels({(0, 1): [1, 2, 4]}), 2), 100)
    assert "Holm" not in two
    assert "Ranking" not in two


def test_an_evaluation_as_text_is_the_same_with_and_without_openskill(
    four: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = str(four)
    assert "Ranking by chips per hand" in text
    assert "rating" not in text
    monkeypatch.setattr(ranking_tables, "ratings", lambda evaluation: None)
    assert str(four) == text


def test_without_openskill_it_is_said_how_to_get_ratings(four: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "rating" in printed(four, 100)
    monkeypatch.setattr(ranking_tables, "ratings", lambda evaluation: None)
    text = printed(four, 100)
    assert "rating" not in text.replace("Ratings", "")
    assert "Ratings need openskill: pip install 'kuns-env[arena]'" in text


@pytest.mark.parametrize("width", [50, 60, 100])
@pytest.mark.parametrize("rules", [KunsRules.duel(), KunsRules.anted(3), KunkenRules.mini(num_players=3)])
def test_rankings_fit_any_width(rules: KunsRules | KunkenRules, width: int) -> None:
    names = ("greedy", "random", "thrifty") if rules.game == "kunken" else ("equity", "call", "random")
    found = evaluate([load(name) for name in names], rules, 20, seed=1)
    text = printed(found, width)
    assert "…" not in text
    assert all(len(line) <= width for line in text.splitlines())
    words = "points per deal" if rules.game == "kunken" else "chips per hand"
    assert f"Ranking by {words}" in text


def test_of_many_agents_only_the_ranking_is_printed() -> None:
    lead = {(one, other): [other - one, 1.0] for other in range(20) for one in range(other)}
    text = printed(made_up(duels(lead), 20), 100)
    assert "against the column" not in text
    assert len(lines_below(text, "Ranking by chips per hand")) == 20
    assert len(text.splitlines()) < 70


def test_json_holds_the_ranking(four: Any) -> None:
    data, ranked = json.loads(report.to_json(four)), ranking(four)
    standings = data["ranking"]["standings"]
    assert [each["agent"] for each in standings] == [each.agent for each in ranked.standings]
    assert [each["best_rank"] for each in standings] == [1, 1, 3, 3]
    assert data["ranking"]["unranked"] == []
    assert data["differences"]["num_comparisons"] == 6
    for each, pair in zip(ranked.differences, data["differences"]["pairs"], strict=True):
        assert (pair["agent"], pair["other"], pair["is_clear"]) == (each.agent, each.other, each.is_clear)
        assert (pair["payoff"]["mean"], pair["payoff"]["low"]) == (each.payoff.mean, each.payoff.low)
    assert {each["agent"] for each in data["ratings"]["agents"]} == set("abcd")


def test_a_folder_holds_everything(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib")
    found = evaluate([load(name) for name in ("call", "fold", "random")], KunsRules.duel(), 40, seed=1)
    assert outputs.write_outputs(tmp_path, found) is None
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "picture.png",
        "results.csv",
        "results.json",
        "table.txt",
    ]
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert "Style of play: antes" in before["table.txt"].decode()
    assert read_csv(tmp_path / "results.csv") == rows(found)
    assert json.loads(before["results.json"]) == report.to_dict(found)
    monkeypatch.setattr(pictures, "why_no_picture", lambda: "no picture today")
    (tmp_path / "picture.png").unlink()
    assert outputs.write_outputs(tmp_path, found) == "no picture today"
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {
        name: data for name, data in before.items() if name != "picture.png"
    }
