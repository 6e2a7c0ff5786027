"""How strong agents are: the same deals for everybody, every seat, intervals over blocks of deals."""

from __future__ import annotations

import hashlib
import platform
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from itertools import combinations, permutations
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

import kuns_env
from kuns_env.engine.game import Rules, game_of
from kuns_env.engine.seeds import count, make_seed
from kuns_env.errors import quoted
from kuns_training.evaluate_games import AgentFailedError, play_deals
from kuns_training.evaluate_interval import Estimate, estimate

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
    """The agents whose chips are reported. Each sits in every seat equally often."""


@dataclass(frozen=True, slots=True)
class Result:
    """How one agent did against given opponents."""

    agent: str
    opponents: tuple[str, ...]
    chips: Estimate


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
    """Return mean chips per hand, with 95 % intervals, of agents on duplicate deals; see `schedule`.

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
    run = Run(rules, [(item.label, agent) for item, agent in zip(entries, agents, strict=True)], num_deals)
    seed = make_seed(seed)
    run.play(seed, progress)
    return Evaluation(
        rules=rules,
        seed=seed,
        num_deals=num_deals,
        block_deals=block_deals,
        num_hands=sum(int(hands.sum()) for _, hands in run.sums.values()),
        agents=entries,
        results=tuple(run.results(block_deals)),
        overall=tuple(run.overall(block_deals)),
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
    refusal = agent.supports(rules)
    if refusal is not None:
        known = refusal.startswith(f"agent {agent.name!r}")
        raise ValueError(refusal if known else f"agent {agent.name!r} does not play these rules: {refusal}")


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

    def __init__(self, rules: Rules, players: Sequence[tuple[str, Agent]], num_deals: int) -> None:
        self.rules, self.players, self.num_deals = rules, players, num_deals
        self.matches = schedule(len(players), rules.num_players)
        self.failures: list[AgentFailedError] = []
        self.sums: dict[int, tuple[dict[int, Array], Array]] = {}
        """Number of a finished match to units by measured agent, and hands, for each deal."""

    def play(self, seed: int, progress: Progress | None) -> None:
        """Play all matches; one in which an agent fails ends there."""
        total = sum(len(match.seatings) for match in self.matches) * self.num_deals
        done, sitting = 0, 0
        for number, match in enumerate(self.matches):
            units = {agent: np.zeros(self.num_deals, np.int64) for agent in match.measured}
            hands = np.zeros(self.num_deals, np.int64)
            try:
                for played in self._play_match(match, seed, sitting, units, hands):
                    if progress is not None:
                        progress(done + played, total)
                self.sums[number] = units, hands
            except AgentFailedError as report:
                self.failures.append(report)
            done += len(match.seatings) * self.num_deals
            sitting += len(match.seatings)

    def _play_match(
        self, match: Match, seed: int, sitting: int, units: dict[int, Array], hands: Array
    ) -> Iterator[int]:
        """Add what was won and played to ``units`` and ``hands``; yield how many episodes are played so far."""
        played = 0
        for first in range(0, self.num_deals, CHUNK):
            chunk = slice(first, min(first + CHUNK, self.num_deals))
            for number, seating in enumerate(match.seatings, start=sitting):
                seats = [self.players[agent] for agent in seating]
                won, finished = play_deals(self.rules, seats, seed, first, chunk.stop - first, number)
                for agent, sums in units.items():
                    sums[chunk] += won[:, np.array(seating) == agent].sum(axis=1)
                hands[chunk] += finished
                played += chunk.stop - first
                yield played

    def results(self, block_deals: int) -> Iterator[Result]:
        """Yield the result of each measured agent in each finished match."""
        for number, (units, hands) in self.sums.items():
            for agent in units:
                yield self._result(agent, self._others(agent, [number]), units[agent], hands, block_deals)

    def overall(self, block_deals: int) -> list[Result]:
        """Return each agent's result against all others together; none with a failed match."""
        found = []
        for agent in range(len(self.players)):
            numbers = [number for number, match in enumerate(self.matches) if agent in match.measured]
            if len(numbers) < 2 or not all(number in self.sums for number in numbers):
                continue
            units: Array = np.sum([self.sums[number][0][agent] for number in numbers], axis=0)
            hands: Array = np.sum([self.sums[number][1] for number in numbers], axis=0)
            found.append(self._result(agent, self._others(agent, numbers), units, hands, block_deals))
        return found

    def _others(self, agent: int, numbers: Sequence[int]) -> tuple[str, ...]:
        """Return the labels of those that ``agent`` meets in some matches, each once."""
        seated = {other for number in numbers for other in self.matches[number].seatings[0]}
        return tuple(self.players[other][0] for other in sorted(seated - {agent}))

    def _result(
        self, agent: int, opponents: tuple[str, ...], units: Array, hands: Array, block_deals: int
    ) -> Result:
        chips = estimate(units, hands, block_deals, game_of(self.rules).units)
        return Result(self.players[agent][0], opponents, chips)
