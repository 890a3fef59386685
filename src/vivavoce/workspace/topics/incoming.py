"""What people bring along: a file or pasted lines, read row by row; what cannot be used is named with its reason."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

from vivavoce.errors import DataError, VivaError
from vivavoce.files.columns import Columns, find_column, is_known
from vivavoce.files.datasets import build_dataset, read_table
from vivavoce.files.dates import unreadable_date_rows
from vivavoce.files.delimited import sniff
from vivavoce.files.encodings import GUESS, guess_encoding
from vivavoce.files.exclusions import read_exclusion
from vivavoce.files.header_words import TRAINING
from vivavoce.files.roles import BY_CELLS, TRAINING_JUDGES, guess_roles
from vivavoce.files.tables import ReadOptions, Row, Table, UnsavedFormula, as_text, check_rows, list_numbers
from vivavoce.files.writing import FORMULA_STARTS
from vivavoce.kept import Kept
from vivavoce.messages import join, say, say_count, values_named
from vivavoce.records import AUTO, Dataset, is_out_of_scope
from vivavoce.workspace.uploads import (
    MAX_ROWS,
    TABLE_ADVICE,
    Encoding,
    Layout,
    Source,
    make_layout,
    reword,
    reword_error,
)

PASTED = "pasted.csv"
# Instead of a name for out of scope: every topic is one.
EVERY_TOPIC = "-"
# Instead of a topic, while a table is read: somebody said that the row is out of scope.
OUTSIDE = "\0"
Kind = Literal["added", "changed", "joined", "refused"]
KINDS: tuple[Kind, ...] = ("refused", "changed", "joined", "added")
Mode = Literal["add", "replace"]
MODES: tuple[Mode, ...] = ("add", "replace")
# What becomes of rows without a topic: refused, filed like the row above, or out of scope.
Missing = Literal["refuse", "above", "scope"]
MISSING: tuple[Missing, ...] = ("refuse", "above", "scope")
# Of several answers to one topic the first is taken, or all, one under the other.
Several = Literal["first", "all"]
SEVERAL: tuple[Several, ...] = ("first", "all")
# What a column can hold; empty: it is left out.
ColumnRole = Literal["", "text", "topic", "answer", "created", "language", "owner"]
ROLES: tuple[ColumnRole, ...] = ("text", "topic", "answer", "created", "language", "owner", "")
_ROLE_NAMES: Mapping[str, ColumnRole] = {
    **{role: role for role in ROLES},
    "intent": "topic",
}
SHOWN = 200
_WORDS = {role: words for role, words in TRAINING.items() if role != "split"}
_TABLES: Kept[Table] = Kept(3)


@dataclass(frozen=True, slots=True)
class Choices:
    """How a source is to be read, and what is to be done with it: add to what is there, or replace it.

    `topic` is for rows that name none; where it is empty, `missing` says what becomes of them. `given`: topics for
    rows without one, by their numbers. `out_of_scope` names the topic of messages that no topic fits; AUTO: the
    usual names, EVERY_TOPIC: there is none. `overwrite`: answers and owners that are there are written anew.
    `sheet`, `header` and `roles` (by the place of a column) are found out where they are not given. `twins`: topics
    that are one by all but their spelling are folded, except those of `apart`, and with those of `together`.
    """

    text_column: str = ""
    topic_column: str = ""
    out_of_scope: str = AUTO
    topic: str = ""
    mode: Mode = "add"
    overwrite: bool = False
    encoding: Encoding = ""
    sheet: str = ""
    header: int = 0
    roles: tuple[ColumnRole, ...] = ()
    missing: Missing = "refuse"
    given: Mapping[str, str] = field(default_factory=dict)
    several: Several = "first"
    twins: bool = False
    apart: tuple[str, ...] = ()
    together: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PlannedRow:
    """One row of a source, what becomes of it, and why; `topic` None: out of scope.

    `lacks_topic`: it was refused only because it names no topic.
    """

    number: int
    kind: Kind
    text: str
    topic: str | None
    reason: str = ""
    language: str = ""
    created: datetime | None = None
    answer: str = ""
    owner: str = ""
    lacks_topic: bool = False


@dataclass(frozen=True, slots=True)
class Reading:
    """All that a source holds. `unit`: what it calls a row. `unclear`: why no row could be read yet."""

    rows: tuple[PlannedRow, ...] = ()
    notes: tuple[str, ...] = ()
    unit: str = "row"
    layout: Layout = field(default_factory=Layout)
    unclear: str = ""


def source_of_text(text: str) -> Source:
    """Return pasted text as a table where its first line names the columns, else as lines."""
    first = text.lstrip("\ufeff\n\r ").partition("\n")[0]
    cells = [cell.strip().strip('"') for cell in first.split(sniff(first))]
    is_table = len(cells) > 1 and all(is_known(cell) for cell in cells)
    return Source(PASTED, text.encode("utf-8", "replace"), lines=not is_table, pasted=True)


def read_source(source: Source, choices: Choices) -> Reading:
    """Read a source row by row. Errors name the file as its sender does."""
    if source.lines:
        check_rows(source.content.count(b"\n"), MAX_ROWS, "", remedy=say("send it in several parts"))
        return _read_lines(source.content.decode("utf-8", "replace"), choices)
    with TemporaryDirectory(prefix="viva-") as folder:
        path = Path(folder) / source.name
        path.write_bytes(source.content)
        try:
            # What was pasted came as letters, not as bytes.
            return _read_file(path, source.content, replace(choices, encoding="") if source.pasted else choices)
        except VivaError as error:
            raise reword_error(error, path, TABLE_ADVICE) from error


def _read_lines(content: str, choices: Choices) -> Reading:
    rows: list[PlannedRow] = []
    above = ""
    for number, line in enumerate(content.splitlines(), 1):
        text, _, name = line.partition("\t")
        name = name.strip() or _find_missing(choices, number, above)
        if not line.strip():
            continue
        above = name or above
        if not text.strip():
            reason = say("the text is empty: enter the message before the tab")
            rows.append(PlannedRow(number, "refused", line.strip(), None, reason))
        elif not name and choices.missing == "scope":
            rows.append(PlannedRow(number, "added", text, None))
        elif not name:
            reason = say("no topic: enter it after a tab, or choose one for all")
            rows.append(PlannedRow(number, "refused", text.strip(), None, reason, lacks_topic=True))
        else:
            rows.append(PlannedRow(number, "added", text, name))
    names = {row.topic for row in rows if row.topic and is_out_of_scope(row.topic, choices.out_of_scope)}
    kept = tuple(
        row if row.kind == "refused" else _remove_guards(replace(row, topic=None) if row.topic in names else row)
        for row in rows
    )
    return Reading(kept, tuple(_scope_notes(sorted(names), choices.out_of_scope)), unit="line")


def _find_missing(choices: Choices, number: int, above: str) -> str:
    """Return the topic of a row that names none; empty where nobody said one."""
    given = choices.given.get(str(number), "").strip() or choices.topic.strip()
    return given or (above if choices.missing == "above" else "")


def _scope_notes(names: Sequence[str], out_of_scope: str) -> Iterator[str]:
    """Name the topics that were taken for out-of-scope messages because of their usual names."""
    if names and out_of_scope == AUTO:
        listed = ", ".join(f"'{name}'" for name in names)
        yield say(
            "The names of these topics suggest out-of-scope messages: {listed}. To import them as "
            "topics, enter '{every_topic}' as the out-of-scope name.",
            listed=listed,
            every_topic=EVERY_TOPIC,
        )


def _read_file(path: Path, content: bytes, choices: Choices) -> Reading:
    options = ReadOptions(
        choices.encoding or GUESS,
        sheet=choices.sheet or None,
        max_rows=MAX_ROWS,
        header=choices.header or None,
        guess=True,
        rename=True,
    )
    key = (hashlib.sha256(content).hexdigest(), path.name, options)
    table = _TABLES.get(key, lambda: read_table(path, options))
    roles = _find_roles(table, path.name, choices)
    # Of a workbook or an archive nobody chooses the encoding.
    written = "" if table.sheets or path.suffix == ".zip" else choices.encoding or guess_encoding(content)
    reading = Reading(unit=table.unit, layout=make_layout(table, roles, written))
    if "text" not in roles:
        return replace(reading, unclear=say("no column is selected for the message: choose one"))
    if "topic" not in roles and not choices.topic.strip() and choices.missing != "scope":
        unclear = say("no column is selected for the topic: choose one, or choose one topic for all rows")
        return replace(reading, unclear=unclear)
    table = _fill_topics(table, roles, choices)
    places = {role: place for place, role in enumerate(roles) if role}
    columns = Columns(
        places["text"],
        len(table.columns) - 1,
        split=None,
        created=places.get("created"),
        language=places.get("language"),
        answer=places.get("answer"),
    )
    try:
        scope_name = None if choices.out_of_scope in ("", EVERY_TOPIC) else choices.out_of_scope
        data = build_dataset(table, columns, str(path), scope_name, skip_bad=True)
    except DataError as error:
        first = [error.what, *(fault.message for fault in error.faults[:1])]
        return replace(reading, unclear=join(": ", [reword(text, path, TABLE_ADVICE) for text in first]))
    return _make_rows(reading, table, columns, data, path, choices)


def _find_roles(table: Table, source: str, choices: Choices) -> tuple[ColumnRole, ...]:
    """Return what each column holds: as it was said, else guessed."""
    roles = list(choices.roles)
    if len(roles) != len(table.columns):
        names = guess_roles(table, _WORDS, TRAINING_JUDGES, BY_CELLS)
        roles = [_ROLE_NAMES[name] for name in names]
    for role, name in (("text", choices.text_column), ("topic", choices.topic_column)):
        if name:
            place = find_column(table, source, "intent" if role == "topic" else role, name)
            roles = ["" if each == role else each for each in roles]
            roles[place] = role  # type: ignore[call-overload]
    return tuple(roles)


def _fill_topics(table: Table, roles: Sequence[ColumnRole], choices: Choices) -> Table:
    """Return the table with one more column: the topic of each row, as the file or somebody says it."""
    place, above, rows = roles.index("topic") if "topic" in roles else None, "", []
    for row in table.rows:
        own = "" if place is None else row.cells[place]
        if isinstance(own, UnsavedFormula):
            pass
        elif as_text(own).strip():
            above = as_text(own)
        else:
            filled = _find_missing(choices, row.number, above)
            own = filled or (OUTSIDE if choices.missing == "scope" else own)
        rows.append(Row(row.number, (*row.cells, own)))
    return replace(table, columns=(*table.columns, ""), rows=tuple(rows))


def _make_rows(  # noqa: PLR0917 - all that was read
    reading: Reading, table: Table, columns: Columns, data: Dataset, path: Path, choices: Choices
) -> Reading:
    cells = {row.number: row.cells for row in table.rows}
    owner = reading.layout.roles.index("owner") if "owner" in reading.layout.roles else None
    refused, notes = _split_notes(data.notes, path, {number: own[:-1] for number, own in cells.items()})
    rows = [_mark_lacking(row, cells.get(row.number), columns) for row in refused]
    for example in data:
        own = cells[example.row or 0]
        # The text as the file has it, so that blanks around it are noticed.
        text, topic = as_text(own[columns.text]), None if own[-1] == OUTSIDE else example.intent
        row = PlannedRow(
            example.row or 0,
            "added",
            text,
            topic,
            "",
            example.language or "",
            example.created,
            example.answer or "",
            "" if owner is None else as_text(own[owner]).strip(),
        )
        rows.append(_remove_guards(row))
    notes = [*_scope_notes(data.recognised, choices.out_of_scope), *notes]
    return replace(reading, rows=tuple(rows), notes=tuple(notes))


def _mark_lacking(row: PlannedRow, cells: Sequence[object] | None, columns: Columns) -> PlannedRow:
    if cells is None or as_text(cells[columns.intent]).strip() or not as_text(cells[columns.text]).strip():
        return row
    reason = say("no topic: give it one, or leave the row out")
    return replace(row, text=as_text(cells[columns.text])[:SHOWN], reason=reason, lacks_topic=True)


def _remove_guards(row: PlannedRow) -> PlannedRow:
    """Take off the apostrophe that an export sets before what a spreadsheet would take for a formula."""

    def bare(cell: str) -> str:
        return cell[1:] if cell.startswith("'") and cell[1:].startswith(FORMULA_STARTS) else cell

    text, answer = bare(row.text), bare(row.answer)
    topic = None if row.topic is None else bare(row.topic)
    if (text, topic, answer) == (row.text, row.topic, row.answer):
        return row
    reason = say("removed the apostrophe before a formula sign")
    return replace(row, text=text, topic=topic, answer=answer, reason=reason)


def _split_notes(
    notes: Sequence[str], path: Path, cells: Mapping[int, Sequence[object]]
) -> tuple[list[PlannedRow], list[str]]:
    """Part the notes about rows that were left out from the others; of dates that cannot be read one note is made."""
    refused: dict[int, PlannedRow] = {}
    others: list[str] = []
    for note in notes:
        fault = read_exclusion(note)
        if fault is None:
            others += [] if unreadable_date_rows([note]) else [reword(note, path, TABLE_ADVICE)]
            continue
        number = int(next(values_named(fault.where, "number")))
        reason = reword(fault.message, path, TABLE_ADVICE)
        both = join("; ", (refused[number].reason, reason)) if number in refused else reason
        shown = " | ".join(map(as_text, cells.get(number, ())))[:SHOWN]
        refused[number] = PlannedRow(number, "refused", shown, None, both)
    if undated := unreadable_date_rows(notes):
        others.append(
            say_count(
                len(undated),
                "{n} date cannot be read; its row is kept without a date: row {rows}",
                "{n} dates cannot be read; their rows are kept without a date: rows {rows}",
                rows=list_numbers(undated),
            )
        )
    return list(refused.values()), others
