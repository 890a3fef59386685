"""watsonx Assistant against a server that checks by the models of IBM's own client; that client as a witness."""

from __future__ import annotations

import re
import time
import uuid
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import parse_qs, parse_qsl, urlsplit

import pytest
from local_platform import THRESHOLD, Call, LocalPlatform, Refusal, SharedWords
from platform_contract import TOPICS, PlatformContract, run, train_and_ask

from vivavoce.bots import load_entry
from vivavoce.bots.classifier import BotClassifier
from vivavoce.bots.platform import PlatformError, Trouble
from vivavoce.bots.training import retrain
from vivavoce.bots.watson import WatsonBot

pytestmark = pytest.mark.slow

pytest.importorskip("ibm_watson", reason="ibm-watson is not installed")
jwt = pytest.importorskip("jwt")
WORKSPACE, ASSISTANT, ENVIRONMENT = "9978a49e-ea89-4493-b33d-82298d3db20d", "assistant-1", "environment-1"
ERRORS = {
    "throttled": (429, "Too many requests"),
    "unavailable": (503, "Service Unavailable"),
    "credentials": (401, "Unauthorized"),
    "rights": (403, "Forbidden"),
    "missing": (404, "Resource not found"),
    "invalid": (400, ""),
    "exists": (400, "Unique Violation"),
    "leak": (400, ""),
}


def check_model(model: Any, value: Mapping[str, Any]) -> None:
    """Refuse what the model of IBM's client lacks or does not know: it drops unknown fields without a word."""
    try:
        kept = model.from_dict(value).to_dict()
    except ValueError as error:
        raise Refusal("invalid", str(error)) from None
    if kept != value:
        raise Refusal("invalid", f"{model.__name__}: {value} is not {kept}")


class LocalWatson(LocalPlatform):
    """A classic workspace, and an assistant with the same topics; keys are exchanged for tokens."""

    def __init__(self) -> None:
        super().__init__()
        self.token = ""
        self.tokens: set[str] = set()
        self.intents: dict[str, list[str]] = {}
        self.model = SharedWords()
        self.polls = 0
        self.status_errors: list[Mapping[str, str]] = []
        self.sessions: set[str] = set()
        self.v2_output: Mapping[str, Any] = {}

    def add_foreign_intent(self, name: str) -> None:
        self.intents[name] = ["book a table"]
        self._learn()

    def intent_names(self) -> list[str]:
        return list(self.intents)

    def reply(self, call: Call) -> tuple[int, Mapping[str, str], Any]:
        if call.path == "/identity/token":
            return 200, {}, self.sign_in(call)
        if call.headers.get("authorization") not in (BASIC, *(f"Bearer {token}" for token in self.tokens)):
            raise Refusal("credentials")
        if not re.fullmatch(r"\d{4}-\d\d-\d\d", call.query.get("version", "")):
            raise Refusal("invalid", "the version is missing")
        if call.path.startswith("/v2/"):
            return self.answer_v2(call)
        found = re.fullmatch(rf"/v1/workspaces/{WORKSPACE}(?:/(intents|message))?(?:/([^/]+))?", call.path)
        if not found:
            raise Refusal("missing")
        return self.answer_v1(call, found[1] or "", found[2] or "")

    def sign_in(self, call: Call) -> Mapping[str, Any]:
        form = {name: values[0] for name, values in parse_qs(call.body.decode()).items()}
        assert form["grant_type"] == "urn:ibm:params:oauth:grant-type:apikey"
        if form["apikey"] != self.secret:
            raise Refusal("invalid", "Provided API key could not be found.")
        # IBM's client reads when its token ends.
        claims = {"iat": int(time.time()), "exp": int(time.time()) + 3600, "jti": str(uuid.uuid4())}
        self.token = jwt.encode(claims, "a key of thirty-two bytes at least")
        self.tokens.add(self.token)
        return {"access_token": self.token, "expires_in": 3600, "token_type": "Bearer", "expiration": 1}

    def error(self, kind: str, detail: str) -> tuple[int, Mapping[str, str], Any]:
        code, words = ERRORS[kind]
        detail = f"bad token {self.token}" if kind == "leak" else detail
        if "API key" in detail:
            return 400, {}, {"errorCode": "BXNIM0415E", "errorMessage": detail}
        return code, {"Retry-After": "0"} if code == 429 else {}, {"error": words or detail, "code": code}

    def answer_v1(self, call: Call, part: str, name: str) -> tuple[int, Mapping[str, str], Any]:
        from ibm_watson import assistant_v1 as v1

        match call.method, part, name:
            case "GET", "intents", "":
                start = int(call.query.get("cursor", 0))
                names = list(self.intents)
                more = {"next_cursor": str(start + 2)} if start + 2 < len(names) else {}
                pages = {"refresh_url": f"/v1/workspaces/{WORKSPACE}/intents", **more}
                answer = {"intents": [{"intent": each} for each in names[start : start + 2]], "pagination": pages}
                v1.IntentCollection.from_dict(
                    {**answer, "intents": [{**e, "examples": []} for e in answer["intents"]]}
                )
            case "POST", "intents", "":
                self._create(call.json)
                answer = {"intent": call.json["intent"]}
                return 201, {}, answer
            case "DELETE", "intents", name:
                if name not in self.intents:
                    raise Refusal("missing")
                del self.intents[name]
                self._learn()
                return 200, {}, {}
            case "GET", "", "":
                self.polls -= 1
                status = "Available" if self.polls < 0 else "Training"
                answer = {"name": "w", "language": "en", "learning_opt_out": False, "workspace_id": WORKSPACE}
                answer["status"] = "Failed" if self.status_errors else status
                answer |= {"status_errors": self.status_errors} if self.status_errors else {}
                check_model(v1.Workspace, answer)
            case "POST", "message", "":
                answer = self._understand(call.json)
                v1.MessageResponse.from_dict(answer)
            case _:
                raise Refusal("missing")
        return 200, {}, answer

    def _create(self, body: Mapping[str, Any]) -> None:
        from ibm_watson import assistant_v1 as v1

        # As the reference of the API has it: letters, digits, underscore, hyphen, dot; no line breaks in examples.
        if not re.fullmatch(r"(?!sys-)[\w.-]{1,128}", body["intent"]) or set(body) - {"intent", "examples"}:
            raise Refusal("invalid", f"intent {body}")
        for example in body["examples"]:
            check_model(v1.Example, example)
            if not re.fullmatch(r"[^\r\n\t]{1,1024}", example["text"]):
                raise Refusal("invalid", f"example {example}")
        if body["intent"] in self.intents:
            raise Refusal("exists")
        self.intents[body["intent"]] = [example["text"] for example in body["examples"]]
        self._learn()

    def _learn(self) -> None:
        self.polls = self.polls_until_ready
        self.model = SharedWords((text, name) for name, texts in self.intents.items() for text in texts)

    def _rank(self, text: str) -> list[dict[str, Any]]:
        return [{"intent": name, "confidence": score} for name, score in self.model.rank(text) if score >= THRESHOLD]

    def _understand(self, body: Mapping[str, Any]) -> Any:
        from ibm_watson import assistant_v1 as v1

        check_model(v1.MessageInput, body["input"])
        if not re.fullmatch(r"[^\r\n\t]{1,2048}", body["input"]["text"]):
            raise Refusal("invalid", "input.text")
        intents = self._rank(body["input"]["text"])
        said = f"about {intents[0]['intent']}" if intents else "I did not understand."
        node = {
            "dialog_node": "n",
            "title": "t",
            "conditions": f"#{intents[0]['intent']}" if intents else "anything_else",
        }
        output = {"text": [said], "generic": [{"response_type": "text", "text": said}], "nodes_visited": ["n"]}
        output["nodes_visited_details"] = [node]
        context = {**body.get("context", {}), "system": {"turns": 1}}
        more = {"entities": [], "context": context, "alternate_intents": True, "user_id": body["user_id"]}
        return {"input": body["input"], "intents": intents, "output": {**output, "log_messages": []}, **more}

    def answer_v2(self, call: Call) -> tuple[int, Mapping[str, str], Any]:
        from ibm_watson import assistant_v2 as v2

        place = rf"/v2/assistants/{ASSISTANT}/environments/{ENVIRONMENT}/sessions"
        found = re.fullmatch(rf"{place}(?:/([^/]+))?(/message)?", call.path)
        if not found:
            raise Refusal("missing")
        session = found[1] or ""
        if call.method == "POST" and not session:
            self.sessions.add(session := str(uuid.uuid4()))
            return 201, {}, {"session_id": session}
        if session not in self.sessions:
            raise Refusal("missing", "Invalid Session")
        if call.method == "DELETE":
            self.sessions.remove(session)
            return 200, {}, {}
        check_model(v2.MessageInput, call.json["input"])
        assert set(call.json) <= {"input", "user_id", "context"}
        intents = self._rank(call.json["input"]["text"])
        plain = {"generic": [{"response_type": "text", "text": "Fine."}], "intents": intents, "entities": []}
        answer = {"output": {**plain, **self.v2_output}, "session_id": session, "user_id": call.json["user_id"]}
        v2.StatefulMessageResponse.from_dict(answer)
        return 200, {}, answer


BASIC = "Basic YXBpa2V5OnMzY3IzdC1vZi10aGUtcGxhdGZvcm0="


@pytest.fixture
def server() -> Iterator[LocalWatson]:
    server = LocalWatson()
    yield server
    server.close()


@pytest.fixture
def entry(server: LocalWatson) -> dict[str, Any]:
    return {"workspace_id": WORKSPACE, "url": server.url, "auth_url": server.url, "api_key": "${BOT_SECRET}"}


@pytest.fixture
def assistant(server: LocalWatson, monkeypatch: pytest.MonkeyPatch) -> WatsonBot:
    monkeypatch.setenv("BOT_SECRET", server.secret)
    place = {"assistant_id": ASSISTANT, "environment_id": ENVIRONMENT, "url": server.url, "auth_url": server.url}
    bot = load_entry("mine", {"kind": "watson", "api_key": "${BOT_SECRET}", **place})
    assert isinstance(bot, WatsonBot)
    return bot


def same_request(call: Call) -> tuple[Any, ...]:
    """Return what two clients must agree on; a session differs from one to the next."""
    target = urlsplit(re.sub(r"sessions/[^/?]+", "sessions/S", call.target))
    body = call.json if call.headers.get("content-type") == "application/json" else parse_qs(call.body.decode())
    return call.method, target.path, sorted(parse_qsl(target.query)), body or {}


def test_ibms_own_client_makes_the_same_requests(
    server: LocalWatson, entry: dict[str, Any], assistant: WatsonBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    from ibm_cloud_sdk_core.authenticators import IAMAuthenticator
    from ibm_watson import AssistantV1, AssistantV2
    from ibm_watson.assistant_v2 import MessageInput, MessageInputOptions

    server.polls_until_ready = 0
    train_and_ask("watson", entry, server, monkeypatch)
    TestWatson().say(assistant, "good night")
    ours, server.calls, server.intents = [same_request(call) for call in server.calls], [], {}

    first, second = (
        kind(version=version, authenticator=IAMAuthenticator(server.secret, url=server.url))
        for kind, version in ((AssistantV1, "2021-11-27"), (AssistantV2, "2023-06-15"))
    )
    context = {"conversation_id": "viva"}
    for service in (first, second):
        service.set_service_url(server.url)
    first.list_intents(WORKSPACE, page_limit=100)
    first.create_intent(WORKSPACE, "viva-aX3FX", examples=[{"text": "good morning"}])
    first.get_workspace(WORKSPACE)
    asked: dict[str, Any] = {"alternate_intents": True, "context": context, "user_id": "vivavoce"}
    first.message(WORKSPACE, input={"text": "good night"}, nodes_visited_details=True, **asked)
    first.delete_intent(WORKSPACE, "viva-aX3FX")
    session = second.create_session(ASSISTANT, ENVIRONMENT).get_result()["session_id"]
    options = MessageInputOptions(debug=True, alternate_intents=True, return_context=True)
    told = MessageInput(message_type="text", text="good night", options=options)
    second.message(ASSISTANT, ENVIRONMENT, session, input=told, user_id="vivavoce")
    second.delete_session(ASSISTANT, ENVIRONMENT, session)
    theirs = [same_request(call) for call in server.calls]
    assert len(theirs) == 10, "eight calls, and a token for each of the two services"
    assert [request for request in theirs if request not in ours] == []


def test_an_assistant_is_talked_to_in_a_session_that_is_ended(server: LocalWatson, assistant: WatsonBot) -> None:
    run(assistant, lambda: assistant.classify("hello"))
    assert TestWatson().say(assistant, "hello", "again")[1].texts == ("Fine.",)
    assert server.sessions == set()


def test_actions_are_known_by_their_titles_and_fallbacks_by_their_reason(
    server: LocalWatson, assistant: WatsonBot
) -> None:
    server.add_foreign_intent("action_23885_intent_26500")
    source = {"type": "action", "action": "action_23885", "action_title": "Book a table"}
    event = {"event": "action_visited", "source": source, "reason": "intent"}
    options = {"response_type": "option", "title": "For how many?", "options": [{"label": "2", "value": {}}]}
    call = {"name": "reserve", "type": "client", "parameters": {"seats": 2}, "result_variable": "r"}
    server.v2_output = {"debug": {"turn_events": [event]}, "generic": [options], "actions": [call]}
    [reply] = TestWatson().say(assistant, "book a table")
    assert (reply.intent, reply.confidence, reply.fallback) == ("Book a table", 1.0, False)
    assert (reply.texts, reply.buttons) == (("For how many?",), ("2",))
    assert [str(action) for action in reply.actions] == ["reserve(seats=2)"]
    server.v2_output = {"debug": {"turn_events": [{**event, "reason": "no_action_matches"}]}}
    [reply] = TestWatson().say(assistant, "book a table")
    assert (reply.intent, reply.fallback) == (None, True)
    # The next step of an action is neither a new topic nor a fallback.
    server.v2_output = {"debug": {"turn_events": [{"event": "step_answered", "source": source}]}, "intents": []}
    [reply] = TestWatson().say(assistant, "two")
    assert (reply.intent, reply.fallback) == (None, False)


def test_a_key_may_be_sent_itself(
    server: LocalWatson, entry: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BOT_SECRET", server.secret)
    bot = TestWatson().build({**entry, "auth": "basic"})
    assert run(bot, bot.list_intents) == ()
    assert [call.headers["authorization"] for call in server.calls] == [BASIC]


class TestWatson(PlatformContract):
    kind = "watson"
    creates = "POST .*/intents"
    asks = "POST .*/message"

    def secrets(self, server: Any) -> list[str]:
        return [server.secret, server.token]

    def test_a_wrong_key_is_said_to_be_one(self, bot: WatsonBot, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("BOT_SECRET", "another-key")
        with pytest.raises(Exception, match="API key could not be found") as caught:
            run(bot, lambda: retrain(bot, TOPICS))
        assert caught.value.trouble == "credentials"

    def test_a_token_that_was_revoked_is_renewed_once(self, bot: WatsonBot, server: LocalWatson) -> None:
        run(bot, lambda: retrain(bot, TOPICS))
        server.tokens.clear()
        assert BotClassifier(bot).guess(["where is my card"])[0].intent == "card_arrival"
        assert len(server.tokens) == 1

    def test_a_failed_training_says_why(self, bot: WatsonBot, server: LocalWatson) -> None:
        server.status_errors = [{"message": "The skill is corrupt"}]
        with pytest.raises(PlatformError, match="The skill is corrupt") as caught:
            run(bot, lambda: retrain(bot, {"a": ["hello there"]}))
        assert caught.value.trouble == Trouble.FAILED
