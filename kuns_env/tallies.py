"""What is counted of finished hands, and the statistics that are made of the counts: the words for both."""

from __future__ import annotations

from typing import Final, NamedTuple


class Statistic(NamedTuple):
    """One tally divided by another."""

    name: str
    """The tally that is divided; also the name of the statistic in data."""
    per: str
    """The tally that it is divided by."""
    title: str
    """What stands over it in a table."""
    meaning: str
    """A sentence on it."""
    is_share: bool = False
    """Whether it lies between 0 and 1, and is shown in per cent."""
    of_table: bool = False
    """Whether it says the same of everybody at a table."""
    group: str = ""
    """What it tells of the style of play, as a heading; empty for the few figures that are always shown."""
    in_units: bool = False
    """Whether the tally that is divided is in units, and the statistic in chips or points."""


class Words(NamedTuple):
    """What a game calls the things that all games have."""

    amount: str
    """What is won and lost, in the plural."""
    hand: str
    """What is dealt and settled at one go, in the singular."""


HANDS: Final = "hands"
"""The first tally of every game: finished hands, the same for every seat."""
PAYOFF: Final = "payoff"
"""The second: units won in them."""
