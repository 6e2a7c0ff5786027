"""What is counted while deals are played, and what follows from it: payoffs and a game's own statistics."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from kuns_env.engine.game import Rules, game_of
from kuns_env.tallies import HANDS, PAYOFF, Statistic
from kuns_training.arena.interval import CONFIDENCE, Estimate, ratio

Array = npt.NDArray[Any]
Statistics: TypeAlias = Mapping[str, Estimate | None]
"""Name to estimate; None where there was nothing to count it by."""

DECISIONS: Final = "decisions"
LUCK: Final = "luck"
"""What is counted last: how lucky a seat was, in grains of `GRAIN` to a unit; 0 where luck is not taken out."""
FORFEITED: Final = "forfeited"
"""Hands of games that ended by a disqualification: they count for the payoff and for nothing else."""
GRAIN: Final = 1024
"""Luck is counted in so many parts of a unit: sums of whole numbers depend on no order."""


def counted(rules: Rules) -> tuple[str, ...]:
    """Return the names of what is counted: tallies of the game and of the style of play, decisions, and so on."""
    game = game_of(rules)
    return (*game.tallies, *game.style_tallies, DECISIONS, FORFEITED, LUCK)


def statistics_of(rules: Rules) -> tuple[Statistic, ...]:
    """Return the statistics of a game: its own, and how many decisions a hand takes."""
    game = game_of(rules)
    meaning = f"Decisions in a {game.words.hand}, of all players."
    return (*game.statistics, Statistic(DECISIONS, HANDS, DECISIONS, meaning, of_table=True))


class Sums:
    """What was counted in blocks of consecutive deals, for one agent in some matches."""

    def __init__(self, rules: Rules, block_deals: int, blocks: Array) -> None:
        self.rules, self.block_deals = rules, block_deals
        self.blocks = blocks
        """A row for each block, a column for each name of `counted`, int64."""

    @classmethod
    def none_yet(cls, rules: Rules, num_deals: int, block_deals: int) -> Sums:
        """Return sums of nothing, with room for ``num_deals`` deals."""
        num_blocks = -(-num_deals // block_deals)
        return cls(rules, block_deals, np.zeros((num_blocks, len(counted(rules))), np.int64))

    def add(self, first_deal: int, counts: Array) -> None:
        """Add ``counts``, int64 ``(D, len(counted))``, of the deals ``first_deal`` on."""
        blocks = np.arange(first_deal, first_deal + len(counts)) // self.block_deals
        starts = np.flatnonzero(np.diff(blocks, prepend=-1))
        self.blocks[blocks[starts]] += np.add.reduceat(counts, starts, axis=0)

    def __add__(self, other: Sums) -> Sums:
        """Return both together."""
        return Sums(self.rules, self.block_deals, self.blocks + other.blocks)

    def column(self, name: str) -> Array:
        """Return what was counted under ``name`` in each block."""
        column: Array = self.blocks[:, counted(self.rules).index(name)]
        return column

    @property
    def num_hands(self) -> int:
        """Hands that were played."""
        return sum(self.column(HANDS).tolist())

    def payoff(self, confidence: float = CONFIDENCE) -> Estimate:
        """Return chips or points per hand."""
        units = game_of(self.rules).units
        estimate = ratio(self.column(PAYOFF), self.column(HANDS), units, confidence)
        assert estimate is not None, "an episode has a hand"
        return estimate

    @property
    def won(self) -> Array:
        """What was won less what was luck, in grains of a unit, in each block."""
        won: Array = GRAIN * self.column(PAYOFF) - self.column(LUCK)
        return won

    def adjusted(self, confidence: float = CONFIDENCE) -> Estimate:
        """Return chips or points per hand, less what was luck."""
        units = game_of(self.rules).units
        estimate = ratio(self.won, self.column(HANDS), GRAIN * units, confidence)
        assert estimate is not None, "an episode has a hand"
        return estimate

    def luck(self, confidence: float = CONFIDENCE) -> Estimate:
        """Return what was luck, in chips or points per hand: its true mean is 0."""
        units = game_of(self.rules).units
        estimate = ratio(self.column(LUCK), self.column(HANDS), GRAIN * units, confidence)
        assert estimate is not None, "an episode has a hand"
        return estimate

    def _finished(self, name: str) -> Array:
        """Return what was counted under ``name`` in games that no disqualification ended, in each block."""
        column = self.column(name)
        # Of the other games only hands, payoff and luck are counted.
        return column - self.column(FORFEITED) if name == HANDS else column

    def statistics(self, confidence: float = CONFIDENCE) -> Statistics:
        """Return every statistic of the game, made from the games that no disqualification ended."""
        units = game_of(self.rules).units
        return {
            statistic.name: ratio(
                self.column(statistic.name),
                self._finished(statistic.per),
                units if statistic.in_units else 1,
                confidence,
            )
            for statistic in statistics_of(self.rules)
        }
