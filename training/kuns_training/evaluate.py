"""How strong agents are: the same deals for everybody, every seat, intervals over blocks of deals."""

from __future__ import annotations

import hashlib
import platform
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import reduce
from importlib.metadata import version
from itertools import combinations, permutations
from operator import add
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy.typing as npt

import kuns_env
from kuns_env.engine.game import Rules
from kuns_env.engine.seeds import count, make_seed
from kuns_env.errors import quoted
from kuns_training.evaluate_games import AgentFailedError, play_deals
from kuns_training.evaluate_interval import Estimate
from kuns_training.evaluate_statistics import Statistics, Sums, statistics_of

if TYPE_CHECKING:
    from kuns_agents import Agent

Array = npt.NDArray[Any]
Progress: TypeAlias = Callable[[int, int], None]
"""Is told (episodes played, episodes in all)."""

CHUNK: Final = 4096
"""Deals that are played together. Agents draw their random numbers by chunk, so it is part of the result."""

NUM_BLOCKS: Final = 200
"""Blocks that the deals are cut into where no size is given: enough for a good judgement of the error."""

MOST_DEALS: Final = 10_000_000
MOST_AGENTS: Final = 64
MEMBERS: Final = ("name", "act", "supports")
"""What makes an agent."""


@dataclass(frozen=True, slots=True)
class Entry:
    """An agent that takes part."""

    label: str
    """Its name, with a number where a name comes twice."""
    name: str
    file: str | None = None
    """Path of the file that it was read from, as it was given."""
    greedy: bool | None = None
    """Whether a trained agent takes the likeliest move instead of drawing one; None for all others."""
    sha256: str | None = None
    """Hash of that file."""


@dataclass(frozen=True, slots=True)
class Match:
    """Agents that meet, by index: every seating is played on every deal."""

    seatings: tuple[tuple[int, ...], ...]
    measured: tuple[int, ...]
    """The agents whose results are reported. Each sits in every seat equally often."""


@dataclass(frozen=True, slots=True)
class Result:
    """How one agent did against given opponents."""

    agent: str
    opponents: tuple[str, ...]
    payoff: Estimate
    """Chips or points per hand."""
    statistics: Statistics
    """The statistics of the game, by name."""


@dataclass(frozen=True, slots=True)
class Meeting:
    """What can be said of the hands of one match, whoever won them."""

    seats: tuple[str, ...]
    """Who sat at the table, in the first seating."""
    statistics: Statistics
    """Those of the game's statistics that are the same for everybody."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Everything that was found, and everything that is needed to find it again."""

    rules: Rules
    seed: int
    num_deals: int
    block_deals: int
    num_hands: int
    """Hands that were played in all finished matches."""
    agents: tuple[Entry, ...]
    results: tuple[Result, ...]
    overall: tuple[Result, ...]
    """Each agent against all others; empty where `results` say it already."""
    meetings: tuple[Meeting, ...]
    """One for each finished match."""
    failures: tuple[AgentFailedError, ...]
    """One for each match that has no results."""
    versions: dict[str, str] = field(default_factory=dict)

    @property
    def num_blocks(self) -> int:
        """Blocks of deals."""
        return -(-self.num_deals // self.block_deals)

    def __str__(self) -> str:
        """Return the tables that `kuns evaluate` prints."""
        try:
            from kuns_training.evaluate_report import to_text
        except ImportError:  # tables need the extra `cli`
            return repr(self)
        return to_text(self)


def schedule(num_agents: int, num_players: int) -> list[Match]:
    """Return who meets whom.

    Heads-up every two agents meet in both seatings. With more seats, as many agents as seats play at one
    table, in every rotation; any other number of agents meet two by two, in both roles: one of the first
    among nothing but the second, in every seat.

    >>> schedule(2, 2)
    [Match(seatings=((0, 1), (1, 0)), measured=(0, 1))]
    >>> schedule(3, 3)[0].seatings
    ((0, 1, 2), (2, 0, 1), (1, 2, 0))
    >>> [match.seatings for match in schedule(2, 3)]
    [((0, 1, 1), (1, 0, 1), (1, 1, 0)), ((1, 0, 0), (0, 1, 0), (0, 0, 1))]
    """
    if num_players == 2:
        return [Match(rotations(pair), pair) for pair in combinations(range(num_agents), 2)]
    if num_agents == num_players:
        table = tuple(range(num_agents))
        return [Match(rotations(table), table)]
    fields = [(one, *[other] * (num_players - 1)) for one, other in permutations(range(num_agents), 2)]
    return [Match(rotations(seats), seats[:1]) for seats in fields]


def rotations(seats: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """Return ``seats`` and all its rotations."""
    return tuple(seats[len(seats) - shift :] + seats[: len(seats) - shift] for shift in range(len(seats)))


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
    return Evaluation(
        rules=rules,
        seed=seed,
        num_deals=num_deals,
        block_deals=block_deals,
        num_hands=run.num_hands,
        agents=entries,
        results=tuple(run.results()),
        overall=tuple(run.overall()),
        meetings=tuple(run.meetings()),
        failures=tuple(run.failures),
        versions=versions(),
    )


def check_agents(agents: Sequence[Agent], rules: Rules) -> None:
    """Refuse a wrong number of agents, and agents that do not play ``rules``."""
    if len(agents) < 2:
        raise ValueError(f"{len(agents)} agent{'' if agents else 's'} given: at least two are needed")
    count("number of agents", len(agents), 2, MOST_AGENTS)
    for agent in agents:
        check_agent(agent, rules)


def check_agent(agent: Agent, rules: Rules) -> None:
    """Refuse what is no agent, and an agent that does not play ``rules``."""
    if isinstance(agent, type):
        raise ValueError(f"the class {agent.__name__} is not an agent: make one of it, {agent.__name__}()")
    for member in MEMBERS:
        if not hasattr(agent, member):
            raise ValueError(f"{quoted(agent)} is not an agent: it has no `{member}`")
    if not isinstance(agent.name, str):
        raise ValueError(f"the name of an agent is {quoted(agent.name)}: must be text")
    refusal = why_not(agent, rules)
    if refusal is not None:
        raise ValueError(refusal)


def why_not(agent: Agent, rules: Rules) -> str | None:
    """Return None if ``agent`` plays ``rules``, else a sentence that names it and says why not."""
    refusal = agent.supports(rules)
    if refusal is None or refusal.startswith(f"agent {agent.name!r}"):
        return refusal
    return f"agent {agent.name!r} does not play these rules: {refusal}"


def labels(agents: Sequence[Agent]) -> list[str]:
    """Return a name for each agent; the second of a name is ``name#2``."""
    seen: Counter[str] = Counter()
    names = []
    for agent in agents:
        seen[agent.name] += 1
        names.append(agent.name if seen[agent.name] == 1 else f"{agent.name}#{seen[agent.name]}")
    return names


def entry(label: str, agent: Agent) -> Entry:
    """Return what identifies ``agent``."""
    path = getattr(agent, "path", None)
    if path is None:
        return Entry(label, agent.name)
    digest = hashlib.sha256(Path(path).read_bytes()).hexdigest()
    return Entry(label, agent.name, str(path), getattr(agent, "greedy", None), digest)


def versions() -> dict[str, str]:
    """Return the versions that results may depend on."""
    return {
        "kuns-env": kuns_env.__version__,
        "python": platform.python_version(),
        "numpy": version("numpy"),
        "numba": version("numba"),
    }


class Run:
    """The matches of an evaluation and what came of them."""

    def __init__(
        self, rules: Rules, players: Sequence[tuple[str, Agent]], num_deals: int, block_deals: int
    ) -> None:
        self.rules, self.players = rules, players
        self.num_deals, self.block_deals = num_deals, block_deals
        self.matches = schedule(len(players), rules.num_players)
        self.failures: list[AgentFailedError] = []
        self.sums: dict[int, dict[int, Sums]] = {}
        """Number of a finished match to what was counted for each measured agent."""

    def play(self, seed: int, progress: Progress | None) -> None:
        """Play all matches; one in which an agent fails ends there."""
        total = sum(len(match.seatings) for match in self.matches) * self.num_deals
        done, sitting = 0, 0
        for number, match in enumerate(self.matches):
            sums = {
                agent: Sums.none_yet(self.rules, self.num_deals, self.block_deals) for agent in match.measured
            }
            try:
                for played in self._play_match(match, seed, sitting, sums):
                    if progress is not None:
                        progress(done + played, total)
                self.sums[number] = sums
            except AgentFailedError as report:
                self.failures.append(report)
            done += len(match.seatings) * self.num_deals
            sitting += len(match.seatings)

    def _play_match(self, match: Match, seed: int, sitting: int, sums: dict[int, Sums]) -> Iterator[int]:
        """Add what is counted to ``sums``; yield how many episodes are played so far."""
        played = 0
        for first in range(0, self.num_deals, CHUNK):
            num_deals = min(CHUNK, self.num_deals - first)
            for number, seating in enumerate(match.seatings, start=sitting):
                seats = [self.players[agent] for agent in seating]
                counts = play_deals(self.rules, seats, seed, first, num_deals, number)
                for agent, agent_sums in sums.items():
                    agent_sums.add(first, counts[:, :, seating.index(agent)])
                played += num_deals
                yield played

    @property
    def num_hands(self) -> int:
        """Hands that were played in all finished matches."""
        return sum(next(iter(sums.values())).num_hands for sums in self.sums.values())

    def results(self) -> Iterator[Result]:
        """Yield the result of each measured agent in each finished match."""
        for number, sums in self.sums.items():
            for agent in sums:
                yield self._result(agent, [number])

    def overall(self) -> Iterator[Result]:
        """Yield each agent's result against all others together; none with a failed match."""
        for agent in range(len(self.players)):
            numbers = [number for number, match in enumerate(self.matches) if agent in match.measured]
            if len(numbers) > 1 and all(number in self.sums for number in numbers):
                yield self._result(agent, numbers)

    def meetings(self) -> Iterator[Meeting]:
        """Yield what can be said of each finished match."""
        names = [statistic.name for statistic in statistics_of(self.rules) if statistic.of_table]
        for number, sums in self.sums.items():
            seats = tuple(self.players[agent][0] for agent in self.matches[number].seatings[0])
            statistics = next(iter(sums.values())).statistics()
            yield Meeting(seats, {name: statistics[name] for name in names})

    def _result(self, agent: int, numbers: Sequence[int]) -> Result:
        """Return the result of ``agent`` in some matches together."""
        seated = {other for number in numbers for other in self.matches[number].seatings[0]}
        others = tuple(self.players[other][0] for other in sorted(seated - {agent}))
        sums = reduce(add, (self.sums[number][agent] for number in numbers))
        return Result(self.players[agent][0], others, sums.payoff(), sums.statistics())
