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
_REMEDY = say("remove the character; it usually comes from a broken copy or the wrong encoding")


class UnfitError(UsageError, DontWrapMixin):
    """A value that cannot be kept; it comes through SQLAlchemy as it is."""


def clean_text(text: str, longest: int | None = None) -> str:
    """Return the text; UsageError where it is too long or holds characters that no database keeps."""
    _check_characters(text, has_nul="\0" in text)
    if longest is not None and len(text) > longest:
        what = say("{count:,} characters are too many: {shown}", count=len(text), shown=ascii(text[:40]))
        raise UnfitError(what, remedy=say("the limit is {longest}", longest=longest))
    return text


def is_storable(text: str) -> bool:
    """Tell whether a text can be kept."""
    try:
        clean_text(text)
    except UsageError:
        return False
    return True


def clean_number(number: int) -> int:
    """Return the whole number; UsageError where it is too large to be kept."""
    if not SMALLEST <= number <= LARGEST:
        remedy = say("the largest number allowed is {largest:,}", largest=LARGEST)
        raise UnfitError(say("the number {number:,} is too large", number=number), remedy=remedy)
    return number


def dump_json(value: Any) -> str:
    """Write plain values for a JSON column."""
    try:
        text = _encode(value)
    except ValueError as error:
        what = say("numbers must be finite")
        raise UnfitError(what, remedy=say("leave the value out")) from error
    _check_characters(text, has_nul="\\u0000" in text and _NUL.search(text) is not None)
    return text


def _check_characters(text: str, *, has_nul: bool) -> None:
    if text.isascii() and not has_nul:
        return
    beginning = ascii(text[:40])
    if has_nul:
        raise UnfitError(say("the text contains a NUL character: {shown}", shown=beginning), remedy=_REMEDY)
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise UnfitError(
            say("the text contains an incomplete character: {shown}", shown=beginning), remedy=_REMEDY
        ) from error
