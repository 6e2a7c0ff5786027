"""Manifests that somebody has edited: whatever does not follow from the rest is refused by name."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kuns_env import KunkenRules, KunsRules
from kuns_training.arena.manifest import TournamentError, from_dict, read_manifest, to_dict, to_text
from kuns_training.arena.replay import reproduce
from kuns_training.arena.room import most_paid
from kuns_training.arena.tournament import plan_tournament, resume_tournament

DUEL = KunsRules.duel()
NAMES = ("call", "fold", "random")


def plain(**options: Any) -> dict[str, Any]:
    """A manifest of a tournament of three agents, as plain data."""
    data: dict[str, Any] = json.loads(to_text(plan_tournament(NAMES, DUEL, 200, 1, **options)))
    return data


def match(**changes: Any) -> Callable[[dict[str, Any]], None]:
    """Change the first match."""
    return lambda data: data["matches"][0].update(changes)


def agent(**changes: Any) -> Callable[[dict[str, Any]], None]:
    """Change the first agent."""
    return lambda data: data["agents"][0].update(changes)


def top(**changes: Any) -> Callable[[dict[str, Any]], None]:
    """Change the manifest itself."""
    return lambda data: data.update(changes)


EDITS: list[tuple[Callable[[dict[str, Any]], Any], str]] = [
    (top(block_deals=1000), "block_deals=1000"),
    (top(block_deals=101), "block_deals=101"),
    (top(num_deals=10**12), "num_deals=1000000000000"),
    (top(num_deals=200.0), "num_deals=200.0"),
    (top(num_deals=True), "num_deals=True"),
    (top(seed=2**70), "seed="),
    (top(chunk_deals=0), "chunk_deals=0"),
    (top(chunk_deals=10**30), "chunk_deals="),
    (top(looks=[200]), "looks="),
    (top(looks=5), "looks=5"),
    (top(looks=None), "looks=None"),
    *((top(half_width=0.1, looks=looks), "looks=") for looks in ([1, 200], [0, 200], [-5, 200], [50.5, 200])),
    (top(half_width=0.1, looks=[50, 100, 200.0]), "looks="),
    (top(half_width="x", looks=[50, 100, 200]), "half_width='x'"),
    (top(time_limit="abc"), "time_limit='abc'"),
    (top(time_limit=-1), "time_limit=-1"),
    (top(time_limit=True), "time_limit=True"),
    (match(seatings=[]), "matches: seatings of match 0"),
    (match(seatings=[[0, 1]]), "matches: seatings of match 0"),
    (match(seatings=[[0, 1]] * 3), "matches: seatings of match 0"),
    (match(seatings=[[0, 1.0], [1.0, 0]]), "matches: seatings of match 0"),
    (match(seatings=[[False, 1], [1, False]]), "matches: seatings of match 0"),
    (match(seatings=5), "matches="),
    (match(measured=[0, 0]), "matches: measured of match 0"),
    (match(measured=[0.0, 1]), "matches: measured of match 0"),
    (match(measured=[]), "matches: measured of match 0"),
    (match(more=1), "matches="),
    (lambda data: data["matches"].pop(), "matches: 2 of them"),
    (lambda data: data["matches"].extend(data["matches"]), "matches: 6 of them"),
    (top(matches=[]), "matches: 0 of them"),
    (top(matches={"a": 1}), "matches="),
    (top(mode="tables"), "matches: 3 of them|matches: measured|matches: seatings"),
    (top(mode=[]), r"mode=\[\]"),
    (agent(label=5), "agents: label=5"),
    (agent(label=["x"]), "agents: label="),
    (agent(label="fold"), "agents: label='fold'"),
    (agent(name=5), "agents: name=5"),
    (agent(spec=5), "agents: spec=5"),
    (agent(sha256="00"), "agents: sha256='00'"),
    (agent(file="x", sha256="00"), "agents: sha256='00'"),
    (agent(greedy="yes"), "agents: greedy='yes'"),
    (agent(greedy=1), "agents: greedy=1"),
    (agent(more=1), "agents="),
    (lambda data: data["agents"].pop(), "matches: "),
    (top(agents=[]), "agents: their number=0"),
    (top(agents="abc"), "agents='abc'"),
    (top(luck=5), "luck=5"),
    (top(luck={"name": "x", "sha256": "x"}), "luck: sha256='x'"),
    (top(luck={}), "luck={}"),
    (top(rules=5), "game, rules: "),
    (top(game=[]), "game, rules: "),
    (top(versions=5), "versions=5"),
    (top(versions={"kuns-env": 5}), "versions: kuns-env=5"),
    (top(versions=[["a", "b"]]), "versions="),
    (top(extra=1), "extra=1: no manifest has that"),
    *((lambda data, name=name: data.pop(name), f"{name} is missing") for name in ("game", "rules", "looks")),
]


@pytest.mark.parametrize("number", range(len(EDITS)))
def test_edited_manifests_are_refused_by_name(number: int, tmp_path: Path) -> None:
    edit, message = EDITS[number]
    data = plain()
    edit(data)
    (tmp_path / "manifest.json").write_text(json.dumps(data), "utf-8")
    for use in (resume_tournament, reproduce):
        with pytest.raises(
            TournamentError, match=rf"manifest\.json: damaged manifest: ({message})"
        ) as caught:
            use(tmp_path)
        assert "\n" not in str(caught.value)
    assert [file.name for file in tmp_path.iterdir()] == ["manifest.json"]


@pytest.mark.parametrize(
    "edit", [agent(file="x", sha256="0" * 64), agent(file="x", sha256="0" * 64, greedy=True)]
)
def test_a_file_that_no_agent_has_is_named(edit: Any, tmp_path: Path) -> None:
    data = plain()
    edit(data)
    (tmp_path / "manifest.json").write_text(json.dumps(data), "utf-8")
    with pytest.raises(TournamentError, match="agent 'call' was read from the file x, now from no file"):
        reproduce(tmp_path / "manifest.json")


@pytest.mark.parametrize(
    ("names", "rules", "options"),
    [
        (NAMES, DUEL, {"until": 0.1, "luck": True, "time_limit": 2.0}),
        (NAMES, KunsRules.anted(3), {}),
        (NAMES, KunsRules.anted(3), {"mode": "pairs"}),
        (("random",) * 9, KunsRules.anted(3), {"mode": "tables", "num_tables": 7}),
        (("random",) * 9, KunsRules.anted(3), {"mode": "tables", "num_tables": 84}),
        (("random",) * 9, KunsRules.anted(3), {"mode": "tables", "num_tables": 300}),
        (("random",) * 9, KunsRules.anted(4), {"mode": "tables"}),
        (("random",) * 15, DUEL, {"mode": "tables"}),  # 105 tables, and as many are drawn
        (("random", "greedy"), KunkenRules(), {"luck": True}),
    ],
)
def test_what_was_planned_is_read_again(names: Any, rules: Any, options: Any, tmp_path: Path) -> None:
    plan = plan_tournament(names, rules, 300, 5, **options)
    (tmp_path / "m.json").write_text(to_text(plan), "utf-8")
    assert read_manifest(tmp_path / "m.json") == plan == from_dict(json.loads(json.dumps(to_dict(plan))))


def test_blocks_that_may_not_fit_into_64_bits_are_refused() -> None:
    high = KunsRules(num_players=8, ante_menu=(10_000,), side_bets=True, side_stakes=(100,), num_hands=1_000)
    assert most_paid(high) == 840 * (7 * (30_000 + 1) + 3 * 8 * 1_000_000)
    with pytest.raises(
        ValueError, match=r"block_deals=50,000: .* may not fit into 64 bits: at most \d+ deals"
    ):
        plan_tournament(("call", "fold"), high, 10_000_000, 1, luck=True)
    assert plan_tournament(("call", "fold"), high, 10_000, 1).block_deals == 50
    for rules in (DUEL, KunsRules.anted(8), KunkenRules(), KunsRules(num_players=4, side_bets=True)):
        assert plan_tournament(("random",) * 6, rules, 10_000_000, 1, luck=True).block_deals == 50_000


def test_no_hand_pays_more_than_is_reckoned_with() -> None:
    from kuns_env.engine.batch import Batch
    from kuns_env.engine.game import game_of

    for rules in (KunsRules(num_players=3, side_bets=True, num_hands=2), KunkenRules(num_players=3)):
        batch = Batch(rules, 50, 1)
        rng = np.random.default_rng(1)
        for _ in range(400):
            moves = [rng.choice(np.flatnonzero(row)) for row in batch.masks]
            batch.step(np.array(moves))
            assert np.abs(batch.states["payoff"]).max() <= most_paid(rules)
        assert game_of(rules).units > 1
