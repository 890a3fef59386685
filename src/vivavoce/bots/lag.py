"""How late this machine is: the delay of its event loop, which would else be taken for the bot's response time."""

from __future__ import annotations

import asyncio

TICK_SECONDS = 0.02


class LoopLag:
    """Watches the event loop: a task that wants to wake up fifty times a second and notes how late it is."""

    def __init__(self) -> None:
        self._late = 0.0
        self._due = float("inf")
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to watch the running loop; nothing happens where it is watched already."""
        if self._task is None or self._task.done():
            self._task = asyncio.get_running_loop().create_task(self._watch())

    def stop(self) -> None:
        """Watch no longer. May be called more than once."""
        if self._task is not None:
            self._task.cancel()
        self._task, self._due = None, float("inf")

    def seconds(self) -> float:
        """Return by how much the loop has been late in all, up to now: two readings give the delay between them."""
        now = asyncio.get_running_loop().time()
        return self._late + max(0.0, now - self._due)

    async def _watch(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            self._due = loop.time() + TICK_SECONDS
            await asyncio.sleep(TICK_SECONDS)
            self._late += max(0.0, loop.time() - self._due)
