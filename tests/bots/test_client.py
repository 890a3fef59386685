"""The HTTP client reads what servers really send, and keeps only connections that can be used again."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest
from yarl import URL

from vivavoce.bots.client import BotClient, BotSession, find_proxy, to_url
from vivavoce.bots.guard import Request, public_only
from vivavoce.bots.redaction import Redactor
from vivavoce.errors import BotError
from vivavoce.records import Status

Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
BODY = b'{"reply": "hello"}'
REPLY = {"reply": "hello"}


def ok(*headers: bytes) -> bytes:
    return b"\r\n".join([b"HTTP/1.1 200 OK", *headers]) + b"\r\n\r\n"


LAST = ok(b"Connection: close", b"Content-Length: %d" % len(BODY)) + BODY


async def read_request(reader: asyncio.StreamReader) -> bytes:
    head = await reader.readuntil(b"\r\n\r\n")
    length = next((int(line[15:]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")), 0)
    return head + await reader.readexactly(length)


@asynccontextmanager
async def serving(serve: Serve) -> AsyncIterator[int]:
    """Serve connections on a port of this machine; whoever leaves early is no failure."""

    async def patiently(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await serve(reader, writer)
            await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(patiently, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()


@asynccontextmanager
async def session() -> AsyncIterator[BotSession]:
    client = BotClient()
    try:
        yield client.begin(Redactor(), where="bot")
    finally:
        await client.close()


def answered(*pieces: bytes, times: int = 1, hang: bool = False) -> tuple[list[object], int]:
    """Return the answers to so many requests, and how many connections they took."""
    connected = 0

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal connected
        connected += 1
        while True:
            await read_request(reader)
            for piece in pieces:
                writer.write(piece)
                await writer.drain()
                await asyncio.sleep(0.001)
            if b"content-length" not in pieces[0].lower() and b"chunked" not in pieces[0].lower() and not hang:
                break

    async def run() -> list[object]:
        async with serving(serve) as port, session() as requests:
            request = Request("POST", f"http://127.0.0.1:{port}/talk?x=1", {"A": "b"}, b"{}")
            return [await requests.fetch(request) for _ in range(times)]

    return asyncio.run(run()), connected


def failed(*pieces: bytes, hang: bool = False) -> BotError:
    with pytest.raises(BotError) as caught:
        answered(*pieces, hang=hang)
    return caught.value


def fetch(url: str, headers: dict[str, str] | None = None) -> object:
    async def run() -> object:
        async with session() as requests:
            return await requests.fetch(Request("POST", url, headers or {}, b"{}"))

    return asyncio.run(run())


def test_a_connection_is_used_again() -> None:
    answers, connections = answered(ok(b"Content-Length: %d" % len(BODY)), BODY, times=5)
    assert answers == [REPLY] * 5
    assert connections == 1


def test_a_body_in_chunks_and_in_tiny_pieces_is_put_together() -> None:
    whole = ok(b"Transfer-Encoding: chunked") + b"5\r\n" + BODY[:5] + b"\r\n%x\r\n" % len(BODY[5:]) + BODY[5:]
    whole += b"\r\n0\r\n\r\n"
    [answer], _ = answered(whole[:40], whole[40:50], whole[50:])
    assert answer == REPLY


def test_without_a_length_the_end_of_the_connection_is_the_end_of_the_body() -> None:
    answers, connections = answered(ok(b"Content-Type: application/json"), BODY, times=2)
    assert answers == [REPLY] * 2
    assert connections == 2


def test_a_server_that_closes_after_each_answer_gets_a_new_connection() -> None:
    _, connections = answered(LAST, times=3)
    assert connections == 3


def test_an_interim_answer_is_passed_over() -> None:
    [answer], _ = answered(b"HTTP/1.1 100 Continue\r\n\r\n" + ok(b"Content-Length: %d" % len(BODY)), BODY)
    assert answer == REPLY


def test_compression_is_undone() -> None:
    packed = gzip.compress(BODY)
    [answer], _ = answered(ok(b"Content-Encoding: gzip", b"Content-Length: %d" % len(packed)), packed)
    assert answer == REPLY


def test_a_small_packet_that_unpacks_to_much_is_cut() -> None:
    packed = gzip.compress(b"0" * 100_000_000)
    error = failed(ok(b"Content-Encoding: gzip", b"Content-Length: %d" % len(packed)), packed)
    assert error.status is Status.TOO_LARGE


def test_a_packet_that_cannot_be_unpacked_says_so() -> None:
    error = failed(ok(b"Content-Encoding: gzip", b"Content-Length: 4"), b"oops")
    assert (error.status, "compressed as gzip" in error.what) == (Status.BAD_ENCODING, True)


def test_no_more_is_read_than_allowed() -> None:
    error = failed(ok(b"Content-Length: 5000000"), b"x" * 2_500_000, hang=True)
    assert error.status is Status.TOO_LARGE


def test_the_code_of_an_error_and_when_to_come_back_are_read() -> None:
    error = failed(b"HTTP/1.1 429 Slow down\r\nRetry-After: 7\r\nContent-Length: 0\r\n\r\n")
    assert (error.status, error.retry_after) == (Status.RATE_LIMITED, 7.0)


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"I am no web server\r\n\r\n", Status.NOT_JSON),
        (ok(b"Connection: close", b"Content-Length: 100") + b"half", Status.CLOSED),
    ],
)
def test_what_is_no_whole_answer_says_why(sent: bytes, status: Status) -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_request(reader)
        writer.write(sent)

    async def run() -> None:
        async with serving(serve) as port, session() as requests:
            await requests.fetch(Request("POST", f"http://127.0.0.1:{port}/", {}, b"{}"))

    with pytest.raises(BotError) as caught:
        asyncio.run(run())
    assert caught.value.status is status


@pytest.mark.parametrize(
    "flood",
    [
        pytest.param([b"HTTP/1.1 200 OK\r\n", *[b"X-Pad: " + b"a" * 1000 + b"\r\n"] * 200], id="many headers"),
        pytest.param([b"HTTP/1.1 200 OK\r\nX-Pad: ", *[b"a" * 1000] * 200], id="one header without end"),
        pytest.param([ok(*[b"X-Pad: " + b"a" * 1000] * 70, b"Content-Length: 2"), b"{}"], id="long headers"),
        pytest.param(
            [ok(b"Transfer-Encoding: chunked") + b"2\r\n{}\r\n0\r\n", *[b"X: " + b"a" * 1000 + b"\r\n"] * 200],
            id="trailers without end",
        ),
    ],
)
def test_headers_without_end_are_cut_off(flood: list[bytes]) -> None:
    error = failed(*flood, hang=True)
    assert error.status is Status.TOO_LARGE
    assert "headers are longer than 64 KB" in error.what


def test_interim_answers_without_end_are_cut_off_by_the_time_limit() -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_request(reader)
        while True:
            writer.write(b"HTTP/1.1 100 Continue\r\n\r\n" * 40)
            await writer.drain()

    async def run() -> None:
        async with serving(serve) as port, session() as requests, asyncio.timeout(0.3):
            await requests.fetch(Request("POST", f"http://127.0.0.1:{port}/", {}, b"{}"))

    with pytest.raises(TimeoutError):
        asyncio.run(run())


def test_a_long_body_in_tiny_chunks_is_no_flood_of_headers() -> None:
    whole = ok(b"Transfer-Encoding: chunked") + b"1\r\n1\r\n" * 2_000 + b"0\r\n\r\n"
    [answer], _ = answered(whole)
    assert answer == int("1" * 2_000)


def test_nobody_there_is_unreachable() -> None:
    with pytest.raises(BotError) as caught:
        fetch("http://127.0.0.1:1/")
    assert caught.value.status is Status.UNREACHABLE


@pytest.mark.parametrize(
    ("url", "host", "sent"),
    [
        ("https://bot.example.org/talk?session=a%20b%2F", "bot.example.org", "/talk?session=a%20b%2F"),
        ("http://bücher.example:8080/Käse?q=ü%20x", "xn--bcher-kva.example", "/K%C3%A4se?q=%C3%BC%20x"),
        ("http://例え.jp/", "xn--r8jz45g.jp", "/"),
        ("http://127。0。0。1:9/", "127.0.0.1", "/"),
        ("http://[::1]:9", "::1", "/"),
    ],
)
def test_addresses_go_out_as_written_and_names_as_the_network_knows_them(url: str, host: str, sent: str) -> None:
    assert (to_url(url).raw_host, to_url(url).raw_path_qs) == (host, sent)


def test_a_line_break_in_a_header_is_refused() -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()

    async def run() -> None:
        async with serving(serve) as port, session() as requests:
            await requests.fetch(Request("POST", f"http://127.0.0.1:{port}/", {"X": "1\r\nEvil: 2"}, b"{}"))

    with pytest.raises(BotError, match="cannot build the request") as caught:
        asyncio.run(run())
    assert caught.value.status is Status.FAILED


# --- redirects ---------------------------------------------------------------------------------------------------


def follow(code: bytes, headers: dict[str, str], *, elsewhere: bool) -> bytes:
    """Return what the second server is sent when the first one sends a request on, or the first one once more."""
    requests: list[bytes] = []
    places: list[bytes] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        requests.append(await read_request(reader))
        moved = b"HTTP/1.1 %s\r\nLocation: %s\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
        writer.write(LAST if requests[-1].split(b" ", 2)[1] == b"/new" else moved % (code, places[0]))

    async def run() -> None:
        async with serving(serve) as first, serving(serve) as second, session() as client:
            places.append(b"http://127.0.0.1:%d/new" % second if elsewhere else b"/new")
            request = Request("POST", f"http://127.0.0.1:{first}/old", headers, b'{"text": "hi"}')
            assert await client.fetch(request) == REPLY

    asyncio.run(run())
    assert len(requests) == 2
    return requests[1]


@pytest.mark.parametrize("code", [b"301 Moved", b"302 Found", b"307 Temporary", b"308 Permanent"])
def test_a_message_that_is_sent_on_arrives_whole(code: bytes) -> None:
    request = follow(code, {"Authorization": "Bearer abc"}, elsewhere=False)
    assert request.startswith(b"POST /new ")
    assert request.endswith(b'{"text": "hi"}')
    assert b"Bearer abc" in request


def test_see_other_is_asked_for_without_the_message() -> None:
    request = follow(b"303 See Other", {}, elsewhere=False)
    assert request.startswith(b"GET /new ")
    assert b"hi" not in request


def test_another_server_is_not_sent_the_headers_of_the_first() -> None:
    request = follow(b"307 Elsewhere", {"X-Key": "s3cret", "Content-Type": "application/json"}, elsewhere=True)
    assert b"s3cret" not in request
    assert b"Content-Type: application/json" in request


def test_redirects_without_end_are_refused() -> None:
    error = failed(b"HTTP/1.1 302 Found\r\nLocation: /again\r\nContent-Length: 0\r\n\r\n")
    assert (error.status, "redirects" in error.what) == (Status.REFUSED, True)


# --- proxies -----------------------------------------------------------------------------------------------------


@pytest.fixture
def no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.usefixtures("no_proxies")
def test_the_proxy_of_the_environment_is_used_but_never_for_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "proxy.example:3128")
    monkeypatch.setenv("NO_PROXY", "inside.example")
    assert find_proxy(URL("https://bot.example/")) == URL("http://proxy.example:3128")
    assert find_proxy(URL("http://bot.example/")) is None
    for host in ("bot.inside.example", "localhost", "127.0.0.1", "[::1]"):
        assert find_proxy(URL(f"https://{host}/")) is None


def ask_through_proxy(monkeypatch: pytest.MonkeyPatch, url: str) -> tuple[object, list[bytes]]:
    """Return what became of a request to `url` under the guard, and what a proxy on this machine was sent."""
    sent: list[bytes] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        sent.append(await read_request(reader))
        writer.write(LAST)

    async def run() -> object:
        async with serving(serve) as port, session() as requests:
            monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{port}")
            try:
                with public_only():
                    return await requests.fetch(Request("POST", url, {}, b"{}"))
            except BotError as error:
                return error

    return asyncio.run(run()), sent


@pytest.mark.usefixtures("no_proxies")
def test_a_proxy_may_be_inside_and_knows_names_that_this_machine_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    answer, sent = ask_through_proxy(monkeypatch, "http://bot.invalid/talk")
    assert answer == REPLY
    assert sent[0].startswith(b"POST http://bot.invalid/talk ")


@pytest.mark.usefixtures("no_proxies")
@pytest.mark.parametrize("host", ["10.1.2.3", "169.254.169.254", "167772161"])
def test_a_proxy_is_no_way_around_the_guard(monkeypatch: pytest.MonkeyPatch, host: str) -> None:
    error, sent = ask_through_proxy(monkeypatch, f"http://{host}/talk")
    assert isinstance(error, BotError)
    assert error.status is Status.REFUSED
    assert not sent
