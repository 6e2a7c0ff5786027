"""What `kuns solve` does for more than two players: a run of MCCFR."""

from __future__ import annotations

from pathlib import Path

import typer

from kuns_agents.registry import AGENT_FILE
from kuns_env import KunsRules
from kuns_env.engine.game import Rules
from kuns_training.cli import INTERRUPTED
from kuns_training.cli_errors import CommandError, refused, say
from kuns_training.solve_bar import told
from kuns_training.solve_mccfr import DEALS, ITERATIONS, PICTURE_FILE, Task, default_folder, solve


def solve_players(
    rules: Rules,
    *,
    iterations: int = ITERATIONS,
    seed: int = 1,
    folder: Path | None = None,
    fresh: bool = False,
    deals: int = DEALS,
) -> None:
    """Solve ``rules`` by MCCFR, show how it goes, and say where everything is.

    Args:
        rules: Kuns without side bets and bankrolls.
        iterations: how many in all.
        seed: of all that is drawn.
        folder: of the run; by default named by rules and seed.
        fresh: begin anew, whatever the folder holds of a run.
        deals: of each measurement against one opponent; 0 for none.

    Raises:
        CommandError: other rules, a number out of range, a folder that holds something else.
    """
    if not isinstance(rules, KunsRules):
        raise CommandError(f"the game is {rules.game}: only Kuns can be solved")
    path = default_folder(rules, seed) if folder is None else folder
    with refused(), told(iterations, lambda text: typer.echo(text, err=True)) as tell:
        try:
            solve(Task(rules, iterations, seed, deals=deals), path, told=tell, fresh=fresh)
        except KeyboardInterrupt:
            say(f"interrupted: {path} holds what was done, and the same command goes on with it")
            raise typer.Exit(INTERRUPTED) from None
    typer.echo(f"agent: {path / AGENT_FILE}")
    typer.echo(f"picture: {path / PICTURE_FILE}")
    typer.echo(f"measure it: kuns evaluate {path} cautious")
