"""Signing in to Google, and waiting for its long operations: shared by Dialogflow ES and CX."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from vivavoce.bots.declaration import BotOption
from vivavoce.bots.guard import Request, check_address
from vivavoce.bots.platform import (
    Trouble,
    shown_option,
)
from vivavoce.bots.training import TrainableBot
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


class GoogleBot(TrainableBot):
    """A bot on Google's cloud: its token, its addresses, its errors, its operations."""

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
        if given := self.entry.get("access_token"):
            return str(given), 3600.0
        key: Mapping[str, Any] = self.entry["key"]
        if key["type"] == "service_account":
            form = {"grant_type": GRANT, "assertion": _sign_assertion(key, int(time.time()))}
        else:
            names = ("client_id", "client_secret", "refresh_token")
            form = {"grant_type": "refresh_token", **{name: str(key.get(name, "")) for name in names}}
        url = str(key.get("token_uri") or TOKEN_URL)
        check_address(url, where=self.facts.name)
        headers = {"Content-Type": "application/x-www-form-urlencoded", "Accept": "application/json"}
        answer = await self.requests.exchange(Request("POST", url, headers, urlencode(form).encode()))
        if answer.code in (400, 401):
            # Which of the two is a matter of the grant; either way it is the key.
            answer = replace(answer, code=401)
        if answer.code != 200:
            raise self.refusal(answer)
        payload: Any = self.requests.decode(answer.body)
        return str(payload["access_token"]), float(payload.get("expires_in", 3600))

    async def authorize(self, request: Request) -> Request:
        """Return the request with the token; a person's own needs a project to be billed for the call."""
        request = await super().authorize(request)
        key = self.entry.get("key", {})
        if key.get("type") != "authorized_user":
            return request
        project = key.get("quota_project_id") or self.entry["project"]
        return replace(request, headers={**request.headers, "x-goog-user-project": str(project)})

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

    async def has_ended(self, operation: Mapping[str, Any], version: str) -> bool:
        """Tell whether an operation has ended; raise where it failed."""
        if not operation.get("done"):
            operation = await self.call("GET", f"{self.host}/{version}/{operation['name']}")
        if error := operation.get("error"):
            detail = str(error.get("message") or error)
            raise self.failed(detail)
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
