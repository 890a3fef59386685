"""The time zone in which a visitor reads times: chosen on the account page, else that of the browser."""

from __future__ import annotations

from contextvars import ContextVar
from functools import cache
from urllib.parse import unquote
from zoneinfo import ZoneInfo, available_timezones

ZONE_COOKIE = "viva_zone"
# A script fills the cookie with the zone of the browser and this mark; a zone that was chosen has none and stays.
DETECTED = "auto:"
# What people choose to go by the browser again.
BROWSER_ZONE = "browser"
UTC_ZONE = ZoneInfo("UTC")

_ZONE: ContextVar[ZoneInfo] = ContextVar("zone", default=UTC_ZONE)


def use_zone(cookie: str | None) -> None:
    """Write the times of this request in the zone that a cookie names; UTC where it names none."""
    name = unquote(cookie or "").removeprefix(DETECTED)
    _ZONE.set(ZoneInfo(name) if name in zone_names() else UTC_ZONE)


def current_zone() -> ZoneInfo:
    """Return the zone of this request."""
    return _ZONE.get()


@cache
def zone_names() -> tuple[str, ...]:
    """Return the zones that people choose from."""
    names = (
        name for name in available_timezones() if "/" in name and not name.startswith(("Etc/", "SystemV/", "US/"))
    )
    return ("UTC", *sorted(names))
