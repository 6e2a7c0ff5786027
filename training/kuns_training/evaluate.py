"""How strong agents are: the same deals for everybody, every seat, intervals over blocks of deals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from kuns_env.engine.game import Rules
from kuns_env.engine.seeds import count, make_seed
from kuns_training.arena.entries import check_agents, entry, labels, versions
from kuns_training.arena.evaluation import Evaluation, Findings
from kuns_training.arena.run import Progress, Run

if TYPE_CHECKING:
    from kuns_agents import Agent

__all__ = ["Evaluation", "Progress", "evaluate"]

NUM_BLOCKS: Final = 200
"""Blocks that the deals are cut into where no size is given: enough for a good judgement of the error."""

MOST_DEALS: Final = 10_000_000


def evaluate(
    agents: Sequence[Agent],
    rules: Rules,
    num_deals: int,
    seed: int | None = None,
    *,
    block_deals: int | None = None,
    progress: Progress | None = None,
) -> Evaluation:
    """Return mean payoffs per hand, with 95 % intervals, of agents on duplicate deals; see `schedule`.

    The result follows from the arguments alone. An agent that fails ends its match, which then has no
    results: see `Evaluation.failures`.

    Args:
        agents: at least two.
        rules: the rules of the game; a deal is an episode of them.
        num_deals: deals, each played in every seating.
        seed: of deals and agents; None takes fresh entropy.
        block_deals: deals in a block; None makes about 200 blocks.
        progress: called after each chunk of games.

    Raises:
        ValueError: a number out of range, or an agent that does not play these rules.
    """
    num_deals = count("num_deals", num_deals, 2, MOST_DEALS)
    if block_deals is None:
        block_deals = max(1, num_deals // NUM_BLOCKS)
    block_deals = count("block_deals", block_deals, 1, num_deals // 2)
    check_agents(agents, rules)
    entries = tuple(entry(label, agent) for label, agent in zip(labels(agents), agents, strict=True))
    players = [(item.label, agent) for item, agent in zip(entries, agents, strict=True)]
    run = Run(rules, players, num_deals, block_deals)
    seed = make_seed(seed)
    run.play(seed, progress)
    names = [item.label for item in entries]
    found = Findings(rules, names, run.matches, run.sums)
    return Evaluation(
        rules=rules,
        seed=seed,
        num_deals=num_deals,
        block_deals=block_deals,
        num_hands=found.num_hands,
        agents=entries,
        results=tuple(found.results()),
        overall=tuple(found.overall()),
        meetings=tuple(found.meetings()),
        failures=tuple(run.failures),
        versions=versions(),
        matches=tuple(run.matches),
        sums=run.sums,
    )
