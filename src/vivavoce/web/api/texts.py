"""Texts as the API takes them: what no database can hold is refused at the door."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Field

# NUL, which PostgreSQL refuses; JSON brings half characters, which no encoding has.
_FORBIDDEN = "\x00"


def _storable(text: str) -> str:
    if _FORBIDDEN in text:
        raise ValueError("the text holds a NUL character")
    if any(0xD800 <= ord(sign) <= 0xDFFF for sign in text):
        raise ValueError("the text holds half a character")
    return text


Text = Annotated[str, Field(max_length=100_000), AfterValidator(_storable)]
Line = Annotated[str, Field(min_length=1, max_length=10_000), AfterValidator(_storable)]
Word = Annotated[str, Field(min_length=1, max_length=200), AfterValidator(_storable)]
