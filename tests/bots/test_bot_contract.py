"""The contract check finds what is wrong with a bot, and never fails itself."""

from __future__ import annotations

import asyncio
import itertools
from typing import Any

import pytest

from vivavoce.bots import BotFacts, Limits, ScriptedBot, check_bot
from vivavoce.bots.contract import ContractReport
from vivavoce.bots.fakes import misbehaving_server
from vivavoce.bots.http import from_option
from vivavoce.bots.protocol import BotContext
from vivavoce.errors import BotError
from vivavoce.records import Guess, Reply

pytestmark = pytest.mark.slow

FAST = BotFacts("odd", limits=Limits(timeout_s=0.2))


class OddBot:
    """A bot whose every part can be replaced by something that breaks the contract."""

    def __init__(self, facts: Any = FAST, **parts: Any) -> None:
        self._facts, self.parts = facts, parts

    @property
    def facts(self) -> Any:
        if isinstance(self._facts, Exception):
            raise self._facts
        return self._facts

    async def open(self, session: str) -> Any:
        if "open" in self.parts:
            return self.parts["open"](session)
        return OddTalk(self.parts)

    async def close(self) -> None:
        self.parts.get("close", lambda: None)()


class OddTalk:
    def __init__(self, parts: dict[str, Any]) -> None:
        self.parts = parts

    async def say(self, text: str) -> Any:
        said = self.parts.get("say", lambda text: Reply((text,)))(text)
        return await said if asyncio.iscoroutine(said) else said

    async def close(self) -> None:
        self.parts.get("close_talk", lambda: None)()


def failed(report: ContractReport) -> list[str]:
    return [check.name for check in report.checks if not check.passed]


def fails(*_: Any) -> Any:
    raise RuntimeError("on purpose")


def test_a_good_bot_passes() -> None:
    report = check_bot(
        ScriptedBot(default=lambda text: Reply((text,), "echo", 1.0, fallback=False), reports_intent=True)
    )
    assert failed(report) == []
    assert report.passed
    assert report.tells["intent"] == report.tells["confidence"] == report.tells["fallback"] == report.replies
    assert len(report.seconds) == report.replies > 8
    assert report.to_json()["passed"] is True


def test_a_list_of_texts_is_read_as_a_tuple() -> None:
    assert check_bot(OddBot(say=lambda _: Reply(["list"], buttons=["yes"]))).passed  # type: ignore[arg-type]


def test_messages_can_be_chosen() -> None:
    bot = ScriptedBot()
    check_bot(bot, messages=["book a flight"])
    assert any("book a flight" in said for said in bot.said.values())


def test_it_can_be_called_where_an_event_loop_runs() -> None:
    async def held() -> ContractReport:
        return check_bot(ScriptedBot())

    assert asyncio.run(held()).passed


@pytest.mark.parametrize(
    ("bot", "names"),
    [
        (OddBot(facts=RuntimeError("x")), "says who it is"),
        (OddBot(facts=5), "says who it is"),
        (OddBot(facts=BotFacts(" ")), "says who it is"),
        (OddBot(open=fails), "opens two conversations at once"),
        (OddBot(say=fails), "answers 'hello'"),
        (OddBot(say=lambda _: "text"), "answers 'hello'"),
        (OddBot(say=lambda _: Reply("text")), "answers 'hello'"),  # type: ignore[arg-type]
        (OddBot(say=lambda _: Reply([5])), "answers 'hello'"),  # type: ignore[arg-type]
        (object(), "opens two conversations at once"),
        (OddBot(say=lambda _: Reply(("x",), confidence=80)), "answers 'hello'"),
        (OddBot(say=lambda _: Reply(("x",), intent=5)), "answers 'hello'"),  # type: ignore[arg-type]
        (OddBot(say=lambda _: Reply(("x",), slots={"a": 1})), "answers 'hello'"),  # type: ignore[dict-item]
        (OddBot(say=lambda _: Reply(("x",), fallback="no")), "answers 'hello'"),  # type: ignore[arg-type]
        (OddBot(say=lambda _: Reply(("x",), guess="a")), "answers 'hello'"),  # type: ignore[arg-type]
        (OddBot(say=lambda _: Reply(("x",), raw=object())), "answers 'hello'"),
        (OddBot(say=lambda _: Reply(("\ud800",))), "answers 'hello'"),
        (OddBot(say=lambda _: Reply()), "answers 'hello'"),
        (OddBot(say=lambda _: asyncio.sleep(60)), "answers 'hello'"),
        (OddBot(say=lambda text: fails() if len(text) > 999 else Reply(("x",))), "handles a very long message"),
        (OddBot(say=lambda text: fails() if "👋" in text else Reply(("x",))), "handles emoji"),
        (OddBot(close=fails), "the bot closes, even twice"),
        (OddBot(close_talk=fails), "closes a conversation, even twice"),
        (OddBot(facts=BotFacts("x", reports_intent=True)), "reports what it declares"),
    ],
)
def test_each_breach_is_found_and_nothing_is_raised(bot: Any, names: str) -> None:
    report = check_bot(bot)
    assert names in failed(report)
    assert not report.passed
    assert all(check.note for check in report.checks if not check.passed)


def test_a_bot_that_closes_only_once_is_found() -> None:
    closes = itertools.count()
    report = check_bot(OddBot(close=lambda: fails() if next(closes) else None))  # type: ignore[arg-type]
    assert failed(report) == ["the bot closes, even twice"]


def test_talks_that_are_mixed_up_are_found() -> None:
    heard: list[str] = []

    def remember(text: str) -> Reply:
        heard.append(text)
        return Reply((" ".join(heard[-4:]),))

    report = check_bot(OddBot(say=remember))  # type: ignore[arg-type]
    assert failed(report) == ["keeps conversations apart"]


def test_where_talks_cannot_be_told_apart_it_says_so() -> None:
    apart = next(check for check in check_bot(ScriptedBot()).checks if check.name == "keeps conversations apart")
    assert apart.passed
    assert "not verifiable" in apart.note


def test_a_bot_that_tells_more_than_declared_gets_advice() -> None:
    report = check_bot(ScriptedBot(default=Reply(("x",), "greet", guess=Guess("a", 0.1), buttons=("b",))))
    assert report.passed
    assert "reports_intent: yes" in report.checks[-1].note
    assert report.tells["buttons"] == report.tells["guess"] == report.replies


def test_failures_are_told_with_their_status() -> None:
    def closed(_: str) -> Reply:
        raise BotError("it went away", status="closed")

    report = check_bot(OddBot(say=closed))  # type: ignore[arg-type]
    assert any(check.note == "closed: it went away" for check in report.checks)


def test_a_bot_behind_http_keeps_the_contract() -> None:
    async def held() -> ContractReport:
        async with misbehaving_server() as fake:
            return await asyncio.to_thread(check_bot, from_option(fake.url, BotContext("fake")))

    report = asyncio.run(held())
    assert failed(report) == []
    assert "fake" in report.checks[0].note
