"""Solving heads-up Kuns in a folder: the policy, how it came about, and what it is worth.

The folder holds the agent (``agent.npz``), its report (``result.json``) and a picture (``curve.png``). The report is
written last and removed first, so that where there is one all the rest belongs to it. Nothing is written before the
solution is there; one that is stopped is saved as good as it is, which the report says.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Final

import kuns_env
from kuns_agents.exact.agent import TableAgent, load_table
from kuns_agents.exact.duel import DEALER, LEFT
from kuns_agents.exact.exploitability import exploitability
from kuns_agents.exact.scope import check_exact
from kuns_agents.exact.solve import Look, Solution, solve
from kuns_agents.exact.solver import DCFR
from kuns_env import KunsRules
from kuns_env.engine.game import Rules
from kuns_env.fields import parse_json
from kuns_training.cli_rules import nearest_preset
from kuns_training.config import Config, changed_fields
from kuns_training.run_folder import RUNS, RunError, RunFolder, write_json

EXPLOITABILITY: Final = 1e-4
MOST_ITERATIONS: Final = 100_000
KIND: Final = "exact solution"
"""What a report calls itself."""
PACKAGES: Final = ("numpy", "numba")

Tell = Callable[[Look], None]
Stop = Callable[[], bool]


@dataclass(frozen=True, slots=True)
class Goal:
    """What is solved, how, and how far."""

    rules: KunsRules
    exploitability: float = EXPLOITABILITY
    """In chips a hand."""
    algorithm: str = DCFR
    max_iterations: int = MOST_ITERATIONS


@dataclass(frozen=True, slots=True)
class Solved:
    """A solution in its folder."""

    folder: RunFolder
    looks: tuple[Look, ...]
    low: float
    """The value of the game to the dealer is at least this, by the policy as it is in the file."""
    high: float
    """And at most this."""
    reached: bool
    """Whether it is as good as was wanted."""
    stopped: bool

    @property
    def exploitability(self) -> float:
        """Of the policy in the file, whose numbers are rounded, in chips a hand."""
        return (self.high - self.low) / 2


def default_folder(rules: Rules) -> Path:
    """Return where a solution is kept if nothing else is said.

    >>> default_folder(KunsRules.duel()).as_posix()
    'runs/solve-kuns-duel'
    """
    return RUNS / "-".join(["solve", name_of(rules)])


def name_of(rules: Rules) -> str:
    """Return the name of the rules as part of a file's name."""
    game = nearest_preset(rules)
    label = Config(game=game, rules=changed_fields(game, rules.to_dict())).rules_label
    return "-".join(filter(None, (game, label)))


def solve_in(
    goal: Goal, path: Path | None = None, tell: Tell | None = None, stop: Stop | None = None
) -> Solved:
    """Solve, and keep the solution in the folder ``path``; an older one of the same rules is replaced.

    Args:
        goal: what is solved.
        path: where it is kept; by default `default_folder`.
        tell: is told how far it is.
        stop: is asked whether to end early.

    Raises:
        RunError: the folder holds something else, or another process works in it.
        ValueError: rules that cannot be solved, or a number out of range.
    """
    check_exact(goal.rules)
    folder = RunFolder(default_folder(goal.rules) if path is None else path)
    check_folder(folder, goal.rules)
    solve(KunsRules.tiny(), max_iterations=1)  # compiles what is to be timed
    solution = solve(
        goal.rules,
        goal.exploitability,
        algorithm=goal.algorithm,
        max_iterations=goal.max_iterations,
        progress=tell,
        stop=stop,
    )
    with folder.locked():
        check_folder(folder, goal.rules)
        return keep(goal, solution, folder, stopped=stop is not None and stop())


def check_folder(folder: RunFolder, rules: KunsRules) -> None:
    """Refuse a folder that holds something else than a solution of these rules.

    Raises:
        RunError: it does.
    """
    if not folder.result.is_file():
        if folder.agent.exists() or folder.config.exists():
            raise RunError(f"{folder.path}: holds an agent or a run: choose another folder with --out FOLDER")
        return
    try:
        report = parse_json(folder.result.read_bytes())
    except ValueError as error:
        raise RunError(f"{folder.result}: {error}; choose another folder with --out FOLDER") from None
    if not isinstance(report, dict) or report.get("kind") != KIND:
        raise RunError(f"{folder.path}: holds a run, no solution: choose another folder with --out FOLDER")
    if report.get("rules") != rules.to_dict():
        raise RunError(
            f"{folder.path}: holds a solution of other rules: choose another folder with --out FOLDER"
        )


def keep(goal: Goal, solution: Solution, folder: RunFolder, *, stopped: bool) -> Solved:
    """Write everything into the folder, the report last."""
    folder.result.unlink(missing_ok=True)
    last = solution.last
    info = {
        "algorithm": solution.algorithm,
        "iterations": last.iterations,
        "exploitability": last.exploitability,
        "version": kuns_env.__version__,
    }
    TableAgent(solution.table, f"solve-{name_of(goal.rules)}", info).save(folder.agent)
    # What is in the file is what is measured: its numbers are rounded.
    values = exploitability(load_table(folder.agent)).best_response_values
    solved = Solved(
        folder=folder,
        looks=solution.looks,
        low=-values[LEFT],
        high=values[DEALER],
        reached=last.exploitability <= goal.exploitability,
        stopped=stopped and last.exploitability > goal.exploitability,
    )
    draw_if_possible(goal, solved)
    write_json(folder.result, report_of(goal, solved))
    return solved


def draw_if_possible(goal: Goal, solved: Solved) -> None:
    """Write the picture; without matplotlib there is none, not even an older one."""
    from kuns_training.solve_exact_picture import draw

    try:
        draw(solved.folder.picture, solved.looks, goal)
    except ModuleNotFoundError:
        solved.folder.picture.unlink(missing_ok=True)


def report_of(goal: Goal, solved: Solved) -> dict[str, Any]:
    """Return the report as plain data; amounts in chips a hand."""
    last = solved.looks[-1]
    return {
        "kind": KIND,
        "rules": goal.rules.to_dict(),
        "algorithm": goal.algorithm,
        "wanted_exploitability": goal.exploitability,
        "exploitability": solved.exploitability,
        "value_to_dealer": {"low": solved.low, "high": solved.high},
        "reached": solved.reached,
        "stopped": solved.stopped,
        "iterations": last.iterations,
        "seconds": round(last.seconds, 3),
        "agent": {
            "file": solved.folder.agent.name,
            "sha256": hashlib.sha256(solved.folder.agent.read_bytes()).hexdigest(),
        },
        "looks": [
            {
                "iterations": look.iterations,
                "seconds": round(look.seconds, 3),
                "exploitability": look.exploitability,
                "low": look.low,
                "high": look.high,
            }
            for look in solved.looks
        ],
        "versions": {"kuns-env": kuns_env.__version__, **versions()},
    }


def versions() -> dict[str, str]:
    """Return the versions of the packages that compute."""
    found = {}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found
