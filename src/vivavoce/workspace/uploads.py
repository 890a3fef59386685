"""Files that people send: a preview first, then the import. Between the two steps an upload is pending.

It is kept under a key that works once, for an hour. A person has one pending upload of a kind for each project, and
a new one replaces it.
"""

from __future__ import annotations

import base64
import gzip
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

from vivavoce.errors import AbsentError, DataError, Fault, VivaError
from vivavoce.files.advice import Advice
from vivavoce.files.tables import Row, Table, as_text, is_blank
from vivavoce.messages import Message, change_messages, change_texts, say
from vivavoce.store.database import Store
from vivavoce.store.rows import Project, Role
from vivavoce.store.stamps import now
from vivavoce.store.transaction import Transaction
from vivavoce.workspace.access.actors import Actor

LIFETIME = timedelta(hours=1)
# Half a minute of work for one request; nobody looks through a preview that is longer.
MAX_ROWS = 200_000
# How letters are written in a file; empty: found out.
Encoding = Literal["", "utf-8", "cp1252", "utf-16", "mac-roman", "cp850"]
ENCODINGS: tuple[Encoding, ...] = ("", "utf-8", "cp1252", "utf-16", "mac-roman", "cp850")


@dataclass(frozen=True, slots=True)
class Source:
    """A file as it was sent, or text that was `pasted` (`lines`: one message on each line)."""

    name: str
    content: bytes
    lines: bool = False
    pasted: bool = False


@dataclass(frozen=True, slots=True)
class PendingUploads:
    """Uploads of one kind; `remedy`: what to do where one is not there any more."""

    name: str
    remedy: str

    def put(self, tx: Transaction, actor: Actor, project: Project, key: str, kept: Mapping[str, Any]) -> None:
        """Keep something under a key."""
        tx.options.set(self._place(actor, project), {**kept, "key": key, "at": now().isoformat()})

    def find(self, tx: Transaction, actor: Actor, project: Project, key: str) -> Mapping[str, Any]:
        """Return what is kept under a key."""
        kept: Mapping[str, Any] = tx.options.get(self._place(actor, project)) or {}
        fresh = bool(kept) and datetime.fromisoformat(kept["at"]) + LIFETIME > now()
        if not fresh or not secrets.compare_digest(str(kept["key"]).encode(), key.encode("utf-8", "replace")):
            raise AbsentError(
                say(
                    "this preview is no longer available: it was used, replaced by a newer one, or "
                    "is older than an hour"
                ),
                remedy=self.remedy,
            )
        return kept

    def open(self, store: Store, actor: Actor, project: Project, key: str) -> tuple[Mapping[str, Any], Source]:
        """Return what is kept under a key for an editor, and the file that was sent."""
        actor.require(Role.EDITOR)
        with store.reading() as tx:
            kept = self.find(tx, actor, project, key)
        content = gzip.decompress(base64.b64decode(kept["content"]))
        return kept, Source(kept["name"], content, kept.get("lines", False), kept.get("pasted", False))

    def clear(self, tx: Transaction, actor: Actor, project: Project) -> None:
        """Forget what is kept, whatever its key."""
        tx.options.unset(self._place(actor, project))

    def drop(self, store: Store, actor: Actor, project: Project, key: str) -> None:
        """Forget what is kept under a key, at the wish of whoever sent it."""
        actor.require(Role.EDITOR)
        with store.writing() as tx:
            self.find(tx, actor, project, key)
            self.clear(tx, actor, project)

    def _place(self, actor: Actor, project: Project) -> str:
        return f"{self.name}/{project.id}/{actor.user_id or 'vivavoce'}"


def new_key() -> str:
    """Return a key that nobody can guess."""
    return secrets.token_hex(16)


def squeeze(content: bytes) -> str:
    """Return a file as a text that a row can hold."""
    return base64.b64encode(gzip.compress(content, 3)).decode("ascii")


def unsqueeze(text: str) -> bytes:
    """Return the file again."""
    return gzip.decompress(base64.b64decode(text))


_SEND_AGAIN = say("fix them and upload the file again")
_IN_PARTS = say("send it in several parts")
_CHOOSE_COLUMN = say("choose the column")

# For forms on which columns and the encoding can be chosen.
TABLE_ADVICE: Mapping[str, Message] = MappingProxyType(
    {
        Advice.NAME_FORMAT: say("supported formats: {names}"),
        Advice.CHOOSE_FORMAT: say("supported formats: {names}"),
        Advice.GIVE_JSONL: say("fix this and upload the file again"),
        Advice.CHOOSE_COLUMN: _CHOOSE_COLUMN,
        Advice.NAME_COLUMN: say("columns found: {columns}; choose one"),
        Advice.CALL_COLUMN: _CHOOSE_COLUMN,
        Advice.SKIP_ROWS: _SEND_AGAIN,
        Advice.SKIP_ROWS_LATER: _SEND_AGAIN,
        Advice.SKIP_DIALOGUES: _SEND_AGAIN,
        Advice.DO_NOT_SKIP: say("fix the file and upload it again"),
        Advice.OUT_OF_SCOPE: say(
            "the intent '{intent}' is a reserved word: rename it, for example to '{other}', or "
            "mark these rows as out of scope with '{intent}' as the out-of-scope name"
        ),
        Advice.GIVE_CP1252: say(
            "if this looks right, choose the encoding Windows-1252 and upload the file again: {shown}"
        ),
        Advice.GIVE_UTF16: say("choose the encoding UTF-16 and upload the file again"),
        Advice.MORE_ROWS: _IN_PARTS,
        Advice.MORE_MEGABYTES: _IN_PARTS,
        Advice.SHEET_TOO_LARGE: say("save the sheet as CSV"),
        Advice.LINE_TOO_LONG: say("write one dialogue per line"),
    }
)


def reword(text: str, path: Path, advice: Mapping[str, Message]) -> str:
    """Return a text that names a file as its sender does, and has the advice of a page."""
    return _advise(change_texts(text, lambda value: value.replace(str(path), path.name)), advice)


def _advise(text: str, advice: Mapping[str, Message]) -> str:
    if isinstance(text, Message) and text.template in advice:
        text = Message(advice[text.template].template, text.values)
    return change_messages(text, lambda part: _advise(part, advice))


def reword_error(error: VivaError, path: Path, advice: Mapping[str, Message]) -> VivaError:
    """Return an error that names a file as its sender does, and has the advice of a page."""
    faults = [Fault(reword(fault.message, path, advice), reword(fault.where, path, advice)) for fault in error.faults]
    where, remedy = (reword(text, path, advice) for text in (error.where, error.remedy))
    kind: Any = type(error) if type(error).__init__ is VivaError.__init__ else DataError
    reworded: VivaError = kind(reword(error.what, path, advice), where=where, remedy=remedy, faults=faults)
    return reworded


SHOWN_ROWS = 12
SHOWN_ABOVE = 6
MAX_CELL = 160
# What no column holds: it is left out.
LEFT_OUT = ""


@dataclass(frozen=True, slots=True)
class SheetName:
    """A sheet of a workbook and how many rows it has."""

    name: str
    rows: int


@dataclass(frozen=True, slots=True)
class SheetRow:
    """A row as it stands in the file, its cells as text."""

    number: int
    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Layout:
    """How a table was read. `header`: the number of the row with the names of the columns, 0 where no row has them.

    `above`, `rows`: some rows before and after it. `skipped`: how many rows before it hold something. `empty`: which
    columns hold nothing. `encoding`: how its letters are written, where the file does not say so itself.
    """

    columns: tuple[str, ...] = ()
    roles: tuple[str, ...] = ()
    header: int = 0
    above: tuple[SheetRow, ...] = ()
    rows: tuple[SheetRow, ...] = ()
    total: int = 0
    skipped: int = 0
    blank: int = 0
    empty: tuple[bool, ...] = ()
    sheet: str = ""
    sheets: tuple[SheetName, ...] = ()
    encoding: str = ""

    @property
    def left_out(self) -> tuple[int, ...]:
        """The columns that hold something and are not imported."""
        return tuple(place for place, role in enumerate(self.roles) if role == LEFT_OUT and not self.empty[place])


def make_layout(table: Table, roles: Sequence[str], encoding: str = "") -> Layout:
    """Return how a table was read."""
    above = table.above[-SHOWN_ABOVE:]
    return Layout(
        columns=table.columns,
        roles=tuple(roles),
        header=table.header,
        above=tuple(map(_show_row, above)),
        rows=tuple(map(_show_row, table.rows[:SHOWN_ROWS])),
        total=len(table.rows) + len(table.faults),
        skipped=sum(not is_blank(row.cells) for row in table.above),
        blank=len(table.blank),
        empty=tuple(
            not any(as_text(row.cells[place]).strip() for row in table.rows) for place in range(len(table.columns))
        ),
        sheet=table.sheet,
        sheets=tuple(SheetName(*sheet) for sheet in table.sheets),
        encoding=encoding,
    )


def column_letter(place: int) -> str:
    """Return what a spreadsheet calls a column: A for the first, AA for the 27th."""
    letters = ""
    place += 1
    while place:
        place, rest = divmod(place - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters


def _show_row(row: Row) -> SheetRow:
    return SheetRow(row.number, tuple(as_text(cell)[:MAX_CELL] for cell in row.cells))
