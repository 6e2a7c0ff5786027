"""Options that `kuns evaluate` and `kuns tournament` share, and what both do around play."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Final

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from kuns_env import KunsRules
from kuns_env.engine.game import Rules
from kuns_training.arena import pictures
from kuns_training.arena.asking import AgentFailedError
from kuns_training.arena.evaluation import Disqualification, Evaluation
from kuns_training.arena.notes import first_of
from kuns_training.arena.run import Progress as Tell
from kuns_training.arena.schedule import MODES
from kuns_training.cli_errors import FAILED, CommandError, check_writable, prints_aside, say

DEFAULT_DEALS: Final = 50_000
DEFAULT_LIMIT: Final = 1_000_000
"""Deals that are not exceeded where play stops by itself."""
DEFAULT_SEED: Final = 1

Deals = Annotated[
    int | None,
    typer.Option(
        "--deals",
        "-n",
        metavar="N",
        help=f"Deals; each is played in every seating. With --until the most of them. "
        f"By default {DEFAULT_DEALS:,}, with --until {DEFAULT_LIMIT:,}.",
    ),
]
Seed = Annotated[int, typer.Option("--seed", "-s", metavar="N", help="Of deals and agents.")]
Block = Annotated[
    int | None,
    typer.Option(
        "--block",
        metavar="N",
        help="Deals in a block; by default about 200 blocks, with --until of 100 deals at most.",
    ),
]
Mode = Annotated[
    str | None,
    typer.Option(
        "--mode",
        metavar="MODE",
        help=f"Who meets whom: {' or '.join(MODES)}. pairs: every two agents, with more seats one among nothing "
        "but the other. tables: as many different agents as seats, in all combinations, or balanced ones where these "
        "are too many. By default tables where all agents fit one, else pairs.",
    ),
]
Tables = Annotated[
    int | None, typer.Option("--tables", metavar="N", help="With --mode tables: the most tables.")
]
Until = Annotated[
    float | None,
    typer.Option(
        "--until",
        metavar="WIDTH",
        help="Stop when every mean is known to ± WIDTH; it is looked after 50 blocks, 100, 200, and so on.",
    ),
]
TimeLimit = Annotated[
    float | None,
    typer.Option(
        "--time-limit",
        metavar="SECONDS",
        help="For a decision; who exceeds it is disqualified from the game. Agents are asked for one move at a time.",
    ),
]
LuckOut = Annotated[
    bool | None,
    typer.Option(
        "--luck/--no-luck",
        help="Tell means with luck in the cards and the agents' own random draws taken out, too, and rank by them; "
        "by default in Kuns.",
    ),
]
Jobs = Annotated[
    int, typer.Option("--jobs", "-j", metavar="N", help="Processes that play; the results are the same.")
]
Plot = Annotated[
    Path | None,
    typer.Option("--plot", metavar="FILE", help="Draw a picture too, as PNG: cross table, means, ratings."),
]


def takes_luck_out(luck: bool | None, rules: Rules) -> bool:
    """Return whether luck is taken out: if nobody says so, in Kuns, where it pays whoever plays."""
    return isinstance(rules, KunsRules) if luck is None else luck


def deals_of(deals: int | None, until: float | None) -> int:
    """Return how many deals are played, at most."""
    if deals is not None:
        return deals
    return DEFAULT_DEALS if until is None else DEFAULT_LIMIT


def check_plot(plot: Path | None) -> None:
    """Refuse a picture that cannot be drawn or written, before time is spent on it."""
    check_writable("--plot", plot)
    refusal = pictures.why_no_picture()
    if plot is not None and refusal is not None:
        raise CommandError(f"--plot: {refusal}")


@contextmanager
def told_progress() -> Iterator[Tell | None]:
    """Show a bar on a terminal, nothing elsewhere. What agents print meanwhile goes to stderr."""
    if not sys.stderr.isatty():
        with prints_aside():
            yield None
        return
    columns = (TextColumn("playing"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with prints_aside(), Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("playing", total=None)
        yield lambda played, total: bar.update(task, completed=played, total=total)


def tell_disqualifications(evaluation: Evaluation) -> None:
    """Say on stderr where each agent was disqualified first; the command has failed then."""
    for label in evaluation.num_disqualified:
        tell_failure(first_of(evaluation, label))
    if evaluation.num_disqualified:
        raise typer.Exit(FAILED)


def tell_failure(report: AgentFailedError | Disqualification) -> None:
    """Say on stderr who failed, and where."""
    say(str(report))
    lines = [f"seats: {', '.join(report.seating)}", *report.position.splitlines()]
    lines.append(f"legal: {', '.join(report.legal)}")
    sys.stderr.write("".join(f"    {line}\n" for line in lines))
