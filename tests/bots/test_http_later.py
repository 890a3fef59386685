"""Bots whose replies come in pieces, later or over a WebSocket, that want tokens or speak first: real servers."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from aiohttp import WSMsgType, web

from vivavoce.bots.guard import public_only
from vivavoce.bots.http import from_option
from vivavoce.bots.protocol import BotContext
from vivavoce.bots.streaming import EventParser
from vivavoce.errors import BotError, UsageError
from vivavoce.records import Reply, Status

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
SECRET = "s3cret-of-the-client"  # noqa: S105


@asynccontextmanager
async def serving(**handlers: Handler) -> AsyncIterator[str]:
    """Run a server whose paths are the names of the handlers."""
    app = web.Application()
    for name, handler in handlers.items():
        app.router.add_route("*", f"/{name}", handler)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    assert runner.addresses
    try:
        yield f"127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


def talk(entry: dict[str, Any], *messages: str, **handlers: Handler) -> tuple[list[Reply], Any]:
    """Hold a conversation; SERVER in the entry is the server's address. Return the replies and the conversation."""

    async def hold() -> tuple[list[Reply], Any]:
        async with serving(**handlers) as server:
            given = json.loads(json.dumps(entry).replace("SERVER", server))
            bot = from_option("", BotContext("later", entry=given))
            try:
                async with asyncio.timeout(20):
                    conversation = await bot.open("one")
                    replies = [await conversation.say(message) for message in messages]
                    await conversation.close()
                    return replies, conversation
            finally:
                await bot.close()

    return asyncio.run(hold())


def stream_of(*pieces: bytes, kind: str = "text/event-stream") -> Handler:
    async def stream(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": kind})
        await response.prepare(request)
        for piece in pieces:
            await response.write(piece)
            await asyncio.sleep(0.01)
        return response

    return stream


# Server-sent events

OPENAI = (
    b'data: {"choices":[{"delta":{"role":"assistant"}}]}\n\n',
    b'data: {"choices":[{"delta":{"content":"Good "}}]}\n\ndata: {"choices":[{"del',
    'ta":{"content":"mörning"}}]}\r\n\r\n'.encode(),
    b": a comment\n\ndata: [DONE]\n\ndata: never read\n\n",
)


def test_the_text_of_a_stream_is_assembled_from_its_pieces() -> None:
    [reply], _ = talk({"url": "http://SERVER/chat", "stream": "sse"}, "hi", chat=stream_of(*OPENAI))
    assert reply.texts == ("Good mörning",)
    assert reply.seconds is not None, "when the first piece came is known"
    assert isinstance(reply.raw, list)
    assert len(reply.raw) == 3


def test_paths_say_where_pieces_the_end_and_the_topic_are() -> None:
    events = [{"t": "a"}, {"t": "b"}, {"t": "c", "last": True, "nlu": "greet"}, {"t": "too late"}]
    entry = {
        "url": "http://SERVER/chat",
        "stream": "sse",
        "reply": {"delta": "t", "end": "last", "intent": "nlu", "texts": "none"},
    }
    handler = stream_of(*(f"data: {json.dumps(event)}\n\n".encode() for event in events))
    [reply], _ = talk(entry, "hi", chat=handler)
    assert (reply.texts, reply.intent) == (("abc",), "greet")


@pytest.mark.parametrize(
    ("pieces", "reply", "status"),
    [
        ((b'data: {"text": "half of"}\n\n',), {"end": "last"}, Status.CLOSED),
        ((b'event: error\ndata: {"text": "overloaded"}\n\n',), {}, Status.SERVER_ERROR),
        ((b"data: " + b"x" * 70_000 + b"\n\n",) * 31, {}, Status.TOO_LARGE),
    ],
)
def test_a_stream_that_fails_is_an_error_and_no_reply(
    pieces: tuple[bytes, ...], reply: dict[str, str], status: Status
) -> None:
    entry = {"url": "http://SERVER/chat", "stream": "sse", "reply": reply}
    with pytest.raises(BotError) as caught:
        talk(entry, "hi", chat=stream_of(*pieces))
    assert caught.value.status == status


def test_a_server_that_does_not_stream_after_all_is_read_as_usual() -> None:
    async def plain(_: web.Request) -> web.Response:
        return web.json_response({"reply": "all at once"})

    [reply], _ = talk({"url": "http://SERVER/chat", "stream": "sse"}, "hi", chat=plain)
    assert reply.texts == ("all at once",)


def test_events_are_the_same_wherever_the_network_cuts_them() -> None:
    written = b"".join(OPENAI) + b"event: done\ndata: one\ndata: two\n\n"
    whole = list(EventParser().feed(written))
    parser = EventParser()
    assert [event for byte in written for event in parser.feed(bytes([byte]))] == whole
    assert whole[-1] == ("done", "one\ntwo")


# Replies that come later


class Mailbox:
    """A bot that accepts a message at once and replies later; it says hello by itself."""

    def __init__(self, bubbles: int = 2) -> None:
        self.messages: list[str] = ["Welcome!"]
        self.bubbles = bubbles
        self.polls = 0

    async def send(self, request: web.Request) -> web.Response:
        text = (await request.json())["text"]
        self.due = asyncio.create_task(self._reply(text))
        return web.Response(status=202)

    async def _reply(self, text: str) -> None:
        for number in range(self.bubbles):
            await asyncio.sleep(0.05)
            self.messages.append(f"{text} {number}")

    async def poll(self, request: web.Request) -> web.Response:
        self.polls += 1
        seen = int(request.query.get("after") or 0)
        new = self.messages[seen:]
        done = bool(new) and new[-1].endswith(f" {self.bubbles - 1}")
        return web.json_response({"new": new, "mark": len(self.messages), "done": done})


POLL = {
    "url": "http://SERVER/send",
    "poll": {"url": "http://SERVER/poll?after={watermark}", "watermark": "mark", "every_s": 0.01},
    "reply": {"texts": "new"},
    "settle_s": 0.3,
    "greeting_s": 1,
}


@pytest.mark.parametrize("until", [{}, {"until": "done"}])
def test_late_replies_are_collected_each_with_its_own_message(until: dict[str, str]) -> None:
    box = Mailbox()
    replies, conversation = talk({**POLL, **until}, "one", "two", send=box.send, poll=box.poll)
    assert conversation.greeting.texts == ("Welcome!",), "what the bot says first belongs to no message"
    assert [reply.texts for reply in replies] == [("one 0", "one 1"), ("two 0", "two 1")]
    assert box.polls > 4


def test_a_job_is_asked_for_until_it_is_done() -> None:
    states = iter(["queued", "running", "done"])

    async def start(_: web.Request) -> web.Response:
        return web.json_response({"job": {"id": 7}})

    async def job(request: web.Request) -> web.Response:
        assert request.query["id"] == "7"
        state = next(states)
        return web.json_response({"state": state, **({"answer": "42"} if state == "done" else {})})

    entry = {
        "url": "http://SERVER/start",
        "poll": {"url": "http://SERVER/job?id={id}", "values": {"id": "job.id"}, "every_s": 0.01},
        "until": "state == 'done'",
    }
    [reply], _ = talk(entry, "what?", start=start, job=job)
    assert reply.texts == ("42",)


# WebSockets


async def echo_twice(request: web.Request) -> web.StreamResponse:
    socket = web.WebSocketResponse()
    await socket.prepare(request)
    await socket.send_json({"text": "Hello there!"})
    async for frame in socket:
        if frame.type is not WSMsgType.TEXT:
            break
        text = frame.json()["text"]
        if text == "leave":
            break
        await socket.send_json({"typing": True})
        for end in (False, True):
            await socket.send_json({"text": f"{text} {end}", "topic": "echo", "end": end})
    return socket


@pytest.mark.parametrize("until", [{"settle_s": 0.3}, {"until": "end"}])
def test_a_bot_behind_a_websocket_speaks_first_and_replies_in_bubbles(until: dict[str, Any]) -> None:
    entry = {"url": "ws://SERVER/ws", "greeting_s": 1, "reply": {"intent": "topic"}, "settle_s": 0.2, **until}
    replies, conversation = talk(entry, "a", "b", ws=echo_twice)
    assert conversation.greeting.texts == ("Hello there!",)
    assert [reply.texts for reply in replies] == [("a False", "a True"), ("b False", "b True")]
    assert replies[0].intent == "echo"


def test_a_websocket_that_closes_is_an_error_with_a_status() -> None:
    with pytest.raises(BotError) as caught:
        talk({"url": "ws://SERVER/ws", "until": "end"}, "leave", ws=echo_twice)
    assert caught.value.status == Status.CLOSED


def test_no_websocket_leads_into_a_private_network_nor_elsewhere() -> None:
    with public_only(), pytest.raises(BotError) as caught:
        talk({"url": "ws://SERVER/ws"}, "a", ws=echo_twice)
    assert caught.value.status == Status.REFUSED
    reached = []

    async def elsewhere(request: web.Request) -> web.StreamResponse:
        reached.append(request.path)
        return await echo_twice(request)

    async def away(_: web.Request) -> web.Response:
        raise web.HTTPFound("/elsewhere")

    with pytest.raises(BotError):
        talk({"url": "ws://SERVER/ws"}, "a", ws=away, elsewhere=elsewhere)
    assert not reached


# Tokens


class TokenServer:
    """Issues tokens by client credentials; the bot accepts none but the latest."""

    def __init__(self, expires_in: int = 3600) -> None:
        self.issued = 0
        self.expires_in = expires_in

    async def token(self, request: web.Request) -> web.Response:
        form = await request.post()
        if (form["grant_type"], form["client_id"], form["client_secret"]) != ("client_credentials", "me", SECRET):
            return web.json_response({"error": f"bad secret {form['client_secret']}"}, status=400)
        self.issued += 1
        return web.json_response({"access_token": f"token-{self.issued}", "expires_in": self.expires_in})

    async def chat(self, request: web.Request) -> web.Response:
        if request.headers.get("Authorization") != f"Bearer token-{self.issued}":
            return web.json_response({"error": "expired"}, status=401)
        text = (await request.json())["text"]
        if text == "revoke":
            self.issued += 1
        return web.json_response({"reply": f"{text} for {request.headers['Authorization']}"})


OAUTH = {
    "url": "http://SERVER/chat",
    "oauth": {"url": "http://SERVER/token", "client_id": "me", "client_secret": "${VIVA_TEST_CLIENT}"},
}


def test_a_token_is_fetched_once_and_renewed_when_it_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VIVA_TEST_CLIENT", SECRET)
    server = TokenServer()
    replies, _ = talk(OAUTH, "a", "revoke", "b", token=server.token, chat=server.chat)
    assert server.issued == 3, "one at first, one revoked by the bot, one more"
    assert [reply.texts[0].split()[0] for reply in replies] == ["a", "revoke", "b"]
    assert "token-" not in repr(replies), "tokens are struck out"


def test_a_token_is_renewed_before_it_expires(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VIVA_TEST_CLIENT", SECRET)
    server = TokenServer(expires_in=0)
    talk(OAUTH, "a", "b", token=server.token, chat=server.chat)
    assert server.issued == 2


def test_a_wrong_client_secret_is_an_error_that_does_not_show_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VIVA_TEST_CLIENT", "wr0ng-secret")
    server = TokenServer()
    with pytest.raises(BotError) as caught:
        talk(OAUTH, "a", token=server.token, chat=server.chat)
    assert caught.value.status == Status.REFUSED
    assert "wr0ng-secret" not in str(caught.value)
    assert "***" in str(caught.value)


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ({"url": "http://x.example", "stream": "socket.io"}, "only 'sse' can be read"),
        ({"url": "http://x.example", "poll": {"url": "http://x.example/p"}}, "watermark"),
        ({"url": "ws://x.example", "stream": "sse"}, "cannot be combined"),
        ({"url": "http://x.example", "oauth": {"url": "http://x.example"}}, "client_secret"),
        ({"url": "http://x.example", "poll": {"url": "ftp://x.example", "watermark": "a"}}, "http"),
        ({"url": "http://x.example", "until": "]", "poll": {"url": "http://x.example"}}, "until is not a valid"),
        ({"url": "http://x.example", "settle_s": "soon"}, "settle_s"),
    ],
)
def test_an_entry_that_cannot_work_is_rejected_when_the_bot_is_made(entry: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError) as caught:
        from_option("", BotContext("later", entry=entry))
    assert said in str(caught.value)
