"""Connections to bots go to public addresses alone where that is asked for, however a private one is named."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.bots import BotError, client, load_entry, public_only
from vivavoce.bots.client import BotClient, BotSession
from vivavoce.bots.guard import ANYWHERE, Addresses, Request, addresses, public_addresses, refused_host
from vivavoce.bots.redaction import Redactor
from vivavoce.errors import UsageError
from vivavoce.records import Status

PUBLIC = public_addresses()
BODY = b'{"reply": "hello"}'
OK = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(BODY), BODY)
Lookup = Callable[[str], list[str]]


class Served:
    """A server on one address of this machine: where it listens, and how often somebody came."""

    def __init__(self) -> None:
        self.port = 0
        self.visits = 0


@asynccontextmanager
async def serving(host: str = "127.0.0.1", answer: bytes = OK) -> AsyncIterator[Served]:
    served = Served()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        served.visits += 1
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                sizes = [
                    int(line[15:]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")
                ]
                await reader.readexactly(sum(sizes))
                writer.write(answer)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(serve, host, 0)
    served.port = server.sockets[0].getsockname()[1]
    try:
        yield served
    finally:
        server.close()


def names_lead_to(monkeypatch: pytest.MonkeyPatch, lookup: Lookup) -> list[str]:
    """Let `*.example.org` lead where `lookup` says; return the names that are asked for."""
    real, asked = socket.getaddrinfo, []

    def find(host: str, port: int, *more: Any, **named: Any) -> Any:
        if not str(host).endswith("example.org"):
            return real(host, port, *more, **named)
        asked.append(host)
        kinds = ((socket.AF_INET6 if ":" in number else socket.AF_INET, number) for number in lookup(host))
        return [(family, socket.SOCK_STREAM, 6, "", (number, port)) for family, number in kinds]

    monkeypatch.setattr(socket, "getaddrinfo", find)
    return asked


async def ask(url: str) -> str:
    """Ask the bot behind an address, as an exam does."""
    bot = load_entry("bot", {"kind": "http", "url": url})
    try:
        return (await (await bot.open("s")).say("hi")).text
    finally:
        await bot.close()


async def refused(url: str) -> BotError:
    with pytest.raises(BotError) as caught:
        await ask(url)
    return caught.value


def begin(client: BotClient) -> BotSession:
    return client.begin(Redactor(), where="bot")


# --- which addresses ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "address",
    [
        *("0.0.0.0", "127.0.0.1", "127.255.0.1", "10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.0.1"),  # noqa: S104
        *("169.254.1.1", "169.254.169.254", "168.63.129.16", "100.100.100.200", "192.0.0.192", "100.64.0.1"),
        *("224.0.0.1", "239.1.1.1", "240.0.0.1", "255.255.255.255", "198.18.0.1", "192.0.2.1", "203.0.113.9"),
        *("::", "::1", "fe80::1", "fe80::1%eth0", "fc00::1", "fd00:ec2::254", "fec0::1", "ff02::1", "2001:db8::1"),
        *("::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "::7f00:1", "64:ff9b::7f00:1"),
        *("64:ff9b:1::808:808", "2002:7f00:1::", "2001:0:4136:e378:8000:63bf:80ff:fffe", "3fff::1", "5f00::1"),
    ],
)
def test_an_address_that_is_not_public_is_refused(address: str) -> None:
    assert PUBLIC.refusal(address)
    assert not ANYWHERE.refusal(address)


@pytest.mark.parametrize(
    "address",
    ["8.8.8.8", "1.1.1.1", "172.32.0.1", "100.128.0.1", "2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808"],
)
def test_a_public_address_is_allowed(address: str) -> None:
    assert not PUBLIC.refusal(address)


@given(st.ip_addresses(v=4))
def test_an_address_is_refused_in_all_its_forms_or_in_none(address: ipaddress.IPv4Address) -> None:
    plain = bool(PUBLIC.refusal(str(address)))
    assert plain or address.is_global
    assert bool(PUBLIC.refusal(f"::ffff:{address}")) == plain
    assert bool(refused_host(f"http://{int(address)}/", PUBLIC)) == plain
    octal = ".".join(f"0{byte:o}" for byte in address.packed)
    assert bool(refused_host(f"http://{octal}:8000/", PUBLIC)) == plain


def test_networks_can_be_allowed_and_wrong_ones_are_told_all_at_once() -> None:
    own = public_addresses(["10.1.0.0/16", "fd00::/8"])
    assert [bool(own.refusal(each)) for each in ("10.1.2.3", "10.2.0.1", "fd12::1", "::1", "::ffff:10.1.0.1")] == [
        False,
        True,
        False,
        True,
        False,
    ]
    with pytest.raises(UsageError) as caught:
        public_addresses(["10.0.0.0/8", "intranet", "10.0.0.0/99"])
    assert [fault.message.split("'")[1] for fault in caught.value.faults] == ["intranet", "10.0.0.0/99"]


def test_what_an_address_says_by_itself_is_seen_without_asking_for_a_name() -> None:
    for host in (
        "localhost",
        "LOCALHOST.",
        "a.localhost",
        "2130706433",
        "0x7f.1",
        "0177.0.0.1",
        "127.1",
        "[::1]",
        "127。0。0。1",
    ):
        assert "loopback" in refused_host(f"http://{host}:80/x", PUBLIC)
    assert refused_host("https://bot.example.org/", PUBLIC) == ""
    assert refused_host("http://localhost/", ANYWHERE) == ""
    assert refused_host("http://localhost/", public_addresses(["127.0.0.0/8"])) == ""


# --- at the moment of connecting ---------------------------------------------------------------------------------


def test_without_a_limit_this_machine_can_be_reached() -> None:
    async def run() -> str:
        async with serving() as server:
            return await ask(f"http://127.0.0.1:{server.port}/")

    assert asyncio.run(run()) == "hello"


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "localhost", "2130706433", "0x7f000001", "0177.0.0.1", "127.1", "[::ffff:127.0.0.1]"]
)
def test_a_private_address_is_refused_in_every_form_before_anybody_is_visited(host: str) -> None:
    async def run() -> tuple[BotError, int]:
        async with serving() as server:
            with public_only():
                return await refused(f"http://{host}:{server.port}/"), server.visits

    error, visits = asyncio.run(run())
    assert visits == 0
    assert (error.status, Status(error.status).transient) == (Status.REFUSED, False)
    assert "private_bots" in error.remedy
    assert "resolves to a loopback address" in error.what


def test_a_name_that_leads_inside_is_refused_and_its_address_not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    names_lead_to(monkeypatch, lambda _: ["8.8.8.8", "10.11.12.13"])

    async def run() -> BotError:
        with public_only():
            return await refused("http://bot.example.org/")

    error = asyncio.run(run())
    assert "connection to bot.example.org blocked: it resolves to a private address" in error.what
    assert "10.11.12.13" not in str(error)


def test_a_name_is_asked_for_once_and_the_address_found_is_the_one_used(monkeypatch: pytest.MonkeyPatch) -> None:
    async def run() -> tuple[str, int, int, int]:
        async with serving("127.0.0.1") as allowed, serving("127.0.0.2") as other:
            answers = iter((["127.0.0.1"], ["127.0.0.2"]))
            asked = names_lead_to(monkeypatch, lambda _: next(answers))
            with public_only(["127.0.0.1/32"]):
                said = await ask(f"http://bot.example.org:{allowed.port}/")
            return said, len(asked), allowed.visits, other.visits

    assert asyncio.run(run()) == ("hello", 1, 1, 0)


def test_a_name_that_leads_elsewhere_the_second_time_is_refused_then(monkeypatch: pytest.MonkeyPatch) -> None:
    async def run() -> tuple[BotError, int]:
        closing = OK.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n", 1)
        async with serving("127.0.0.1", closing) as allowed, serving("127.0.0.2") as other:
            answers = iter((["127.0.0.1"], ["127.0.0.2"]))
            names_lead_to(monkeypatch, lambda _: next(answers))
            bot = load_entry("bot", {"kind": "http", "url": f"http://bot.example.org:{allowed.port}/"})
            with public_only(["127.0.0.1/32"]):
                talk = await bot.open("s")
                assert (await talk.say("one")).text == "hello"
                with pytest.raises(BotError) as caught:
                    await talk.say("two")
            await bot.close()
            return caught.value, other.visits

    error, visits = asyncio.run(run())
    assert "loopback" in error.what
    assert visits == 0


@pytest.mark.parametrize("code", [b"301 Moved", b"302 Found", b"307 Temporary", b"308 Permanent"])
def test_a_redirect_leads_nowhere(code: bytes) -> None:
    async def run() -> tuple[BotError, int, int]:
        async with serving("127.0.0.2") as inside:
            moved = b"HTTP/1.1 %s\r\nLocation: http://127.0.0.2:%d/\r\nContent-Length: 0\r\n\r\n" % (
                code,
                inside.port,
            )
            async with serving("127.0.0.1", moved) as outside:
                with public_only(["127.0.0.1/32"]):
                    error = await refused(f"http://127.0.0.1:{outside.port}/")
                return error, outside.visits, inside.visits

    error, outside, inside = asyncio.run(run())
    assert (outside, inside) == (1, 0)
    assert error.status == Status.REFUSED


@pytest.mark.parametrize("host", ["127.0.0.1", "[::ffff:127.0.0.1]"])
def test_the_address_of_a_socket_is_looked_at_too(monkeypatch: pytest.MonkeyPatch, host: str) -> None:
    monkeypatch.setattr(client, "refused_host", lambda *_: "")

    async def run() -> tuple[BotError, int]:
        async with serving() as server:
            with public_only():
                return await refused(f"http://{host}:{server.port}/"), server.visits

    error, visits = asyncio.run(run())
    assert (error.status, visits) == (Status.REFUSED, 0)
    assert "loopback" in error.what


def test_a_connection_made_before_the_limit_is_not_used_under_it() -> None:
    async def run() -> None:
        async with serving() as server:
            bot, request = BotClient(), Request("GET", f"http://127.0.0.1:{server.port}/")
            await begin(bot).fetch(request)
            with public_only(), pytest.raises(BotError, match="loopback"):
                await begin(bot).fetch(request)
            await begin(bot).fetch(request)
            assert server.visits == 1
            await bot.close()

    asyncio.run(run())


def test_a_server_of_our_own_is_reached_whatever_the_limit() -> None:
    async def run() -> object:
        async with serving() as server:
            bot = BotClient(ANYWHERE)
            with public_only():
                answer = await begin(bot).fetch(Request("GET", f"http://127.0.0.1:{server.port}/"))
            await bot.close()
            return answer

    assert asyncio.run(run()) == {"reply": "hello"}


def test_the_limit_holds_in_tasks_that_are_started_under_it_and_nowhere_else() -> None:
    async def seen() -> Addresses:
        await asyncio.sleep(0)
        return addresses()

    async def run() -> tuple[Addresses, Addresses]:
        before = asyncio.create_task(seen())
        with public_only():
            inside = asyncio.create_task(seen())
        return await before, await inside

    assert asyncio.run(run()) == (ANYWHERE, PUBLIC)
    assert addresses() == ANYWHERE


def test_the_next_address_is_tried_where_one_is_not_reached(monkeypatch: pytest.MonkeyPatch) -> None:
    async def run() -> str:
        async with serving("127.0.0.1") as server:
            names_lead_to(monkeypatch, lambda _: ["127.0.0.3", "127.0.0.1"])
            with public_only(["127.0.0.0/8"]):
                return await ask(f"http://bot.example.org:{server.port}/")

    assert asyncio.run(run()) == "hello"
