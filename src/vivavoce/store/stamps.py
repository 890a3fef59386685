"""What every new row gets: an id and a time."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime

_told: ContextVar[datetime | None] = ContextVar("told", default=None)


def new_id() -> str:
    """Return an id that no other row has."""
    return secrets.token_hex(8)


def now() -> datetime:
    """Return the time, in UTC."""
    return _told.get() or datetime.now(UTC)


@contextmanager
def dated(moment: datetime) -> Iterator[None]:
    """Date what is written meanwhile as if it were that moment: the demo project has a past."""
    token = _told.set(moment)
    try:
        yield
    finally:
        _told.reset(token)
