"""Wit.ai against a server of its wire format."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from local_platform import THRESHOLD, Call, LocalPlatform, Refusal, SharedWords
from platform_contract import TOPICS, PlatformContract, run

from vivavoce.bots.training import retrain

pytestmark = pytest.mark.slow

CODES = {"throttled": 429, "unavailable": 503, "credentials": 401, "rights": 403, "missing": 404, "leak": 400}


class LocalWit(LocalPlatform):
    """Wit's API: intents, validated utterances, and a training that begins by itself."""

    def __init__(self) -> None:
        super().__init__()
        self.intents: dict[str, str] = {}
        self.utterances: dict[str, str] = {}
        self.polls_left = 0

    def error(self, kind: str, detail: str) -> tuple[int, Mapping[str, str], Any]:
        said = f"bad token {self.secret}" if kind == "leak" else detail
        return CODES.get(kind, 400), {"Retry-After": "0"}, {"error": said, "code": kind}

    def reply(self, call: Call) -> tuple[int, Mapping[str, str], Any]:
        if call.headers.get("authorization") != f"Bearer {self.secret}" or not call.query.get("v"):
            raise Refusal("credentials", "Bad auth, check token/params")
        return 200, {}, self._route(call)

    def _route(self, call: Call) -> Any:  # noqa: C901, PLR0911 - one for each path
        self.polls_left = self.polls_until_ready if call.method in ("POST", "DELETE") else self.polls_left
        match call.method, call.path.strip("/").split("/"):
            case "GET", ["message"]:
                return self._understand(call.query["q"])
            case "GET", ["intents"]:
                return [{"id": id, "name": name} for name, id in self.intents.items()] + [
                    {"id": "0", "name": "wit$hi"}
                ]
            case "POST", ["intents"]:
                return self._create(call.json["name"])
            case "DELETE", ["intents", name]:
                del self.intents[name]
                return {"deleted": name}
            case "POST", ["utterances"]:
                assert all(set(row) == {"text", "intent", "entities", "traits"} for row in call.json)
                assert all(row["intent"] in self.intents and 0 < len(row["text"]) <= 280 for row in call.json)
                self.utterances |= {row["text"]: row["intent"] for row in call.json}
                return {"sent": True, "n": len(call.json)}
            case "GET", ["utterances"]:
                return [{"text": text} for text, name in self.utterances.items() if name == call.query["intents"]]
            case "DELETE", ["utterances"]:
                for row in call.json:
                    del self.utterances[row["text"]]
                return {"sent": True, "n": len(call.json)}
            case "GET", ["apps"]:
                return [{"id": "1"}, {"id": "2", "is_app_for_token": True}]
            case "GET", ["apps", "2"]:
                self.polls_left -= 1
                return {"id": "2", "training_status": "done" if self.polls_left < 0 else "ongoing"}
        raise Refusal("missing", call.path)

    def _create(self, name: str) -> Any:
        if not name.replace("_", "").isalnum() or not name.isascii() or name in self.intents:
            raise Refusal("bad-request", f"The name {name} is not allowed")
        self.intents[name] = str(len(self.intents) + 7)
        return {"id": self.intents[name], "name": name}

    def _understand(self, text: str) -> Any:
        assert 0 < len(text) <= 280
        ranking = SharedWords(self.utterances.items()).rank(text)
        intents = [{"id": "7", "name": name, "confidence": share} for name, share in ranking if share >= THRESHOLD]
        city = {"name": "city", "role": "origin", "value": "Perth", "confidence": 0.9, "body": "Perth"}
        return {"text": text, "intents": intents, "entities": {"city:origin": [city]} if "Perth" in text else {}}

    def add_foreign_intent(self, name: str) -> None:
        self._create(name)
        self.utterances["book a table"] = name

    def intent_names(self) -> list[str]:
        return list(self.intents)


@pytest.fixture
def server() -> Iterator[LocalWit]:
    server = LocalWit()
    yield server
    server.close()


@pytest.fixture
def entry(server: LocalWit) -> dict[str, Any]:
    return {"base_url": server.url, "token": "${BOT_SECRET}"}


class TestWit(PlatformContract):
    """The promises of every connector to a platform."""

    kind = "wit"
    creates = "POST /intents"
    asks = "GET /message"

    def test_examples_go_with_their_topic_and_entities_are_slots(self, bot: Any, server: LocalWit) -> None:
        run(bot, lambda: retrain(bot, TOPICS))
        [reply] = self.say(bot, "where is my card from Perth")
        assert (reply.texts, reply.slots) == (("card_arrival",), {"origin": "Perth"})
        run(bot, lambda: retrain(bot, {"greet": ["hello there"]}))
        assert list(server.utterances) == ["hello there"]
