"""What a database can hold: checked here, so that SQLite and PostgreSQL refuse the same things in the same words."""

from __future__ import annotations

import json
import re
from typing import Any

from sqlalchemy.exc import DontWrapMixin

from vivavoce.errors import UsageError
from vivavoce.messages import say

# A NUL as JSON writes it: an odd number of backslashes before it.
_NUL = re.compile(r"(?<!\\)(?:\\\\)*\\u0000")
_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode
# What a whole number of PostgreSQL can be.
SMALLEST, LARGEST = -(2**31), 2**31 - 1
_REMEDY = say("remove the character; it is usually left by a broken copy or the wrong encoding")


class UnfitError(UsageError, DontWrapMixin):
    """A value that cannot be kept; it comes through SQLAlchemy as it is."""


def clean_text(text: str, longest: int | None = None) -> str:
    """Return the text; UsageError where it is too long or holds characters that no database keeps."""
    if "\0" in text:
        raise UnfitError(say("a NUL character cannot be kept: {shown}", shown=_shown(text)), remedy=_REMEDY)
    if not text.isascii():
        _check_encoding(text)
    if longest is not None and len(text) > longest:
        raise UnfitError(
            say("{count:,} characters are too many: {shown}", count=len(text), shown=_shown(text)),
            remedy=say("at most {longest} fit here", longest=longest),
        )
    return text


def clean_number(number: int) -> int:
    """Return the whole number; UsageError where it is too large to be kept."""
    if not SMALLEST <= number <= LARGEST:
        raise UnfitError(
            say("the number {number:,} cannot be kept", number=number),
            remedy=say("numbers go up to {largest:,}", largest=LARGEST),
        )
    return number


def dump_json(value: Any) -> str:
    """Write plain values for a JSON column."""
    try:
        text = _encode(value)
    except ValueError as error:
        raise UnfitError(
            say("a number that is not finite cannot be kept"), remedy=say("leave the value out")
        ) from error
    if "\\u0000" in text and _NUL.search(text):
        raise UnfitError(say("a NUL character cannot be kept: {shown}", shown=_shown(text)), remedy=_REMEDY)
    if not text.isascii():
        _check_encoding(text)
    return text


def _check_encoding(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise UnfitError(
            say("half a character cannot be kept: {shown}", shown=_shown(text)), remedy=_REMEDY
        ) from error


def _shown(text: str) -> str:
    """Return the beginning of a text, with what cannot be shown written out."""
    return ascii(text[:40])
