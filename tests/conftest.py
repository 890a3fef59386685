"""What all tests share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
ABSENT = "the public data sets are not here: set VIVA_SHARED"


@pytest.fixture(scope="session")
def shared() -> Path:
    """Return the folder of the public data sets, beside the project or where `VIVA_SHARED` says."""
    folder = Path(os.environ.get("VIVA_SHARED") or ROOT.parent / "shared")
    if (folder / "data" / "intents").is_dir():
        return folder
    if os.environ.get("VIVA_REQUIRE_SHARED") == "1":
        pytest.fail(ABSENT)
    pytest.skip(ABSENT)
