"""An evaluation, made from what was counted in the units of a plan."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import reduce
from operator import add

from kuns_training.arena.evaluation import Disqualification, Evaluation, Looks, MatchSums, Meeting, Result
from kuns_training.arena.plan import Plan
from kuns_training.arena.referee import Fault
from kuns_training.arena.schedule import TABLES
from kuns_training.arena.statistics import Sums, statistics_of
from kuns_training.arena.units import UnitResult


def findings(plan: Plan, results: Iterable[UnitResult], num_deals: int) -> Evaluation:
    """Return what ``results`` say: those of all units of the first ``num_deals`` deals, in any order."""
    played = sorted(results, key=lambda result: (result.unit.match, result.unit.span.first))
    sums = sums_of(plan, played, num_deals)
    make = _Figures(plan, sums)
    counts: Counter[str] = Counter()
    for result in played:
        counts.update({plan.labels[agent]: number for agent, number in result.counts.items()})
    evaluation = Evaluation(
        rules=plan.rules,
        seed=plan.seed,
        num_deals=num_deals,
        block_deals=plan.block_deals,
        num_hands=sum(next(iter(each.values())).num_hands for each in sums.values()),
        agents=plan.agents,
        results=tuple(make.results()),
        overall=tuple(make.overall()),
        meetings=tuple(make.meetings()),
        versions=plan.versions,
        mode=plan.mode,
        matches=plan.matches,
        sums=sums,
        disqualifications=tuple(
            disqualification(plan, result.unit.match, fault) for result in played for fault in result.faults
        ),
        num_disqualified={label: counts[label] for label in plan.labels if counts[label]},
        chunk_deals=plan.chunk_deals,
        confidence=plan.confidence,
        luck=plan.luck,
    )
    return evaluation if plan.half_width is None else with_looks(plan, evaluation, plan.half_width)


def sums_of(plan: Plan, results: Iterable[UnitResult], num_deals: int) -> MatchSums:
    """Return the sums over all units, for each match and each of its measured agents."""
    sums = {
        number: {agent: Sums.none_yet(plan.rules, num_deals, plan.block_deals) for agent in match.measured}
        for number, match in enumerate(plan.matches)
    }
    for result in results:
        first = result.unit.span.first // plan.block_deals
        for agent, blocks in result.blocks.items():
            sums[result.unit.match][agent].blocks[first : first + len(blocks)] += blocks
    return sums


def disqualification(plan: Plan, match: int, fault: Fault) -> Disqualification:
    """Return a fault with names in place of numbers."""
    seating = plan.matches[match].seatings[fault.place.seating]
    return Disqualification(
        agent=plan.labels[fault.agent],
        match=match,
        seating=tuple(plan.labels[agent] for agent in seating),
        seat=fault.seat,
        deal=fault.place.deal,
        decision=fault.place.decision,
        problem=fault.problem,
        position=fault.position,
        legal=fault.legal,
    )


def with_looks(plan: Plan, evaluation: Evaluation, half_width: float) -> Evaluation:
    """Return ``evaluation`` with what it says about the wanted precision.

    At two by two every mean must be known that well, each agent's against each other; at tables of different agents
    each agent's mean over all its tables. Where the evaluation `is_adjusted`, that is asked of
    the adjusted means.
    """
    told = evaluation.results
    if plan.mode == TABLES and evaluation.overall:
        told = evaluation.overall
    is_adjusted = evaluation.is_adjusted
    widest = max(result.ranked(is_adjusted).half_width for result in told)
    taken = plan.stages.index(evaluation.num_deals) + 1
    looks = Looks(half_width, plan.looks, taken, is_reached=widest <= half_width)
    return replace(evaluation, looks=looks)


class _Figures:
    """Results of the matches that were played, from their sums."""

    def __init__(self, plan: Plan, sums: MatchSums) -> None:
        self.plan, self.sums, self.labels = plan, sums, plan.labels

    def results(self) -> Iterator[Result]:
        """Yield the result of each measured agent in each match."""
        for number, sums in self.sums.items():
            for agent in sums:
                yield self._result(agent, [number])

    def overall(self) -> Iterator[Result]:
        """Yield each agent's result against all others together, where there are several matches."""
        for agent in range(len(self.labels)):
            numbers = [number for number, sums in self.sums.items() if agent in sums]
            if len(numbers) > 1:
                yield self._result(agent, numbers)

    def meetings(self) -> Iterator[Meeting]:
        """Yield what can be said of each match."""
        names = [statistic.name for statistic in statistics_of(self.plan.rules) if statistic.of_table]
        for number, sums in self.sums.items():
            seats = tuple(self.labels[agent] for agent in self.plan.matches[number].seatings[0])
            statistics = next(iter(sums.values())).statistics(self.plan.confidence)
            yield Meeting(seats, {name: statistics[name] for name in names})

    def _result(self, agent: int, numbers: Sequence[int]) -> Result:
        """Return the result of ``agent`` in some matches together."""
        seated = {other for number in numbers for other in self.plan.matches[number].seatings[0]}
        others = tuple(self.labels[other] for other in sorted(seated - {agent}))
        sums = reduce(add, (self.sums[number][agent] for number in numbers))
        confidence = self.plan.confidence
        found = Result(self.labels[agent], others, sums.payoff(confidence), sums.statistics(confidence))
        if self.plan.luck is None:
            return found
        return replace(found, adjusted=sums.adjusted(confidence), luck=sums.luck(confidence))
