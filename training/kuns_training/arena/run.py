"""Playing a plan: here, or wherever else its units are played."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Protocol, TypeAlias

from kuns_training.arena.evaluation import Evaluation
from kuns_training.arena.findings import findings
from kuns_training.arena.games import Watch
from kuns_training.arena.plan import Plan, Unit
from kuns_training.arena.units import Tick, UnitResult, play_unit, warm_up

if TYPE_CHECKING:
    from kuns_agents import Agent

Progress: TypeAlias = Callable[[int, int], None]
"""Is told (episodes played, episodes in all)."""


class Ground(Protocol):
    """Where units are played."""

    def play(self, units: Sequence[Unit], tick: Tick) -> Iterator[UnitResult]:
        """Yield the results of ``units``, in any order; ``tick`` is told of episodes as they are played."""
        ...

    def close(self) -> None:
        """End what plays."""
        ...


class Here:
    """Plays in this process, one unit after the other."""

    def __init__(self, plan: Plan, agents: Sequence[Agent], watch: Watch | None = None) -> None:
        self.plan, self.agents, self.watch = plan, dict(enumerate(agents)), watch
        self._warm: set[int] = set()

    def play(self, units: Sequence[Unit], tick: Tick) -> Iterator[UnitResult]:
        """Yield the results of ``units`` in their order."""
        for unit in units:
            if unit.match not in self._warm:
                warm_up(self.plan, unit.match, self.agents)
                self._warm.add(unit.match)
            yield play_unit(self.plan, unit, self.agents, tick=tick, watch=self.watch)

    def close(self) -> None:
        """Do nothing: there is nothing to end."""


def run(plan: Plan, ground: Ground, progress: Progress | None = None) -> Evaluation:
    """Play ``plan`` up to a look at which every figure is known as well as wanted, or to its end; close ``ground``."""
    with closing(ground):
        return _run(plan, ground, progress)


def _run(plan: Plan, ground: Ground, progress: Progress | None) -> Evaluation:
    results: list[UnitResult] = []
    done, first = 0, 0

    for end in plan.stages:
        units = plan.units(first, end)
        total = done + plan.num_episodes(units)

        def tick(num_episodes: int, total: int = total) -> None:
            nonlocal done
            done += num_episodes
            if progress is not None:
                progress(done, total)

        results.extend(ground.play(units, tick))
        found = findings(plan, results, end)
        if found.looks is not None and found.looks.is_reached:
            break
        first = end
    return found
