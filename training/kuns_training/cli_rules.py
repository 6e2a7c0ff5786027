"""Options that choose the rules of a game, and those that choose agents; every command has the same."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from kuns_env.engine.game import PACKAGES, PRESETS, Rules, preset, rules_from_dict
from kuns_env.errors import quoted
from kuns_env.fields import parse_json
from kuns_training.cli_errors import CommandError, prints_aside, refused

if TYPE_CHECKING:
    from kuns_agents import Agent

DEFAULT_GAME: Final = "kuns-duel"
WORD: Final = re.compile(r"[A-Za-z]+")
"""What a value of a field may be besides JSON: a word without quotes around it."""

_GAME_HELP: Final = f"Rules to start from: {', '.join(PRESETS)}."
GameIfNamed = Annotated[
    str | None, typer.Option("--game", "-g", metavar="NAME", help=_GAME_HELP, show_default=DEFAULT_GAME)
]
GameOfAgents = Annotated[
    str | None,
    typer.Option(
        "--game",
        "-g",
        metavar="NAME",
        help=f"{_GAME_HELP} Without it, those that the first trained agent was trained for; without a trained one, "
        f"{DEFAULT_GAME}, or kunken for agents that play only Kunken.",
    ),
]
Players = Annotated[int | None, typer.Option("--players", "-p", metavar="N", help="Number of players.")]
Set = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="FIELD=VALUE",
        help="Change one field, its value JSON or a word: --set ante_menu=[1,2] --set settlement=win. "
        "May be repeated.",
    ),
]
RulesFile = Annotated[
    Path | None,
    typer.Option(
        "--rules",
        metavar="FILE",
        help="Rules from a JSON file: fields, as `kuns rules --json` prints them, or a game and the fields it changes.",
    ),
]


def make_rules(
    game: str | None = None,
    players: int | None = None,
    changes: Sequence[str] | None = None,
    file: Path | None = None,
    start: Rules | None = None,
) -> Rules:
    """Return the rules that the options describe: the file or the preset (None is the default), then the changes.

    Args:
        game: the name of a preset.
        players: how many play.
        changes: ``field=value`` each.
        file: a file of rules.
        start: what the changes begin with instead of the default, where there is neither preset nor file.

    Raises:
        CommandError: no such game, no such field, a value that is not allowed, an unreadable file.
    """
    with refused(KeyError):
        if file is not None:
            base, given = read_rules(file)
        else:
            base, given = start if start is not None and game is None else preset(game or DEFAULT_GAME), {}
        fields = base.to_dict() | given
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
    """Return the rules that the options describe.

    Without a preset or a file they start from those that the first trained agent was trained for; without a trained
    one, from a game that all of the agents play. A line on stderr says so.

    Raises:
        CommandError: as `make_rules`, and a preset besides a file.
    """
    refuse_two_sources(game, file)
    if game is not None or file is not None:
        return make_rules(game, players, changes, file)
    from kuns_agents.exact.agent import TableAgent
    from kuns_agents.policy import PolicyAgent

    pupil = next((agent for agent in agents if isinstance(agent, PolicyAgent | TableAgent)), None)
    if pupil is None:
        game = common_game(agents)
        if game != DEFAULT_GAME:
            typer.echo(f"rules: {game}, since not all of these agents play {DEFAULT_GAME}", err=True)
        return make_rules(game, players, changes)
    start = pupil.network.rules if isinstance(pupil, PolicyAgent) else pupil.table.rules
    rules = make_rules(players=players, changes=changes, start=start)
    options = [f"--set {change}" for change in changes or ()]
    options += [f"--players {players}"] if players is not None else []
    changed = f", with {' '.join(options)}" if options else ""
    made = "trained" if isinstance(pupil, PolicyAgent) else "made"
    typer.echo(f"rules: those that {pupil.name} was {made} for, {rules_name(start)}{changed}", err=True)
    return rules


def common_game(agents: Sequence[Agent]) -> str:
    """Return the default preset, or that of another game if all of the agents play that and not the first."""
    from kuns_training.arena.entries import why_not

    others = (name for name in PACKAGES if name != preset(DEFAULT_GAME).game)
    for name in (DEFAULT_GAME, *others):
        with prints_aside():
            everybody = all(why_not(agent, preset(name)) is None for agent in agents)
        if everybody:
            return name
    return DEFAULT_GAME


def refuse_others(agents: Sequence[Agent], rules: Rules, game: str | None, file: Path | None) -> None:
    """Refuse agents that do not play ``rules``; where nobody has named these, say how to name others.

    Raises:
        CommandError: see above.
    """
    from kuns_training.arena.entries import why_not

    with prints_aside():
        reason = next(filter(None, (why_not(agent, rules) for agent in agents)), None)
    if reason is not None:
        named = game is not None or file is not None
        raise CommandError(reason if named else f"{reason}; --game NAME chooses other rules")


def refuse_two_sources(game: str | None, file: Path | None) -> None:
    """Refuse a preset besides a file of rules, which has a value for every field."""
    if game is not None and file is not None:
        raise CommandError(f"--rules {file} and --game {game}: give one of them")


def preset_of(rules: Rules) -> str:
    """Return the name of the preset that ``rules`` are, or of their game's plain one."""
    return next((name for name in PRESETS if preset(name) == rules), str(rules.game))


def nearest_preset(rules: Rules) -> str:
    """Return the preset of the same game from which ``rules`` differ in the fewest fields.

    >>> from kuns_env import KunsRules
    >>> nearest_preset(KunsRules.anted(3))
    'kuns-anted'
    """

    def changes(name: str) -> int:
        plain = preset(name).to_dict()
        return sum(value != plain[field] for field, value in rules.to_dict().items())

    return min((name for name in PRESETS if preset(name).game == rules.game), key=changes)


def rules_name(rules: Rules) -> str:
    """Return what rules are called: a preset, or the fields that differ from the game's plain rules.

    >>> rules_name(preset("kuns-anted")), rules_name(rules_from_dict("kuns", {"num_players": 3}))
    ('kuns-anted', 'kuns with num_players=3')
    """
    name = preset_of(rules)
    plain = preset(name).to_dict()
    changes = [
        f"{field}={json.dumps(value)}" for field, value in rules.to_dict().items() if value != plain[field]
    ]
    return f"{name} with {', '.join(changes)}" if changes else name


def read_rules(file: Path) -> tuple[Rules, dict[str, Any]]:
    """Return the rules that a JSON file starts from, and the fields that it gives.

    It starts from the preset that it names as its ``game``; without one from the plain rules of the game whose
    fields it holds.
    """
    fields = read_fields(file)
    if "game" in fields:
        return preset(fields.pop("game")), fields
    plain = [preset(game) for game in PACKAGES]
    return max(plain, key=lambda rules: len(rules.to_dict().keys() & fields.keys())), fields


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

    >>> parse_change("ante_menu=[1, 2]"), parse_change("settlement=win")
    (('ante_menu', [1, 2]), ('settlement', 'win'))
    """
    name, equals, value = text.partition("=")
    if not equals or not name.strip():
        raise ValueError(f"--set {quoted(text)}: must be FIELD=VALUE, such as forced_ante=2")
    try:
        return name.strip(), parse_json(value)
    except ValueError:
        if WORD.fullmatch(value.strip()):
            return name.strip(), value.strip()  # the rules say which words they take
        allowed = "a word or JSON, such as 2, true, null or [1,2]"
        raise ValueError(f"--set {quoted(text)}: the value must be {allowed}") from None


def load_agents(names: Sequence[str]) -> list[Agent]:
    """Return the agents with these names or in these files.

    Raises:
        CommandError: there is no such agent, or its file cannot be used.
    """
    from kuns_agents import load

    with refused(KeyError), prints_aside():
        return [load(name) for name in names]
