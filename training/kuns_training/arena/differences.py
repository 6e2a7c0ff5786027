"""How much better one agent did than another on the same deals: paired differences, and which of them are clear.

Every match is played on the same deals, cut into the same blocks. What two agents won in a block goes up and down
together with its cards, so the error of their difference is judged from the differences of blocks, not from two
intervals.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import combinations
from math import atan, fsum, sqrt
from operator import add
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from kuns_env.engine.game import game_of
from kuns_env.tallies import HANDS, PAYOFF
from kuns_training.arena.evaluation import Evaluation
from kuns_training.arena.interval import Estimate, t_quantile, two_sided
from kuns_training.arena.statistics import GRAIN

Array = npt.NDArray[Any]
Others: TypeAlias = tuple[int, ...]
"""Who else sits at a table, by index, ascending."""
Line: TypeAlias = Array
"""What an agent won in each of ``n`` blocks, in units, and in how many hands, int64 ``(2, n)``."""

P_DIGITS: Final = 6
"""Digits after the point of a p-value."""


class Moves(NamedTuple):
    """A mean, and what each block of deals does to it."""

    mean: float
    blocks: Array
    """float64 ``(n,)``."""
    num_hands: int


@dataclass(frozen=True, slots=True)
class Difference:
    """What one agent won more than another, per hand."""

    agent: str
    """Who won more, or as much."""
    other: str
    payoff: Estimate
    """Mean of the one minus mean of the other, each in all that it played."""
    same_opponents: Estimate | None
    """The same of those matches in which both met the same opponents; None where there are none."""
    p_adjusted: float
    """How likely so large a difference is between equals, corrected for all comparisons: see `holm`."""
    is_clear: bool
    """Whether the agent is better, by that correction, at the confidence of the evaluation."""


def differences(evaluation: Evaluation) -> tuple[Difference, ...]:
    """Return the difference of every two agents that have results, the pairs in the order of the agents."""
    lines, units = lines_of(evaluation), units_of(evaluation)
    moved = {agent: moves_of(reduce(add, own.values()), units) for agent, own in lines.items()}
    pairs = list(combinations(lines, 2))
    found = [minus(moved[one], moved[other], evaluation.confidence) for one, other in pairs]
    adjusted = holm([p_value(estimate) for estimate in found], len(lines) * (len(lines) - 1))
    made = []
    for (one, other), estimate, p_adjusted in zip(pairs, found, adjusted, strict=True):
        shared = [others for others in lines[one] if others in lines[other]]
        same = None
        if shared:
            alike = [
                moves_of(sum_of(lines[agent][others] for others in shared), units) for agent in (one, other)
            ]
            same = minus(alike[0], alike[1], evaluation.confidence)
        if estimate.mean < 0:
            one, other, estimate, same = other, one, negative(estimate), same and negative(same)
        clear = p_adjusted <= 1 - evaluation.confidence
        names = evaluation.agents[one].label, evaluation.agents[other].label
        made.append(Difference(*names, estimate, same, round(p_adjusted, P_DIGITS), clear))
    return tuple(made)


def lines_of(evaluation: Evaluation) -> dict[int, dict[Others, Line]]:
    """Return what each agent won, by whom it met; agents with a match without results are left out.

    It is less luck where the evaluation `is_adjusted`.
    """
    found: dict[int, dict[Others, Line]] = {}
    missing, is_adjusted = set(), evaluation.is_adjusted
    for number, match in enumerate(evaluation.matches):
        for agent in match.measured:
            if number not in evaluation.sums:
                missing.add(agent)
                continue
            seats = list(match.seatings[0])
            seats.remove(agent)
            others, sums = tuple(sorted(seats)), evaluation.sums[number][agent]
            won = sums.won if is_adjusted else sums.column(PAYOFF)
            line = np.stack([won, sums.column(HANDS)])
            own = found.setdefault(agent, {})
            own[others] = own[others] + line if others in own else line
    return {agent: found[agent] for agent in sorted(found.keys() - missing)}


def units_of(evaluation: Evaluation) -> int:
    """Return how many of what `lines_of` counts make a chip or point."""
    units = game_of(evaluation.rules).units
    return GRAIN * units if evaluation.is_adjusted else units


def sum_of(lines: Iterable[Line]) -> Line:
    """Return what several lines hold together."""
    return reduce(add, lines)


def moves_of(line: Line, units: int) -> Moves:
    """Return a mean payoff per hand, and by how much each block moves it.

    The mean is a ratio of sums. To first order a block moves it by ``(x - m * h) / H``: with ``x`` chips and ``h``
    hands in the block, ``m`` the mean, ``H`` all hands.

    Args:
        line: what was won.
        units: how many of the units that are counted make a chip or point.
    """
    won, hands = line.astype(
        object
    )  # whole numbers of any size: where all blocks are alike nothing is left of them
    all_won, all_hands = sum(won), sum(hands)
    moved = (won * all_hands - all_won * hands) / (units * all_hands**2)
    return Moves(all_won / (units * all_hands), moved.astype(np.float64), all_hands)


def minus(one: Moves, other: Moves, confidence: float) -> Estimate:
    """Return one mean minus another, with a t-interval over the blocks, taken in pairs.

    Its error is ``sqrt(n / (n - 1) * s)``, ``s`` the sum over ``n`` blocks of the square of what a block moves one
    mean more than the other.
    """
    num_blocks = len(one.blocks)
    squares = fsum(((one.blocks - other.blocks) ** 2).tolist())
    error = sqrt(num_blocks / (num_blocks - 1) * squares)
    mean, half = one.mean - other.mean, t_quantile(num_blocks - 1, confidence) * error
    return Estimate(mean, mean - half, mean + half, error, one.num_hands + other.num_hands, num_blocks)


def negative(estimate: Estimate) -> Estimate:
    """Return the estimate of the other's lead."""
    return Estimate(
        -estimate.mean,
        -estimate.high,
        -estimate.low,
        estimate.std_error,
        estimate.count,
        estimate.num_blocks,
    )


def p_value(estimate: Estimate) -> float:
    """Return the two-sided p-value of a mean of zero, by Student's t."""
    if estimate.std_error == 0:
        return 1.0 if estimate.mean == 0 else 0.0
    degrees = estimate.num_blocks - 1
    statistic = abs(estimate.mean) / estimate.std_error
    return max(0.0, 1 - two_sided(atan(statistic / sqrt(degrees)), degrees))


def holm(p_values: Sequence[float], num_hypotheses: int) -> list[float]:
    """Return adjusted p-values of "this one is better": one false claim among all is as likely as each says.

    Holm's step-down procedure (Scandinavian Journal of Statistics 6, 1979) over one-sided hypotheses, two for each
    pair: for every two agents, that the first is not better and that the second is not. It holds whatever the
    dependence between them, and for the direction of each difference, too.

    >>> holm([0.001, 0.04, 0.5], 6)
    [0.003, 0.1, 1.0]

    Args:
        p_values: two-sided, one for each pair: half of one is the p-value of the direction that was seen. The other
            direction, with a half or more, is never claimed.
        num_hypotheses: of all pairs, in both directions.
    """
    order = sorted(range(len(p_values)), key=lambda place: p_values[place])
    adjusted, highest = [0.0] * len(p_values), 0.0
    for step, place in enumerate(order):
        highest = max(highest, min(1.0, (num_hypotheses - step) * p_values[place] / 2))
        adjusted[place] = highest
    return adjusted
