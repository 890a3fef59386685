"""Answers over HTTP and what becomes of them: bodies unpacked, redirects found, failures put into words."""

from __future__ import annotations

import math
import re
import zlib
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import aiohttp
from yarl import URL

from vivavoce.messages import say
from vivavoce.records import Status

CONNECT_SECONDS = 10.0
MAX_HEAD_BYTES = 64 * 1024
# How aiohttp words that a header is too long or that there are too many of them.
_TOO_LONG = re.compile("Got more than|Too many headers")
_REDIRECTS = frozenset({301, 302, 303, 307, 308})


def status_of(code: int) -> Status:
    """Return what an HTTP code other than 2xx means."""
    return Status.RATE_LIMITED if code == 429 else Status.SERVER_ERROR if code >= 500 else Status.REFUSED


def find_target(response: aiohttp.ClientResponse) -> URL | None:
    """Return where an answer sends the request; never from an encrypted connection to an open one."""
    location = response.headers.get("Location", "")
    if response.status not in _REDIRECTS or not location:
        return None
    target = response.url.join(URL(location))
    if target.scheme not in ("http", "https") or (response.url.scheme == "https" and target.scheme == "http"):
        return None
    return target


async def read_body(response: aiohttp.ClientResponse, most: int) -> tuple[bytes, bool]:
    """Return at most `most` bytes of a body, unpacked, and whether that is all of it."""
    pieces, size = [], 0
    while size <= most and (piece := await response.content.readany()):
        pieces.append(piece)
        size += len(piece)
    body = pieces[0] if len(pieces) == 1 else b"".join(pieces)
    kind = response.headers.get("Content-Encoding", "identity").strip().lower()
    if size > most or kind in ("", "identity"):
        return body, size <= most
    try:
        body = zlib.decompressobj(47).decompress(body, most + 1)
    except zlib.error as error:
        raise aiohttp.ContentTypeError(
            response.request_info, (), message=say("compressed as {kind}: {error}", kind=kind, error=error)
        ) from None
    return body, len(body) <= most


def explain_failure(error: Exception) -> tuple[Status, str]:
    """Return what became of a request that got no whole answer, and in words."""
    if isinstance(error, aiohttp.ClientResponseError | aiohttp.ClientPayloadError) and _TOO_LONG.search(str(error)):
        return Status.TOO_LARGE, f"its headers are longer than {MAX_HEAD_BYTES // 1024} KB"
    if isinstance(error, aiohttp.ClientResponseError):
        return _explain_protocol_failure(error)
    if isinstance(error, aiohttp.InvalidURL):
        return Status.FAILED, (f"cannot build the request: {error.description or 'the address is not valid'}")
    if isinstance(error, TimeoutError):
        return Status.UNREACHABLE, f"no connection within {CONNECT_SECONDS:g} s"
    if isinstance(error, aiohttp.ClientConnectorError):
        cause = error.os_error
        return Status.UNREACHABLE, cause.strerror or str(cause) or type(cause).__name__
    known = isinstance(error, aiohttp.ServerDisconnectedError | aiohttp.ClientPayloadError)
    return Status.CLOSED, "before the response was complete" if known else str(error) or type(error).__name__


def _explain_protocol_failure(error: aiohttp.ClientResponseError) -> tuple[Status, str]:
    if isinstance(error, aiohttp.ContentTypeError):
        return Status.BAD_ENCODING, f"the response is {error.message}"
    if isinstance(error, aiohttp.WSServerHandshakeError):
        return status_of(error.status), f"{error.status}: no WebSocket at this address"
    if isinstance(error, aiohttp.ClientHttpProxyError):
        return Status.UNREACHABLE, f"the proxy answered {error.status} {error.message}".strip()
    return Status.NOT_JSON, f"the response is not HTTP: {(error.message.splitlines() or [''])[0]}"


def read_retry_after(value: str | None) -> float | None:
    """Read the header: seconds, or a date; None for what is neither."""
    if value is None:
        return None
    try:
        seconds = float(value)
        return max(0.0, seconds) if math.isfinite(seconds) else None
    except ValueError:
        pass
    try:
        moment = parsedate_to_datetime(value)
    except (ValueError, TypeError):
        return None
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return max(0.0, (moment - datetime.now(UTC)).total_seconds())
