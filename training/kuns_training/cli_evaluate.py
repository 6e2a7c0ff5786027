"""`kuns evaluate`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Final

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from kuns_training.arena import pictures
from kuns_training.arena import report as evaluate_report
from kuns_training.arena.asking import AgentFailedError
from kuns_training.arena.evaluation import Disqualification, Evaluation
from kuns_training.arena.notes import first_of
from kuns_training.arena.tidy import to_csv
from kuns_training.cli_errors import FAILED, CommandError, check_writable, refused, refused_files, say
from kuns_training.cli_rules import GameOfAgents, Players, RulesFile, Set, choose_rules, load_agents
from kuns_training.evaluate import Progress as Tell
from kuns_training.evaluate import evaluate
from kuns_training.run_folder import write_text

DEFAULT_DEALS: Final = 50_000
DEFAULT_SEED: Final = 1
STDOUT: Final = "-"


def evaluate_command(
    agents: Annotated[
        list[str],
        typer.Argument(metavar="AGENT...", help="Names (`kuns agents` lists them) or files of agents."),
    ],
    game: GameOfAgents = None,
    players: Players = None,
    change: Set = None,
    rules_file: RulesFile = None,
    deals: Annotated[
        int, typer.Option("--deals", "-n", metavar="N", help="Deals; each is played in every seating.")
    ] = DEFAULT_DEALS,
    seed: Annotated[
        int, typer.Option("--seed", "-s", metavar="N", help="Of deals and agents.")
    ] = DEFAULT_SEED,
    block: Annotated[
        int | None,
        typer.Option("--block", metavar="N", help="Deals in a block; by default about 200 blocks."),
    ] = None,
    style: Annotated[
        bool, typer.Option("--style", help="Print how each agent played, too: antes, folds, melds, ...")
    ] = False,
    json_file: Annotated[
        str | None, typer.Option("--json", metavar="FILE", help="Write everything as JSON too; - is stdout.")
    ] = None,
    csv_file: Annotated[
        str | None,
        typer.Option("--csv", metavar="FILE", help="Write every figure as a row of CSV too; - is stdout."),
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(
            "--plot", metavar="FILE", help="Draw a picture too, as PNG: cross table, means, ratings."
        ),
    ] = None,
) -> None:
    """Measure how strong agents are: mean payoffs with 95 % intervals, and how they came about.

    Everybody plays the same deals in every seat. Heads-up, every two agents meet. With more seats, as many
    agents as seats play at one table; any other number meet two by two, one among nothing but the other.
    Without --game or --rules the rules start from those that the first trained agent was trained for.

    Example: kuns evaluate equity cautious random --deals 50000

    Example: kuns evaluate --game kunken greedy random --deals 20000
    """
    loaded = load_agents(agents)
    rules = choose_rules(loaded, game, players, change, rules_file)
    check_outputs(json_file, csv_file, plot)
    with refused(), told_progress() as tell:
        evaluation = evaluate(loaded, rules, deals, seed, block_deals=block, progress=tell)
    # Where data takes stdout, people read the table on stderr.
    console = Console(stderr=STDOUT in (json_file, csv_file), highlight=False)
    for shown in evaluate_report.tables(evaluation, statistics=True, style=style, ratings=True):
        console.print(shown)
    if json_file is not None:
        write(json_file, evaluate_report.to_json(evaluation))
    if csv_file is not None:
        write(csv_file, to_csv(evaluation))
    if plot is not None:
        with refused_files():
            pictures.draw(plot, evaluation)
    tell_disqualifications(evaluation)


def check_outputs(json_file: str | None, csv_file: str | None, plot: Path | None) -> None:
    """Refuse what cannot be written, before time is spent on it."""
    if json_file == csv_file == STDOUT:
        raise CommandError("--json and --csv: only one of them can go to stdout")
    for option, file in (("--json", json_file), ("--csv", csv_file), ("--plot", plot)):
        check_writable(option, None if file in (None, STDOUT) else Path(str(file)))
    refusal = pictures.why_no_picture()
    if plot is not None and refusal is not None:
        raise CommandError(f"--plot: {refusal}")


@contextmanager
def told_progress() -> Iterator[Tell | None]:
    """Show a bar on a terminal, nothing elsewhere."""
    if not sys.stderr.isatty():
        yield None
        return
    columns = (TextColumn("playing"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("playing", total=None)
        yield lambda played, total: bar.update(task, completed=played, total=total)


def write(file: str, text: str) -> None:
    """Write ``text`` into ``file`` at once, so that nobody finds half of it."""
    if file == STDOUT:
        sys.stdout.write(text)
        return
    with refused_files():
        write_text(Path(file), text)


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
