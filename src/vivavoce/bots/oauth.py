"""Tokens by OAuth client credentials: fetched when first needed, and again shortly before they expire."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from vivavoce.bots.declaration import BotOption
from vivavoce.bots.guard import Request
from vivavoce.errors import BotError
from vivavoce.messages import say
from vivavoce.records import Status

if TYPE_CHECKING:
    from vivavoce.bots.client import BotSession

# What a server that does not say how long its token holds is given.
USUAL_S = 300.0
_SIGN_IN = say("Sign-in")
OPTIONS = (
    BotOption("oauth.url", "address", say("Where tokens are issued."), label=say("Token address"), group=_SIGN_IN),
    BotOption("oauth.client_id", label=say("Client ID"), group=_SIGN_IN),
    BotOption(
        "oauth.client_secret",
        help="${%(prefix)sSECRET}",
        label=say("Client secret"),
        group=_SIGN_IN,
        secret=True,
    ),
    BotOption("oauth.scope", label=say("Scope"), group=_SIGN_IN),
    BotOption("oauth.audience"),
)
NEEDED = ("url", "client_id", "client_secret")


async def fetch_token(entry: Mapping[str, Any], requests: BotSession) -> tuple[str, float]:
    """Return a token and the seconds for which it holds."""
    names = ("client_id", "client_secret", "scope", "audience")
    form = {name: str(entry[name]) for name in names if entry.get(name)}
    body = urlencode({"grant_type": "client_credentials", **form}).encode()
    headers = {"Content-Type": "application/x-www-form-urlencoded", "Accept": "application/json"}
    payload = await requests.fetch(Request("POST", str(entry["url"]), headers, body))
    token = payload.get("access_token") if isinstance(payload, dict) else None
    if not isinstance(token, str) or not isinstance(payload, dict):
        raise BotError(
            say("the token server sent no `access_token`"),
            status=Status.UNEXPECTED,
            remedy=say("check oauth.url and the rights of the client"),
        )
    seconds = str(payload.get("expires_in"))
    return token, float(seconds) if seconds.isdigit() else USUAL_S
