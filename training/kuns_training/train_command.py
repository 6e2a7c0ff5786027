"""`kuns train`: options to settings, progress on the terminal, and at the end the table."""

from __future__ import annotations

import importlib.util
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from kuns_env.errors import quoted
from kuns_env.fields import parse_json
from kuns_training.cli import INTERRUPTED, USAGE_ERROR
from kuns_training.cli_errors import FAILED, named_folder, refused, say
from kuns_training.cli_rules import (
    DEFAULT_GAME,
    GameIfNamed,
    Players,
    RulesFile,
    Set,
    make_rules,
    preset_of,
    refuse_two_sources,
)
from kuns_training.config import ALGORITHMS, Config, changed_fields
from kuns_training.defaults import SELF, table_of
from kuns_training.train_words import play_command, program

if TYPE_CHECKING:
    from kuns_env.engine.game import Rules
    from kuns_training.progress import Reporter
    from kuns_training.run_folder import RunFolder

NEEDED: Final = ("torch", "stable_baselines3", "sb3_contrib", "matplotlib", "tensorboard")
TABLE_SEED: Final = 1
NOBODY: Final = "none"

Algo = Annotated[str, typer.Option("--algo", "-a", metavar="NAME", help=f"{', '.join(ALGORITHMS)}.")]
Seed = Annotated[int, typer.Option("--seed", "-s", metavar="N", help="Of everything that is left to chance.")]
Steps = Annotated[int | None, typer.Option("--steps", "-n", metavar="N", help="Decisions to train on.")]
Games = Annotated[int | None, typer.Option("--games", metavar="N", help="Games that are played at once.")]
Hidden = Annotated[
    str | None, typer.Option("--hidden", metavar="N,N", help="Units of the hidden layers, such as 64,64.")
]
Opponents = Annotated[
    list[str] | None,
    typer.Option(
        "--opponent",
        metavar="AGENT=WEIGHT",
        help=f"Whom to play against; {SELF} is the learner's past. May be repeated; replaces the default pool.",
    ),
]
WarmStart = Annotated[
    str | None,
    typer.Option(
        "--warm-start",
        metavar="AGENT",
        help=f"Whom to imitate before the rewards count, {NOBODY} for nobody.",
        show_default="by game",
    ),
]
Pad = Annotated[bool, typer.Option("--pad", help="Make an agent that can sit at any table.")]
Folder = Annotated[
    Path | None,
    typer.Option(
        "--out",
        "-o",
        metavar="FOLDER",
        parser=named_folder,
        help="Where the run is kept; by default runs/GAME-ALGO-SEED, with changed rules.",
    ),
]
Fresh = Annotated[bool, typer.Option("--fresh", help="Begin anew, whatever the folder holds of a run.")]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--with",
        metavar="SETTING=VALUE",
        help="Any other setting, its value as JSON or a word: --with ppo.epochs=8. May be repeated; see "
        "docs/training.md.",
    ),
]
Deals = Annotated[
    int | None,
    typer.Option("--deals", metavar="N", help="Deals of the evaluation at the end; 0 for none."),
]


def register(app: typer.Typer) -> None:
    """Add `kuns train` to the commands of ``app``."""
    app.command("train")(train_command)


def train_command(
    algo: Algo = "ppo",
    game: GameIfNamed = None,
    players: Players = None,
    change: Set = None,
    rules_file: RulesFile = None,
    seed: Seed = 1,
    steps: Steps = None,
    games: Games = None,
    hidden: Hidden = None,
    opponent: Opponents = None,
    warm_start: WarmStart = None,
    pad: Pad = False,
    setting: Settings = None,
    folder: Folder = None,
    fresh: Fresh = False,
    deals: Deals = None,
) -> None:
    """Train an agent by self-play, and say how strong it is.

    A run that was stopped, by Ctrl-C or by force, goes on when the same command is given again.

    Example: kuns train --steps 1000000 --opponent self=1 --opponent equity=0.2
    """
    refuse_missing()
    refuse_two_sources(game, rules_file)
    rules = make_rules(game, players, change, rules_file)
    if game is None:
        game = DEFAULT_GAME if rules_file is None else preset_of(rules)
    with refused():
        data: dict[str, Any] = {"game": game, "rules": changed_fields(game, rules.to_dict()), "pad": pad}
        if opponent:
            data["opponents"] = dict(parse_weight(text) for text in opponent)
        put_options(data, algo, seed, steps, games, hidden, warm_start, setting)
        config = Config.from_dict(data)
    if steps is not None:
        tell_length(config)
    run(config, folder, fresh, deals)


def refuse_missing() -> None:
    """Exit where the packages that train are not installed."""
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        say(f"{', '.join(missing)} not installed: pip install 'kuns-env[train]'")
        raise typer.Exit(USAGE_ERROR)


def put_options(
    data: dict[str, Any],
    algo: str,
    seed: int,
    steps: int | None,
    games: int | None,
    hidden: str | None,
    warm_start: str | None,
    setting: list[str] | None,
) -> None:
    """Enter the settings that options name into ``data``, for `Config.from_dict`.

    Raises:
        ValueError: an option that is not of the form that it must have.
    """
    given = {"algo": algo, "seed": seed, "total_steps": steps, "num_games": games}
    data |= {name: value for name, value in given.items() if value is not None}
    if hidden is not None:
        data["hidden"] = parse_hidden(hidden)
    if warm_start is not None:
        data["warm"] = {"agent": "" if warm_start == NOBODY else warm_start}
    for text in setting or ():
        put_setting(data, text)


@contextmanager
def told_endings() -> Iterator[None]:
    """Say what ended a training before its time, and exit as it wants."""
    from kuns_training.masking import DivergedError
    from kuns_training.train import TrainingStopped

    try:
        yield
    except TrainingStopped as stopped:
        say(str(stopped))
        raise typer.Exit(INTERRUPTED) from None
    except DivergedError as error:
        say(str(error))
        raise typer.Exit(FAILED) from None


def run(config: Config, folder: Path | None, fresh: bool, deals: int | None) -> None:
    """Train, tell where everything is, evaluate."""
    from kuns_training.train import finished_text, train

    with refused():
        with told_endings():
            place = train(config, folder, fresh=fresh, reporter=reporter(config.make_rules()))
        tell_files(place, config)
        deals = table_of(config.game).deals if deals is None else deals
        if deals:
            try:
                print_table(place, config, deals)
            except KeyboardInterrupt:
                say(finished_text(place))
                raise typer.Exit(INTERRUPTED) from None


def tell_length(config: Config) -> None:
    """Say so where a run is longer than is wanted, since its last rollout is played to its end."""
    rollout = config.num_games * getattr(config, config.algo).rollout_steps
    rounded = -(-config.total_steps // rollout) * rollout
    if rounded != config.total_steps:
        typer.echo(
            f"{config.total_steps:,} decisions are {rounded:,} in whole rollouts of {rollout:,}", err=True
        )


def reporter(rules: Rules) -> Reporter:
    """Return a bar for a terminal, lines for anything else."""
    from kuns_training.arena.report import measure
    from kuns_training.progress import BarReporter, PlainReporter

    if sys.stderr.isatty():
        return BarReporter(measure(rules, " "))
    return PlainReporter(lambda text: typer.echo(text, err=True), measure(rules, " "))


def tell_files(place: Path, config: Config) -> None:
    """Say where the agent and the picture are, and how to play."""
    from kuns_training.curve_exact import Exact
    from kuns_training.run_folder import EXACT, RunFolder

    folder = RunFolder(place)
    typer.echo(f"agent: {folder.agent}")
    if folder.picture.exists():
        typer.echo(f"learning curve: {folder.picture}")
    typer.echo(f"play against it: {play_command(place, config)}")
    exact = result_of(folder).get(EXACT)
    if exact is not None:
        typer.echo(f"{Exact(**exact)}; where it loses: {program()} {shlex.join(['exploit', str(place)])}")


def result_of(folder: RunFolder) -> dict[str, Any]:
    """Return the facts of a finished run."""
    facts: dict[str, Any] = parse_json(folder.result.read_bytes())
    return facts


def print_table(place: Path, config: Config, deals: int) -> None:
    """Evaluate the trained agent and the built-in ones against each other, and print the table."""
    from rich.console import Console

    from kuns_agents import load
    from kuns_training.arena import report as evaluate_report
    from kuns_training.evaluate import evaluate

    rules = config.make_rules()
    agents = [
        load(place),
        *(agent for agent in map(load, table_of(config.game).agents) if agent.supports(rules) is None),
    ]
    found = evaluate(agents, rules, deals, TABLE_SEED)
    console = Console(highlight=False)
    for shown in evaluate_report.tables(found):
        console.print(shown)
    if found.disqualifications:  # the table says who
        raise typer.Exit(FAILED)


def parse_hidden(text: str) -> list[int]:
    """Return the sizes of layers.

    >>> parse_hidden("64,32")
    [64, 32]
    """
    try:
        return [int(size) for size in text.split(",")]
    except ValueError:
        wanted = "must be whole numbers with commas between them, such as 64,64"
        raise ValueError(f"--hidden {quoted(text)}: {wanted}") from None


def parse_value(text: str) -> Any:
    """Return the value of JSON; text that is none is itself, for the checks of the settings, which name them.

    >>> parse_value("[64, 64]"), parse_value("tanh")
    ([64, 64], 'tanh')
    """
    try:
        return parse_json(text)
    except ValueError:
        return text


def parse_pair(option: str, text: str, example: str) -> tuple[str, str]:
    """Return both sides of ``name=value``."""
    name, equals, value = text.rpartition("=")
    if not equals or not name.strip():
        raise ValueError(f"{option} {text!r}: must have the form {example}")
    return name.strip(), value


def parse_weight(text: str) -> tuple[str, Any]:
    """Return agent and weight.

    >>> parse_weight("equity=0.5")
    ('equity', 0.5)
    """
    name, value = parse_pair("--opponent", text, "equity=0.5")
    return name, parse_value(value)


def put_setting(data: dict[str, Any], text: str) -> None:
    """Enter ``name=value`` or ``group.name=value`` into ``data``.

    >>> data = {}
    >>> put_setting(data, "ppo.epochs=8")
    >>> data
    {'ppo': {'epochs': 8}}
    """
    name, value = parse_pair("--with", text, "ppo.epochs=8")
    group, dot, field = name.rpartition(".")
    target = data.setdefault(group, {}) if dot else data
    if not isinstance(target, dict):
        raise ValueError(f"--with {quoted(text)}: {group} is set as a whole already")
    target[field if dot else name] = parse_value(value)
