"""Engines that are installed once for all tests that need them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from vivavoce.bots.nlpjs import NLPJS, install_package
from vivavoce.errors import MissingPartError, WorkError


@pytest.fixture(scope="session")
def installed_nlpjs() -> Path:
    """Install nlp.js and return its folder; skip (fail where engines are required) if it cannot be installed here."""
    try:
        return install_package(NLPJS)
    except (MissingPartError, WorkError) as error:
        if os.environ.get("VIVA_REQUIRE_ENGINES") == "1":
            pytest.fail(f"nlp.js cannot be installed: {error}")
        pytest.skip(f"nlp.js cannot be installed: {error.what}")
