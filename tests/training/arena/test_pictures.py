"""Evaluations as pictures: they are drawn for any number of agents, and come out the same twice."""

from __future__ import annotations

import importlib.util
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from evaluations import duels, made_up
from kuns_agents import load
from kuns_env import KunkenRules, KunsRules
from kuns_training.arena import pictures
from kuns_training.arena.interval import Estimate
from kuns_training.arena.pictures import cross, draw, why_no_picture
from kuns_training.evaluate import evaluate

pytest.importorskip("matplotlib")

PNG = b"\x89PNG"


def test_the_same_bytes_twice(tmp_path: Path) -> None:
    for name in ("one.png", "two.png"):
        draw(tmp_path / name, evaluate([load("call"), load("fold"), load("equity")], KunsRules.duel(), 40, 1))
    one, two = ((tmp_path / name).read_bytes() for name in ("one.png", "two.png"))
    assert one == two
    assert one.startswith(PNG)
    assert b"Software" not in one
    draw(
        tmp_path / "two.png", evaluate([load("call"), load("fold"), load("equity")], KunsRules.duel(), 40, 2)
    )
    assert (tmp_path / "two.png").read_bytes() != one  # it shows the figures


@pytest.mark.parametrize("num_agents", [2, 20])
def test_few_and_many_agents(num_agents: int, tmp_path: Path) -> None:
    lead = {(one, other): [other - one, 1] for other in range(num_agents) for one in range(other)}
    draw(tmp_path / "many.png", made_up(duels(lead), num_agents))
    assert (tmp_path / "many.png").read_bytes().startswith(PNG)


def panels_of(found: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    drawn: list[str] = []
    for name in ("draw_cross", "draw_means", "draw_ratings"):
        plain = getattr(pictures, name)
        monkeypatch.setattr(pictures, name, lambda *args, n=name, f=plain: (drawn.append(n), f(*args)))
    draw(tmp_path / "panels.png", found)
    return drawn


def test_one_table_has_no_cross_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = evaluate([load("call"), load("fold"), load("random")], KunsRules.anted(3), 40, 1)
    assert panels_of(found, tmp_path, monkeypatch)[:1] == ["draw_means"]


def test_without_openskill_there_are_no_ratings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pictures, "ratings", lambda evaluation: None)
    found = evaluate([load("greedy"), load("random")], KunkenRules.mini(), 10, 1)
    assert panels_of(found, tmp_path, monkeypatch) == ["draw_cross", "draw_means"]


def test_the_heat_map_has_the_mean_of_the_row_against_the_column() -> None:
    found = evaluate([load("call"), load("fold"), load("random")], KunsRules.duel(), 40, 1)
    cells = cross(found, ["fold", "random", "call"])
    assert cells is not None
    assert np.isnan(cells.diagonal()).all()
    assert (cells[0, 2], cells[2, 0]) == (-1, 1)
    means = {(each.agent, each.opponents[0]): each.payoff.mean for each in found.results}
    assert cells[1, 2] == means["random", "call"]


def test_luck_is_taken_out_of_the_heat_map() -> None:
    found = evaluate([load("call"), load("random")], KunsRules.duel(), 40, 1, luck=True)
    cells, adjusted = cross(found, ["call", "random"]), found.results[0].adjusted
    assert cells is not None
    assert adjusted is not None
    assert cells[0, 1] == adjusted.mean != found.results[0].payoff.mean


def test_tables_of_different_agents_have_no_heat_map(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    agents = [load(name) for name in ("call", "fold", "random", "equity")]
    found = evaluate(agents, KunsRules.anted(3), 20, 1, mode="tables", num_tables=2)
    assert panels_of(found, tmp_path, monkeypatch)[:1] == ["draw_means"]


def test_it_is_said_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    assert why_no_picture() is None
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert why_no_picture() == "a picture needs matplotlib: pip install 'kuns-env[arena]'"


@pytest.mark.parametrize("in_doubt", [False, True])
def test_a_picture_in_doubt_says_so_above_all(
    in_doubt: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from matplotlib.figure import Figure

    found = evaluate([load("call"), load("random")], KunsRules.duel(), 40, 1, luck=True)
    off = Estimate(1.0, 0.9, 1.1, 0.05, 80, 40)
    if in_doubt:
        found = replace(found, results=tuple(replace(result, luck=off) for result in found.results))
    said: list[str] = []
    monkeypatch.setattr(Figure, "suptitle", lambda figure, text, **style: said.append(text))
    draw(tmp_path / "doubt.png", found)
    assert said == [pictures.IN_DOUBT] * in_doubt
