"""Signing in to Google, and waiting for its long operations: shared by Dialogflow ES and CX."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from vivavoce.bots.declaration import BotOption
from vivavoce.bots.guard import Request
from vivavoce.bots.platform import Platform, Trouble
from vivavoce.bots.platform_entry import (
    fill_from_environment,
    platform_facts,
    read_platform_entry,
    require_keys,
    shown_option,
)
from vivavoce.bots.protocol import BotContext, BotFacts, Limits
from vivavoce.bots.training import RemoteIntent, TrainableBot
from vivavoce.errors import MissingPartError
from vivavoce.messages import say

if TYPE_CHECKING:
    from vivavoce.bots.client import Answer

KEY_FILE, PROJECT = "GOOGLE_APPLICATION_CREDENTIALS", "GOOGLE_CLOUD_PROJECT"
SCOPE = "https://www.googleapis.com/auth/cloud-platform"
TOKEN_URL = "https://oauth2.googleapis.com/token"  # noqa: S105 - an address
GRANT = "urn:ietf:params:oauth:grant-type:jwt-bearer"
# Where `gcloud auth application-default login` leaves its file.
GCLOUD_FILE = Path("~/.config/gcloud/application_default_credentials.json")
# 600 text requests a minute (180 in the trial edition), 60 of all others.
LIMITS = Limits(at_once=4, per_second=10.0, timeout_s=30.0, retries=3)
GOOGLE = Platform(
    "Dialogflow",
    domain=".googleapis.com",
    credentials=KEY_FILE,
    rights="roles/dialogflow.client to talk, roles/dialogflow.admin to train",
    place="project, location, environment",
    edits=Limits(at_once=1, per_second=1.0, timeout_s=120.0, retries=4),
    longest_message=256,
    answers=True,
)
GOOGLE_OPTIONS = (
    shown_option(
        "credentials",
        say("Credentials variable"),
        say("The name of an environment variable on the server with the path or content of a key file."),
        variable=KEY_FILE,
        secret=True,
        reads_files=lambda value: "${" not in value,
    ),
    BotOption("access_token", secret=True),
    BotOption("base_url", "address"),
)


def read_google_entry(
    option: str, key: str, context: BotContext, title: str, needs: Mapping[str, str]
) -> tuple[dict[str, Any], BotFacts]:
    """Return the entry of an agent and what is known about it; `option` is the value of `key`."""
    entry = read_platform_entry(option, key, context, project=PROJECT)
    require_keys(context.name, entry, needs)
    if not entry.get("access_token"):
        fill_from_environment(entry, {"credentials": KEY_FILE})
    about = f"{title}, " + " of ".join(f"{name} {entry[name]}" for name in needs)
    about += f" at {entry['base_url']}" if entry.get("base_url") else ""
    return entry, platform_facts(context, about, LIMITS)


class GoogleBot(TrainableBot):
    """A bot on Google's cloud: its token, its addresses, its errors, its operations. `version`: of the API."""

    version: str

    def read_entry(self, entry: dict[str, Any]) -> dict[str, Any]:
        """Return the entry with the key file read."""
        if entry.get("access_token"):
            return entry
        # Empty is not absent: then nothing of this machine is used.
        written = str(entry.get("credentials", GCLOUD_FILE.expanduser()))
        try:
            text = written if written.lstrip().startswith("{") else Path(written).read_text(encoding="utf-8")
            key = json.loads(text)
            kinds = {"service_account": ("client_email", "private_key"), "authorized_user": ("refresh_token",)}
            absent = [name for name in kinds[key["type"]] if not key.get(name)]
        except (OSError, ValueError, KeyError, TypeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "no key of a service account or of gcloud"
            raise self.failure(
                say("the Google credentials cannot be read: {reason}", reason=reason), trouble=Trouble.CREDENTIALS
            ) from None
        if absent:
            names = ", ".join(absent)
            raise self.failure(
                say("the Google credentials have no {names}", names=names), trouble=Trouble.CREDENTIALS
            )
        self.hide(*(str(key[name]) for name in ("private_key", "refresh_token", "client_secret") if key.get(name)))
        return {**entry, "key": key}

    @property
    def host(self) -> str:
        """The address of the service, in the region of the bot."""
        location = self.entry.get("location") or "global"
        region = "" if location == "global" else f"{location}-"
        return str(self.entry.get("base_url") or f"https://{region}dialogflow.googleapis.com").rstrip("/")

    async def fetch_token(self) -> tuple[str, float]:
        """Exchange the key for a token of an hour."""
        if token := self.entry.get("access_token"):
            return str(token), 3600.0
        key: Mapping[str, Any] = self.entry["key"]
        if key["type"] == "service_account":
            form = {"grant_type": GRANT, "assertion": _sign_assertion(key, int(time.time()))}
        else:
            names = ("client_id", "client_secret", "refresh_token")
            form = {"grant_type": "refresh_token", **{name: str(key.get(name, "")) for name in names}}
        return await self.exchange_key(str(key.get("token_uri") or TOKEN_URL), form)

    async def authorize(self, request: Request) -> Request:
        """Return the request with the token; a person's own needs a project to be billed for the call."""
        request = await super().authorize(request)
        key = self.entry.get("key", {})
        if key.get("type") != "authorized_user":
            return request
        return request.add_headers(x_goog_user_project=str(key.get("quota_project_id") or self.entry["project"]))

    def find_trouble(self, answer: Answer, payload: object) -> tuple[str, str]:
        """Return the trouble of an error; a name that is taken and a wrong region are said in words only."""
        trouble, detail = super().find_trouble(answer, payload)
        if isinstance(payload, Mapping) and payload.get("error_description"):
            detail = f"{detail}: {payload['error_description']}"
        if answer.code == 400 and "already exists" in detail:
            trouble = Trouble.EXISTS
        elif answer.code == 400 and ("location" in detail or "region" in detail):
            trouble = Trouble.MISSING
        return trouble, detail

    @property
    def intents_url(self) -> str:
        """The address of the agent's intents."""
        raise NotImplementedError

    async def list_rows(self) -> list[Any]:
        """Return the intents of the agent as they come, all pages of them, but for its fallbacks."""
        rows: list[Any] = []
        page = ""
        while True:
            payload = await self.call("GET", f"{self.intents_url}?pageSize=1000&languageCode={self.language}{page}")
            rows += payload.get("intents", ())
            if not payload.get("nextPageToken"):
                return [row for row in rows if not row.get("isFallback")]
            page = f"&pageToken={quote(payload['nextPageToken'], safe='')}"

    async def fetch_intents(self) -> Sequence[RemoteIntent]:
        """Return the intents of the agent, but for its fallbacks."""
        return [self.remote(row["displayName"], row["name"]) for row in await self.list_rows()]

    async def is_ready(self, job: Any) -> bool:
        """Tell whether an operation has ended, such as the training; raise where it failed."""
        operation: Mapping[str, Any] = job
        if not operation.get("done"):
            operation = await self.call("GET", f"{self.host}/{self.version}/{operation['name']}")
        if error := operation.get("error"):
            raise self.build_failure(str(error.get("message") or error))
        return bool(operation.get("done"))


def _sign_assertion(key: Mapping[str, Any], now: int) -> str:
    """Return what a service account signs to get a token."""
    try:
        from cryptography.hazmat.primitives import hashes
        from cryptography.hazmat.primitives.asymmetric import padding, rsa
        from cryptography.hazmat.primitives.serialization import load_pem_private_key
    except ImportError:
        raise MissingPartError(
            say("a Google service account needs the package cryptography"),
            remedy=say("pip install 'vivavoce[google]'"),
        ) from None
    header = {"alg": "RS256", "typ": "JWT", **({"kid": key["private_key_id"]} if key.get("private_key_id") else {})}
    claims = {"iss": key["client_email"], "scope": SCOPE, "aud": key.get("token_uri") or TOKEN_URL}
    parts = [_encode(json.dumps(part).encode()) for part in (header, {**claims, "iat": now, "exp": now + 3600})]
    private = load_pem_private_key(str(key["private_key"]).encode(), None)
    if not isinstance(private, rsa.RSAPrivateKey):
        raise MissingPartError(say("the private key is not an RSA key"), remedy=say("create a new key file"))
    signature = private.sign(".".join(parts).encode(), padding.PKCS1v15(), hashes.SHA256())
    return ".".join([*parts, _encode(signature)])


def _encode(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
