"""From a file to a data set: every row is read, refused with its number, or left out with a note."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import cast

from vivavoce.errors import DataError, Fault, FileError, nearest
from vivavoce.files.advice import Advice
from vivavoce.files.columns import Columns, find_columns
from vivavoce.files.dates import parse_date, unreadable_date
from vivavoce.files.exclusions import exclusion
from vivavoce.files.formats import Kind, SourceFile, find_format, get_format, list_formats, refuse_format
from vivavoce.files.sources import check_file
from vivavoce.files.tables import (
    DEFAULT_MAX_BYTES,
    DEFAULT_MAX_ROWS,
    ReadOptions,
    Row,
    RowFault,
    Table,
    UnsavedFormula,
    as_text,
    enumerated,
)
from vivavoce.messages import join_and, say, say_count
from vivavoce.records import AUTO, Dataset, Example, is_out_of_scope

# Words that other programs write for "nothing"; as a topic they would be mistaken for it.
RESERVED = frozenset({"__other", "none", "null", "nan"})
SHEET_ERRORS = frozenset({"#N/A", "#REF!", "#VALUE!", "#DIV/0!", "#NAME?", "#NULL!", "#NUM!", "#SPILL!"})
TYPE_NAMES: dict[type, str] = {str: "text", bool: "true or false", int: "number", float: "number"}


@dataclass(frozen=True, slots=True)
class _Place:
    """Where rows come from, for messages."""

    path: str
    unit: str

    def row(self, number: int) -> str:
        if self.unit == "row":
            return say("{path}, row {number:d}", path=self.path, number=number)
        return say("{path}, {unit} {number:d}", path=self.path, unit=self.unit, number=number)


def read_dataset(
    path: str | Path,
    *,
    text_column: str | None = None,
    intent_column: str | None = None,
    split: str | None = None,
    out_of_scope: str | None = AUTO,
    format: str | None = None,
    max_bytes: int = DEFAULT_MAX_BYTES,
    max_rows: int = DEFAULT_MAX_ROWS,
    encoding: str | None = None,
    sheet: str | None = None,
    skip_bad: bool = False,
) -> Dataset:
    """Read examples from a file. All faults are raised at once; nothing is dropped without a note.

    `split` keeps the rows of one value of that column. Rows of the intent `out_of_scope` get no intent;
    by default these are the intents with one of the usual names (`oos`, `fallback`, `None`, ...), with None there are
    none. `skip_bad` leaves out rows that cannot be used and lists each in the notes instead of refusing the file.
    """
    path = Path(path)
    table = read_table(path, ReadOptions(encoding, max_bytes, sheet, max_rows), format)
    place = _Place(str(path), table.unit)
    _check_rows_exist(table, place, skip_bad)
    columns = find_columns(table, place.path, text_column, intent_column)
    rows = table.rows if split is None else _of_split(table.rows, columns, split, place)
    faults = [*table.faults, *_row_faults(rows, columns, out_of_scope)]
    bad = {fault.number for fault in faults}
    good = [row for row in rows if row.number not in bad]
    _check_faults(faults, _type_faults(table, good if skip_bad else rows, columns, place), place, skip_bad)
    if not good:
        raise _none_left(faults, place)
    notes = [*table.notes, *columns.notes, *map(exclusion, _shown(faults, place))]
    examples = tuple(_examples(good, columns, out_of_scope, place, notes))
    notes += _scope_notes(examples, out_of_scope, place)
    return Dataset(examples, str(path), tuple(notes), _recognised(good, columns, out_of_scope))


def read_table(path: Path, options: ReadOptions | None = None, format: str | None = None) -> Table:
    """Read a file as a table, by the format of its suffix or the one given."""
    file = SourceFile(path, options or ReadOptions())
    check_file(path, file.options.max_bytes)
    chosen = get_format(Kind.TRAINING, format) if format else find_format(Kind.TRAINING, file)
    if chosen is None:
        raise _refuse_extension(path)
    if chosen.reader is None:
        raise refuse_format(chosen, "it holds no examples that are read", str(path))
    return cast(Table, chosen.reader(file))


def _refuse_extension(path: Path) -> FileError:
    suffix = path.suffix.lower().removeprefix(".")
    what = (
        say("the format of '.{suffix}' files is not known", suffix=suffix)
        if suffix
        else say("the file name has no suffix")
    )
    names = [format.name for format in list_formats(Kind.TRAINING) if format.reader]
    remedy = say(Advice.NAME_FORMAT, names=", ".join(names))
    if suffix in ("xls", "ods"):
        remedy = say("save it as .xlsx; {remedy}", remedy=remedy)
    return FileError(what, where=str(path), remedy=remedy)


def _check_rows_exist(table: Table, place: _Place, skip_bad: bool) -> None:
    if table.rows or (table.faults and not skip_bad and table.columns):
        return
    if table.faults and skip_bad:
        raise _none_left(table.faults, place)
    what = say("there are column names but no rows") if table.columns else say("there are no examples")
    remedy = say("correct what is said above") if table.faults else say("add at least one example")
    raise DataError(what, where=place.path, remedy=remedy, faults=_shown(table.faults, place))


def _of_split(rows: Sequence[Row], columns: Columns, split: str, place: _Place) -> list[Row]:
    column = columns.split
    if column is None:
        raise DataError(
            say("there is no column 'split' to find '{split}' in", split=split),
            where=place.path,
            remedy=say("leave out the option, or add the column"),
        )
    values = [as_text(row.cells[column]).strip() for row in rows]
    kept = [row for row, value in zip(rows, values, strict=True) if value == split]
    if not kept:
        known = sorted(set(values))
        raise DataError(
            say("no row has the split '{split}'.{nearest}", split=split, nearest=nearest(split, known)),
            where=place.path,
            remedy=say("choose one of: {names}", names=", ".join(known[:20])),
        )
    return kept


# --- faults ------------------------------------------------------------------------------------------------


def _row_faults(rows: Sequence[Row], columns: Columns, out_of_scope: str | None) -> Iterator[RowFault]:
    fine: set[str] = set()  # intents found to be right: most repeat
    for row in rows:
        text, intent = row.cells[columns.text], row.cells[columns.intent]
        if message := _text_fault(text):
            yield RowFault(row.number, message)
        if isinstance(intent, str) and intent in fine:
            continue
        if message := _intent_fault(intent, out_of_scope):
            yield RowFault(row.number, message)
        else:
            fine.add(as_text(intent))


def _text_fault(value: object) -> str:
    if wrong := _shape_fault("text", value):
        return wrong
    return "" if as_text(value).strip() else say("the text is empty: write the message or delete the row")


def _intent_fault(value: object, out_of_scope: str | None) -> str:
    if wrong := _shape_fault("intent", value):
        return wrong
    intent = as_text(value).strip()
    if not intent:
        return say("the intent is empty: write the topic, or the name for out-of-scope messages")
    if intent.casefold() in RESERVED and not is_out_of_scope(intent, out_of_scope):
        return say(Advice.OUT_OF_SCOPE, intent=intent, other=f"topic_{intent.strip('_').lower()}")
    return ""


def _shape_fault(role: str, value: object) -> str:
    if isinstance(value, UnsavedFormula):
        return say("{role}: {fault}", role=role, fault=value.message)
    if isinstance(value, (list, dict)):
        kind = say("list") if isinstance(value, list) else say("group of values")
        return say("the {role} is a {kind}: write one text", role=role, kind=kind)
    if isinstance(value, str) and value.strip() in SHEET_ERRORS:
        return say(
            "the {role} is the spreadsheet error {value}: correct the formula and save again",
            role=role,
            value=value.strip(),
        )
    return ""


def _type_faults(table: Table, rows: Sequence[Row], columns: Columns, place: _Place) -> list[Fault]:
    """Find intents of mixed types in a file that tells them apart: is 1 the same topic as "1"?"""
    numbers: dict[str, list[int]] = {}
    for row in rows if table.typed else ():
        kind = TYPE_NAMES.get(type(row.cells[columns.intent]))
        if kind and as_text(row.cells[columns.intent]).strip():
            numbers.setdefault(kind, []).append(row.number)
    if len(numbers) < 2:
        return []
    found = "; ".join(f"{kind} in {place.unit}s {enumerated(rows)}" for kind, rows in numbers.items())
    return [
        Fault(say("the intents are of mixed types ({found}): write all of them in quotes", found=found), place.path)
    ]


def _check_faults(rows: Sequence[RowFault], whole: Sequence[Fault], place: _Place, skip_bad: bool) -> None:
    if not whole and (skip_bad or not rows):
        return
    rows = () if skip_bad else rows  # rows that are left out are no reason to refuse the file
    wrong = [*([say("the intents")] if whole else []), *([_counted(rows, place)] if rows else [])]
    faults = [*whole, *_shown(rows, place)]
    several = say(" ({count} faults)", count=len(faults)) if len(rows) > len({fault.number for fault in rows}) else ""
    raise DataError(
        say("{names} cannot be used{several}", names=join_and(wrong), several=several),
        where=place.path,
        faults=faults,
        remedy=_remedy(bool(rows), bool(whole)),
    )


def _remedy(rows: bool, whole: bool) -> str:
    if not whole:
        return say(Advice.SKIP_ROWS)
    if rows:
        return say(Advice.SKIP_ROWS_LATER)
    return say("correct them: this concerns the whole file, not single rows")


def _none_left(faults: Sequence[RowFault], place: _Place) -> DataError:
    return DataError(
        say(
            "every {unit} was left out ({counted}), so there is nothing to work with",
            unit=place.unit,
            counted=_counted(faults, place),
        ),
        where=place.path,
        faults=_shown(faults, place),
        remedy=say("correct what is said above; the same fault in many places often has one cause"),
    )


def _counted(faults: Sequence[RowFault], place: _Place) -> str:
    count = len({fault.number for fault in faults})
    if place.unit == "row":
        return say_count(count, "{n} row", "{n} rows")
    return f"{count} {place.unit}{'s' if count != 1 else ''}"


def _shown(faults: Sequence[RowFault], place: _Place) -> list[Fault]:
    ordered = sorted(faults, key=lambda fault: fault.number)
    return [Fault(fault.message, place.row(fault.number)) for fault in ordered]


# --- examples ----------------------------------------------------------------------------------------------


def _examples(
    rows: Sequence[Row], columns: Columns, out_of_scope: str | None, place: _Place, notes: list[str]
) -> Iterator[Example]:
    for row in rows:
        cells = row.cells
        intent = as_text(cells[columns.intent]).strip()
        yield Example(
            as_text(cells[columns.text]).strip(),
            None if is_out_of_scope(intent, out_of_scope) else intent,
            _created(row, columns.created, place, notes),
            _optional(cells, columns.language),
            _optional(cells, columns.split),
            _optional(cells, columns.answer),
            row.number,
        )


def _recognised(rows: Sequence[Row], columns: Columns, out_of_scope: str | None) -> tuple[str, ...]:
    if out_of_scope != AUTO:
        return ()
    intents = {as_text(row.cells[columns.intent]).strip() for row in rows}
    return tuple(sorted(filter(is_out_of_scope, intents)))


def _optional(cells: Sequence[object], column: int | None) -> str | None:
    return None if column is None else as_text(cells[column]).strip() or None


def _created(row: Row, column: int | None, place: _Place, notes: list[str]) -> datetime | None:
    value = None if column is None else row.cells[column]
    if isinstance(value, UnsavedFormula):
        value = "formula without a saved result"
    if not as_text(value).strip():
        return None
    moment = parse_date(value)
    if moment is None:
        notes.append(unreadable_date(place.path, place.unit, row.number, value))
    return moment


def _scope_notes(examples: Sequence[Example], out_of_scope: str | None, place: _Place) -> list[str]:
    # The usual names need not occur; a name that the user gave should be there.
    if out_of_scope in (None, AUTO) or any(example.intent is None for example in examples):
        return []
    return [f"{place.path}: no row has the out-of-scope intent '{out_of_scope}'"]
