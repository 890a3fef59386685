"""What requests and answers of the API are made of: texts, bodies, lists, and the addresses of new things.

What no database can hold is refused at the door. A field that nobody knows is refused, not passed over.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Annotated, Any, Generic, TypeVar
from urllib.parse import quote, urlencode

from fastapi import Depends, Query, Request, Response
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, create_model

from vivavoce.errors import UsageError
from vivavoce.jobs.exams.protocol import ExamKind
from vivavoce.options import Option
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


def to_utc(moment: datetime) -> datetime:
    """Return a time in UTC; one without a zone is UTC already, and one at the end of all days stays there."""
    if moment.tzinfo is None:
        return moment.replace(tzinfo=UTC)
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        return moment.replace(tzinfo=UTC)


class Body(BaseModel):
    """The body of a request, with strict types: numbers are numbers, yes or no is `true` or `false`."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)


class Listed(BaseModel, Generic[T]):
    """Items of a list and their total number."""

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


Fewest = Annotated[int, Field(ge=0, le=1000)]
Share = Annotated[float, Field(ge=0, le=1)]
# JSON knows lists alone.
Pair = Annotated[tuple[Fewest, Share], Field(strict=False)]
MAX_TITLE = 200


class StartBody(Body):
    """What every exam takes: a title. Options left out have the project's values."""

    title: Annotated[Text, Field(max_length=MAX_TITLE)] = ""

    def read_options(self) -> dict[str, Any]:
        """Return the options as an exam takes them; what the project decides is left out."""
        values = self.model_dump(exclude={"title"}, exclude_none=True)
        for name, value in values.items():
            if isinstance(value, list):
                values[name] = [list(item) if isinstance(item, tuple) else item for item in value]
        return values


def start_body(name: str, about: str, kind: ExamKind) -> type[StartBody]:
    """Return the body that starts an exam."""
    fields: dict[str, Any] = {option.name: _field(option) for option in kind.chosen}
    return create_model(name, __base__=StartBody, __doc__=about, **fields)


def _field(option: Option) -> tuple[Any, Any]:
    kind: Any = Word if option.type is str else Pair if option.type is tuple else option.type
    if option.low is not None:
        kind = Annotated[kind, Field(ge=option.low, le=option.high)]
    if option.several:
        several = Annotated[list[kind], Field(min_length=option.fewest or None, max_length=option.most)]
        kind = kind | several if option.or_one else several
    elif option.default is None and not option.required:
        kind = kind | None
    if option.required or (option.fewest and not option.default):
        return kind, Field(description=option.help)
    default = [tuple(pair) for pair in option.default] if option.type is tuple else option.default
    return kind, Field(default=default, description=option.help)
