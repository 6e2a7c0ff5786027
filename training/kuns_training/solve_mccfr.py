"""A run of external-sampling MCCFR in a folder: its strategy, how it does against others on the way, a picture.

What is learned, and what it is worth, is said in `kuns_agents.exact.mccfr`. The run can be stopped at any time and
taken up again, to the same strategy as without a break; with more iterations it goes on beyond its end.
"""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from kuns_agents import load
from kuns_agents.exact.agent import TableAgent
from kuns_agents.exact.exploitability import exploitability
from kuns_agents.exact.mccfr import METHOD, MOST_BYTES, MOST_ITERATIONS, Mccfr
from kuns_agents.exact.scope import why_not_exact
from kuns_agents.registry import AGENT_FILE
from kuns_env import KunsRules
from kuns_env.engine.game import Rules
from kuns_env.engine.seeds import count
from kuns_env.fields import parse_json
from kuns_training.cli_rules import nearest_preset
from kuns_training.config import Config, changed_fields
from kuns_training.curve import Point, measure
from kuns_training.run_folder import RUNS, RunError, RunFolder, write_json

ITERATIONS: Final = 100_000_000
FIRST_POINT: Final = 1_000_000
"""Iterations after which the strategy is measured first; then each time that they have doubled."""
DEALS: Final = 5_000
"""Of each measurement against one opponent."""
OPPONENTS: Final = ("cautious", "equity", "random", "call")
SECONDS_BETWEEN_SAVINGS: Final = 60.0
SECONDS_BETWEEN_LINES: Final = 0.5
STATE_FILE: Final = "solver.npz"


@dataclass(frozen=True, slots=True)
class Task:
    """What is solved, and how it is measured. All but the iterations must be the same for a run to go on."""

    rules: KunsRules
    iterations: int = ITERATIONS
    seed: int = 1
    linear: bool = True
    deals: int = DEALS
    """Of each measurement; 0 for none."""
    opponents: tuple[str, ...] = OPPONENTS

    def to_dict(self) -> dict[str, Any]:
        """Return the task as plain data."""
        return asdict(self) | {"rules": self.rules.to_dict(), "opponents": list(self.opponents)}

    @property
    def name(self) -> str:
        """The name of its agent, which is that of the folder where it is kept if nothing else is said."""
        return default_folder(self.rules, self.seed).name


@dataclass(frozen=True, slots=True)
class Measured:
    """The strategy after some iterations."""

    iterations: int
    seconds: float
    """That it was solved for."""
    regret: float
    """`Mccfr.regret`."""
    exploitability: float | None
    """Exact, chips a hand; None where there are more than two players."""
    payoffs: tuple[Point, ...]
    """Against every opponent: one seat among nothing but that opponent, every seat on every deal."""

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Measured:
        """Return what `dataclasses.asdict` has made plain."""
        return cls(**data | {"payoffs": tuple(Point(**point) for point in data["payoffs"])})


class Told:
    """Is told how a run goes; this one keeps it to itself."""

    def update(self, solver: Mccfr, rate: float) -> None:
        """So many iterations are done, at ``rate`` a second."""

    def point(self, measured: Measured) -> None:
        """The strategy has been measured."""


def default_folder(rules: Rules, seed: int) -> Path:
    """Return where a run is kept if nothing else is said.

    >>> default_folder(KunsRules.anted(3), 1).as_posix()
    'runs/kuns-anted-3p-mccfr-1'
    """
    game = nearest_preset(rules)
    label = Config(game=game, rules=changed_fields(game, rules.to_dict())).rules_label
    return RUNS / "-".join(filter(None, (game, label, "mccfr", str(seed))))


class MccfrRun:
    """A run in its folder, whose lock the caller holds."""

    def __init__(self, task: Task, folder: RunFolder, told: Told, max_bytes: int = MOST_BYTES) -> None:
        """Begin, or take up what the folder holds.

        Raises:
            RunError: the folder holds something else.
            ValueError: rules that are not for this, or a number out of range.
        """
        count("iterations", task.iterations, 1, MOST_ITERATIONS)
        count("deals", task.deals, 0, MOST_ITERATIONS)
        self.task, self.folder, self.told = task, folder, told
        self.state = folder.path / STATE_FILE
        self.opponents = opponents_of(task)
        self.solver = Mccfr(task.rules, task.seed, linear=task.linear, max_bytes=max_bytes)
        self.points: list[Measured] = []
        self.seconds = 0.0
        if folder.config.is_file():
            self._take_up(max_bytes)
        elif self.state.exists() or folder.agent.exists():
            raise RunError(
                f"{folder.path}: holds an agent but no {folder.config.name}: choose another folder"
            )
        write_json(folder.config, task.to_dict())

    def _take_up(self, max_bytes: int) -> None:
        there = read_json(self.folder.config)
        for name, value in self.task.to_dict().items():
            if name != "iterations" and there.get(name) != value:
                raise RunError(
                    f"{self.folder.path}: holds a run with {name}={there.get(name)}, not {value}: "
                    "give the same to go on with it, or choose another folder"
                )
        if not self.state.exists():
            return
        self.solver = Mccfr.load(self.state, max_bytes=max_bytes)
        if self.solver.iteration > self.task.iterations:
            raise RunError(
                f"{self.folder.path}: holds {self.solver.iteration:,} iterations already, "
                f"more than {self.task.iterations:,}"
            )
        if self.folder.result.is_file():
            report = read_json(self.folder.result)
            try:
                found = [Measured.from_dict(point) for point in report["points"]]
                self.seconds = float(report["seconds"])
            except (KeyError, TypeError, ValueError) as error:
                raise RunError(f"{self.folder.result}: damaged ({error}); begin anew with --fresh") from None
            self.points = [point for point in found if point.iterations <= self.solver.iteration]

    def finish(self) -> None:
        """Do all iterations, and measure on the way."""
        known = {point.iterations for point in self.points}
        for target in targets(self.task.iterations):
            if target in known or target < self.solver.iteration:
                continue
            self._solve(target)
            self._measure()

    def _solve(self, target: int) -> None:
        """Go on to ``target``; whatever stops this, what was done is saved."""
        self.solver.run(0)  # compiles, which is no part of the speed
        begun, first = time.monotonic(), self.solver.iteration
        saved = shown = begun
        try:
            while self.solver.iteration < target:
                self.solver.run(min(self.solver.stretch, target - self.solver.iteration))
                now = time.monotonic()
                if now - shown >= SECONDS_BETWEEN_LINES:
                    shown = now
                    self.told.update(self.solver, (self.solver.iteration - first) / (now - begun))
                if now - saved >= SECONDS_BETWEEN_SAVINGS:
                    saved = now
                    self.solver.save(self.state)
        finally:
            self.seconds += time.monotonic() - begun
            self.solver.save(self.state)

    def _measure(self) -> None:
        agent, task, done = self.agent(), self.task, self.solver.iteration
        agent.save(self.folder.agent)
        seconds = round(self.seconds, 1)
        payoffs: list[Point] = []
        if task.deals:
            payoffs = measure(agent, self.opponents, task.rules, task.deals, done, seconds)
        exact = exploitability(agent).exploitability if why_not_exact(task.rules) is None else None
        self.points.append(Measured(done, seconds, self.solver.regret(), exact, tuple(payoffs)))
        self.told.point(self.points[-1])
        self._report()

    def agent(self) -> TableAgent:
        """Return the average strategy as an agent."""
        return TableAgent(self.solver.policy(), self.task.name, self.solver.info())

    def _report(self) -> None:
        rules = self.task.rules
        if importlib.util.find_spec("matplotlib") is not None:
            from kuns_training.solve_picture import draw

            title = f"{METHOD}, {nearest_preset(rules)}, {rules.num_players} players"
            draw(self.folder.picture, self.points, title)
        write_json(
            self.folder.result,
            {
                "agent": AGENT_FILE,
                **self.solver.info(),
                "rules": self.task.rules.to_dict(),
                "seconds": round(self.seconds, 1),
                "points": [asdict(point) for point in self.points],
            },
        )


def solve(
    task: Task,
    folder: Path | None = None,
    *,
    told: Told | None = None,
    fresh: bool = False,
    max_bytes: int = MOST_BYTES,
) -> Path:
    """Solve ``task`` in a folder and return it; what the folder holds of the same run is gone on with.

    The folder holds the agent (``agent.npz``), its report (``result.json``), the solver as it stands
    (``solver.npz``) and, where matplotlib is installed, a picture (``curve.png``).

    Args:
        task: what is solved.
        folder: where; by default `default_folder`.
        told: is told how it goes.
        fresh: begin anew.
        max_bytes: how much memory the solver may take.

    Raises:
        RunError: the folder holds something else, or another process works in it.
        ValueError: rules that are not for this, or a number out of range.
    """
    path = default_folder(task.rules, task.seed) if folder is None else folder
    Mccfr(
        task.rules, task.seed, max_bytes=max_bytes
    )  # refuses what cannot be solved, before there is a folder
    place = RunFolder(path)
    with place.locked():
        if fresh:
            place.clear()
            (place.path / STATE_FILE).unlink(missing_ok=True)
        MccfrRun(task, place, told or Told(), max_bytes).finish()
    return path


def targets(iterations: int) -> Iterator[int]:
    """Return after how many iterations the strategy is measured.

    >>> list(targets(5_000_000))
    [1000000, 2000000, 4000000, 5000000]
    """
    target = FIRST_POINT
    while target < iterations:
        yield target
        target *= 2
    yield iterations


def opponents_of(task: Task) -> Sequence[Any]:
    """Return the agents against which the strategy is measured.

    Raises:
        ValueError: there is no such agent, or it does not play these rules.
    """
    agents = [load(name) for name in task.opponents]
    for agent in agents:
        reason = agent.supports(task.rules)
        if reason is not None:
            raise ValueError(reason)
    return agents


def read_json(path: Path) -> dict[str, Any]:
    """Return the JSON object in a file of a run.

    Raises:
        RunError: there is none.
    """
    try:
        data = parse_json(path.read_bytes())
    except ValueError as error:
        raise RunError(f"{path}: {error}; begin anew with --fresh") from None
    if not isinstance(data, dict):
        raise RunError(f"{path}: must hold a JSON object; begin anew with --fresh")
    return data
