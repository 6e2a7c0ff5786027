"""The commands of `kuns`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Final

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from kuns_env.errors import RecordError
from kuns_env.fields import field_docs
from kuns_training import (
    cli_evaluate,
    cli_exploit,
    cli_play,
    cli_respond,
    cli_solve,
    cli_tournament,
    train_command,
)
from kuns_training.cli_errors import FAILED, CommandError, OneLineErrors, refused, say
from kuns_training.cli_rules import GameIfNamed, Players, RulesFile, Set, make_rules, refuse_two_sources

GAMES_WIDTH: Final = len("kuns, kunken") + 2
"""Letters of a line of `kuns agents` that name games."""

app = typer.Typer(
    name="kuns",
    cls=OneLineErrors,
    help="Play Kuns and Kunken, train opponents, and measure how strong they are.",
    context_settings={"help_option_names": ["-h", "--help"]},
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    add_completion=False,
)


@app.callback(invoke_without_command=True)
def start(
    context: typer.Context,
    show_version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
) -> None:
    """Play Kuns and Kunken, train opponents, and measure how strong they are."""
    if show_version:
        import kuns_env

        typer.echo(f"kuns-env {kuns_env.__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
        raise typer.Exit


app.command("play")(cli_play.play_command)
train_command.register(app)
app.command("evaluate")(cli_evaluate.evaluate_command)
app.command("tournament")(cli_tournament.tournament_command)
app.command("reproduce")(cli_tournament.reproduce_command)
app.command("exploit")(cli_exploit.exploit_command)
app.command("solve")(cli_solve.solve_command)
app.command("respond")(cli_respond.respond_command)


@app.command("agents")
def agents_command() -> None:
    """List the agents that need no file, and the games they play."""
    import kuns_agents

    width = max(map(len, kuns_agents.NAMES)) + 2
    for name in kuns_agents.NAMES:
        games = ", ".join(game for game, names in kuns_agents.NAMES_OF.items() if name in names)
        summary = (type(kuns_agents.load(name)).__doc__ or "").strip().splitlines()[0]
        typer.echo(f"{name:<{width}}{games:<{GAMES_WIDTH}}{summary}")
    typer.echo(
        "A trained agent is named by its file (agent.npz) or the folder of its run, one in code FILE.py:CLASS."
    )


@app.command("rules")
def rules_command(
    game: GameIfNamed = None,
    players: Players = None,
    change: Set = None,
    rules_file: RulesFile = None,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON, for --rules.")] = False,
) -> None:
    """Print every field of a game's rules."""
    refuse_two_sources(game, rules_file)
    rules = make_rules(game, players, change, rules_file)
    if as_json:
        typer.echo(json.dumps(rules.to_dict(), indent=2))
        return
    table = Table("field", "value", "meaning")
    meanings = field_docs(type(rules))
    for name, value in rules.to_dict().items():
        table.add_row(name, json.dumps(value), Text(meanings.get(name, "")))
    Console(highlight=False).print(table)


@app.command("verify")
def verify_command(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Game records, a line each.")],
) -> None:
    """Replay the game records in a file and check every move and payoff."""
    from kuns_env.engine.record import verify

    try:
        with refused():
            number = verify(file)
    except CommandError as error:
        if not isinstance(error.__cause__, RecordError):
            raise
        say(str(error.__cause__))
        raise typer.Exit(FAILED) from None
    typer.echo(f"{number} {'record' if number == 1 else 'records'} verified")
