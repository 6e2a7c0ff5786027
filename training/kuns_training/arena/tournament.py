"""Tournaments: played into a folder, and gone on with there."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

from kuns_env.engine.game import Rules
from kuns_env.engine.seeds import count
from kuns_training.arena.entries import versions
from kuns_training.arena.evaluation import Evaluation
from kuns_training.arena.manifest import TournamentError, agent_differences
from kuns_training.arena.plan import Plan, make_plan
from kuns_training.arena.run import Ground, Progress, run
from kuns_training.arena.store import Store
from kuns_training.arena.timer import check_time_limit
from kuns_training.arena.unit_files import Kept, UnitFiles
from kuns_training.arena.workers import MOST_JOBS, Alone, Late, Workers, load_entries, not_late

Say: TypeAlias = Callable[[str], None]
"""Is told, in a line, what people may want to know."""


def quiet(_: str) -> None:
    """Say nothing."""


def plan_tournament(
    specs: Sequence[str],
    rules: Rules,
    num_deals: int,
    seed: int | None = None,
    *,
    block_deals: int | None = None,
    mode: str | None = None,
    num_tables: int | None = None,
    until: float | None = None,
    time_limit: float | None = None,
    luck: bool = False,
) -> Plan:
    """Return the plan of a tournament between named agents; the other arguments are those of `evaluate`.

    Raises:
        ValueError: there is no such agent, it does not play these rules, or a number is out of range.
    """
    return make_plan(
        load_entries(specs, rules),
        rules,
        num_deals,
        seed,
        block_deals=block_deals,
        mode=mode,
        num_tables=num_tables,
        until=until,
        time_limit=time_limit,
        luck=luck,
    )


def play_tournament(
    plan: Plan,
    folder: str | os.PathLike[str],
    *,
    num_jobs: int = 1,
    progress: Progress | None = None,
    say: Say = quiet,
) -> Evaluation:
    """Play ``plan`` into ``folder``, or go on with it there, and return what was found.

    The result does not depend on ``num_jobs``, on interruptions, or on who played which part.

    Args:
        plan: from `plan_tournament`.
        folder: is made if it is not there.
        num_jobs: processes that play.
        progress: is told of episodes that are played, those included that the folder holds already.
        say: is told what people may want to know: that it goes on, which files are damaged.

    Raises:
        TournamentError: the folder is in use, or holds another tournament or other things.
    """
    check_time_limit(plan.time_limit)  # a manifest may come from another system
    ground = ground_of(plan, num_jobs)
    store = Store(folder)
    with store.locked():
        is_new = not store.manifest.is_file()
        plan = store.claim(plan)
        files = UnitFiles(plan, store.units, say)
        if not is_new:
            num_kept = files.num_sound()
            say(f"{store.path}: going on; {num_kept:,} of {len(plan.units()):,} parts are there")
        return play_into(store, files, ground, progress, say)


def resume_tournament(
    folder: str | os.PathLike[str],
    *,
    num_jobs: int = 1,
    progress: Progress | None = None,
    say: Say = quiet,
) -> Evaluation:
    """Go on with the tournament in ``folder``, by its manifest alone.

    Raises:
        TournamentError: there is none, an agent's file has changed, or versions have: results of two versions
            would be mixed.
    """
    plan = Store(folder).read_plan()
    check_files(plan)
    changed = version_changes(plan)
    if changed:
        raise TournamentError(
            f"{Path(folder)}: was begun with other versions ({'; '.join(changed)}), and results of two versions are "
            "not mixed: `kuns reproduce` plays it again from the beginning"
        )
    return play_tournament(plan, folder, num_jobs=num_jobs, progress=progress, say=say)


def play_into(
    store: Store, files: UnitFiles, ground: Ground, progress: Progress | None, say: Say
) -> Evaluation:
    """Play what a folder does not hold, and write what follows from all of it."""
    from kuns_training.arena.outputs import write_outputs

    evaluation = run(files.plan, Kept(files, ground), progress)
    refusal = write_outputs(store.path, evaluation)
    if refusal is not None:
        say(refusal)
    return evaluation


def play_apart(plan: Plan, num_jobs: int, progress: Progress | None = None) -> Evaluation:
    """Play ``plan`` in several processes, keep nothing, and return what `evaluate` finds of the same agents."""
    evaluation = run(plan, ground_of(plan, num_jobs), progress)
    return replace(evaluation, agents=tuple(replace(entry, spec=None) for entry in evaluation.agents))


def ground_of(plan: Plan, num_jobs: int, late: Late = not_late) -> Ground:
    """Return where ``plan`` is played: here, or in several processes."""
    num_jobs = count("num_jobs", num_jobs, 1, MOST_JOBS)
    return Alone(plan, late) if num_jobs == 1 else Workers(plan, num_jobs, late)


def check_files(plan: Plan) -> None:
    """Refuse a plan of agents whose files are not those that it names.

    Raises:
        TournamentError: one has changed; the message names each, with both hashes.
    """
    specs = [entry.spec for entry in plan.agents if entry.spec is not None]
    if len(specs) < len(plan.agents):
        raise TournamentError("the manifest names agents that no name or path leads to")
    now = load_entries(specs, plan.rules)
    changed = agent_differences(plan, replace(plan, agents=tuple(now)))
    if changed:
        raise TournamentError("; ".join(changed))


def version_changes(plan: Plan) -> list[str]:
    """Return which versions are not those of the plan."""
    now = versions()
    return [
        f"{name} {plan.versions.get(name)}, now {now.get(name)}"
        for name in {**plan.versions, **now}
        if plan.versions.get(name) != now.get(name)
    ]
