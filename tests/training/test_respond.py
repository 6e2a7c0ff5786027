"""Trained best responses: what a gain is, who is frozen, and which deals decide what."""

import dataclasses
import json
import shutil
import signal

import numpy as np
import pytest

import kuns_agents
from kuns_agents.archive import read_archive
from kuns_agents.simple import CallAgent, FoldAgent
from kuns_env import KunsRules
from kuns_training import checkpoint
from kuns_training.algorithms import make_env, make_model
from kuns_training.arena.asking import AgentFailedError
from kuns_training.arena.interval import Estimate
from kuns_training.config import Config
from kuns_training.pool import Pool
from kuns_training.progress import Silence
from kuns_training.respond import respond, response_config
from kuns_training.respond import run as respond_run
from kuns_training.respond.exact import exact_figures
from kuns_training.respond.gain import count_units, measure_gains, response_seatings
from kuns_training.respond.report import to_json, verdict
from kuns_training.respond.run import derived_seed, measure_response, train_response
from kuns_training.run_folder import RunError, RunFolder
from kuns_training.settings import ConfigError
from kuns_training.train import TrainingStopped, train

ENOUGH = 0.7
"""Share of the exact exploitability that training has to find."""

SMALL = {
    "total_steps": 2_048,
    "num_games": 32,
    "hidden": [16],
    "curve_points": 2,
    "curve_deals": 20,
    "checkpoint_seconds": 1_000.0,
    "ppo": {"batch_size": 128, "rollout_steps": 16},
}


@pytest.fixture(autouse=True)
def few_deals(monkeypatch):
    monkeypatch.setitem(respond_run.SELECTION_DEALS, "kuns", 40)


def small(*agents, game="kuns-tiny", rules=None, **changes):
    return response_config(agents or ("call",), game, rules, **(SMALL | changes))


def quiet(_):
    pass


def gains(responder, profile, rules, num_deals=200, block_deals=10, seed=5):
    responder, profile = (
        kuns_agents.load(agent) if isinstance(agent, str) else agent for agent in (responder, profile)
    )
    return measure_gains(responder, profile, rules, seed, num_deals, block_deals, quiet)


# --- what a gain is ---------------------------------------------------------------------------------------


def test_the_best_response_to_fold_is_known():
    # Who calls wins the forced chip of whoever folds; in the profile it goes to the dealer, who need not act (K4.4).
    found = gains("call", "fold", KunsRules.duel())
    assert [gain.where for gain in found.positions] == ["dealer", "dealer + 1"]
    assert [gain.response.mean for gain in found.positions] == [1, 1]
    assert [gain.profile.mean for gain in found.positions] == [1, -1]
    assert [gain.gain.mean for gain in found.positions] == [0, 2]
    assert (found.total.response.mean, found.total.profile.mean, found.total.gain.mean) == (1, 0, 1)
    assert found.total.response.count == found.total.profile.count == 2 * 200
    # The same deals: where the one is dealer, so is the other.
    assert sum(gain.response.count for gain in found.positions) == 400


def test_a_gain_with_three_players():
    found = gains("call", "fold", KunsRules.anted(num_players=3))
    assert [gain.gain.mean for gain in found.positions] == [0, 3, 3]
    assert found.total.gain.mean == pytest.approx(2)
    assert [gain.where for gain in found.seats] == ["seat 0", "seat 1", "seat 2"]


class CallsAfterDealer(CallAgent):
    """Calls at the left of the dealer, where it acts first (K4.2), and folds everywhere else."""

    def choose(self, views):
        moves = super().choose(views)
        first = (views.seats - views.records["dealer"]) % views.rules.num_players == 1
        return np.where(first, moves, FoldAgent().choose(views))


def test_positions_are_counted_to_the_left_of_the_dealer():
    found = gains(CallsAfterDealer(), kuns_agents.load("fold"), KunsRules.anted(num_players=3))
    assert [gain.gain.mean for gain in found.positions] == [0, 3, 0]


def test_a_responder_that_plays_like_the_profile_gains_nothing():
    found = gains("cautious", "cautious", KunsRules.anted(num_players=3))
    for gain in (found.total, *found.seats, *found.positions):
        assert gain.gain.mean == gain.gain.half_width == 0
        assert gain.response == gain.profile
    assert found.seats[0].response.half_width > 0


def test_each_agent_of_a_profile_has_its_seat():
    # Against fold in seat 1 the caller wins a chip; fold in seat 0 gains by calling what call wins there itself.
    found = gains("call", "profile:call,fold", KunsRules.duel(), num_deals=2_000)
    assert found.seats[0].response == found.seats[0].profile
    assert found.seats[0].response.mean == 1
    assert found.seats[1].profile.mean == -1
    assert found.seats[1].gain.mean == pytest.approx(1, abs=0.3)  # two callers win nothing from each other
    assert found.total.gain.mean == pytest.approx(found.seats[1].gain.mean / 2)


def test_positions_of_sessions_are_not_told():
    found = gains("call", "fold", KunsRules.duel(num_hands=3))
    assert found.positions == ()
    assert found.total.gain.mean == 1
    assert found.total.response.count == 2 * 3 * 200


def test_the_interval_of_a_gain_is_that_of_paired_deals():
    found = gains("equity", "cautious", KunsRules.duel(), num_deals=2_000).total
    assert found.gain.mean == pytest.approx(found.response.mean - found.profile.mean)
    assert found.profile.half_width == 0  # both seats are one agent's
    assert found.gain.half_width == pytest.approx(found.response.half_width)
    seat = gains("cautious", "call", KunsRules.duel(), num_deals=2_000).seats[0]
    assert seat.gain.half_width < seat.response.half_width


def test_an_agent_that_fails_is_no_gain():
    class Broken(FoldAgent):
        def choose(self, views):
            return np.full(len(views), 99)

    tables = response_seatings(kuns_agents.load("call"), Broken(), 2)
    with pytest.raises(AgentFailedError, match="agent 'fold' failed in deal 0, seat"):
        count_units(tables, KunsRules.duel(), 5, 20, 2, quiet)


# --- training: frozen opponents ---------------------------------------------------------------------------


def test_the_pool_is_the_profile_and_never_the_learner(tmp_path):
    config = small("profile:cautious,equity", snapshot_every=256)
    assert config.opponents == {"profile:cautious,equity": 1.0}
    train_response(config, tmp_path)
    env = make_env(config, Pool(config).agents, [1.0])
    kept = checkpoint.load(RunFolder(tmp_path).checkpoint, make_model(config, env), env)["pool"]
    assert [agent.name for agent in kept.agents] == ["cautious, equity"]
    assert not kept.plays_itself
    assert not kept.snapshots
    assert [agent.name for agent in env.games.opponents] == ["cautious, equity"]


@pytest.mark.parametrize(
    ("opponents", "message"),
    [({"self": 1.0}, "never the learner itself"), ({"call": 1.0, "self": 1.0}, "must be one agent")],
)
def test_a_run_with_its_own_past_is_no_response(opponents, message, tmp_path):
    config = Config.from_dict(SMALL | {"opponents": opponents, "keep_agents": True})
    with pytest.raises(ConfigError, match=message):
        train_response(config, tmp_path)
    assert not list(tmp_path.iterdir())


def test_a_run_that_keeps_no_agents_is_no_response(tmp_path):
    with pytest.raises(ConfigError, match="keep_agents=False"):
        train_response(Config.from_dict(SMALL | {"opponents": {"call": 1.0}}), tmp_path)


def trained(folder, **changes):
    """Return the file of a small trained agent."""
    config = Config.from_dict(
        SMALL | {"game": "kuns-tiny", "curve_points": 0, "opponents": {"call": 1.0}} | changes
    )
    return RunFolder(train(config, folder)).agent


def test_a_frozen_agent_whose_file_changes_is_named(tmp_path):
    file = tmp_path / "frozen.npz"
    shutil.copyfile(trained(tmp_path / "one", total_steps=512), file)
    before = file.read_bytes()
    config, folder = small(str(file)), tmp_path / "response"
    train_response(config, folder)
    shutil.copyfile(trained(tmp_path / "two", total_steps=512, seed=2), file)
    for go_on in (train_response, measure_response):
        with pytest.raises(RunError, match=r"the agent 'ppo-2' \(.*frozen.npz\) is not the one"):
            go_on(config, folder)
    file.write_bytes(before)
    response = measure_response(config, folder, num_deals=40)
    assert response.profile[0].file == str(file)


# --- which deals decide what ------------------------------------------------------------------------------


def test_training_choice_and_report_have_deals_of_their_own(tmp_path):
    response = respond(small(), tmp_path, num_deals=60)
    assert len(set(response.seeds.values())) == 3
    assert response.seeds["training"] == 1
    assert response.seeds["report"] == derived_seed(1, "report") != derived_seed(2, "report")
    assert response.num_deals == {"selection": 40, "report": 60}
    assert response.chosen.payoff.mean == max(each.payoff.mean for each in response.candidates)
    assert response.chosen.payoff.count == 40 * 2
    assert [(each.steps, each.likeliest) for each in response.candidates] == [
        (steps, likeliest) for steps in (0, 1_024, 2_048) for likeliest in (False, True)
    ]
    responder = kuns_agents.load(tmp_path, greedy=response.chosen.likeliest)
    assert responder.name == response.responder.name
    again = gains(responder, "call", KunsRules.tiny(), 60, 1, seed=response.seeds["report"])
    assert response.gains == again
    place = RunFolder(tmp_path)
    assert only_the_name_differs(place.agent, place.kept_agent(response.chosen.steps))


def only_the_name_differs(agent, kept):
    """Return whether a responder is this snapshot under its own name."""
    (meta, arrays), (kept_meta, kept_arrays) = read_archive(agent), read_archive(kept)
    assert meta.pop("name").startswith(f"{kept_meta.pop('name')}-against-")
    return meta == kept_meta and all(np.array_equal(arrays[each], kept_arrays[each]) for each in kept_arrays)


def test_the_best_snapshot_is_chosen_wherever_it_is(tmp_path, monkeypatch):
    tried = respond_run.try_out

    def second_is_best(players, *args):
        found = list(tried(players, *args))
        found[1] = respond_run.Candidate(found[1].steps, True, Estimate(99, 99, 99, 0, 80, 40))
        return tuple(found)

    monkeypatch.setattr(respond_run, "try_out", second_is_best)
    response = respond(small(), tmp_path, num_deals=60)
    assert response.chosen == response.candidates[1]
    assert response.gains.total.response.mean < 20  # what it won where it was chosen takes no part
    assert only_the_name_differs(RunFolder(tmp_path).agent, RunFolder(tmp_path).kept_agent(0))


def test_dqn_is_tried_once(tmp_path):
    config = small(algo="dqn", dqn={"learning_starts": 256, "batch_size": 64, "buffer_size": 2_048})
    response = respond(config, tmp_path, num_deals=60)
    assert [each.likeliest for each in response.candidates] == [True] * 3


# --- beside the exact figure ------------------------------------------------------------------------------


def test_a_best_response_finds_all_there_is():
    rules, cautious = KunsRules.duel(), kuns_agents.load("cautious")
    best = kuns_agents.best_response(cautious, rules)
    exact = exact_figures(best, cautious, rules)
    assert exact.responder == pytest.approx(exact.exploitability)
    assert exact.exploitability == pytest.approx(0.3087, abs=1e-4)
    assert exact.share == pytest.approx(1)
    call = exact_figures(kuns_agents.load("call"), cautious, rules)
    assert call.responder < exact.exploitability
    played = gains("call", "cautious", rules, num_deals=20_000, block_deals=100).total.gain
    assert abs(played.mean - call.responder) < 3 * played.std_error


def test_where_nothing_exact_is_known():
    call, fold = kuns_agents.load("call"), kuns_agents.load("fold")
    assert exact_figures(call, fold, KunsRules.anted(num_players=3)) is None
    assert exact_figures(call, kuns_agents.load("profile:call,fold"), KunsRules.duel()) is None
    free = KunsRules(num_players=2, side_bets=False)  # nothing is in the pot: fold cannot be exploited (K8.5)
    assert exact_figures(call, fold, free).share is None


@pytest.mark.parametrize(("name", "steps"), [("random", 120_000), ("call", 500_000)])
def test_training_finds_most_of_what_there_is_in_a_small_game(name, steps, tmp_path, monkeypatch):
    monkeypatch.setitem(respond_run.SELECTION_DEALS, "kuns", 4_000)
    settings = {"total_steps": steps, "num_games": 256, "hidden": [32], "curve_points": 1, "curve_deals": 20}
    settings["ppo"] = {"batch_size": 1_024, "learning_rate": 3e-3, "entropy": 0.1}
    found = respond(response_config([name], "kuns-tiny", **settings), tmp_path, num_deals=4_000)
    assert found.exact.share > ENOUGH, found
    assert found.exact.responder <= found.exact.exploitability + 1e-9
    assert json.loads(to_json(found))["exact"]["share"] == found.exact.share
    assert f"{100 * found.exact.share:.0f} % of it" in " ".join(str(found).split())


@pytest.mark.slow
@pytest.mark.parametrize(("name", "steps"), [("random", 1_000_000), ("cautious", None)])
def test_training_finds_most_of_what_there_is_in_the_duel(name, steps, tmp_path, monkeypatch):
    monkeypatch.setitem(respond_run.SELECTION_DEALS, "kuns", 20_000)
    settings = {} if steps is None else {"total_steps": steps}
    found = respond(response_config([name], "kuns-duel", **settings), tmp_path, num_deals=20_000)
    assert found.exact.share > ENOUGH, found


# --- going on, and what is left behind --------------------------------------------------------------------


class StopAfter(Silence):
    def __init__(self, steps):
        self.steps = steps

    def update(self, steps):
        if steps >= self.steps:
            signal.raise_signal(signal.SIGINT)


def report(folder):
    data = json.loads(RunFolder(folder).response.read_text())
    data["responder"].pop("file")
    return data


def test_an_interrupted_response_ends_as_if_it_had_not_been(tmp_path):
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    respond(small(), whole, num_deals=60)
    with pytest.raises(TrainingStopped, match="the same command goes on with it"):
        respond(small(), parts, num_deals=60, reporter=StopAfter(1_024))
    assert not RunFolder(parts).response.exists()
    respond(small(), parts, num_deals=60)
    assert report(parts) == report(whole)
    respond(small(), parts, num_deals=60)  # a finished one is only measured again
    assert report(parts) == report(whole)


def test_fresh_begins_anew_and_leaves_what_is_not_its_own(tmp_path):
    respond(small(), tmp_path, num_deals=60)
    mine = tmp_path / "points" / "mine.npz"
    mine.write_text("mine")
    with pytest.raises(RunError, match="seed: 1, now 2"):
        respond(small(seed=2), tmp_path, num_deals=60)
    response = respond(small("fold", total_steps=1_024), tmp_path, num_deals=60, fresh=True)
    assert [each.steps for each in response.candidates[::2]] == [0, 512, 1_024]
    assert response.profile[0].name == "fold"
    assert mine.read_text() == "mine"


def test_the_report_as_json(tmp_path):
    response = respond(small(), tmp_path, num_deals=60)
    text = RunFolder(tmp_path).response.read_text()
    assert text == to_json(response)
    data = json.loads(text)
    assert data["is_lower_bound"] is True
    assert "a better response may win more" in data["method"]
    assert data["rules"] == KunsRules.tiny().to_dict()
    (entry,) = data["profile"]
    assert (entry["name"], entry["sha256"]) == ("call", None)
    assert len(data["responder"]["sha256"]) == 64
    total = data["gain"]
    assert total["gain"]["mean"] == pytest.approx(
        total["responder_wins"]["mean"] - total["profile_wins"]["mean"]
    )
    assert (
        total["profile_wins"]["mean"] == 0
    )  # Kuns is settled to zero (K7.1), and both seats are one agent's
    assert [each["where"] for each in data["seats"]] == ["seat 0", "seat 1"]
    assert total["responder_wins"]["num_hands"] == 120


def test_the_report_in_words(tmp_path):
    response = respond(small("fold"), tmp_path, num_deals=200)
    text = str(response)
    assert "Chips per hand of a response to fold" in text
    assert "Lower bound: fold can be exploited for at least" in text
    assert "a better one may win more" in text.replace("\n", " ")
    below = dataclasses.replace(response.gains.total.gain, mean=-0.25)
    total = dataclasses.replace(response.gains.total, gain=below)
    lost = dataclasses.replace(response, gains=dataclasses.replace(response.gains, total=total))
    assert verdict(lost).startswith(
        "Found nothing: the bound is 0 (the best that is known is to play as the profile"
    )
    few = str(respond(small("equity"), tmp_path / "few", num_deals=20))
    assert "No gain was found that is clear of chance" in few or "Found nothing: the bound is 0" in few
    assert "Lower bound:" not in few


# --- settings ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([], "kuns-duel"), r"agents=\[\]: must name the agents"),
        ((["self"], "kuns-duel"), "must name the agents"),
        ((["call"] * 3, "kuns-duel"), "3 agents given: must be one, who then sits in every seat, or 2"),
    ],
)
def test_bad_profiles(arguments, message):
    with pytest.raises(ConfigError, match=message):
        response_config(*arguments)


@pytest.mark.parametrize("name", ["opponents", "curve_opponents", "keep_agents"])
def test_settings_that_make_a_response(name):
    with pytest.raises(ConfigError, match=f"{name}: follows from the agents that are answered"):
        response_config(["call"], "kuns-duel", **{name: None})


def test_defaults_by_game():
    kuns = response_config(["cautious"], "kuns-duel", ppo={"epochs": 7})
    assert kuns.ppo.epochs == 7
    assert kuns.ppo.entropy == response_config(["cautious"], "kuns").ppo.entropy > Config().ppo.entropy
    kunken = response_config(["greedy"], "kunken-mini", warm={"steps": 100})
    assert (kunken.warm.agent, kunken.warm.steps) == ("thrifty", 100)
    assert response_config(["greedy"], "kunken-mini", algo="dqn").warm.agent == ""


@pytest.mark.parametrize("num_deals", [1, 2.5, True, 10**9])
def test_a_number_of_deals_that_is_out_of_range(num_deals, tmp_path):
    with pytest.raises(ValueError, match="num_deals="):
        respond(small(), tmp_path, num_deals=num_deals)
    assert not list(tmp_path.iterdir())
