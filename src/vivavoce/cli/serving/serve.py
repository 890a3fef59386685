"""`viva serve`: the workspace in a browser, with the workers that do its exams."""

from __future__ import annotations

import ipaddress
import os
import socket
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from vivavoce.cli.shared.failures import tell
from vivavoce.cli.shared.material import settings_in_force
from vivavoce.cli.shared.options import OUTPUT, JsonPath, Quiet, grouped
from vivavoce.cli.shared.places import Workspace, open_or_make, place_of, starter_options
from vivavoce.cli.shared.results import check_targets, head, write_content
from vivavoce.errors import UsageError

if TYPE_CHECKING:
    from vivavoce.jobs.processes import Processes
    from vivavoce.settings import Settings
    from vivavoce.store.database import Store
    from vivavoce.web.config import WebConfig

LOOPBACK = "127.0.0.1"
PORT = 8000
NETWORK = "The network"


@dataclass(frozen=True, slots=True)
class Listening:
    """Where the server listens, and by which names it may be called."""

    host: Annotated[
        str,
        typer.Option(
            "--host", metavar="ADDRESS", help="Address to listen at; `0.0.0.0` for all.", rich_help_panel=NETWORK
        ),
    ] = LOOPBACK
    port: Annotated[
        int,
        typer.Option(
            "--port", metavar="N", min=0, max=65535, help="Port to listen at; 0: a free one.", rich_help_panel=NETWORK
        ),
    ] = PORT
    allow_host: Annotated[
        list[str] | None,
        typer.Option(
            "--allow-host",
            metavar="NAME",
            help="A name under which people reach the server. May be repeated.",
            rich_help_panel=NETWORK,
        ),
    ] = None
    behind_proxy: Annotated[
        bool,
        typer.Option(
            "--behind-proxy",
            help="Every request passes a proxy that sets `X-Forwarded-For` and `X-Forwarded-Proto`: believe them.",
            rich_help_panel=NETWORK,
        ),
    ] = False


@dataclass(frozen=True, slots=True)
class Crew:
    """Who does the exams, and how many answer the browsers."""

    workers: Annotated[
        int, typer.Option("--workers", metavar="N", min=1, max=64, help="How many workers to start.")
    ] = 1
    no_worker: Annotated[bool, typer.Option("--no-worker", help="Start none: `viva worker` runs elsewhere.")] = False
    processes: Annotated[
        int | None,
        typer.Option(
            "--processes",
            metavar="N",
            min=1,
            max=64,
            help="How many processes answer the browsers; one for each core, at most 4, where nothing is said.",
        ),
    ] = None


@dataclass(frozen=True, slots=True)
class Voice:
    """What is told, and where."""

    json_path: JsonPath = None
    quiet: Quiet = False
    open: Annotated[bool, typer.Option("--open", help="Open the page in the browser.", rich_help_panel=OUTPUT)] = (
        False
    )
    access_log: Annotated[
        str | None,
        typer.Option(
            "--access-log",
            metavar="FILE",
            help="Write a line of JSON about each request to FILE; `-`: to standard error.",
            rich_help_panel=OUTPUT,
        ),
    ] = None

    def say(self, sentence: str) -> None:
        """Tell what is being done."""
        if not self.quiet:
            tell(sentence)


@grouped
def serve(workspace: Workspace = None, *, listening: Listening, crew: Crew, voice: Voice) -> None:
    """Open the workspace to a browser, on this machine unless told otherwise, until Ctrl-C.

    A workspace is made where there is none. The first start prints a link that works once and makes the first admin.

    Exit codes: 0 stopped · 2 the call is wrong, the port is taken, or there is no admin yet for a public address ·
    3 the database cannot be reached.

    For example:

        viva serve

        viva serve --port 8080 --open

        viva serve --workspace postgresql://viva@db/viva --host 0.0.0.0 --allow-host viva.example.org
    """
    from vivavoce.cli.serving.server_processes import Task, server_processes

    check_targets({"--json": voice.json_path, "--access-log": None if voice.access_log == "-" else voice.access_log})
    count = _count(crew)
    settings = settings_in_force()
    place = place_of(workspace)
    store = open_or_make(place, voice.say)
    try:
        _check_public(store, listening.host)
        with _bound(listening) as bound, _workers(place, crew):
            config = config_of(settings, listening, access_log=voice.access_log or "")
            others = server_processes(Task(place, config, bound.fileno()), count - 1)
            _run(store, bound, config, Announcement(store, bound, listening, voice), others)
    finally:
        store.close()
    voice.say("Stopped.")


@dataclass(frozen=True)
class Announcement:
    """What is told as soon as the server listens."""

    store: Store
    bound: socket.socket
    listening: Listening
    voice: Voice

    def make(self) -> None:
        """Tell the address and, where there is no admin, the link that makes one."""
        from vivavoce.workspace.access.people import setup_link

        url = address_of(self.bound, self.listening.host)
        path = setup_link(self.store)
        link = url + path if path else None
        if self.voice.json_path:
            # Whoever reads the link becomes the admin.
            write_content(
                self.voice.json_path, {**head("serve"), "url": url, "setup_link": link}, private=link is not None
            )
        self._tell(url, link)
        if self.voice.open:
            webbrowser.open(link or url)

    def _tell(self, url: str, link: str | None) -> None:
        self.voice.say(f"vivavoce is at {url} (workspace {self.store.address}; to stop: Ctrl-C)")
        if link and self.voice.json_path != "-":
            # Without it nobody can come in, so it is told in any case; on a line of its own, to be clicked or copied.
            tell(f"There is no admin yet. Open this link within 24 hours; it works once:\n{link}")
        if not is_loopback(self.listening.host) and not self.listening.allow_host:
            self.voice.say("Other machines are refused until you name the server: --allow-host NAME")


def config_of(settings: Settings, listening: Listening, *, access_log: str = "") -> WebConfig:
    """Return how the application behaves."""
    from vivavoce.web.config import WebConfig

    own = () if listening.host in ("0.0.0.0", "::", "") else (listening.host,)  # noqa: S104 - compared, not bound
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
    """Tell whether an address is reached from this machine only."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host.lower().rstrip(".") == "localhost"


def address_of(bound: socket.socket, host: str) -> str:
    """Return the address to open in a browser."""
    everywhere = host in ("0.0.0.0", "::", "")  # noqa: S104 - compared, not bound
    name = "localhost" if everywhere else host.strip("[]")
    return f"http://{f'[{name}]' if ':' in name else name}:{bound.getsockname()[1]}"


def _check_public(store: Store, host: str) -> None:
    from vivavoce.workspace.access.people import needs_setup

    if not is_loopback(host) and needs_setup(store):
        raise UsageError(
            f"the server would listen at {host}, and there is no admin yet who could keep strangers out",
            where=store.address,
            remedy="start it with `viva serve` on this machine first, open the link it prints, then repeat this",
        )


@contextmanager
def _bound(listening: Listening) -> Iterator[socket.socket]:
    """Listen at the address, before anything is started that would have to be stopped again."""
    host = listening.host.strip("[]")
    try:
        family, kind, protocol, _, place = socket.getaddrinfo(
            host or None, listening.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        bound = socket.socket(family, kind, protocol)
    except OSError as error:
        raise _unbound(listening, error) from error
    with bound:
        if os.name == "posix":
            # A port that was used a moment ago is not taken.
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            bound.bind(place)
            bound.listen(128)
        except OSError as error:
            raise _unbound(listening, error) from error
        yield bound


def _unbound(listening: Listening, error: OSError) -> UsageError:
    return UsageError(
        f"the server cannot listen at {listening.host}, port {listening.port}: {error.strerror or error}",
        remedy="another program may use the port: choose another by --port N, or 0 for a free one; or check --host",
    )


@contextmanager
def _workers(place: str, crew: Crew) -> Iterator[None]:
    """Keep workers running as long as the server does."""
    if crew.no_worker:
        yield
        return
    from vivavoce.jobs.processes import WorkerProcesses

    processes = WorkerProcesses(place, count=crew.workers, options=starter_options())
    processes.start()
    try:
        yield
    finally:
        processes.stop()


def _count(crew: Crew) -> int:
    """Return how many processes answer; refuse several where they cannot share a port, before anything is begun."""
    from vivavoce.cli.serving.server_processes import can_share, usual_count

    if crew.processes is not None and crew.processes > 1 and not can_share():
        raise UsageError("processes cannot share a port on this system", where="--processes", remedy="leave it out")
    return crew.processes or usual_count()


def _run(
    store: Store, bound: socket.socket, config: WebConfig, announcement: Announcement, others: Processes
) -> None:
    from vivavoce.cli.serving.http_server import Server, run_server
    from vivavoce.web.app import make_app

    def ready(_: Server) -> None:
        announcement.make()
        # Only now, so that the first page does not wait for the others to get ready.
        others.start()

    try:
        run_server(make_app(store, config), bound, ready, shared=others.count > 0)
    finally:
        others.stop()
