"""Uses of the workspace are proved in a file, and in PostgreSQL where a test is marked with `in_both`."""

from __future__ import annotations

import pytest


@pytest.fixture
def workspace_address(request: pytest.FixtureRequest) -> str:
    """Return the address of a new workspace."""
    in_file = getattr(request, "param", "sqlite") == "sqlite"
    return str(request.getfixturevalue("sqlite_path" if in_file else "postgres_url"))
