"""Whether a bot keeps the contract: it can be talked to, twice at once, and says what a reply says."""

from __future__ import annotations

import asyncio
import json
import math
import time
from collections import Counter
from collections.abc import Coroutine, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from statistics import median
from typing import Any, cast

from vivavoce.bots.protocol import Bot, BotFacts, Talk
from vivavoce.bots.sessions import new_session
from vivavoce.bots.shapes import settled
from vivavoce.errors import BotError, UsageError, VivaError
from vivavoce.records import Guess, Reply

__all__ = ["NEEDS", "Check", "ContractReport", "check_bot", "checked", "hold_checks"]

NEEDS = "a bot has `facts` (a BotFacts with a name), `async open(session)` and `async close()`"

MESSAGES = ("hello", "What can you do?", "thank you")
ODD_MESSAGES: Mapping[str, str] = {
    "one mark": "?",
    "a very long message": "I would like to know more about this. " * 110,
    "emoji": "👋🏽 café 你好 👩‍👩‍👧",
    "quotes and brackets": '"it\'s" {text} {{x}} ${HOME} <b>&amp;</b> \\n 100% [a](b)',
    "several lines": "first line\nsecond line\ttab",
}
# Words that no bot says of itself: where one comes back in the other talk, the talks are mixed up.
_MARKS = ("zebulonqx", "marquisevy")
TELLS = ("intent", "confidence", "slots", "buttons", "fallback", "guess", "actions")


@dataclass(frozen=True)
class Check:
    """One thing that was tried: its name, whether it went well, and what there is to say."""

    name: str
    passed: bool
    note: str = ""


@dataclass(frozen=True)
class ContractReport:
    """What was found about a bot. `tells`: in how many replies it told its topic and so on."""

    bot: str
    checks: tuple[Check, ...]
    tells: Mapping[str, int] = field(default_factory=dict)
    replies: int = 0
    seconds: tuple[float, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether every check went well."""
        return all(check.passed for check in self.checks)

    @property
    def typical_s(self) -> float | None:
        """The median of the seconds for a reply."""
        return median(self.seconds) if self.seconds else None

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {
            "bot": self.bot,
            "passed": self.passed,
            "checks": [asdict(check) for check in self.checks],
            "tells": dict(self.tells),
            "replies": self.replies,
            "typical_s": self.typical_s,
            "slowest_s": max(self.seconds, default=None),
        }


def check_bot(bot: Bot, *, messages: Sequence[str] = MESSAGES) -> ContractReport:
    """Try a bot out and say what was found; never raises, whatever the bot does. Closes the bot."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(hold_checks(bot, messages=messages))
    # An event loop runs here already (a notebook): the talks get one of their own.
    with ThreadPoolExecutor(1) as threads:
        return threads.submit(lambda: asyncio.run(hold_checks(bot, messages=messages))).result()


def checked(bot: object, where: str = "") -> Bot:
    """Return what can be talked to; refuse what is no bot by its parts alone. Nothing is opened."""
    try:
        known_facts(bot)
    except Exception as error:
        raise UsageError(f"this is not a bot: {_describe(error)}", where=where, remedy=NEEDS) from error
    missing = [name for name in ("open", "close") if not callable(getattr(bot, name, None))]
    if missing:
        what = f"this is not a bot: a {type(bot).__name__} has no `{'` and no `'.join(missing)}`"
        raise UsageError(what, where=where, remedy=NEEDS)
    return cast("Bot", bot)


async def hold_checks(bot: Bot, *, messages: Sequence[str] = MESSAGES) -> ContractReport:
    """Do as `check_bot`, where an event loop already runs."""
    found = _Findings()
    facts = _read_facts(bot, found)
    limit = facts.limits.timeout_s if facts else 30.0
    talks = await _open_two(bot, found, limit)
    if talks:
        await _talk(talks, found, limit, messages)
        await _close_twice("a talk closes, even twice", talks, found, limit)
    await _close_twice("the bot closes, even twice", [bot], found, limit)
    if facts:
        _compare(facts, found)
    name = facts.name if facts else type(bot).__name__
    return ContractReport(name, tuple(found.checks), dict(found.tells), found.replies, tuple(found.seconds))


@dataclass
class _Findings:
    """What has been found so far."""

    checks: list[Check] = field(default_factory=list)
    tells: Counter[str] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)
    replies: int = 0

    def note(self, name: str, faults: Sequence[str], good: str = "") -> None:
        self.checks.append(Check(name, not faults, "; ".join(dict.fromkeys(faults)) or good))


def _read_facts(bot: Bot, found: _Findings) -> BotFacts | None:
    try:
        facts = known_facts(bot)
        json.dumps(asdict(facts))
    except Exception as error:
        found.note("says who it is", [_describe(error)])
        return None
    found.note("says who it is", [], f"{facts.name}: {facts.about}" if facts.about else facts.name)
    return facts


def known_facts(bot: object) -> BotFacts:
    """Return what a bot says of itself; UsageError where it says nothing that can be used."""
    if not hasattr(bot, "facts"):
        raise UsageError(f"a {type(bot).__name__} has no `facts`", remedy=NEEDS)
    facts = bot.facts
    if not isinstance(facts, BotFacts):
        raise UsageError(f"`facts` is {type(facts).__name__}, not BotFacts", remedy=NEEDS)
    if not (isinstance(facts.name, str) and facts.name.strip()):
        raise UsageError("the name is empty", remedy=NEEDS)
    return facts


async def _open_two(bot: Bot, found: _Findings, limit: float) -> list[Talk]:
    opened = await asyncio.gather(*(_timed(_begin(bot), limit) for _ in _MARKS), return_exceptions=True)
    faults = [_describe(result) for result in opened if isinstance(result, BaseException)]
    found.note("opens two talks at once", faults)
    return [result for result in opened if not isinstance(result, BaseException)]


async def _begin(bot: Bot) -> Talk:
    # What is no bot at all fails here, where it is counted.
    return await bot.open(new_session())


async def _talk(talks: list[Talk], found: _Findings, limit: float, messages: Sequence[str]) -> None:
    for message in messages:
        reply, faults = await _say(talks[0], message, found, limit)
        if reply is not None and not reply.shown:
            faults.append("the reply is empty")
        found.note(f"answers '{message[:40]}'", faults, _shown(reply))
    for name, message in ODD_MESSAGES.items():
        reply, faults = await _say(talks[0], message, found, limit)
        found.note(f"bears {name}", faults, _shown(reply))
    if len(talks) == 2:
        await _apart(talks, found, limit)


async def _apart(talks: list[Talk], found: _Findings, limit: float) -> None:
    said = [f"my name is {mark}" for mark in _MARKS]
    first = await asyncio.gather(*(_say(t, s, found, limit) for t, s in zip(talks, said, strict=True)))
    again = await asyncio.gather(*(_say(talk, "what is my name?", found, limit) for talk in talks))
    faults = [fault for _, more in (*first, *again) for fault in more]
    texts = [" ".join(r.text.lower() for r, _ in pair if r is not None) for pair in zip(first, again, strict=True)]
    mixed = [mark for mark, other in zip(_MARKS, reversed(texts), strict=True) if mark in other]
    if mixed:
        faults.append("what was said in one talk came back in the other")
    told = any(mark in text for mark, text in zip(_MARKS, texts, strict=True))
    found.note("keeps talks apart", faults, "" if told else "nothing came back in either, so this cannot be told")


async def _say(talk: Talk, text: str, found: _Findings, limit: float) -> tuple[Reply | None, list[str]]:
    began = time.perf_counter()
    try:
        reply = settled(await _timed(talk.say(text), limit))
    except Exception as error:
        return None, [_describe(error)]
    found.seconds.append(time.perf_counter() - began)
    faults = _reply_faults(reply)
    if faults:
        return None, faults
    found.replies += 1
    found.tells.update(name for name in TELLS if getattr(reply, name) not in (None, {}, ()))
    return reply, []


async def _timed(action: Coroutine[Any, Any, Any], limit: float) -> Any:
    try:
        async with asyncio.timeout(limit):
            return await action
    except TimeoutError:
        raise BotError(f"no answer within {limit:g} s", status="timeout") from None


def _reply_faults(reply: Reply) -> list[str]:
    faults = []
    if reply.intent is not None and not isinstance(reply.intent, str):
        faults.append("`intent` is neither a text nor None")
    share = reply.confidence
    if share is not None and not (isinstance(share, int | float) and math.isfinite(share) and 0 <= share <= 1):
        faults.append(f"`confidence` is {reply.confidence!r}, not a number from 0 to 1")
    if not all(isinstance(item, str) for pair in dict(reply.slots).items() for item in pair):
        faults.append("`slots` holds more than texts")
    if reply.fallback not in (None, True, False):
        faults.append("`fallback` is neither True, False nor None")
    if reply.guess is not None and not isinstance(reply.guess, Guess):
        faults.append("`guess` is neither a Guess nor None")
    try:
        json.dumps([reply.texts, reply.raw], ensure_ascii=False).encode()
    except (TypeError, ValueError, RecursionError) as error:
        faults.append(f"`raw` cannot be written as JSON: {error}")
    return faults


async def _close_twice(name: str, opened: Sequence[Bot | Talk], found: _Findings, limit: float) -> None:
    faults = []
    for one in (*opened, *opened):
        try:
            await _timed(one.close(), limit)
        except Exception as error:
            faults.append(_describe(error))
    found.note(name, faults)


def _compare(facts: BotFacts, found: _Findings) -> None:
    """Say where what a bot tells and what is declared of it do not agree."""
    faults = []
    if not found.replies:
        return
    if facts.reports_intent and not found.tells["intent"] and not found.tells["fallback"]:
        faults.append("it is declared to tell topics, and told none in any reply")
    told = "it tells topics: with `reports_intent: yes` they are judged too"
    advice = told if found.tells["intent"] and not facts.reports_intent else ""
    found.note("tells what is declared", faults, advice)


def _describe(error: BaseException) -> str:
    if isinstance(error, BotError):
        return f"{error.status}: {error.what}"
    return error.what if isinstance(error, VivaError) else f"{type(error).__name__}: {error}"


def _shown(reply: Reply | None) -> str:
    if reply is None:
        return ""
    text = " ".join(reply.text.split())
    return text if len(text) <= 80 else f"{text[:77]}..."
