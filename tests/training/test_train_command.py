"""`kuns train`: options, mistakes in one line, what is told at the end, and the page that describes it."""

import re
from pathlib import Path

import pytest

import kuns_agents
from kuns_training import pages, train_command
from kuns_training.cli import main
from kuns_training.config import Config
from kuns_training.curve import Point, draw, read_csv, write_csv
from kuns_training.progress import PlainReporter, Speed, clock
from kuns_training.run_folder import RunFolder, default_folder

ROOT = Path(__file__).resolve().parents[2]
SMALL = ["--steps", "1024", "--games", "32", "--hidden", "16", "--with", "ppo.batch_size=128"]
SMALL += ["--with", "curve_points=1", "--with", "curve_deals=20", "--with", 'curve_opponents=["call"]']


def kuns(*args):
    with pytest.raises(SystemExit) as caught:
        main(["train", *map(str, args)])
    return caught.value.code


def test_train_and_train_again(tmp_path, capsys):
    place = tmp_path / "run"
    assert kuns(*SMALL, "--opponent", "random=1", "--out", place, "--deals", 50) == 0
    told = capsys.readouterr().out
    assert str(place / "agent.npz") in told.replace("\n", "")
    assert "ppo-1" in told
    assert "equity" in told
    assert Config.from_json(RunFolder(place).config.read_text()).opponents == {"random": 1.0}
    assert kuns(*SMALL, "--opponent", "random=1", "--out", place, "--deals", 0) == 0
    assert "this run is finished" in capsys.readouterr().err
    assert kuns(*SMALL, "--opponent", "call=1", "--out", place) == 2
    assert "opponents.call: not set, now 1.0" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--algo", "sac"], "algo='sac': must be one of ppo, a2c, dqn"),
        (["--steps", "0"], "total_steps=0"),
        (["--games", "-3"], "num_games=-3"),
        (["--games", "99999999"], "num_games=99999999"),
        (["--players", "9"], "num_players=9"),
        (["--game", "poker"], "poker"),
        (["--set", "jokers=1"], "jokers"),
        (["--hidden", "64,x"], "--hidden '64,x'"),
        (["--hidden", "64x64"], "'64x64': must be whole numbers with commas between them, such as 64,64"),
        (["--hidden", "0"], "hidden[0]=0"),
        (["--opponent", "equity"], "--opponent 'equity': must have the form equity=0.5"),
        (["--opponent", "nobody=1"], "nobody"),
        (["--opponent", "equity=much"], "opponents['equity']='much': must be a number from 0"),
        (["--with", "ppo.learning_rate=fast"], "ppo.learning_rate='fast': must be a number from 0 to 1"),
        (["--with", "ppo=1", "--with", "ppo.epochs=8"], "ppo is set as a whole already"),
        (["--opponent", "call=0"], "at least one weight"),
        (["--with", "ppo.momentum=1"], "no setting 'ppo.momentum'"),
        (["--with", "seeds=1"], "no setting 'seeds'"),
        (["--with", "pad"], "--with 'pad'"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_mistakes_are_one_line(args, message, tmp_path, capsys):
    assert kuns(*args, "--out", tmp_path / "run") == 2
    error = capsys.readouterr().err
    assert message in error
    assert "Traceback" not in error
    assert len(error.strip().splitlines()) == 1
    assert not (tmp_path / "run" / "config.json").exists()


def test_a_setting_may_be_a_word():
    data = {}
    train_command.put_setting(data, "activation=tanh")
    assert Config.from_dict(data).activation == "tanh"


def test_ctrl_c_in_the_final_evaluation(tmp_path, capsys, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(train_command, "print_table", interrupted)
    assert kuns(*SMALL, "--opponent", "random=1", "--out", tmp_path) == 130
    error = capsys.readouterr().err
    assert "is finished: the same command only evaluates it" in error
    assert str(tmp_path) in error
    assert RunFolder(tmp_path).is_finished


def test_what_torch_is_missing_for_is_said(monkeypatch, capsys):
    monkeypatch.setattr(train_command, "NEEDED", ("no_such_package",))
    assert kuns() == 2
    assert "no_such_package not installed: pip install 'kuns-env[train]'" in capsys.readouterr().err


def test_the_page_prints_the_settings():
    page = (ROOT / "docs" / "training.md").read_text("utf-8")
    for prefix in pages.GROUPS:
        assert pages.settings_table(prefix) in page, f"print {prefix!r} anew with kuns_training.pages"


def test_the_examples_of_the_page_run_beside_the_default_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    folder = RunFolder(default_folder(Config()))
    folder.path.mkdir(parents=True)
    folder.claim(Config())
    page = (ROOT / "docs" / "training.md").read_text("utf-8")
    examples = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    assert len(examples) == 3
    for example in examples:
        exec(example, {})
    assert kuns_agents.load("runs/from-python").name == "ppo-1"


def points(opponent, chips):
    return [
        Point(step * 1000, step, opponent, value, value - 0.1, value + 0.1, 100)
        for step, value in enumerate(chips)
    ]


def test_curve_files(tmp_path):
    rows = points("call", [0.1, 0.5]) + points("equity", [-0.5, 0.0])
    write_csv(tmp_path / "curve.csv", rows)
    assert read_csv(tmp_path / "curve.csv") == rows
    draw(tmp_path / "curve.png", rows, "a title", "chips per hand")
    assert (tmp_path / "curve.png").read_bytes().startswith(b"\x89PNG")
    draw(tmp_path / "none.png", [], "nothing yet", "points per deal")


def test_speed_is_that_of_training(monkeypatch):
    now = iter([0.0, 1.0, 3.0, 4.0, 14.0, 15.0])
    monkeypatch.setattr("kuns_training.progress.time.monotonic", lambda: next(now))
    speed = Speed(0, 1_000)  # at 0
    speed.pause()
    speed.go_on(0)  # at 3: the evaluation before the training
    speed.pause()
    speed.go_on(100)  # ten seconds
    rate, left = speed.at(100)
    assert rate == 50  # two seconds of training
    assert left == 900 * 12 / 100  # with evaluations as before


def test_plain_progress_says_how_long_it_takes(monkeypatch):
    lines = []
    monkeypatch.setattr("kuns_training.progress.SECONDS_BETWEEN_LINES", 0.0)
    reporter = PlainReporter(lines.append, "chips per hand")
    reporter.begin(0, 1000)
    reporter.update(250)
    reporter.point(points("call", [0.5]))
    reporter.end()
    assert lines[0].startswith(" 25%  250 decisions")
    assert lines[0].endswith("left")
    assert "chips per hand: call +0.50 ±0.10" in lines[1]
    assert clock(59) == "0:59"
