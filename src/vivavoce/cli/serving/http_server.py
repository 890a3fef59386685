"""Uvicorn as `viva serve` uses it: on a socket that is bound already, silent, and ended by a signal in peace."""

from __future__ import annotations

import asyncio
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

import uvicorn

from vivavoce.cli.serving.queueing import FewAtATime

if TYPE_CHECKING:
    from starlette.types import ASGIApp

# A page that is open polls every second: nobody is worth waiting for much longer.
GRACE_SECONDS = 5
# Between processes that share a socket, whoever has fewer connections takes the next: the others hesitate, by so much
# for each connection that they have, and never longer than anybody would notice.
HESITATION_SECONDS = 0.0005
MAX_HESITATION_SECONDS = 0.01
# As long nothing is taken when the system has no place for a further connection.
FULL_SECONDS = 0.5
SIGNALS = (signal.SIGINT, signal.SIGTERM)


def run_server(app: ASGIApp, bound: socket.socket, ready: Callable[[Server], None], *, shared: bool = False) -> None:
    """Serve until a signal comes or `stop` is called; `ready` is called as soon as requests are answered.

    `shared`: other processes answer at the same socket.
    """
    config = uvicorn.Config(
        FewAtATime(app),
        # Headers of a proxy are read by the application itself, and only where it was told to believe them.
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
    """A server that says when it is ready; after a signal the process lives on, so that others can end, too."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[Server], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to listen, then say so."""
        await super().startup(sockets)
        if not self.should_exit:
            self._ready(self)

    def stop(self) -> None:
        """End as soon as what was asked is answered; another thread may call this."""
        self.should_exit = True

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """End at a signal. The original sends the signal to itself again, which would kill what is left to do."""
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
    """A server that shares its sockets, and so the connections, with others of its kind.

    Uvicorn's own would take all connections that wait, and leave the others with nothing to do. How a connection is
    handed to its protocol (`_protocol`) is no public part of uvicorn, so its version has an upper bound.
    """

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to take connections, then say so."""
        self._taking = [asyncio.create_task(self._take(bound)) for bound in sockets or ()]
        await super().startup([])

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Take no further connection, and end when what was asked is answered."""
        for task in self._taking:
            task.cancel()
        # They let go of the sockets before these are closed.
        await asyncio.gather(*self._taking, return_exceptions=True)
        await super().shutdown(sockets)

    async def _take(self, bound: socket.socket) -> None:
        bound.setblocking(False)
        loop, readable = asyncio.get_running_loop(), asyncio.Event()
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
                await loop.connect_accepted_socket(self._protocol, connection)

    def _protocol(self) -> asyncio.Protocol:
        return self.config.http_protocol_class(  # type: ignore[call-arg]
            config=self.config, server_state=self.server_state, app_state=self.lifespan.state
        )
