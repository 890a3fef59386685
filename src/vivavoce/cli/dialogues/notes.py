"""What `viva dialogues` says on standard error beside its results."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from vivavoce.cli.shared.failures import tell


def tell_notes(notes: Sequence[str], quiet: bool) -> None:
    """Say what reading had to leave or pass over, one line each."""
    for note in () if quiet else notes:
        tell(f"Note: {note}")


def tell_written(paths: Sequence[str | Path]) -> None:
    """Say which files were written."""
    for path in paths:
        if str(path) != "-":
            tell(f"Written: {path}")
