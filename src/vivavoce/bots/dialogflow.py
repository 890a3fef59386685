"""Dialogflow ES (REST v2): talked to by `detectIntent`, trained in batches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any
from urllib.parse import quote

from vivavoce.bots.asking import new_session
from vivavoce.bots.classifier import classifier_of
from vivavoce.bots.declaration import Connector, Reach
from vivavoce.bots.google import GOOGLE, GOOGLE_OPTIONS, LIMITS, PROJECT, GoogleBot, read_google_entry
from vivavoce.bots.platform_entry import TRAINING_OPTIONS, shown_option
from vivavoce.bots.protocol import BotContext
from vivavoce.bots.shapes import read_slots
from vivavoce.bots.training import NewIntent, Progress
from vivavoce.messages import say
from vivavoce.plugins import declare
from vivavoce.records import Action, Guess, Reply

# What new agents call the action of their fallback.
UNKNOWN = "input.unknown"
PLATFORM = replace(GOOGLE, title="Dialogflow ES", longest_example=768)
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
    """Dialogflow ES; option: Google Cloud project."""
    return DialogflowBot(*read_google_entry(option, "project", context, PLATFORM.title, {"project": PROJECT}))


classifier = classifier_of("dialogflow", PLATFORM.title, "a project")


class DialogflowBot(GoogleBot):
    """An agent of Dialogflow ES."""

    platform = PLATFORM
    version = "v2"

    @property
    def _parent(self) -> str:
        location = self.entry.get("location") or "global"
        region = "" if location == "global" else f"/locations/{quote(str(location), safe='')}"
        return f"{self.host}/v2/projects/{quote(str(self.entry['project']), safe='')}{region}"

    @property
    def intents_url(self) -> str:
        """The address of the agent's intents."""
        return f"{self._parent}/agent/intents"

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
        body = {"queryInput": {"text": {"text": self.message(text), "languageCode": self.language}}}
        return await self.call("POST", f"{self._parent}/agent/{place}sessions/{session}:detectIntent", body)

    async def reply(self, session: str, text: str) -> Reply:
        """Send a message of a conversation and read the reply."""
        payload = await self._detect(session, text)
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

    async def apply(self, progress: Progress) -> None:
        """Delete in one batch, then create in one: sixty single changes are allowed in a minute."""
        doomed = {"intents": [{"name": id} for id in self._deleting]}
        new = {"intents": [_write_intent(intent) for intent in self._creating.values()]}
        stages: tuple[tuple[str, str, dict[str, Any], dict[str, Any]], ...] = (
            ("deleting topics", "batchDelete", self._deleting, doomed),
            (
                "creating topics",
                "batchUpdate",
                self._creating,
                {"intentBatchInline": new, "languageCode": self.language},
            ),
        )
        for stage, verb, staged, body in stages:
            if staged:
                progress(stage, 0, len(staged))
                operation = await self.patiently(partial(self.call, "POST", f"{self.intents_url}:{verb}", body))
                await self.wait_for(partial(self.is_ready, operation))
                progress(stage, len(staged), len(staged))
                staged.clear()

    async def start_training(self) -> object:
        """Begin the training."""
        return await self.call("POST", f"{self._parent}/agent:train", {})


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
