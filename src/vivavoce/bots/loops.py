"""Asynchronous work for callers who are not: they may themselves run inside an event loop, as in a notebook."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any, TypeVar

Result = TypeVar("Result")


def run_to_end(work: Coroutine[Any, Any, Result]) -> Result:
    """Run a coroutine to its end in a new event loop and return its result."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    # A loop cannot run inside another one, but beside it in a thread.
    return _run_beside(work)


def _run_beside(work: Coroutine[Any, Any, Result]) -> Result:
    stops: list[Callable[[], object]] = []

    async def stoppable() -> Result:
        task, loop = asyncio.current_task(), asyncio.get_running_loop()
        if task is not None:
            stops.append(lambda: loop.call_soon_threadsafe(task.cancel))
        return await work

    with ThreadPoolExecutor(1, "vivavoce-loop") as thread:
        try:
            return thread.submit(asyncio.run, stoppable()).result()
        except BaseException:
            # An interrupted caller must not wait for the thread all the same.
            for stop in stops:
                # The loop may have ended meanwhile.
                with suppress(RuntimeError):
                    stop()
            raise
