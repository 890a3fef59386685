"""The store beside the loop: one thread queries it, so that a slow database disturbs no conversation."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from vivavoce.errors import StoreError
from vivavoce.retries import retry
from vivavoce.store.database import Store
from vivavoce.store.transaction import Transaction

T = TypeVar("T")
# A database that restarts is gone for a few seconds: the pauses before each retry.
PAUSES = (0.1, 0.5, 1.0, 3.0, 5.0)


class StoreThread:
    """Queries the store, one call after the other, in a separate thread."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="viva-store")

    async def read(self, ask: Callable[[Transaction], T]) -> T:
        """Look something up."""
        return await asyncio.wrap_future(self._thread.submit(self._query, ask, False))

    async def write(self, do: Callable[[Transaction], T]) -> T:
        """Change something: all of it, or nothing, even if nobody waits for it any more."""
        return await asyncio.shield(asyncio.wrap_future(self._thread.submit(self._query, do, True)))

    def close(self) -> None:
        """Wait for the last query."""
        self._thread.shutdown(wait=True)

    def _query(self, ask: Callable[[Transaction], T], writing: bool) -> T:
        def once() -> T:
            with self.store.writing() if writing else self.store.reading() as tx:
                return ask(tx)

        return retry(once, PAUSES, on=StoreError)
