"""Where a form may lead: to pages of our own, whatever an address or a field says."""

from __future__ import annotations

from urllib.parse import urlsplit

MOST = 2_000


def own_path(text: str, default: str = "/") -> str:
    """Return a path of this application, or the default for anything else."""
    # Browsers read a backslash as a slash and skip over tabs and line ends.
    if not text.startswith("/") or len(text) > MOST or "\\" in text or not text.isprintable():
        return default
    try:
        parts = urlsplit(text)
    except ValueError:
        return default
    return default if text.startswith("//") or parts.scheme or parts.netloc else text
