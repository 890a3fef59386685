"""Dialogflow ES against a server of its published schema: trained, talked to, examined."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from google_cloud import GoogleCloud, assert_same_as_googles_client
from local_platform import THRESHOLD, Call, Refusal, SharedWords
from platform_contract import PlatformContract, train_and_ask

PROJECT = "my-project"
AGENT = f"projects/{PROJECT}/agent"


class LocalDialogflow(GoogleCloud):
    """Dialogflow ES: intents in batches, training, `detectIntent`."""

    version = "v2"

    def __init__(self) -> None:
        super().__init__()
        self.intents: dict[str, dict[str, Any]] = {}
        self.model = SharedWords()
        self._store({"displayName": "Default Fallback Intent", "isFallback": True, "action": "input.unknown"})

    def _store(self, intent: Mapping[str, Any]) -> None:
        if any(each["displayName"] == intent["displayName"] for each in self.intents.values()):
            raise Refusal("exists", f"Intent with the display name '{intent['displayName']}' already exists.")
        name = f"{AGENT}/intents/{uuid.uuid4()}"
        self.intents[name] = {**intent, "name": name}

    def add_foreign_intent(self, name: str) -> None:
        phrases = [{"type": "EXAMPLE", "parts": [{"text": "book a table"}]}]
        self._store({"displayName": name, "trainingPhrases": phrases})

    def intent_names(self) -> list[str]:
        return [each["displayName"] for each in self.intents.values() if not each.get("isFallback")]

    def perform(self, method: str, call: Call) -> Any:
        match method.rpartition(".projects.")[2]:
            case "agent.intents.list":
                return self._list(int(call.query.get("pageSize", 100)), int(call.query.get("pageToken", 0)))
            case "agent.intents.batchUpdate":
                for intent in call.json["intentBatchInline"]["intents"]:
                    self._store(intent)
            case "agent.intents.batchDelete":
                for intent in call.json["intents"]:
                    del self.intents[intent["name"]]
            case "agent.train":
                self.model = SharedWords(
                    ("".join(part["text"] for part in phrase["parts"]), intent["name"])
                    for intent in self.intents.values()
                    for phrase in intent.get("trainingPhrases", ())
                )
            case "operations.get":
                return self.poll(call.path.removeprefix("/v2/"))
            case "agent.sessions.detectIntent" | "agent.environments.users.sessions.detectIntent":
                return self._detect(call.json["queryInput"]["text"])
            case _:
                raise Refusal("invalid", f"{method} is not played")
        return self.begin(f"projects/{PROJECT}")

    def _list(self, size: int, start: int) -> Any:
        rows = [{k: v for k, v in each.items() if k != "trainingPhrases"} for each in self.intents.values()]
        size = min(size, 2)  # the service gives fewer than asked for when it likes
        more = {"nextPageToken": str(start + size)} if start + size < len(rows) else {}
        return {"intents": rows[start : start + size], **more}

    def _detect(self, text: Mapping[str, Any]) -> Any:
        if len(text["text"]) > 256:
            raise Refusal("invalid", "Input text exceeds 256 characters.")
        best = next(iter(self.model.rank(text["text"])), ("", 0.0))
        fallback = next(each for each in self.intents.values() if each.get("isFallback"))
        intent, confidence = (self.intents[best[0]], best[1]) if best[1] >= THRESHOLD else (fallback, 1.0)
        said = f"about {intent['displayName']}"
        # As the service does, fields that equal their default are left out.
        shown = {key: intent[key] for key in ("name", "displayName", "isFallback") if intent.get(key)}
        result = {
            "queryText": text["text"],
            "languageCode": text["languageCode"],
            "intent": shown,
            "intentDetectionConfidence": confidence,
            "allRequiredParamsPresent": True,
            "fulfillmentText": said,
            "fulfillmentMessages": [{"text": {"text": [said]}}],
            **({"action": intent["action"]} if intent.get("action") else {}),
        }
        return {"responseId": str(uuid.uuid4()), "queryResult": result}


@pytest.fixture
def server() -> Iterator[LocalDialogflow]:
    server = LocalDialogflow()
    yield server
    server.close()


@pytest.fixture
def entry(server: LocalDialogflow) -> dict[str, Any]:
    return {"project": PROJECT, "credentials": "${BOT_SECRET}", "base_url": server.url}


def test_googles_own_client_makes_the_same_requests(
    server: LocalDialogflow, entry: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    train_and_ask("dialogflow", entry, server, monkeypatch)
    assert_same_as_googles_client("v2", server)


class TestDialogflow(PlatformContract):
    kind = "dialogflow"
    creates = "batchUpdate"
    creates_all_at_once = True
    asks = "detectIntent"

    def secrets(self, server: Any) -> list[str]:
        return [json.loads(server.secret)["private_key"][40:80], server.token]
