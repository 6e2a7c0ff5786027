"""`kuns respond`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from kuns_training.cli import INTERRUPTED
from kuns_training.cli_arena import tell_failure, told_progress
from kuns_training.cli_errors import FAILED, STDOUT, check_outputs, named_folder, prints_aside, refused, say
from kuns_training.cli_evaluate import write
from kuns_training.cli_rules import (
    GameOfAgents,
    Players,
    RulesFile,
    Set,
    choose_rules,
    load_agents,
    preset_of,
)
from kuns_training.config import changed_fields
from kuns_training.run_folder import RunFolder
from kuns_training.train_command import (
    Algo,
    Fresh,
    Games,
    Hidden,
    Seed,
    Settings,
    Steps,
    WarmStart,
    put_options,
    refuse_missing,
    reporter,
    tell_length,
    told_endings,
)
from kuns_training.train_words import play_command

if TYPE_CHECKING:
    from kuns_training.config import Config
    from kuns_training.respond import Response


def respond_command(
    agents: Annotated[
        list[str],
        typer.Argument(
            metavar="AGENT...",
            help="Whom to exploit: one agent, who sits in every seat, or as many as there are seats, first seat 0.",
        ),
    ],
    game: GameOfAgents = None,
    players: Players = None,
    change: Set = None,
    rules_file: RulesFile = None,
    algo: Algo = "ppo",
    seed: Seed = 1,
    steps: Steps = None,
    games: Games = None,
    hidden: Hidden = None,
    warm_start: WarmStart = None,
    setting: Settings = None,
    folder: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            metavar="FOLDER",
            parser=named_folder,
            help="Where the run is kept; by default runs/GAME-ALGO-SEED-against-AGENT, with changed rules.",
        ),
    ] = None,
    fresh: Fresh = False,
    deals: Annotated[
        int | None,
        typer.Option(
            "--deals",
            metavar="N",
            help="Fresh deals that the gain is measured on.",
            show_default="100,000 of Kuns, 10,000 of Kunken",
        ),
    ] = None,
    json_file: Annotated[
        str | None, typer.Option("--json", metavar="FILE", help="Write everything as JSON too; - is stdout.")
    ] = None,
) -> None:
    """Train a best response to agents that stay as they are, and say what it gains.

    That is a lower bound on how much they can be exploited: a better response may win more. A training that was
    stopped goes on when the same command is given again; the run is kept in runs/GAME-ALGO-SEED-against-AGENT.

    Example: kuns respond cautious

    Example: kuns respond equity --game kuns-anted --players 3 --seed 2
    """
    refuse_missing()
    loaded = load_agents(agents)
    rules = choose_rules(loaded, game, players, change, rules_file)
    check_outputs(json=json_file)
    start = preset_of(rules) if game is None else game
    with refused():
        from kuns_training.respond import response_config
        from kuns_training.respond.run import check_deals

        data: dict[str, Any] = {}
        put_options(data, algo, seed, steps, games, hidden, warm_start, setting)
        config = response_config(agents, start, changed_fields(start, rules.to_dict()), **data)
        check_deals(config, deals)
    if steps is not None:
        tell_length(config)
    run(config, folder, fresh, deals, json_file)


def run(config: Config, folder: Path | None, fresh: bool, deals: int | None, json_file: str | None) -> None:
    """Train, measure, and tell."""
    from kuns_training.arena.asking import AgentFailedError
    from kuns_training.respond import report
    from kuns_training.respond.run import measure_response, train_response

    console = Console(stderr=json_file == STDOUT, highlight=False)
    with refused():
        with told_endings(), prints_aside():
            place = train_response(config, folder, fresh=fresh, reporter=reporter(config.make_rules()))
        try:
            with told_progress() as tell:
                response = measure_response(config, place, num_deals=deals, progress=tell)
        except AgentFailedError as failed:
            tell_failure(failed)
            raise typer.Exit(FAILED) from None
        except KeyboardInterrupt:
            say(
                f"stopped, but the training in {place} is finished: the same command only measures what it gains"
            )
            raise typer.Exit(INTERRUPTED) from None
    for shown in report.tables(response):
        console.print(shown)
    if json_file is None:
        tell_response(response, config)
    else:
        write(json_file, report.to_json(response))


def tell_response(response: Response, config: Config) -> None:
    """Say where the responder and the learning curve are, and how to play against it as it was measured."""
    folder = RunFolder(response.folder)
    typer.echo(f"agent: {folder.agent}")
    if folder.picture.exists():
        typer.echo(f"learning curve: {folder.picture}")
    typer.echo(f"play against it: {play_command(Path(response.agent), config)}")
