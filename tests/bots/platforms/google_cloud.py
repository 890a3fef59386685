"""Google's cloud on this machine: its sign-in, and requests and answers checked by its published discovery documents.

The documents come with google-api-python-client. They name each method with its path and query, and each message with
its fields, enumerations and, in words, which of them are required.
"""

from __future__ import annotations

import base64
import json
import re
import uuid
from collections.abc import Iterator, Mapping
from copy import deepcopy
from functools import cache
from importlib.resources import files
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from local_platform import Call, LocalPlatform, Refusal

ERRORS = {
    "throttled": (429, "RESOURCE_EXHAUSTED"),
    "unavailable": (503, "UNAVAILABLE"),
    "credentials": (401, "UNAUTHENTICATED"),
    "rights": (403, "PERMISSION_DENIED"),
    "missing": (404, "NOT_FOUND"),
    "invalid": (400, "INVALID_ARGUMENT"),
    "exists": (400, "FAILED_PRECONDITION"),
    "leak": (400, "INVALID_ARGUMENT"),
}


@cache
def read_document(version: str) -> Mapping[str, Any]:
    pytest.importorskip("googleapiclient", reason="google-api-python-client is not installed")
    folder = files("googleapiclient").joinpath("discovery_cache", "documents")
    document: Mapping[str, Any] = json.loads(folder.joinpath(f"dialogflow.{version}.json").read_text("utf-8"))
    return document


@cache
def list_methods(version: str) -> list[tuple[re.Pattern[str], Mapping[str, Any]]]:
    def walk(resources: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
        for resource in resources.values():
            yield from resource.get("methods", {}).values()
            yield from walk(resource.get("resources", {}))

    rows = []
    for method in walk(read_document(version)["resources"]):
        # The flat path spells out which names stand where: `{+session}` alone would match anything.
        pattern = re.sub(r"\\\{\w+\\\}", "[^/:]+", re.escape(method["flatPath"]))
        rows.append((re.compile(f"/{pattern}"), method))
    return rows


def find_method(version: str, call: Call) -> Mapping[str, Any]:
    for pattern, method in list_methods(version):
        if method["httpMethod"] == call.method and pattern.fullmatch(call.path):
            return method
    raise Refusal("missing", f"no method {call.method} {call.path}")


def check_value(version: str, schema: Mapping[str, Any], value: Any, place: str, *, sent: bool) -> Iterator[str]:
    """Yield what is wrong with a value by its schema; fields of an answer are never required."""
    if "$ref" in schema:
        schema = read_document(version)["schemas"][schema["$ref"]]
    kind = schema.get("type", "any")
    python = {"string": str, "boolean": bool, "integer": int, "number": (int, float), "array": list, "object": dict}
    if kind != "any" and (not isinstance(value, python[kind]) or (kind != "boolean" and isinstance(value, bool))):
        yield f"{place}: {value!r} is not of type {kind}"
    elif "enum" in schema and value not in schema["enum"]:
        yield f"{place}: {value!r} is none of {schema['enum']}"
    elif kind == "array":
        for number, item in enumerate(value):
            yield from check_value(version, schema["items"], item, f"{place}[{number}]", sent=sent)
    elif kind == "object":
        yield from _check_fields(version, schema, value, place, sent=sent)


def _check_fields(
    version: str, schema: Mapping[str, Any], value: Mapping[str, Any], place: str, *, sent: bool
) -> Iterator[str]:
    fields, free = schema.get("properties", {}), schema.get("additionalProperties")
    for name, item in value.items():
        field = fields.get(name, free)
        if field is None:
            yield f"{place}: unknown field {name}"
            continue
        if sent and field.get("readOnly"):
            yield f"{place}.{name}: is for answers only"
        yield from check_value(version, field, item, f"{place}.{name}", sent=sent)
    if sent:
        required = [name for name, field in fields.items() if field.get("description", "").startswith("Required.")]
        yield from (f"{place}.{name}: required" for name in required if not value.get(name))


@cache
def service_account() -> tuple[str, Any]:
    """Return the private key of an account as PEM, and its public key."""
    rsa = pytest.importorskip("cryptography.hazmat.primitives.asymmetric.rsa")
    from cryptography.hazmat.primitives import serialization

    key = rsa.generate_private_key(65537, 2048)
    form = (serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    return key.private_bytes(*form).decode(), key.public_key()


class GoogleCloud(LocalPlatform):
    """Signs service accounts in, checks every call and every answer; subclasses answer in `perform`."""

    version = ""

    def __init__(self) -> None:
        super().__init__()
        private, self.public = service_account()
        account = {
            "type": "service_account",
            "client_email": "viva@p.iam.gserviceaccount.com",
            "private_key": private,
        }
        self.secret = json.dumps({**account, "private_key_id": "k1", "token_uri": f"{self.url}/token"})
        self.token = ""
        self.person = {"client_id": "id", "client_secret": "client-secret", "refresh_token": "1//refresh-token"}
        self.operations: dict[str, int] = {}

    def reply(self, call: Call) -> tuple[int, Mapping[str, str], Any]:
        if call.path == "/token":
            return 200, {}, self.sign_in(call)
        if call.headers.get("authorization") != f"Bearer {self.token}" or not self.token:
            raise Refusal("credentials", "Request had invalid authentication credentials.")
        method = find_method(self.version, call)
        known = {name for name, part in method["parameters"].items() if part["location"] == "query"}
        faults = [f"unknown parameter {name}" for name in call.query if name not in known]
        if "request" in method:
            faults += check_value(self.version, method["request"], call.json, "body", sent=True)
        elif call.body:
            faults.append("a body where there is none")
        if faults:
            raise Refusal("invalid", "; ".join(faults))
        answer = self.perform(method["id"], call)
        wrong = list(check_value(self.version, method["response"], answer, "answer", sent=False))
        assert not wrong, wrong
        return 200, {}, answer

    def perform(self, method: str, call: Call) -> Any:
        raise NotImplementedError

    def error(self, kind: str, detail: str) -> tuple[int, Mapping[str, str], Any]:
        code, status = ERRORS[kind]
        detail = f"bad token {self.token}" if kind == "leak" else detail
        if "grant" in detail:
            return 400, {}, {"error": "invalid_grant", "error_description": detail}
        headers = {"Retry-After": "0"} if code == 429 else {}
        return code, headers, {"error": {"code": code, "message": detail, "status": status}}

    def sign_in(self, call: Call) -> Mapping[str, Any]:
        """Check what the account signed as Google does, and give it a token."""
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives import hashes
        from cryptography.hazmat.primitives.asymmetric import padding

        form = {name: values[0] for name, values in parse_qs(call.body.decode()).items()}
        if form["grant_type"] == "refresh_token":
            if form != {"grant_type": "refresh_token", **self.person}:
                raise Refusal("invalid", "bad grant: Token has been expired or revoked.")
            return self._give_token()
        head, claims, signature = form["assertion"].split(".")
        signed = f"{head}.{claims}".encode()
        try:
            self.public.verify(_decode(signature), signed, padding.PKCS1v15(), hashes.SHA256())
        except InvalidSignature:
            raise Refusal("invalid", "bad grant: Invalid JWT Signature.") from None
        told = json.loads(_decode(claims))
        assert form["grant_type"] == "urn:ietf:params:oauth:grant-type:jwt-bearer"
        assert json.loads(_decode(head)) == {"alg": "RS256", "typ": "JWT", "kid": "k1"}
        assert told["aud"] == f"{self.url}/token"
        assert 0 < told["exp"] - told["iat"] <= 3600
        assert told["scope"] == "https://www.googleapis.com/auth/cloud-platform"
        return self._give_token()

    def _give_token(self) -> Mapping[str, Any]:
        self.token = f"ya29.{uuid.uuid4().hex}"
        return {"access_token": self.token, "expires_in": 3599, "token_type": "Bearer"}

    def begin(self, place: str) -> Mapping[str, Any]:
        """Return an operation that has ended after some polls."""
        name = f"{place}/operations/{uuid.uuid4()}"
        self.operations[name] = self.polls_until_ready
        return {"name": name}

    def poll(self, name: str) -> Mapping[str, Any]:
        if name not in self.operations:
            raise Refusal("missing", f"no operation {name}")
        self.operations[name] -= 1
        return {"name": name, "done": True, "response": {}} if self.operations[name] < 0 else {"name": name}


def assert_same_as_googles_client(version: str, server: GoogleCloud) -> None:
    """Let Google's own client build each request that the server got, and compare what would go over the wire."""
    from googleapiclient.discovery import build_from_document

    # A copy: the client writes into what it is given.
    document = {**deepcopy(read_document(version)), "rootUrl": f"{server.url}/"}
    service = build_from_document(document, http=object())
    compared = set()
    for call in server.calls:
        if call.path == "/token":
            continue
        method = find_method(version, call)
        names = [name for name, part in method["parameters"].items() if part["location"] == "path"]
        # `v2/{+session}:detectIntent`: what stands for the name in the path is its value.
        pattern = re.sub(r"\\\{\\\+(\w+)\\\}", r"(?P<\1>.+)", re.escape("/" + method["path"]))
        found = re.fullmatch(pattern, call.path)
        assert found, method["path"]
        arguments: dict[str, Any] = {**{name: found[name] for name in names}, **call.query}
        if "pageSize" in arguments:
            arguments["pageSize"] = int(arguments["pageSize"])
        part = service
        *resources, verb = method["id"].split(".")[1:]
        for resource in resources:
            part = getattr(part, resource)()
        request = getattr(part, verb)(**arguments, **({"body": call.json} if "request" in method else {}))
        theirs = urlsplit(request.uri)
        own = urlsplit(call.target)
        assert (request.method, theirs.path) == (call.method, own.path)
        assert {**parse_qs(own.query), "alt": ["json"]} == parse_qs(theirs.query)
        assert json.loads(request.body or "{}") == call.json
        compared.add(method["id"])
    assert len(compared) >= 4, compared


def _decode(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
