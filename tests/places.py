"""Where the workspace of a test lies."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

# For tests of a folder whose workspaces lie in files unless they say otherwise.
in_both = pytest.mark.parametrize("workspace_address", ["sqlite", "postgresql"], indirect=True)


def put_in_place(template: Path, path: Path) -> None:
    """Put a copy of a workspace where another one was: as a new file, so that nothing of the old one is left."""
    fresh = Path(shutil.copy(template, path.with_suffix(".new")))
    for ending in ("-wal", "-shm"):
        path.with_name(path.name + ending).unlink(missing_ok=True)
    os.replace(fresh, path)
