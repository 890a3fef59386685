"""What tests of raters share."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest


@pytest.fixture
def hears_ctrl_c() -> Iterator[None]:
    """Let Ctrl-C interrupt: a shell that runs the tests in the background makes them ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
