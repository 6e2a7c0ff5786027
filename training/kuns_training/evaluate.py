"""How strong agents are: the same deals for everybody, every seat, intervals over blocks of deals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kuns_env.engine.game import Rules
from kuns_training.arena.entries import check_agents, entry, labels
from kuns_training.arena.evaluation import Evaluation
from kuns_training.arena.games import Watch
from kuns_training.arena.plan import make_plan
from kuns_training.arena.run import Here, Progress, run

if TYPE_CHECKING:
    from kuns_agents import Agent

__all__ = ["Evaluation", "Progress", "evaluate"]


def evaluate(
    agents: Sequence[Agent],
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
    progress: Progress | None = None,
    watch: Watch | None = None,
) -> Evaluation:
    """Return mean payoffs per hand, with 95 % intervals, of agents on duplicate deals; see `schedule`.

    The result follows from the arguments alone, as long as nothing is timed. A game in which an agent fails ends
    there, at its cost: see `play_deals` and `Evaluation.disqualifications`.

    Args:
        agents: at least two.
        rules: the rules of the game; a deal is an episode of them.
        num_deals: deals, each played in every seating.
        seed: of deals, agents and tables that are drawn; None takes fresh entropy, which `Evaluation.seed` tells.
        block_deals: deals in a block; None makes about 200 blocks, or blocks of up to 100 deals with ``until``.
        mode: ``pairs`` or ``tables``: see `schedule`.
        num_tables: the most tables that are played.
        until: stop at the first look at which every mean is known with this half width, chips or points; then
            ``num_deals`` is a limit. When it is looked is settled before play: see `Plan.looks`.
        time_limit: seconds that a decision may take. Agents are then asked for one move at a time.
        luck: take out of the results what was luck in the cards and the agents' own random draws, where there is a
            value function to judge it by: `Result.adjusted` beside `Result.payoff`, which stays as it is. The
            command does so in Kuns by itself; ranks go by it unless a match is in doubt: `Evaluation.is_adjusted`.
        progress: called after each chunk of games.
        watch: is told every decision that is played.

    Raises:
        ValueError: a number out of range, or an agent that does not play these rules.
    """
    check_agents(agents, rules)
    entries = [entry(label, agent) for label, agent in zip(labels(agents), agents, strict=True)]
    plan = make_plan(
        entries,
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
    return run(plan, Here(plan, agents, watch), progress)
