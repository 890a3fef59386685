"""A bot that does as it is told: to try out a set-up, and to see what an exam says about a bot of a known kind."""

from __future__ import annotations

import asyncio
import random
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from vivavoce.bots.declaration import BotOption, Connector, Reach, entry_facts, number, texts_of
from vivavoce.bots.protocol import BotContext, BotFacts
from vivavoce.bots.shapes import read_reply
from vivavoce.errors import BotError, UsageError, nearest
from vivavoce.files.yamls import as_mapping, read_yaml
from vivavoce.plugins import declare
from vivavoce.records import Reply, Status

CONNECTOR = Connector(
    Reach.PROCESS,
    (
        # `perfect` says what the answers of a suite say, which it reads from a file.
        BotOption("option", reads_files=lambda option: option.strip().startswith("perfect")),
        BotOption("replies", "json"),
        BotOption("default"),
        BotOption("delay_s", "number"),
        BotOption("fail"),
        BotOption("flaky", "number"),
        BotOption("rate_limited", "number"),
    ),
)
Answer = str | Sequence[str] | Mapping[str, Any] | Reply
GREETING = "Hello."
SORRY = "Sorry, I did not understand that."
BESIDE = "The moon is 384,400 km away."
RETRY_AFTER_S = 0.05
_FALLBACK = Reply((SORRY,), fallback=True)
_FAILURES = tuple(status.value for status in Status if status.error)


class ScriptedBot:
    """Says what a mapping of messages says, else `default`; late, seldom or never, if so wished.

    `delay_s`: seconds before each reply. `fail`: a status with which each message fails. `flaky`: the share of
    messages that fail, the same ones in each run with the same seed. `rate_limited`: how often each message is
    turned away before it is answered. `said` holds every message by session.
    """

    def __init__(
        self,
        replies: Mapping[str, Answer] | None = None,
        default: Answer | Callable[[str], Answer] = GREETING,
        *,
        name: str = "scripted",
        delay_s: float = 0.0,
        fail: str | None = None,
        flaky: float = 0.0,
        rate_limited: int = 0,
        reports_intent: bool = False,
        facts: BotFacts | None = None,
        seed: int = 0,
    ) -> None:
        self._replies = {text: _as_reply(answer) for text, answer in (replies or {}).items()}
        self._default = default if callable(default) else _as_reply(default)
        if fail is not None and fail not in _FAILURES:
            raise UsageError(
                f"unknown failure '{fail}'.{nearest(fail, _FAILURES)}",
                where=name,
                remedy=f"use one of {', '.join(_FAILURES)}",
            )
        self.delay_s, self.fail, self.flaky = delay_s, None if fail is None else Status(fail), flaky
        self.rate_limited, self.seed = rate_limited, seed
        self.facts = facts or BotFacts(name, "scripted replies", reports_intent=reports_intent)
        self.said: dict[str, list[str]] = {}

    async def open(self, session: str) -> ScriptedConversation:
        """Begin a conversation."""
        return ScriptedConversation(self, session)

    async def close(self) -> None:
        """Hold nothing, release nothing."""

    def answer(self, text: str) -> Reply:
        """Return what the bot says to a message."""
        if text in self._replies:
            return self._replies[text]
        return self._default if isinstance(self._default, Reply) else _as_reply(self._default(text))


class ScriptedConversation:
    """One conversation with a scripted bot."""

    def __init__(self, bot: ScriptedBot, session: str) -> None:
        self._bot, self._session, self._said = bot, session, bot.said.setdefault(session, [])
        self._turned_away = 0

    async def say(self, text: str) -> Reply:
        """Wait, fail or answer, as told."""
        self._said.append(text)
        bot = self._bot
        if bot.delay_s:
            await asyncio.sleep(bot.delay_s)
        if bot.fail is not None:
            raise _build_error(bot.fail)
        if self._turned_away < bot.rate_limited:
            self._turned_away += 1
            raise _build_error(Status.RATE_LIMITED, retry_after=RETRY_AFTER_S)
        self._turned_away = 0
        # Each try is a draw of its own, so that trying again may help; the same session gives the same draws.
        draw = random.Random(f"{bot.seed}/{self._session}/{len(self._said)}")  # noqa: S311
        if draw.random() < bot.flaky:
            raise _build_error(Status.SERVER_ERROR)
        return bot.answer(text)

    async def close(self) -> None:
        """End the conversation."""


@declare(CONNECTOR)
def from_option(option: str, context: BotContext) -> ScriptedBot:
    """Fake bot: fixed=TEXT, echo, slow=SECONDS, failing=STATUS, wrong, flaky=SHARE, fallback or perfect=FILE."""
    entry = context.entry
    try:
        mode, *value = re.split("[=:]", option, maxsplit=1)
        mode = mode.strip() or "fixed"
        if mode not in _MODES:
            raise ValueError(f"unknown mode '{mode}'.{nearest(mode, list(_MODES))}")
        settings = _MODES[mode]("".join(value).strip())
        settings |= {key: read(entry[key]) for key, read in _READERS.items() if key in entry}
    except ValueError as error:
        raise UsageError(str(error), where=context.name, remedy=f"the modes are {', '.join(_MODES)}") from None
    if isinstance(entry.get("replies"), Mapping):
        settings["replies"] = entry["replies"]
    facts = entry_facts(context, BotFacts(context.name, f"scripted replies: {option or 'fixed'}"))
    return ScriptedBot(facts=facts, seed=context.seed, name=context.name, **settings)


_MODES: Mapping[str, Callable[[str], dict[str, Any]]] = {
    "fixed": lambda value: {"default": value or GREETING},
    "echo": lambda _: {"default": lambda text: text},
    "slow": lambda value: {"delay_s": number(value or "1", least=0)},
    "failing": lambda value: {"fail": value or Status.SERVER_ERROR.value},
    "wrong": lambda _: {"default": Reply((BESIDE,), "moon", 0.99, fallback=False)},
    "flaky": lambda value: {"flaky": number(value or "0.2", least=0, most=1)},
    "fallback": lambda _: {"default": _FALLBACK},
    "perfect": lambda path: {"replies": as_mapping(read_yaml(path).value) if path else {}, "default": _FALLBACK},
    "rate-limited": lambda value: {"rate_limited": int(number(value or "1", least=0, whole=True))},
}


_READERS: Mapping[str, Callable[[Any], object]] = {
    "default": lambda value: value if isinstance(value, Mapping) else texts_of(value),
    "fail": str,
    "delay_s": lambda value: number(value, least=0),
    "flaky": lambda value: number(value, least=0, most=1),
    "rate_limited": lambda value: int(number(value, least=0, whole=True)),
}


def _as_reply(answer: Answer) -> Reply:
    if isinstance(answer, Reply):
        return answer
    if isinstance(answer, Mapping):
        return read_reply(dict(answer))
    return Reply(texts_of(answer if isinstance(answer, str) else list(answer)))


def _build_error(status: Status, *, retry_after: float | None = None) -> BotError:
    return BotError(f"simulated failure: {status.meaning}", status=status, retry_after=retry_after)
