"""`kuns solve`: options to a goal, progress, and what came of it."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from kuns_env.errors import quoted
from kuns_training.cli import INTERRUPTED
from kuns_training.cli_errors import FAILED, CommandError, named_folder, refused, say
from kuns_training.cli_rules import GameIfNamed, Players, RulesFile, Set, make_rules, refuse_two_sources
from kuns_training.stop_signal import StopSignal

if TYPE_CHECKING:
    from kuns_env import KunsRules
    from kuns_training.run_folder import RunFolder
    from kuns_training.solve_exact import Solved

MCCFR: Final = "mccfr"
MILLION: Final = 1_000_000


def solve_command(
    game: GameIfNamed = None,
    players: Players = None,
    change: Set = None,
    rules_file: RulesFile = None,
    exploitability: Annotated[
        float | None,
        typer.Option(
            "--exploitability",
            "-e",
            metavar="CHIPS",
            help="Heads-up: solve until a best response wins no more than this, in chips a hand.",
            show_default="0.0001",
        ),
    ] = None,
    algorithm: Annotated[
        str | None,
        typer.Option(
            "--algorithm",
            "-a",
            metavar="NAME",
            help="dcfr or cfr+ (exact, heads-up), mccfr (sampled, any number of players).",
            show_default="dcfr heads-up, else mccfr",
        ),
    ] = None,
    max_iterations: Annotated[
        int | None,
        typer.Option(
            "--max-iterations",
            "-n",
            metavar="N",
            help="Where it ends in any case.",
            show_default="100,000, of mccfr 100 million",
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option("--seed", "-s", metavar="N", help="Of the samples of mccfr.", show_default="1"),
    ] = None,
    deals: Annotated[
        int | None,
        typer.Option(
            "--deals", metavar="N", help="Of each measurement of mccfr; 0 for none.", show_default="5,000"
        ),
    ] = None,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Begin mccfr anew, whatever the folder holds of it.")
    ] = False,
    folder: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            metavar="FOLDER",
            parser=named_folder,
            help="Where the solution is kept; by default in runs/.",
        ),
    ] = None,
) -> None:
    """Solve Kuns without side bets: exactly heads-up, by sampling (MCCFR) with more players.

    The folder then holds the policy as an agent, a report and a picture: `kuns play FOLDER`, `kuns exploit FOLDER`.
    Ctrl-C ends it; what is there by then is kept, and the report says how good it is.

    Example: kuns solve --game kuns-tiny --exploitability 1e-6
    """
    refuse_two_sources(game, rules_file)
    rules = make_rules(game, players, change, rules_file)
    from kuns_agents.exact.scope import HEADS_UP, why_no_table

    reason = why_no_table(rules)
    if reason is not None:
        raise CommandError(f"these rules cannot be solved: {reason}")
    from kuns_agents.exact.solver import ALGORITHMS

    if algorithm is not None and algorithm not in (*ALGORITHMS, MCCFR):
        raise CommandError(
            f"--algorithm {quoted(algorithm)}: must be one of {', '.join((*ALGORITHMS, MCCFR))}"
        )
    if algorithm is None:
        algorithm = "dcfr" if rules.num_players == HEADS_UP else MCCFR
    if algorithm == MCCFR:
        refuse_given("--exploitability", exploitability, f"--algorithm {MCCFR} has no such bound")
        given = {"iterations": max_iterations, "seed": seed, "deals": deals}
        sample(rules, {name: value for name, value in given.items() if value is not None}, folder, fresh)
        return
    for option, value in (("--seed", seed), ("--deals", deals), ("--fresh", fresh or None)):
        refuse_given(option, value, f"--algorithm {algorithm} draws nothing")
    given_goal = {
        "exploitability": exploitability,
        "max_iterations": max_iterations,
        "algorithm": algorithm,
    }
    exactly(rules, {name: value for name, value in given_goal.items() if value is not None}, folder)


def refuse_given(option: str, value: object, reason: str) -> None:
    """Refuse an option that does nothing here."""
    if value is not None:
        raise CommandError(f"{option} {value}: {reason}" if value is not True else f"{option}: {reason}")


def exactly(rules: Any, given: dict[str, Any], folder: Path | None) -> None:
    """Solve exactly, and say what came of it."""
    from kuns_training.solve_exact import Goal, solve_in
    from kuns_training.solve_exact_bar import told

    goal, stop = Goal(rules, **given), StopSignal()
    with refused(), stop.listening(), told(goal, lambda text: typer.echo(text, err=True)) as tell:
        solved = solve_in(goal, folder, tell, lambda: stop.is_set)
    tell_solved(solved, goal.exploitability)
    if solved.stopped:
        say(f"interrupted: what was solved by then is kept in {solved.folder.path}")
        raise typer.Exit(INTERRUPTED)
    if not solved.reached:
        raise typer.Exit(FAILED)


def tell_solved(solved: Solved, wanted: float) -> None:
    """Say how good a solution is, and where it is."""
    last, folder = solved.looks[-1], solved.folder
    typer.echo(
        f"exploitability {solved.exploitability:.3g} chips a hand after {last.iterations:,} iterations "
        f"in {last.seconds:.1f} s"
    )
    typer.echo(f"value of the game to the dealer: {solved.low:+z.6f} to {solved.high:+z.6f} chips a hand")
    tell_files(folder)
    if not solved.reached and not solved.stopped:
        say(f"--exploitability {wanted:g} was not reached: --max-iterations allows more")


def tell_files(folder: RunFolder) -> None:
    """Say where everything is, and how to play."""
    from kuns_training.train_words import program

    typer.echo(f"policy: {folder.agent}")
    if folder.picture.exists():
        typer.echo(f"picture: {folder.picture}")
    else:
        typer.echo("picture: none, since matplotlib is not installed: pip install 'kuns-env[train]'")
    typer.echo(f"report: {folder.result}")
    typer.echo(f"play against it: {program()} {shlex.join(['play', str(folder.path)])}")


def sample(rules: KunsRules, given: dict[str, Any], folder: Path | None, fresh: bool) -> None:
    """Run MCCFR, and say where its agent is; it goes on when the same command is given again."""
    from kuns_training.run_folder import RunFolder
    from kuns_training.solve_bar import told
    from kuns_training.solve_mccfr import Task, default_folder, solve

    task = Task(rules, **given)
    path = default_folder(rules, task.seed) if folder is None else folder
    try:
        with refused(), told(task.iterations, lambda text: typer.echo(text, err=True)) as tell:
            place = RunFolder(solve(task, path, told=tell, fresh=fresh))
    except KeyboardInterrupt:
        say(f"interrupted; saved in {path}: the same command goes on with it")
        raise typer.Exit(INTERRUPTED) from None
    tell_files(place)
