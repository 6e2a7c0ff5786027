"""Playing the matches of an evaluation."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Final, TypeAlias

from kuns_env.engine.game import Rules
from kuns_training.arena.games import AgentFailedError, play_deals
from kuns_training.arena.schedule import Match, schedule
from kuns_training.arena.statistics import Sums

if TYPE_CHECKING:
    from kuns_agents import Agent

Progress: TypeAlias = Callable[[int, int], None]
"""Is told (episodes played, episodes in all)."""

CHUNK: Final = 4096
"""Deals that are played together. Agents draw their random numbers by chunk, so it is part of the result."""


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
