"""The cross tables of docs/benchmarks.md: tournaments, kept as the manifest and the table that follows from it.

`kuns reproduce benchmarks/tournaments/NAME` plays one of them again and says whether the table is the same.
"""

from __future__ import annotations

import json
import shutil
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.figures import MACHINE
from kuns_env.engine.game import preset, rules_from_dict
from kuns_training.arena.tournament import plan_tournament, play_tournament

FOLDER = Path(__file__).parent / "tournaments"
KEPT = ("manifest.json", "table.txt")
"""Files of a tournament's folder from which everything else follows."""
TIMES = "times.json"
SEED = 1
JOBS = 2


@dataclass(frozen=True, slots=True)
class Tournament:
    """Who plays, by which rules, on how many deals."""

    title: str
    game: str
    agents: tuple[str, ...]
    deals: int
    changes: dict[str, Any] = field(default_factory=dict)

    @property
    def command(self) -> str:
        """What plays it from a command line."""
        changes = [f"--set {name}={json.dumps(value)}" for name, value in self.changes.items()]
        words = [*self.agents, f"--game {self.game}", *changes, f"--deals {self.deals}", f"--seed {SEED}"]
        return f"kuns tournament {' '.join(words)}"


KUNS = ("equity", "cautious", "call", "fold", "random")
TOURNAMENTS = {
    "kuns-duel": Tournament("Kuns heads-up, `duel`", "kuns-duel", ("equilibrium", *KUNS), 100_000),
    "kuns-4": Tournament("Kuns, four players, side bets", "kuns", KUNS, 10_000),
    "kuns-8": Tournament("Kuns, eight players, side bets", "kuns", KUNS, 4_000, {"num_players": 8}),
    "kunken-2": Tournament(
        "Kunken, two players", "kunken", ("thrifty", "policy-kunken", "greedy", "random"), 2_000
    ),
    "kunken-4": Tournament(
        "Kunken, four players", "kunken", ("thrifty", "greedy", "random"), 1_000, {"num_players": 4}
    ),
}


def play(name: str) -> None:
    """Play one tournament, and keep its manifest and its table."""
    tournament = TOURNAMENTS[name]
    base = preset(tournament.game)
    rules = rules_from_dict(base.game, base.to_dict() | tournament.changes)
    plan = plan_tournament(tournament.agents, rules, tournament.deals, SEED, luck=True)
    start = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        found = play_tournament(plan, Path(folder) / name, num_jobs=JOBS)
        took = time.perf_counter() - start
        kept = FOLDER / name
        kept.mkdir(parents=True, exist_ok=True)
        for file in KEPT:
            shutil.copyfile(Path(folder) / name / file, kept / file)
    times = {"seconds": round(took, 1), "jobs": JOBS, "hands": found.num_hands, "machine": MACHINE}
    (kept / TIMES).write_text(json.dumps(times, indent=2) + "\n", "utf-8")
    print(json.dumps({"tournament": name, **times}), flush=True)


def run() -> None:
    """Play all tournaments."""
    for name in TOURNAMENTS:
        play(name)
