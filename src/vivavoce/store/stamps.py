"""What every new row gets: an id and a time."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime

_moment: ContextVar[datetime | None] = ContextVar("told", default=None)


def new_id() -> str:
    """Return an id that no other row has."""
    return secrets.token_hex(8)


def now() -> datetime:
    """Return the time, in UTC."""
    return _moment.get() or datetime.now(UTC)


@contextmanager
def date_as(moment: datetime) -> Iterator[None]:
    """Date what is written meanwhile as if it were that moment: the demo project has a past."""
    token = _moment.set(moment)
    try:
        yield
    finally:
        _moment.reset(token)
