"""Evaluations as CSV: every figure, and the way back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evaluations import duels, made_up
from kuns_agents import load
from kuns_env import KunkenRules, KunsRules
from kuns_training.arena import report
from kuns_training.arena.ranking import ranking
from kuns_training.arena.tidy import COLUMNS, Row, read_csv, rows, to_csv
from kuns_training.evaluate import evaluate


def test_the_way_back(tmp_path: Path) -> None:
    agents = [load(name) for name in ("call", "random", "fold")]
    agents[1].name = 'a, "b"\nc'  # what CSV has to quote
    found = evaluate(agents, KunsRules.duel(), 40, seed=1)
    path = tmp_path / "results.csv"
    path.write_text(to_csv(found), encoding="utf-8")
    assert read_csv(path) == rows(found)
    assert to_csv(found) == to_csv(evaluate(agents, KunsRules.duel(), 40, seed=1))


@pytest.mark.parametrize(
    "rules", [KunsRules.anted(3), KunkenRules.mini(num_players=3)], ids=["kuns", "kunken"]
)
def test_csv_holds_the_figures_of_json(rules: KunsRules | KunkenRules) -> None:
    names = ("greedy", "random") if rules.game == "kunken" else ("equity", "random")
    found = evaluate([load(name) for name in names], rules, 30, seed=1)
    data = json.loads(report.to_json(found))
    made = {(row.table, row.agent, row.against, row.figure): row for row in rows(found)}
    assert len(made) == len(rows(found))
    for result in data["results"]:
        payoff = made["result", result["agent"], result["opponents"][0], "payoff"]
        assert result[data["measure"]]["mean"] == payoff.mean
        assert result[data["measure"]]["num_hands"] == payoff.count
        for name, estimate in result["statistics"].items():
            row = made.get(("result", result["agent"], result["opponents"][0], name))
            assert (row is None) == (estimate is None)
            if row is not None:
                assert [
                    estimate[key] for key in ("mean", "low", "high", "std_error", "count", "num_blocks")
                ] == [
                    row.mean,
                    row.low,
                    row.high,
                    row.std_error,
                    row.count,
                    row.num_blocks,
                ]
    assert ("match", "", ", ".join(data["matches"][0]["seats"]), "decisions") in made


def test_ranks_and_differences_are_rows() -> None:
    found = made_up(duels({(0, 1): [1, 2, 3], (0, 2): [5, 6, 5], (1, 2): [1, 3, 2]}), 3)
    ranked, made = ranking(found), rows(found)
    assert Row("rank", "a", "", "rank", 1, 1, ranked.standings[0].worst_rank) in made
    first = ranked.differences[0]
    assert Row("difference", "a", "b", "p_adjusted", first.p_adjusted) in made
    lead = next(row for row in made if (row.table, row.against, row.figure) == ("difference", "c", "payoff"))
    assert lead.mean == ranked.between("a", "c").payoff.mean
    assert sum(row.figure == "same_opponents" for row in made) == 3


def test_disqualified_agents_are_rows() -> None:
    agent = load("call")
    agent.name = "faulty"
    agent.act = lambda views, rng: [5000] * len(views)  # type: ignore[method-assign]
    found = evaluate([agent, load("fold")], KunsRules.duel(), 10, seed=1)
    assert Row("disqualified", "faulty", "", "games", found.num_disqualified["faulty"]) in rows(found)
    assert sum(row.table == "disqualified" for row in rows(found)) == 1


def test_a_file_with_other_columns_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.csv"
    path.write_text("agent,mean\na,1\n", encoding="utf-8")
    with pytest.raises(ValueError, match="the columns are agent, mean; they must be table, agent"):
        read_csv(path)
    path.write_text("", encoding="utf-8")
    with pytest.raises(ValueError, match="must be table"):
        read_csv(path)
    assert COLUMNS[:4] == ("table", "agent", "against", "figure")
