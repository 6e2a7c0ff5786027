"""`kuns tournament` and `kuns reproduce`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from kuns_training.arena import report
from kuns_training.arena.evaluation import Evaluation
from kuns_training.arena.replay import Replay, reproduce
from kuns_training.arena.tournament import plan_tournament, play_tournament, resume_tournament
from kuns_training.cli import INTERRUPTED
from kuns_training.cli_arena import (
    DEFAULT_SEED,
    Block,
    Deals,
    Jobs,
    LuckOut,
    Mode,
    Seed,
    Tables,
    TimeLimit,
    Until,
    deals_of,
    takes_luck_out,
    tell_disqualifications,
    told_progress,
)
from kuns_training.cli_errors import FAILED, CommandError, named_folder, refused, say
from kuns_training.cli_rules import (
    GameOfAgents,
    Players,
    RulesFile,
    Set,
    choose_rules,
    load_agents,
    refuse_others,
)


def tournament_command(
    agents: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="AGENT...", help="Names (`kuns agents` lists them), files of agents, or FILE.py:CLASS."
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="FOLDER", parser=named_folder, help="Where everything is kept."),
    ] = None,
    resume: Annotated[
        Path | None,
        typer.Option(
            "--resume",
            metavar="FOLDER",
            parser=named_folder,
            help="Go on with a tournament, by its manifest alone.",
        ),
    ] = None,
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
    jobs: Jobs = 1,
) -> None:
    """Play a tournament into a folder; it can be interrupted, gone on with and reproduced.

    The folder holds a manifest, written before play, with all that the results follow from; a file for each part
    that was played; and at the end table.txt, results.json, results.csv and picture.png. The same command again, or
    --resume FOLDER, goes on. Otherwise as `kuns evaluate`.

    Example: kuns tournament equity cautious call random --deals 100000 --jobs 2 --out runs/round-robin

    Example: kuns tournament equity cautious call random --game kuns --players 3 --mode tables --out runs/tables
    """
    given = {
        "AGENT": agents,
        "--out": out,
        "--game": game,
        "--players": players,
        "--set": change,
        "--rules": rules_file,
        "--deals": deals,
        "--block": block,
        "--mode": mode,
        "--tables": num_tables,
        "--until": until,
        "--time-limit": time_limit,
        "--luck": luck,
        "--seed": None if seed == DEFAULT_SEED else seed,
    }
    if resume is not None:
        refuse_besides_resume([name for name, value in given.items() if value is not None])
        with goes_on(resume), refused(), told_progress() as tell:
            evaluation = resume_tournament(resume, num_jobs=jobs, progress=tell, say=say)
        show(evaluation, resume)
        return
    if out is None:
        raise CommandError("--out FOLDER is missing: a tournament is kept in a folder")
    with refused():
        loaded = load_agents(agents or [])
        rules = choose_rules(loaded, game, players, change, rules_file)
        refuse_others(loaded, rules, game, rules_file)
        plan = plan_tournament(
            agents or [],
            rules,
            deals_of(deals, until),
            seed,
            block_deals=block,
            mode=mode,
            num_tables=num_tables,
            until=until,
            time_limit=time_limit,
            luck=takes_luck_out(luck, rules),
        )
    with goes_on(out), refused(), told_progress() as tell:
        evaluation = play_tournament(plan, out, num_jobs=jobs, progress=tell, say=say)
    show(evaluation, out)


def reproduce_command(
    path: Annotated[
        Path,
        typer.Argument(
            metavar="FOLDER", parser=named_folder, help="Of a tournament; or a manifest.", show_default=False
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", metavar="FOLDER", parser=named_folder, help="Keep the results in a new folder."
        ),
    ] = None,
    jobs: Jobs = 1,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Say the verdict alone, without tables.")
    ] = False,
) -> None:
    """Play a tournament again from its manifest, and say whether its table is the same, byte for byte.

    The verdict comes first, then the tables, then the verdict once more; with --quiet the verdict alone.

    An agent whose file has changed is named, and nothing is played. Exit status 1 says that the table differs.

    Example: kuns reproduce runs/round-robin
    """
    with refused(), told_progress() as tell:
        replay = reproduce(path, out, num_jobs=jobs, progress=tell, say=say)
    if not quiet:
        typer.echo(verdict(path, replay))
        for shown in report.tables(replay.evaluation, statistics=True, ratings=True):
            Console(highlight=False).print(shown)
    if out is not None:
        typer.echo(f"kept in {out}")
    tell_replay(path, replay)


def refuse_besides_resume(given: list[str]) -> None:
    """Refuse options that the manifest decides."""
    if given:
        raise CommandError(f"--resume takes everything from the manifest: leave out {', '.join(given)}")


@contextmanager
def goes_on(folder: Path) -> Iterator[None]:
    """Where play is interrupted, say how it goes on."""
    try:
        yield
    except KeyboardInterrupt:
        say(f"interrupted; what was played is kept: kuns tournament --resume {folder}")
        raise typer.Exit(INTERRUPTED) from None


def show(evaluation: Evaluation, folder: Path) -> None:
    """Print what was found, and where it is."""
    for shown in report.tables(evaluation, statistics=True, ratings=True):
        Console(highlight=False).print(shown)
    typer.echo(f"kept in {folder}")
    tell_disqualifications(evaluation)


def verdict(path: Path, replay: Replay) -> str:
    """Return in a line whether a tournament came out the same."""
    if replay.is_same is None:
        return f"played from {path}; there is no result beside it to compare with"
    if replay.is_same and not replay.changes:
        return f"the same as {path}, byte for byte"
    return f"the table is {'the same as' if replay.is_same else 'not that of'} {path}" + (
        f"; {len(replay.changes):,} parts are different" if replay.changes else ""
    )


def tell_replay(path: Path, replay: Replay) -> None:
    """Say whether a tournament came out the same; where it did not, what differs, and the command has failed."""
    if replay.is_same is None or (replay.is_same and not replay.changes):
        typer.echo(verdict(path, replay))
        return
    for change in replay.changes:
        say(f"different: {change}")
    say(verdict(path, replay))
    raise typer.Exit(FAILED)
