"""Random secrets for sessions, programs and one-time links: shown once, and stored only as a digest."""

from __future__ import annotations

import hashlib
import re
import secrets
import string
import zlib
from dataclasses import dataclass, field

API_PREFIX = "viva_"
RANDOM_CHARACTERS = 40
CHECK_CHARACTERS = 6
# For scanners that look for leaked secrets; the last six characters are a checksum, see `is_api_token`.
API_TOKEN_PATTERN = rf"\b{API_PREFIX}[0-9A-Za-z]{{{RANDOM_CHARACTERS + CHECK_CHARACTERS}}}\b"
# Letters and digits only: a double click selects all of it, and it needs no quoting anywhere.
_ALPHABET = string.digits + string.ascii_uppercase + string.ascii_lowercase
_TOKEN = re.compile(API_TOKEN_PATTERN, re.ASCII)
_BEARER = re.compile(r"bearer +(\S+) *", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Secret:
    """A new secret: the text goes to its owner, the digest into the store."""

    text: str = field(repr=False)  # a secret must not end up in a log
    digest: str


def new_session_secret() -> Secret:
    """Return a secret for the cookie of one session."""
    return _secret(_random_text())


def new_link_secret() -> Secret:
    """Return a secret for a link that works once: the first set-up, an invitation, a new password."""
    return _secret(_random_text())


def new_api_token() -> Secret:
    """Return a token for a program; its beginning and its checksum make a leaked one easy to find."""
    body = API_PREFIX + _random_text()
    return _secret(body + _checksum(body))


def is_api_token(text: str) -> bool:
    """Tell whether a text can be a token of ours at all, before the store is asked."""
    return bool(_TOKEN.fullmatch(text)) and _checksum(text[:-CHECK_CHARACTERS]) == text[-CHECK_CHARACTERS:]


def digest_of(text: str) -> str:
    """Return what is stored of a secret.

    A fast digest is enough: nobody guesses 238 random bits, whatever a guess costs.
    """
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def bearer_token(authorization: str | None) -> str | None:
    """Return the token of an `Authorization: Bearer ...` header, or None."""
    match = _BEARER.fullmatch((authorization or "").strip())
    return match[1] if match else None


def _secret(text: str) -> Secret:
    return Secret(text, digest_of(text))


def _random_text() -> str:
    return "".join(secrets.choice(_ALPHABET) for _ in range(RANDOM_CHARACTERS))


def _checksum(text: str) -> str:
    number, signs = zlib.crc32(text.encode()), ""
    for _ in range(CHECK_CHARACTERS):
        number, place = divmod(number, len(_ALPHABET))
        signs = _ALPHABET[place] + signs
    return signs
