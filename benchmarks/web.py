"""How much every page of the web application costs with a large workspace, and how it feels with 20 people.

    python benchmarks/web.py [--small] [--workspace FILE]

The workspace is made by the product itself (12,000 examples of 200 topics, 10,000 conversations with 60,000 turns
held by two local bots), which takes minutes; `--workspace` keeps it for the next time. Pages are found as a reader
finds them: by following links, one page for each route. Figures: processor time of the server for one page (median);
how long 20 readers wait who each ask for a page a second, and 20 who ask again at once; the weight of a page as it is
sent; the time until a page with charts can be used in Chromium, beside a page without any.
"""

from __future__ import annotations

import argparse
import gzip
import random
import re
import shutil
import socket
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import timedelta
from html import unescape
from http.client import HTTPConnection
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from rich.console import Console
from rich.table import Table
from starlette.testclient import TestClient
from web_workspace import Scale, build, count

from vivavoce.store.database import Store, open_store
from vivavoce.store.rows import Project, Role
from vivavoce.store.stamps import now
from vivavoce.web import pages
from vivavoce.web.app import make_app, routers
from vivavoce.web.security.cookies import session_cookie
from vivavoce.workspace.access.secrets import new_secret

CPU_BAR, WAIT_BAR, WEIGHT_BAR, CHART_BAR = 100.0, 250.0, 60.0, 1.5
ROUNDS, CLIENTS, SECONDS = 7, 20, 15.0
HOST = "127.0.0.1"
_LINK = re.compile(r'href="(/[^"#]*)"')
_FILE = re.compile(r"\.(csv|xlsx|json|html|svg|xml|yaml|zip)(\?|$)")


def enter(store: Store) -> dict[str, str]:
    """Sign a person in and return the header that says so."""
    secret = new_secret()
    with store.writing() as tx:
        person = tx.users.by_login("bench@example.org") or tx.users.add("bench@example.org", "Bench", Role.ADMIN)
        tx.sessions.open(person.id, secret.digest, "benchmark", now() + timedelta(days=1))
    return {"cookie": session_cookie(secret.text, secure=False).split(";")[0]}


# --- which pages there are ---------------------------------------------------------------------------------------


def patterns() -> list[tuple[re.Pattern[str], str]]:
    """Return how every route for reading is recognised."""
    routes = [route for router in routers(pages) for route in router.routes if "GET" in getattr(route, "methods", ())]
    return [(route.path_regex, route.path) for route in routes]  # type: ignore[attr-defined]


def crawl(client: TestClient, project: Project) -> dict[str, str]:
    """Follow links and return one address for each route that shows a page."""
    known, found, queue = patterns(), {}, [f"/p/{project.slug}", "/projects", "/account"]
    while queue:
        address = queue.pop(0)
        route = next((path for regex, path in known if regex.match(address.partition("?")[0])), None)
        if route is None or route in found or _FILE.search(address):
            continue
        answer = client.get(address)
        if answer.status_code != 200 or "text/html" not in answer.headers.get("content-type", ""):
            continue
        found[route] = address
        queue += [unescape(link) for link in _LINK.findall(answer.text)]
    return found


# --- measuring ---------------------------------------------------------------------------------------------------


def cpu(client: TestClient, address: str) -> tuple[float, float]:
    """Return processor milliseconds for a page (median, the first time left out) and its weight in KB as sent."""
    answer = client.get(address)
    took = []
    for _ in range(ROUNDS):
        start = time.process_time()
        client.get(address)
        took.append(1000 * (time.process_time() - start))
    return statistics.median(took), len(gzip.compress(answer.content, 5)) / 1024


@contextmanager
def server(path: Path) -> Iterator[int]:
    """Run the real server as it is usually started, without a worker."""
    with socket.socket() as free:
        free.bind((HOST, 0))
        port = free.getsockname()[1]
    words = ["-m", "vivavoce.cli", "serve", "--workspace", str(path), "--port", str(port), "--no-worker", "--quiet"]
    process = subprocess.Popen([sys.executable, *words])
    try:
        _await(port)
        yield port
    finally:
        process.terminate()
        process.wait(20)


def _await(port: int) -> None:
    for _ in range(300):
        with socket.socket() as probe:
            if probe.connect_ex((HOST, port)) == 0:
                return
        time.sleep(0.1)
    raise SystemExit("the server did not start")


def ask_all(port: int, headers: Mapping[str, str], addresses: Sequence[str], pause: float) -> list[float]:
    """Let 20 readers ask for pages at random for a while; return the milliseconds that each page took."""
    waits: list[float] = []
    end = time.monotonic() + SECONDS

    def read(seed: int) -> None:
        draw, connection = random.Random(seed), HTTPConnection(HOST, port, timeout=60)
        time.sleep(draw.random() * pause)
        while time.monotonic() < end:
            start = time.perf_counter()
            connection.request("GET", draw.choice(addresses), headers=dict(headers))
            connection.getresponse().read()
            took = time.perf_counter() - start
            waits.append(1000 * took)
            time.sleep(max(0.0, pause - took))

    threads = [threading.Thread(target=read, args=(seed,)) for seed in range(CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return waits


def usable(port: int, headers: Mapping[str, str], plain: str, charts: str) -> tuple[float, float, float]:
    """Return the milliseconds until a plain page and a page with charts can be read, and until a chart is live."""
    from playwright.sync_api import sync_playwright

    name, _, value = headers["cookie"].partition("=")
    place = f"http://{HOST}:{port}"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"),
            args=["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"],
        )
        context = browser.new_context()
        context.add_cookies([{"name": name, "value": value, "url": place}])
        times = [_timed(context, place + address, wait) for address, wait in _waits(plain, charts)]
        browser.close()
    return times[0], times[1], times[2]


def _waits(plain: str, charts: str) -> list[tuple[str, Callable[[Any], None]]]:
    def head(page: Any) -> None:
        page.locator("main h1").wait_for()

    def picture(page: Any) -> None:
        head(page)
        page.locator("main figure svg").first.wait_for()

    def live(page: Any) -> None:
        page.locator("figure[data-chart]").first.scroll_into_view_if_needed()
        page.locator("figure[data-live]").first.wait_for()

    return [(plain, head), (charts, picture), (charts, live)]


def _timed(context: Any, address: str, wait: Callable[[Any], None]) -> float:
    took = []
    for _ in range(5):
        page = context.new_page()
        start = time.perf_counter()
        page.goto(address, wait_until="domcontentloaded")
        wait(page)
        took.append(1000 * (time.perf_counter() - start))
        page.close()
    return statistics.median(took)


# --- telling -----------------------------------------------------------------------------------------------------


def show_pages(console: Console, rows: Sequence[tuple[str, float, float]]) -> None:
    """Print what every page costs, the dearest first."""
    table = Table("Page", "CPU ms", f"of {CPU_BAR:g}", "KB", f"of {WEIGHT_BAR:g}", title="One page, one reader")
    for route, spent, weight in sorted(rows, key=lambda row: -row[1]):
        cells = (f"{spent:.1f}", f"{spent / CPU_BAR:.2f}", f"{weight:.1f}", f"{weight / WEIGHT_BAR:.2f}")
        table.add_row(route, *cells)
    console.print(table)
    costs = [row[1] for row in rows]
    console.print(f"{len(rows)} pages; median {statistics.median(costs):.1f} ms, dearest {max(costs):.1f} ms")


def show_waits(console: Console, told: str, waits: Sequence[float]) -> None:
    """Print how long readers wait."""
    ordered = sorted(waits)
    p95 = ordered[int(0.95 * (len(ordered) - 1))]
    line = f"{len(waits) / SECONDS:.0f} pages a second, median {statistics.median(waits):.0f} ms, p95 {p95:.0f} ms"
    console.print(f"20 readers, {told}: {line} ({p95 / WAIT_BAR:.2f} of {WAIT_BAR:g})")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--small", action="store_true", help="a tenth of the size, to try the benchmark itself")
    parser.add_argument("--workspace", type=Path, help="keep the workspace here, or use the one that is here")
    options = parser.parse_args()
    with TemporaryDirectory() as folder:
        path = options.workspace or Path(folder) / "workspace.db"
        measure(path, Scale(20, 60, 10) if options.small else Scale())


def measure(path: Path, scale: Scale) -> None:
    """Fill the workspace where it is missing, and measure."""
    console = Console(width=120)
    if not path.exists():
        start = time.perf_counter()
        build(path, scale)[0].close()
        console.print(f"The workspace was made in {time.perf_counter() - start:.0f} s")
    store = open_store(path)
    with store.reading() as tx:
        project = tx.projects.all()[0]
    console.print("There are", ", ".join(f"{n:,} {what}" for what, n in count(store, project).items()))
    headers = enter(store)
    with TestClient(make_app(store), f"http://{HOST}", headers=headers, follow_redirects=False) as client:
        found = crawl(client, project)
        rows = [(route, *cpu(client, address)) for route, address in found.items()]
        charts = next(address for route, address in found.items() if route.endswith("/intents/{number:int}/curve"))
    show_pages(console, rows)
    store.close()
    with server(path) as port:
        # What a process does once (templates, suites, findings of a run) is not what a reader waits for; the second
        # time all of its processes take part.
        for _ in range(2):
            ask_all(port, headers, list(found.values()), 0.0)
        for told, pause in (("each asking for a page a second", 1.0), ("each asking again at once", 0.0)):
            show_waits(console, told, ask_all(port, headers, list(found.values()), pause))
        plain, drawn, live = usable(port, headers, f"/p/{project.slug}/topics", charts)
    told = f"a page with charts is usable after {drawn:.0f} ms, a plain one after {plain:.0f} ms"
    console.print(
        f"In Chromium {told} ({drawn / plain:.2f}, bar {CHART_BAR:g}); its first chart is live after {live:.0f} ms"
    )


if __name__ == "__main__":
    main()
