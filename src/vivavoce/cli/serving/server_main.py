"""One more process that answers at the socket of `viva serve`: `python -m vivavoce.cli.serving.server_main`.

What it needs comes as one line of JSON on its standard input: no password is seen in the list of processes. It ends
as soon as that is closed, however the process that started it ended.
"""

from __future__ import annotations

import os
import socket
import sys
import threading
from typing import TYPE_CHECKING

from vivavoce.cli.serving.server_processes import LEAVE, task_from_line

if TYPE_CHECKING:
    from vivavoce.cli.serving.http_server import Server


def main() -> None:
    """Answer until told to leave."""
    task = task_from_line(sys.stdin.buffer.readline())
    begun: list[Server] = []
    threading.Thread(target=_leave_with_parent, args=(begun,), daemon=True).start()
    from vivavoce.cli.serving.http_server import run_server
    from vivavoce.store.database import open_store
    from vivavoce.web.app import make_app

    store = open_store(task.place)
    with socket.socket(fileno=task.socket) as bound:
        run_server(make_app(store, task.config), bound, begun.append, shared=True)
    store.close()


def _leave_with_parent(begun: list[Server]) -> None:
    told = sys.stdin.buffer.readline()
    if told != LEAVE or not begun:
        # The other process died and the next one needs the port at once, or nothing was asked here yet.
        os._exit(0)
    begun[0].stop()


if __name__ == "__main__":
    main()
