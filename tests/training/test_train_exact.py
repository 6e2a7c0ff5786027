"""Exploitability along a run: measured where it can be, kept, drawn, told, and without a trace in the training."""

import csv
import json

import pytest

pytest.importorskip("torch")

import kuns_agents
from kuns_agents import NoPolicyError
from kuns_env import KunsRules
from kuns_training import curve_exact, watch
from kuns_training.config import Config
from kuns_training.curve import CurveError
from kuns_training.curve_exact import Exact, measure_exact
from kuns_training.progress import PlainReporter, Silence
from kuns_training.run_folder import RunFolder
from kuns_training.train import TrainingStopped, train
from kuns_training.train_command import tell_files

SMALL = {
    "num_games": 64,
    "hidden": [16],
    "opponents": {"self": 1.0, "random": 1.0},
    "snapshot_every": 2_000,
    "curve_points": 2,
    "curve_deals": 50,
    "curve_opponents": ["call"],
    "total_steps": 4_096,
    "ppo": {"batch_size": 256, "rollout_steps": 16},
    "a2c": {},
    "dqn": {"buffer_size": 4_096, "learning_starts": 1_024, "batch_size": 64, "target_every": 1_024},
}


def small(**changes):
    return Config.from_dict(SMALL | changes)


def rows(folder):
    with RunFolder(folder).exact.open(newline="") as lines:
        return list(csv.DictReader(lines))


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A finished run, and the lines that it told."""
    lines = []
    config = small()
    folder = train(
        config, tmp_path_factory.mktemp("exact") / "run", reporter=PlainReporter(lines.append, "chips")
    )
    return config, folder, lines


@pytest.mark.parametrize("algo", ["ppo", "a2c", "dqn"])
def test_the_last_row_is_of_the_agent_in_the_folder(algo, tmp_path):
    folder = train(small(algo=algo, total_steps=2_048, curve_points=1), tmp_path / algo)
    found = kuns_agents.exploitability(kuns_agents.load(folder), KunsRules.duel())
    last = rows(folder)[-1]
    assert float(last["exploitability"]) == pytest.approx(found.exploitability, abs=1e-12)
    result = json.loads(RunFolder(folder).result.read_text("utf-8"))["exploitability"]
    assert result["exploitability"] == pytest.approx(found.exploitability, abs=1e-12)
    assert (result["left"], result["dealer"]) == pytest.approx(found.best_response_values, abs=1e-12)


def test_it_is_measured_with_every_point_of_the_curve(run):
    config, folder, lines = run
    steps = [int(row["steps"]) for row in rows(folder)]
    assert steps == sorted(set(steps))
    assert steps[0] == 0
    assert steps[-1] == json.loads(RunFolder(folder).result.read_text("utf-8"))["steps"]
    assert len(steps) == config.curve_points + 1
    assert sum("; exploitability " in line for line in lines) == len(steps)
    assert float(rows(folder)[0]["exploitability"]) == pytest.approx(3.85, abs=0.2)  # nearly uniform


def test_the_training_does_not_know_of_it(run, tmp_path, monkeypatch):
    config, folder, _ = run
    monkeypatch.setattr(watch, "measure_exact", lambda *_: None)
    without = train(config, tmp_path / "run")
    assert RunFolder(without).agent.read_bytes() == RunFolder(folder).agent.read_bytes()
    assert not RunFolder(without).exact.exists()
    assert json.loads(RunFolder(without).result.read_text("utf-8"))["exploitability"] is None


def test_a_run_that_goes_on_keeps_its_rows(run, tmp_path):
    config, folder, _ = run

    class Stopper(Silence):
        def update(self, steps):
            if steps >= 2_048:
                import signal

                signal.raise_signal(signal.SIGINT)

    with pytest.raises(TrainingStopped):
        train(config, tmp_path / "run", reporter=Stopper())
    train(config, tmp_path / "run")
    names = ("steps", "exploitability", "left", "dealer")
    kept, whole = (
        [[row[name] for name in names] for row in rows(each)] for each in (tmp_path / "run", folder)
    )
    assert kept == whole


def test_without_a_curve_the_end_is_measured(tmp_path):
    folder = train(small(curve_points=0, total_steps=1_024), tmp_path / "run")
    assert len(rows(folder)) == 1
    assert not RunFolder(folder).curve.exists()


def test_the_command_tells_it(run, capsys):
    config, folder, _ = run
    tell_files(folder, config)
    told = capsys.readouterr().out.splitlines()[-1]
    assert told.startswith("exploitability ")
    assert " chips a hand, exact (best responses win " in told
    assert told.endswith(f"exploit {folder}")


@pytest.mark.parametrize("rules", [KunsRules.anted(3), KunsRules(num_players=2)])
def test_where_it_cannot_be_computed_there_is_none(rules):
    assert measure_exact(kuns_agents.load("call"), rules, 0, 0.0) is None


def test_an_agent_without_probabilities_is_an_error_of_the_curve(monkeypatch):
    def refuse(*_):
        raise NoPolicyError("agent 'x' has none")

    monkeypatch.setattr(kuns_agents, "exploitability", refuse)
    with pytest.raises(CurveError, match="agent 'x' has none"):
        measure_exact(kuns_agents.load("call"), KunsRules.duel(), 0, 0.0)


def test_text():
    text = str(Exact(1, 1.0, 0.25, -0.1, 0.6))
    assert text.startswith(
        f"{curve_exact.WORDS} 0.2500 chips a hand, exact (best responses win -0.1000 at the left"
    )
