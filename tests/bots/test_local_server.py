"""Servers of our own are started on this machine only, wait until ready, say why they fail, and never outlive us."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import aiohttp
import pytest

from vivavoce.bots.local_server import Launch, LocalServer, plain_environment, start_child
from vivavoce.bots.protocol import BotFacts, Limits
from vivavoce.bots.serving import reply_to_json, serve_bot
from vivavoce.bots.shapes import read_reply
from vivavoce.bots.starting import start_engine
from vivavoce.errors import BotError, UsageError
from vivavoce.records import Guess, Reply, Status

ECHO = """
import json, sys, threading
from http.server import BaseHTTPRequestHandler, HTTPServer
told = sys.stdin.readline()
class Echo(BaseHTTPRequestHandler):
    def do_POST(self):
        said = self.rfile.read(int(self.headers["content-length"]))
        if self.path == "/die":
            sys.stderr.write("I was told to die\\n"); sys.stderr.flush()
            import os; os._exit(7)
        body = json.dumps({"told": json.loads(told), "said": json.loads(said)}).encode()
        if self.path == "/html": body = b"<html>"
        self.send_response(503 if self.path == "/busy" else 200); self.end_headers(); self.wfile.write(body)
    def log_message(self, *a): pass
server = HTTPServer(("127.0.0.1", 0), Echo)
threading.Thread(target=server.serve_forever, daemon=True).start()
print("a line that a library writes")
print(json.dumps({"url": f"http://127.0.0.1:{server.server_port}"}), flush=True)
sys.stdin.read()
"""


def launch(code: str, *, material: object = None, timeout_s: float = 30.0) -> Launch:
    return Launch("echo", (sys.executable, "-c", code), material, timeout_s=timeout_s)


@pytest.fixture
def echo() -> Iterator[LocalServer]:
    server = LocalServer(lambda: launch(ECHO, material={"big": "x" * 300_000}))
    yield server
    server.stop()


def test_a_server_gets_its_material_and_answers(echo: LocalServer) -> None:
    answer = asyncio.run(echo.ask("/", {"text": "Grüße"}))
    assert answer == {"told": {"big": "x" * 300_000}, "said": {"text": "Grüße"}}


def test_a_server_is_started_once_and_again_when_it_has_died(echo: LocalServer) -> None:
    first = echo.ensure_running()
    assert echo.ensure_running() is first
    with pytest.raises(BotError, match="I was told to die") as caught:
        asyncio.run(echo.ask("/die", {}))
    assert caught.value.status == Status.CLOSED
    assert asyncio.run(echo.ask("/", {}))["said"] == {}
    assert echo.ensure_running().pid != first.pid


@pytest.mark.parametrize(("path", "status"), [("/busy", Status.SERVER_ERROR), ("/html", Status.NOT_JSON)])
def test_every_way_to_fail_has_its_status(echo: LocalServer, path: str, status: Status) -> None:
    with pytest.raises(BotError) as caught:
        asyncio.run(echo.ask(path, {}))
    assert caught.value.status == status


def test_talks_that_begin_at_once_share_one_server(echo: LocalServer) -> None:
    async def reach() -> list[str]:
        return list(await asyncio.gather(*(echo.reach() for _ in range(5))))

    assert len(set(asyncio.run(reach()))) == 1


def test_a_stopped_server_is_gone_and_may_be_stopped_again(echo: LocalServer) -> None:
    child = echo.ensure_running()
    echo.stop()
    echo.stop()
    assert child.process.returncode == 0


def test_a_server_that_ends_at_once_is_quoted() -> None:
    with pytest.raises(BotError, match=r"(?s)exit code 1.*no such weights") as caught:
        start_child(launch("raise SystemExit('no such weights')"))
    assert caught.value.status == Status.UNREACHABLE


def test_a_server_that_never_gets_ready_is_given_up_and_ended() -> None:
    with pytest.raises(BotError, match=r"not ready within 0\.2 seconds"):
        start_child(launch("import time; time.sleep(600)", material="x" * 1_000_000, timeout_s=0.2))


def test_a_server_that_does_not_listen_is_ended_by_force(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vivavoce.bots.local_server.STOP_SECONDS", 0.2)
    deaf = ECHO.replace("sys.stdin.read()", "import time; time.sleep(600)")
    child = start_child(launch(deaf))
    child.stop()
    assert child.process.returncode == -signal.SIGKILL


def test_an_address_outside_this_machine_is_no_announcement() -> None:
    code = 'print(\'{"url": "http://example.org:80"}\'); print("[1]"); print("no json")'
    with pytest.raises(BotError, match="exited before it was ready"):
        start_child(launch(code))


def test_a_program_that_is_not_there_is_named() -> None:
    with pytest.raises(BotError, match="no-such-program"):
        start_child(Launch("echo", ("no-such-program",)))


def test_engines_of_others_do_not_see_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    assert "secret" not in plain_environment().values()
    assert plain_environment()["PATH"] == os.environ["PATH"]


PARENT = """
import sys
from vivavoce.bots.local_server import Launch, start_child
child = start_child(Launch("echo", (sys.executable, "-c", sys.argv[1])))
print(child.pid, flush=True)
sys.stdin.read()
"""


def test_a_server_ends_when_its_parent_is_killed() -> None:
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, ECHO], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert parent.stdout is not None
    assert parent.stdin is not None
    pid = int(parent.stdout.readline())
    assert _is_there(pid)
    parent.kill()
    parent.wait()
    for stream in (parent.stdin, parent.stdout):
        stream.close()
    for _ in range(200):
        if not _is_there(pid):
            return
        time.sleep(0.05)
    os.kill(pid, signal.SIGKILL)
    pytest.fail("the server outlived its parent")


def _is_there(pid: int) -> bool:
    """Tell whether a process runs; one that has ended but was not buried yet does not."""
    try:
        os.kill(pid, 0)
        stat = Path(f"/proc/{pid}/stat")
        return not stat.exists() or stat.read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except (ProcessLookupError, FileNotFoundError):
        return False


# --- serving any bot -----------------------------------------------------------------------------------


class Counting:
    """A bot that counts the messages of each talk, and fails when told to."""

    def __init__(self) -> None:
        self.closed: list[str] = []
        self.facts = BotFacts("counting", limits=Limits(at_once=2))

    async def open(self, session: str) -> CountingTalk:
        return CountingTalk(self, session)

    async def close(self) -> None: ...


class CountingTalk:
    def __init__(self, bot: Counting, session: str) -> None:
        self.bot, self.session, self.turns = bot, session, 0

    async def say(self, text: str) -> Reply:
        if text == "fail":
            raise BotError("it broke", status=Status.TIMEOUT)
        before = self.turns
        await asyncio.sleep(0.01)
        self.turns = before + 1
        guess = Guess("other", 0.25)
        return Reply((f"{self.turns}: {text}",), "count", 0.5, {"a": "b"}, ("yes",), fallback=False, guess=guess)

    async def close(self) -> None:
        self.bot.closed.append(self.session)


async def post(url: str, message: object, **options: object) -> tuple[int, dict[str, object]]:
    send = {"json": message} if "data" not in options else {}
    async with aiohttp.ClientSession() as client, client.post(url, **send, **options) as response:  # type: ignore[arg-type]
        return response.status, await response.json()


def test_a_served_bot_replies_as_it_would_itself() -> None:
    async def run() -> None:
        async with serve_bot(Counting()) as url:
            assert url.startswith("http://127.0.0.1:")
            status, answer = await post(f"{url}/talk", {"session": "s", "text": "Hi"})
            own = await (await Counting().open("s")).say("Hi")
            assert (status, answer) == (200, reply_to_json(own))
            assert reply_to_json(read_reply(answer)) == answer

    asyncio.run(run())


def test_sessions_are_apart_and_their_messages_in_line() -> None:
    async def run() -> None:
        bot = Counting()
        async with serve_bot(bot) as url:
            many = [post(f"{url}/talk", {"session": s, "text": "x"}) for s in "ababab"]
            said = sorted(str(answer["texts"]) for _, answer in await asyncio.gather(*many))
            assert said == sorted(f"['{n}: x']" for n in (1, 2, 3) for _ in "ab")
            assert (await post(f"{url}/end", {"session": "a"}))[0] == 200
            assert bot.closed == ["a"]
            assert (await post(f"{url}/talk", {"session": "a", "text": "x"}))[1]["texts"] == ["1: x"]
        assert sorted(bot.closed) == ["a", "a", "b"]

    asyncio.run(run())


def test_forgotten_talks_make_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vivavoce.bots.serving.MAX_CONVERSATIONS", 2)

    async def run() -> None:
        bot = Counting()
        async with serve_bot(bot) as url:
            for session in ("a", "b", "a", "c"):
                await post(f"{url}/talk", {"session": session, "text": "x"})
            assert bot.closed == ["b"]

    asyncio.run(run())


@pytest.mark.parametrize(
    ("message", "options", "status", "says"),
    [
        ({"session": "s", "text": "fail"}, {}, 502, "it broke"),
        ({"session": "s"}, {}, 400, "text"),
        (["s"], {}, 400, "session, text"),
        (None, {"data": b"{", "headers": {"content-type": "application/json"}}, 400, "not JSON"),
        (None, {"data": b'{"session": "s", "text": "t"}'}, 400, "application/json"),
        ({"session": "s", "text": "t"}, {"headers": {"Host": "evil.example:80"}}, 403, "own machine"),
    ],
)
def test_a_served_bot_says_what_is_wrong(message: object, options: dict[str, object], status: int, says: str) -> None:
    async def run() -> tuple[int, dict[str, object]]:
        async with serve_bot(Counting()) as url:
            return await post(f"{url}/talk", message, **options)

    code, answer = asyncio.run(run())
    assert code == status
    assert says in str(answer["error"])


def test_a_port_that_is_taken_is_refused() -> None:
    async def run() -> None:
        async with serve_bot(Counting()) as url:
            with pytest.raises(UsageError, match="another port"):
                async with serve_bot(Counting(), int(url.rsplit(":", 1)[1])):
                    pytest.fail("two servers on one port")

    asyncio.run(run())


# --- engines for people --------------------------------------------------------------------------------


def test_any_kind_of_bot_can_be_started_as_a_server() -> None:
    said: list[str] = []
    with start_engine("scripted:echo", say=said.append) as started:
        assert started.how_to_talk == f"http:{started.url}/talk"
        code, answer = asyncio.run(post(f"{started.url}/talk", {"session": "s", "text": "Hi"}))
        assert code == 200
        assert "Hi" in str(answer["texts"])
        assert _is_there(started.pid)
    assert not _is_there(started.pid)


def test_an_engine_that_does_not_exist_is_refused_before_anything_starts() -> None:
    with pytest.raises(UsageError, match="scripted"):
        start_engine("scriptedd")


def test_an_agent_that_cannot_be_read_is_refused_before_anything_is_installed() -> None:
    said: list[str] = []
    with pytest.raises(UsageError, match="no-such-agent"):
        start_engine("nlpjs", agent="no-such-agent", say=said.append)
    assert said == []


@pytest.mark.parametrize(("name", "said"), [("rivescript", "needs an agent"), ("scripted:nonsens", "unknown mode")])
def test_a_bot_that_cannot_be_built_is_refused_before_a_server_is_started(name: str, said: str) -> None:
    told: list[str] = []
    with pytest.raises(UsageError, match=said):
        start_engine(name, say=told.append)
    assert told == []
