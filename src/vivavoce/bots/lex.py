"""Amazon Lex V2: talked to by `RecognizeText`, trained by building the draft of a locale."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from vivavoce.bots.asking import new_session
from vivavoce.bots.aws import Credentials, read_profile, sign
from vivavoce.bots.classifier import classifier_of
from vivavoce.bots.declaration import BotOption, Connector, Reach
from vivavoce.bots.guard import Request
from vivavoce.bots.names import NameRule
from vivavoce.bots.platform import Platform, PlatformError, Trouble
from vivavoce.bots.platform_entry import (
    TRAINING_OPTIONS,
    fill_from_environment,
    platform_facts,
    read_platform_entry,
    require_keys,
    secret_option,
    shown_option,
)
from vivavoce.bots.protocol import BotContext, Limits
from vivavoce.bots.shapes import NO_TOPIC, read_slots
from vivavoce.bots.training import NewIntent, RemoteIntent, TrainableBot
from vivavoce.messages import say
from vivavoce.plugins import declare
from vivavoce.records import Action, Guess, Reply

if TYPE_CHECKING:
    from vivavoce.bots.client import Answer

# The alias for tests takes two conversations at once.
LIMITS = Limits(at_once=2, timeout_s=30.0, retries=3)
TEST_ALIAS = "TSTALIASID"
FALLBACK = "AMAZON.FallbackIntent"
VARIABLES = {
    "access_key_id": "AWS_ACCESS_KEY_ID",
    "secret_access_key": "AWS_SECRET_ACCESS_KEY",
    "session_token": "AWS_SESSION_TOKEN",
}
PLATFORM = Platform(
    "Amazon Lex V2",
    domain=".amazonaws.com",
    credentials="AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN",
    rights="lex:RecognizeText to talk; lex:ListIntents, CreateIntent, DeleteIntent, BuildBotLocale, "
    "DescribeBotLocale to train",
    place="bot_id, alias_id, locale, region",
    # Letters and digits, each with one hyphen or underscore after it at most.
    names=NameRule(r"[^0-9A-Za-z_-]|(?<=[_-])[_-]|^[_-]", 100),
    edits=Limits(at_once=1, per_second=2.0, timeout_s=60.0, retries=6),
    longest_example=500,
    longest_message=1024,
    answers=True,
)
CONNECTOR = Connector(
    Reach.ADDRESS,
    (
        shown_option("bot_id", say("Bot ID"), say("Ten letters and digits."), required=True),
        shown_option("region", say("Region"), say("For example eu-west-1.")),
        shown_option("alias_id", say("Alias ID"), default=TEST_ALIAS),
        shown_option("locale", say("Language"), default="en_US"),
        secret_option("access_key_id", say("Access key ID variable"), VARIABLES["access_key_id"]),
        secret_option("secret_access_key", say("Secret access key variable"), VARIABLES["secret_access_key"]),
        secret_option("session_token", say("Session token variable"), VARIABLES["session_token"]),
        BotOption("profile", "file"),
        BotOption("base_url", "address"),
        *TRAINING_OPTIONS,
    ),
    option="bot_id",
    limits=LIMITS,
    title="Amazon Lex V2",
    position=12,
)


@declare(CONNECTOR)
def from_option(option: str, context: BotContext) -> LexBot:
    """Amazon Lex V2; option: bot ID."""
    entry = read_platform_entry(option, "bot_id", context, region="AWS_REGION")
    entry["region"] = entry["region"] or os.environ.get("AWS_DEFAULT_REGION")
    require_keys(context.name, entry, {"bot_id": "", "region": "AWS_REGION"})
    if not (entry.get("profile") or "access_key_id" in entry):
        fill_from_environment(entry, VARIABLES)
    place = entry.get("base_url") or entry["region"]
    about = f"Amazon Lex V2, bot {entry['bot_id']} at {place}, alias {entry.get('alias_id') or TEST_ALIAS}"
    return LexBot(entry, platform_facts(context, about, LIMITS))


classifier = classifier_of("lex", PLATFORM.title, "its ID")


class LexBot(TrainableBot):
    """A bot of Amazon Lex V2, in one language."""

    platform = PLATFORM

    def read_entry(self, entry: dict[str, Any]) -> dict[str, Any]:
        """Return the entry with the credentials, those of a profile where none are given."""
        keys = Credentials(*(str(entry.get(name) or "") for name in VARIABLES))
        if not (keys.key_id and keys.secret):
            name = str(entry.get("profile") or os.environ.get("AWS_PROFILE") or "default")
            # Keys that are there and empty are not replaced by those of this machine.
            profile = None if "access_key_id" in entry else read_profile(name)
            if profile is None:
                raise self.failure(
                    say("no AWS credentials found: the profile '{name}' has none", name=name),
                    trouble=Trouble.CREDENTIALS,
                )
            keys = profile
        self.hide(keys.key_id, keys.secret, keys.token)
        return {**entry, "keys": keys}

    async def authorize(self, request: Request) -> Request:
        """Return the request signed."""
        region = str(self.entry["region"])
        return sign(request, self.entry["keys"], region=region, service="lex", now=datetime.now(UTC))

    def find_trouble(self, answer: Answer, payload: object) -> tuple[str, str]:
        """Return the trouble of an error by its type, which stands in a header or in the answer."""
        trouble, detail = super().find_trouble(answer, payload)
        type_name = payload.get("__type", "") if isinstance(payload, Mapping) else ""
        kind = str(answer.headers.get("x-amzn-ErrorType") or type_name).partition(":")[0].rpartition("#")[2]
        if re.search(r"(not|n't) (been )?built", detail):
            return Trouble.NOT_TRAINED, detail
        return _TROUBLES.get(kind, Trouble.RIGHTS if answer.code == 403 else trouble), f"{kind}: {detail}"

    def _url(self, service: str, *steps: str) -> str:
        host = self.entry.get("base_url") or f"https://{service}-v2-lex.{self.entry['region']}.amazonaws.com"
        return f"{str(host).rstrip('/')}/bots/{'/'.join(quote(step, safe='') for step in steps)}"

    @property
    def _locale(self) -> str:
        return str(self.entry.get("locale") or "en_US")

    def _draft(self, *steps: str) -> str:
        place = (str(self.entry["bot_id"]), "botversions", "DRAFT", "botlocales", self._locale)
        return self._url("models", *place, *steps) + "/"

    async def classify(self, text: str) -> tuple[Guess, ...]:
        """Return the intents of a message in a conversation of its own."""
        payload = await self._recognize(new_session(), text)
        return () if await self._is_fallback(payload) else tuple(self._read_guesses(payload))

    async def _recognize(self, session: str, text: str) -> Any:
        alias = str(self.entry.get("alias_id") or TEST_ALIAS)
        steps = (str(self.entry["bot_id"]), "botAliases", alias, "botLocales", self._locale)
        return await self.call(
            "POST", self._url("runtime", *steps, "sessions", session, "text"), {"text": self.message(text)}
        )

    async def _is_fallback(self, payload: Any) -> bool:
        """Tell whether the first interpretation is the fallback of the locale, which may have any name."""
        first: Mapping[str, Any] = next(iter(payload.get("interpretations", ())), {})
        name = first.get("intent", {}).get("name", "")
        if not name or name in NO_TOPIC or name in self.facts.fallback.intents:
            return True
        if "nluConfidence" in first:
            return False
        # Neither a fallback nor the next step of an intent has a confidence.
        if self._fallbacks is None:
            try:
                await self.fetch_intents()
            except PlatformError as error:
                if error.trouble != Trouble.RIGHTS:
                    raise
                self._fallbacks = frozenset()
        return name in (self._fallbacks or ())

    def _read_guesses(self, payload: Any) -> Iterator[Guess]:
        for each in payload.get("interpretations", ()):
            if "nluConfidence" in each:
                yield Guess(self.topic(each["intent"]["name"]), each["nluConfidence"].get("score", 0.0))

    async def reply(self, session: str, text: str) -> Reply:
        """Send a message of a conversation and read the reply."""
        payload = await self._recognize(session, text)
        is_fallback = await self._is_fallback(payload)
        cards = [each["imageResponseCard"] for each in payload.get("messages", ()) if each.get("imageResponseCard")]
        texts = [each.get("content", "") for each in payload.get("messages", ())]
        texts += ["\n".join(filter(None, (card.get("title"), card.get("subtitle")))) for card in cards]
        intent = payload.get("sessionState", {}).get("intent", {})
        slots = {name: _read_slot(slot) for name, slot in (intent.get("slots") or {}).items() if slot}
        guesses = list(self._read_guesses(payload))
        topic = None if is_fallback else self.topic(payload["interpretations"][0]["intent"]["name"])
        is_done = intent.get("state") in ("Fulfilled", "ReadyForFulfillment") and not is_fallback
        return Reply(
            tuple(text for text in texts if text.strip()),
            intent=topic,
            confidence=next((guess.confidence for guess in guesses if guess.intent == topic), None),
            slots=read_slots(slots),
            buttons=tuple(button["text"] for card in cards for button in card.get("buttons", ())),
            fallback=is_fallback,
            guess=guesses[0] if is_fallback and guesses else None,
            raw=payload,
            actions=(Action(self.topic(intent["name"]), slots),) if is_done else (),
        )

    _fallbacks: frozenset[str] | None = None

    async def fetch_intents(self) -> Sequence[RemoteIntent]:
        """Return the intents of the draft, but for its fallback, whose name is kept."""
        rows: list[Any] = []
        more: dict[str, str] = {}
        while True:
            payload = await self.call("POST", self._draft("intents"), {"maxResults": 1000, **more})
            rows += payload.get("intentSummaries", ())
            if not payload.get("nextToken"):
                break
            more = {"nextToken": payload["nextToken"]}
        own = [row for row in rows if row.get("parentIntentSignature") != FALLBACK]
        self._fallbacks = frozenset(row["intentName"] for row in rows if row not in own)
        return [self.remote(row["intentName"], row["intentId"]) for row in own]

    async def add_intent(self, intent: NewIntent) -> None:
        """Create an intent. Braces would name slots."""
        plain = dict.fromkeys(re.sub(r"[{}]", "", text).strip() for text in intent.examples)
        body: dict[str, Any] = {
            "intentName": intent.written,
            "sampleUtterances": [{"utterance": text} for text in plain if text],
        }
        if intent.replies:
            groups = [{"message": {"plainTextMessage": {"value": reply[:1000]}}} for reply in intent.replies]
            body["intentClosingSetting"] = {"closingResponse": {"messageGroups": groups}, "active": True}
        await self.call("PUT", self._draft("intents"), body)

    async def remove_intent(self, intent: RemoteIntent) -> None:
        """Delete an intent."""
        await self.call("DELETE", self._draft("intents", intent.id))

    async def start_training(self) -> object:
        """Begin to build the locale."""
        return await self.call("POST", self._draft())

    async def is_ready(self, job: object) -> bool:
        """Tell whether the locale is built; raise with the reasons where that failed."""
        payload = await self.call("GET", self._draft())
        if payload["botLocaleStatus"] == "Failed":
            raise self.build_failure("; ".join(payload.get("failureReasons", ())))
        return bool(payload["botLocaleStatus"] == "Built")


_TROUBLES = {
    **dict.fromkeys(
        (
            "UnrecognizedClientException",
            "InvalidSignatureException",
            "SignatureDoesNotMatch",
            "IncompleteSignatureException",
            "MissingAuthenticationTokenException",
            "InvalidClientTokenId",
            "ExpiredTokenException",
        ),
        Trouble.CREDENTIALS,
    ),
    "AccessDeniedException": Trouble.RIGHTS,
    "ResourceNotFoundException": Trouble.MISSING,
    "ConflictException": Trouble.EXISTS,
}


def _read_slot(slot: Mapping[str, Any]) -> object:
    if slot.get("values"):
        return [_read_slot(each) for each in slot["values"]]
    if slot.get("subSlots"):
        return {name: _read_slot(each) for name, each in slot["subSlots"].items() if each}
    value = slot.get("value", {})
    return value.get("interpretedValue") or value.get("originalValue") or ""
