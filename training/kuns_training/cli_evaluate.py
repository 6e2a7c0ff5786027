"""`kuns evaluate`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from kuns_training.arena import pictures
from kuns_training.arena import report as evaluate_report
from kuns_training.arena.tidy import to_csv
from kuns_training.arena.tournament import plan_tournament, play_apart
from kuns_training.cli_arena import (
    DEFAULT_SEED,
    Block,
    Deals,
    Jobs,
    LuckOut,
    Mode,
    Plot,
    Seed,
    Tables,
    TimeLimit,
    Until,
    check_plot,
    deals_of,
    takes_luck_out,
    tell_disqualifications,
    told_progress,
)
from kuns_training.cli_errors import STDOUT, check_outputs, refused, refused_files
from kuns_training.cli_rules import (
    GameOfAgents,
    Players,
    RulesFile,
    Set,
    choose_rules,
    load_agents,
    refuse_others,
)
from kuns_training.evaluate import evaluate
from kuns_training.run_folder import write_text


def evaluate_command(
    agents: Annotated[
        list[str],
        typer.Argument(metavar="AGENT...", help="Names (`kuns agents` lists them) or files of agents."),
    ],
    game: GameOfAgents = None,
    players: Players = None,
    change: Set = None,
    rules_file: RulesFile = None,
    deals: Deals = None,
    seed: Seed = DEFAULT_SEED,
    block: Block = None,
    mode: Mode = None,
    num_tables: Tables = None,
    until: Until = None,
    time_limit: TimeLimit = None,
    luck: LuckOut = None,
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
    plot: Plot = None,
    jobs: Jobs = 1,
) -> None:
    """Measure how strong agents are: mean payoffs with 95 % intervals, and how they came about.

    Everybody plays the same deals in every seat. Heads-up, every two agents meet. With more seats, as many
    agents as seats play at one table; any other number meet two by two, one among nothing but the other, or
    with --mode tables at many tables of different agents.

    Without --game or --rules the rules start from those that the first trained agent was trained for.

    Example: kuns evaluate equity cautious random --deals 50000

    Example: kuns evaluate --game kunken greedy random --deals 20000
    """
    loaded = load_agents(agents)
    rules = choose_rules(loaded, game, players, change, rules_file)
    refuse_others(loaded, rules, game, rules_file)
    check_plot(plot)
    check_outputs(json=json_file, csv=csv_file, plot=plot)
    with refused(), told_progress() as tell:
        settings: dict[str, Any] = {
            "block_deals": block,
            "mode": mode,
            "num_tables": num_tables,
            "until": until,
            "time_limit": time_limit,
            "luck": takes_luck_out(luck, rules),
        }
        if jobs == 1:
            evaluation = evaluate(loaded, rules, deals_of(deals, until), seed, progress=tell, **settings)
        else:
            plan = plan_tournament(agents, rules, deals_of(deals, until), seed, **settings)
            evaluation = play_apart(plan, jobs, tell)
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


def write(file: str, text: str) -> None:
    """Write ``text`` into ``file`` at once, so that nobody finds half of it."""
    if file == STDOUT:
        sys.stdout.write(text)
        return
    with refused_files():
        write_text(Path(file), text)
