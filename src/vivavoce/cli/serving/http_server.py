"""Uvicorn as `viva serve` uses it: on a socket that is bound already, silent, and ended by a signal in peace."""

from __future__ import annotations

import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import uvicorn

from vivavoce.cli.serving.queueing import FewAtATime

if TYPE_CHECKING:
    from starlette.types import ASGIApp

# A page that is open polls every second: nobody is worth waiting for much longer.
GRACE_SECONDS = 5
# So many connections wait in the system until a process takes them.
BACKLOG = 2048
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
        # As many are taken at once, where they wait: of several processes none must take them all.
        backlog=1 if shared else BACKLOG,
    )
    Server(config, ready).run(sockets=[bound])


class Server(uvicorn.Server):
    """A server that says when it is ready; after a signal the process lives on, so that others can end, too."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[Server], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to listen, then say so."""
        await super().startup(sockets)
        for bound in sockets or ():
            bound.listen(BACKLOG)
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
