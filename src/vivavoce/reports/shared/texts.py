"""Texts that anybody may have written, made fit to be shown."""

from __future__ import annotations

import re

CUT = "..."
_STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def shorten(text: str, most: int = 140) -> str:
    """Return a text on one line and not longer than `most`, cut between words where that is possible."""
    flat = " ".join(visible(text).split())
    if len(flat) <= most:
        return flat
    cut = flat[: most - len(CUT)]
    words = cut.rpartition(" ")[0]
    return (words if len(words) > most // 2 else cut) + CUT


def visible(text: str) -> str:
    """Leave out characters that steer a terminal or turn the direction of a line: a bot may send anything."""
    return _STEERING.sub("", text)


def clean(text: str) -> str:
    """Return a text that can be shown and stored: nothing that steers a terminal, no half characters."""
    return visible(text).encode("utf-8", "replace").decode("utf-8")


def short(text: str, most: int) -> str:
    """Return a clean text on one line and not longer than `most`."""
    return shorten(clean(text), most)


def cut(text: str, most: int) -> str:
    """Return a text with its line breaks, not longer than `most`."""
    return text if len(text) <= most else f"{text[:most]}{CUT}"


def file_name(source: str) -> str:
    """Return the last part of a path."""
    return source.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1] or source
