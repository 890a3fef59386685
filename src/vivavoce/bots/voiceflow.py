"""Voiceflow over its Dialog Manager API: each message returns the traces of what the assistant did."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from vivavoce.bots.declaration import BotOption, Connector, Reach, entry_facts, flag
from vivavoce.bots.guard import Request
from vivavoce.bots.platform import Platform, PlatformBot
from vivavoce.bots.platform_entry import require_variable, secret_option, shown_option
from vivavoce.bots.protocol import BotContext, BotFacts, Limits
from vivavoce.errors import BotError
from vivavoce.messages import say
from vivavoce.plugins import declare
from vivavoce.records import Action, Reply, Status

KEY, HOST = "VOICEFLOW_API_KEY", "https://general-runtime.voiceflow.com"
LIMITS = Limits(at_once=4, timeout_s=60.0)
PLATFORM = Platform(
    "Voiceflow",
    credentials=KEY,
    rights=say("the Dialog Manager API key of the project"),
    place="base_url, version",
)
# How the runtime words what it matched, in a trace of the type `debug`.
_MATCHED = re.compile(r"matched intent \*\*(.+?)\*\*(?: - confidence interval _([\d.]+)%_)?")
_NONE = frozenset({"None", "VF.NONE"})
# Traces that are steps of the runtime, not something that the assistant does.
_ROUTINE = frozenset(
    {*("text", "speak", "debug", "block", "flow", "choice", "visual", "end", "path", "no-reply", "cardV2")}
    | {"carousel", "log", "knowledgeBase", "completion"}
)
CONNECTOR = Connector(
    Reach.ADDRESS,
    (
        secret_option("api_key", say("API key variable"), KEY),
        shown_option("version", say("Version"), default="production"),
        BotOption("base_url", "address", default=HOST),
        shown_option(
            "launch",
            say("Does the bot speak first?"),
            say("Start the assistant when a conversation opens."),
            type="flag",
            default="yes",
        ),
    ),
    option="version",
    limits=LIMITS,
    title="Voiceflow",
    position=19,
)


@declare(CONNECTOR)
def from_option(option: str, context: BotContext) -> VoiceflowBot:
    """Voiceflow; option: version (development, production or an ID)."""
    entry = dict(context.entry)
    require_variable(context, entry, "api_key", KEY)
    entry["version"] = option or entry.get("version") or "production"
    facts = BotFacts(
        context.name, f"Voiceflow, {entry['version']}", reports_intent=True, reports_actions=True, limits=LIMITS
    )
    return VoiceflowBot(entry, entry_facts(context, facts))


class VoiceflowBot(PlatformBot):
    """A project of Voiceflow."""

    platform = PLATFORM

    async def authorize(self, request: Request) -> Request:
        """Return the request with the key, which stands alone in its header."""
        return request.add_headers(Authorization=str(self.entry["api_key"]), versionID=str(self.entry["version"]))

    async def open(self, session: str) -> VoiceflowConversation:
        """Begin a conversation; what the assistant says first is its greeting."""
        conversation = VoiceflowConversation(self, session)
        if flag(self.entry.get("launch", "yes")):
            conversation.greeting = await conversation.interact({"type": "launch"})
        return conversation

    def state(self, session: str) -> str:
        """Return the address of what Voiceflow remembers of a visitor."""
        host = str(self.entry.get("base_url") or HOST).rstrip("/")
        return f"{host}/state/user/{quote(session, safe='')}"


class VoiceflowConversation:
    """One conversation: a visitor of its own, forgotten at the end."""

    def __init__(self, bot: VoiceflowBot, session: str) -> None:
        self._bot, self._state = bot, bot.state(session)
        self._closed = False
        self.greeting: Reply | None = None

    async def say(self, text: str) -> Reply:
        """Send a message and read what the assistant did."""
        return await self.interact({"type": "text", "payload": text})

    async def interact(self, action: Mapping[str, Any]) -> Reply:
        """Send an action; debug traces, which name the intent, are asked for."""
        body = {"action": action, "config": {"tts": False, "stripSSML": True, "excludeTypes": ["block", "flow"]}}
        payload = await self._bot.call("POST", f"{self._state}/interact", body)
        traces = payload if isinstance(payload, list) else payload.get("traces")
        if not isinstance(traces, list):
            raise BotError(
                say("the response holds no traces"), status=Status.UNEXPECTED, remedy=say("check the address")
            )
        return read_traces(traces)

    async def close(self) -> None:
        """Let Voiceflow forget the visitor."""
        if not self._closed:
            self._closed = True
            await self._bot.call("DELETE", self._state)


def read_traces(traces: list[Any]) -> Reply:
    """Return the reply that traces add up to."""
    texts: list[str] = []
    buttons: list[str] = []
    actions: list[Action] = []
    intent, confidence = None, None
    for trace in traces:
        kind, payload = trace.get("type"), trace.get("payload") or {}
        payload = payload if isinstance(payload, Mapping) else {"message": payload}
        if kind in ("text", "speak", "completion"):
            texts.append(str(payload.get("message") or payload.get("content") or ""))
        elif kind == "debug" and (match := _MATCHED.search(str(payload.get("message", "")))):
            intent, share = match.groups()
            confidence = float(share) / 100 if share else None
        elif kind not in _ROUTINE and kind:
            actions.append(Action(str(kind), {k: v for k, v in payload.items() if k not in ("buttons", "cards")}))
        for card in (payload, *(payload.get("cards") or ())):
            if kind in ("cardV2", "carousel") and card.get("title"):
                texts.append("\n".join(filter(None, (card["title"], _card_text(card)))))
            buttons += [str(button.get("name") or "") for button in card.get("buttons") or ()]
    fell_back = intent in _NONE if intent is not None else None
    return Reply(
        tuple(text for text in texts if text.strip()),
        intent=None if fell_back else intent,
        confidence=None if fell_back else confidence,
        buttons=tuple(filter(None, buttons)),
        fallback=fell_back,
        raw=traces,
        actions=tuple(actions),
    )


def _card_text(card: Mapping[str, Any]) -> str:
    description = card.get("description")
    return str(description.get("text") or "") if isinstance(description, Mapping) else str(description or "")
