"""The command `kuns`. Its parts are loaded when they are used: no command but `train` needs torch."""

from __future__ import annotations

import _thread
import importlib.util
import io
import sys
import threading
from collections.abc import Sequence
from typing import Final

NEEDED: Final = ("typer", "rich")
USAGE_ERROR: Final = 2
INTERRUPTED: Final = 130
"""128 and the number of the signal, as shells have it."""
SOON: Final = 0.05
"""Seconds."""


def main(args: Sequence[str] | None = None) -> None:
    """Run `kuns` with ``args``, those of the process if None, and exit; quietly where it is interrupted."""
    before, sys.unraisablehook = sys.unraisablehook, interrupt_again
    try:
        run(args)
    except KeyboardInterrupt:  # while modules are loaded: once a command runs, its group catches it
        print("kuns: interrupted", file=sys.stderr)  # noqa: T201
        sys.exit(INTERRUPTED)
    finally:
        sys.unraisablehook = before


def interrupt_again(ignored: sys.UnraisableHookArgs) -> None:
    """Interrupt once more, soon, where Python can only ignore it: in callbacks of imports and of the compiler."""
    if issubclass(ignored.exc_type, KeyboardInterrupt):
        timer = threading.Timer(SOON, _thread.interrupt_main)
        timer.daemon = True  # nobody waits for it at the end
        timer.start()
    else:
        sys.__unraisablehook__(ignored)


def run(args: Sequence[str] | None) -> None:
    """Load the commands, and run one."""
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
