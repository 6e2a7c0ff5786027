"""Options that choose the rules of a game, and those that choose agents; every command has the same."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from kuns_env.engine.game import PRESETS, Rules, preset, rules_from_dict
from kuns_env.errors import quoted
from kuns_env.fields import parse_json
from kuns_training.cli_errors import CommandError, refused

if TYPE_CHECKING:
    from kuns_agents import Agent

DEFAULT_GAME: Final = "kuns-duel"
RULES_PANEL: Final = "Rules"

_GAME_HELP: Final = f"Rules to start from: {', '.join(PRESETS)}."
Game = Annotated[str, typer.Option("--game", "-g", metavar="NAME", help=_GAME_HELP)]
GameIfNamed = Annotated[
    str | None, typer.Option("--game", "-g", metavar="NAME", help=_GAME_HELP, show_default=DEFAULT_GAME)
]
Players = Annotated[int | None, typer.Option("--players", "-p", metavar="N", help="Number of players.")]
Set = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="FIELD=VALUE",
        help="Change one field, its value as JSON: --set forced_ante=2 --set ante_menu=[1,2]. May be repeated.",
    ),
]
RulesFile = Annotated[
    Path | None,
    typer.Option(
        "--rules", metavar="FILE", help="Rules from a JSON file (as `kuns rules --json` prints them)."
    ),
]


def make_rules(
    game: str | None = None,
    players: int | None = None,
    changes: Sequence[str] | None = None,
    file: Path | None = None,
) -> Rules:
    """Return the rules that the options describe: the file or the preset (None is the default), then the changes.

    Raises:
        CommandError: no such game, no such field, a value that is not allowed, an unreadable file.
    """
    with refused(KeyError):
        base = preset(game or DEFAULT_GAME)
        fields = base.to_dict() if file is None else read_fields(file)
        for change in changes or ():
            name, value = parse_change(change)
            fields[name] = value
        if players is not None:
            fields["num_players"] = players
        return rules_from_dict(base.game, fields)


def choose_rules(
    agents: Sequence[Agent],
    game: str | None,
    players: int | None,
    changes: Sequence[str] | None,
    file: Path | None,
) -> Rules:
    """Return the rules that the options describe; without any, those that the first trained agent was trained for.

    Raises:
        CommandError: as `make_rules`, and a preset besides a file.
    """
    refuse_two_sources(game, file)
    if game is None and players is None and not changes and file is None:
        from kuns_agents.policy import PolicyAgent

        for agent in agents:
            if isinstance(agent, PolicyAgent):
                rules = agent.network.rules
                typer.echo(f"rules: those that {agent.name} was trained for, {rules_name(rules)}", err=True)
                return rules
    return make_rules(game, players, changes, file)


def refuse_two_sources(game: str | None, file: Path | None) -> None:
    """Refuse a preset besides a file of rules, which has a value for every field."""
    if game is not None and file is not None:
        raise CommandError(f"--rules {file} and --game {game}: give one of them")


def rules_name(rules: Rules) -> str:
    """Return what rules are called: a preset, or the fields that differ from the game's plain rules.

    >>> rules_name(preset("kuns-anted")), rules_name(rules_from_dict("kuns", {"num_players": 3}))
    ('kuns-anted', 'kuns with num_players=3')
    """
    for name in PRESETS:
        if preset(name) == rules:
            return name
    plain = preset(rules.game).to_dict()
    return f"{rules.game} with " + ", ".join(
        f"{name}={json.dumps(value)}" for name, value in rules.to_dict().items() if value != plain[name]
    )


def read_fields(file: Path) -> dict[str, Any]:
    """Return the fields of a rules object in a JSON file."""
    try:
        fields = parse_json(file.read_bytes())
    except ValueError as error:
        raise ValueError(f"{file}: not JSON: {error}") from None
    if not isinstance(fields, dict):
        raise ValueError(f'{file}: must hold a JSON object of fields, such as {{"num_players": 3}}')
    return fields


def parse_change(text: str) -> tuple[str, Any]:
    """Return field and value of ``field=value``.

    >>> parse_change("ante_menu=[1, 2]")
    ('ante_menu', [1, 2])
    """
    name, equals, value = text.partition("=")
    if not equals or not name.strip():
        raise ValueError(f"--set {quoted(text)}: must be FIELD=VALUE, such as forced_ante=2")
    try:
        return name.strip(), parse_json(value)
    except ValueError:
        allowed = "JSON, such as 2, true, null or [1,2]"
        raise ValueError(f"--set {quoted(text)}: the value must be {allowed}") from None


def load_agents(names: Sequence[str]) -> list[Agent]:
    """Return the agents with these names or in these files.

    Raises:
        CommandError: there is no such agent, or its file cannot be used.
    """
    from kuns_agents import load

    with refused(KeyError):
        return [load(name) for name in names]
