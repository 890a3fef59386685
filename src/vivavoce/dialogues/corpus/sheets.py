"""Dialogues as a table: one row for each message (CSV, TSV, XLSX)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import TypeVar

from vivavoce.dialogues.corpus.entries import Entry, Findings, is_bot_by_name
from vivavoce.dialogues.corpus.values import UnreadableError, excerpt, read_flag, read_mark, read_thumb
from vivavoce.dialogues.dialogue import Dialogue, Rating, Utterance
from vivavoce.errors import DataError, Fault, nearest
from vivavoce.files import ReadOptions, Row, Table, read_table
from vivavoce.files.columns import normalise_name, quote_names
from vivavoce.files.datasets import SHEET_ERRORS
from vivavoce.files.dates import parse_date
from vivavoce.files.tables import UnsavedFormula, as_text
from vivavoce.messages import say

SYNONYMS: dict[str, tuple[str, ...]] = {
    "dialogue": (
        "dialogue", "dialogue_id", "dialog", "dialog_id", "dialogid", "conversation", "conversation_id", "session",
        "session_id", "thread", "thread_id", "chat", "chat_id", "talk", "id",
    ),
    "speaker": ("speaker", "role", "sender", "author", "from", "who", "participant"),
    "text": ("text", "utterance", "message", "content", "body"),
    "is_bot": ("is_bot", "isbot", "from_bot"),
    "thumb": ("thumb", "utterance_eval"),
    "rating": ("rating", "quality", "score", "mark", "stars"),
    "rater": ("rater", "rater_id", "rated_by", "annotator"),
    "bot": ("bot", "bot_id", "bot_name", "system"),
    "user": ("user", "user_id", "customer", "customer_id"),
    "passed": ("passed", "checks_passed"),
    "source": ("source",),
    "order": ("order", "position", "turn", "turn_id", "time", "timestamp", "date", "created", "created_at"),
}  # fmt: skip
REQUIRED = ("dialogue", "speaker", "text")
Columns = dict[str, int]
T = TypeVar("T")


def read_sheet(path: Path, options: ReadOptions, format: str) -> Iterator[Entry]:
    """Yield the dialogues in the order in which they first appear; rows of one need not stand together."""
    table = read_table(path, options, format)
    columns = find_columns(table.columns, str(path))
    if not table.rows and not table.faults:
        raise DataError(
            say("there are column names but no rows"), where=str(path), remedy=say("add at least one message")
        )
    yield Entry("", None, remarks=(*_bare(table, path), *_unused(table.columns, columns)))
    for fault in table.faults:
        place = f"{table.unit} {fault.number}"
        yield Entry(place, None, (Fault(fault.message, place),))
    for name, rows in _grouped(table, columns).items():
        yield _entry(name, rows, columns, table.unit, options)


def find_columns(names: Sequence[str], source: str) -> Columns:
    """Find the columns by name or a usual synonym, the plain name first; say what is missing, all at once."""
    keys = [normalise_name(name) for name in names]
    columns: Columns = {}
    for role, known in SYNONYMS.items():
        place = next((keys.index(name) for name in known if name in keys), None)
        if place is not None:
            columns[role] = place
    missing = [role for role in REQUIRED if role not in columns]
    if missing:
        raise DataError(
            say(
                "there is no column for: {names}; columns found: {quote_names}",
                names=", ".join(missing),
                quote_names=quote_names(names),
            ),
            where=source,
            faults=[Fault(_hint(role, keys)) for role in missing],
            remedy=say("name the columns in the first row, for instance: dialogue,speaker,text,rating"),
        )
    return columns


def _hint(role: str, keys: Sequence[str]) -> str:
    near = next((nearest(key, SYNONYMS[role]).replace("Did you mean", f"'{key}': did you mean")
                 for key in keys if key and nearest(key, SYNONYMS[role])), "")  # fmt: skip
    return f"the {role}: call it {' or '.join(repr(name) for name in SYNONYMS[role][:3])}.{near}"


def _bare(table: Table, path: Path) -> list[str]:
    return [note.removeprefix(f"{path}: ") for note in table.notes]


def _unused(names: Sequence[str], columns: Columns) -> list[str]:
    unused = [name for place, name in enumerate(names) if name and place not in columns.values()]
    return [f"columns passed over: {quote_names(unused)}"] if unused else []


def _grouped(table: Table, columns: Columns) -> dict[str, list[Row]]:
    """Gather the rows of each dialogue; rows without a dialogue are gathered under the empty name."""
    groups: dict[str, list[Row]] = {}
    for row in table.rows:
        groups.setdefault(as_text(row.cells[columns["dialogue"]]).strip(), []).append(row)
    return groups


def _entry(name: str, rows: Sequence[Row], columns: Columns, unit: str, options: ReadOptions) -> Entry:
    found = Findings(f"{unit} {rows[0].number}")
    if not name:
        for row in rows:
            found.fault(
                say("the dialogue is empty: write to which dialogue the message belongs"), f"{unit} {row.number}"
            )
        return found.entry(None)
    reader = _Rows(columns, unit, found)
    ordered = reader.ordered(rows)
    turns = [turn for row in ordered if (turn := reader.turn(row, options)) is not None]
    return found.entry(
        Dialogue(
            id=name,
            turns=tuple(turns),
            ratings=reader.ratings(rows),
            source=reader.same(rows, "source", as_text) or "",
            bot=reader.same(rows, "bot", as_text),
            user=reader.same(rows, "user", as_text),
            passed=reader.same(rows, "passed", lambda cell: read_flag(cell, "'passed'")),
            row=rows[0].number,
        )
    )


class _Rows:
    """Reads the rows of one dialogue; what cannot be read goes to the findings with its row."""

    def __init__(self, columns: Columns, unit: str, found: Findings) -> None:
        self.columns, self.unit, self.found = columns, unit, found

    def cell(self, row: Row, role: str) -> object:
        """Return what a row says in a role; None where there is no such column or nothing in it."""
        place = self.columns.get(role)
        value = None if place is None else row.cells[place]
        if isinstance(value, UnsavedFormula):
            self.fault(row, f"{role}: {value.message}")
            return None
        if isinstance(value, str) and value.strip() in SHEET_ERRORS:
            self.fault(
                row,
                say(
                    "the {role} is the spreadsheet error {value}: correct the formula and save again",
                    role=role,
                    value=value.strip(),
                ),
            )
            return None
        return None if value == "" or (isinstance(value, float) and math.isnan(value)) else value

    def fault(self, row: Row, message: str) -> None:
        self.found.fault(message, f"{self.unit} {row.number}")

    def ordered(self, rows: Sequence[Row]) -> Sequence[Row]:
        """Return the rows in the order of time where there is a column for it, else as they stand."""
        if "order" not in self.columns:
            return rows
        keyed: list[tuple[float | datetime, Row]] = []
        for row in rows:
            value = self.cell(row, "order")
            moment = _moment(value)
            if moment is not None:
                keyed.append((moment, row))
            elif not self._silent(row):
                self.fault(
                    row,
                    say(
                        "the order {excerpt} is neither a number nor a date: correct it",
                        excerpt=excerpt(as_text(value)),
                    ),
                )
        if len({isinstance(moment, datetime) for moment, _ in keyed}) > 1:
            self.found.fault(say("the order is a number in some rows and a date in others: write one of them"))
            return rows
        return [row for _, row in sorted(keyed, key=lambda pair: pair[0])]

    def turn(self, row: Row, options: ReadOptions) -> Utterance | None:
        """Return the message of a row; a row that only brings a rating has none."""
        if self._silent(row):
            return None
        speaker = as_text(self.cell(row, "speaker")).strip()
        if not speaker:
            self.fault(row, say("the speaker is empty: write who said it"))
        is_bot = self._read(row, "is_bot", lambda cell: read_flag(cell, "'is_bot'"))
        thumb = self._read(row, "thumb", read_thumb)
        known = is_bot if is_bot is not None else is_bot_by_name(speaker, options.bot)
        return Utterance(speaker, as_text(self.cell(row, "text")), known, thumb)

    def _silent(self, row: Row) -> bool:
        said = any(as_text(row.cells[self.columns[role]]).strip() for role in ("speaker", "text"))
        brings = any(role in self.columns and row.cells[self.columns[role]] for role in ("rating", "passed"))
        return brings and not said

    def _read(self, row: Row, role: str, read: Callable[[object], T]) -> T | None:
        try:
            value = self.cell(row, role)
            return None if value is None else read(value)
        except UnreadableError as error:
            self.fault(row, error.args[0])
            return None

    def same(self, rows: Sequence[Row], role: str, read: Callable[[object], T]) -> T | None:
        """Return what the rows say together; two different answers are a fault."""
        if role not in self.columns:
            return None
        said = [(row, value) for row in rows if (value := self._read(row, role, read)) not in (None, "")]
        for row, value in said[1:]:
            if value != said[0][1]:
                first = f"{self.unit} {said[0][0].number}"
                self.fault(
                    row,
                    say(
                        "the {role} is {excerpt}, but {excerpt2} in {first}",
                        role=role,
                        excerpt=excerpt(value),
                        excerpt2=excerpt(said[0][1]),
                        first=first,
                    ),
                )
        return said[0][1] if said else None

    def ratings(self, rows: Sequence[Row]) -> tuple[Rating, ...]:
        """Return one mark for each rater; the same mark on many rows is one."""
        marks: dict[str, tuple[float, Row]] = {}
        for row in rows if "rating" in self.columns else ():
            mark = self._read(row, "rating", read_mark)
            rater = as_text(self.cell(row, "rater")).strip()
            if mark is None:
                continue
            first, where = marks.setdefault(rater, (mark, row))
            if first != mark:
                self.fault(
                    row,
                    say(
                        "the rating is {mark:g}, but {first:g} in {unit} {number}: a dialogue has one rating of "
                        "each rater; name several raters in a column 'rater'",
                        mark=mark,
                        first=first,
                        unit=self.unit,
                        number=where.number,
                    ),
                )
        return tuple(Rating(rater, mark) for rater, (mark, _) in marks.items())


def _moment(value: object) -> float | datetime | None:
    if isinstance(value, datetime):
        return parse_date(value)
    try:
        number = float(as_text(value).strip())
        return number if math.isfinite(number) else None
    except ValueError:
        return parse_date(value)
