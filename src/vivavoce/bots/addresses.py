"""Addresses of bots and requests to them: checked before they are used, shown without anything secret."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from vivavoce.bots.guard import ascii_host
from vivavoce.errors import UsageError
from vivavoce.messages import say


@dataclass(frozen=True, slots=True)
class Request:
    """What is sent. Never shown: it may hold secrets."""

    method: str
    url: str = field(repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    body: bytes | None = field(default=None, repr=False)


def check_address(url: str, *, where: str = "") -> None:
    """Refuse what is no http(s) address, a host name that cannot exist, and an address that holds a password."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise UsageError(
            say("the bot's address must start with http:// or https://"),
            where=where,
            remedy=say("enter the full address, for example https://bot.example.org/chat"),
        )
    try:
        ascii_host(parts.hostname or "")
    except ValueError:
        raise UsageError(
            say("'{hostname}' is not a valid host name", hostname=parts.hostname),
            where=where,
            remedy=say("check the spelling of the address"),
        ) from None
    if "@" in parts.netloc:
        raise UsageError(
            say("the bot's address contains a user name or password"),
            where=where,
            remedy=say(
                'remove it and set `headers: {Authorization: "Basic ${NAME}"}` in the bot\'s entry in bots.yaml'
            ),
        )


def shown_address(url: str) -> str:
    """Return an address as it may be recorded: without user, password, query and fragment."""
    return re.sub(r"(?<=://)[^/?#]*@", "", re.split(r"[?#]", url, maxsplit=1)[0])
