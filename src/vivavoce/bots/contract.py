"""Whether a bot keeps the contract: it can be talked to, twice at once, and says what a reply says."""

from __future__ import annotations

import asyncio
import json
import math
import time
from collections import Counter
from collections.abc import Coroutine, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from statistics import median
from typing import Any, cast

from vivavoce.bots.asking import new_session
from vivavoce.bots.loops import run_to_end
from vivavoce.bots.protocol import Bot, BotFacts, Conversation
from vivavoce.bots.shapes import check_reply
from vivavoce.errors import BotError, UsageError, VivaError
from vivavoce.records import Guess, Reply

NEEDS = "a bot has `facts` (a BotFacts with a name), `async open(session)` and `async close()`"

MESSAGES = ("hello", "What can you do?", "thank you")
ODD_MESSAGES: Mapping[str, str] = {
    "a single punctuation mark": "?",
    "a very long message": "I would like to know more about this. " * 110,
    "emoji": "👋🏽 café 你好 👩‍👩‍👧",
    "quotes and brackets": '"it\'s" {text} {{x}} ${HOME} <b>&amp;</b> \\n 100% [a](b)',
    "several lines": "first line\nsecond line\ttab",
}
# Names that no bot uses for itself: if one comes back in the other conversation, the two are mixed up.
_NAMES = ("zebulonqx", "marquisevy")
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
    return run_to_end(hold_checks(bot, messages=messages))


def check_parts(bot: object, where: str = "") -> Bot:
    """Return a bot as it is; refuse what is no bot by its parts alone. Nothing is opened."""
    try:
        _read_facts(bot)
    except Exception as error:
        raise UsageError(f"this is not a bot: {_describe(error)}", where=where, remedy=NEEDS) from error
    missing = [name for name in ("open", "close") if not callable(getattr(bot, name, None))]
    if missing:
        what = f"this is not a bot: a {type(bot).__name__} has no `{'` and no `'.join(missing)}`"
        raise UsageError(what, where=where, remedy=NEEDS)
    return cast("Bot", bot)


async def hold_checks(bot: Bot, *, messages: Sequence[str] = MESSAGES) -> ContractReport:
    """Do as `check_bot`, where an event loop already runs."""
    trial, facts = _Trial(), None
    try:
        facts = _read_facts(bot)
        json.dumps(asdict(facts))
        trial.limit = facts.limits.timeout_s
        trial.note("says who it is", [], f"{facts.name}: {facts.about}" if facts.about else facts.name)
    except Exception as error:
        facts = None
        trial.note("says who it is", [_describe(error)])
    conversations = await trial.open_two(bot)
    if conversations:
        await trial.send(conversations[0], messages)
        if len(conversations) == 2:
            await trial.compare_conversations(conversations)
        await trial.close_twice("closes a conversation, even twice", conversations)
    await trial.close_twice("the bot closes, even twice", [bot])
    if facts and trial.replies:
        topics = trial.tells["intent"]
        silent = facts.reports_intent and not topics and not trial.tells["fallback"]
        faults = ["declared to report topics, but no reply contained one"] if silent else []
        advice = "it reports topics: set `reports_intent: yes` to have them checked too"
        trial.note("reports what it declares", faults, advice if topics and not facts.reports_intent else "")
    name = facts.name if facts else type(bot).__name__
    return ContractReport(name, tuple(trial.checks), dict(trial.tells), trial.replies, tuple(trial.seconds))


class _Trial:
    """The checks of one bot so far. `limit`: seconds for a reply."""

    def __init__(self) -> None:
        self.checks: list[Check] = []
        self.tells: Counter[str] = Counter()
        self.seconds: list[float] = []
        self.replies = 0
        self.limit = 30.0

    def note(self, name: str, faults: Sequence[str], good: str = "") -> None:
        self.checks.append(Check(name, not faults, "; ".join(dict.fromkeys(faults)) or good))

    async def open_two(self, bot: Bot) -> list[Conversation]:
        async def begin() -> Conversation:
            # What is no bot at all fails here, where it is counted.
            return await bot.open(new_session())

        results = await asyncio.gather(*(self._wait(begin()) for _ in _NAMES), return_exceptions=True)
        faults = [_describe(result) for result in results if isinstance(result, BaseException)]
        self.note("opens two conversations at once", faults)
        return [result for result in results if not isinstance(result, BaseException)]

    async def send(self, conversation: Conversation, messages: Sequence[str]) -> None:
        for message in messages:
            reply, faults = await self._say(conversation, message)
            if reply is not None and not reply.shown:
                faults.append("the reply is empty")
            self.note(f"answers '{message[:40]}'", faults, _shorten(reply))
        for name, message in ODD_MESSAGES.items():
            reply, faults = await self._say(conversation, message)
            self.note(f"handles {name}", faults, _shorten(reply))

    async def compare_conversations(self, conversations: list[Conversation]) -> None:
        pairs = zip(conversations, _NAMES, strict=True)
        first = await asyncio.gather(*(self._say(conversation, f"my name is {name}") for conversation, name in pairs))
        again = await asyncio.gather(*(self._say(conversation, "what is my name?") for conversation in conversations))
        faults = [fault for _, more in (*first, *again) for fault in more]
        texts = [
            " ".join(r.text.lower() for r, _ in pair if r is not None) for pair in zip(first, again, strict=True)
        ]
        if any(name in other for name, other in zip(_NAMES, reversed(texts), strict=True)):
            faults.append("a message from one conversation came back in the other")
        remembers = any(name in text for name, text in zip(_NAMES, texts, strict=True))
        self.note(
            "keeps conversations apart",
            faults,
            "" if remembers else "not verifiable: neither conversation repeated its message",
        )

    async def close_twice(self, name: str, opened: Sequence[Bot | Conversation]) -> None:
        faults = []
        for item in (*opened, *opened):
            try:
                await self._wait(item.close())
            except Exception as error:
                faults.append(_describe(error))
        self.note(name, faults)

    async def _say(self, conversation: Conversation, text: str) -> tuple[Reply | None, list[str]]:
        began = time.perf_counter()
        try:
            reply = check_reply(await self._wait(conversation.say(text)))
        except Exception as error:
            return None, [_describe(error)]
        self.seconds.append(time.perf_counter() - began)
        faults = _find_faults(reply)
        if faults:
            return None, faults
        self.replies += 1
        self.tells.update(name for name in TELLS if getattr(reply, name) not in (None, {}, ()))
        return reply, []

    async def _wait(self, action: Coroutine[Any, Any, Any]) -> Any:
        try:
            async with asyncio.timeout(self.limit):
                return await action
        except TimeoutError:
            raise BotError(f"no reply within {self.limit:g} s", status="timeout") from None


def _read_facts(bot: object) -> BotFacts:
    if not hasattr(bot, "facts"):
        raise UsageError(f"a {type(bot).__name__} has no `facts`", remedy=NEEDS)
    facts = bot.facts
    if not isinstance(facts, BotFacts):
        raise UsageError(f"`facts` is {type(facts).__name__}, not BotFacts", remedy=NEEDS)
    if not (isinstance(facts.name, str) and facts.name.strip()):
        raise UsageError("the name is empty", remedy=NEEDS)
    return facts


def _find_faults(reply: Reply) -> list[str]:
    faults = []
    if reply.intent is not None and not isinstance(reply.intent, str):
        faults.append("`intent` is neither a text nor None")
    share = reply.confidence
    if share is not None and not (isinstance(share, int | float) and math.isfinite(share) and 0 <= share <= 1):
        faults.append(f"`confidence` is {reply.confidence!r}, not a number from 0 to 1")
    if not all(isinstance(item, str) for pair in dict(reply.slots).items() for item in pair):
        faults.append("`slots` contains values that are not texts")
    if reply.fallback not in (None, True, False):
        faults.append("`fallback` is neither True, False nor None")
    if reply.guess is not None and not isinstance(reply.guess, Guess):
        faults.append("`guess` is neither a Guess nor None")
    try:
        json.dumps([reply.texts, reply.raw], ensure_ascii=False).encode()
    except (TypeError, ValueError, RecursionError) as error:
        faults.append(f"`raw` cannot be written as JSON: {error}")
    return faults


def _describe(error: BaseException) -> str:
    if isinstance(error, BotError):
        return f"{error.status}: {error.what}"
    return error.what if isinstance(error, VivaError) else f"{type(error).__name__}: {error}"


def _shorten(reply: Reply | None) -> str:
    text = " ".join(reply.text.split()) if reply else ""
    return text if len(text) <= 80 else f"{text[:77]}..."
