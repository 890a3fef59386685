"""Tokens by OAuth client credentials: fetched when first needed, and again shortly before they expire."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from vivavoce.bots.declaration import BotOption
from vivavoce.bots.guard import Request
from vivavoce.bots.redaction import Redactor
from vivavoce.errors import BotError
from vivavoce.messages import say
from vivavoce.records import Status

if TYPE_CHECKING:
    from vivavoce.bots.client import BotClient

EARLY_S = 60.0
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


class ClientCredentials:
    """The token of one bot, shared by its conversations. Never shown."""

    def __init__(self, entry: Mapping[str, Any], client: BotClient, redactor: Redactor, *, where: str) -> None:
        self._entry, self._where = entry, where
        self._requests = client.begin(redactor, where=where)
        self._token, self._end = "", 0.0
        self._one_at_a_time = asyncio.Lock()

    async def get(self, *, instead_of: str = "") -> str:
        """Return a token that holds; another one than `instead_of`, which was refused."""
        async with self._one_at_a_time:
            if time.monotonic() >= self._end or self._token == instead_of:
                await self._fetch()
            return self._token

    async def _fetch(self) -> None:
        names = ("client_id", "client_secret", "scope", "audience")
        form = {name: str(self._entry[name]) for name in names if self._entry.get(name)}
        body = urlencode({"grant_type": "client_credentials", **form}).encode()
        headers = {"Content-Type": "application/x-www-form-urlencoded", "Accept": "application/json"}
        payload = await self._requests.fetch(Request("POST", str(self._entry["url"]), headers, body))
        token = payload.get("access_token") if isinstance(payload, dict) else None
        if not isinstance(token, str) or not isinstance(payload, dict):
            raise BotError(
                say("the token server sent no `access_token`"),
                status=Status.UNEXPECTED,
                where=self._where,
                remedy=say("check oauth.url and the rights of the client"),
            )
        seconds = payload.get("expires_in")
        holds = float(seconds) if isinstance(seconds, int | float | str) and str(seconds).isdigit() else USUAL_S
        # One that lives shorter than the margin is used for half its life.
        self._token, self._end = token, time.monotonic() + max(holds - EARLY_S, holds / 2)


def authorized(request: Request, token: str) -> Request:
    """Return a request with a token."""
    return replace(request, headers={**request.headers, "Authorization": f"Bearer {token}"})
