"""A real browser for the tests of pages."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from typing import Any

import pytest
from opening import ARGUMENTS, absent


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    path = os.environ.get("VIVA_BROWSER") or shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        absent("there is no Chromium: install it, or name it in VIVA_BROWSER")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        absent("playwright is not installed")
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield running
        running.close()
