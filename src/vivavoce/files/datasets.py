"""From a file to a data set: every row is read, refused with its number, or left out with a note."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
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
    is_blank,
    list_numbers,
)
from vivavoce.messages import join_and, say, say_count
from vivavoce.records import AUTO, Dataset, Example, is_out_of_scope

# Words that other programs write for "nothing"; as a topic they would be mistaken for it.
RESERVED = frozenset({"__other", "none", "null", "nan"})
SHEET_ERRORS = frozenset({"#N/A", "#REF!", "#VALUE!", "#DIV/0!", "#NAME?", "#NULL!", "#NUM!", "#SPILL!"})
ROWS_ABOVE = say("{source}: row {number:d} names the columns; the rows above it are skipped")
TYPE_NAMES: dict[type, str] = {str: "text", bool: "true or false", int: "number", float: "number"}


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
    header_row: int | None = None,
    skip_bad: bool = False,
) -> Dataset:
    """Read examples from a file. All faults are raised at once; nothing is dropped without a note.

    Of a workbook the sheet that looks like a table is read, and titles above its header are passed over, unless
    `sheet` and `header_row` say otherwise. `encoding` "auto": found out. `split` keeps the rows of one value of that
    column. Rows of the intent `out_of_scope` get no intent; by default these are the intents with one of the usual
    names (`oos`, `fallback`, `None`, ...), with None there are none. `skip_bad` leaves out rows that cannot be used
    and lists each in the notes instead of refusing the file.
    """
    path, source = Path(path), str(path)
    options = ReadOptions(encoding, max_bytes, sheet, max_rows, header=header_row, guess=True)
    table = read_table(path, options, format)
    _check_rows_exist(table, source, skip_bad)
    columns = find_columns(table, source, text_column, intent_column)
    rows = table.rows if split is None else _select_split(table.rows, columns, split, source)
    return build_dataset(replace(table, rows=tuple(rows)), columns, source, out_of_scope, skip_bad=skip_bad)


def build_dataset(
    table: Table, columns: Columns, source: str, out_of_scope: str | None = AUTO, *, skip_bad: bool = False
) -> Dataset:
    """Make a data set of a table whose columns are known."""
    faults = [*table.faults, *_find_row_faults(table.rows, columns, out_of_scope)]
    bad = {fault.number for fault in faults}
    good = [row for row in table.rows if row.number not in bad]
    mixed = _find_type_faults(table, good if skip_bad else table.rows, columns, source)
    _check_faults([] if skip_bad else faults, mixed, table.unit, source)
    if not good:
        raise _refuse_all(faults, table.unit, source)
    notes = [*table.notes, *columns.notes]
    if not all(is_blank(row.cells) for row in table.above):
        notes.insert(0, say(ROWS_ABOVE, source=source, number=table.header))
    notes += map(exclusion, _list_faults(faults, table.unit, source))
    examples = tuple(_build_examples(good, columns, out_of_scope, unit=table.unit, source=source, notes=notes))
    # The usual names need not occur; a name that the user gave should be there.
    if out_of_scope not in (None, AUTO) and all(example.intent is not None for example in examples):
        notes.append(f"{source}: no row has the out-of-scope intent '{out_of_scope}'")
    intents = {as_text(row.cells[columns.intent]).strip() for row in good} if out_of_scope == AUTO else set()
    return Dataset(examples, source, tuple(notes), tuple(sorted(filter(is_out_of_scope, intents))))


def read_table(path: Path, options: ReadOptions | None = None, format: str | None = None) -> Table:
    """Read a file as a table, by the format of its suffix or the one given."""
    file = SourceFile(path, options or ReadOptions())
    check_file(path, file.options.max_bytes)
    chosen = get_format(Kind.TRAINING, format) if format else find_format(Kind.TRAINING, file)
    if chosen is not None and chosen.reader is not None:
        return cast(Table, chosen.reader(file))
    if chosen is not None:
        raise refuse_format(chosen, "it contains no readable examples", str(path))
    suffix = path.suffix.lower().removeprefix(".")
    unknown = say("unknown file format '.{suffix}'", suffix=suffix)
    names = [format.name for format in list_formats(Kind.TRAINING) if format.reader]
    remedy = say(Advice.NAME_FORMAT, names=", ".join(names))
    if suffix in ("xls", "ods"):
        remedy = say("save it as .xlsx; {remedy}", remedy=remedy)
    raise FileError(unknown if suffix else say("the file name has no extension"), where=str(path), remedy=remedy)


def _check_rows_exist(table: Table, source: str, skip_bad: bool) -> None:
    if table.rows or (table.faults and not skip_bad and table.columns):
        return
    if table.faults and skip_bad:
        raise _refuse_all(table.faults, table.unit, source)
    what = say("the sheet has column names but no rows") if table.columns else say("no examples")
    remedy = say("fix the faults above") if table.faults else say("add at least one example")
    raise DataError(what, where=source, remedy=remedy, faults=_list_faults(table.faults, table.unit, source))


def _select_split(rows: Sequence[Row], columns: Columns, split: str, source: str) -> list[Row]:
    if columns.split is None:
        raise DataError(
            say("no column 'split' to look up '{split}'", split=split),
            where=source,
            remedy=say("remove the option, or add the column"),
        )
    values = [as_text(row.cells[columns.split]).strip() for row in rows]
    selected = [row for row, value in zip(rows, values, strict=True) if value == split]
    if not selected:
        known = sorted(set(values))
        raise DataError(
            say("no row has the split '{split}'.{nearest}", split=split, nearest=nearest(split, known)),
            where=source,
            remedy=say("choose one of: {names}", names=", ".join(known[:20])),
        )
    return selected


# --- faults ------------------------------------------------------------------------------------------------


def _find_row_faults(rows: Sequence[Row], columns: Columns, out_of_scope: str | None) -> Iterator[RowFault]:
    fine: set[str] = set()  # intents known to be right: most repeat
    for row in rows:
        text, intent = row.cells[columns.text], row.cells[columns.intent]
        message = _check_shape("text", text)
        if not message and not as_text(text).strip():
            message = say("the text is empty: enter the message or delete the row")
        if message:
            yield RowFault(row.number, message)
        if isinstance(intent, str) and intent in fine:
            continue
        if message := _check_intent(intent, out_of_scope):
            yield RowFault(row.number, message)
        else:
            fine.add(as_text(intent))


def _check_intent(value: object, out_of_scope: str | None) -> str:
    if fault := _check_shape("intent", value):
        return fault
    intent = as_text(value).strip()
    if not intent:
        return say("the intent is empty: enter the topic, or the name for out-of-scope messages")
    if intent.casefold() in RESERVED and not is_out_of_scope(intent, out_of_scope):
        return say(Advice.OUT_OF_SCOPE, intent=intent, other=f"topic_{intent.strip('_').lower()}")
    return ""


def _check_shape(role: str, value: object) -> str:
    if isinstance(value, UnsavedFormula):
        return say("{role}: {fault}", role=role, fault=value.message)
    if isinstance(value, (list, dict)):
        kind = say("list") if isinstance(value, list) else say("group of values")
        return say("the {role} is a {kind}: use a single text", role=role, kind=kind)
    if isinstance(value, str) and value.strip() in SHEET_ERRORS:
        error = value.strip()
        return say(
            "the {role} contains the spreadsheet error {value}: fix the formula and save again",
            role=role,
            value=error,
        )
    return ""


def _find_type_faults(table: Table, rows: Sequence[Row], columns: Columns, source: str) -> list[Fault]:
    """Find intents of mixed types in a file that tells them apart: is 1 the same topic as "1"?"""
    numbers: dict[str, list[int]] = {}
    for row in rows if table.typed else ():
        kind = TYPE_NAMES.get(type(row.cells[columns.intent]))
        if kind and as_text(row.cells[columns.intent]).strip():
            numbers.setdefault(kind, []).append(row.number)
    if len(numbers) < 2:
        return []
    kinds = "; ".join(f"{kind} in {table.unit}s {list_numbers(rows)}" for kind, rows in numbers.items())
    return [Fault(say("the intents have mixed types ({found}): put all of them in quotes", found=kinds), source)]


def _check_faults(rows: Sequence[RowFault], mixed: Sequence[Fault], unit: str, source: str) -> None:
    if not mixed and not rows:
        return
    wrong = [*([say("the intents")] if mixed else []), *([_count_rows(rows, unit)] if rows else [])]
    faults = [*mixed, *_list_faults(rows, unit, source)]
    several = say(" ({count} faults)", count=len(faults)) if len(rows) > len({fault.number for fault in rows}) else ""
    if not mixed:
        remedy = say(Advice.SKIP_ROWS)
    elif rows:
        remedy = say(Advice.SKIP_ROWS_LATER)
    else:
        remedy = say("fix them: they affect the whole file, not single rows")
    what = say("{names} invalid{several}", names=join_and(wrong), several=several)
    raise DataError(what, where=source, faults=faults, remedy=remedy)


def _refuse_all(faults: Sequence[RowFault], unit: str, source: str) -> DataError:
    counted = _count_rows(faults, unit)
    return DataError(
        say("nothing left: every {unit} was skipped ({counted})", unit=unit, counted=counted),
        where=source,
        faults=_list_faults(faults, unit, source),
        remedy=say("fix the faults above; the same fault in many places often has one cause"),
    )


def _count_rows(faults: Sequence[RowFault], unit: str) -> str:
    count = len({fault.number for fault in faults})
    if unit == "row":
        return say_count(count, "{n} row", "{n} rows")
    return f"{count} {unit}{'s' if count != 1 else ''}"


def _list_faults(rows: Sequence[RowFault], unit: str, source: str) -> list[Fault]:
    faults = []
    for fault in sorted(rows, key=lambda fault: fault.number):
        where = say("{path}, {unit} {number:d}", path=source, unit=unit, number=fault.number)
        if unit == "row":
            where = say("{path}, row {number:d}", path=source, number=fault.number)
        faults.append(Fault(fault.message, where))
    return faults


# --- examples ----------------------------------------------------------------------------------------------


def _build_examples(
    rows: Sequence[Row], columns: Columns, out_of_scope: str | None, *, unit: str, source: str, notes: list[str]
) -> Iterator[Example]:
    for row in rows:
        cells = row.cells
        intent = as_text(cells[columns.intent]).strip()
        created = None if columns.created is None else cells[columns.created]
        if isinstance(created, UnsavedFormula):
            created = "formula without a saved result"
        moment = parse_date(created) if as_text(created).strip() else None
        if moment is None and as_text(created).strip():
            notes.append(unreadable_date(source, unit, row.number, created))
        optional = (columns.language, columns.split, columns.answer)
        language, split, answer = (None if c is None else as_text(cells[c]).strip() or None for c in optional)
        text, outside = as_text(cells[columns.text]).strip(), is_out_of_scope(intent, out_of_scope)
        yield Example(text, None if outside else intent, moment, language, split, answer, row.number)
