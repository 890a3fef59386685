"""A bot behind HTTP: what is sent, what is read, and a status of its own for every way to fail."""

from __future__ import annotations

import asyncio
import json
import socket
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.bots.answers import read_retry_after
from vivavoce.bots.fakes import BEHAVIOURS, FakeServer, misbehaving_server
from vivavoce.bots.http import from_option
from vivavoce.bots.protocol import BotContext
from vivavoce.bots.redaction import MAX_EXCERPT
from vivavoce.bots.shapes import ReplyReader, decode_json, read_reply
from vivavoce.bots.templates import address_template, header_template, json_template, protect
from vivavoce.errors import BotError, UsageError
from vivavoce.records import Guess, Reply, Status

KEY = 'k3y/w+ith "odd" & <chars>'
SECRETS = {"VIVA_TEST_KEY": KEY, "VIVA_TEST_PIN": "48151623"}


def talk_to(
    *messages: str, behaviour: str = "ok", entry: dict[str, Any] | None = None, path: str = "", **server: Any
) -> tuple[list[Reply], FakeServer]:
    """Open one talk with a server of this behaviour, say the messages and return the replies."""

    async def held() -> tuple[list[Reply], FakeServer]:
        async with misbehaving_server(behaviour, **server) as fake:
            given = {key: put_address(value, fake.url) for key, value in (entry or {}).items()}
            bot = from_option("" if "url" in given else fake.url + path, BotContext("fake", entry=given))
            try:
                talk = await bot.open("one")
                return [await talk.say(message) for message in messages], fake
            finally:
                await bot.close()
                await bot.close()

    return asyncio.run(held())


def put_address(value: Any, url: str) -> Any:
    if isinstance(value, str):
        return value.replace("SERVER", url)
    return {key: put_address(item, url) for key, item in value.items()} if isinstance(value, dict) else value


def failure(behaviour: str, **more: Any) -> BotError:
    with pytest.raises(BotError) as caught:
        talk_to("hello", behaviour=behaviour, **more)
    return caught.value


# What is sent


def test_an_address_alone_is_enough() -> None:
    replies, fake = talk_to("hello", "and you?")
    assert [reply.texts for reply in replies] == [("You said: hello",), ("You said: and you?",)]
    assert [request.json for request in fake.requests] == [
        {"session": "one", "text": "hello"},
        {"session": "one", "text": "and you?"},
    ]
    assert fake.connections == 1, "the connection is kept open between messages"


def test_method_address_headers_and_body_are_filled_in() -> None:
    entry = {
        "method": "put",
        "url": "SERVER/say/{session}?q={text}",
        "headers": {"X-Session": "{session}", "Content-Type": "application/vnd.bot+json"},
        "body": {"to": {"message": "<{text}>"}, "list": ["{turn}", "{{turn}}"]},
    }
    _, fake = talk_to("a b/c?&", "again", entry=entry)
    first, second = fake.requests
    assert (first.method, first.path) == ("PUT", "/say/one?q=a%20b%2Fc%3F%26")
    assert (first.headers["x-session"], first.headers["content-type"]) == ("one", "application/vnd.bot+json")
    assert first.json == {"to": {"message": "<a b/c?&>"}, "list": ["1", "{turn}"]}
    assert second.json["list"][0] == "2"


def test_a_body_of_json_text_keeps_its_types() -> None:
    _, fake = talk_to("hi", entry={"url": "SERVER", "body": '{"stream": false, "n": 3, "q": "{text}"}'})
    assert fake.requests[0].json == {"stream": False, "n": 3, "q": "hi"}


def test_a_get_request_has_no_body() -> None:
    _, fake = talk_to("hi", entry={"method": "GET", "url": "SERVER/?q={text}"})
    assert (fake.requests[0].method, fake.requests[0].body) == ("GET", b"")


def test_opening_a_talk_gives_values_for_its_messages() -> None:
    entry = {
        "url": "SERVER/{talk}/say",
        "headers": {"Authorization": "Bearer {token}"},
        "open": {"url": "SERVER/start", "headers": {}, "values": {"talk": "id", "token": "auth.token"}},
        "reply": {"texts": "says"},
    }
    reply = {"id": 7, "auth": {"token": "abcdef"}, "says": "the token is abcdef"}
    replies, fake = talk_to("hi", entry=entry, reply=reply)
    assert [request.path for request in fake.requests] == ["/start", "/7/say"]
    assert fake.requests[0].json == {"session": "one"}
    assert fake.requests[1].headers["authorization"] == "Bearer abcdef"
    assert "abcdef" not in repr(replies), "a token that the bot gave is a secret as well"


def test_an_opening_without_its_values_is_unexpected() -> None:
    entry = {"url": "SERVER/{talk}", "open": {"url": "SERVER/ok", "values": {"talk": "conversation.id"}}}
    error = failure("ok", entry=entry)
    assert (error.status, "talk" in error.what) == (Status.UNEXPECTED, True)


def test_cookies_belong_to_their_talk() -> None:
    async def held() -> FakeServer:
        async with misbehaving_server() as fake:

            async def cookie(fake: FakeServer, request: Any, write: Any) -> None:
                body = b'{"reply": "hi"}'
                head = f"HTTP/1.1 200 OK\r\nSet-Cookie: id={request.session}\r\nContent-Length: {len(body)}\r\n\r\n"
                await write(head.encode() + body)

            BEHAVIOURS["cookie"] = cookie  # type: ignore[index]
            fake.behaviour = "cookie"
            bot = from_option(fake.url, BotContext("fake"))
            talks = [await bot.open(name) for name in ("a", "b")]
            for talk in (*talks, *talks):
                await talk.say("hi")
            await bot.close()
            del BEHAVIOURS["cookie"]  # type: ignore[attr-defined]
            return fake

    fake = asyncio.run(held())
    assert [request.headers.get("cookie") for request in fake.requests] == [None, None, "id=a", "id=b"]


def test_a_failed_message_is_the_same_turn_when_it_is_tried_again() -> None:
    async def held() -> list[Any]:
        async with misbehaving_server("429", times=1) as fake:
            bot = from_option("", BotContext("fake", entry={"url": fake.url, "body": {"t": "{turn}", "x": "{text}"}}))
            talk = await bot.open("one")
            with pytest.raises(BotError):
                await talk.say("hi")
            await talk.say("hi")
            await bot.close()
            return [request.json["t"] for request in fake.requests]

    assert asyncio.run(held()) == ["1", "1"]


def test_a_bot_can_be_used_again_in_another_event_loop() -> None:
    async def once(bot: Any) -> str:
        talk = await bot.open("one")
        try:
            return str((await talk.say("hi")).text)
        finally:
            await bot.close()

    async def serve() -> list[str]:
        async with misbehaving_server() as fake:
            bot = from_option(fake.url, BotContext("fake"))
            here = await once(bot)
            there = await asyncio.to_thread(lambda: asyncio.run(once(bot)))
            return [here, there]

    assert asyncio.run(serve()) == ["You said: hi", "You said: hi"]


# Every way to fail


@pytest.mark.parametrize(
    ("behaviour", "status"),
    [
        ("html", Status.NOT_JSON),
        ("not_json", Status.NOT_JSON),
        ("500", Status.SERVER_ERROR),
        ("404", Status.REFUSED),
        ("redirect", Status.UNREACHABLE),
        ("close", Status.CLOSED),
        ("huge", Status.TOO_LARGE),
        ("endless", Status.TOO_LARGE),
        ("invalid_utf8", Status.BAD_ENCODING),
        ("unexpected", Status.UNEXPECTED),
        ("429", Status.RATE_LIMITED),
    ],
)
def test_each_misbehaviour_has_its_status_and_a_remedy(behaviour: str, status: Status) -> None:
    error = failure(behaviour)
    assert error.status == status
    assert error.what
    assert error.remedy


def test_nobody_at_the_address_is_unreachable() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    for host in (f"127.0.0.1:{port}", "nothing.invalid"):
        assert failure("ok", entry={"url": f"http://{host}/"}).status == Status.UNREACHABLE


def test_the_beginning_of_a_refusal_is_quoted_in_plain_words() -> None:
    assert "no such bot" in failure("404").what
    page = failure("500").what
    assert "Please wait" in page
    assert "<" not in page


def test_a_long_error_page_is_cut() -> None:
    error = failure("ok", path="/echo_error/" + "x" * 900 + "/echo_error")
    assert len(error.what) < MAX_EXCERPT + 100


def test_a_bot_may_ask_for_patience() -> None:
    assert failure("429", retry_after="7").retry_after == 7.0
    soon = format_datetime(datetime.now(UTC) + timedelta(seconds=90), usegmt=True)
    wait = failure("429", retry_after=soon).retry_after
    assert wait is not None
    assert 60 < wait <= 90


@pytest.mark.parametrize(
    ("header", "seconds"),
    [(None, None), ("soon", None), ("nan", None), ("-3", 0.0), ("Wed, 21 Oct 2015 07:28:00 GMT", 0.0), ("1.5", 1.5)],
)
def test_an_odd_retry_after_does_no_harm(header: str | None, seconds: float | None) -> None:
    assert read_retry_after(header) == seconds


def test_after_being_turned_away_the_bot_answers() -> None:
    async def held() -> str:
        async with misbehaving_server("429", times=2) as fake:
            bot = from_option(fake.url, BotContext("fake"))
            talk = await bot.open("one")
            for _ in range(2):
                with pytest.raises(BotError):
                    await talk.say("hi")
            reply = await talk.say("hi")
            await bot.close()
            return reply.text

    assert asyncio.run(held()) == "You said: hi"


def test_an_empty_list_is_a_reply_without_texts() -> None:
    replies, _ = talk_to("hi", behaviour="empty")
    assert replies[0].texts == ()


def test_waiting_can_be_cut_short_and_the_bot_still_works() -> None:
    async def held() -> str:
        async with misbehaving_server("hang") as fake:
            bot = from_option(fake.url, BotContext("fake"))
            talk = await bot.open("one")
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.05):
                    await talk.say("hi")
            fake.behaviour = "ok"
            reply = await talk.say("hi")
            await bot.close()
            return reply.text

    assert asyncio.run(held()) == "You said: hi"


# Secrets


def with_secrets(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    for name, value in SECRETS.items():
        monkeypatch.setenv(name, value)
    return {
        "url": "SERVER/{session}/BEHAVIOUR?key=${VIVA_TEST_KEY}&pin=${VIVA_TEST_PIN}",
        "headers": {"Authorization": "Bearer ${VIVA_TEST_PIN}", "X-Api-Key": "written-out-key"},
        "body": {"text": "{text}", "key": "${VIVA_TEST_KEY}", "pin": "${VIVA_TEST_PIN}"},
    }


def holds_a_secret(shown: str) -> bool:
    pieces = (*SECRETS.values(), "written-out-key", json.dumps(KEY)[1:-1], "k3y", "48151623")
    return any(piece in shown for piece in pieces)


def test_a_secret_is_sent_and_appears_nowhere_else(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = with_secrets(monkeypatch)
    entry["url"] = entry["url"].replace("BEHAVIOUR", "echo_secret")
    replies, fake = talk_to("hello", entry=entry)
    assert fake.requests[0].json["key"] == KEY
    assert fake.requests[0].headers["authorization"] == "Bearer 48151623"
    assert "***" in replies[0].text
    assert not holds_a_secret(repr(replies[0]))
    assert not holds_a_secret(json.dumps(replies[0].raw))


def test_a_secret_is_struck_out_of_an_error_page(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = with_secrets(monkeypatch)
    entry["url"] = "SERVER/echo_error"
    error = failure("ok", entry=entry)
    assert error.status == Status.REFUSED
    assert not holds_a_secret(str(error) + repr(error) + repr(error.__cause__))


def test_facts_and_looks_of_a_bot_hold_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = with_secrets(monkeypatch)
    bot = from_option("", BotContext("fake", entry={**entry, "url": "http://localhost/?k=${VIVA_TEST_PIN}"}))

    async def opened() -> str:
        talk = await bot.open("one")
        await bot.close()
        return (
            repr(talk) + repr(talk._plan) + repr(talk._plan.saying.request({"text": "", "session": "", "turn": ""}))
        )

    assert not holds_a_secret(repr(bot.facts) + repr(bot) + asyncio.run(opened()))
    assert bot.facts.about == "POST http://localhost/"


def test_a_secret_with_braces_is_no_template(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VIVA_TEST_KEY", "a{text}b{other}c")
    _, fake = talk_to("hi", entry={"url": "SERVER", "body": {"x": "{text}", "key": "${VIVA_TEST_KEY}"}})
    assert fake.requests[0].json == {"x": "hi", "key": "a{text}b{other}c"}


def test_a_variable_that_is_missing_when_a_talk_is_opened_is_named() -> None:
    entry = {"url": "SERVER", "headers": {"A": "${VIVA_NOT_SET_1}", "B": "${VIVA_NOT_SET_2}"}}
    error = failure("ok", entry=entry)
    assert "VIVA_NOT_SET_1, VIVA_NOT_SET_2" in error.what


def test_an_address_with_a_password_is_refused_without_repeating_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VIVA_TEST_URL", "https://user:hidden@example.org/")
    with pytest.raises(UsageError, match="password") as caught:
        from_option("https://user:hidden@example.org/", BotContext("fake"))
    assert "hidden" not in str(caught.value)
    assert "headers" in caught.value.remedy
    bot = from_option("", BotContext("fake", entry={"url": "${VIVA_TEST_URL}"}))
    with pytest.raises(UsageError, match="password"):
        asyncio.run(bot.open("one"))


# Faults of an entry are told before anything is sent


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ({}, "bot's address is missing"),
        ({"url": "ftp://x"}, "http"),
        ({"url": "http://ü..de/"}, "not a valid host name"),
        ({"url": "http://x", "body": {"a": "b"}}, "message is never sent"),
        ({"url": "http://x", "body": {"a": "{txt}"}}, "Did you mean 'text'"),
        ({"url": "http://x", "body": "{not json"}, "neither a mapping nor JSON"),
        ({"url": "http://x", "method": "DELETE"}, "DELETE"),
        ({"url": "http://x", "reply": {"texts": "a["}}, "reply.texts"),
        ({"url": "http://x", "open": {"values": {}}}, "address `url` is missing"),
        ({"url": "http://x", "open": {"url": "http://y", "values": {"a": "["}}}, "open.values"),
        ({"url": "http://x", "headers": "none"}, "headers"),
        ({"url": "http://x", "limits": {"at_once": "many"}}, "at_once"),
    ],
)
def test_a_wrong_entry_is_refused_when_the_bot_is_made(entry: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError) as caught:
        from_option("", BotContext("fake", entry=entry))
    assert said in str(caught.value)


def test_a_bot_with_a_path_for_topics_reports_them() -> None:
    bot = from_option("", BotContext("b", entry={"url": "http://x", "reply": {"intent": "i"}}))
    assert bot.facts.reports_intent
    assert not from_option("http://x", BotContext("b")).facts.reports_intent
    silent = {"url": "http://x", "reply": {"intent": "i"}, "reports_intent": "no"}
    assert not from_option("", BotContext("b", entry=silent)).facts.reports_intent


# Reading replies


RASA = [
    {"recipient_id": "x", "text": "Hi", "buttons": [{"title": "Yes", "payload": "/y"}]},
    {"image": "u"},
    {"text": "Bye"},
]
NLPJS = {"answer": "Hello!", "intent": "greet", "score": 0.9, "entities": [{"entity": "city", "option": "perth"}]}


@pytest.mark.parametrize(
    ("payload", "reply"),
    [
        ("hi", Reply(("hi",))),
        ([], Reply()),
        ("", Reply()),
        ({"reply": None}, Reply()),
        ({"reply": ""}, Reply()),
        ({"replies": ["a", " ", "b"]}, Reply(("a", "b"))),
        ({"reply": {"text": "a"}}, Reply(("a",))),
        (RASA, Reply(("Hi", "Bye"), buttons=("Yes",))),
        (NLPJS, Reply(("Hello!",), "greet", 0.9, {"city": "perth"})),
        ({"intent": "None", "score": 1, "answer": "Eh?"}, Reply(("Eh?",), fallback=True)),
        ({"intent": {"name": "greet", "confidence": "0.5"}}, Reply((), "greet", 0.5)),
        ({"text": 5, "slots": {"n": 2, "x": None, "l": [1]}}, Reply(("5",), slots={"n": "2", "l": "[1]"})),
        ({"text": "x", "fallback": True, "guess_intent": "g"}, Reply(("x",), fallback=True, guess=Guess("g", 0.0))),
        ({"text": "x", "confidence": "high", "buttons": "One"}, Reply(("x",), buttons=("One",))),
    ],
)
def test_the_usual_shapes_are_understood(payload: Any, reply: Reply) -> None:
    found = read_reply(payload)
    assert found.raw == payload
    assert found == Reply(**{f: getattr(reply, f) for f in Reply.__slots__ if f != "raw"}, raw=payload)


@pytest.mark.parametrize("payload", [{}, {"status": "ok"}, 5, None, True, {"reply": True}, [None]])
def test_other_shapes_are_unexpected(payload: Any) -> None:
    with pytest.raises(BotError) as caught:
        read_reply(payload)
    assert caught.value.status == Status.UNEXPECTED
    assert "reply" in caught.value.remedy


def test_paths_say_where_everything_stands() -> None:
    paths = {
        "texts": "out[?kind=='text'].value",
        "intent": "nlu[0].name",
        "confidence": "nlu[0].p",
        "slots": "vars",
        "buttons": "out[].options[].label",
        "fallback": "length(nlu) == `0`",
        "guess_intent": "held.name",
        "guess_confidence": "held.p",
    }
    payload = {
        "out": [{"kind": "text", "value": "Hi"}, {"kind": "choice", "options": [{"label": "A"}, {"label": "B"}]}],
        "nlu": [{"name": "greet", "p": 0.7}],
        "vars": {"city": "Perth"},
        "held": {"name": "bye", "p": 0.2},
    }
    reply = ReplyReader(paths).read(payload)
    assert reply == Reply(
        ("Hi",), "greet", 0.7, {"city": "Perth"}, ("A", "B"), False, Guess("bye", 0.2), None, payload
    )
    assert ReplyReader(paths).read({**payload, "nlu": []}).fallback is True


def test_what_has_no_path_is_looked_for_in_the_usual_places() -> None:
    reply = ReplyReader({"intent": "top.name"}).read({"reply": "hi", "top": {"name": "greet"}, "score": 0.5})
    assert (reply.texts, reply.intent, reply.confidence) == (("hi",), "greet", 0.5)


@pytest.mark.parametrize("payload", [{"b": 1}, [], {"a": {"b": 1}}])
def test_nothing_at_the_path_of_the_reply_is_unexpected(payload: Any) -> None:
    with pytest.raises(BotError) as caught:
        ReplyReader({"texts": "a.c"}).read(payload)
    assert caught.value.status == Status.UNEXPECTED


def test_a_path_that_does_not_fit_the_answer_is_unexpected() -> None:
    with pytest.raises(BotError) as caught:
        ReplyReader({"texts": "join(', ', items)"}).read({"items": 5})
    assert caught.value.status == Status.UNEXPECTED


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)
KEYED = st.dictionaries(st.sampled_from(["texts", "reply", "intent", "score", "slots", "buttons", "fallback"]), JSON)


@given(JSON | KEYED)
def test_whatever_comes_is_a_reply_or_unexpected(payload: Any) -> None:
    reply = reply_or_status(payload)
    if isinstance(reply, str):
        assert reply == Status.UNEXPECTED
        return
    assert all(isinstance(text, str) and text.strip() for text in reply.texts)
    assert all(isinstance(text, str) for text in (*reply.buttons, *reply.slots, *reply.slots.values()))


def reply_or_status(payload: Any) -> Reply | str:
    try:
        return read_reply(payload)
    except BotError as error:
        return error.status


@given(st.binary(max_size=60) | JSON.map(lambda value: json.dumps(value).encode()))
def test_any_bytes_are_json_that_can_be_written_again_or_have_a_status(body: bytes) -> None:
    told: list[Status] = []

    def refuse(status: Status, said: str) -> BotError:
        told.append(status)
        return BotError(said, status=status)

    value = None
    with suppress(BotError):
        value = decode_json(body, refuse)
    json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
    assert told in ([], [Status.NOT_JSON], [Status.BAD_ENCODING])


@pytest.mark.parametrize("body", [b'["\\ud83d"]', b'{"\\udc00x": 1}', b"[NaN]", b"\xef\xbb\xbf[]"])
def test_half_characters_and_other_oddities_can_be_written_again(body: bytes) -> None:
    value = decode_json(body, lambda status, said: BotError(said, status=status))
    json.dumps(value, ensure_ascii=False, allow_nan=False).encode()


@pytest.mark.parametrize("depth", [150, 100_000])
def test_json_that_is_nested_without_end_is_refused(depth: int) -> None:
    with pytest.raises(BotError):
        decode_json(b"[" * depth + b"]" * depth, lambda status, said: BotError(said, status=status))


# Templates


@given(st.text(), st.text())
def test_a_message_never_leaves_its_place_in_json(text: str, session: str) -> None:
    template = json_template({"a": "<{text}>", "b": ["{session}", 1, {}]}, ("text", "session"))
    filled = json.loads(template.fill({"text": text, "session": session}))
    assert filled == {"a": f"<{text}>", "b": [session, 1, {}]}


@given(st.text())
def test_a_message_never_leaves_its_part_of_an_address_or_a_header(text: str) -> None:
    address = address_template("http://x/{text}/y", ("text",)).fill({"text": text})
    assert address.count("/") == 4
    assert not set(address) & set("?#@ \r\n")
    assert not set(header_template("{text}", ("text",)).fill({"text": text})) & set("\r\n\0")


@given(st.text("{}abc_ "))
def test_a_protected_text_comes_out_as_it_was(text: str) -> None:
    assert header_template(protect(text), ("abc",)).fill({"abc": "?"}) == text


def test_a_template_gives_no_way_into_objects() -> None:
    for text in ("{text.__class__}", "{text[0]}", "{text!r}", "{0}", "{}"):
        assert header_template(text, ("text",)).fill({"text": "x"}) == text
