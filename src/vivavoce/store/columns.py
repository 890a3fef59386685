"""What all tables are made of.

Ids are random text that the application makes: a row that was deleted and brought back keeps its address, and two
workspaces can be joined. Times are UTC. What JSON columns hold is said beside them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from enum import StrEnum
from types import NoneType
from typing import Annotated, Any, NamedTuple, get_args, get_origin, get_type_hints

import sqlalchemy as sa
from sqlalchemy.engine import Dialect
from sqlalchemy.sql.operators import OperatorType
from sqlalchemy.types import TypeDecorator, TypeEngine

from vivavoce.messages import add_messages, restore_messages
from vivavoce.store.cleaning import clean_number, clean_text

# What the name of a column ends with that holds the template and values of the text beside it.
DATA = "_data"


class Moment(TypeDecorator[datetime]):
    """A point in time in UTC; SQLite keeps no zone, so it is put back when a row is read."""

    impl = sa.DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Refuse times without a zone, which would be read as another moment elsewhere."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("a time without a time zone cannot be stored")
        return value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Return the time in UTC."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class Prose(TypeDecorator[str]):
    """A text of any length."""

    impl: type[TypeEngine[Any]] = sa.Text
    cache_ok = True
    longest: int | None = None

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        """Refuse what the other database could not keep."""
        return None if value is None else str(clean_text(value, self.longest))


class Word(Prose):
    """A text of limited length, checked here because SQLite keeps whatever it is given."""

    impl: type[TypeEngine[Any]] = sa.String
    cache_ok = True

    def __init__(self, length: int) -> None:
        self.longest = length
        super().__init__(length)

    def coerce_compared_value(self, op: OperatorType | None, value: Any) -> TypeEngine[Any]:
        """Let longer texts be asked for: they are not there, which is no mistake."""
        return Prose()


class Whole(TypeDecorator[int]):
    """A whole number of 32 bits, checked here because SQLite keeps longer ones."""

    impl = sa.Integer
    cache_ok = True

    def process_bind_param(self, value: int | None, dialect: Dialect) -> int | None:
        """Refuse what the other database could not keep."""
        return None if value is None else clean_number(value)


class Choice(TypeDecorator[StrEnum]):
    """One of a few words."""

    impl = sa.String
    cache_ok = True

    def __init__(self, kind: type[StrEnum]) -> None:
        self.kind = kind
        super().__init__(200)

    def process_bind_param(self, value: StrEnum | str | None, dialect: Dialect) -> str | None:
        """Write the word."""
        return None if value is None else str(value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> StrEnum | None:
        """Return the member that the word names."""
        return None if value is None else self.kind(value)


class JsonTuple(TypeDecorator[tuple[Any, ...]]):
    """A list of plain JSON values, which rows hold as a tuple."""

    impl = sa.JSON
    cache_ok = True

    def process_bind_param(self, value: Sequence[Any] | None, dialect: Dialect) -> list[Any] | None:
        """Write a list."""
        return None if value is None else list(value)

    def process_result_value(self, value: list[Any] | None, dialect: Dialect) -> tuple[Any, ...] | None:
        """Return a tuple."""
        return None if value is None else tuple(value)


class NotedJson(TypeDecorator[Mapping[str, Any]]):
    """Plain JSON values whose texts may be messages."""

    impl = sa.JSON
    cache_ok = True

    def process_bind_param(self, value: Mapping[str, Any] | None, dialect: Dialect) -> dict[str, Any] | None:
        """List the messages beside the texts."""
        return None if value is None else add_messages(value)

    def process_result_value(self, value: dict[str, Any] | None, dialect: Dialect) -> dict[str, Any] | None:
        """Put the messages in the places of their texts."""
        restored: dict[str, Any] | None = restore_messages(value)
        return restored


class Reference(NamedTuple):
    """The id of a row of another table. With that row this one is deleted, or forgets the id where it may be null."""

    table: str


# The types that fields of rows have beside those of Python, and the columns that follow from them.
_TRANSLATED = object()
Id = Annotated[str, Word(32)]
Short = Annotated[str, Word(200)]
Name = Annotated[str, Word(400)]
# A text that pages translate: its template and values are in a column beside it, null where it is plain text.
Translated = Annotated[str, _TRANSLATED]
Noted = Annotated[Mapping[str, Any], NotedJson()]
ProjectId = Annotated[str, Reference("projects")]
UserId = Annotated[str, Reference("users")]
RunId = Annotated[str, Reference("runs")]
DialogueId = Annotated[str, Reference("dialogues")]

_DEFAULTS: Mapping[Any, str | sa.ColumnElement[Any]] = {int: "0", bool: sa.false()}
_TYPES: Mapping[Any, type[TypeEngine[Any]]] = {
    str: Prose,
    int: Whole,
    float: sa.Float,
    bool: sa.Boolean,
    datetime: Moment,
    bytes: sa.LargeBinary,
    tuple: JsonTuple,
    Mapping: sa.JSON,
}


def derive_columns(row: type[Any], keys: Sequence[str]) -> Iterator[sa.Column[Any]]:
    """Yield the columns for the fields of a row; `keys` are the fields of the primary key."""
    for name, hint in get_type_hints(row, include_extras=True).items():
        parts = [part for part in get_args(hint) if part is not NoneType]
        null = NoneType in get_args(hint)
        kind, is_key = parts[0] if null else hint, name in keys
        note = kind.__metadata__[0] if get_origin(kind) is Annotated else None
        plain = get_origin(kind) or kind
        if note is _TRANSLATED:
            yield sa.Column(name, Prose, nullable=False)
            yield sa.Column(f"{name}{DATA}", sa.JSON(none_as_null=True))
        elif isinstance(note, Reference):
            target = sa.ForeignKey(f"{note.table}.id", ondelete="SET NULL" if null else "CASCADE")
            yield sa.Column(name, Word(32), target, nullable=null, primary_key=is_key)
        elif isinstance(plain, type) and issubclass(plain, StrEnum):
            yield sa.Column(name, Choice(plain), nullable=null)
        else:
            # A number may be missing although rows say otherwise.
            yield sa.Column(
                name,
                note or _TYPES[plain],
                nullable=null or plain is float,
                primary_key=is_key,
                autoincrement=False,
                server_default=None if null or is_key else _DEFAULTS.get(plain),
            )
