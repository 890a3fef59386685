"""Browsers by the names that people know, from what they call themselves."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from vivavoce.store.rows import SignIn

# The first that fits: nearly all browsers claim to be Safari and Mozilla, too.
BROWSERS = (
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("SamsungBrowser", "Samsung Internet"),
    ("Firefox/", "Firefox"),
    ("FxiOS", "Firefox"),
    ("CriOS", "Chrome"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
)
SYSTEMS = (
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("Windows", "Windows"),
    ("Mac OS X", "macOS"),
    ("CrOS", "ChromeOS"),
    ("Linux", "Linux"),
)
MOST = 60


@dataclass(frozen=True, slots=True)
class Seat:
    """A browser in which somebody is signed in, by a name that people know."""

    id: str
    name: str
    created: datetime
    seen: datetime


def seat_of(sign_in: SignIn) -> Seat:
    """Return a session as pages show it."""
    return Seat(sign_in.id, browser_name(sign_in.agent), sign_in.created, sign_in.seen)


def browser_name(agent: str) -> str:
    """Return the name of a browser and its system; what is unknown is shown as it calls itself."""
    names = (next((name for sign, name in table if sign in agent), "") for table in (BROWSERS, SYSTEMS))
    return ", ".join(name for name in names if name) or agent[:MOST]
