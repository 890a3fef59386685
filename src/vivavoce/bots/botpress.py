"""Botpress Cloud over its Chat API: a visitor and a conversation are created, messages sent and listed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import quote

from vivavoce.bots.collecting import Collecting, Polling
from vivavoce.bots.declaration import BotOption, Connector, Reach, entry_facts, number
from vivavoce.bots.guard import Request
from vivavoce.bots.platform import Platform, PlatformBot, Trouble
from vivavoce.bots.platform_entry import (
    check_seconds,
    read_platform_entry,
    require_keys,
    shown_option,
    waiting_options,
)
from vivavoce.bots.protocol import BotContext, BotFacts, Limits, Nature
from vivavoce.messages import say
from vivavoce.plugins import declare
from vivavoce.records import Reply

WEBHOOK, HOST = "BOTPRESS_WEBHOOK_ID", "https://chat.botpress.cloud"
LIMITS = Limits(at_once=2, timeout_s=90.0)
PLATFORM = Platform(
    "Botpress",
    credentials=WEBHOOK,
    rights=say("the webhook ID of the bot's Chat integration; no key is needed"),
    place="webhook, base_url",
)
CONNECTOR = Connector(
    Reach.ADDRESS,
    (
        shown_option("webhook", say("Webhook ID"), say("The last part of the Chat integration's address.")),
        BotOption("base_url", "address", default=HOST),
        *waiting_options(3, 0),
        BotOption("every_s", "number", default="0.5", low="0"),
    ),
    option="webhook",
    limits=LIMITS,
    title="Botpress",
    position=18,
)


@declare(CONNECTOR)
def from_option(option: str, context: BotContext) -> BotpressBot:
    """Botpress Cloud; option: webhook ID of the Chat integration."""
    entry = read_platform_entry(option, "webhook", context, webhook=WEBHOOK)
    require_keys(context.name, entry, {"webhook": WEBHOOK})
    check_seconds(context, "settle_s", "every_s", "greeting_s")
    facts = BotFacts(context.name, "Botpress Cloud", nature=Nature.LANGUAGE_MODEL, limits=LIMITS)
    return BotpressBot(entry, entry_facts(context, facts))


class BotpressBot(PlatformBot):
    """A bot of Botpress Cloud. Each conversation has a visitor of its own, whose key lets it in."""

    platform = PLATFORM

    async def authorize(self, request: Request) -> Request:
        """Return the request as it is: the key of the visitor is in it already."""
        return request

    def address(self, path: str) -> str:
        """Return the address of a path of the Chat API."""
        host = str(self.entry.get("base_url") or HOST).rstrip("/")
        return f"{host}/{quote(str(self.entry['webhook']), safe='')}{path}"

    async def open(self, session: str) -> BotpressConversation:
        """Begin a conversation."""
        created = await self.credential("POST", self.address("/users"), {"name": session})
        key, user = created.get("key"), (created.get("user") or {}).get("id")
        if not key or not user:
            raise self.failure(say("no visitor was created"), trouble=Trouble.MISSING)
        self.hide(str(key))
        started = await self.call("POST", self.address("/conversations"), {}, x_user_key=key)
        place = (started.get("conversation") or {}).get("id")
        if not place:
            raise self.failure(say("no conversation was started"), trouble=Trouble.MISSING)
        conversation = BotpressConversation(self, str(user), str(key), str(place))
        await conversation.greet(number(self.entry.get("greeting_s", 0), least=0))
        return conversation


class BotpressConversation:
    """One conversation: the messages seen so far tell the new ones."""

    def __init__(self, bot: BotpressBot, user: str, key: str, place: str) -> None:
        self._bot, self._user, self._key, self._place = bot, user, key, place
        self._seen: set[str] = set()
        self._polling = Polling(self._poll, every_s=number(bot.entry.get("every_s", 0.5), least=0))
        self._collecting = Collecting(self, None, number(bot.entry.get("settle_s", 3), least=0))
        self.greeting: Reply | None = None

    async def greet(self, seconds: float) -> None:
        """Collect what the bot says before anything is said to it."""
        if seconds:
            self.greeting = await self._collecting.collect(self._polling, lambda value: value, seconds)

    async def say(self, text: str) -> Reply:
        """Send a message and collect the replies."""
        body = {"payload": {"type": "text", "text": text}, "conversationId": self._place}
        await self._bot.call("POST", self._bot.address("/messages"), body, x_user_key=self._key)
        return await self._collecting.collect(self._polling.begin(), lambda value: value)

    async def close(self) -> None:
        """End the conversation; Botpress keeps it for the bot's owner."""

    def read(self, payload: object, *, needs_texts: bool = True) -> Reply:
        """Return what new messages say."""
        parts = payload if isinstance(payload, list) else []
        texts = (text for part in parts for text in _read_texts(part.get("payload") or {}))
        buttons = (label for part in parts for label in _read_buttons(part.get("payload") or {}))
        return Reply(tuple(t for t in texts if t.strip()), buttons=tuple(filter(None, buttons)), raw=payload)

    async def _poll(self, _: str) -> object:
        """Return the messages of the bot that were not seen, oldest first; the API lists the newest first."""
        new: list[Any] = []
        page = ""
        while True:
            path = f"/conversations/{quote(self._place, safe='')}/messages" + (f"?nextToken={page}" if page else "")
            payload = await self._bot.call("GET", self._bot.address(path), x_user_key=self._key)
            rows = [row for row in payload.get("messages") or () if row.get("id") not in self._seen]
            new += [row for row in rows if row.get("userId") != self._user]
            self._seen |= {str(row.get("id")) for row in rows}
            page = quote(str((payload.get("meta") or {}).get("nextToken") or ""), safe="")
            # A page with nothing new is followed by older ones only.
            if not page or not rows:
                return sorted(new, key=lambda row: str(row.get("createdAt", "")))


def _read_texts(payload: Mapping[str, Any]) -> Iterator[str]:
    yield str(payload.get("text") or payload.get("markdown") or "")
    cards = [payload] if payload.get("title") else []
    for card in (*cards, *(payload.get("items") or ())):
        inner = card.get("payload", card)
        yield "\n".join(filter(None, (inner.get("title"), inner.get("subtitle"), inner.get("text"))))


def _read_buttons(payload: Mapping[str, Any]) -> Iterator[str]:
    for holder in (payload, *(payload.get("items") or ())):
        for button in (*(holder.get("options") or ()), *(holder.get("actions") or ())):
            yield str(button.get("label") or button.get("value") or "")
