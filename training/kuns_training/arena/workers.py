"""Playing units with agents that are loaded for each of them, in this process or in several."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from typing import Final, TypeAlias

from kuns_training.arena.entries import Entry, check_agents, entry, labels
from kuns_training.arena.manifest import TournamentError, file_change
from kuns_training.arena.plan import Plan, Unit
from kuns_training.arena.referee import Place
from kuns_training.arena.units import Tick, UnitResult, play_unit, warm_up

Late: TypeAlias = Callable[[Unit], Collection[Place] | None]
"""For a replay: where agents were late in a unit. None: they are timed."""

MOST_JOBS: Final = 256

_warm: set[int] = set()
"""The matches whose agents have warmed up in this process."""


def not_late(_: Unit) -> None:
    """Return None: agents are timed where the plan says so."""


def load_entries(specs: Sequence[str], rules: object) -> list[Entry]:
    """Return what identifies the agents with these names or in these files.

    Raises:
        ValueError: there is no such agent, its file cannot be used, or it does not play ``rules``.
    """
    from kuns_agents import load

    agents = [load(spec) for spec in specs]
    check_agents(agents, rules)
    made = zip(labels(agents), agents, specs, strict=True)
    return [entry(label, agent, spec) for label, agent, spec in made]


def play_loaded(plan: Plan, unit: Unit, late: Collection[Place] | None = None) -> UnitResult:
    """Return the result of a unit, played by agents that have not played before.

    Raises:
        ValueError: an agent cannot be loaded.
        TournamentError: its file is not the one that the plan names.
    """
    from kuns_agents import load

    seated = {agent for seats in plan.matches[unit.match].seatings for agent in seats}
    agents = {}
    for number in sorted(seated):
        expected = plan.agents[number]
        assert expected.spec is not None, "only plans of named agents are played by loading"
        agents[number] = load(expected.spec)
        found = entry(expected.label, agents[number], expected.spec)
        if found.sha256 != expected.sha256:
            raise TournamentError(file_change(expected, found))
    if late is None and unit.match not in _warm:
        warm_up(plan, unit.match, agents)
        _warm.add(unit.match)
    return play_unit(plan, unit, agents, late=late)


class Alone:
    """Plays in this process."""

    def __init__(self, plan: Plan, late: Late = not_late) -> None:
        self.plan, self.late = plan, late
        _warm.clear()

    def play(self, units: Sequence[Unit], tick: Tick) -> Iterator[UnitResult]:
        """Yield the results of ``units`` in their order."""
        for unit in units:
            result = play_loaded(self.plan, unit, self.late(unit))
            tick(self.plan.num_episodes([unit]))
            yield result

    def close(self) -> None:
        """Do nothing: there is nothing to end."""


class Workers:
    """Plays in several processes. Units have nothing in common, so the results are those of one.

    Whatever ends this one early (an error, Ctrl-C) ends the others.
    """

    def __init__(self, plan: Plan, num_jobs: int, late: Late = not_late) -> None:
        self.plan, self.num_jobs, self.late = plan, num_jobs, late
        self._pool: ProcessPoolExecutor | None = None
        self._others = set(multiprocessing.active_children())

    def play(self, units: Sequence[Unit], tick: Tick) -> Iterator[UnitResult]:
        """Yield the results of ``units`` as they come in."""
        if not units:
            return
        if self._pool is None:
            self._pool = ProcessPoolExecutor(
                self.num_jobs,
                mp_context=multiprocessing.get_context("spawn"),
                initializer=_begin,
                initargs=(self.plan,),
            )
        try:
            for future in as_completed([self._pool.submit(_play, unit, self.late(unit)) for unit in units]):
                result = future.result()
                tick(self.plan.num_episodes([result.unit]))
                yield result
        except BrokenProcessPool:
            raise TournamentError(
                "a process that played games has ended of itself: an agent ended it, or memory ran out. "
                "What was finished is kept"
            ) from None

    def close(self) -> None:
        """End the processes, in the middle of what they do if need be."""
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)
            for process in set(multiprocessing.active_children()) - self._others:
                process.terminate()
            self._pool.shutdown()
            self._pool = None


_plan: Plan | None = None
"""What this process plays units of."""


def _begin(plan: Plan) -> None:
    """Prepare a process that plays units of ``plan``."""
    global _plan
    _plan = plan
    # Ctrl-C, which every process of a terminal is sent, is handled by the process that started this one.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Of the output only the process that started this one is the author.
    sys.stdout = sys.stderr
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """End this process when the one that started it is gone: killed, it can end nobody."""
    parent = multiprocessing.parent_process()
    assert parent is not None, "only processes that were started play here"
    parent.join()
    os._exit(1)


def _play(unit: Unit, late: Collection[Place] | None) -> UnitResult:
    """Play a unit in a process of its own."""
    assert _plan is not None
    return play_loaded(_plan, unit, late)
