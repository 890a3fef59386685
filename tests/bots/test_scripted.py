"""A scripted bot does as it is told, the same way each time."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from vivavoce.bots import ScriptedBot
from vivavoce.bots.protocol import BotContext
from vivavoce.bots.scripted import BESIDE, SORRY, from_option
from vivavoce.errors import BotError, UsageError
from vivavoce.records import Reply, Status


def outcomes(bot: ScriptedBot, *messages: str, session: str = "one") -> list[str]:
    """Say messages in one talk and return the replies, or the status of each failure."""

    async def held() -> list[str]:
        talk = await bot.open(session)
        found = []
        for message in messages:
            try:
                found.append((await talk.say(message)).text)
            except BotError as error:
                found.append(error.status)
        await talk.close()
        await bot.close()
        return found

    return asyncio.run(held())


def named(option: str, **entry: object) -> ScriptedBot:
    return from_option(option, BotContext("it", entry=entry))


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ("", "Hello."),
        ("fixed=Good: morning=all", "Good: morning=all"),
        ("fixed:Hi", "Hi"),
        ("echo", "what?"),
        ("slow=0", "Hello."),
        ("failing=closed", "closed"),
        ("failing", "server_error"),
        ("wrong", BESIDE),
        ("fallback", SORRY),
        ("flaky=1", "server_error"),
        ("flaky=0", "Hello."),
        ("perfect", SORRY),
    ],
)
def test_each_mode_says_its_own(option: str, said: str) -> None:
    assert outcomes(named(option), "what?") == [said]


def test_a_mapping_says_what_is_answered() -> None:
    bot = ScriptedBot({"hi": "Hello!", "two": ["a", "b"], "x": Reply(("y",), "greet", 0.5)}, default=str.upper)
    assert outcomes(bot, "hi", "two", "x", "else") == ["Hello!", "a\nb", "y", "ELSE"]
    assert bot.answer("x").intent == "greet"


def test_a_perfect_bot_reads_its_answers_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "answers.yaml"
    path.write_text("hi: Hello!\nbook it: {reply: Booked., intent: book, slots: {city: Perth}}\n", encoding="utf-8")
    bot = named(f"perfect={path}")
    assert outcomes(bot, "hi", "book it", "else") == ["Hello!", "Booked.", SORRY]
    assert (bot.answer("book it").intent, bot.answer("book it").slots) == ("book", {"city": "Perth"})
    assert bot.answer("else").fallback is True


def test_an_entry_says_the_same_as_python() -> None:
    bot = named("", replies={"hi": "Hello!"}, default=["a", "b"], reports_intent="yes", limits={"at_once": "3"})
    assert outcomes(bot, "hi", "else") == ["Hello!", "a\nb"]
    assert (bot.facts.reports_intent, bot.facts.limits.at_once, bot.facts.name) == (True, 3, "it")


def test_a_flaky_bot_fails_at_the_same_messages_each_time() -> None:
    messages = [str(number) for number in range(60)]
    first = outcomes(ScriptedBot(flaky=0.5, seed=3), *messages)
    assert first == outcomes(ScriptedBot(flaky=0.5, seed=3), *messages)
    assert first != outcomes(ScriptedBot(flaky=0.5, seed=4), *messages)
    assert first != outcomes(ScriptedBot(flaky=0.5, seed=3), *messages, session="two")
    assert set(first) == {"Hello.", Status.SERVER_ERROR}


def test_each_message_is_turned_away_before_it_is_answered() -> None:
    bot = named("rate-limited=2")
    away = [Status.RATE_LIMITED] * 2
    assert outcomes(bot, "a", "a", "a", "b", "b", "b") == [*away, "Hello.", *away, "Hello."]


def test_a_rate_limited_bot_asks_for_patience() -> None:
    async def held() -> float | None:
        talk = await named("rate-limited").open("one")
        with pytest.raises(BotError) as caught:
            await talk.say("hi")
        return caught.value.retry_after

    assert asyncio.run(held()) is not None


def test_a_slow_bot_can_be_given_up() -> None:
    async def held() -> None:
        talk = await named("slow=30").open("one")
        async with asyncio.timeout(0.01):
            await talk.say("hi")

    with pytest.raises(TimeoutError):
        asyncio.run(held())


def test_what_was_said_is_kept_by_session() -> None:
    bot = ScriptedBot()
    outcomes(bot, "a", "b", session="x")
    outcomes(bot, "c", session="y")
    assert bot.said == {"x": ["a", "b"], "y": ["c"]}


@pytest.mark.parametrize("option", ["fxed", "slow=soon", "flaky=2", "failing=close", "rate-limited=x", "failing=ok"])
def test_what_cannot_be_done_is_refused(option: str) -> None:
    with pytest.raises(UsageError) as caught:
        named(option)
    assert caught.value.remedy
