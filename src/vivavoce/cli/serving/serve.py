"""`viva serve`: the workspace in a browser, with the workers that do its exams."""

from __future__ import annotations

import ipaddress
import os
import socket
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from vivavoce.cli.shared.failures import tell
from vivavoce.cli.shared.material import settings_in_force
from vivavoce.cli.shared.options import OUTPUT, Output, declare, option_group
from vivavoce.cli.shared.places import Workspace, open_or_create, place_of, worker_options
from vivavoce.cli.shared.results import check_targets, head, write_content
from vivavoce.errors import UsageError

if TYPE_CHECKING:
    from vivavoce.cli.serving.http_server import Server
    from vivavoce.jobs.processes import Processes
    from vivavoce.settings import Settings
    from vivavoce.store.database import Store
    from vivavoce.web.config import WebConfig

NETWORK = "Network"
EVERY_ADDRESS = ("0.0.0.0", "::", "")  # noqa: S104 - compared, not bound


@option_group
class Listening:
    """Where the server listens, and which server names it accepts."""

    host: str = declare("ADDRESS", "Address to listen on; `0.0.0.0`: all.", NETWORK, value="127.0.0.1")
    port: int = declare("N", "Port to listen on; 0: any free port.", NETWORK, low=0, high=65535, value=8000)
    allow_host: list[str] | None = declare("NAME", "Server name that people use. May be repeated.", NETWORK)
    behind_proxy: bool = declare(
        "", "Trust the proxy's `X-Forwarded-For` and `X-Forwarded-Proto` headers.", NETWORK, value=False
    )


@option_group
class Staffing:
    """How many processes do exams and answer browsers."""

    workers: int = declare("N", "Number of workers to start.", low=1, high=64, value=1)
    no_worker: bool = declare("", "Start no worker: `viva worker` runs elsewhere.", value=False)
    processes: int | None = declare(
        "N", "Processes that answer browsers. Default: one per core, at most 4.", low=1, high=64
    )


@option_group
class ServerOutput(Output):
    """Where the address and the requests are written."""

    open: bool = declare("", "Open the page in the browser.", OUTPUT, value=False)
    access_log: str | None = declare("FILE", "Write a JSON line for each request; `-`: to standard error.", OUTPUT)


def serve(workspace: Workspace = None, *, listening: Listening, staffing: Staffing, output: ServerOutput) -> None:
    """Serve the workspace to browsers until Ctrl-C, by default on this machine only.

    Creates a workspace if there is none. The first start prints a link that works once and creates the first admin.

    Exit codes: 0 stopped · 2 invalid options, the port is taken, or a public address without an admin ·
    3 the database cannot be reached.

    For example:

        viva serve
        viva serve --port 8080 --open
        viva serve --workspace postgresql://viva@db/viva --host 0.0.0.0 --allow-host viva.example.org
    """
    from vivavoce.cli.serving import server_processes

    log = output.access_log
    check_targets({"--json": output.json_path, "--access-log": None if log == "-" else log})
    if (staffing.processes or 1) > 1 and not server_processes.can_share():
        raise UsageError("processes cannot share a port on this system", where="--processes", remedy="remove it")
    count = staffing.processes or server_processes.usual_count()
    settings = settings_in_force()
    place = place_of(workspace)
    store = open_or_create(place, output.tell)
    from vivavoce.workspace.access.people import needs_setup

    try:
        host = listening.host
        if not is_loopback(host) and needs_setup(store):
            raise UsageError(
                f"the server would listen on {host}, but there is no admin yet to control access",
                where=store.address,
                remedy="start `viva serve` on this machine first, open the link it prints, then run this command "
                "again",
            )
        with _bind(listening) as bound, _run_workers(place, staffing):
            config = config_of(settings, listening, access_log=log or "")
            others = server_processes.build_server_processes(place, config, bound, count - 1)

            def ready(_: Server) -> None:
                _announce(store, bound, listening, output)
                # Only now, so that the first page does not wait for the others to start.
                others.start()

            _run(store, config, bound, ready, others)
    finally:
        store.close()
    output.tell("Stopped.")


def _run(
    store: Store, config: WebConfig, bound: socket.socket, ready: Callable[[Server], None], others: Processes
) -> None:
    """Answer requests, with other processes beside this one, until the server stops."""
    from vivavoce.cli.serving.http_server import run_server
    from vivavoce.web.app import make_app

    try:
        run_server(make_app(store, config), bound, ready, shared=others.count > 0)
    finally:
        others.stop()


def _announce(store: Store, bound: socket.socket, listening: Listening, output: ServerOutput) -> None:
    """Print the address and, if there is no admin, the link that creates one."""
    from vivavoce.workspace.access.people import setup_link

    url = address_of(bound, listening.host)
    path = setup_link(store)
    link = url + path if path else None
    if output.json_path:
        # The reader of the link becomes the admin.
        content = {**head("serve"), "url": url, "setup_link": link}
        write_content(output.json_path, content, private=link is not None)
    output.tell(f"vivavoce is at {url} (workspace {store.address}; to stop: Ctrl-C)")
    if link and output.json_path != "-":
        # Nobody can enter without it, so it is printed in any case; on a separate line, to click or copy.
        tell(f"There is no admin yet. Open this link within 24 hours; it works once:\n{link}")
    if not is_loopback(listening.host) and not listening.allow_host:
        output.tell("Other machines are refused until you name the server: --allow-host NAME")
    if output.open:
        webbrowser.open(link or url)


def config_of(settings: Settings, listening: Listening, *, access_log: str = "") -> WebConfig:
    """Return the configuration of the application."""
    from vivavoce.web.config import WebConfig

    own = () if listening.host in EVERY_ADDRESS else (listening.host,)
    return WebConfig(
        hosts=(*own, *(listening.allow_host or ())),
        behind_proxy=listening.behind_proxy,
        private_bots=settings.private_bots == "yes",
        bot_programs=settings.bot_programs == "yes",
        bot_variables=tuple(filter(None, (name.strip() for name in settings.bot_variables.split(",")))),
        max_upload_mb=settings.max_upload_mb,
        access_log=access_log,
    )


def is_loopback(host: str) -> bool:
    """Return whether only this machine can reach an address."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host.lower().rstrip(".") == "localhost"


def address_of(bound: socket.socket, host: str) -> str:
    """Return the address to open in a browser."""
    name = "localhost" if host in EVERY_ADDRESS else host.strip("[]")
    return f"http://{f'[{name}]' if ':' in name else name}:{bound.getsockname()[1]}"


@contextmanager
def _bind(listening: Listening) -> Iterator[socket.socket]:
    """Listen at the address, before anything is started that would have to be stopped again."""
    bound: socket.socket | None = None
    try:
        family, kind, protocol, _, place = socket.getaddrinfo(
            listening.host.strip("[]") or None, listening.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        bound = socket.socket(family, kind, protocol)
        if os.name == "posix":
            # A port that was in use a moment ago is free.
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind(place)
        bound.listen(128)
    except OSError as error:
        if bound is not None:
            bound.close()
        raise UsageError(
            f"cannot listen on {listening.host}, port {listening.port}: {error.strerror or error}",
            remedy="another program may be using the port: choose another with --port N, or 0 for a free one; or "
            "check --host",
        ) from error
    with bound:
        yield bound


@contextmanager
def _run_workers(place: str, staffing: Staffing) -> Iterator[None]:
    """Keep workers running as long as the server does."""
    if staffing.no_worker:
        yield
        return
    from vivavoce.jobs.processes import WorkerProcesses

    processes = WorkerProcesses(place, count=staffing.workers, options=worker_options())
    processes.start()
    try:
        yield
    finally:
        processes.stop()
