"""A bot of the user's own in Python is found by its name, whatever its form."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from vivavoce.bots.protocol import Bot, BotContext
from vivavoce.bots.python import from_option
from vivavoce.errors import BotError, UsageError
from vivavoce.records import Reply, Status

MODULE = """
import asyncio, threading
from dataclasses import dataclass
from vivavoce.records import Reply
from vivavoce.bots import ScriptedBot

def plain(text): return text.upper()
async def later(text):
    await asyncio.sleep(0)
    return [text, "more"]
def told(text): return {"reply": "ok", "intent": "greet", "score": 0.5}
def whole(text): return Reply((text,), fallback=True)
def nothing(text): return None
def with_session(text, session): return f"{session}: {text}"
def with_default(text="x"): return text
def thread(text): return threading.current_thread().name
def fails(text): raise ValueError("no such thing\\nmore")
def odd(text): return 5j
def three(a, b, c): return "x"
number = 5

class Counter:
    closed = []
    def __init__(self): self.n = 0
    def say(self, text):
        self.n += 1
        return str(self.n)
    def close(self): Counter.closed.append(self.n)

class Named:
    def __init__(self, session): self.session = session
    async def __call__(self, text): return self.session

@dataclass
class Data:
    word: str = "data"
    async def say(self, text): return self.word

class Broken:
    def __init__(self): raise RuntimeError("no model")

def make(): return Counter()
def make_nothing(): return 5
ready = Data("ready")
whole_bot = ScriptedBot(name="inside")
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "my_own_bot.py").write_text(MODULE, encoding="utf-8")
    yield tmp_path
    for name in [name for name in sys.modules if name.endswith("my_own_bot")]:
        del sys.modules[name]


def named(attribute: str) -> Bot:
    return from_option(f"my_own_bot:{attribute}", BotContext("mine"))


def replies(bot: Bot, *messages: str, sessions: tuple[str, ...] = ("one",)) -> list[Reply]:
    async def held() -> list[Reply]:
        talks = [await bot.open(session) for session in sessions]
        try:
            return [await talk.say(message) for message in messages for talk in talks]
        finally:
            for talk in (*talks, *talks):
                await talk.close()
            await bot.close()
            await bot.close()

    return asyncio.run(held())


@pytest.mark.parametrize(
    ("attribute", "texts"),
    [
        ("plain", ("HI",)),
        ("later", ("hi", "more")),
        ("told", ("ok",)),
        ("whole", ("hi",)),
        ("nothing", ()),
        ("with_session", ("one: hi",)),
        ("with_default", ("hi",)),
        ("Counter", ("1",)),
        ("make", ("1",)),
        ("Named", ("one",)),
        ("Data", ("data",)),
        ("ready", ("ready",)),
        ("ready.say", ("ready",)),
        ("whole_bot", ("Hello.",)),
    ],
)
def test_every_form_can_be_talked_to(attribute: str, texts: tuple[str, ...]) -> None:
    assert replies(named(attribute), "hi")[0].texts == texts


def test_a_file_can_be_named_by_its_path(folder: Path) -> None:
    bot = from_option(f"{folder / 'my_own_bot.py'}:Data", BotContext("mine"))
    assert replies(bot, "hi")[0].texts == ("data",)


@pytest.mark.parametrize("attribute", ["Counter", "make"])
def test_each_talk_has_an_object_of_its_own(attribute: str) -> None:
    found = replies(named(attribute), "a", "b", sessions=("x", "y"))
    assert [reply.text for reply in found] == ["1", "1", "2", "2"]


def test_an_object_is_closed_once() -> None:
    replies(named("Counter"), "a")
    assert sys.modules["my_own_bot"].Counter.closed == [1]


def test_what_a_function_tells_is_read() -> None:
    reply = replies(named("told"), "hi")[0]
    assert (reply.intent, reply.confidence) == ("greet", 0.5)


def test_a_function_that_blocks_runs_in_a_thread() -> None:
    assert replies(named("thread"), "hi")[0].text != threading.current_thread().name


@pytest.mark.parametrize(
    ("attribute", "status", "said"),
    [
        ("fails", Status.FAILED, "ValueError: no such thing"),
        ("odd", Status.UNEXPECTED, "complex"),
        ("Broken", Status.FAILED, "RuntimeError: no model"),
        ("make_nothing", Status.FAILED, "cannot receive messages"),
    ],
)
def test_what_goes_wrong_has_a_status_and_its_words(attribute: str, status: Status, said: str) -> None:
    with pytest.raises(BotError) as caught:
        replies(named(attribute), "hi")
    assert caught.value.status == status
    assert said in caught.value.what


def test_an_error_leads_to_its_line() -> None:
    with pytest.raises(BotError) as caught:
        replies(named("fails"), "hi")
    assert "my_own_bot.py, line " in caught.value.remedy


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ("my_own_bot", "does not name"),
        ("my_own_bot:plian", "Did you mean 'plain'"),
        ("my_own_bot:three", "not a bot"),
        ("my_own_bot:number", "not a bot"),
        ("not_there:f", "cannot import"),
        ("not_there.py:f", "cannot import"),
    ],
)
def test_what_cannot_be_found_is_refused(option: str, said: str) -> None:
    with pytest.raises(UsageError, match=said) as caught:
        from_option(option, BotContext("mine"))
    assert caught.value.remedy


@pytest.mark.parametrize("code", ["raise ValueError(__name__)", "def plain(text): return text"])
def test_errors_tell_of_the_file_and_not_of_a_name_inside(folder: Path, code: str) -> None:
    (folder / "mine.py").write_text(code, encoding="utf-8")
    with pytest.raises(UsageError, match=r"mine\.py") as caught:
        from_option("mine.py:plian", BotContext("mine"))
    assert "vivavoce_bot" not in str(caught.value)
