"""A run of MCCFR in a folder: what it leaves, how it goes on after a break, what it refuses."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("matplotlib")

import kuns_agents
from kuns_agents.exact.mccfr import Mccfr
from kuns_env import KunsRules
from kuns_training import solve_bar, solve_mccfr
from kuns_training.run_folder import RunError, RunFolder
from kuns_training.solve_mccfr import Task, Told, solve, targets

SMALL = KunsRules(3, (1, 4, 5, 10), 4, forced_ante=1, ante_menu=(1, 2), side_bets=False)
TASK = Task(SMALL, 9_000, deals=40, opponents=("call", "random"))
STEP = 2_000


@pytest.fixture(autouse=True)
def soon(monkeypatch):
    monkeypatch.setattr(solve_mccfr, "FIRST_POINT", STEP)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A run without a break."""
    before, solve_mccfr.FIRST_POINT = solve_mccfr.FIRST_POINT, STEP
    lines = []
    try:
        with solve_bar.told(TASK.iterations, lines.append) as told:
            return solve(TASK, tmp_path_factory.mktemp("whole") / "run", told=told), lines
    finally:
        solve_mccfr.FIRST_POINT = before


def report_of(path):
    return json.loads((path / "result.json").read_text("utf-8"))


def without_times(report):
    points = [
        point | {"seconds": 0, "payoffs": [row | {"seconds": 0} for row in point["payoffs"]]}
        for point in report["points"]
    ]
    return report | {"seconds": 0, "points": points}


def test_a_run_leaves_agent_report_and_picture(whole):
    path, lines = whole
    assert sorted(entry.name for entry in path.iterdir()) == [
        ".lock",
        "agent.npz",
        "config.json",
        "curve.png",
        "result.json",
        "solver.npz",
    ]
    report = report_of(path)
    assert [point["iterations"] for point in report["points"]] == [2_000, 4_000, 8_000, 9_000]
    assert [row["opponent"] for row in report["points"][-1]["payoffs"]] == ["call", "random"]
    assert report["points"][-1]["exploitability"] is None
    assert (path / "curve.png").read_bytes().startswith(b"\x89PNG")
    agent = kuns_agents.load(path)
    assert (agent.name, agent.supports(SMALL)) == (solve_mccfr.default_folder(SMALL, 1).name, None)
    assert agent.info["iterations"] == 9_000
    solver = Mccfr(SMALL, 1)
    solver.run(9_000)
    np.testing.assert_array_equal(agent.table.calls, solver.policy().calls.astype(np.float32))
    assert len(lines) == 4
    assert lines[0].startswith("after 0.002 million iterations: regret ")
    assert "chips a hand against call " in lines[0]


class Stop(Told):
    """Interrupts at a measurement."""

    def __init__(self, after):
        self.left = after

    def point(self, measured):
        self.left -= 1
        if self.left == 0:
            raise KeyboardInterrupt


@pytest.mark.parametrize("after", [1, 3])
def test_a_run_that_was_interrupted_goes_on(whole, tmp_path, after):
    path = tmp_path / "run"
    with pytest.raises(KeyboardInterrupt):
        solve(TASK, path, told=Stop(after))
    assert Mccfr.load(path / "solver.npz").iteration < TASK.iterations
    solve(TASK, path)
    assert without_times(report_of(path)) == without_times(report_of(whole[0]))
    assert (path / "agent.npz").read_bytes() == (whole[0] / "agent.npz").read_bytes()


def test_a_run_that_is_finished_can_go_on_further(tmp_path):
    path = solve(replace(TASK, iterations=3_000, deals=0), tmp_path / "run")
    before = report_of(path)
    solve(replace(TASK, iterations=3_000, deals=0), path)
    assert report_of(path) == before
    solve(replace(TASK, iterations=5_000, deals=0), path)
    assert [point["iterations"] for point in report_of(path)["points"]] == [2_000, 3_000, 4_000, 5_000]
    with pytest.raises(RunError, match="holds 5,000 iterations already, more than 4,000"):
        solve(replace(TASK, iterations=4_000, deals=0), path)


def test_another_run_in_the_folder_is_refused_and_stays(whole):
    path = whole[0]
    before = {entry.name: entry.read_bytes() for entry in path.iterdir() if entry.name != ".lock"}
    with pytest.raises(RunError, match="holds a run with seed=1, not 2"):
        solve(replace(TASK, seed=2), path)
    with pytest.raises(RunError, match="holds a run with opponents="):
        solve(replace(TASK, opponents=("call",)), path)
    with RunFolder(path).locked(), pytest.raises(RunError, match="another process"):
        solve(TASK, path)
    after = {entry.name: entry.read_bytes() for entry in path.iterdir() if entry.name != ".lock"}
    assert after == before


def test_a_damaged_report_is_named(tmp_path):
    path = solve(replace(TASK, iterations=1_000, deals=0), tmp_path / "run")
    for text in ("{}", "[", "[1]", '{"seconds": 1, "points": [{"regret": 1}]}'):
        (path / "result.json").write_text(text)
        with pytest.raises(RunError, match=r"result\.json: .*begin anew with --fresh"):
            solve(replace(TASK, iterations=2_000, deals=0), path)


def test_without_matplotlib_there_is_no_picture(tmp_path, monkeypatch):
    monkeypatch.setattr(solve_mccfr.importlib.util, "find_spec", lambda name: None)
    path = solve(replace(TASK, iterations=1_000, deals=0), tmp_path / "run")
    assert not (path / "curve.png").exists()
    assert (path / "result.json").exists()


def test_beginning_anew(tmp_path):
    path = solve(replace(TASK, iterations=2_000, deals=0), tmp_path / "run")
    solve(replace(TASK, iterations=1_000, deals=0, seed=5), path, fresh=True)
    assert report_of(path)["seed"] == 5


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"rules": KunsRules(3)}, "side_bets=True"),
        ({"rules": KunsRules.anted(7)}, "num_players=7, .* bytes"),
        ({"iterations": 0}, "iterations=0"),
        ({"deals": -1}, "deals=-1"),
        ({"seed": 0.5}, "seed=0.5"),
        ({"opponents": ("calls",)}, "did you mean 'call'"),
        ({"opponents": ("greedy",)}, "greedy"),
    ],
)
def test_what_cannot_be_solved_is_refused_before_there_is_anything(tmp_path, change, message):
    path = tmp_path / "run"
    with pytest.raises(ValueError, match=message):
        solve(replace(TASK, **change), path)
    assert not (path / "config.json").exists()
    assert not (path / "solver.npz").exists()


def test_heads_up_the_report_has_the_exploitability(tmp_path):
    path = solve(Task(KunsRules.tiny(), 4_000, deals=0), tmp_path / "run")
    first, last = (point["exploitability"] for point in report_of(path)["points"])
    assert 0 < last < first
    assert "exploitability" in solve_bar.summary(solve_mccfr.Measured(1, 1.0, 0.5, 0.25, ()))


def test_points_double():
    assert list(targets(9_000)) == [2_000, 4_000, 8_000, 9_000]
    assert list(targets(8_000)) == [2_000, 4_000, 8_000]
    assert list(targets(10)) == [10]
