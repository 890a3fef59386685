"""Rasa: against a server of its wire format, and against a real Rasa 3.6 where one is installed."""

from __future__ import annotations

import asyncio
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from local_platform import THRESHOLD, Call, LocalPlatform, Refusal, SharedWords
from platform_contract import TOPICS, PlatformContract, run

from vivavoce.bots import load_entry
from vivavoce.bots.classifier import BotClassifier
from vivavoce.bots.training import Trainable, retrain
from vivavoce.errors import BotError, VivaError
from vivavoce.records import Reply

CODES = {"throttled": 429, "unavailable": 503, "credentials": 401, "rights": 403, "missing": 404, "leak": 400}


class LocalRasa(LocalPlatform):
    """Rasa's HTTP API as it is seen from outside: a project is trained whole, and used once it is loaded."""

    def __init__(self) -> None:
        super().__init__()
        self.models: dict[str, dict[str, Any]] = {}
        self.loaded = ""
        self.polls_left = 0
        self.talks: dict[str, list[dict[str, Any]]] = {}

    @property
    def project(self) -> dict[str, Any]:
        if not self.loaded:
            raise Refusal("no model")
        return self.models[self.loaded]

    def error(self, kind: str, detail: str) -> tuple[int, Mapping[str, str], Any]:
        if kind == "no model":
            return 409, {}, {"status": "failure", "reason": "Conflict", "message": "No agent loaded.", "code": 409}
        code = CODES.get(kind, 400)
        message = f"bad token {self.secret}" if kind == "leak" else detail
        return code, {"Retry-After": "0"}, {"status": "failure", "reason": kind, "message": message, "code": code}

    def reply(self, call: Call) -> tuple[int, Mapping[str, str], Any]:
        if call.query.get("token") != self.secret:
            raise Refusal("credentials", "NotAuthenticated")
        return self._route(call)

    def _route(self, call: Call) -> tuple[int, Mapping[str, str], Any]:  # noqa: PLR0911 - one for each path
        match call.method, call.path.strip("/").split("/"):
            case "POST", ["webhooks", "rest", "webhook"]:
                return 200, {}, self._talk(str(call.json["sender"]), str(call.json["message"]))
            case "GET", ["conversations", session, "tracker"]:
                assert call.query["include_events"] == "AFTER_RESTART"
                return 200, {}, self._track(session)
            case "POST", ["model", "parse"]:
                return 200, {}, self._parse(str(call.json["text"]))
            case "POST", ["model", "train"]:
                return self._train(call)
            case "PUT", ["model"]:
                self.loaded = call.json["model_file"].removeprefix("models/")
                self.polls_left = self.polls_until_ready
                return 204, {}, None
            case "DELETE", ["model"]:
                self.loaded = ""
                return 204, {}, None
            case "GET", ["domain"]:
                return (
                    200,
                    {},
                    {"intents": [*self.project["intents"], "restart"], "responses": self.project["responses"]},
                )
            case "GET", ["status"]:
                self.polls_left -= 1
                return (
                    200,
                    {},
                    {"model_file": self.loaded if self.polls_left < 0 else "", "num_active_training_jobs": 0},
                )
        raise Refusal("missing", call.path)

    def _train(self, call: Call) -> tuple[int, Mapping[str, str], Any]:
        assert call.headers["content-type"] == "application/yaml"
        assert not call.body.startswith(b"{"), "Rasa takes JSON for a file of another platform"
        project = yaml.safe_load(call.body)
        named = {block["intent"] for block in project["nlu"]}
        said = {step["action"] for rule in project["rules"] for step in rule["steps"] if "action" in step}
        if named != set(project["intents"]) or said - set(project["responses"]):
            raise Refusal("invalid", "InvalidDomain")
        name = f"model-{len(self.models)}.tar.gz"
        self.models[name] = project
        # The archive itself is larger than anything that a reply may be.
        return 200, {"filename": name}, "x" * 3_000_000

    def _parse(self, text: str) -> dict[str, Any]:
        rows = [
            (line.removeprefix("- "), block["intent"])
            for block in self.project["nlu"]
            for line in block["examples"].splitlines()
        ]
        ranking = [{"name": name, "confidence": share} for name, share in SharedWords(rows).rank(text)]
        best = ranking[0] if ranking and ranking[0]["confidence"] >= THRESHOLD else None
        top = best or {"name": "nlu_fallback", "confidence": THRESHOLD}
        entities = [{"entity": "city", "value": "Perth"}] if "Perth" in text else []
        return {"text": text, "intent": top, "intent_ranking": [top, *ranking], "entities": entities}

    def _talk(self, sender: str, text: str) -> list[dict[str, Any]]:
        parsed = self._parse(text)
        steps = [rule["steps"] for rule in self.project["rules"]]
        action = next(s[1]["action"] for s in steps if s[0]["intent"] == parsed["intent"]["name"])
        events = self.talks.setdefault(sender, [{"event": "action", "name": "action_session_start"}])
        events += [{"event": "user", "parse_data": parsed}, {"event": "action", "name": action}]
        events += [{"event": "action", "name": "action_listen"}]
        said = self.project["responses"][action][0]["text"]
        return [{"recipient_id": sender, "text": said, "buttons": [{"title": "More", "payload": "/more"}]}]

    def _track(self, session: str) -> dict[str, Any]:
        events = self.talks[session]
        latest = next(event["parse_data"] for event in reversed(events) if event["event"] == "user")
        slots = {"city": "Perth" if latest["entities"] else None, "requested_slot": None, "seats": 2}
        return {"sender_id": session, "latest_message": latest, "events": events, "slots": slots}

    def add_foreign_intent(self, name: str) -> None:
        self.models["theirs.tar.gz"] = {
            "intents": [name],
            "responses": {"utter_x": [{"text": "Hello"}]},
            "rules": [{"steps": [{"intent": name}, {"action": "utter_x"}]}],
            "nlu": [{"intent": name, "examples": "- book a table\n"}],
        }
        self.loaded = "theirs.tar.gz"

    def intent_names(self) -> list[str]:
        return list(self.models[self.loaded]["intents"]) if self.loaded else []


@pytest.fixture
def server() -> Iterator[LocalRasa]:
    server = LocalRasa()
    yield server
    server.close()


@pytest.fixture
def entry(server: LocalRasa) -> dict[str, Any]:
    return {"url": server.url, "token": "${BOT_SECRET}"}


class TestRasa(PlatformContract):
    """The promises of every connector to a platform. A project is trained whole: no others stand beside ours."""

    kind = "rasa"
    creates = "POST /model/train"
    asks = "POST /(webhooks/rest/webhook|model/parse)"
    creates_all_at_once = True
    holds_foreign = False

    def test_a_model_of_others_is_not_replaced_without_leave(self, bot: Any, server: LocalRasa) -> None:
        server.add_foreign_intent("booking")
        with pytest.raises(BotError, match="booking"):
            run(bot, lambda: retrain(bot, TOPICS))
        assert server.loaded == "theirs.tar.gz"

    def test_intent_slots_entities_and_actions_come_from_the_tracker(self, bot: Any) -> None:
        run(bot, lambda: retrain(bot, TOPICS))
        [reply, fallback] = self.say(bot, "where is my card in Perth", "quantum chromodynamics")
        assert [action.name for action in reply.actions] == ["utter_viva-card_arrival"]
        assert reply.slots == {"city": "Perth", "seats": "2"}, "Rasa's own slots are left out"
        assert reply.buttons == ("More",)
        assert fallback.guess is None or fallback.guess.confidence < THRESHOLD

    def test_without_the_tracker_only_replies_are_read(self, bot: Any, entry: Any, server: LocalRasa) -> None:
        run(bot, lambda: retrain(bot, TOPICS))
        plain = self.build({**entry, "tracker": "no"})
        [reply] = self.say(plain, "where is my card")
        assert (plain.facts.reports_intent, reply.intent, reply.texts) == (False, None, ("card_arrival",))
        assert not any("tracker" in call.path for call in server.calls)

    def test_a_server_without_its_api_says_what_to_do(self, bot: Any, server: LocalRasa) -> None:
        run(bot, lambda: retrain(bot, TOPICS))
        server.fail("missing", on="GET /conversations")
        with pytest.raises(BotError) as caught:
            self.say(bot, "where is my card")
        assert "--enable-api" in caught.value.remedy

    def test_another_process_adds_a_topic_to_those_that_are_there(self, bot: Any, entry: Any) -> None:
        run(bot, lambda: retrain(bot, TOPICS))
        other = BotClassifier(self.build(entry))
        other.create_intent("greet", ["hello there", "good morning"])
        assert [guess.intent for guess in other.guess(["hello there", "where is my card"])] == [
            "greet",
            "card_arrival",
        ]


def test_an_address_and_a_pipeline_must_be_readable() -> None:
    with pytest.raises(VivaError, match="http"):
        load_entry("r", {"kind": "rasa", "url": "localhost"})
    with pytest.raises(VivaError, match="pipeline"):
        load_entry("r", {"kind": "rasa", "url": "http://localhost", "pipeline": "[not json"})


# A real Rasa


def _find_rasa() -> str | None:
    named = os.environ.get("RASA_PROGRAM", "")
    return named if named and Path(named).exists() else shutil.which("rasa")


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Run an empty Rasa server; it is trained over HTTP."""
    program = _find_rasa()
    if program is None:
        pytest.skip("no Rasa: pip install rasa==3.6.21 under Python 3.10, and set RASA_PROGRAM to its `rasa`")
    folder = tmp_path_factory.mktemp("rasa")
    (folder / "credentials.yml").write_text("rest:\n")
    (folder / "models").mkdir()
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [program, "run", "--enable-api", "-i", "127.0.0.1", "-p", str(port), "--auth-token", "t0ken-of-rasa"]
    environment = {**os.environ, "RASA_TELEMETRY_ENABLED": "false"}
    with (folder / "log").open("w") as log:
        process = subprocess.Popen(command, cwd=folder, stdout=log, stderr=log, env=environment)
        try:
            url = f"http://127.0.0.1:{port}"
            for _ in range(240):
                with socket.socket() as probe:
                    if probe.connect_ex(("127.0.0.1", port)) == 0:
                        break
                assert process.poll() is None, (folder / "log").read_text()[-2000:]
                time.sleep(0.5)
            yield url
        finally:
            process.terminate()
            process.wait(30)


@pytest.mark.slow
def test_a_real_rasa_is_trained_asked_and_talked_to(real: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RASA_TEST_TOKEN", "t0ken-of-rasa")
    pipeline = [
        {"name": "WhitespaceTokenizer"},
        {"name": "CountVectorsFeaturizer"},
        {"name": "LogisticRegressionClassifier"},
        {"name": "FallbackClassifier", "threshold": 0.4},
    ]
    bot = load_entry("real", {"kind": "rasa", "url": real, "token": "${RASA_TEST_TOKEN}", "pipeline": pipeline})
    assert isinstance(bot, Trainable)
    run(bot, lambda: retrain(bot, TOPICS))
    assert sorted(intent.name for intent in run(bot, bot.list_intents)) == sorted(TOPICS)
    guesses = BotClassifier(bot).guess(["my payment was reverted", "when will the card arrive"])
    assert [guess.intent for guess in guesses] == ["reverted_card_payment?", "card_arrival"]

    async def talk() -> list[Reply]:
        conversation = await bot.open("viva-real")
        return [await conversation.say(text) for text in ("when will the card arrive", "xyzzy")]

    known, unknown = run(bot, lambda: asyncio.wait_for(talk(), 60))
    assert (known.intent, known.fallback) == ("card_arrival", False)
    assert [action.name for action in known.actions] == ["utter_viva-card_arrival"]
    assert (unknown.intent, unknown.fallback) == (None, True)
    classifier = BotClassifier(bot)
    classifier.delete_intent("card_arrival")
    classifier.classify("when will the card arrive")
    assert sorted(classifier.all_intents()) == sorted(set(TOPICS) - {"card_arrival"})
