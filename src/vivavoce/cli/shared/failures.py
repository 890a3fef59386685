"""How a command ends when something fails: a sentence on standard error and an exit code, no traceback."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import get_terminal_size
from textwrap import wrap
from typing import Any

import typer

from vivavoce.cli.shared.plain_help import PlainGroup
from vivavoce.errors import GateError, VivaError

DEBUG = "VIVA_DEBUG"
UNEXPECTED = 3
STOPPED = 130
READER_GONE = 141


class Commands(PlainGroup):
    """The commands of `viva`; every error ends here."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command and turn what it raises into a sentence and an exit code."""
        try:
            return super().invoke(ctx)
        except (Exception, KeyboardInterrupt) as error:
            # Typer's own errors have an exit code and a text.
            if isinstance(error, typer.Abort) or (hasattr(error, "exit_code") and not isinstance(error, VivaError)):
                raise
            raise typer.Exit(explain(error)) from error


def explain(error: BaseException) -> int:
    """Say on standard error what went wrong; return the exit code."""
    if isinstance(error, BrokenPipeError):
        # The program that read our output has ended, as in `viva ... | head`.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return READER_GONE
    debugging = os.environ.get(DEBUG, "").strip() not in ("", "0")
    if debugging:
        traceback.print_exception(error)
    if isinstance(error, VivaError):
        tell(f"{'Gate not met' if isinstance(error, GateError) else 'Error'}: {error}")
        return error.exit_code
    if isinstance(error, KeyboardInterrupt):
        tell("Stopped.")
        return STOPPED
    first_line = next(iter(str(error).splitlines()), "") or "no message"
    tell(f"Error: unexpected failure: {type(error).__name__}: {first_line}")
    if not debugging:
        tell(f"What to do: run the command again with {DEBUG}=1 in front to see the cause, and report it.")
    return UNEXPECTED


def tell(message: str) -> None:
    """Write to standard error, so that standard output stays clean; wrap whole words in a terminal."""
    if sys.stderr.isatty():
        width = get_terminal_size().columns
        lines = (
            wrap(line, width, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False)
            for line in message.splitlines()
        )
        message = "\n".join("\n".join(line) for line in lines)
    typer.echo(message, err=True)


def tell_notes(notes: Iterable[str], quiet: bool) -> None:
    """Write one line for each note, unless `quiet`."""
    for note in () if quiet else notes:
        tell(f"Note: {note}")


@contextmanager
def resumable(record: Path | None) -> Iterator[None]:
    """On Ctrl-C say where the finished part of the work is."""
    try:
        yield
    except KeyboardInterrupt as error:
        tell(f"Stopped; {resume_sentence(record)}")
        raise typer.Exit(STOPPED) from error


def resume_sentence(record: Path | None) -> str:
    """Say how to resume."""
    if record is None:
        return "nothing was saved: use --record FILE to be able to resume."
    return f"finished work is saved in {record}: run the same command again to resume."
