"""What requests and answers of the API are made of: texts, bodies, lists, and the addresses of new things.

What no database can hold is refused at the door. A field that nobody knows is refused, not passed over.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime
from typing import Annotated, Any, Generic, TypeVar
from urllib.parse import quote, urlencode

from fastapi import Depends, Query, Request, Response
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from vivavoce.errors import UsageError
from vivavoce.store.cleaning import clean_text
from vivavoce.web.forms import MAX_WHY
from vivavoce.web.listing import LARGEST

T = TypeVar("T")
M = TypeVar("M", bound=BaseModel)


def _check_storable(text: str) -> str:
    try:
        return clean_text(text)
    except UsageError as error:
        raise ValueError(error.what) from error


def _check_written(moment: object) -> object:
    """Refuse bare numbers: whether they are seconds or milliseconds, nobody can tell."""
    if isinstance(moment, str) and not re.match(r"\d{4}-\d", moment):
        raise ValueError("write times as 2024-05-02T08:30:00Z")
    return moment


Text = Annotated[str, Field(max_length=100_000), AfterValidator(_check_storable)]
Line = Annotated[str, Field(min_length=1, max_length=10_000), AfterValidator(_check_storable)]
Why = Annotated[Text, Field(max_length=MAX_WHY)]
Word = Annotated[str, Field(min_length=1, max_length=200), AfterValidator(_check_storable)]
Id = Annotated[str, Field(min_length=1, max_length=64), AfterValidator(_check_storable)]
Moment = Annotated[datetime, BeforeValidator(_check_written)]
Asked = Annotated[str | None, Query(max_length=200)]
Limit = Annotated[int, Query(ge=1, le=200, description="Maximum number of items.")]
Offset = Annotated[int, Query(ge=0, le=LARGEST, description="Number of items to skip.")]


class Body(BaseModel):
    """The body of a request: text is text, a number a number, yes or no is `true` or `false`."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)


class Listed(BaseModel, Generic[T]):
    """Some items of a list."""

    items: list[T]
    total: int


def make_list(items: Iterable[T], total: int | None = None) -> Listed[T]:
    """Return items as a list; without a total they are all there are."""
    members = list(items)
    return Listed(items=members, total=len(members) if total is None else total)


def build(kind: type[M], *sources: object, **values: Any) -> M:
    """Return an answer whose fields have the given values, else those of the first source that has such a name."""
    for name in kind.model_fields.keys() - values:
        values[name] = getattr(next(source for source in sources if hasattr(source, name)), name)
    return kind(**values)


class Placing:
    """Names the address of a new thing in the answer to making it."""

    def __init__(self, request: Request, response: Response) -> None:
        version, slug = "/".join(request.url.path.split("/")[:3]), request.path_params.get("slug")
        self._prefix = f"{version}/projects/{slug}" if slug else version
        self._headers = response.headers

    def __call__(self, thing: T, *steps: object, **query: str) -> T:
        """Return the thing, with its place given by the steps of its address within the project, or within the API.

        Things that have no address of their own are a list that is narrowed by a query.
        """
        path = "/".join((self._prefix, *(quote(str(step), safe="") for step in steps)))
        self._headers["Location"] = f"{path}?{urlencode(query)}" if query else path
        return thing


async def _placing(request: Request, response: Response) -> Placing:
    return Placing(request, response)


Place = Annotated[Placing, Depends(_placing)]
