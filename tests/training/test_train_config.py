"""Settings: the way to JSON and back, and every mistake named."""

import dataclasses
import json

import pytest

from kuns_env import KunsRules, RulesError
from kuns_training.config import Config
from kuns_training.run_folder import default_folder, label
from kuns_training.settings import ConfigError, PpoSettings

CHANGED = Config(
    algo="dqn",
    game="kuns",
    rules={"num_players": 3, "ante_menu": (1, 3)},
    seed=9,
    hidden=(32, 16),
    opponents={"random": 1.0, "self": 2},
    ppo=PpoSettings(epochs=3),
)


@pytest.mark.parametrize("config", [Config(), CHANGED], ids=["defaults", "changed"])
def test_round_trip(config):
    again = Config.from_json(config.to_json())
    assert again == config
    assert again.to_json() == config.to_json()
    assert again.differences(config) == []


def test_rules_are_a_preset_and_changes():
    assert Config().make_rules() == KunsRules.duel()
    assert CHANGED.make_rules() == KunsRules(num_players=3, ante_menu=(1, 3))


def test_differences_name_the_field():
    other = dataclasses.replace(Config(), seed=2, ppo=PpoSettings(epochs=9), opponents={"call": 1})
    told = Config().differences(other)
    assert "seed: 1, now 2" in told
    assert any(text.startswith("ppo.epochs:") and text.endswith("now 9") for text in told)
    assert "opponents.call: 0.03, now 1.0" in told
    assert any(text.startswith("opponents.self:") and text.endswith("now not set") for text in told)


def test_differences_of_rules_are_their_fields():
    three = Config(rules={"num_players": 3})
    assert Config().differences(three) == ["rules.num_players: 2, now 3"]
    assert three.differences(Config()) == ["rules.num_players: 3, now 2"]
    assert three.differences(Config(rules={"num_players": 4})) == ["rules.num_players: 3, now 4"]
    told = Config(game="kuns").differences(three)
    assert told == ["game: 'kuns', now 'kuns-duel'", "rules.num_players: 4, now 3"]


def test_what_follows_from_another_difference_is_not_told():
    assert Config().differences(Config(total_steps=1_000)) == ["total_steps: 14000000, now 1000"]
    told = Config().differences(Config(total_steps=1_000, curve_points=5))
    assert told == ["total_steps: 14000000, now 1000", "curve_points: 12, now 5"]


def test_fields_of_rules_that_are_as_in_the_preset_are_no_changes():
    assert Config(rules={"num_players": 2, "forced_ante": 1}) == Config()


def test_the_default_run_keeps_its_curve_and_its_folder():
    config = Config()
    assert (config.total_steps, config.curve_points, config.curve_deals) == (14_000_000, 12, 16_384)
    assert default_folder(config).as_posix() == "runs/kuns-duel-ppo-1"
    assert label(config) == "ppo-1"


@pytest.mark.parametrize(
    ("steps", "points", "deals"),
    [(1, 2, 512), (200_000, 2, 512), (1_000_000, 2, 1_170), (7_000_000, 7, 8_192), (10**9, 12, 16_384)],
)
def test_shorter_runs_have_less_of_a_curve(steps, points, deals):
    config = Config(total_steps=steps)
    assert (config.curve_points, config.curve_deals) == (points, deals)
    assert Config(total_steps=steps, curve_points=0).curve_points == 0
    assert Config.from_dict({"total_steps": steps, "curve_deals": 99}).curve_deals == 99


@pytest.mark.parametrize(
    ("rules", "name"),
    [
        ({"num_players": 3}, "3p"),
        ({"forced_ante": 2}, "forced_ante2"),
        ({"num_players": 4, "ante_menu": [1, 2]}, "4p-ante_menu1_2"),
        ({"side_bets": True, "num_hands": None}, "side_betstrue-num_handsnull"),
    ],
)
def test_changed_rules_are_in_the_name_of_a_run(rules, name):
    config = Config(rules=rules, seed=4)
    assert default_folder(config).as_posix() == f"runs/kuns-duel-{name}-ppo-4"
    assert label(config) == f"{name}-ppo-4"


def test_many_changed_rules_have_a_short_name_of_their_own():
    first = Config(
        game="kuns", rules={"ranks": [1, 2, 3, 4, 5, 6], "ante_menu": [1, 2, 3, 4], "num_hands": 2}
    )
    second = Config(game="kuns", rules=first.rules | {"num_hands": 3})
    assert len(first.rules_label) == 8
    assert first.rules_label != second.rules_label


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"algo": "sac"}, "algo='sac': must be one of ppo, a2c, dqn"),
        ({"game": "poker"}, "game='poker': must be one of kuns"),
        ({"seed": -1}, "seed=-1"),
        ({"seed": 1.5}, "seed=1.5"),
        ({"total_steps": 0}, "total_steps=0"),
        ({"total_steps": -5}, "total_steps=-5"),
        ({"total_steps": 10**30}, "total_steps=1000000000000000000000000000000"),
        ({"num_games": 0}, "num_games=0"),
        ({"num_games": True}, "num_games=True"),
        ({"num_games": 10**9}, "num_games=1000000000"),
        ({"num_games": 65_536, "ppo": {"rollout_steps": 1000}}, "decisions in memory"),
        ({"pad": 1}, "pad=1"),
        ({"hidden": []}, "hidden=[]"),
        ({"hidden": [64, 0]}, "hidden[1]=0"),
        ({"hidden": [10**6]}, "hidden[0]=1000000"),
        ({"hidden": 64}, "hidden=64"),
        ({"activation": "step"}, "activation='step'"),
        ({"opponents": {}}, "at least one weight must be above 0"),
        ({"opponents": {"call": 0}}, "at least one weight must be above 0"),
        ({"opponents": {"call": -1}}, "opponents['call']=-1"),
        ({"opponents": {"call": float("nan")}}, "opponents['call']=nan"),
        ({"opponents": ["call"]}, "opponents=['call']"),
        ({"num_snapshots": 0}, "num_snapshots=0"),
        ({"snapshot_every": 0}, "snapshot_every=0"),
        ({"averaging": 1.0}, "averaging=1.0"),
        ({"curve_points": -1}, "curve_points=-1"),
        ({"curve_deals": 1}, "curve_deals=1"),
        ({"curve_opponents": "call"}, "curve_opponents='call'"),
        ({"checkpoint_seconds": -1}, "checkpoint_seconds=-1"),
        ({"torch_threads": 0}, "torch_threads=0"),
        ({"ppo": {"learning_rate": -1}}, "ppo.learning_rate=-1"),
        ({"ppo": {"learning_rate": "fast"}}, "ppo.learning_rate='fast'"),
        ({"ppo": {"batch_size": 1}}, "ppo.batch_size=1"),
        ({"ppo": {"batch_size": 1_000}}, "ppo.batch_size=1000: must divide"),
        ({"ppo": {"epochs": 0}}, "ppo.epochs=0"),
        ({"ppo": {"momentum": 1}}, "no setting 'ppo.momentum'; there are: ppo.learning_rate"),
        ({"ppo": 3}, "ppo=3"),
        ({"a2c": {"gae_lambda": 2}}, "a2c.gae_lambda=2"),
        ({"dqn": {"buffer_size": 0}}, "dqn.buffer_size=0"),
        ({"algo": "dqn", "dqn": {"buffer_size": 8}}, "dqn.buffer_size=8: must be at least num_games=1024"),
        ({"players": 3}, "no setting 'players'; there are: algo, game"),
        ({"rules": [1]}, "rules=[1]"),
    ],
    ids=str,
)
def test_mistakes_are_named(data, message):
    with pytest.raises(ConfigError) as caught:
        Config.from_dict(data)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("rules", "name"), [({"num_players": 9}, "num_players=9"), ({"jokers": 1}, "'jokers'")]
)
def test_mistakes_in_rules_are_named(rules, name):
    with pytest.raises(RulesError) as caught:
        Config(rules=rules)
    assert name in str(caught.value)


@pytest.mark.parametrize("text", ["", "[1]", "{", "3"])
def test_damaged_json_is_a_clear_error(text):
    with pytest.raises(ConfigError):
        Config.from_json(text)


def test_everything_that_changes_a_run_is_in_the_file():
    names = {field.name for field in dataclasses.fields(Config)}
    assert set(json.loads(Config().to_json())) == names
