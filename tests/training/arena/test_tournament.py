"""Tournaments in folders: interrupted, damaged, in use by two, played by several, and reproduced."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agent_code import write_code
from kuns_env import KunsRules
from kuns_training.arena import pictures, units, workers
from kuns_training.arena import plan as module
from kuns_training.arena.manifest import TournamentError, read_manifest, to_text
from kuns_training.arena.plan import Plan
from kuns_training.arena.replay import reproduce
from kuns_training.arena.store import Store
from kuns_training.arena.tournament import plan_tournament, play_tournament, resume_tournament

DUEL = KunsRules.duel()


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "CHUNK", 32)
    monkeypatch.setattr(units, "WARM_UP_SECONDS", 0.5)
    monkeypatch.setattr(pictures, "why_no_picture", lambda: "pictures take time")


def small(folder: Path, *names: str, num_deals: int = 80, seed: int = 3, **options: Any) -> Plan:
    """A plan of agents of which all but the built-in ones are in a file of code."""
    code = write_code(folder)
    specs = [name if name in ("call", "fold", "random") else f"{code}:{name}" for name in names]
    return plan_tournament(specs, DUEL, num_deals, seed, **options)


def contents(folder: Path) -> dict[str, bytes]:
    """All files of a tournament but its lock."""
    return {
        str(file.relative_to(folder)): file.read_bytes()
        for file in sorted(folder.rglob("*"))
        if file.is_file() and file.name != ".lock"
    }


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> tuple[Plan, dict[str, bytes]]:
    """A plan, and what its folder holds when it was played in one go."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "CHUNK", 32)
        patch.setattr(pictures, "why_no_picture", lambda: "pictures take time")
        folder = tmp_path_factory.mktemp("reference")
        plan = small(folder, "Dice", "Faulty", "random")
        play_tournament(plan, folder / "out")
        return plan, contents(folder / "out")


def test_a_folder_holds_manifest_parts_and_result(reference: Any) -> None:
    _, files = reference
    assert len(files) == 4 + 3 * 3  # three matches, 80 deals in chunks of 32
    assert {"manifest.json", "results.json", "results.csv", "table.txt"} <= set(files)
    data = json.loads(files["manifest.json"])
    assert (data["game"], data["seed"], data["num_deals"], data["chunk_deals"]) == ("kuns", 3, 80, 32)
    assert [agent["name"] for agent in data["agents"]] == ["dice", "faulty", "random"]
    assert len(data["agents"][0]["sha256"]) == 64
    assert KunsRules.from_dict(data["rules"]) == DUEL
    assert data["matches"][0] == {"seatings": [[0, 1], [1, 0]], "measured": [0, 1]}
    result = json.loads(files["results.json"])
    assert result["num_disqualified"]["faulty"] > 20
    assert set(result["num_disqualified"]) == {"faulty"}


class Stop(KeyboardInterrupt):
    """Ctrl-C, or as good as a kill: nothing is put in order."""


@pytest.mark.parametrize("num_played", range(9))
def test_an_interrupted_tournament_goes_on_wherever_it_stopped(
    num_played: int, reference: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan, files = reference
    play_loaded, calls = workers.play_loaded, 0

    def stopped(*args: Any) -> Any:
        nonlocal calls
        if calls == num_played:
            raise Stop
        calls += 1
        return play_loaded(*args)

    monkeypatch.setattr(workers, "play_loaded", stopped)
    with pytest.raises(Stop):
        play_tournament(plan, tmp_path / "out")
    assert len(list((tmp_path / "out" / "units").iterdir())) == num_played
    assert not (tmp_path / "out" / "results.json").exists()
    monkeypatch.setattr(workers, "play_loaded", play_loaded)
    said: list[str] = []
    resume_tournament(tmp_path / "out", say=said.append)
    assert said[:1] == [f"{tmp_path / 'out'}: going on; {num_played} of 9 parts are there"]
    assert contents(tmp_path / "out") == files


def test_a_killed_process_leaves_a_folder_that_goes_on(reference: Any, tmp_path: Path) -> None:
    plan, files = reference
    script = (
        "import sys; from pathlib import Path\n"
        "from kuns_training.arena import plan as module; from kuns_training.arena.manifest import read_manifest\n"
        "from kuns_training.arena.tournament import play_tournament\n"
        "play_tournament(read_manifest(Path(sys.argv[1])), sys.argv[2])\n"
    )
    (tmp_path / "manifest").write_bytes(files["manifest.json"])
    process = subprocess.Popen(
        [sys.executable, "-c", script, str(tmp_path / "manifest"), str(tmp_path / "out")]
    )
    folder = tmp_path / "out" / "units"
    while process.poll() is None and not (folder.exists() and len(list(folder.iterdir())) > 2):
        time.sleep(0.005)
    process.kill()
    process.wait()
    assert not list(folder.glob("match*.part"))
    play_tournament(plan, tmp_path / "out")
    assert {name: text for name, text in contents(tmp_path / "out").items() if ".part" not in name} == files


def test_results_do_not_depend_on_the_number_of_processes(reference: Any, tmp_path: Path) -> None:
    plan, files = reference
    play_tournament(plan, tmp_path / "out", num_jobs=2)
    assert contents(tmp_path / "out") == files


DAMAGE = {
    "cut": lambda text: text[: len(text) // 2],
    "empty": lambda text: b"",
    "a byte": lambda text: text.replace(b'"first_deal": 32', b'"first_deal": 33'),
    "a number": lambda text: text.replace(b"[[", b"[[1", 1),
    "no JSON": lambda text: b"\xff\xfe\x00",
    "something else": lambda text: b"[1, 2]",
}


@pytest.mark.parametrize("how", DAMAGE)
def test_damaged_parts_are_named_and_played_again(how: str, reference: Any, tmp_path: Path) -> None:
    plan, files = reference
    write_all(tmp_path, files)
    file = tmp_path / "units" / "match-00001-deal-00000032.json"
    file.write_bytes(DAMAGE[how](file.read_bytes()))
    assert file.read_bytes() != files[f"units/{file.name}"]
    said: list[str] = []
    play_tournament(plan, tmp_path, say=said.append)
    assert len([line for line in said if "damaged" in line and str(file) in line]) == 1
    assert f"{len(plan.units()) - 1} of {len(plan.units())} parts are there" in " ".join(said)
    assert contents(tmp_path) == files


def test_parts_of_another_tournament_or_place_are_played_again(reference: Any, tmp_path: Path) -> None:
    plan, files = reference
    other = small(tmp_path, "Dice", "Faulty", "random", seed=4)
    play_tournament(other, tmp_path / "other")
    play_tournament(plan, tmp_path / "out")
    parts = tmp_path / "out" / "units"
    foreign = (tmp_path / "other" / "units" / "match-00000-deal-00000000.json").read_bytes()
    (parts / "match-00000-deal-00000000.json").write_bytes(foreign)
    (parts / "match-00001-deal-00000000.json").write_bytes(files["units/match-00002-deal-00000000.json"])
    said: list[str] = []
    play_tournament(plan, tmp_path / "out", say=said.append)
    assert "of another manifest" in said[0]
    assert "of another part" in said[1]
    assert contents(tmp_path / "out") == files


def write_all(folder: Path, files: dict[str, bytes]) -> None:
    """Write a folder as `contents` found it."""
    (folder / "units").mkdir()
    for name, text in files.items():
        (folder / name).write_bytes(text)


# --- manifests ----------------------------------------------------------------------------------------------


def test_another_manifest_is_refused_with_what_differs(tmp_path: Path) -> None:
    play_tournament(small(tmp_path, "call", "Modest"), tmp_path / "out")
    before = contents(tmp_path / "out")
    for other, message in (
        (small(tmp_path, "call", "Modest", seed=4), "seed 3, now 4"),
        (small(tmp_path, "call", "Modest", num_deals=81), "num_deals 80, now 81"),
        (small(tmp_path, "call", "fold"), "agents call, modest, now call, fold"),
        (small(tmp_path, "call", "Modest", time_limit=1.0), "time_limit None, now 1.0"),
        (small(tmp_path, "call", "Modest", until=0.1, block_deals=1), "half_width None, now 0.1"),
    ):
        with pytest.raises(TournamentError, match=message):
            play_tournament(other, tmp_path / "out")
    write_code(tmp_path, "# changed\n")
    specs = ["call", f"{tmp_path / 'mine.py'}:Modest"]
    with pytest.raises(
        TournamentError, match=r"file of agent 'modest', .*mine.py, has changed: SHA-256 \w{64}, now"
    ):
        play_tournament(plan_tournament(specs, DUEL, 80, 3), tmp_path / "out")
    assert contents(tmp_path / "out") == before


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda text: text[:-20], "not JSON"),
        (lambda text: text.replace('"seed": 3', '"seed": -3'), "seed=-3"),
        (lambda text: text.replace('"version": 1', '"version": 9'), "version 9, this program reads 1"),
        (lambda text: text.replace("kuns-env/tournament", "else"), "no manifest of a tournament"),
        (lambda text: text.replace("[[0, 1]", "[[0, 7]"), "matches: seatings of match 0"),
        (
            lambda text: text.replace('"measured": [0, 1]', '"measured": [0, 2]'),
            "matches: measured of match 0",
        ),
        (
            lambda text: text.replace('"half_width": null', '"half_width": 0.1'),
            r"looks=\[\]: with half_width=0.1",
        ),
        (lambda text: text.replace('"seed"', '"sead"'), "seed is missing"),
        (lambda text: text.replace('"mode": "pairs"', '"mode": "war"'), "mode='war'"),
        (lambda text: text.replace("{\n", '{"more": 1,\n', 1), "more=1: no manifest has that"),
    ],
)
def test_damaged_manifests_are_refused(change: Any, message: str, tmp_path: Path) -> None:
    play_tournament(small(tmp_path, "call", "fold"), tmp_path / "out")
    file = tmp_path / "out" / "manifest.json"
    text = file.read_text("utf-8")
    file.write_text(change(text), "utf-8")
    assert file.read_text("utf-8") != text
    for read in (resume_tournament, reproduce):
        with pytest.raises(TournamentError, match=message):
            read(tmp_path / "out")


def test_where_the_same_file_lies_makes_no_difference(tmp_path: Path) -> None:
    plan = small(tmp_path, "call", "Modest")
    play_tournament(plan, tmp_path / "out")
    before = contents(tmp_path / "out")
    moved = replace(plan, agents=(plan.agents[0], replace(plan.agents[1], file="elsewhere/mine.py")))
    said: list[str] = []
    play_tournament(moved, tmp_path / "out", say=said.append)
    assert "3 of 3 parts are there" in said[0]
    assert not [line for line in said if "damaged" in line]
    assert contents(tmp_path / "out") == before


def test_folders_without_a_tournament_are_refused(tmp_path: Path) -> None:
    with pytest.raises(TournamentError, match=r"holds no tournament: there is no manifest\.json"):
        resume_tournament(tmp_path)
    (tmp_path / "units").mkdir()
    with pytest.raises(TournamentError, match=r"holds mine\.py, units but no manifest\.json"):
        play_tournament(small(tmp_path, "call", "fold"), tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(TournamentError, match="cannot be used as the folder of a tournament"):
        play_tournament(small(tmp_path, "call", "fold"), tmp_path / "file")


def test_a_folder_of_something_else_is_refused_and_left_alone(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    plan = plan_tournament(["call", "fold"], DUEL, 80, 3)
    manifest = tmp_path_factory.mktemp("sent") / "manifest.json"
    manifest.write_text(to_text(plan), "utf-8")
    names = ("agent.npz", "result.json", "curve.png", "config.json", "metrics.csv")
    for name in names:
        (tmp_path / name).write_text("")
    for play in (
        lambda: play_tournament(plan, tmp_path),
        lambda: reproduce(manifest, tmp_path),
    ):
        with pytest.raises(
            TournamentError, match=r"holds agent\.npz, config\.json, .* and 1 more but no manifest"
        ):
            play()
    assert {each.name for each in tmp_path.iterdir()} == set(names)


def test_a_manifest_comes_back_as_its_plan(reference: Any, tmp_path: Path) -> None:
    plan, files = reference
    (tmp_path / "m.json").write_bytes(files["manifest.json"])
    assert read_manifest(tmp_path / "m.json") == plan
    sequential = small(tmp_path, "call", "fold", until=0.5, time_limit=2.5, block_deals=1)
    play_tournament(sequential, tmp_path / "out")
    assert Store(tmp_path / "out").read_plan() == sequential


def test_other_versions_are_not_mixed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from kuns_training.arena import tournament

    play_tournament(small(tmp_path, "call", "fold"), tmp_path / "out")
    now = tournament.versions() | {"numpy": "9.9"}
    monkeypatch.setattr(tournament, "versions", lambda: now)
    with pytest.raises(TournamentError, match=r"numpy \S+, now 9\.9"):
        resume_tournament(tmp_path / "out")
    said: list[str] = []
    assert reproduce(tmp_path / "out", say=said.append).is_same
    assert "version of numpy" in said[0]


# --- two processes ------------------------------------------------------------------------------------------


def test_two_processes_cannot_work_in_one_folder(tmp_path: Path) -> None:
    plan = small(tmp_path, "call", "fold")
    with Store(tmp_path / "out").locked():
        with pytest.raises(TournamentError, match=rf"is in use by process {os.getpid()} on \S+ since 20"):
            play_tournament(plan, tmp_path / "out")
        assert not (tmp_path / "out" / "manifest.json").exists()
    play_tournament(plan, tmp_path / "out")


def test_a_process_that_an_agent_ends_is_an_error_and_not_a_hang(tmp_path: Path) -> None:
    plan = small(tmp_path, "call", "Deadly")
    with pytest.raises(TournamentError, match="a process that played games has ended of itself"):
        play_tournament(plan, tmp_path / "out", num_jobs=2)


@pytest.mark.parametrize("jobs", [0, -1, 1.5, 10_000])
def test_absurd_numbers_of_processes_are_refused(jobs: Any, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="num_jobs="):
        play_tournament(small(tmp_path, "call", "fold"), tmp_path / "out", num_jobs=jobs)
    assert not (tmp_path / "out").exists()


# --- playing it again ---------------------------------------------------------------------------------------


def test_a_tournament_is_reproduced_to_the_last_byte(reference: Any, tmp_path: Path) -> None:
    _, files = reference
    (tmp_path / "old").mkdir()
    write_all(tmp_path / "old", files)
    replay = reproduce(tmp_path / "old", tmp_path / "new")
    assert replay.is_same is True
    assert replay.changes == ()
    assert contents(tmp_path / "new") == contents(tmp_path / "old") == files
    with pytest.raises(TournamentError, match="holds a tournament already"):
        reproduce(tmp_path / "old", tmp_path / "new")


def test_a_manifest_alone_is_played_and_compared_with_nothing(reference: Any, tmp_path: Path) -> None:
    _, files = reference
    (tmp_path / "manifest.json").write_bytes(files["manifest.json"])
    replay = reproduce(tmp_path / "manifest.json", tmp_path / "new")
    assert replay.is_same is None
    assert contents(tmp_path / "new") == files


def test_a_manifest_and_its_table_are_enough_to_compare(reference: Any, tmp_path: Path) -> None:
    _, files = reference
    for name in ("manifest.json", "table.txt"):
        (tmp_path / name).write_bytes(files[name])
    assert reproduce(tmp_path).is_same is True
    (tmp_path / "table.txt").write_bytes(files["table.txt"].replace(b"95 %", b"99 %"))
    assert reproduce(tmp_path).is_same is False


def test_what_came_out_differently_is_named(reference: Any, tmp_path: Path) -> None:
    _, files = reference
    other = json.loads(files["units/match-00002-deal-00000032.json"])
    from kuns_training.arena.unit_read import hash_of

    other["blocks"]["1"][0][1] += 840
    body = {name: value for name, value in other.items() if name != "sha256"}
    write_all(tmp_path, files)
    (tmp_path / "units" / "match-00002-deal-00000032.json").write_text(
        json.dumps({"sha256": hash_of(body), **body}), "utf-8"
    )
    replay = reproduce(tmp_path)
    assert replay.changes == ("match 2 (faulty, random), deals 32 to 63",)
    assert replay.is_same  # the table was made from what was played
    (tmp_path / "results.json").write_bytes(files["results.json"].replace(b'"seed": 3', b'"seed": 4'))
    assert not reproduce(tmp_path).is_same


def test_ratings_that_cannot_be_made_are_not_compared(reference: Any, tmp_path: Path) -> None:
    _, files = reference
    write_all(tmp_path, files)
    data = json.loads(files["results.json"])
    data["ratings"] = None if data["ratings"] else {}
    (tmp_path / "results.json").write_text(json.dumps(data, indent=2) + "\n", "utf-8")
    said: list[str] = []
    assert reproduce(tmp_path, say=said.append).is_same
    assert "ratings are not compared" in said[0]
    (tmp_path / "results.json").write_text(json.dumps(data | {"seed": 9}, indent=2) + "\n", "utf-8")
    assert not reproduce(tmp_path).is_same
    (tmp_path / "results.json").write_text("{", "utf-8")
    assert not reproduce(tmp_path).is_same


def test_a_changed_agent_is_named_with_both_hashes(tmp_path: Path) -> None:
    play_tournament(small(tmp_path, "call", "Modest"), tmp_path / "out")
    write_code(tmp_path, "# changed\n")
    for again in (reproduce, resume_tournament):
        with pytest.raises(
            TournamentError, match=r"'modest', .*mine\.py, has changed: SHA-256 \w{64}, now \w{64}"
        ):
            again(tmp_path / "out")


def test_a_changed_part_of_a_profile_is_named(tmp_path: Path) -> None:
    profile = f"profile:{write_code(tmp_path)}:Modest,call"
    plan = plan_tournament([profile, "call"], DUEL, 20, 1)
    play_tournament(plan, tmp_path / "out")
    write_code(tmp_path, "# changed\n")
    with pytest.raises(TournamentError, match=r"'modest, call', .*mine\.py, has changed"):
        reproduce(tmp_path / "out")


def test_an_agent_that_changes_during_play_is_noticed(tmp_path: Path) -> None:
    plan = small(tmp_path, "call", "Modest")
    write_code(tmp_path, "# changed\n")
    with pytest.raises(TournamentError, match="has changed"):
        play_tournament(plan, tmp_path / "out")


@pytest.mark.parametrize("jobs", [1, 2])
def test_late_moves_are_replayed_and_not_timed_again(
    jobs: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = small(tmp_path, "Slow", "random", num_deals=20, time_limit=0.3)
    found = play_tournament(plan, tmp_path / "out", num_jobs=jobs)
    assert found.num_disqualified["slow"] > 0
    assert {each.problem for each in found.disqualifications} == {"took longer than 0.3 s"}
    monkeypatch.setenv("KUNS_TEST_SWIFT", "1")  # now it would be in time
    assert reproduce(tmp_path / "out", tmp_path / "new").is_same
    assert contents(tmp_path / "new") == contents(tmp_path / "out")


def test_a_tournament_stops_when_it_is_precise_enough(tmp_path: Path) -> None:
    plan = small(tmp_path, "Modest", "random", num_deals=1000, until=2.0, block_deals=1)
    found = play_tournament(plan, tmp_path / "out", num_jobs=2)
    assert found.looks is not None
    assert found.looks.is_reached
    assert found.num_deals < 1000
    assert reproduce(tmp_path / "out").is_same
    assert resume_tournament(tmp_path / "out").results == found.results


def test_what_luck_is_judged_by_is_in_the_manifest(tmp_path: Path) -> None:
    plan = small(tmp_path, "call", "random", luck=True)
    found = play_tournament(plan, tmp_path / "out")
    data = json.loads((tmp_path / "out" / "manifest.json").read_text("utf-8"))
    assert plan.luck is not None
    assert data["luck"] == {"name": plan.luck.name, "sha256": plan.luck.sha256}
    assert all(result.adjusted is not None for result in found.results)
    assert reproduce(tmp_path / "out").is_same
    with pytest.raises(TournamentError, match="luck"):
        play_tournament(small(tmp_path, "call", "random"), tmp_path / "out")
