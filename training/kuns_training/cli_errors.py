"""What a person sees when a command cannot be carried out: one line, and exit status 2."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import Any, Final, NoReturn

import typer
from typer.core import TyperGroup

from kuns_training.cli import INTERRUPTED, USAGE_ERROR

FAILED: Final = 1
STDOUT: Final = "-"
"""What is written in place of a file for stdout."""

# The errors of the command line have no public name in common; this class has them all below it.
CommandError: type[Exception] = next(
    base for base in typer.BadParameter.__mro__ if base.__name__ == "ClickException"
)


class OneLineErrors(TyperGroup):
    """A group of commands that reports each error in one line on stderr."""

    def main(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Run a command and exit: 0, 1 for a failed one, 2 for one that was not understood."""
        kwargs["standalone_mode"] = False
        try:
            status = super().main(*args, **kwargs)
        except CommandError as error:
            say(error.format_message())  # type: ignore[attr-defined]
            sys.exit(USAGE_ERROR)
        except OSError as error:
            if error.filename is not None:
                raise
            say(f"the output cannot be written: {error.strerror}")
            sys.exit(FAILED)
        except (KeyboardInterrupt, typer.Abort):
            say("interrupted")
            sys.exit(INTERRUPTED)
        sys.exit(status if isinstance(status, int) else 0)

    def invoke(self, ctx: Any) -> Any:
        """Run a command; where it is interrupted a line says so, which Typer would not write."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            say("interrupted")
            raise typer.Exit(INTERRUPTED) from None


def say(message: str) -> None:
    """Write one line to stderr."""
    print(f"kuns: {' '.join(message.split())}", file=sys.stderr)  # noqa: T201


@contextmanager
def refused(*errors: type[Exception]) -> Iterator[None]:
    """Turn what a caller's mistake raises (`ValueError`, and ``errors``) into the one line of a command."""
    try:
        with refused_files():
            yield
    except (ValueError, *errors) as error:  # type: ignore[misc]  # mypy does not follow the star
        # The text of a KeyError would be shown in quotes.
        message = error.args[0] if isinstance(error, KeyError) and error.args else error
        raise CommandError(str(message)) from error


@contextmanager
def refused_files() -> Iterator[None]:
    """Turn an error of a file into the one line of a command."""
    try:
        yield
    except OSError as error:
        if error.filename is None:
            raise
        raise CommandError(f"{error.filename}: {error.strerror}") from error


@contextmanager
def prints_aside() -> Iterator[None]:
    """Send what agents print to stderr: stdout may be JSON or CSV."""
    with redirect_stdout(sys.stderr):
        yield


def named_folder(text: str) -> Path:
    """Return the folder that an option names.

    >>> named_folder("runs/one").as_posix()
    'runs/one'

    Raises:
        BadParameter: it names none, though for `Path` it is the folder one is in.
    """
    if not text:
        raise typer.BadParameter("must name a folder")
    return Path(text)


def check_outputs(**files: str | Path | None) -> None:
    """Refuse files that cannot be written, or that would be written twice, before time is spent on them."""
    seen: dict[Path | str, str] = {}
    for name, file in files.items():
        if file is None:
            continue
        option = f"--{name.replace('_', '-')}"
        is_stdout = file == STDOUT  # no path is: a picture can be in a file of that name
        if not is_stdout:
            check_writable(option, Path(file))
        place = STDOUT if is_stdout else Path(file).resolve()
        if place in seen:
            where = "stdout" if is_stdout else str(file)
            raise CommandError(f"{seen[place]} and {option}: only one of them can go to {where}")
        seen[place] = option


def check_writable(option: str, file: Path | None) -> None:
    """Refuse a file that cannot be written, before time is spent on what is to be written there."""
    if file is None:
        return
    if file.is_dir():
        raise CommandError(f"{option} {file}: is a folder")
    if not file.absolute().parent.is_dir():
        raise CommandError(f"{option} {file}: there is no such folder")
    if file.exists() and not file.is_file():
        return  # a pipe, say: to open it would wait for its reader
    try:
        new = not file.exists()
        file.open("ab").close()
        if new:
            file.resolve().unlink()  # where a link leads; the link stays
    except OSError as error:
        raise CommandError(f"{option} {file}: {error.strerror}") from error
