"""Requests to Amazon: signed with Signature Version 4, with credentials from the environment or a profile."""

from __future__ import annotations

import configparser
import hashlib
import hmac
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from urllib.parse import parse_qsl, quote, urlsplit

from vivavoce.bots.guard import Request

ALGORITHM = "AWS4-HMAC-SHA256"
_UNRESERVED = "-_.~"


@dataclass(frozen=True, slots=True)
class Credentials:
    """What requests are signed with. Never shown."""

    key_id: str = field(repr=False)
    secret: str = field(repr=False)
    token: str = field(default="", repr=False)


def read_profile(name: str, environment: Mapping[str, str] = os.environ) -> Credentials | None:
    """Return the keys of a profile of the AWS command line; None where there are none."""
    file = configparser.ConfigParser(interpolation=None, default_section="")
    path = Path(environment.get("AWS_SHARED_CREDENTIALS_FILE") or "~/.aws/credentials").expanduser()
    try:
        file.read(path, encoding="utf-8")
        part = file[name]
        return Credentials(
            part["aws_access_key_id"], part["aws_secret_access_key"], part.get("aws_session_token", "")
        )
    except (configparser.Error, KeyError, OSError, UnicodeDecodeError):
        return None


def sign(request: Request, credentials: Credentials, *, region: str, service: str, now: datetime) -> Request:
    """Return the request with its signature; `now` is the time in UTC."""
    parts, moment = urlsplit(request.url), now.strftime("%Y%m%dT%H%M%SZ")
    headers = {**request.headers, "X-Amz-Date": moment}
    if credentials.token:
        headers["X-Amz-Security-Token"] = credentials.token
    signed = {"host": parts.netloc, **{name.lower(): " ".join(text.split()) for name, text in headers.items()}}
    names = ";".join(sorted(signed))
    pairs = sorted(parse_qsl(parts.query, keep_blank_values=True))
    canonical = (
        request.method,
        # What is percent-encoded in the path is encoded once more.
        quote(parts.path or "/", safe=f"/{_UNRESERVED}"),
        "&".join(f"{quote(name, safe=_UNRESERVED)}={quote(text, safe=_UNRESERVED)}" for name, text in pairs),
        "".join(f"{name}:{signed[name]}\n" for name in sorted(signed)),
        names,
        _digest(request.body or b""),
    )
    scope = f"{moment[:8]}/{region}/{service}/aws4_request"
    key = f"AWS4{credentials.secret}".encode()
    for part in scope.split("/"):
        key = hmac.digest(key, part.encode(), "sha256")
    to_sign = "\n".join((ALGORITHM, moment, scope, _digest("\n".join(canonical).encode())))
    signature = hmac.digest(key, to_sign.encode(), "sha256").hex()
    place = f"Credential={credentials.key_id}/{scope}"
    headers["Authorization"] = f"{ALGORITHM} {place}, SignedHeaders={names}, Signature={signature}"
    return replace(request, headers=headers)


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
