"""The command `kuns`. Its parts are loaded when they are used: no command but `train` needs torch."""

from __future__ import annotations

import importlib.util
import io
import sys
from collections.abc import Sequence
from typing import Final

NEEDED: Final = ("typer", "rich")
USAGE_ERROR: Final = 2


def main(args: Sequence[str] | None = None) -> None:
    """Run `kuns` with ``args``, those of the process if None, and exit."""
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        message = f"kuns: {' and '.join(missing)} not installed: pip install 'kuns-env[cli]'"
        print(message, file=sys.stderr)  # noqa: T201
        sys.exit(USAGE_ERROR)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without the sign ± gets another, no traceback
    from kuns_training.cli_app import app

    app(args=None if args is None else list(args), prog_name="kuns")


if __name__ == "__main__":
    main()
