"""What every new row gets: an id and a time."""

from __future__ import annotations

import secrets
from datetime import UTC, datetime


def new_id() -> str:
    """Return an id that no other row has."""
    return secrets.token_hex(8)


def now() -> datetime:
    """Return the time, in UTC."""
    return datetime.now(UTC)
