"""Uvicorn as `viva serve` uses it: on a bound socket, silent, and stopped gracefully by a signal."""

from __future__ import annotations

import asyncio
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, cast

import uvicorn

from vivavoce.cli.serving.queueing import RequestQueue

if TYPE_CHECKING:
    from starlette.types import ASGIApp

# An open page polls every second, so there is no need to wait much longer.
GRACE_SECONDS = 5
# Of the processes that share a socket, the one with the fewest connections takes the next: each waits this long for
# every connection that it has, but never noticeably long.
HESITATION_SECONDS = 0.0005
MAX_HESITATION_SECONDS = 0.01
# Pause while the system is out of connections.
FULL_SECONDS = 0.5
SIGNALS = (signal.SIGINT, signal.SIGTERM)


def run_server(app: ASGIApp, bound: socket.socket, ready: Callable[[Server], None], *, shared: bool = False) -> None:
    """Serve until a signal comes or `stop` is called; call `ready` as soon as requests are answered.

    `shared`: other processes answer at the same socket.
    """
    config = uvicorn.Config(
        RequestQueue(app),
        # The application reads the headers of a proxy, and only if configured to trust them.
        proxy_headers=False,
        server_header=False,
        access_log=False,
        log_level="warning",
        lifespan="off",
        timeout_graceful_shutdown=GRACE_SECONDS,
    )
    kind = SharingServer if shared else Server
    kind(config, ready).run(sockets=[bound])


class Server(uvicorn.Server):
    """A server that reports when it is ready; after a signal the process lives on to stop the others."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[Server], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start to listen, then report it."""
        await super().startup(sockets)
        if not self.should_exit:
            self._ready(self)

    def stop(self) -> None:
        """Stop as soon as open requests are answered; any thread may call this."""
        self.should_exit = True

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Stop at a signal. The original raises the signal again, which would kill the remaining work."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {name: signal.signal(name, self.handle_exit) for name in SIGNALS}
        try:
            yield
        finally:
            for name, handler in before.items():
                signal.signal(name, handler)


class SharingServer(Server):
    """A server that shares its sockets with others of its kind.

    Uvicorn would take all waiting connections and leave none to the others. How a connection gets its protocol is
    no public part of uvicorn, so its version has an upper bound.
    """

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start to take connections, then report it."""
        self._taking = [asyncio.create_task(self._take(bound)) for bound in sockets or ()]
        await super().startup([])

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Take no more connections, and stop when open requests are answered."""
        for task in self._taking:
            task.cancel()
        # They must release the sockets before these are closed.
        await asyncio.gather(*self._taking, return_exceptions=True)
        await super().shutdown(sockets)

    async def _take(self, bound: socket.socket) -> None:
        bound.setblocking(False)
        loop, readable = asyncio.get_running_loop(), asyncio.Event()
        build_protocol = partial(
            cast("Callable[..., asyncio.Protocol]", self.config.http_protocol_class),
            config=self.config,
            server_state=self.server_state,
            app_state=self.lifespan.state,
        )
        while True:
            readable.clear()
            loop.add_reader(bound, readable.set)
            try:
                await readable.wait()
            finally:
                loop.remove_reader(bound)
            await asyncio.sleep(min(HESITATION_SECONDS * len(self.server_state.connections), MAX_HESITATION_SECONDS))
            try:
                connection, _ = bound.accept()
            except (BlockingIOError, InterruptedError, ConnectionAbortedError):
                continue  # another process was faster, or the visitor left
            except OSError:
                await asyncio.sleep(FULL_SECONDS)
                continue
            with suppress(OSError):
                await loop.connect_accepted_socket(build_protocol, connection)
