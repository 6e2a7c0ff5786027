"""Options that choose the rules of a game, and those that choose agents; every command has the same."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from kuns_env.engine.game import PRESETS, Rules, preset, rules_from_dict
from kuns_env.errors import quoted
from kuns_env.fields import parse_json
from kuns_training.cli_errors import refused

if TYPE_CHECKING:
    from kuns_agents import Agent

DEFAULT_GAME: Final = "kuns-duel"
RULES_PANEL: Final = "Rules"

Game = Annotated[
    str,
    typer.Option("--game", "-g", metavar="NAME", help=f"Rules to start from: {', '.join(PRESETS)}."),
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
    game: str = DEFAULT_GAME,
    players: int | None = None,
    changes: Sequence[str] | None = None,
    file: Path | None = None,
) -> Rules:
    """Return the rules that the options describe: the file or the preset, then the changes.

    Raises:
        CommandError: no such game, no such field, a value that is not allowed, an unreadable file.
    """
    with refused(KeyError):
        base = preset(game)
        fields = base.to_dict() if file is None else read_fields(file)
        for change in changes or ():
            name, value = parse_change(change)
            fields[name] = value
        if players is not None:
            fields["num_players"] = players
        return rules_from_dict(base.game, fields)


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
