"""The garbage collector while much is made and nothing thrown away."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

# Objects made before the garbage collector looks at the young, the middle-aged and the old ones.
SELDOM = (100_000, 20, 50)


@contextmanager
def settle_memory() -> Iterator[None]:
    """Let the garbage collector look seldom, and not at what exists already, such as the plan of a run.

    Looking delays replies while conversations are held, and costs a fifth of the time when they are scored.
    """
    usual = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(*SELDOM)
    try:
        yield
    finally:
        gc.set_threshold(*usual)
        gc.unfreeze()
