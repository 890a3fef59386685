"""A language model behind a chat endpoint: messages of a talk are kept, the key is not."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from vivavoce.bots.fakes import FakeServer, misbehaving_server
from vivavoce.bots.openai import OPENAI, from_option
from vivavoce.bots.protocol import BotContext
from vivavoce.errors import BotError, UsageError
from vivavoce.records import Reply, Status

USAGE = {"prompt_tokens": 3, "completion_tokens": 5}


@pytest.fixture(autouse=True)
def no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)


def says(content: Any, **more: Any) -> dict[str, Any]:
    message = {"role": "assistant", "content": content, **more}
    return {"choices": [{"index": 0, "finish_reason": "stop", "message": message}], "usage": USAGE}


def talk_to(*messages: str, reply: Any, seed: int = 0, **entry: Any) -> tuple[list[Reply], FakeServer]:
    async def held() -> tuple[list[Reply], FakeServer]:
        async with misbehaving_server(reply=reply) as fake:
            context = BotContext("llm", entry={"model": "tiny", "base_url": f"{fake.url}/v1/", **entry}, seed=seed)
            bot = from_option("", context)
            try:
                talk = await bot.open("one")
                return [await talk.say(message) for message in messages], fake
            finally:
                await talk.close()
                await bot.close()
                await bot.close()

    return asyncio.run(held())


def test_the_talk_so_far_is_sent_with_each_message() -> None:
    replies, fake = talk_to("hello", "and now?", reply=says("Hi!"), system="Be kind.", seed=7)
    assert [reply.texts for reply in replies] == [("Hi!",), ("Hi!",)]
    assert [request.path for request in fake.requests] == ["/v1/chat/completions"] * 2
    body = fake.requests[1].json
    assert [(m["role"], m["content"]) for m in body["messages"]] == [
        ("system", "Be kind."),
        ("user", "hello"),
        ("assistant", "Hi!"),
        ("user", "and now?"),
    ]
    assert (body["model"], body["temperature"], body["seed"], body["max_tokens"]) == ("tiny", 0, 7, 512)


def test_settings_can_be_changed_and_left_out() -> None:
    more = {"temperature": "0.5", "seed": "none", "max_tokens": "none", "extra": '{"max_completion_tokens": 9}'}
    _, fake = talk_to("hi", reply=says("x"), **more)
    assert {key: value for key, value in fake.requests[0].json.items() if key != "messages"} == {
        "model": "tiny",
        "temperature": 0.5,
        "max_completion_tokens": 9,
    }


def test_two_talks_know_nothing_of_each_other() -> None:
    async def held() -> list[int]:
        async with misbehaving_server(reply=says("Hi!")) as fake:
            bot = from_option(f"tiny@{fake.url}", BotContext("llm"))
            for session in ("a", "b"):
                await (await bot.open(session)).say("hello")
            await bot.close()
            return [len(request.json["messages"]) for request in fake.requests]

    assert asyncio.run(held()) == [1, 1]


def test_usage_and_the_reason_of_the_end_are_kept() -> None:
    cut = says("The answer is")
    cut["choices"][0]["finish_reason"] = "length"
    replies, _ = talk_to("hi", reply=cut)
    raw: Any = replies[0].raw
    assert (raw["usage"], raw["choices"][0]["finish_reason"]) == (USAGE, "length")


@pytest.mark.parametrize("content", [None, "", "  ", []])
def test_a_model_that_only_reasons_says_nothing(content: Any) -> None:
    replies, fake = talk_to("hi", "again", reply=says(content, reasoning="hmm"))
    assert [reply.texts for reply in replies] == [(), ()]
    assert len(fake.requests[1].json["messages"]) == 1, "a message without an answer does not stay in the talk"


def test_parts_of_a_message_are_joined() -> None:
    replies, _ = talk_to("hi", reply=says([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]))
    assert replies[0].texts == ("ab",)


@pytest.mark.parametrize("reply", [{"choices": []}, {"error": "x"}, [], {"choices": [{"text": "old"}]}])
def test_another_kind_of_answer_is_unexpected(reply: Any) -> None:
    with pytest.raises(BotError) as caught:
        talk_to("hi", reply=reply)
    assert caught.value.status == Status.UNEXPECTED


def test_a_failed_message_is_sent_once_more_not_twice() -> None:
    async def held() -> list[list[str]]:
        async with misbehaving_server("429", reply=says("Hi!")) as fake:
            bot = from_option(f"tiny@{fake.url}", BotContext("llm"))
            talk = await bot.open("one")
            with pytest.raises(BotError):
                await talk.say("hello")
            await talk.say("hello")
            await bot.close()
            return [[m["content"] for m in request.json["messages"]] for request in fake.requests]

    assert asyncio.run(held()) == [["hello"], ["hello"]]


def test_the_key_is_sent_and_shown_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VIVA_TEST_KEY", "sk-very-hidden")
    replies, fake = talk_to("hi", reply=says("your key is sk-very-hidden"), api_key="${VIVA_TEST_KEY}")
    assert fake.requests[0].headers["authorization"] == "Bearer sk-very-hidden"
    assert replies[0].texts == ("your key is ***",)
    assert "hidden" not in repr(replies)


def test_the_usual_variable_gives_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-usual")
    _, fake = talk_to("hi", reply=says("x"))
    assert fake.requests[0].headers["authorization"] == "Bearer sk-usual"


def test_without_a_key_none_is_sent() -> None:
    _, fake = talk_to("hi", reply=says("x"))
    assert "authorization" not in fake.requests[0].headers


def test_the_service_itself_needs_its_key() -> None:
    bot = from_option("gpt", BotContext("llm"))
    assert OPENAI in bot.facts.about
    with pytest.raises(BotError, match="OPENAI_API_KEY"):
        asyncio.run(bot.open("one"))


def test_a_prompt_may_stand_in_a_file(tmp_path: Path) -> None:
    path = tmp_path / "prompt.txt"
    path.write_text("You sell flights. ${NOT_A_VARIABLE}\n", encoding="utf-8")
    _, fake = talk_to("hi", reply=says("x"), prompt_file=str(path))
    assert fake.requests[0].json["messages"][0]["content"] == "You sell flights. ${NOT_A_VARIABLE}"


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ({}, "model is missing"),
        ({"model": "m", "system": "a", "prompt_file": "b"}, "cannot be combined"),
        ({"model": "m", "prompt_file": "nowhere.txt"}, "cannot be read"),
        ({"model": "m", "temperature": "hot"}, "temperature"),
        ({"model": "m", "extra": "[1]"}, "extra"),
        ({"model": "m", "base_url": "example.org"}, "http"),
    ],
)
def test_a_wrong_entry_is_refused_when_the_bot_is_made(entry: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        from_option("", BotContext("llm", entry=entry))


def test_the_option_names_model_and_address() -> None:
    bot = from_option("org/model:8b@http://localhost:8080/v1", BotContext("llm"))
    assert bot.facts.about == "org/model:8b at http://localhost:8080/v1"
    assert not bot.facts.reports_intent
