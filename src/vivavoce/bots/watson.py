"""IBM watsonx Assistant: assistants are talked to (v2), classic workspaces are trained and talked to (v1)."""

from __future__ import annotations

import asyncio
import re
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

from vivavoce.bots.classifier import classifier_of
from vivavoce.bots.declaration import BotOption, Connector, Reach
from vivavoce.bots.guard import Request
from vivavoce.bots.names import NameRule
from vivavoce.bots.platform import Platform, PlatformConversation, Trouble
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
from vivavoce.bots.shapes import read_slots
from vivavoce.bots.training import POLL_S, NewIntent, RemoteIntent, TrainableBot
from vivavoce.errors import UsageError
from vivavoce.messages import say
from vivavoce.plugins import declare
from vivavoce.records import Action, Guess, Reply

if TYPE_CHECKING:
    from vivavoce.bots.client import Answer

LIMITS = Limits(at_once=4, timeout_s=30.0, retries=3)
KEY, URL, AUTH_URL = "ASSISTANT_APIKEY", "ASSISTANT_URL", "ASSISTANT_AUTH_URL"
IAM = "https://iam.cloud.ibm.com"
GRANT = "urn:ibm:params:oauth:grant-type:apikey"
# Visitors are billed by the month and the name: all our conversations are one visitor's.
USER = "vivavoce"
V1, V2 = "2021-11-27", "2023-06-15"
PLATFORM = Platform(
    "watsonx Assistant",
    domain=".cloud.ibm.com",
    credentials=f"{KEY}, {URL}",
    rights="service role Reader to talk, Writer to train",
    place="url, assistant_id, environment_id, workspace_id",
    names=NameRule(r"[^\w.-]", 128),
    # 2,000 new intents are allowed in 30 minutes.
    edits=Limits(at_once=1, per_second=1.0, timeout_s=60.0, retries=6),
    longest_example=1024,
    longest_message=2048,
)
CONNECTOR = Connector(
    Reach.ADDRESS,
    (
        shown_option("url", say("Address"), say("The service URL from its page of credentials."), type="address"),
        secret_option("api_key", say("API key variable"), KEY),
        shown_option("assistant_id", say("Assistant ID")),
        shown_option("environment_id", say("Environment ID")),
        shown_option(
            "workspace_id",
            say("Workspace ID"),
            say("Of a classic dialog skill. Only these can be trained by vivavoce."),
        ),
        BotOption("auth", "choice", default="iam", choices=("iam", "basic")),
        BotOption("auth_url", "address"),
        BotOption("version"),
        *TRAINING_OPTIONS,
    ),
    option="workspace_id",
    limits=LIMITS,
    title="watsonx Assistant",
    position=13,
)


@declare(CONNECTOR)
def from_option(option: str, context: BotContext) -> WatsonBot:
    """IBM watsonx Assistant; option: ID of a classic workspace."""
    entry = read_platform_entry(option, "workspace_id", context, url=URL, auth_url=AUTH_URL)
    entry["auth_url"] = entry["auth_url"] or IAM
    fill_from_environment(entry, {"api_key": KEY})
    require_keys(context.name, entry, {"url": URL, "api_key": KEY})
    if not entry.get("workspace_id") and not (entry.get("assistant_id") and entry.get("environment_id")):
        raise UsageError(
            say("the entry does not say which bot it is"),
            where=context.name,
            remedy=say("set `assistant_id` and `environment_id`, or `workspace_id`"),
        )
    about = f"watsonx Assistant {entry.get('assistant_id') or entry['workspace_id']} at {entry['url']}"
    return WatsonBot(entry, platform_facts(context, about, LIMITS))


classifier = classifier_of("watson", PLATFORM.title, "a classic workspace")


class WatsonBot(TrainableBot):
    """An assistant in an environment, or a classic workspace."""

    platform = PLATFORM

    async def fetch_token(self) -> tuple[str, float]:
        """Exchange the API key for a token of an hour."""
        form = {"grant_type": GRANT, "apikey": str(self.entry["api_key"]), "response_type": "cloud_iam"}
        return await self.exchange_key(f"{str(self.entry['auth_url']).rstrip('/')}/identity/token", form)

    async def authorize(self, request: Request) -> Request:
        """Return the request with the token, or with the key itself where the entry says `auth: basic`."""
        if self.entry.get("auth") != "basic":
            return await super().authorize(request)
        pair = b64encode(f"apikey:{self.entry['api_key']}".encode()).decode()
        self.hide(pair)
        return request.add_headers(Authorization=f"Basic {pair}")

    def find_trouble(self, answer: Answer, payload: object) -> tuple[str, str]:
        """Return the trouble of an error; that a name is taken is said in words only."""
        trouble, detail = super().find_trouble(answer, payload)
        if isinstance(payload, Mapping) and payload.get("errorMessage"):
            detail = str(payload["errorMessage"])
        return (Trouble.EXISTS if "Unique Violation" in detail else trouble), detail

    def message(self, text: str) -> str:
        """Return a message as the platform takes it: in one line."""
        return " ".join(text.split())[: PLATFORM.longest_message]

    def _url(self, version: str, *steps: str, **query: str) -> str:
        dated = str(self.entry.get("version") or (V1 if version == "v1" else V2))
        path = "/".join(quote(step, safe="") for step in steps)
        return f"{str(self.entry['url']).rstrip('/')}/{version}/{path}?{urlencode({'version': dated, **query})}"

    def _workspace(self, *steps: str, **query: str) -> str:
        workspace = self.entry.get("workspace_id")
        if not workspace:
            raise self.failure(
                say("an assistant cannot be trained over its API"),
                remedy=say("set `workspace_id` to a classic dialog skill"),
            )
        return self._url("v1", "workspaces", str(workspace), *steps, **query)

    # Talking

    async def open(self, session: str) -> PlatformConversation:
        """Begin a conversation: a session of an assistant, or the context of a workspace."""
        if not self.entry.get("assistant_id"):
            return PlatformConversation(partial(self._talk_to_workspace, {"conversation_id": session}))
        place = ("assistants", str(self.entry["assistant_id"]), "environments", str(self.entry["environment_id"]))
        opened = await self.call("POST", self._url("v2", *place, "sessions"), {})
        steps = (*place, "sessions", str(opened["session_id"]))

        async def send(text: str) -> Reply:
            options = {"debug": True, "alternate_intents": True, "return_context": True}
            message = {"message_type": "text", "text": self.message(text), "options": options}
            body = {"input": message, "user_id": USER}
            return self._read(await self.call("POST", self._url("v2", *steps, "message"), body))

        return PlatformConversation(send, lambda: self.call("DELETE", self._url("v2", *steps)))

    async def _talk_to_workspace(self, context: dict[str, Any], text: str) -> Reply:
        payload = await self._ask_workspace(text, context)
        # The workspace remembers nothing: what it knows of the conversation goes back and forth.
        context.clear()
        context.update(payload.get("context", {}))
        return self._read(payload)

    async def _ask_workspace(self, text: str, context: Mapping[str, Any]) -> Any:
        body = {"input": {"text": self.message(text)}, "alternate_intents": True, "context": context, "user_id": USER}
        return await self.call("POST", self._workspace("message", nodes_visited_details="true"), body)

    async def classify(self, text: str) -> tuple[Guess, ...]:
        """Return the intents of a message that belongs to no conversation."""
        if self.entry.get("workspace_id"):
            payload = await self._ask_workspace(text, {"conversation_id": "viva"})
            return tuple(Guess(self.topic(row["intent"]), row["confidence"]) for row in payload.get("intents", ()))
        conversation = await self.open("")
        try:
            reply = await conversation.say(text)
        finally:
            await conversation.close()
        return (Guess(reply.intent, reply.confidence or 0.0),) if reply.intent else ()

    def _read(self, payload: Any) -> Reply:
        output = payload.get("output", {})
        debug = output.get("debug", {})
        intents = output.get("intents", payload.get("intents", ()))
        events = debug.get("turn_events", ())
        nodes = debug.get("nodes_visited", output.get("nodes_visited_details", ()))
        is_fallback = (
            any(event.get("reason") == "no_action_matches" for event in events)
            or any(node.get("conditions") == "anything_else" for node in nodes)
            or not (intents or events or nodes)
        )
        # Intents of actions have names made by a machine; the title of the action is what people call it.
        titles = [event["source"]["action_title"] for event in events if event.get("reason") == "intent"]
        guesses = [Guess(self.topic(row["intent"]), row.get("confidence", 0.0)) for row in intents]
        best = guesses[0] if guesses else Guess(None)
        topic = self.topic(titles[-1]) if titles else best.intent
        bubbles = output.get("generic", ())
        texts = [text for bubble in bubbles for text in _read_texts(bubble)]
        variables = payload.get("context", {}).get("skills", {}).get("actions skill", {}).get("skill_variables", {})
        calls = [
            (row["name"], row.get("parameters", {})) for row in output.get("actions", payload.get("actions", ()))
        ]
        calls += [("connect_to_agent", {}) for each in bubbles if each.get("response_type") == "connect_to_agent"]
        return Reply(
            tuple(text for text in texts or output.get("text", ()) if text.strip()),
            intent=None if is_fallback else topic,
            confidence=None if is_fallback or not guesses else best.confidence,
            slots=read_slots(output.get("entities", payload.get("entities"))) | read_slots(variables),
            buttons=tuple(label for bubble in bubbles for label in _read_buttons(bubble)),
            fallback=is_fallback,
            guess=best if is_fallback and best.intent else None,
            raw=payload,
            actions=tuple(Action(name, parameters) for name, parameters in calls),
        )

    # Training

    async def fetch_intents(self) -> Sequence[RemoteIntent]:
        """Return the intents of the workspace."""
        rows: list[Any] = []
        more: dict[str, str] = {}
        while True:
            payload = await self.call("GET", self._workspace("intents", page_limit="100", **more))
            rows += payload.get("intents", ())
            cursor = payload.get("pagination", {}).get("next_cursor")
            if not cursor:
                return [self.remote(row["intent"], row["intent"]) for row in rows]
            more = {"cursor": cursor}

    async def add_intent(self, intent: NewIntent) -> None:
        """Create an intent. Examples are one line each, and each stands there once."""
        texts = dict.fromkeys(" ".join(text.split()) for text in intent.examples)
        body = {"intent": intent.written, "examples": [{"text": text} for text in texts]}
        await self.call("POST", self._workspace("intents"), body)

    async def remove_intent(self, intent: RemoteIntent) -> None:
        """Delete an intent."""
        await self.call("DELETE", self._workspace("intents", intent.id))

    async def start_training(self) -> object:
        """Let the training begin, which it does by itself: until then the workspace still says that it is ready."""
        await asyncio.sleep(self.setting("poll_s", POLL_S))
        return None

    async def is_ready(self, job: object) -> bool:
        """Tell whether the workspace is ready; raise where it is not going to be."""
        payload = await self.call("GET", self._workspace())
        status = payload.get("status")
        if status in ("Failed", "Non Existent"):
            errors = "; ".join(str(each.get("message")) for each in payload.get("status_errors", ())) or status
            raise self.build_failure(errors)
        return bool(status == "Available")


def _read_texts(bubble: Mapping[str, Any]) -> Iterator[str]:
    yield bubble.get("text", "")
    header = bubble.get("title") or bubble.get("header") or bubble.get("message_to_human_agent") or ""
    yield "\n".join(filter(None, (header, bubble.get("description"))))
    for row in bubble.get("results", bubble.get("primary_results", ())):
        # Search marks what it found.
        yield re.sub(r"</?em>", "", "\n".join(filter(None, (row.get("title"), row.get("body")))))


def _read_buttons(bubble: Mapping[str, Any]) -> Iterator[str]:
    rows = (*bubble.get("options", ()), *bubble.get("suggestions", ()))
    yield from (row["label"] for row in rows if row.get("label"))
    if bubble.get("response_type") == "button" and bubble.get("label"):
        yield bubble["label"]
