"""Amazon Lex V2 against a server made of botocore's own description of the service, which checks each signature."""

from __future__ import annotations

import random
import re
import string
import uuid
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from local_platform import THRESHOLD, Call, LocalPlatform, Refusal, SharedWords
from platform_contract import PlatformContract, run, train_and_ask

from vivavoce.bots.aws import Credentials, read_profile, sign
from vivavoce.bots.guard import Request
from vivavoce.bots.lex import LexBot
from vivavoce.bots.platform import PlatformError, Trouble
from vivavoce.bots.training import retrain

pytestmark = pytest.mark.slow

botocore = pytest.importorskip("botocore", reason="botocore is not installed")
KEY_ID, BOT, LOCALE = "AKIAIOSFODNN7EXAMPLE", "ABCDEFGHIJ", "en_US"
ERRORS = {
    "throttled": (429, "ThrottlingException"),
    "unavailable": (503, "ServiceUnavailableException"),
    "credentials": (403, "UnrecognizedClientException"),
    "rights": (403, "AccessDeniedException"),
    "missing": (404, "ResourceNotFoundException"),
    "exists": (409, "ConflictException"),
    "invalid": (400, "ValidationException"),
    "leak": (400, "ValidationException"),
    "expired": (403, "ExpiredTokenException"),
    "signature": (403, "InvalidSignatureException"),
}


@cache
def list_operations() -> list[tuple[re.Pattern[str], Any]]:
    import botocore.session

    session = botocore.session.get_session()
    rows = []
    for service in ("lexv2-models", "lexv2-runtime"):
        model = session.get_service_model(service)
        for name in model.operation_names:
            operation = model.operation_model(name)
            pattern = re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>[^/]+)", re.escape(operation.http["requestUri"]))
            rows.append((re.compile(pattern), operation))
    return rows


def find_faults(shape: Any, value: Any, place: str) -> Iterator[str]:
    """Yield what botocore's own check leaves out: greatest lengths, patterns, enumerations, unknown members."""
    if value is None:
        return  # a slot that is not filled
    if shape.type_name == "structure":
        yield from (f"{place}: unknown member {name}" for name in value if name not in shape.members)
        inner = [(shape.members[name], name, item) for name, item in value.items() if name in shape.members]
    elif shape.type_name == "list":
        inner = [(shape.member, number, item) for number, item in enumerate(value)]
    elif shape.type_name == "map":
        inner = [(shape.value, name, item) for name, item in value.items()]
    else:
        inner = []
        if shape.type_name == "string" and not re.search(shape.metadata.get("pattern", ""), value):
            yield f"{place}: {value!r} does not match {shape.metadata['pattern']}"
        if getattr(shape, "enum", None) and value not in shape.enum:
            yield f"{place}: {value!r} is none of {shape.enum}"
    size = len(value) if isinstance(value, str | list | dict) else value
    if size > shape.metadata.get("max", size):
        yield f"{place}: more than {shape.metadata['max']}"
    for part, name, item in inner:
        yield from find_faults(part, item, f"{place}.{name}")


def without_nulls(value: Any) -> Any:
    """Return a value as a client of Amazon reads it: slots that are not filled are not there."""
    if isinstance(value, dict):
        return {name: without_nulls(item) for name, item in value.items() if item is not None}
    return [without_nulls(item) for item in value] if isinstance(value, list) else value


def check_shape(shape: Any, value: Any, place: str) -> None:
    from botocore.validate import ParamValidator

    report = ParamValidator().validate(without_nulls(value), shape)
    faults = [report.generate_report()] if report.has_errors() else []
    faults += find_faults(shape, value, place)
    if faults:
        raise Refusal("invalid", "; ".join(faults))


class LocalLex(LocalPlatform):
    """Lex V2: one bot, one locale, the alias for tests."""

    def __init__(self) -> None:
        super().__init__()
        self.intents: dict[str, dict[str, Any]] = {}
        self.model: SharedWords | None = None
        self.status, self.polls = "NotBuilt", 0
        self.fallback = "FallbackIntent"
        self._store({"intentName": self.fallback, "parentIntentSignature": "AMAZON.FallbackIntent"})

    def _store(self, intent: Mapping[str, Any]) -> dict[str, Any]:
        if any(each["intentName"] == intent["intentName"] for each in self.intents.values()):
            raise Refusal("exists", f"Intent with name {intent['intentName']} already exists")
        own = {**intent, "intentId": "".join(random.choices(string.ascii_uppercase + string.digits, k=10))}  # noqa: S311
        self.intents[own["intentId"]] = own
        return own

    def add_foreign_intent(self, name: str) -> None:
        self._store({"intentName": name, "sampleUtterances": [{"utterance": "book a table"}]})

    def intent_names(self) -> list[str]:
        return [each["intentName"] for each in self.intents.values() if "parentIntentSignature" not in each]

    def reply(self, call: Call) -> tuple[int, Mapping[str, str], Any]:
        self._check_signature(call)
        for pattern, operation in list_operations():
            match = pattern.fullmatch(call.path)
            if match and operation.http["method"] == call.method:
                break
        else:
            raise Refusal("invalid", f"UnknownOperation {call.method} {call.path}")
        names = {shape.serialization.get("name"): name for name, shape in operation.input_shape.members.items()}
        parameters = {names.get(name, name): value for name, value in match.groupdict().items()}
        parameters |= call.json
        check_shape(operation.input_shape, parameters, operation.name)
        if (parameters["botId"], parameters["localeId"]) != (BOT, LOCALE):
            raise Refusal("missing", "there is no such bot or locale")
        answer = getattr(self, operation.name)(parameters)
        if operation.output_shape:
            check_shape(operation.output_shape, answer, "answer")
        return operation.http.get("responseCode", 200), {}, answer

    def error(self, kind: str, detail: str) -> tuple[int, Mapping[str, str], Any]:
        code, name = ERRORS[kind]
        detail = f"bad key {self.secret}" if kind == "leak" else detail
        again = {"Retry-After": "0"} if code == 429 else {}
        return code, {"x-amzn-ErrorType": f"{name}:http://internal.amazon.com/", **again}, {"message": detail}

    def _check_signature(self, call: Call) -> None:
        from botocore.auth import SigV4Auth
        from botocore.awsrequest import AWSRequest
        from botocore.credentials import Credentials as Keys

        scheme = (
            r"AWS4-HMAC-SHA256 Credential=(\w+)/\d{8}/([\w-]+)/lex/aws4_request, SignedHeaders=(.+), Signature=(\w+)"
        )
        found = re.fullmatch(scheme, call.headers.get("authorization", ""))
        if not found or found[1] != KEY_ID:
            raise Refusal("credentials", "The security token included in the request is invalid.")
        signed = {name: call.headers[name] for name in found[3].split(";")}
        assert "host" in signed
        request = AWSRequest(call.method, f"http://{call.headers['host']}{call.target}", signed, call.body)
        request.context["timestamp"] = call.headers["x-amz-date"]
        request.context["payload_signing_enabled"] = True
        signer = SigV4Auth(Keys(KEY_ID, self.secret), "lex", found[2])
        to_sign = signer.string_to_sign(request, signer.canonical_request(request))
        if signer.signature(to_sign, request) != found[4]:
            raise Refusal("signature", "The request signature we calculated does not match")
        if found[2] != "eu-west-1":
            raise Refusal("missing", "there is no such bot in this region")

    # The operations, by their names

    def _place(self) -> dict[str, str]:
        return {"botId": BOT, "botVersion": "DRAFT", "localeId": LOCALE}

    def ListIntents(self, asked: Mapping[str, Any]) -> Any:  # noqa: N802
        rows, start = list(self.intents.values()), int(asked.get("nextToken", 0))
        keys = ("intentId", "intentName", "parentIntentSignature")
        shown = [{key: row[key] for key in keys if key in row} for row in rows[start : start + 2]]
        more = {"nextToken": str(start + 2)} if start + 2 < len(rows) else {}
        return {**self._place(), "intentSummaries": shown, **more}

    def CreateIntent(self, asked: Mapping[str, Any]) -> Any:  # noqa: N802
        own = self._store(asked)
        return {**self._place(), "intentId": own["intentId"], "intentName": own["intentName"]}

    def DeleteIntent(self, asked: Mapping[str, Any]) -> Any:  # noqa: N802
        assert self.intents.pop(asked["intentId"])
        return None

    def BuildBotLocale(self, asked: Mapping[str, Any]) -> Any:  # noqa: N802
        if not self.intent_names():
            raise Refusal("invalid", "a locale needs an intent")
        self.status, self.polls = "Building", self.polls_until_ready
        self.model = SharedWords(
            (row["utterance"], intent["intentName"])
            for intent in self.intents.values()
            for row in intent.get("sampleUtterances", ())
        )
        return {**self._place(), "botLocaleStatus": self.status}

    def DescribeBotLocale(self, asked: Mapping[str, Any]) -> Any:  # noqa: N802
        self.polls -= 1
        if self.status == "Building" and self.polls < 0:
            self.status = "Built"
        more = {"failureReasons": ["Intent a has no utterance"]} if self.status == "Failed" else {}
        return {**self._place(), "botLocaleStatus": self.status, **more}

    def RecognizeText(self, asked: Mapping[str, Any]) -> Any:  # noqa: N802
        if self.status != "Built" or self.model is None:
            raise Refusal("invalid", f"Bot locale {LOCALE} is not built")
        interpretations: list[dict[str, Any]] = []
        for name, likeness in self.model.rank(asked["text"])[:4]:
            if likeness > 0:
                intent = {"name": name, "slots": {}, "state": "ReadyForFulfillment", "confirmationState": "None"}
                score = {"score": round(likeness, 2)}
                interpretations.append({"intent": intent, "nluConfidence": score, "interpretationSource": "Lex"})
        # Lex puts its fallback, which has no confidence, before all that is under the threshold.
        place = sum(each["nluConfidence"]["score"] >= THRESHOLD for each in interpretations)
        fallback = {"name": self.fallback, "slots": {}, "state": "ReadyForFulfillment"}
        interpretations.insert(place, {"intent": fallback, "interpretationSource": "Lex"})
        first = interpretations[0]["intent"]
        return {
            "messages": [{"content": f"about {first['name']}", "contentType": "PlainText"}],
            "sessionState": {"dialogAction": {"type": "Close"}, "intent": first, "sessionAttributes": {}},
            "interpretations": interpretations,
            "requestAttributes": {},
            "sessionId": asked["sessionId"],
        }


@pytest.fixture
def server() -> Iterator[LocalLex]:
    server = LocalLex()
    yield server
    server.close()


@pytest.fixture
def entry(server: LocalLex) -> dict[str, Any]:
    keys = {"access_key_id": KEY_ID, "secret_access_key": "${BOT_SECRET}"}
    return {"bot_id": BOT, "region": "eu-west-1", "base_url": server.url, **keys}


def same_request(call: Call) -> dict[str, Any]:
    """Return what two clients must agree on: everything but the time, the signature and who signed."""
    return {"method": call.method, "target": call.target, "body": call.json}


def test_amazons_own_client_makes_the_same_requests(
    server: LocalLex, entry: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    import botocore.session

    train_and_ask("lex", entry, server, monkeypatch)
    ours, server.calls = list(server.calls), []
    session = botocore.session.get_session()
    options = {"region_name": "eu-west-1", "endpoint_url": server.url, "aws_access_key_id": KEY_ID}
    clients = {
        service: session.create_client(service, aws_secret_access_key=server.secret, **options)
        for service in ("lexv2-models", "lexv2-runtime")
    }
    compared = set()
    for call in ours:
        pattern, operation = next(
            row for row in list_operations() if row[0].fullmatch(call.path) and row[1].http["method"] == call.method
        )
        found = pattern.fullmatch(call.path)
        assert found
        names = {shape.serialization.get("name"): name for name, shape in operation.input_shape.members.items()}
        arguments = {names.get(name, name): value for name, value in found.groupdict().items()}
        method = re.sub(r"(?<!^)(?=[A-Z])", "_", operation.name).lower()
        server.calls.clear()
        # What is done a second time may be refused; what was sent is what counts.
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(server, operation.name, lambda asked: (_ for _ in ()).throw(Refusal("exists", "twice")))
            with pytest.raises(Exception, match="Conflict"):
                getattr(clients[operation.service_model.service_name], method)(**arguments, **call.json)
        assert same_request(server.calls[0]) == same_request(call)
        compared.add(operation.name)
    assert compared >= {"ListIntents", "CreateIntent", "DeleteIntent", "BuildBotLocale", "DescribeBotLocale"}
    assert "RecognizeText" in compared


@pytest.mark.parametrize("token", ["", "a+token/with=signs"])
@pytest.mark.parametrize("target", ["/", "/a/b c/%2F:x/", "/a?z=1&b=%20x&b=&a=~", "/ü?é=ß"])
def test_signatures_are_those_of_botocore(target: str, token: str) -> None:
    from urllib.parse import quote

    from botocore.auth import SigV4Auth
    from botocore.awsrequest import AWSRequest
    from botocore.credentials import Credentials as Keys

    now = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
    url = "https://models-v2-lex.eu-west-1.amazonaws.com" + quote(target, safe="/%?&=~:")
    own = sign(
        Request("POST", url, {"Content-Type": "application/json"}, b"{}"),
        Credentials("id", "secret", token),
        region="eu-west-1",
        service="lex",
        now=now,
    )
    theirs = AWSRequest(
        "POST", url, {name: own.headers[name] for name in own.headers if name != "Authorization"}, b"{}"
    )
    theirs.context["timestamp"] = own.headers["X-Amz-Date"]
    theirs.context["payload_signing_enabled"] = True
    signer = SigV4Auth(Keys("id", "secret", token or None), "lex", "eu-west-1")
    signature = signer.signature(signer.string_to_sign(theirs, signer.canonical_request(theirs)), theirs)
    assert own.headers["Authorization"].rpartition("=")[2] == signature


def test_keys_come_from_a_profile_where_no_variable_is_set(
    server: LocalLex, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "credentials"
    file.write_text(f"[work]\naws_access_key_id = {KEY_ID}\naws_secret_access_key = {server.secret}\n")
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(file))
    monkeypatch.setenv("AWS_PROFILE", "work")
    assert read_profile("nobody") is None
    bot = TestLex().build({"bot_id": BOT, "region": "eu-west-1", "base_url": server.url})
    assert run(bot, bot.list_intents) == ()
    monkeypatch.setenv("AWS_PROFILE", "nobody")
    without = TestLex().build({"bot_id": BOT, "region": "eu-west-1", "base_url": server.url})
    with pytest.raises(PlatformError, match="nobody") as caught:
        run(without, without.list_intents)
    assert caught.value.trouble == Trouble.CREDENTIALS


class TestLex(PlatformContract):
    kind = "lex"
    creates = "PUT .*/intents/"
    asks = "sessions/.*/text"

    def test_a_wrong_secret_is_said_to_be_one(self, bot: LexBot, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("BOT_SECRET", "another-secret")
        with pytest.raises(PlatformError) as caught:
            run(bot, bot.list_intents)
        assert caught.value.trouble == Trouble.CREDENTIALS

    def test_a_bot_of_another_region_is_not_found(self, entry: dict[str, Any]) -> None:
        bot = self.build({**entry, "region": "us-east-1"})
        with pytest.raises(PlatformError, match="region") as caught:
            run(bot, bot.list_intents)
        assert caught.value.trouble == Trouble.MISSING

    def test_a_bot_that_was_never_built_says_so(self, bot: LexBot) -> None:
        with pytest.raises(PlatformError) as caught:
            run(bot, lambda: bot.classify("hello"))
        assert caught.value.trouble == Trouble.NOT_TRAINED

    def test_a_failed_build_says_why(self, bot: LexBot, server: LocalLex, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(server, "DescribeBotLocale", lambda asked: self._failed(server))
        with pytest.raises(PlatformError, match="Intent a has no utterance") as caught:
            run(bot, lambda: retrain(bot, {"a": ["hello there"]}))
        assert caught.value.trouble == Trouble.FAILED

    def _failed(self, server: LocalLex) -> Any:
        server.status = "Failed"
        return LocalLex.DescribeBotLocale(server, {})

    def test_a_fallback_of_any_name_is_one(self, bot: LexBot, server: LocalLex) -> None:
        server.fallback = "NotUnderstood"
        next(iter(server.intents.values()))["intentName"] = "NotUnderstood"
        run(bot, lambda: retrain(bot, {"greet": ["good morning to you"]}))
        [reply] = self.say(bot, "good sofa")
        assert (reply.fallback, reply.intent) == (True, None)
        assert reply.guess is not None
        assert reply.guess.intent == "greet"

    def test_cards_slots_and_what_was_done_are_read(
        self, bot: LexBot, server: LocalLex, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        card = {"title": "Which one?", "buttons": [{"text": "Gold", "value": "gold"}, {"text": "Blue", "value": "b"}]}
        slots = {"colour": {"value": {"originalValue": "golden", "interpretedValue": "gold"}}, "size": None}
        intent = {"name": "order", "slots": slots, "state": "Fulfilled"}
        answer = {
            "messages": [
                {"contentType": "PlainText", "content": "Fine."},
                {"contentType": "ImageResponseCard", "imageResponseCard": card},
            ],
            "sessionState": {"intent": intent},
            "interpretations": [{"intent": intent, "nluConfidence": {"score": 0.9}}],
            "sessionId": str(uuid.uuid4()),
        }
        monkeypatch.setattr(server, "RecognizeText", lambda asked: answer)
        [reply] = self.say(bot, "a golden card")
        assert reply.texts == ("Fine.", "Which one?")
        assert reply.buttons == ("Gold", "Blue")
        assert reply.slots == {"colour": "gold"}
        assert (reply.intent, reply.confidence) == ("order", 0.9)
        assert [str(action) for action in reply.actions] == ["order(colour=gold)"]

    def secrets(self, server: LocalPlatform) -> list[str]:
        return [server.secret]


def test_the_server_refuses_what_the_service_would() -> None:
    body = {"intentName": "reverted_card_payment?", "botId": BOT, "botVersion": "DRAFT", "localeId": LOCALE}
    shape = next(operation for _, operation in list_operations() if operation.name == "CreateIntent").input_shape
    with pytest.raises(Refusal, match="does not match"):
        check_shape(shape, body, "body")
