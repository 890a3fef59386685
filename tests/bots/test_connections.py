"""The lean HTTP client reads what servers really send, and keeps only connections that can be used again."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import Awaitable, Callable

import pytest

from vivavoce.bots.connections import Answer, Broken, Connections, place_of, written
from vivavoce.records import Status

Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
BODY = b'{"reply": "hello"}'


async def read_request(reader: asyncio.StreamReader) -> bytes:
    head = await reader.readuntil(b"\r\n\r\n")
    length = next((int(line[15:]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")), 0)
    return head + await reader.readexactly(length)


def answered(*pieces: bytes, times: int = 1, most: int = 1000, hang: bool = False) -> tuple[list[Answer], int]:
    """Return the answers to so many requests, and how many connections they took."""
    connected = 0

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal connected
        connected += 1
        try:
            while True:
                await read_request(reader)
                for piece in pieces:
                    writer.write(piece)
                    await writer.drain()
                    await asyncio.sleep(0.001)
                if b"content-length" not in pieces[0].lower() and b"chunked" not in pieces[0].lower() and not hang:
                    break
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    async def run() -> list[Answer]:
        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/talk?x=1"
        connections = Connections()
        try:
            return [await connections.ask("POST", url, {"A": "b"}, b"{}", most=most) for _ in range(times)]
        finally:
            connections.close()
            server.close()

    return asyncio.run(run()), connected


def ok(*headers: bytes) -> bytes:
    return b"\r\n".join([b"HTTP/1.1 200 OK", *headers]) + b"\r\n\r\n"


def test_a_connection_is_used_again() -> None:
    answers, connections = answered(ok(b"Content-Length: %d" % len(BODY)), BODY, times=5)
    assert [answer.body for answer in answers] == [BODY] * 5
    assert connections == 1


def test_a_body_in_chunks_and_in_tiny_pieces_is_put_together() -> None:
    whole = ok(b"Transfer-Encoding: chunked") + b"5\r\n" + BODY[:5] + b"\r\n%x\r\n" % len(BODY[5:]) + BODY[5:]
    whole += b"\r\n0\r\n\r\n"
    [answer], _ = answered(whole[:40], whole[40:50], whole[50:])
    assert answer.body == BODY


def test_without_a_length_the_end_of_the_connection_is_the_end_of_the_body() -> None:
    answers, connections = answered(ok(b"Content-Type: application/json"), BODY, times=2)
    assert [answer.body for answer in answers] == [BODY] * 2
    assert connections == 2


def test_a_server_that_closes_after_each_answer_gets_a_new_connection() -> None:
    _, connections = answered(ok(b"Connection: close", b"Content-Length: %d" % len(BODY)), BODY, times=3)
    assert connections == 3


def test_an_interim_answer_is_passed_over() -> None:
    [answer], _ = answered(b"HTTP/1.1 100 Continue\r\n\r\n" + ok(b"Content-Length: %d" % len(BODY)), BODY)
    assert (answer.code, answer.body) == (200, BODY)


def test_compression_that_nobody_asked_for_is_undone() -> None:
    packed = gzip.compress(BODY)
    [answer], _ = answered(ok(b"Content-Encoding: gzip", b"Content-Length: %d" % len(packed)), packed)
    assert answer.body == BODY


def test_a_small_packet_that_unpacks_to_much_is_cut() -> None:
    packed = gzip.compress(b"0" * 10_000_000)
    [answer], _ = answered(ok(b"Content-Encoding: gzip", b"Content-Length: %d" % len(packed)), packed, most=50_000)
    assert not answer.whole
    assert len(answer.body) <= 50_001


def test_no_more_is_read_than_asked_for() -> None:
    [answer], _ = answered(ok(b"Content-Length: 5000"), b"x" * 5000, most=1000)
    assert not answer.whole


def test_headers_and_cookies_are_told() -> None:
    told = ok(b"Set-Cookie: a=1; Path=/", b"Set-Cookie: b=2", b"Retry-After: 7", b"Content-Length: 0")
    [answer], _ = answered(told)
    assert answer.cookies == ["a=1; Path=/", "b=2"]
    assert answer.headers["retry-after"] == "7"


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"I am no web server\r\n\r\n", Status.NOT_JSON),
        (ok(b"Connection: close", b"Content-Length: 100") + b"half", Status.CLOSED),
    ],
)
def test_what_is_no_whole_answer_says_why(sent: bytes, status: Status) -> None:
    async def run() -> None:
        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await read_request(reader)
            writer.write(sent)
            await writer.drain()
            writer.close()

        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
        try:
            await Connections().ask("POST", url, {}, b"{}", most=1000)
        finally:
            server.close()

    with pytest.raises(Broken) as found:
        asyncio.run(run())
    assert found.value.status is status


@pytest.mark.parametrize(
    "flood",
    [
        pytest.param([b"HTTP/1.1 200 OK\r\n", *[b"X-Pad: " + b"a" * 1000 + b"\r\n"] * 200], id="many headers"),
        pytest.param([b"HTTP/1.1 200 OK\r\nX-Pad: ", *[b"a" * 1000] * 200], id="one header without end"),
        pytest.param([b"HTTP/1.1 100 Continue\r\n\r\n" * 40] * 200, id="interim answers without end"),
        pytest.param(
            [ok(b"Transfer-Encoding: chunked") + b"2\r\n{}\r\n0\r\n", *[b"X: " + b"a" * 1000 + b"\r\n"] * 200],
            id="trailers without end",
        ),
    ],
)
def test_headers_without_end_are_cut_off(flood: list[bytes]) -> None:
    with pytest.raises(Broken, match="headers are longer than 64 KB") as caught:
        answered(*flood, hang=True)
    assert caught.value.status is Status.TOO_LARGE


def test_a_long_body_in_tiny_chunks_is_no_flood_of_headers() -> None:
    whole = ok(b"Transfer-Encoding: chunked") + b"1\r\nx\r\n" * 20_000 + b"0\r\n\r\n"
    [answer], _ = answered(whole, most=100_000)
    assert answer.body == b"x" * 20_000


def test_nobody_there_is_unreachable() -> None:
    with pytest.raises(Broken) as found:
        asyncio.run(Connections().ask("POST", "http://127.0.0.1:1/", {}, b"{}", most=1000))
    assert found.value.status is Status.UNREACHABLE


def test_a_request_is_written_as_the_standard_says() -> None:
    place = place_of("https://bot.example.org/talk?session=a%20b")
    assert (place.host, place.port, place.secure) == ("bot.example.org", 443, True)
    head, _, body = written("POST", place, {"Content-Type": "application/json"}, b"{}").partition(b"\r\n\r\n")
    lines = head.split(b"\r\n")
    assert lines[:2] == [b"POST /talk?session=a%20b HTTP/1.1", b"Host: bot.example.org"]
    assert b"Content-Length: 2" in lines
    assert body == b"{}"


@pytest.mark.parametrize(
    ("url", "host", "sent"),
    [
        ("http://bücher.example:8080/Käse?q=ü%20x", "xn--bcher-kva.example", "xn--bcher-kva.example:8080"),
        ("http://例え.jp/", "xn--r8jz45g.jp", "xn--r8jz45g.jp"),
        ("http://127。0。0。1:9/", "127.0.0.1", "127.0.0.1:9"),
        ("http://[::1]:9/", "::1", "[::1]:9"),
    ],
)
def test_names_outside_ascii_go_out_as_the_network_knows_them(url: str, host: str, sent: str) -> None:
    place = place_of(url)
    assert (place.host, place.name) == (host, sent)
    assert written("GET", place, {}, None).isascii()


def test_a_line_break_in_a_header_is_refused() -> None:
    with pytest.raises(ValueError, match="line break"):
        written("POST", place_of("http://a/"), {"X": "1\r\nEvil: 2"}, None)
