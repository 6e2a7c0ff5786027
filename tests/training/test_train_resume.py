"""A run that is killed, interrupted, finished or claimed twice."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import torch as th

import kuns_agents
from agent_code import write_code
from kuns_training import checkpoint
from kuns_training.algorithms import make_env, make_model
from kuns_training.config import Config
from kuns_training.pool import Pool
from kuns_training.progress import Silence
from kuns_training.run_folder import RunError, RunFolder
from kuns_training.train import TrainingStopped, train

SMALL = {
    "num_games": 64,
    "hidden": [16],
    "opponents": {"self": 1.0, "random": 1.0, "call": 0.5},
    "snapshot_every": 2_000,
    "num_snapshots": 3,
    "curve_points": 2,
    "curve_deals": 50,
    "curve_opponents": ["call"],
    "checkpoint_seconds": 1_000.0,
    "torch_threads": 1,
    "total_steps": 10_240,
    "ppo": {"batch_size": 256, "rollout_steps": 16},
    "dqn": {"buffer_size": 4_096, "learning_starts": 1_024, "batch_size": 64, "target_every": 1_024},
}
ENDLESS = {"total_steps": 10**9, "curve_points": 0, "checkpoint_seconds": 0.0}
TRAINER = """
import sys
from kuns_training.config import Config
from kuns_training.train import train
train(Config.from_json(sys.argv[1]), sys.argv[2])
"""
PATIENCE = 180  # on a busy machine


def small(**changes):
    return Config.from_dict(SMALL | changes)


class StopAfter(Silence):
    """Presses Ctrl-C at some decision."""

    def __init__(self, steps):
        self.steps = steps

    def update(self, steps):
        if steps >= self.steps:
            signal.raise_signal(signal.SIGINT)


def weights(folder):
    return th.load(RunFolder(folder).checkpoint, weights_only=False)["model"]["policy"]


@pytest.mark.parametrize("algo", ["ppo", "a2c", "dqn"])
def test_an_interrupted_run_ends_as_if_it_had_not_been(algo, tmp_path):
    config = small(algo=algo)
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    train(config, whole)
    with pytest.raises(KeyboardInterrupt, match="the same command goes on with it"):
        train(config, parts, reporter=StopAfter(4_000))
    assert not RunFolder(parts).is_finished
    assert kuns_agents.load(parts).supports(config.make_rules()) is None  # it can be tried as it is by then
    train(config, parts)
    expected, found = weights(whole), weights(parts)
    assert all(th.equal(found[name], tensor) for name, tensor in expected.items())
    strip = lambda path: [line.split(",")[:1] + line.split(",")[2:] for line in path.read_text().splitlines()]  # noqa: E731
    assert strip(parts / "curve.csv") == strip(whole / "curve.csv")


@pytest.mark.parametrize(
    "changes",
    [{"algo": "ppo"}, {"algo": "a2c", "averaging": 0.9}, {"algo": "dqn", "curve_points": 0}],
    ids=lambda changes: changes["algo"],
)
def test_a_run_that_was_killed_after_its_last_checkpoint(changes, tmp_path):
    config = small(**changes, total_steps=2_048)
    folder = RunFolder(train(config, tmp_path))
    agent, curve = folder.agent.read_bytes(), folder.curve.is_file() and folder.curve.read_text()
    for path in (folder.result, folder.agent, folder.model):
        path.unlink()
    train(config, tmp_path)
    assert folder.is_finished
    assert folder.model.is_file()
    assert folder.agent.read_bytes() == agent
    assert (folder.curve.is_file() and folder.curve.read_text()) == curve


def test_an_agent_is_there_from_the_first_checkpoint_on(tmp_path):
    class Look(Silence):
        seen = ()

        def update(self, steps):
            if steps > 1_024:
                self.seen = (*self.seen, kuns_agents.load(tmp_path).network.info["steps"])

    look = Look()
    train(small(total_steps=4_096, checkpoint_seconds=0.0, curve_points=0), tmp_path, reporter=look)
    assert look.seen == (1_024, 2_048)  # the last checkpoint before each of these
    assert kuns_agents.load(tmp_path).network.info["steps"] == 4_096


class StopInLastEvaluation(Silence):
    """Presses Ctrl-C when an evaluation begins after the last decision."""

    def __init__(self, steps):
        self.steps = steps

    def point(self, points, exact=None):
        if points[0].steps >= self.steps:
            signal.raise_signal(signal.SIGINT)


def test_ctrl_c_in_the_last_evaluation_of_the_curve(tmp_path):
    config = small(total_steps=2_048)
    with pytest.raises(TrainingStopped, match="is finished: the same command only evaluates it") as caught:
        train(config, tmp_path, reporter=StopInLastEvaluation(2_048))
    assert caught.value.finished
    assert RunFolder(tmp_path).is_finished


def start(config, folder):
    env = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.Popen(
        [sys.executable, "-c", TRAINER, config.to_json(), str(folder)],
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def wait_for_checkpoint(folder, process, after=0.0):
    end = time.monotonic() + PATIENCE
    path = RunFolder(folder).checkpoint
    while not path.exists() or path.stat().st_mtime <= after:
        assert process.poll() is None, process.communicate()[1]
        assert time.monotonic() < end, "no checkpoint was written"
        time.sleep(0.05)
    return path.stat().st_mtime


def steps_in(folder):
    return th.load(RunFolder(folder).checkpoint, weights_only=False)["model"]["counters"]["num_timesteps"]


def test_sigkill_loses_one_interval_at_most(tmp_path):
    config = small(**ENDLESS)
    first = start(config, tmp_path)
    wait_for_checkpoint(tmp_path, first)
    time.sleep(1)
    first.kill()
    first.communicate()
    kept, stamp = steps_in(tmp_path), RunFolder(tmp_path).checkpoint.stat().st_mtime
    assert kept > 0
    second = start(config, tmp_path)  # the lock of the dead process is free
    try:
        wait_for_checkpoint(tmp_path, second, after=stamp)
        assert steps_in(tmp_path) >= kept
        second.send_signal(signal.SIGINT)
        _, errors = second.communicate(timeout=PATIENCE)
    finally:
        second.kill()
    assert second.returncode != 0
    assert "TrainingStopped: stopped after" in errors
    assert "the same command goes on with it" in errors
    assert steps_in(tmp_path) > kept


def test_two_processes_in_one_folder(tmp_path):
    config = small(**ENDLESS)
    first = start(config, tmp_path)
    try:
        wait_for_checkpoint(tmp_path, first)
        with pytest.raises(RunError, match="another process is training here"):
            train(config, tmp_path)
        assert first.poll() is None
    finally:
        first.kill()
        first.communicate()


class Notes(Silence):
    def __init__(self):
        self.notes = []

    def note(self, text):
        self.notes.append(text)


def test_a_finished_run_says_so_and_fresh_begins_anew(tmp_path):
    config = small(total_steps=2_048)
    train(config, tmp_path)
    before = RunFolder(tmp_path).agent.read_bytes()
    notes = Notes()
    assert train(config, tmp_path, reporter=notes) == tmp_path
    assert "this run is finished" in notes.notes[0]
    assert RunFolder(tmp_path).agent.read_bytes() == before
    other = tmp_path / "notes.txt"
    other.write_text("mine")
    train(small(total_steps=1_024), tmp_path, fresh=True)
    assert json.loads(RunFolder(tmp_path).result.read_text())["steps"] == 1_024
    assert other.read_text() == "mine"


def test_other_settings_are_an_error_that_names_them(tmp_path):
    train(small(total_steps=1_024), tmp_path)
    with pytest.raises(RunError) as caught:
        train(small(total_steps=1_024, seed=5), tmp_path)
    assert "seed: 1, now 5" in str(caught.value)
    assert "--fresh" in str(caught.value)
    assert "--out FOLDER" in str(caught.value)
    assert str(caught.value).count("now") == 1


@pytest.mark.parametrize("damage", [b"", b"not a checkpoint", None], ids=["empty", "text", "cut"])
def test_a_damaged_checkpoint_is_an_error(damage, tmp_path):
    config = small()
    with pytest.raises(KeyboardInterrupt):
        train(config, tmp_path, reporter=StopAfter(1_000))
    path = RunFolder(tmp_path).checkpoint
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2] if damage is None else damage)
    with pytest.raises(RunError, match="damaged checkpoint"):
        train(config, tmp_path)


def test_a_checkpoint_of_a_newer_version_is_an_error(tmp_path):
    config = small()
    with pytest.raises(KeyboardInterrupt):
        train(config, tmp_path, reporter=StopAfter(1_000))
    path = RunFolder(tmp_path).checkpoint
    th.save(th.load(path, weights_only=False) | {"version": checkpoint.VERSION + 1}, path)
    with pytest.raises(RunError, match=f"version {checkpoint.VERSION + 1}, this program reads"):
        train(config, tmp_path)


def test_a_file_in_the_place_of_the_folder(tmp_path):
    path = tmp_path / "file"
    path.write_text("")
    with pytest.raises(RunError, match="cannot be used as the folder of a run"):
        train(small(), path)


def test_the_caller_keeps_its_random_state_and_threads(tmp_path):
    np.random.seed(4)  # noqa: NPY002
    th.manual_seed(4)
    state, threads = np.random.get_state()[1].copy(), th.get_num_threads()  # noqa: NPY002
    torch_state = th.get_rng_state()
    train(small(total_steps=1_024), tmp_path)
    assert (np.random.get_state()[1] == state).all()  # noqa: NPY002
    assert th.equal(th.get_rng_state(), torch_state)
    assert th.get_num_threads() == threads


def test_a_result_tells_training_from_evaluations(tmp_path):
    notes = Notes()
    folder = train(small(total_steps=1_024, curve_deals=20_000), tmp_path, reporter=notes)
    assert notes.notes[-1].startswith("1,024 decisions in 0:0")
    assert notes.notes[-1].endswith("for the curve")
    result = json.loads(RunFolder(folder).result.read_text())
    assert 0 < result["seconds_of_curve"] < result["seconds"]


def test_runs_of_changed_rules_have_folders_and_names_of_their_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    config = small(total_steps=1_024, curve_points=0, rules={"num_players": 3})
    folder = train(config)
    assert folder.as_posix() == "runs/kuns-duel-3p-ppo-1"
    assert kuns_agents.load(folder).name == "3p-ppo-1"


def test_everything_a_run_leaves(tmp_path):
    folder = RunFolder(train(small(total_steps=2_048), tmp_path))
    for path in (folder.config, folder.agent, folder.model, folder.checkpoint, folder.curve, folder.picture):
        assert path.stat().st_size > 0, path
    assert list(folder.tensorboard.iterdir())
    assert not list(Path(tmp_path).glob(".*.part"))


def test_the_pool_goes_on_with_the_same_agents(tmp_path):
    config = small()
    with pytest.raises(KeyboardInterrupt):
        train(config, tmp_path, reporter=StopAfter(8_000))
    pool = Pool(config)
    env = make_env(config, pool.agents, [1, 1])
    model = make_model(config, env)
    kept = checkpoint.load(RunFolder(tmp_path).checkpoint, model, env)["pool"]
    assert len(kept.snapshots) == 3
    assert [agent.name for agent in kept.agents] == [agent.name for agent in env.games.opponents]
    assert all(mine is theirs for mine, theirs in zip(kept.agents, env.games.opponents, strict=True))


def test_opponents_of_a_file_of_code_are_loaded_again(tmp_path):
    locked = "\n\nclass Locked(Modest):\n    def __init__(self):\n        self.key = lambda: 0\n"
    file = write_code(tmp_path, locked)
    config = small(opponents={"self": 1.0, f"{file}:Locked": 1.0}, curve_opponents=[f"{file}:Locked"])
    place = tmp_path / "run"
    with pytest.raises(KeyboardInterrupt):
        train(config, place, reporter=StopAfter(4_000))
    assert steps_in(place) < config.total_steps
    train(config, place)
    assert steps_in(place) == config.total_steps
