"""`/healthz`: whether the process, the database and a worker are there, for those who watch over servers.

Anybody may ask, so it names no address, no version and no machine. The database is asked in a thread of its own and
not waited for longer than a probe would wait, so the answer comes even while the database is away.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import datetime
from typing import Literal

from fastapi import FastAPI, Request
from starlette.responses import JSONResponse

from vivavoce.errors import AbsentError
from vivavoce.messages import say
from vivavoce.store.database import Store
from vivavoce.store.stamps import now
from vivavoce.workspace.exams.runs import count_alive

HEALTH = "/healthz"
OK, AWAY, ABSENT, UNKNOWN = "ok", "away", "absent", "unknown"
PATIENCE_SECONDS = 2.0
# However many watch, the database is asked once in this time.
FRESH_SECONDS = 1.0
PartName = Literal["process", "database", "worker"]


class Health:
    """What this process knows about itself, its database and the workers."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="viva-health")
        self._asked: Future[int] | None = None
        self._asked_at = 0.0
        self._known: dict[PartName, tuple[str, datetime]] = {"process": (OK, now())}

    async def look(self, store: Store) -> dict[PartName, dict[str, str]]:
        """Return how all parts are."""
        workers = await self._count_workers(store)
        self._note("database", AWAY if workers is None else OK, store)
        self._note("worker", UNKNOWN if workers is None else OK if workers else ABSENT, store)
        return {name: self.describe(name) for name in self._known}

    def describe(self, name: PartName) -> dict[str, str]:
        """Return how a part was when it was last looked at, and since when this process knows it to be so."""
        status, since = self._known[name]
        return {"status": status, "since": since.isoformat(timespec="seconds")}

    async def _count_workers(self, store: Store) -> int | None:
        """Return how many workers are alive; None where the database does not answer in time."""
        query = self._asked
        if query is None or (query.done() and time.monotonic() - self._asked_at > FRESH_SECONDS):
            query = self._asked = self._thread.submit(count_alive, store)
            self._asked_at = time.monotonic()
        # Shielded, since a probe that gives up must not take the answer away from the next one.
        waiting = asyncio.shield(asyncio.wrap_future(query))
        try:
            return await asyncio.wait_for(waiting, PATIENCE_SECONDS)
        except Exception:
            return None

    def _note(self, name: PartName, status: str, store: Store) -> None:
        if name in self._known and self._known[name][0] == status:
            return
        outage = store.watch.outage
        self._known[name] = (status, outage.since if outage and status == AWAY else now())


def add_health(app: FastAPI) -> None:
    """Let the application answer `/healthz` and, for one part alone, `/healthz/database` and its like."""
    app.state.health = Health()
    app.add_api_route(HEALTH, _show_health, methods=["GET", "HEAD"], include_in_schema=False)
    app.add_api_route(f"{HEALTH}/{{part}}", _show_part, methods=["GET", "HEAD"], include_in_schema=False)


async def _show_health(request: Request) -> JSONResponse:
    parts = await request.app.state.health.look(request.app.state.store)
    healthy = all(part["status"] == OK for part in parts.values())
    # ISO times compare as texts do: the latest change is since when the whole is as it is.
    since = max(part["since"] for part in parts.values())
    return _answer({"status": OK if healthy else "degraded", "since": since, **parts})


async def _show_part(request: Request, part: str) -> JSONResponse:
    health = request.app.state.health
    if part == "process":
        return _answer(health.describe("process"))
    parts = await health.look(request.app.state.store)
    if part not in parts:
        raise AbsentError(
            say("nothing found at this address"),
            remedy=say("request {names}", names=", ".join(f"{HEALTH}/{name}" for name in parts)),
        )
    return _answer(parts[part])


def _answer(content: Mapping[str, object]) -> JSONResponse:
    return JSONResponse(content, 200 if content["status"] == OK else 503, {"Cache-Control": "no-store"})
