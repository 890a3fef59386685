"""Direct Line, Botpress, Voiceflow and OpenAI's Responses API against servers of their wire formats."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from local_platform import Call, LocalPlatform, Refusal

from vivavoce.bots import check_bot, load_entry
from vivavoce.errors import BotError, VivaError
from vivavoce.records import Reply, Status

pytestmark = pytest.mark.slow

CODES = {"throttled": 429, "unavailable": 503, "credentials": 401, "rights": 403, "missing": 404, "leak": 400}


class Talking(LocalPlatform):
    """A platform that is only talked to."""

    def error(self, kind: str, detail: str) -> tuple[int, Mapping[str, str], Any]:
        said = f"bad secret {self.secret}" if kind == "leak" else detail
        return CODES.get(kind, 400), {"Retry-After": "0"}, {"error": {"code": kind, "message": said}}


class LocalDirectLine(Talking):
    """Direct Line 3.0 with a bot that welcomes, replies in two activities, and once to a message too late."""

    def __init__(self) -> None:
        super().__init__()
        self.conversations: list[list[dict[str, Any]]] = []

    def _add(self, talk: int, **activity: Any) -> str:
        id = f"c{talk}|{len(self.conversations[talk]):07}"
        bot = {"id": "bot", "role": "bot"}
        self.conversations[talk].append({"type": "message", "from": bot, "id": id, **activity})
        return id

    def reply(self, call: Call) -> tuple[int, Mapping[str, str], Any]:
        if call.path == "/copilot/token":
            return 200, {}, {"token": self.secret, "conversationId": "c1", "expires_in": 1800}
        if call.headers.get("authorization") != f"Bearer {self.secret}":
            raise Refusal("credentials", "token not valid for this conversation")
        match call.method, call.path.removeprefix("/v3/directline/").split("/"):
            case "POST", ["conversations"]:
                self.conversations.append([])
                talk = len(self.conversations) - 1
                self._add(talk, text="Welcome!")
                return 201, {}, {"conversationId": str(talk), "token": self.secret, "expires_in": 1800}
            case "POST", ["conversations", talk, "activities"]:
                return 200, {}, {"id": self._hear(int(talk), call.json)}
            case "GET", ["conversations", talk, "activities"]:
                activities = self.conversations[int(talk)]
                new = activities[int(call.query.get("watermark") or 0) :]
                return 200, {}, {"activities": new, "watermark": str(len(activities))}
        raise Refusal("missing", call.path)

    def _hear(self, talk: int, activity: dict[str, Any]) -> str:
        assert activity["from"]["id"].startswith("dl_")
        if activity["type"] != "message":
            return "end"
        id = self._add(talk, **{"from": activity["from"], "text": activity["text"]})
        self._add(talk, text="late", replyToId="c1|9999999")
        self._add(talk, type="typing", replyToId=id)
        self._add(talk, text=f"You said {activity['text']}", replyToId=id)
        actions = [{"type": "imBack", "title": "Yes"}, {"type": "imBack", "title": "No"}]
        block = {"type": "TextBlock", "text": "In a card"}
        card = {"contentType": "application/vnd.microsoft.card.adaptive", "content": {"body": [{"items": [block]}]}}
        self._add(talk, replyToId=id, attachments=[card], suggestedActions={"actions": actions})
        return id


class LocalBotpress(Talking):
    """Botpress's Chat API: the visitor's key lets in, messages are listed newest first."""

    def __init__(self) -> None:
        super().__init__()
        self.conversations: dict[str, list[dict[str, Any]]] = {}

    def reply(self, call: Call) -> tuple[int, Mapping[str, str], Any]:
        if call.path == "/hook/users":
            return 201, {}, {"user": {"id": "user_1"}, "key": self.secret}
        if call.headers.get("x-user-key") != self.secret:
            raise Refusal("credentials", "x-user-key is missing")
        match call.method, call.path.removeprefix("/hook/").split("/"):
            case "POST", ["conversations"]:
                place = f"conv_{len(self.conversations)}"
                self.conversations[place] = []
                return 201, {}, {"conversation": {"id": place}}
            case "POST", ["messages"]:
                return 201, {}, {"message": self._hear(self.conversations[call.json["conversationId"]], call.json)}
            case "GET", ["conversations", place, "messages"]:
                messages, start = self.conversations[place], int(call.query.get("nextToken") or 0)
                meta = {"nextToken": str(start + 2)} if start + 2 < len(messages) else {}
                return 200, {}, {"messages": messages[start : start + 2], "meta": meta}
        raise Refusal("missing", call.path)

    def _hear(self, messages: list[dict[str, Any]], body: Mapping[str, Any]) -> dict[str, Any]:
        options = [{"label": "Yes", "value": "y"}, {"label": "No", "value": "n"}]
        said = {"type": "text", "text": f"You said {body['payload']['text']}"}
        choice = {"type": "choice", "text": "Is that right?", "options": options}
        for user, payload in (("user_1", body["payload"]), ("bot", said), ("bot", choice)):
            number = len(messages)
            created = f"2026-01-01T00:00:{number:02}Z"
            messages.insert(0, {"id": f"m{number}", "userId": user, "createdAt": created, "payload": payload})
        return messages[2]


class LocalVoiceflow(Talking):
    """Voiceflow's Dialog Manager API."""

    def reply(self, call: Call) -> tuple[int, Mapping[str, str], Any]:
        if call.headers.get("authorization") != self.secret or not call.headers.get("versionid"):
            raise Refusal("credentials", "invalid API key")
        if call.method == "DELETE":
            return 200, {}, None
        action = call.json["action"]
        if action["type"] == "launch":
            return 200, {}, [{"type": "text", "payload": {"message": "Hello!"}}]
        known = "card" in action["payload"]
        matched = "matched intent **card_arrival** - confidence interval _87.50%_"
        missed = "matched intent **None** - confidence interval _100.00%_"
        buttons = [{"name": "Yes", "request": {"type": "path-1", "payload": {}}}]
        return (
            200,
            {},
            [
                {"type": "debug", "payload": {"type": "intent", "message": matched if known else missed}},
                {"type": "text", "payload": {"message": f"You said {action['payload']}"}},
                {"type": "send_card", "payload": {"speed": "express"}},
                {"type": "choice", "payload": {"buttons": buttons}},
            ],
        )


class LocalResponses(Talking):
    """The Responses API: it keeps conversations, and refuses a call that was not answered."""

    def __init__(self) -> None:
        super().__init__()
        self.kept: dict[str, list[dict[str, Any]]] = {}

    def reply(self, call: Call) -> tuple[int, Mapping[str, str], Any]:
        body = call.json
        if call.headers.get("authorization") != f"Bearer {self.secret}":
            raise Refusal("credentials", "Incorrect API key provided")
        assert call.path == "/v1/responses"
        assert "messages" not in body
        assert "max_output_tokens" in body
        before = self.kept[body["previous_response_id"]] if "previous_response_id" in body else []
        items = [*before, *body["input"]]
        open_calls = {item["call_id"] for item in items if item.get("type") == "function_call"}
        if open_calls - {item["call_id"] for item in items if item.get("type") == "function_call_output"}:
            raise Refusal("invalid", "No tool output found for function call")
        texts = [item["content"] for item in items if item.get("role") == "user"]
        if texts[-1] == "weather":
            said = {"type": "function_call", "call_id": "k1", "name": "get_weather", "arguments": '{"city": "Perth"}'}
        else:
            part = {"type": "output_text", "text": f"{len(texts)}: {texts[-1]}", "annotations": []}
            said = {"type": "message", "role": "assistant", "content": [part]}
        id = f"resp_{len(self.kept)}"
        output = [{"type": "reasoning", "id": "r", "summary": []}, said]
        if body.get("store", True):
            self.kept[id] = [*items, *output]
        return 200, {}, {"id": id, "object": "response", "status": "completed", "output": output}


PLATFORMS: dict[str, tuple[type[Talking], dict[str, Any]]] = {
    "directline": (LocalDirectLine, {"base_url": "URL/v3/directline", "secret": "${BOT_SECRET}"}),
    "botpress": (LocalBotpress, {"base_url": "URL", "webhook": "hook", "every_s": "0.01"}),
    "voiceflow": (LocalVoiceflow, {"base_url": "URL", "api_key": "${BOT_SECRET}"}),
    "openai": (
        LocalResponses,
        {"base_url": "URL/v1", "api_key": "${BOT_SECRET}", "model": "m", "api": "responses"},
    ),
}
QUICK = {"settle_s": "0.3", "greeting_s": "0.5"}
SETTLING = ("directline", "botpress")


@pytest.fixture(params=list(PLATFORMS))
def platform(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, Talking, Any]]:
    kind = request.param
    make, entry = PLATFORMS[kind]
    server = make()
    monkeypatch.setenv("BOT_SECRET", server.secret)
    given = {key: value.replace("URL", server.url) for key, value in entry.items()}
    yield kind, server, {"kind": kind, **given, **(QUICK if kind in SETTLING else {})}
    server.close()


def talk(entry: dict[str, Any], *texts: str) -> tuple[list[Reply], Any]:
    async def hold() -> tuple[list[Reply], Any]:
        bot = load_entry("mine", entry)
        try:
            conversation = await bot.open("viva-0123456789abcdef")
            replies = [await conversation.say(text) for text in texts]
            await conversation.close()
            return replies, conversation
        finally:
            await bot.close()

    return asyncio.run(asyncio.wait_for(hold(), 30))


def test_each_platform_keeps_the_contract_of_all_bots(platform: tuple[str, Talking, Any]) -> None:
    report = check_bot(load_entry("mine", platform[2]))
    assert [check for check in report.checks if not check.passed] == []


def test_bubbles_buttons_and_greetings_are_told_apart(platform: tuple[str, Talking, Any]) -> None:
    kind, _, entry = platform
    replies, conversation = talk(entry, "first", "second")
    expected = {
        "directline": [("You said {}", "In a card"), ("Yes", "No")],
        "botpress": [("You said {}", "Is that right?"), ("Yes", "No")],
        "voiceflow": [("You said {}",), ("Yes",)],
        "openai": [("{}",), ()],
    }[kind]
    said = ("first", "second") if kind != "openai" else ("1: first", "2: second")
    assert [reply.texts for reply in replies] == [tuple(t.format(text) for t in expected[0]) for text in said]
    assert [reply.buttons for reply in replies] == [expected[1]] * 2
    greeting = {"directline": ("Welcome!",), "voiceflow": ("Hello!",)}.get(kind)
    assert greeting is None or conversation.greeting.texts == greeting


@pytest.mark.parametrize(
    ("fault", "status"),
    [("throttled", Status.RATE_LIMITED), ("unavailable", Status.SERVER_ERROR), ("rights", Status.REFUSED)],
)
def test_faults_have_their_status(platform: tuple[str, Talking, Any], fault: str, status: Status) -> None:
    _, server, entry = platform
    server.fail(fault, on="POST", times=2)
    with pytest.raises(BotError) as caught:
        talk(entry, "hello")
    assert caught.value.status == status
    assert caught.value.remedy


def test_secrets_are_shown_nowhere(platform: tuple[str, Talking, Any]) -> None:
    kind, server, entry = platform
    replies, _ = talk(entry, f"my key is {server.secret}", "hello")
    shown = repr(replies) + json.dumps([reply.raw for reply in replies])
    assert server.secret not in shown
    if kind != "botpress":  # its visitor's key is not known before it is issued
        server.fail("leak", on="POST", times=2)
        with pytest.raises(BotError) as caught:
            talk(entry, "hello")
        assert server.secret not in str(caught.value)
        assert "***" in str(caught.value)


def test_voiceflow_names_intents_confidence_fallback_and_custom_actions() -> None:
    server = LocalVoiceflow()
    os.environ["VF_TEST"] = server.secret
    try:
        [known, unknown], _ = talk(
            {"kind": "voiceflow", "base_url": server.url, "api_key": "${VF_TEST}"}, "my card", "xyz"
        )
    finally:
        del os.environ["VF_TEST"]
        server.close()
    assert (known.intent, known.confidence, known.fallback) == ("card_arrival", 0.875, False)
    assert [str(action) for action in known.actions] == ["send_card(speed=express)"]
    assert (unknown.intent, unknown.confidence, unknown.fallback) == (None, None, True)


def test_copilot_studio_is_reached_by_its_token_endpoint() -> None:
    server = LocalDirectLine()
    address = f"{server.url}/v3/directline"
    [reply], _ = talk(
        {"kind": "directline", "base_url": address, "token_url": f"{server.url}/copilot/token", **QUICK}, "hi"
    )
    server.close()
    assert reply.texts == ("You said hi", "In a card")


@pytest.mark.parametrize("extra", ["{}", '{"store": false}'])
def test_the_responses_api_remembers_and_confirms_tool_calls(extra: str, monkeypatch: pytest.MonkeyPatch) -> None:
    server = LocalResponses()
    monkeypatch.setenv("OPENAI_API_KEY", server.secret)
    entry = {"kind": "openai", "model": "m", "base_url": f"{server.url}/v1", "api": "responses", "extra": extra}
    replies, _ = talk(entry, "hello", "weather", "thanks")
    server.close()
    assert [str(action) for action in replies[1].actions] == ["get_weather(city=Perth)"]
    assert replies[2].texts == ("3: thanks",)


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ({"kind": "voiceflow", "api_key": "VF.DM.written-out"}, "must come from the environment"),
        ({"kind": "wit", "token": "WRITTEN"}, "must come from the environment"),
        ({"kind": "botpress"}, "webhook"),
        ({"kind": "directline", "base_url": "http://x.example", "settle_s": "soon"}, "settle_s"),
        ({"kind": "openai", "model": "m", "api": "assistants"}, "assistants"),
    ],
)
def test_an_entry_that_cannot_work_is_rejected(entry: dict[str, Any], said: str) -> None:
    with pytest.raises(VivaError, match=said):
        load_entry("mine", entry)


# A real Bot Framework bot

BOT = """
const express = require('express');
const {CloudAdapter, ConfigurationBotFrameworkAuthentication, ActivityHandler} = require('botbuilder');
const adapter = new CloudAdapter(new ConfigurationBotFrameworkAuthentication({}));
class Bot extends ActivityHandler {
  constructor() {
    super();
    this.onMessage(async (context, next) => {
      const known = context.activity.text.toLowerCase().includes('card');
      await context.sendActivity(known ? 'Your card is on its way.' : 'Sorry, I did not understand that.');
      if (known) await context.sendActivity('It arrives on Monday.');
      await next();
    });
  }
}
const bot = new Bot(), app = express();
app.use(express.json());
app.post('/api/messages', (request, response) => adapter.process(request, response, (context) => bot.run(context)));
const server = app.listen(0, '127.0.0.1', () => {
  const line = express();
  const endpoint = `http://127.0.0.1:${server.address().port}/api/messages`;
  require('offline-directline').initializeRoutes(line, +process.argv[2], endpoint, false);
});
"""


@pytest.mark.slow
def test_a_real_bot_framework_bot_is_talked_to(tmp_path: Path) -> None:
    packages = Path(os.environ.get("BOTFRAMEWORK_PACKAGES", "")) / "node_modules"
    node = shutil.which("node")
    if not node or not (packages / "offline-directline").exists():
        pytest.skip(
            "no Bot Framework: npm install botbuilder@4 offline-directline express@4, set BOTFRAMEWORK_PACKAGES"
        )
    (tmp_path / "bot.js").write_text(BOT)
    (tmp_path / "node_modules").symlink_to(packages)
    port = 3057
    process = subprocess.Popen([node, "bot.js", str(port)], cwd=tmp_path)
    try:
        entry = {"kind": "directline", "base_url": f"http://127.0.0.1:{port}/directline", **QUICK}
        for _ in range(60):
            time.sleep(0.5)
            try:
                replies, _ = talk(entry, "where is my card", "play jazz")
                break
            except BotError as error:
                if error.status != Status.UNREACHABLE:
                    raise
        assert [reply.texts for reply in replies] == [
            ("Your card is on its way.", "It arrives on Monday."),
            ("Sorry, I did not understand that.",),
        ]
    finally:
        process.terminate()
        process.wait(10)
