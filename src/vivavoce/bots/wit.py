"""Wit.ai: intents and entities of a message, and training that starts by itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote, urlencode

from vivavoce.bots.classifier import classifier_of
from vivavoce.bots.declaration import BotOption, Connector, Reach, entry_facts
from vivavoce.bots.names import NameRule
from vivavoce.bots.platform import Platform, Trouble
from vivavoce.bots.platform_entry import (
    TRAINING_OPTIONS,
    read_platform_entry,
    require_variable,
    secret_option,
    shown_option,
)
from vivavoce.bots.protocol import BotContext, BotFacts, Limits, Nature
from vivavoce.bots.shapes import read_slots
from vivavoce.bots.training import NewIntent, RemoteIntent, TrainableBot
from vivavoce.messages import say
from vivavoce.plugins import declare
from vivavoce.records import Guess, Reply

TOKEN, HOST = "WIT_TOKEN", "https://api.wit.ai"
VERSION = "20240304"
# 240 messages a minute and app.
LIMITS = Limits(at_once=4, per_second=4.0, timeout_s=30.0, retries=3)
BATCH = 200
# What stands for the reply where nothing was understood: an empty one would be no reply at all.
SILENT = "-"
MAX_LISTED = 10_000
PLATFORM = Platform(
    "Wit.ai",
    domain=".wit.ai",
    credentials=TOKEN,
    rights=say("the server access token of the app"),
    place="app, base_url",
    names=NameRule(refused=r"[^0-9A-Za-z_]", longest=100, prefix="viva_"),
    edits=Limits(at_once=1, per_second=1.0, timeout_s=60.0, retries=4),
    longest_example=280,
    longest_message=280,
)
CONNECTOR = Connector(
    Reach.ADDRESS,
    (
        shown_option("app", say("App"), say("The ID of the app; needed for training only.")),
        secret_option("token", say("Token variable"), TOKEN),
        BotOption("base_url", "address", default=HOST),
        *TRAINING_OPTIONS,
    ),
    option="app",
    limits=LIMITS,
    title="Wit.ai",
    position=17,
)


@declare(CONNECTOR)
def from_option(option: str, context: BotContext) -> WitBot:
    """Wit.ai; option: app ID."""
    entry = read_platform_entry(option, "app", context, app="WIT_APP_ID")
    require_variable(context, entry, "token", TOKEN)
    facts = BotFacts(
        context.name, f"Wit.ai, app {entry['app'] or '?'}", reports_intent=True, nature=Nature.NLU, limits=LIMITS
    )
    return WitBot(entry, entry_facts(context, facts))


classifier = classifier_of("wit", PLATFORM.title, "an app")


class WitBot(TrainableBot):
    """An app of Wit.ai, which only understands: its reply is the topic."""

    platform = PLATFORM

    async def fetch_token(self) -> tuple[str, float]:
        """Return the app's token, which does not expire."""
        return str(self.entry["token"]), float("inf")

    def address(self, path: str, **query: str) -> str:
        """Return the address of a path, in the version whose answers this connector reads."""
        host = str(self.entry.get("base_url") or HOST).rstrip("/")
        return f"{host}{path}?{urlencode({'v': VERSION, **query}, quote_via=quote)}"

    def find_trouble(self, answer: Any, payload: object) -> tuple[str, str]:
        """Return the trouble of an error and what Wit says about it."""
        trouble, detail = super().find_trouble(answer, payload)
        code = payload.get("code") if isinstance(payload, Mapping) else None
        # A wrong token is a 400 with a code of its own.
        return (Trouble.CREDENTIALS if code in ("no-auth", "bad-auth") else trouble), detail

    async def reply(self, session: str, text: str) -> Reply:
        """Send a message and read what was understood: Wit knows no conversations."""
        payload = await self._ask(text)
        ranking = self._rank(payload)
        entities = [row for rows in (payload.get("entities") or {}).values() for row in rows]
        best = ranking[0] if ranking else None
        slots = {row.get("role") or row.get("name"): row.get("value", row.get("body")) for row in entities}
        return Reply(
            (best.intent or SILENT,) if best else (SILENT,),
            intent=best.intent if best else None,
            confidence=best.confidence if best else None,
            slots=read_slots(slots),
            fallback=best is None,
            raw=payload,
        )

    async def classify(self, text: str) -> tuple[Guess, ...]:
        """Return the intents of a message, best first; none where Wit finds none."""
        return self._rank(await self._ask(text))

    async def _ask(self, text: str) -> Any:
        return await self.call("GET", self.address("/message", q=self.message(text), n="8"))

    def _rank(self, payload: Any) -> tuple[Guess, ...]:
        rows = [Guess(self.topic(row["name"]), row["confidence"]) for row in payload.get("intents") or ()]
        return tuple(sorted(rows, key=lambda guess: -guess.confidence))

    # Training

    async def fetch_intents(self) -> Sequence[RemoteIntent]:
        """Return the intents of the app, but for Wit's built-in ones."""
        rows = await self.call("GET", self.address("/intents"))
        return [self.remote(row["name"], row["id"]) for row in rows if not row["name"].startswith("wit$")]

    async def add_intent(self, intent: NewIntent) -> None:
        """Create an intent and validate its examples."""
        await self.call("POST", self.address("/intents"), {"name": intent.written})
        rows = [{"text": text, "intent": intent.written, "entities": [], "traits": []} for text in intent.examples]
        for start in range(0, len(rows), BATCH):
            await self.call("POST", self.address("/utterances"), rows[start : start + BATCH])

    async def remove_intent(self, intent: RemoteIntent) -> None:
        """Delete an intent and the examples that belong to it."""
        written = self.platform.names.encode(intent.name) if intent.own else intent.name
        listed = await self.call("GET", self.address("/utterances", limit=str(MAX_LISTED), intents=written))
        rows = [{"text": row["text"]} for row in listed]
        for start in range(0, len(rows), BATCH):
            await self.call("DELETE", self.address("/utterances"), rows[start : start + BATCH])
        await self.call("DELETE", self.address(f"/intents/{quote(written, safe='')}"))

    async def start_training(self) -> object:
        """Return the app whose training is watched: it began by itself."""
        if self.entry.get("app"):
            return str(self.entry["app"])
        apps = await self.call("GET", self.address("/apps", limit="500", offset="0"))
        own = [row["id"] for row in apps if row.get("is_app_for_token")]
        if not own:
            raise self.failure(say("Wit does not say which app the token belongs to"), trouble=Trouble.MISSING)
        return own[0]

    async def is_ready(self, job: object) -> bool:
        """Tell whether the training has ended."""
        app = await self.call("GET", self.address(f"/apps/{quote(str(job), safe='')}"))
        return bool(app.get("training_status") == "done")
