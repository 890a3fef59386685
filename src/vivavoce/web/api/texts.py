"""Texts as the API takes them: what no database can hold is refused at the door."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, Field

from vivavoce.errors import UsageError
from vivavoce.store.cleaning import clean_text
from vivavoce.web.forms import MOST_WHY


def _storable(text: str) -> str:
    try:
        return clean_text(text)
    except UsageError as error:
        raise ValueError(error.what) from error


def _written(moment: object) -> object:
    """Refuse bare numbers: whether they are seconds or milliseconds, nobody can tell."""
    if isinstance(moment, str) and not re.match(r"\d{4}-\d", moment):
        raise ValueError("a time is written as 2024-05-02T08:30:00Z")
    return moment


Text = Annotated[str, Field(max_length=100_000), AfterValidator(_storable)]
Line = Annotated[str, Field(min_length=1, max_length=10_000), AfterValidator(_storable)]
Why = Annotated[Text, Field(max_length=MOST_WHY)]
Word = Annotated[str, Field(min_length=1, max_length=200), AfterValidator(_storable)]
Id = Annotated[str, Field(min_length=1, max_length=64), AfterValidator(_storable)]
Moment = Annotated[datetime, BeforeValidator(_written)]
