"""Dialogflow ES (REST v2): talked to by `detectIntent`, trained in batches."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any
from urllib.parse import quote

from vivavoce.bots.asking import new_session
from vivavoce.bots.classifier import classifier_of
from vivavoce.bots.declaration import Connector, Reach
from vivavoce.bots.google import GOOGLE_OPTIONS, KEY_FILE, PROJECT, GoogleBot
from vivavoce.bots.platform import (
    TRAINING_OPTIONS,
    Platform,
    PlatformConversation,
    fill_from_environment,
    platform_facts,
    require_keys,
    shown_option,
)
from vivavoce.bots.protocol import BotContext, Limits
from vivavoce.bots.shapes import read_slots
from vivavoce.bots.training import NewIntent, Progress, RemoteIntent
from vivavoce.messages import say
from vivavoce.plugins import declare
from vivavoce.records import Action, Guess, Reply

# 600 text requests a minute (180 in the trial edition), 60 of all others.
LIMITS = Limits(at_once=4, per_second=10.0, timeout_s=30.0, retries=3)
# What new agents call the action of their fallback.
UNKNOWN = "input.unknown"
PLATFORM = Platform(
    "Dialogflow ES",
    domain=".googleapis.com",
    credentials=KEY_FILE,
    rights="roles/dialogflow.client to talk, roles/dialogflow.admin to train",
    place="project, location, environment",
    edits=Limits(at_once=1, per_second=1.0, timeout_s=120.0, retries=4),
    longest_example=768,
    longest_message=256,
    answers=True,
)
CONNECTOR = Connector(
    Reach.ADDRESS,
    (
        shown_option("project", say("Project"), say("The ID of the Google Cloud project.")),
        shown_option("language", say("Language"), default="en"),
        shown_option("location", say("Region"), default="global"),
        shown_option("environment", say("Environment")),
        *GOOGLE_OPTIONS,
        *TRAINING_OPTIONS,
    ),
    option="project",
    limits=LIMITS,
    title="Dialogflow ES",
    position=10,
)


@declare(CONNECTOR)
def from_option(option: str, context: BotContext) -> DialogflowBot:
    """Dialogflow ES; the option is the Google Cloud project."""
    entry: dict[str, Any] = dict(context.entry)
    entry["project"] = option or entry.get("project") or os.environ.get(PROJECT)
    require_keys(context.name, entry, {"project": PROJECT})
    if not entry.get("access_token"):
        fill_from_environment(entry, {"credentials": KEY_FILE})
    about = f"Dialogflow ES, project {entry['project']}"
    about += f" at {entry['base_url']}" if entry.get("base_url") else ""
    return DialogflowBot(entry, platform_facts(context, about, LIMITS))


classifier = classifier_of(
    "dialogflow", "Dialogflow ES, trained over the network; the option names a bot or project."
)


class DialogflowBot(GoogleBot):
    """An agent of Dialogflow ES."""

    platform = PLATFORM

    @property
    def _parent(self) -> str:
        location = self.entry.get("location") or "global"
        region = "" if location == "global" else f"/locations/{quote(str(location), safe='')}"
        return f"{self.host}/v2/projects/{quote(str(self.entry['project']), safe='')}{region}"

    async def open(self, session: str) -> PlatformConversation:
        """Begin a conversation; Dialogflow learns of it with the first message."""

        async def send(text: str) -> Reply:
            return self._read(await self._detect(session, text))

        return PlatformConversation(send)

    async def classify(self, text: str) -> tuple[Guess, ...]:
        """Return the intent of a message in a conversation of its own."""
        result = (await self._detect(new_session(), text)).get("queryResult", {})
        intent = result.get("intent", {})
        if not intent or intent.get("isFallback"):
            return ()
        return (Guess(self.topic(intent.get("displayName", "")), result.get("intentDetectionConfidence", 0.0)),)

    async def _detect(self, session: str, text: str) -> Any:
        environment = self.entry.get("environment")
        place = f"environments/{quote(str(environment), safe='')}/users/-/" if environment else ""
        body = {"queryInput": {"text": {"text": self.message(text), "languageCode": self._language}}}
        return await self.call("POST", f"{self._parent}/agent/{place}sessions/{session}:detectIntent", body)

    @property
    def _language(self) -> str:
        return str(self.entry.get("language") or "en")

    def _read(self, payload: Any) -> Reply:
        # What equals its default is left out of the answer.
        result = payload.get("queryResult", {})
        intent, parameters = result.get("intent", {}), result.get("parameters", {})
        is_fallback = not intent or bool(intent.get("isFallback"))
        action = result.get("action")
        texts, buttons = read_messages(result.get("fulfillmentMessages", ()))
        if not texts and result.get("fulfillmentText"):
            texts = [result["fulfillmentText"]]
        return Reply(
            tuple(texts),
            intent=None if is_fallback else self.topic(intent.get("displayName", "")),
            confidence=None if is_fallback else result.get("intentDetectionConfidence", 0.0),
            slots=read_slots({name: value for name, value in parameters.items() if value not in ("", [], None)}),
            buttons=tuple(buttons),
            fallback=is_fallback,
            raw=payload,
            actions=(Action(action, parameters),) if action and action != UNKNOWN else (),
        )

    async def fetch_intents(self) -> Sequence[RemoteIntent]:
        """Return the intents of the agent, but for its fallbacks."""
        rows, page = [], ""
        while True:
            address = f"{self._parent}/agent/intents?pageSize=1000&languageCode={self._language}"
            payload = await self.call("GET", address + (f"&pageToken={quote(page, safe='')}" if page else ""))
            rows += payload.get("intents", [])
            page = payload.get("nextPageToken", "")
            if not page:
                return [self.remote(row["displayName"], row["name"]) for row in rows if not row.get("isFallback")]

    async def apply(self, progress: Progress) -> None:
        """Delete in one batch, then create in one: sixty single changes are allowed in a minute."""
        stages: tuple[tuple[str, str, dict[str, Any], dict[str, Any]], ...] = (
            ("deleting topics", "batchDelete", self._deleting, {"intents": [{"name": id} for id in self._deleting]}),
            (
                "creating topics",
                "batchUpdate",
                self._creating,
                {
                    "intentBatchInline": {"intents": [_write_intent(new) for new in self._creating.values()]},
                    "languageCode": self._language,
                },
            ),
        )
        for stage, verb, staged, body in stages:
            if staged:
                progress(stage, 0, len(staged))
                url = f"{self._parent}/agent/intents:{verb}"
                operation = await self.patiently(partial(self.call, "POST", url, body))
                await self.wait_for(partial(self.has_ended, operation, "v2"))
                progress(stage, len(staged), len(staged))
                staged.clear()

    async def start_training(self) -> object:
        """Begin the training."""
        return await self.call("POST", f"{self._parent}/agent:train", {})

    async def is_ready(self, job: Any) -> bool:
        """Tell whether the training has ended."""
        return await self.has_ended(job, "v2")


def _write_intent(new: NewIntent) -> dict[str, Any]:
    phrases = [{"type": "EXAMPLE", "parts": [{"text": text}]} for text in new.examples]
    replies = {"messages": [{"text": {"text": list(new.replies)}}]} if new.replies else {}
    return {"displayName": new.written, "trainingPhrases": phrases, **replies}


def read_messages(messages: Sequence[Mapping[str, Any]]) -> tuple[list[str], list[str]]:
    """Return the bubbles and the buttons of rich messages: those for every channel, else those of all channels."""
    plain = [each for each in messages if each.get("platform", "PLATFORM_UNSPECIFIED") == "PLATFORM_UNSPECIFIED"]
    texts: list[str] = []
    buttons: list[str] = []
    for message in plain or messages:
        texts += [text for text in _read_texts(message) if text.strip()]
        buttons += filter(None, _read_buttons(message))
    return texts, buttons


def _read_texts(message: Mapping[str, Any]) -> Iterator[str]:
    yield from message.get("text", {}).get("text", ())
    for spoken in message.get("simpleResponses", {}).get("simpleResponses", ()):
        yield spoken.get("displayText") or spoken.get("textToSpeech") or ""
    yield message.get("quickReplies", {}).get("title", "")
    for kind in ("card", "basicCard", "listSelect"):
        card = message.get(kind, {})
        yield "\n".join(filter(None, (card.get(key) for key in ("title", "subtitle", "formattedText"))))


def _read_buttons(message: Mapping[str, Any]) -> Iterator[str]:
    yield from message.get("quickReplies", {}).get("quickReplies", ())
    for kind, rows in (("card", "buttons"), ("basicCard", "buttons"), ("listSelect", "items")):
        yield from (row.get("text") or row.get("title", "") for row in message.get(kind, {}).get(rows, ()))
    yield from (row.get("title", "") for row in message.get("suggestions", {}).get("suggestions", ()))
    yield message.get("linkOutSuggestion", {}).get("destinationName", "")
    # Chips of Dialogflow Messenger come as a payload of its own.
    for part in message.get("payload", {}).get("richContent", ()):
        yield from (chip.get("text", "") for row in part for chip in row.get("options", ()))
