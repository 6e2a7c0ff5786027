"""`kuns play`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final

import typer

from kuns_training.arena.asking import AgentFailedError
from kuns_training.cli_arena import tell_failure
from kuns_training.cli_errors import FAILED, check_writable, refused, refused_files
from kuns_training.cli_rules import GameOfAgents, Players, RulesFile, Set, choose_rules, load_agents
from kuns_training.play import Play
from kuns_training.play_host import HOSTS, host_class

_DEFAULTS: Final = ", ".join(f"{host_class(game).opponent} at {host_class(game).title}" for game in HOSTS)


def play_command(
    agents: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[AGENT]...", help=f"Opponents, names or files; {_DEFAULTS} if none are named."
        ),
    ] = None,
    game: GameOfAgents = None,
    players: Players = None,
    change: Set = None,
    rules_file: RulesFile = None,
    against: Annotated[
        list[str] | None,
        typer.Option(
            "--against",
            "-a",
            metavar="AGENT",
            help="An opponent, the same as an argument. May be repeated.",
        ),
    ] = None,
    hands: Annotated[
        int, typer.Option("--hands", "--deals", "-n", metavar="N", help="Hands or deals to play.")
    ] = 1,
    seat: Annotated[int, typer.Option("--seat", metavar="N", help="Where you sit, from 0.")] = 0,
    seed: Annotated[
        int | None,
        typer.Option("--seed", "-s", metavar="N", help="Of the cards; by default new ones each time."),
    ] = None,
    record: Annotated[
        Path | None,
        typer.Option("--record", metavar="FILE", help="Add a record of each finished game to a file."),
    ] = None,
) -> None:
    """Play Kuns or Kunken against agents, here in the terminal.

    Fewer opponents than seats take turns at the table. While you play, ? explains and quit leaves.
    Without --game or --rules the rules start from those that the first trained agent was trained for.

    Example: kuns play --game kunken --players 3 --deals 5
    """
    opponents = load_agents([*(agents or ()), *(against or ())])
    rules = choose_rules(opponents, game, players, change, rules_file)
    opponents = opponents or load_agents([host_class(rules.game).opponent])
    check_writable("--record", record)
    with refused():
        play = Play(rules, opponents, seat=seat, hands=hands, seed=seed, record_file=record)
    try:
        with refused_files():
            play.run()
    except AgentFailedError as report:
        tell_failure(report)
        raise typer.Exit(FAILED) from None
