"""Dialogflow CX (v3): talked to by `detectIntent`, asked by `matchIntent`, trained flow by flow."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any
from urllib.parse import quote

from vivavoce.bots.asking import new_session
from vivavoce.bots.classifier import classifier_of
from vivavoce.bots.declaration import Connector, Reach
from vivavoce.bots.dialogflow import read_messages
from vivavoce.bots.google import GOOGLE, GOOGLE_OPTIONS, LIMITS, PROJECT, GoogleBot, read_google_entry
from vivavoce.bots.names import NameRule
from vivavoce.bots.platform_entry import TRAINING_OPTIONS, shown_option
from vivavoce.bots.protocol import BotContext
from vivavoce.bots.shapes import read_slots
from vivavoce.bots.training import NewIntent, Progress, RemoteIntent
from vivavoce.messages import say
from vivavoce.plugins import declare
from vivavoce.records import Action, Guess, Reply

START_FLOW = "00000000-0000-0000-0000-000000000000"
PLACE = "project, location, agent, flow, environment"
PLATFORM = replace(GOOGLE, title="Dialogflow CX", place=PLACE, names=NameRule(longest=64))
_MATCHED = ("INTENT", "DIRECT_INTENT")
CONNECTOR = Connector(
    Reach.ADDRESS,
    (
        shown_option("project", say("Project"), say("The ID of the Google Cloud project.")),
        shown_option("location", say("Region"), default="global"),
        shown_option("agent", say("Agent"), say("The ID of the agent, from its address."), required=True),
        shown_option("flow", say("Flow"), say("Empty: the start flow.")),
        shown_option("language", say("Language"), default="en"),
        shown_option("environment", say("Environment")),
        *GOOGLE_OPTIONS,
        *TRAINING_OPTIONS,
    ),
    option="agent",
    limits=LIMITS,
    title="Dialogflow CX",
    position=11,
)


@declare(CONNECTOR)
def from_option(option: str, context: BotContext) -> DialogflowCxBot:
    """Dialogflow CX; option: agent ID."""
    needs = {"agent": "", "project": PROJECT}
    return DialogflowCxBot(*read_google_entry(option, "agent", context, PLATFORM.title, needs))


classifier = classifier_of("dialogflow-cx", PLATFORM.title, "an agent")


class DialogflowCxBot(GoogleBot):
    """An agent of Dialogflow CX. Its topics are the intents that routes of one flow refer to."""

    platform = PLATFORM
    version = "v3"

    def _url(self, *steps: str) -> str:
        location, agent = str(self.entry.get("location") or "global"), str(self.entry["agent"])
        place = ("projects", str(self.entry["project"]), "locations", location, "agents", agent, *steps)
        return f"{self.host}/v3/{'/'.join(quote(step, safe='') for step in place)}"

    @property
    def _flow(self) -> str:
        return self._url("flows", str(self.entry.get("flow") or START_FLOW))

    @property
    def intents_url(self) -> str:
        """The address of the agent's intents."""
        return self._url("intents")

    async def classify(self, text: str) -> tuple[Guess, ...]:
        """Return the intents that match a message, without moving any conversation."""
        matches = (await self._ask("matchIntent", new_session(), text)).get("matches", ())
        if not matches or matches[0].get("matchType") not in _MATCHED:
            return ()
        rows = [match for match in matches if match.get("matchType") in _MATCHED]
        return tuple(Guess(self.topic(row["intent"]["displayName"]), row.get("confidence", 0.0)) for row in rows)

    async def _ask(self, verb: str, session: str, text: str) -> Any:
        environment = self.entry.get("environment")
        place = ("environments", str(environment)) if environment else ()
        body = {"queryInput": {"text": {"text": self.message(text)}, "languageCode": self.language}}
        return await self.call("POST", f"{self._url(*place, 'sessions', session)}:{verb}", body)

    async def reply(self, session: str, text: str) -> Reply:
        """Send a message of a conversation and read the reply."""
        payload = await self._ask("detectIntent", session, text)
        result = payload.get("queryResult", {})
        match, messages = result.get("match", {}), result.get("responseMessages", ())
        is_matched = match.get("matchType") in _MATCHED
        texts, buttons = read_messages(messages)
        handed_over = [each["liveAgentHandoff"] for each in messages if "liveAgentHandoff" in each]
        return Reply(
            tuple(texts),
            # A value for a slot, an event or a playbook is neither a topic nor a fallback.
            intent=self.topic(match["intent"]["displayName"]) if is_matched else None,
            confidence=match.get("confidence", 0.0) if is_matched else None,
            slots=read_slots(result.get("parameters", {})),
            buttons=tuple(buttons),
            fallback=match.get("matchType") in ("NO_MATCH", "NO_INPUT"),
            raw=payload,
            actions=tuple(Action("live_agent_handoff", each.get("metadata", {})) for each in handed_over),
        )

    async def apply(self, progress: Progress) -> None:
        """Delete and create one by one; a route must not lead to what is gone, and without one nothing matches."""
        replies = {new.written: new.replies for new in self._creating.values()}
        if self._deleting:
            await self.patiently(partial(self._route, {}, gone=frozenset(self._deleting)))
        await super().apply(progress)
        await self.patiently(partial(self._route, replies))

    async def _route(self, replies: dict[str, tuple[str, ...]], gone: frozenset[str] = frozenset()) -> None:
        """Give each topic of ours a route in the flow, and take those away that lead to intents that are going."""
        flow = await self.call("GET", f"{self._flow}?languageCode={self.language}")
        # Their names are for answers only.
        before = [{k: v for k, v in row.items() if k != "name"} for row in flow.get("transitionRoutes", ())]
        routes = [route for route in before if route.get("intent") not in gone]
        routed = {route.get("intent") for route in routes}
        for row in await self.list_rows():
            name = row["displayName"]
            if self.platform.names.owns(name) and row["name"] not in routed | gone:
                messages = [{"text": {"text": [reply]}} for reply in replies.get(name, ())]
                routes.append(
                    {"intent": row["name"], "triggerFulfillment": {"messages": messages} if messages else {}}
                )
        if routes != before:
            url = f"{self._flow}?updateMask=transitionRoutes&languageCode={self.language}"
            await self.call("PATCH", url, {"displayName": flow["displayName"], "transitionRoutes": routes})

    async def add_intent(self, intent: NewIntent) -> None:
        """Create an intent."""
        phrases = [{"parts": [{"text": text}], "repeatCount": 1} for text in intent.examples]
        body = {"displayName": intent.written, "trainingPhrases": phrases}
        await self.call("POST", f"{self.intents_url}?languageCode={self.language}", body)

    async def remove_intent(self, intent: RemoteIntent) -> None:
        """Delete an intent."""
        await self.call("DELETE", f"{self.host}/v3/{intent.id}")

    async def start_training(self) -> object:
        """Begin the training of the flow."""
        return await self.call("POST", f"{self._flow}:train", {})
