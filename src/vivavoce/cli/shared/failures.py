"""How a command ends when something goes wrong: a sentence on standard error and an exit code, no traceback."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import get_terminal_size
from textwrap import wrap
from typing import Any

import typer
from typer.core import TyperGroup

from vivavoce.errors import GateError, VivaError

DEBUG = "VIVA_DEBUG"
UNEXPECTED = 3
STOPPED = 130
READER_GONE = 141


class Commands(TyperGroup):
    """The commands of `viva`; every error of theirs ends here."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command and turn what it raises into words and an exit code."""
        try:
            return super().invoke(ctx)
        except (Exception, KeyboardInterrupt) as error:
            # What Typer raises knows its own exit code and words.
            if isinstance(error, typer.Abort) or (hasattr(error, "exit_code") and not isinstance(error, VivaError)):
                raise
            raise typer.Exit(explain(error)) from error


def explain(error: BaseException) -> int:
    """Say on standard error what went wrong; return the exit code."""
    if isinstance(error, BrokenPipeError):
        return _reader_gone()
    if debugging():
        traceback.print_exception(error)
    if isinstance(error, VivaError):
        tell(f"{'Gate not met' if isinstance(error, GateError) else 'Error'}: {error}")
        return error.exit_code
    if isinstance(error, KeyboardInterrupt):
        tell("Stopped.")
        return STOPPED
    tell(f"Error: something went wrong that should not: {_short(error)}")
    if not debugging():
        tell(f"What to do: repeat the command with {DEBUG}=1 before it to see where, and report it.")
    return UNEXPECTED


def debugging() -> bool:
    """Say whether the user wants to see tracebacks."""
    return os.environ.get(DEBUG, "").strip() not in ("", "0")


def tell(message: str) -> None:
    """Say something on standard error, so that standard output stays clean; a terminal breaks no word."""
    typer.echo(_wrapped(message) if sys.stderr.isatty() else message, err=True)


def _wrapped(message: str) -> str:
    width = get_terminal_size().columns
    lines = (
        wrap(line, width, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False)
        for line in message.splitlines()
    )
    return "\n".join("\n".join(line) for line in lines)


def _short(error: BaseException) -> str:
    first = next(iter(str(error).splitlines()), "") or "no message"
    return f"{type(error).__name__}: {first}"


def _reader_gone() -> int:
    # The program that read our output has ended, as in `viva ... | head`: nobody is left to be told.
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    return READER_GONE


@contextmanager
def kept_in(record: Path | None) -> Iterator[None]:
    """Tell whoever stops the work where the finished part of it is."""
    try:
        yield
    except KeyboardInterrupt as error:
        tell(f"Stopped; {resume_sentence(record)}")
        raise typer.Exit(STOPPED) from error


def resume_sentence(record: Path | None) -> str:
    """Say how to go on."""
    if record is None:
        return "nothing is kept: with --record FILE the command could go on where it was."
    return f"finished work is kept in {record}: repeat the same command to go on from there."
