"""Dialogflow ES against a server of its published schema: trained, talked to, examined."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from google_cloud import GoogleCloud, assert_same_as_googles_client, find_method, service_account
from local_platform import THRESHOLD, Call, Refusal, SharedWords
from platform_contract import TOPICS, PlatformContract, run, train_and_ask

from vivavoce.bots.classifier import BotClassifier
from vivavoce.bots.dialogflow import DialogflowBot
from vivavoce.bots.platform import PlatformError, Trouble
from vivavoce.bots.training import retrain
from vivavoce.errors import BotError

pytestmark = pytest.mark.slow

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

    def test_a_token_that_was_revoked_is_renewed_once(self, bot: DialogflowBot, server: LocalDialogflow) -> None:
        run(bot, lambda: retrain(bot, TOPICS))
        first, server.token = server.token, "revoked"
        assert BotClassifier(bot).guess(["where is my card"])[0].intent == "card_arrival"
        assert server.token not in (first, "revoked")

    def test_a_key_of_another_account_is_refused(
        self, bot: DialogflowBot, server: LocalDialogflow, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        service_account.cache_clear()
        other, _ = service_account()
        monkeypatch.setenv("BOT_SECRET", json.dumps({**json.loads(server.secret), "private_key": other}))
        with pytest.raises(PlatformError, match="Invalid JWT Signature") as caught:
            run(bot, bot.list_intents)
        assert caught.value.trouble == Trouble.CREDENTIALS

    def test_a_person_signs_in_with_gclouds_file_and_names_who_pays(
        self, bot: DialogflowBot, server: LocalDialogflow, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        file = tmp_path / "application_default_credentials.json"
        file.write_text(json.dumps({"type": "authorized_user", "token_uri": f"{server.url}/token", **server.person}))
        monkeypatch.setattr("vivavoce.bots.google.GCLOUD_FILE", file)
        monkeypatch.delenv("GOOGLE_APPLICATION_CREDENTIALS", raising=False)
        own = self.build({"project": PROJECT, "base_url": server.url})
        run(own, own.list_intents)
        assert server.calls[-1].headers["x-goog-user-project"] == PROJECT
        server.person = {**server.person, "refresh_token": "another"}
        late = self.build({"project": PROJECT, "base_url": server.url})
        with pytest.raises(PlatformError, match="revoked") as caught:
            run(late, late.list_intents)
        assert "1//refresh-token" not in str(caught.value)

    def test_a_file_that_is_no_key_is_said_to_be_none(self, server: LocalDialogflow, tmp_path: Path) -> None:
        for text, words in (("no json", "no key"), ('{"type": "service_account"}', "client_email, private_key")):
            file = tmp_path / "key.json"
            file.write_text(text)
            bot = self.build({"project": PROJECT, "base_url": server.url, "credentials": str(file)})
            with pytest.raises(PlatformError, match=words) as caught:
                run(bot, bot.list_intents)
            assert caught.value.trouble == Trouble.CREDENTIALS

    def test_all_bubbles_buttons_slots_and_the_action_are_read(
        self, bot: DialogflowBot, server: LocalDialogflow, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        messages = [
            {"text": {"text": ["Fine."]}},
            {"platform": "FACEBOOK", "text": {"text": ["For another channel."]}},
            {"quickReplies": {"title": "Which one?", "quickReplies": ["Gold", "Blue"]}},
            {"card": {"title": "Card", "subtitle": "in gold", "buttons": [{"text": "Order", "postback": "x"}]}},
            {"payload": {"richContent": [[{"type": "chips", "options": [{"text": "Help"}]}]]}},
        ]
        result = {
            "intent": {"name": "n", "displayName": "order"},
            "intentDetectionConfidence": 0.5,
            "action": "order.card",
            "parameters": {"colour": "gold", "size": "", "seats": 2},
            "fulfillmentMessages": messages,
        }
        monkeypatch.setattr(server, "_detect", lambda text: {"responseId": "r", "queryResult": result})
        [reply] = self.say(bot, "a golden card")
        assert reply.texts == ("Fine.", "Which one?", "Card\nin gold")
        assert reply.buttons == ("Gold", "Blue", "Order", "Help")
        assert reply.slots == {"colour": "gold", "seats": "2"}
        assert (reply.intent, reply.confidence, reply.fallback) == ("order", 0.5, False)
        assert [action.name for action in reply.actions] == ["order.card"]

    def test_no_intent_at_all_is_a_fallback(
        self, bot: DialogflowBot, server: LocalDialogflow, monkeypatch: Any
    ) -> None:
        """So it is below the confidence of the agent, where it has no fallback intent."""
        monkeypatch.setattr(server, "_detect", lambda text: {"queryResult": {"queryText": "x"}})
        [reply] = self.say(bot, "hello")
        assert (reply.fallback, reply.intent, reply.texts) == (True, None, ())
        assert run(bot, lambda: bot.classify("hello")) == ()

    def test_a_failed_training_says_why(self, bot: DialogflowBot, server: LocalDialogflow, monkeypatch: Any) -> None:
        failed = {"done": True, "error": {"code": 9, "message": "Too many intents"}}
        monkeypatch.setattr(server, "poll", lambda name: {"name": name, **failed})
        with pytest.raises(PlatformError, match="Too many intents") as caught:
            run(bot, lambda: retrain(bot, {"a": ["hello there"]}))
        assert caught.value.trouble == Trouble.FAILED

    def test_a_published_environment_of_another_region_has_its_own_address(
        self, entry: dict[str, Any], server: LocalDialogflow, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        bot = self.build({**entry, "location": "europe-west1", "environment": "live"})
        with pytest.raises(BotError):  # the local server plays another project path
            run(bot, lambda: bot.classify("hello"))
        place = f"/v2/projects/{PROJECT}/locations/europe-west1/agent/environments/live/users/-/sessions/viva-"
        assert server.calls[-1].path.startswith(place)
        assert find_method("v2", server.calls[-1])["id"].endswith("environments.users.sessions.detectIntent")
        monkeypatch.setenv("BOT_SECRET", server.secret)
        without = self.build(
            {key: text for key, text in entry.items() if key != "base_url"} | {"location": "europe-west1"}
        )
        assert without.host == "https://europe-west1-dialogflow.googleapis.com"
