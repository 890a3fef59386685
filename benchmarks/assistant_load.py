"""The whole assistant under load: visitors write over HTTP while it learns, and the server is killed at the end.

    python benchmarks/assistant_load.py [--rate 200] [--seconds 60] [--processes 2] [--workspace postgresql://...]

Messages arrive at a fixed rate, whether earlier ones were answered or not, so a late answer does not slow down those
behind it; times count from when a message was due. No two messages are equal: each has a slip of its own. In the
middle of the second half a worker learns new examples and servers swap the classifier. After the load the server is
killed with -9 while visitors still write, and every message that was acknowledged must be in the database.

The limit is what cannot be avoided: a bare server that commits one row for each message, and the sentence encoder.
"""

from __future__ import annotations

import argparse
import asyncio
import csv
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import aiohttp

from vivavoce.assistant.material import COMPANIES, FOLDER
from vivavoce.assistant.understanding import encode
from vivavoce.store.database import Store
from vivavoce.store.migrating import create_store
from vivavoce.store.rows import Project
from vivavoce.workspace.access.actors import PRODUCT
from vivavoce.workspace.assistant import tasks
from vivavoce.workspace.projects.demo_assistant import bring_company
from vivavoce.workspace.projects.projects import create_project
from vivavoce.workspace.topics.examples import add_examples

# A visitor may write 20 messages a minute and an address 300: neither limit is switched off.
VISITORS, ADDRESSES = 900, 150
PATIENCE_S = 120.0
# What a server answers that has not trained its assistant yet: send the message again.
STARTING = 202
LESSON = ("is there a gym in the building", "can i use the gym", "do you have a fitness room", "gym for staff?")
ENDINGS = ("", "?", " please", " thanks", "!!", " pls")


@dataclass
class Load:
    """What came of the messages: seconds until each answer, acknowledged ids, failures, how often to wait."""

    seconds: list[float] = field(default_factory=list)
    acknowledged: set[str] = field(default_factory=set)
    failures: list[str] = field(default_factory=list)
    waits: int = 0


def read_messages() -> list[str]:
    """Return what visitors of the demo company wrote."""
    with (FOLDER / COMPANIES["demo"] / "visitors.csv").open(encoding="utf-8", newline="") as file:
        return [row["text"] for row in csv.DictReader(file)]


def slip(text: str, draw: Random) -> str:
    """Return a message with two letters swapped and an ending, as nobody else writes it."""
    place = draw.randrange(max(1, len(text) - 1))
    return text[:place] + text[place : place + 2][::-1] + text[place + 2 :] + draw.choice(ENDINGS)


class Server:
    """`viva serve` with its worker, as a process of its own."""

    def __init__(self, workspace: str, folder: Path, processes: int) -> None:
        where = folder / "where.json"
        words = ["--port", "0", "--workspace", workspace, "--processes", str(processes), "--json", str(where)]
        with (folder / "server.log").open("wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "vivavoce.cli", "serve", *words, "--quiet"],
                stderr=log,
                env={**os.environ, "OMP_NUM_THREADS": "1"},
            )
        while not where.is_file():
            time.sleep(0.1)
            if self.process.poll() is not None:
                sys.exit((folder / "server.log").read_text(encoding="utf-8"))
        self.url = json.loads(where.read_text(encoding="utf-8"))["url"].rstrip("/")

    def kill(self) -> None:
        """End the server and all that it started as a loss of power would."""
        for pid in (self.process.pid, *descendants(self.process.pid)):
            os.kill(pid, signal.SIGKILL)
        self.process.wait()

    def processor_seconds(self) -> float:
        """Return the processor time of what answers visitors: not of the worker, and not of what it trains."""
        pids = [self.process.pid, *descendants(self.process.pid)]
        return sum(spent(pid) for pid in pids if not is_worker(pid))


def descendants(pid: int) -> list[int]:
    """Return the processes that a process started, with those that they started."""
    lists = (path.read_text(encoding="ascii") for path in Path(f"/proc/{pid}/task").glob("*/children"))
    return [each for child in map(int, " ".join(lists).split()) for each in (child, *descendants(child))]


def is_worker(pid: int) -> bool:
    """Tell whether a process is a worker or something that one started."""
    command = Path(f"/proc/{pid}/cmdline").read_bytes()
    return b"worker_main" in command or b"tending" in command or b"multiprocessing" in command


def spent(pid: int) -> float:
    """Return the processor time of a process until now, in seconds."""
    values = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(values[11]) + int(values[12])) / os.sysconf("SC_CLK_TCK")


async def press(
    send: Callable[[int], Awaitable[None]], rate: float, seconds: float, at_middle: Callable[[], None] | None = None
) -> None:
    """Send messages at a rate, whether earlier ones were answered or not."""
    begin, pending = time.perf_counter(), set()
    total = int(rate * seconds)
    for number in range(total):
        await asyncio.sleep(max(0.0, begin + number / rate - time.perf_counter()))
        if at_middle is not None and number == total // 2:
            await asyncio.to_thread(at_middle)
        task = asyncio.ensure_future(send(number))
        pending.add(task)
        task.add_done_callback(pending.discard)
    await asyncio.wait(pending or {asyncio.ensure_future(asyncio.sleep(0))}, timeout=PATIENCE_S)


class Visitors:
    """The chats of many visitors, from many addresses."""

    def __init__(self, url: str) -> None:
        self._url, self._draw, self._texts = url, Random(7), read_messages()
        self._sessions: list[aiohttp.ClientSession] = []
        self._keys: list[str] = []

    async def __aenter__(self) -> Visitors:
        for number in range(ADDRESSES):
            connector = aiohttp.TCPConnector(local_addr=(f"127.0.1.{1 + number}", 0))
            timeout = aiohttp.ClientTimeout(total=PATIENCE_S)
            self._sessions.append(aiohttp.ClientSession(connector=connector, timeout=timeout))
        return self

    async def __aexit__(self, *_error: object) -> None:
        for session in self._sessions:
            await session.close()

    async def ask(self, part: str, visitor: int, **body: str) -> tuple[int, Any]:
        """Return the status and the JSON of an answer."""
        async with self._sessions[visitor % ADDRESSES].post(f"{self._url}/{part}", json=body) as answer:
            return answer.status, await answer.json()

    async def open_chats(self) -> None:
        """Open all chats; print how long the first visitor waits for an answer."""
        begin = time.perf_counter()
        key = (await self.ask("open", 0))[1]["key"]
        tries = 0
        while (await self.ask("messages", 0, key=key, id="first", text="what do you pay"))[0] == STARTING:
            tries += 1
            await asyncio.sleep(1)
        print(f"first answer of a new server after {time.perf_counter() - begin:.1f} s, asked to wait {tries} times")
        self._keys = [(await self.ask("open", visitor))[1]["key"] for visitor in range(VISITORS)]

    async def write(self, load: Load, number: int, kind: str) -> None:
        """Send a message that nobody has sent before."""
        visitor, due, name = number % VISITORS, time.perf_counter(), f"{kind}-{number}"
        text = slip(self._texts[number % len(self._texts)], self._draw)
        try:
            status, answer = await self.ask("messages", visitor, key=self._keys[visitor], id=name, text=text)
            while status == STARTING:
                load.waits += 1
                await asyncio.sleep(1)
                status, answer = await self.ask("messages", visitor, key=self._keys[visitor], id=name, text=text)
        except (aiohttp.ClientError, TimeoutError) as error:
            load.failures.append(type(error).__name__)
            return
        load.seconds.append(time.perf_counter() - due)
        if status == 200:
            load.acknowledged.add(name)
        else:
            load.failures.append(f"{status} {answer}")


async def run_load(server: Server, options: argparse.Namespace, store: Store, project: Project) -> None:
    """Load the server, print what came of it, and kill it under load."""
    async with Visitors(f"{server.url}/chat/{project.slug}") as visitors:
        await visitors.open_chats()
        warm, last, acknowledged = Load(), Load(), set[str]()

        def learn() -> None:
            with store.reading() as tx:
                topic = tx.topics.of_project(project.id)[0]
            add_examples(store, PRODUCT, project, LESSON, topic_id=topic.id)
            tasks.ask_for(store, PRODUCT, project, "learn")

        # Every process loads what it needs.
        await press(lambda n: visitors.write(warm, n, "warm"), options.rate / 4, 15)
        for name, act in (("the assistant", None), ("the same while it learns", learn)):
            half, before = Load(), server.processor_seconds()
            await press(lambda n: visitors.write(half, n, name), options.rate, options.seconds / 2, act)  # noqa: B023
            report(name, half, server.processor_seconds() - before)
            acknowledged |= half.acknowledged
        lesson = tasks.list_tasks(store, project, "learn")[0].task
        print(f"  learned: {lesson.state}, {lesson.outcome or 'not finished yet'}")
        asyncio.get_running_loop().call_later(3.0, server.kill)
        await press(lambda n: visitors.write(last, n, "last"), options.rate / 4, 6)
    with store.reading() as tx:
        rows = (row for talk in tx.talks.page(project.id, 1_000_000, 0) for row in tx.messages.of_talk(talk.id))
        stored = {row.key for row in rows}
    acknowledged |= last.acknowledged
    print(f"  killed with -9: {len(acknowledged)} acknowledged, {len(acknowledged - stored)} of them lost")


def report(name: str, load: Load, used: float) -> float:
    """Print times and processor time; return the milliseconds of processor time a message."""
    done = sorted(load.seconds)
    cost = 1000 * used / max(1, len(done))
    cuts = {share: 1000 * done[min(len(done) - 1, int(share * len(done)))] for share in (0.5, 0.95, 0.99)}
    print(f"{name}: {len(done)} answers, {len(load.failures)} failed, {load.waits} told to wait")
    if load.failures:
        print(f"  {sorted(set(load.failures))[:3]}")
    print(f"  ms until the answer: {', '.join(f'{share:.0%} {value:.0f}' for share, value in cuts.items())}")
    print(f"  processor ms a message: {cost:.2f}")
    return cost


BARE = """
import asyncio, sqlite3, sys
import uvicorn
db = sqlite3.connect(sys.argv[1], isolation_level=None, check_same_thread=False)
for line in ("journal_mode = WAL", "synchronous = NORMAL"):
    db.execute("PRAGMA " + line)
db.execute("CREATE TABLE IF NOT EXISTS messages (id INTEGER PRIMARY KEY, body BLOB)")
async def app(scope, receive, send):
    if scope["type"] != "http":
        return
    body = (await receive())["body"]
    db.execute("INSERT INTO messages (body) VALUES (?)", (body,))
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"application/json")]})
    await send({"type": "http.response.body", "body": b'{"texts": ["All about it."]}'})
uvicorn.run(app, port=int(sys.argv[2]), log_level="error", access_log=False, lifespan="off")
"""


async def measure_bare(folder: Path, rate: float, seconds: float) -> None:
    """Load a bare server that commits a row for each message, and time the sentence encoder."""
    port = 20_000 + os.getpid() % 20_000
    process = subprocess.Popen([sys.executable, "-c", BARE, str(folder / "bare.db"), str(port)])
    load = Load()
    async with aiohttp.ClientSession() as session:

        async def write(number: int) -> None:
            due = time.perf_counter()
            async with session.post(f"http://127.0.0.1:{port}/", json={"text": "x" * 40}) as answer:
                await answer.read()
            load.seconds.append(time.perf_counter() - due)

        while True:
            try:
                await write(0)
                break
            except aiohttp.ClientError:
                await asyncio.sleep(0.1)
        load.seconds.clear()
        before = spent(process.pid)
        await press(write, rate, seconds)
        report("a bare server with a commit", load, spent(process.pid) - before)
    process.kill()
    process.wait()


def measure_encoder() -> None:
    """Print the processor time of the sentence vector of a message."""
    texts = [f"{text} {number}" for number, text in enumerate(read_messages())]
    for text in texts[:30]:
        encode("en", text)
    begin = time.process_time()
    for text in texts[30:]:
        encode("en", text)
    cost = 1000 * (time.process_time() - begin) / (len(texts) - 30)
    print(f"the sentence encoder and the counts of words: {cost:.2f} ms")


def main(arguments: Sequence[str] | None = None) -> None:
    """Build a workspace with the demo company, load it and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rate", type=float, default=200)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--workspace", help="address of an empty database; default: a new file")
    options = parser.parse_args(arguments)
    print(f"load of the machine before: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        address = options.workspace or str(folder / "workspace.db")
        store = create_store(address)
        project = create_project(store, PRODUCT, "Load", slug="load", language="en")
        bring_company(store, PRODUCT, project)
        server = Server(address, folder, options.processes)
        try:
            asyncio.run(run_load(server, options, store, project))
        finally:
            if server.process.poll() is None:
                server.kill()
            store.close()
        asyncio.run(measure_bare(folder, options.rate, min(20, options.seconds)))
    measure_encoder()
    print(f"load of the machine after: {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
