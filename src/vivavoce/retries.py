"""When and how often a failed call is sent again: one rule for bots, judges, classifiers, the store and processes."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable
from typing import TypeVar

T = TypeVar("T")
FIRST_WAIT_S = 0.5
MAX_WAIT_S = 30.0
# Whoever asks for more patience than this is reported, not waited for.
MAX_PATIENCE_S = 120.0


def backoff(attempt: int, *, first_s: float, factor: float = 2.0) -> float:
    """Return the seconds to wait after this many failed attempts: longer each time, up to half a minute."""
    return min(MAX_WAIT_S, first_s * factor ** min(attempt - 1, 64))


def wait_before(attempt: int, label: str, retry_after: float | None = None) -> float:
    """Return the seconds before a remote call is sent again: what was asked for, else a wait out of step with others.

    `label` makes the random part the same whenever the same call fails again.
    """
    if retry_after is not None:
        return max(0.0, retry_after)
    jitter = random.Random(f"{label}/{attempt}").uniform(0.5, 1.0)  # noqa: S311 - spreads load, guards nothing
    return backoff(attempt, first_s=FIRST_WAIT_S) * jitter


def retry(
    call: Callable[[], T],
    waits: Iterable[float],
    *,
    on: type[Exception] = Exception,
    before: Callable[[], None] | None = None,
) -> T:
    """Return what the call returns; after an error of the kind `on`, wait and call again, once for each wait.

    `before` is called before each further attempt. The error of the last attempt is raised.
    """
    for wait in waits:
        try:
            return call()
        except on:
            if before is not None:
                before()
            time.sleep(wait)
    return call()
