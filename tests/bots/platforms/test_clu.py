"""Microsoft CLU against a server that checks by the reference of its API; Microsoft's own client as a witness."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from local_platform import THRESHOLD, Call, LocalPlatform, Refusal, SharedWords
from platform_contract import PlatformContract, run, train_and_ask

from vivavoce.bots.clu import CluBot
from vivavoce.bots.platform import PlatformError, Trouble
from vivavoce.bots.training import retrain

pytestmark = pytest.mark.slow

PROJECT, DEPLOYMENT, API = "faq", "production", "2023-04-01"
ERRORS = {
    "throttled": (429, "TooManyRequests"),
    "unavailable": (503, "ServiceUnavailable"),
    "credentials": (401, "Unauthorized"),
    "rights": (403, "Forbidden"),
    "missing": (404, "NotFound"),
    "untrained": (404, "NotFound"),
    "invalid": (400, "InvalidArgument"),
    "leak": (400, "InvalidArgument"),
}
TEXT = {"type": "string", "minLength": 1}


def closed(required: Mapping[str, Any], optional: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return the schema of an object that has these fields and no others."""
    fields = {**required, **(optional or {})}
    return {"type": "object", "properties": fields, "required": list(required), "additionalProperties": False}


def each(item: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": item}


NAME = {"type": "string", "pattern": r"^[^:$&%*()+~#/?]{1,50}$"}
UTTERANCE = closed(
    {"text": {**TEXT, "maxLength": 500}, "intent": NAME},
    {"language": TEXT, "dataset": {"enum": ["Train", "Test"]}, "entities": each({"type": "object"})},
)
METADATA = closed(
    {"projectKind": {"const": "Conversation"}, "projectName": {**TEXT, "maxLength": 100}, "language": TEXT},
    {
        "description": TEXT,
        "multilingual": {"type": "boolean"},
        "settings": closed({"confidenceThreshold": {"type": "number", "minimum": 0, "maximum": 1}}),
    },
)
ASSETS = closed(
    {"projectKind": {"const": "Conversation"}},
    {
        "intents": each(closed({"category": NAME})),
        "entities": each({"type": "object"}),
        "utterances": each(UTTERANCE),
    },
)
PERCENT = {"type": "integer", "minimum": 0, "maximum": 100}
SCHEMAS = {
    "import": closed(
        {"projectFileVersion": TEXT, "metadata": METADATA, "stringIndexType": {"enum": ["Utf16CodeUnit"]}},
        {"assets": ASSETS},
    ),
    "train": closed(
        {"modelLabel": TEXT, "trainingMode": {"enum": ["advanced", "standard"]}},
        {
            "evaluationOptions": closed(
                {},
                {
                    "kind": {"enum": ["percentage", "manual"]},
                    "testingSplitPercentage": PERCENT,
                    "trainingSplitPercentage": PERCENT,
                },
            ),
            "trainingConfigVersion": TEXT,
        },
    ),
    "deploy": closed({"trainedModelLabel": TEXT}),
    "analyze": closed(
        {
            "kind": {"const": "Conversation"},
            "analysisInput": closed(
                {
                    "conversationItem": closed(
                        {"id": TEXT, "participantId": TEXT, "text": TEXT},
                        {"language": TEXT, "modality": {"enum": ["text", "transcript"]}, "role": TEXT},
                    )
                }
            ),
            "parameters": closed(
                {"projectName": TEXT, "deploymentName": TEXT},
                {"verbose": {"type": "boolean"}, "isLoggingEnabled": {"type": "boolean"}},
            ),
        }
    ),
}


def check(name: str, body: Any) -> None:
    jsonschema = pytest.importorskip("jsonschema", reason="jsonschema is not installed")
    faults = [error.message for error in jsonschema.Draft202012Validator(SCHEMAS[name]).iter_errors(body)]
    if faults:
        raise Refusal("invalid", "; ".join(faults))


class LocalClu(LocalPlatform):
    """One resource with one project."""

    def __init__(self) -> None:
        super().__init__()
        self.project: dict[str, Any] | None = None
        self.jobs: dict[str, int] = {}
        self.trained: SharedWords | None = None
        self.deployed: SharedWords | None = None
        self.job_errors: list[Mapping[str, Any]] = []

    def add_foreign_intent(self, name: str) -> None:
        utterances = [{"text": "book a table", "intent": name}]
        assets = {"projectKind": "Conversation", "intents": [{"category": "None"}, {"category": name}]}
        metadata = {"projectKind": "Conversation", "projectName": PROJECT, "language": "en", "description": "By hand"}
        self.project = {"metadata": metadata, "assets": {**assets, "entities": [], "utterances": utterances}}

    def intent_names(self) -> list[str]:
        rows = self.project["assets"]["intents"] if self.project else []
        return [row["category"] for row in rows if row["category"] != "None"]

    def reply(self, call: Call) -> tuple[int, Mapping[str, str], Any]:
        if call.headers.get("ocp-apim-subscription-key") != self.secret:
            raise Refusal("credentials", "Access denied due to invalid subscription key or wrong API endpoint.")
        if call.query.get("api-version") != API:
            raise Refusal("invalid", "api-version")
        if (call.method, call.path) == ("POST", "/language/:analyze-conversations"):
            return 200, {}, self._analyze(call.json)
        place = f"/language/authoring/analyze-conversations/projects/{PROJECT}"
        if not call.path.startswith(place):
            raise Refusal("missing", "The project was not found.")
        return self._author(call, call.path.removeprefix(place))

    def error(self, kind: str, detail: str) -> tuple[int, Mapping[str, str], Any]:
        code, name = ERRORS[kind]
        detail = f"bad key {self.secret}" if kind == "leak" else detail
        return code, {"Retry-After": "0"} if code == 429 else {}, {"error": {"code": name, "message": detail}}

    def _author(self, call: Call, path: str) -> tuple[int, Mapping[str, str], Any]:
        if (call.method, path) == ("POST", "/:import"):
            return self._import(call.json)
        if call.method == "GET" and (found := re.fullmatch(r"/(\w+)/jobs/([\w-]+)", path)):
            return 200, {}, self._poll(found[1], found[2])
        if self.project is None:
            raise Refusal("missing", "The project was not found.")
        shown = {
            "": self.project["metadata"],
            "/deployments/production": {"deploymentName": DEPLOYMENT, "modelId": "viva"},
            "/export/result": {"projectFileVersion": API, "stringIndexType": "Utf16CodeUnit", **self.project},
        }
        if call.method == "GET" and path in shown:
            return 200, {}, shown[path]
        match call.method, path:
            case "POST", "/:export":
                if call.query.get("stringIndexType") != "Utf16CodeUnit" or call.body:
                    raise Refusal("invalid", "stringIndexType")
            case "POST", "/:train":
                check("train", call.json)
                rows = self.project["assets"]["utterances"]
                self.trained = SharedWords((row["text"], row["intent"]) for row in rows)
            case "PUT", "/deployments/production":
                check("deploy", call.json)
                self.deployed = self.trained
            case _:
                raise Refusal("missing", f"{call.method} {path}")
        return self._begin(path.lstrip("/:").partition("/")[0])

    def _import(self, body: Mapping[str, Any]) -> tuple[int, Mapping[str, str], Any]:
        check("import", body)
        # The service adds its fallback to every project.
        assets = body["assets"]
        self.project = {**body, "assets": {**assets, "intents": [{"category": "None"}, *assets["intents"]]}}
        return self._begin("import")

    def _begin(self, kind: str) -> tuple[int, Mapping[str, str], Any]:
        name = str(uuid.uuid4())
        self.jobs[name] = self.polls_until_ready
        place = f"{self.url}/language/authoring/analyze-conversations/projects/{PROJECT}/{kind}/jobs/{name}"
        return 202, {"operation-location": f"{place}?api-version={API}"}, None

    def _poll(self, kind: str, name: str) -> Any:
        self.jobs[name] -= 1
        times = dict.fromkeys(("createdDateTime", "lastUpdatedDateTime"), "2026-01-01T00:00:00Z")
        job = {"jobId": name, **times, "status": "succeeded" if self.jobs[name] < 0 else "running"}
        if self.job_errors and kind == "train":
            return {**job, "status": "failed", "errors": self.job_errors}
        if kind == "export" and job["status"] == "succeeded":
            path = f"/language/authoring/analyze-conversations/projects/{PROJECT}/export/result"
            job["resultUrl"] = f"{self.url}{path}?api-version={API}"
        return job

    def _analyze(self, body: Mapping[str, Any]) -> Any:
        check("analyze", body)
        place, text = body["parameters"], body["analysisInput"]["conversationItem"]["text"]
        if place["projectName"] != PROJECT:
            raise Refusal("missing", "The project was not found.")
        if self.deployed is None or place["deploymentName"] != DEPLOYMENT:
            raise Refusal("untrained", "The deployment was not found.")
        rows = [{"category": name, "confidenceScore": score} for name, score in self.deployed.rank(text)]
        is_known = bool(rows) and rows[0]["confidenceScore"] >= THRESHOLD
        rows.insert(len(rows) if is_known else 0, {"category": "None", "confidenceScore": 0.0})
        entity = {"category": "Thing", "text": "card", "offset": text.find("card"), "length": 4, "confidenceScore": 1}
        prediction = {"topIntent": rows[0]["category"], "projectKind": "Conversation", "intents": rows}
        prediction["entities"] = [entity] if "card" in text else []
        return {"kind": "ConversationResult", "result": {"query": text, "prediction": prediction}}


@pytest.fixture
def server() -> Iterator[LocalClu]:
    server = LocalClu()
    yield server
    server.close()


@pytest.fixture
def entry(server: LocalClu) -> dict[str, Any]:
    return {"endpoint": server.url, "api_key": "${BOT_SECRET}", "project": PROJECT}


def same_request(call: Call) -> tuple[Any, ...]:
    """Return what two clients must agree on."""
    target = urlsplit(re.sub(r"jobs/[\w-]+", "jobs/J", call.target))
    return call.method, target.path, sorted(parse_qsl(target.query)), call.json


def test_microsofts_own_client_makes_the_same_requests(
    server: LocalClu, entry: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("azure.ai.language.conversations", reason="azure-ai-language-conversations is not installed")
    from azure.ai.language.conversations import ConversationAnalysisClient
    from azure.ai.language.conversations.authoring import ConversationAuthoringClient
    from azure.core.credentials import AzureKeyCredential

    server.polls_until_ready = 0
    train_and_ask("clu", entry, server, monkeypatch)
    calls, server.calls = list(server.calls), []

    def body_of(pattern: str) -> Any:
        return next(call.json for call in calls if re.search(pattern, f"{call.method} {call.target}"))

    key = AzureKeyCredential(server.secret)
    with ConversationAuthoringClient(server.url, key) as author:
        author.get_project(PROJECT)
        quick = {"polling_interval": 0}
        author.begin_export_project(PROJECT, string_index_type="Utf16CodeUnit", **quick).result()
        author.begin_import_project(PROJECT, body_of(":import"), **quick).result()
        author.begin_train(PROJECT, body_of(":train"), **quick).result()
        author.begin_deploy_project(PROJECT, DEPLOYMENT, body_of("PUT"), **quick).result()
    with ConversationAnalysisClient(server.url, key) as client:
        client.analyze_conversation(body_of(":analyze"))
    theirs, ours = ([same_request(call) for call in rows] for rows in (server.calls, calls))
    assert len({request[:2] for request in theirs}) >= 9
    # Microsoft's client fetches the deployment that it made.
    assert [request[:2] for request in theirs if request not in ours] == [
        ("GET", f"/language/authoring/analyze-conversations/projects/{PROJECT}/deployments/{DEPLOYMENT}")
    ]
    assert [request for request in ours if request[:3] not in [each[:3] for each in theirs]] == [
        request for request in ours if request[1].endswith("/export/result")
    ], "the exported file is fetched by the address that the job names"


class TestClu(PlatformContract):
    kind = "clu"
    creates = ":import"
    creates_all_at_once = True
    asks = ":analyze"
    holds_foreign = False

    def test_what_it_tells_the_application_is_its_reply(self, bot: CluBot) -> None:
        run(bot, lambda: retrain(bot, {"order": ["a new card please"]}))
        known, unknown = self.say(bot, "a new card", "quantum chromodynamics")
        assert (known.texts, known.slots) == ((), {"Thing": "card"})
        assert [str(action) for action in known.actions] == ["order(Thing=card)"]
        assert unknown.shown == "None()"

    def test_a_project_that_was_never_deployed_says_so(self, bot: CluBot) -> None:
        with pytest.raises(PlatformError) as caught:
            run(bot, lambda: bot.classify("hello"))
        assert caught.value.trouble == Trouble.NOT_TRAINED

    def test_a_failed_training_says_why(self, bot: CluBot, server: LocalClu) -> None:
        server.job_errors = [{"code": "InvalidArgument", "message": "Not enough utterances"}]
        with pytest.raises(PlatformError, match="Not enough utterances") as caught:
            run(bot, lambda: retrain(bot, {"a": ["hello there"]}))
        assert caught.value.trouble == Trouble.FAILED

    def test_an_empty_project_of_others_is_not_taken_over(self, bot: CluBot, server: LocalClu) -> None:
        server.add_foreign_intent("booking")
        assert server.project
        server.project["assets"]["intents"] = []
        with pytest.raises(PlatformError) as caught:
            run(bot, lambda: retrain(bot, {"a": ["hello there"]}))
        assert caught.value.trouble == Trouble.FOREIGN

    def test_the_key_goes_to_the_endpoint_alone(self, bot: CluBot, server: LocalClu, monkeypatch: Any) -> None:
        begin = server._begin

        def elsewhere(kind: str) -> Any:
            code, headers, body = begin(kind)
            place = headers["operation-location"].replace(server.url, "http://127.0.0.1:9")
            return code, {"operation-location": place}, body

        monkeypatch.setattr(server, "_begin", elsewhere)
        run(bot, lambda: retrain(bot, {"a": ["hello there"]}))
        assert server.intent_names() == ["a"]
