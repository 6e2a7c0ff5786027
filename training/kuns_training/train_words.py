"""The commands that `kuns train` tells to type next, so that they work as they are printed."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import sys
from pathlib import Path
from typing import Final

from kuns_training.cli_rules import DEFAULT_GAME
from kuns_training.config import Config

PROGRAM: Final = "kuns"
MODULE: Final = "kuns_training.cli"


def program(called: str | None = None) -> str:
    """Return what to type for `kuns`: as it was called, or shorter.

    Args:
        called: the first word of the process, ``sys.argv[0]`` if None.
    """
    path = Path(sys.argv[0] if called is None else called)
    if path.stem == "cli" and path.parent.name == "kuns_training":
        return f"{shlex.quote(_short(Path(sys.executable)))} -m {MODULE}"
    if path.stem != PROGRAM or not path.is_file():
        return PROGRAM  # called from Python
    found = shutil.which(PROGRAM)
    if found is not None and path.samefile(found):
        return PROGRAM
    return shlex.quote(_short(path))


def rules_options(config: Config) -> list[str]:
    """Return the options that choose the rules of a run; none for those that every command takes by default.

    >>> rules_options(Config(game="kuns", rules={"num_players": 3, "ante_menu": [1, 2]}))
    ['--game', 'kuns', '--players', '3', '--set', 'ante_menu=[1,2]']
    """
    options = [] if config.game == DEFAULT_GAME else ["--game", config.game]
    for name, value in config.rules.items():
        if name == "num_players":
            options += ["--players", str(value)]
        else:
            options += ["--set", f"{name}={json.dumps(value, separators=(',', ':'))}"]
    return options


def play_command(place: Path, config: Config) -> str:
    """Return the command that plays against the agent of a run."""
    return f"{program()} {shlex.join(['play', str(place), *rules_options(config)])}"


def _short(path: Path) -> str:
    """Return a path from here if that is shorter; it keeps a folder in it, without which no shell finds it."""
    try:
        from_here = os.path.relpath(path)
    except ValueError:  # on another drive
        return str(path)
    if os.sep not in from_here:
        from_here = os.path.join(os.curdir, from_here)  # noqa: PTH118 - a Path drops the dot
    return min(from_here, str(path.absolute()), key=len)
