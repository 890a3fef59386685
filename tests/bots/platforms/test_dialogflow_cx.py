"""Dialogflow CX against a server of its published schema: routes, training, `matchIntent` and `detectIntent`."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from google_cloud import GoogleCloud, assert_same_as_googles_client
from local_platform import THRESHOLD, Call, Refusal, SharedWords
from platform_contract import PlatformContract, run, train_and_ask

from vivavoce.bots.dialogflow_cx import START_FLOW, DialogflowCxBot
from vivavoce.bots.training import retrain

pytestmark = pytest.mark.slow

AGENT = "projects/my-project/locations/europe-west3/agents/7d1c0c2c-1f4c-4a0e-9f5e-000000000000"
FLOW = f"{AGENT}/flows/{START_FLOW}"


class LocalCx(GoogleCloud):
    """One agent with its start flow. An intent that no route refers to never matches."""

    version = "v3"

    def __init__(self) -> None:
        super().__init__()
        self.intents: dict[str, dict[str, Any]] = {}
        self.routes: list[dict[str, Any]] = []
        self.model = SharedWords()
        self.result: Mapping[str, Any] = {}
        self._store({"displayName": "Default Negative Intent", "isFallback": True})

    def _store(self, intent: Mapping[str, Any]) -> dict[str, Any]:
        if any(row["displayName"] == intent["displayName"] for row in self.intents.values()):
            raise Refusal("exists", f"Intent with display name {intent['displayName']} already exists.")
        if len(intent["displayName"]) > 64:
            raise Refusal("invalid", "display name")
        own = {**intent, "name": f"{AGENT}/intents/{uuid.uuid4()}"}
        self.intents[own["name"]] = own
        return own

    def add_foreign_intent(self, name: str) -> None:
        own = self._store({"displayName": name, "trainingPhrases": [{"parts": [{"text": "book a table"}]}]})
        self.routes.append({"intent": own["name"], "name": str(uuid.uuid4())})

    def intent_names(self) -> list[str]:
        return [row["displayName"] for row in self.intents.values() if not row.get("isFallback")]

    def perform(self, method: str, call: Call) -> Any:
        name = call.path.removeprefix("/v3/")
        if not name.startswith(AGENT.partition("/agents")[0]):
            raise Refusal("missing", "no such location")
        perform = {
            "agents.intents.list": lambda: self._list(int(call.query.get("pageToken", 0))),
            "agents.intents.create": lambda: self._store(call.json),
            "agents.intents.delete": lambda: self._delete(name),
            "agents.flows.get": self._flow,
            "agents.flows.patch": lambda: self._patch(call),
            "agents.flows.train": self._learn,
            "operations.get": lambda: self.poll(name),
            "agents.sessions.matchIntent": lambda: {"matches": self._match(call.json["queryInput"]["text"]["text"])},
            "agents.sessions.detectIntent": lambda: self._detect(call.json["queryInput"]["text"]["text"]),
        }
        return perform[method.rpartition(".locations.")[2]]()

    def _flow(self) -> Any:
        return {"name": FLOW, "displayName": "Default Start Flow", "transitionRoutes": self.routes}

    def _list(self, start: int) -> Any:
        rows = [{k: v for k, v in row.items() if k != "trainingPhrases"} for row in self.intents.values()]
        more = {"nextPageToken": str(start + 2)} if start + 2 < len(rows) else {}
        return {"intents": rows[start : start + 2], **more}

    def _delete(self, name: str) -> Any:
        if name not in self.intents:
            raise Refusal("missing", name)
        if any(route.get("intent") == name for route in self.routes):
            raise Refusal("exists", "a route refers to the intent")
        del self.intents[name]
        return {}

    def _patch(self, call: Call) -> Any:
        assert call.query["updateMask"] == "transitionRoutes"
        for route in call.json["transitionRoutes"]:
            if route["intent"] not in self.intents:
                raise Refusal("invalid", f"no intent {route['intent']}")
        self.routes = [{"name": str(uuid.uuid4()), **route} for route in call.json["transitionRoutes"]]
        return self._flow()

    def _learn(self) -> Any:
        routed = {route.get("intent") for route in self.routes}
        self.model = SharedWords(
            ("".join(part["text"] for part in phrase["parts"]), name)
            for name, intent in self.intents.items()
            if name in routed
            for phrase in intent.get("trainingPhrases", ())
        )
        return self.begin("projects/my-project/locations/europe-west3")

    def _match(self, text: str) -> list[Mapping[str, Any]]:
        if len(text) > 256:
            raise Refusal("invalid", "Input text exceeds 256 characters.")
        rows = [(self.intents[name], score) for name, score in self.model.rank(text) if score >= THRESHOLD]
        shown = [({key: row[key] for key in ("name", "displayName")}, score) for row, score in rows]
        matches = [{"intent": row, "matchType": "INTENT", "confidence": score} for row, score in shown]
        return matches or [{"matchType": "NO_MATCH", "confidence": 0.0}]

    def _detect(self, text: str) -> Any:
        [match, *_] = self._match(text)
        said = f"about {match.get('intent', {}).get('displayName', 'nothing')}"
        messages = [{"text": {"text": [said]}}]
        result = {"text": text, "languageCode": "en", "match": match, "responseMessages": messages}
        return {"responseId": str(uuid.uuid4()), "queryResult": {**result, **self.result}}


@pytest.fixture
def server() -> Iterator[LocalCx]:
    server = LocalCx()
    yield server
    server.close()


@pytest.fixture
def entry(server: LocalCx) -> dict[str, Any]:
    place = {"project": "my-project", "location": "europe-west3", "agent": AGENT.rpartition("/")[2]}
    return {**place, "credentials": "${BOT_SECRET}", "base_url": server.url}


def test_googles_own_client_makes_the_same_requests(
    server: LocalCx, entry: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    train_and_ask("dialogflow-cx", entry, server, monkeypatch)
    assert_same_as_googles_client("v3", server)


class TestDialogflowCx(PlatformContract):
    kind = "dialogflow-cx"
    creates = "POST .*/intents"
    asks = "(match|detect)Intent"

    def secrets(self, server: Any) -> list[str]:
        return [json.loads(server.secret)["private_key"][40:80], server.token]

    def test_each_topic_has_its_route_and_its_reply(self, bot: DialogflowCxBot, server: LocalCx) -> None:
        async def provision() -> None:
            await bot.create_intent("greet", ["good morning"], ["Hello!"])
            await bot.train()

        run(bot, provision)
        [route] = server.routes
        assert route["triggerFulfillment"] == {"messages": [{"text": {"text": ["Hello!"]}}]}
        run(bot, lambda: retrain(bot, {"other": ["good evening"]}))
        assert [server.intents[route["intent"]]["displayName"] for route in server.routes] == ["viva-other"]

    def test_the_value_of_a_slot_is_neither_topic_nor_fallback(self, bot: DialogflowCxBot, server: LocalCx) -> None:
        chips = {"richContent": [[{"type": "chips", "options": [{"text": "Gold"}, {"text": "Blue"}]}]]}
        messages = [
            {"text": {"text": ["Which one?"]}},
            {"payload": chips},
            {"liveAgentHandoff": {"metadata": {"q": 1}}},
        ]
        match = {"matchType": "PARAMETER_FILLING", "confidence": 1.0}
        server.result = {"match": match, "parameters": {"colour": "gold"}, "responseMessages": messages}
        [reply] = self.say(bot, "gold")
        assert (reply.intent, reply.fallback, reply.confidence) == (None, False, None)
        assert (reply.texts, reply.buttons, reply.slots) == (("Which one?",), ("Gold", "Blue"), {"colour": "gold"})
        assert [str(action) for action in reply.actions] == ["live_agent_handoff(q=1)"]
