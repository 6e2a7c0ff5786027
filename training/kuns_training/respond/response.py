"""What `respond` returns."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from kuns_agents.registry import GREEDY
from kuns_env.engine.game import Rules
from kuns_training.arena.entries import Entry
from kuns_training.arena.interval import Estimate
from kuns_training.respond.exact import Exact
from kuns_training.respond.gain import Gains


@dataclass(frozen=True, slots=True)
class Candidate:
    """A snapshot of the responder, and what it won on the deals of the selection."""

    steps: int
    """Decisions that it was trained on."""
    likeliest: bool
    """Whether it takes its likeliest move instead of drawing one."""
    payoff: Estimate
    """Per hand, the mean of all seats."""


@dataclass(frozen=True, slots=True)
class Response:
    """A trained response and what it gains: a lower bound on the exploitability of what it was trained against."""

    folder: Path
    """Of the run; its agent is the responder."""
    rules: Rules
    profile: tuple[Entry, ...]
    """Whom it answers: one agent, who sits in every seat, or one for each seat."""
    responder: Entry
    chosen: Candidate
    candidates: tuple[Candidate, ...]
    gains: Gains
    seeds: dict[str, int]
    """Of the deals of training, of the selection and of the report."""
    num_deals: dict[str, int]
    """Of the selection and of the report, each played at every table."""
    block_deals: int
    """Deals in a block of the report."""
    versions: dict[str, str] = field(default_factory=dict)
    exact: Exact | None = None
    """The same without chance, where it can be computed."""

    @property
    def agent(self) -> str:
        """What `kuns_agents.load` returns the responder for, playing as it was measured."""
        return f"{self.folder}?{GREEDY}" if self.chosen.likeliest else str(self.folder)

    def __str__(self) -> str:
        """Return the tables that `kuns respond` prints."""
        from kuns_training.respond.report import to_text

        return to_text(self)
