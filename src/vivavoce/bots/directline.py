"""Bots of Microsoft's Bot Framework and Copilot Studio over Direct Line 3.0: activities sent, and collected."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import quote

from vivavoce.bots.collecting import EVERY_S, Collecting, Polling
from vivavoce.bots.declaration import Connector, Reach, entry_facts, number
from vivavoce.bots.guard import Request, check_address, shown_address
from vivavoce.bots.platform import Platform, PlatformBot, Trouble
from vivavoce.bots.platform_entry import check_seconds, secret_option, shown_option, waiting_options
from vivavoce.bots.protocol import BotContext, BotFacts, Limits
from vivavoce.bots.redaction import variables_of
from vivavoce.messages import say
from vivavoce.plugins import declare
from vivavoce.records import Action, Reply

SECRET, HOST = "DIRECTLINE_SECRET", "https://directline.botframework.com/v3/directline"
LIMITS = Limits(at_once=4, timeout_s=60.0)
# A token of a conversation is renewed this long before it expires.
_EARLY_S = 120.0
PLATFORM = Platform(
    "Direct Line",
    credentials=SECRET,
    rights=say("a secret of the bot's Direct Line channel"),
    place="base_url, token_url",
)
CONNECTOR = Connector(
    Reach.ADDRESS,
    (
        secret_option("secret", say("Secret variable"), SECRET),
        shown_option(
            "token_url",
            say("Token address"),
            say("Copilot Studio: the token endpoint of the agent, instead of a secret."),
            type="address",
        ),
        shown_option("base_url", say("Address"), say("Empty: Microsoft's."), type="address", default=HOST),
        shown_option("locale", say("Language"), default="en-US"),
        *waiting_options(1, 2),
    ),
    option="base_url",
    limits=LIMITS,
    title=say("Bot Framework, Copilot Studio"),
    position=15,
)


@declare(CONNECTOR)
def from_option(option: str, context: BotContext) -> DirectLineBot:
    """Bot Framework or Copilot Studio over Direct Line; option: address, unless it is Microsoft's."""
    entry = dict(context.entry)
    entry["base_url"] = option or entry.get("base_url") or HOST
    for name in ("base_url", "token_url"):
        if entry.get(name) and not variables_of(entry[name]):
            check_address(str(entry[name]), where=context.name)
    if "secret" not in entry and not entry.get("token_url") and (os.environ.get(SECRET) or entry["base_url"] == HOST):
        entry["secret"] = f"${{{SECRET}}}"
    check_seconds(context, "settle_s", "greeting_s")
    facts = BotFacts(context.name, f"Direct Line at {shown_address(str(entry['base_url']))}", limits=LIMITS)
    return DirectLineBot(entry, entry_facts(context, facts))


class DirectLineBot(PlatformBot):
    """A bot behind Direct Line."""

    platform = PLATFORM

    @property
    def base(self) -> str:
        """The address under which conversations are."""
        return str(self.entry["base_url"]).rstrip("/")

    async def authorize(self, request: Request) -> Request:
        """Return the request as it is where it has a token of its conversation, else with the secret."""
        secret = self.entry.get("secret")
        if not secret or "Authorization" in request.headers:
            return request
        return request.add_headers(Authorization=f"Bearer {secret}")

    async def open(self, session: str) -> DirectLineConversation:
        """Begin a conversation and collect the welcome."""
        headers: dict[str, str] = {}
        if self.entry.get("token_url"):
            payload = await self.credential("GET", str(self.entry["token_url"]))
            if not isinstance(payload, Mapping) or not payload.get("token"):
                raise self.failure(say("the token endpoint sent no token"), trouble=Trouble.CREDENTIALS)
            headers = {"Authorization": f"Bearer {payload['token']}"}
        started = await self.credential("POST", f"{self.base}/conversations", **headers)
        if not isinstance(started, Mapping) or not started.get("conversationId"):
            raise self.failure(say("no conversation was started"), trouble=Trouble.MISSING)
        conversation = DirectLineConversation(self, session, started)
        await conversation.greet(number(self.entry.get("greeting_s", 2), least=0))
        return conversation


class DirectLineConversation:
    """One conversation. Its token is that of Direct Line, where a token was needed to begin."""

    def __init__(self, bot: DirectLineBot, session: str, started: Mapping[str, Any]) -> None:
        self._bot, self._user = bot, f"dl_{session}"
        self._place = f"{bot.base}/conversations/{quote(str(started['conversationId']), safe='')}"
        self._token = str(started.get("token") or "")
        bot.hide(self._token)
        self._renew_at = time.monotonic() + float(started.get("expires_in") or 1800) - _EARLY_S
        self._polling = Polling(self._poll, _Watermark(), EVERY_S / 2)
        self._closed = False
        self.greeting: Reply | None = None

    async def greet(self, seconds: float) -> None:
        """Collect what the bot says before anything is said to it."""
        if seconds:
            self.greeting = await self._collecting("").collect(self._polling, lambda value: value, seconds)

    async def say(self, text: str) -> Reply:
        """Send a message and collect the activities that reply to it."""
        user = {"id": self._user, "name": "visitor"}
        locale = str(self._bot.entry.get("locale") or "en-US")
        body = {"type": "message", "from": user, "text": text, "locale": locale, "textFormat": "plain"}
        receipt = await self._bot.call("POST", f"{self._place}/activities", body, **await self._headers())
        own = str(receipt.get("id", "")) if isinstance(receipt, Mapping) else ""
        return await self._collecting(own).collect(self._polling.begin(), lambda value: value)

    async def close(self) -> None:
        """End the conversation; the bot is told, once."""
        if not self._closed:
            self._closed = True
            body = {"type": "endOfConversation", "from": {"id": self._user}}
            await self._bot.call("POST", f"{self._place}/activities", body, **await self._headers())

    def _collecting(self, own: str) -> Collecting:
        turn = _Turn(self._user, own)
        return Collecting(turn, turn, number(self._bot.entry.get("settle_s", 1), least=0))

    async def _poll(self, watermark: str) -> object:
        mark = f"?watermark={quote(watermark, safe='')}" if watermark else ""
        return await self._bot.call("GET", f"{self._place}/activities{mark}", **await self._headers())

    async def _headers(self) -> dict[str, str]:
        if self._bot.entry.get("secret") or not self._token:
            return {}
        if time.monotonic() >= self._renew_at:
            headers = {"Authorization": f"Bearer {self._token}"}
            renewed = await self._bot.credential("POST", f"{self._bot.base}/tokens/refresh", **headers)
            self._token = str(renewed.get("token") or self._token)
            self._bot.hide(self._token)
            self._renew_at = time.monotonic() + float(renewed.get("expires_in") or 1800) - _EARLY_S
        return {"Authorization": f"Bearer {self._token}"}


class _Watermark:
    def search(self, payload: Any) -> object:
        return payload.get("watermark") if isinstance(payload, Mapping) else None


class _Turn:
    """Reads the activities that belong to one message: those of others, but for late replies to earlier ones."""

    def __init__(self, user: str, own: str) -> None:
        self._user, self._own = user, own

    def read(self, payload: object, *, needs_texts: bool = True) -> Reply:
        """Return what the bot says in these activities."""
        activities = list(self._find(payload))
        buttons = (label for activity in activities for label in _read_buttons(activity))
        return Reply(
            tuple(text for activity in activities for text in _read_texts(activity) if text.strip()),
            buttons=tuple(filter(None, buttons)),
            actions=tuple(Action(str(each.get("name"))) for each in activities if each.get("type") == "event"),
            raw=activities,
        )

    def search(self, payload: object) -> bool:
        """Tell whether the bot says that it is done."""
        # A bot that expects input has said all; most do not say so, and a pause ends their reply.
        hints = [(each.get("type"), each.get("inputHint")) for each in self._find(payload)]
        return any(kind == "endOfConversation" or hint == "expectingInput" for kind, hint in hints)

    def _find(self, payload: object) -> Iterator[Mapping[str, Any]]:
        rows = payload.get("activities") if isinstance(payload, Mapping) else None
        for activity in rows or ():
            sender = activity.get("from") or {}
            late = self._own and activity.get("replyToId") not in (None, "", self._own)
            if sender.get("id") != self._user and sender.get("role") != "user" and not late:
                yield activity


def _read_texts(activity: Mapping[str, Any]) -> Iterator[str]:
    if activity.get("type") != "message":
        return
    yield str(activity.get("text") or "")
    for attachment in activity.get("attachments") or ():
        content = attachment.get("content")
        if isinstance(content, Mapping):
            yield "\n".join(filter(None, (str(content.get(key) or "") for key in ("title", "subtitle", "text"))))
            yield from _read_blocks(content.get("body"))


def _read_blocks(value: object) -> Iterator[str]:
    """Yield the texts of an Adaptive Card, however deep they lie."""
    for item in value if isinstance(value, list) else [value]:
        if isinstance(item, Mapping):
            if item.get("type") == "TextBlock":
                yield str(item.get("text") or "")
            for key in ("items", "columns", "body"):
                yield from _read_blocks(item.get(key))


def _read_buttons(activity: Mapping[str, Any]) -> Iterator[str]:
    contents = [attachment.get("content") for attachment in activity.get("attachments") or ()]
    for holder in (activity.get("suggestedActions"), *contents):
        if isinstance(holder, Mapping):
            for button in (*(holder.get("actions") or ()), *(holder.get("buttons") or ())):
                yield str(button.get("title") or button.get("text") or "")
