"""Scenarios in a sheet, one row for each turn: columns by name in any order, all faults at once.

A cell that came from a sheet goes back as it was.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from vivavoce.conversations.scenario import Scenario, Step, Suite, Turn
from vivavoce.conversations.scenarios.formats.sheet_cells import (
    AFTER_SLOTS,
    ALWAYS,
    BEFORE_SLOTS,
    OF_SCENARIO,
    SCENARIO_ALSO,
    SLOT,
    SUITE_ALSO,
    Layout,
    cell_text,
    column_key,
    find_layout,
    guard,
    split_alternatives,
    unguard,
)
from vivavoce.conversations.scenarios.formats.sheet_rows import (
    RAW,
    read_json,
    read_row,
    row_place,
    scenario_cells,
    step_cells,
    write_json,
)
from vivavoce.conversations.scenarios.formats.yaml_reading import read_scenario, read_suite_value, unknown_level
from vivavoce.conversations.scenarios.formats.yaml_writing import head_value
from vivavoce.errors import DataError, EmptyFileError, Fault, FileError
from vivavoce.files.delimited import sniff
from vivavoce.files.exports import LOST_IN_XML, MAX_CHARACTERS, sheet_bytes
from vivavoce.files.formats import SourceFile
from vivavoce.files.sources import read_text
from vivavoce.files.tables import ReadOptions, Table, UnsavedFormula
from vivavoce.files.writing import write_bytes, write_text
from vivavoce.files.yamls import Value
from vivavoce.messages import say

SHEET = "x-sheet"
REPEATED = ("scenario", "level", "domain")
EMPTY = say(
    "give a sheet of scenarios: a header with the columns scenario, level and user, and one row for each turn"
)
REMEDY = say("correct these rows and read the file again; docs/scenarios.md lists all columns")


@dataclass(frozen=True)
class SheetRow:
    """The cells of a row by what they mean, and those of columns that mean nothing here by their names."""

    number: int
    cells: dict[str, str]
    others: dict[str, str]


def read_sheet_suite(path: str | Path, *, sheet: str | None = None, encoding: str | None = None) -> Suite:
    """Read a CSV or XLSX file of scenarios."""
    return read_sheet_file(SourceFile(path, ReadOptions(sheet=sheet, encoding=encoding)))


def read_sheet_file(file: SourceFile) -> Suite:
    """Read a CSV or XLSX file of scenarios."""
    table = _read_table(file)
    delimiter = "," if file.ends_in([".xlsx"]) else sniff(read_text(file.path, file.options))
    return suite_from_table(table, str(file.path), delimiter=delimiter)


def holds_scenarios(file: SourceFile) -> bool:
    """Say whether a table has the columns of a sheet of scenarios; other tables may lie in the same folder."""
    if not file.ends_in([".csv", ".xlsx"]):
        return False
    known = find_layout([unguard(name) for name in _read_table(file).columns], [], []).known
    return "scenario" in known and "user" in known


def _read_table(file: SourceFile) -> Table:
    """Read a table; of an empty one say what belongs into a sheet of scenarios."""
    try:
        return file.table
    except EmptyFileError as error:
        raise FileError(error.what, where=error.where, remedy=EMPTY) from None


def suite_from_table(table: Table, source: str, *, delimiter: str = ",") -> Suite:
    """Make a suite of a table as read; raise one `DataError` with all faults."""
    faults = [Fault(fault.message, say("row {number}", number=fault.number)) for fault in table.faults]
    notes = list(table.notes)
    layout = find_layout([unguard(name) for name in table.columns], faults, notes, source)
    suite = Suite("", ())
    if not any(fault.where == "header" for fault in faults):
        rows = _rows(table, layout, faults)
        suite = _suite(rows, layout, source, faults)
        notes += _dropped(rows, suite, source)
    if faults:
        raise DataError(say("these scenarios cannot be read"), where=source, faults=faults, remedy=REMEDY)
    sheet = suite.extras[SHEET]
    if isinstance(sheet, dict) and delimiter != ",":
        sheet["delimiter"] = delimiter
    return replace(suite, notes=tuple(notes))


def _dropped(rows: Sequence[SheetRow], suite: Suite, source: str) -> Iterator[str]:
    """Yield a note on cells of unknown columns that have no turn to stay with."""
    kept = {turn.line for scenario in suite.scenarios for turn in scenario.turns if isinstance(turn, Turn)}
    for row in rows:
        if row.others and row.number not in kept:
            names = ", ".join(f"'{name}'" for name in row.others)
            yield f"{source}, row {row.number}: not kept, as the row says no message: {names}"


def _rows(table: Table, layout: Layout, faults: list[Fault]) -> list[SheetRow]:
    meaning = {name: key for key, name in layout.known.items()}
    rows: list[SheetRow] = []
    for row in table.rows:
        cells: dict[str, str] = {}
        others: dict[str, str] = {}
        for name, cell in zip(layout.names, row.cells, strict=True):
            if isinstance(cell, UnsavedFormula):
                faults.append(Fault(cell.message, say("row {number}", number=row.number)))
            text = cell_text(cell)
            if name in meaning:
                cells[meaning[name]] = text
            elif text:
                others[name] = text
        rows.append(SheetRow(row.number, cells, others))
    return rows


def _suite(rows: Sequence[SheetRow], layout: Layout, source: str, faults: list[Fault]) -> Suite:
    groups = _groups(rows, faults)
    later = [row for group in groups for row in group[1:]]
    # A sheet in which these cells are left blank below the first row is written back in the same way.
    blank = [key for key in REPEATED if later and not any(row.cells.get(key) for row in later)]
    heads = [row.cells[SUITE_ALSO] for row in rows if row.cells.get(SUITE_ALSO)]
    head_at = row_place(source, rows[0].number if rows else 1, faults)
    head: dict[str, Value] = read_json(heads[0], head_at) if heads else {}
    suite = read_suite_value({**head, "scenarios": ""}, head_at)
    scenarios = tuple(_scenario(group, layout, blank, source, faults) for group in groups)
    for scenario in scenarios:
        if scenario.level and scenario.level not in suite.levels:
            message = unknown_level(scenario.level, suite.levels)
            faults.append(Fault(message, say("row {line}", line=scenario.line)))
    sheet: dict[str, object] = {"columns": list(layout.names)}
    if blank:
        sheet["blank"] = blank
    return replace(suite, scenarios=scenarios, source=source, extras={**suite.extras, SHEET: sheet})


def _groups(rows: Sequence[SheetRow], faults: list[Fault]) -> list[list[SheetRow]]:
    """Return the rows of each scenario; a blank cell means the one above."""
    groups: list[list[SheetRow]] = []
    seen: dict[str, int] = {}
    above = ""
    for row in rows:
        name = row.cells["scenario"].strip() or above
        if not name:
            faults.append(Fault(say("the first row must name its scenario"), say("row {number}", number=row.number)))
        elif name == above:
            groups[-1].append(row)
        else:
            if name in seen:
                message = say(
                    "scenario '{name}' began in row {seen}: keep its rows together", name=name, seen=seen[name]
                )
                faults.append(Fault(message, say("row {number}", number=row.number)))
            seen.setdefault(name, row.number)
            groups.append([row])
            above = name
    return groups


def _scenario(
    group: Sequence[SheetRow], layout: Layout, blank: Sequence[str], source: str, faults: list[Fault]
) -> Scenario:
    first = group[0]
    at = row_place(source, first.number, faults)
    content: dict[str, Value] = {"id": first.cells["scenario"].strip(), "level": first.cells["level"].strip()}
    content["domain"] = first.cells.get("domain", "").strip()
    if first.cells.get("title", "").strip():
        content["title"] = first.cells["title"]
    tags: list[Value] = [*split_alternatives(first.cells.get("tags", ""))]
    content["tags"] = tags
    content |= read_json(first.cells.get(SCENARIO_ALSO, ""), at)
    scenario = read_scenario({**content, "turns": ""}, at)
    _refuse_differences(group, faults)
    # Faults of the turns are found first, so that cells are only compared where they could be read.
    steps = [(row, read_row(row.cells, row_place(source, row.number, faults))) for row in group]
    about = scenario_cells(scenario)
    turns = tuple(
        _kept(row, step, plain_row(about, step, row is first, blank), layout) for row, step in steps if step
    )
    if len(group) > 1:
        empty = [row.number for row, step in steps if step is None]
        faults += [
            Fault(say("the cell `user` is empty: what does the visitor write?"), say("row {n}", n=n)) for n in empty
        ]
    return replace(scenario, turns=turns)


def _refuse_differences(group: Sequence[SheetRow], faults: list[Fault]) -> None:
    first = group[0].cells
    for row in group[1:]:
        for key in ("level", "domain", "title", "tags"):
            if row.cells.get(key, "").strip() not in ("", first.get(key, "").strip()):
                message = say(
                    "`{key}` is '{cells}', but '{first}' where the scenario begins",
                    key=key,
                    cells=row.cells[key],
                    first=first.get(key, ""),
                )
                faults.append(Fault(message, say("row {number}", number=row.number)))


def _kept(row: SheetRow, step: Step, usual: dict[str, str], layout: Layout) -> Step:
    """Remember cells that would be written differently, and those of unknown columns."""
    if not isinstance(step, Turn):
        return step
    # Also what would be written into a column that this sheet does not have.
    raw = {
        layout.known.get(key, key): row.cells.get(key, "")
        for key in dict.fromkeys([*layout.known, *usual])
        if row.cells.get(key, "") != usual.get(key, "") and key != SUITE_ALSO
    }
    kept = {**raw, **row.others}
    return replace(step, extras={**step.extras, RAW: kept}) if kept else step


def plain_row(about: Mapping[str, str], step: Step | None, first: bool, blank: Sequence[str]) -> dict[str, str]:
    """Return the cells of a row as they are usually written; `about`, what a scenario is, stands in its first."""
    if not first:
        about = {key: about[key] for key in REPEATED if key in about and key not in blank}
    return {**about, **(step_cells(step) if step else {})}


ABOUT = frozenset({"scenario", "level", "domain", "title", "tags"})
Row = dict[str, str]


def write_sheet_suite(suite: Suite, path: str | Path) -> None:
    """Write a CSV or XLSX file of scenarios."""
    columns, rows = sheet_rows(suite)
    table = [[guard(name) for name in columns]]
    table += [[guard(row.get(name, "")) for name in columns] for row in rows]
    if Path(path).suffix.lower() == ".xlsx":
        _check_cells(table, Path(path))
        write_bytes(path, sheet_bytes("scenarios", [[cell or None for cell in row] for row in table]))
        return
    buffer = io.StringIO(newline="")
    delimiter = str(_remembered(suite).get("delimiter", ","))
    csv.writer(buffer, lineterminator="\r\n", delimiter=delimiter).writerows(table)
    write_text(path, buffer.getvalue())


def sheet_rows(suite: Suite) -> tuple[list[str], list[Row]]:
    """Return the names of the columns and the rows, each by these names."""
    remembered = _remembered(suite)
    names = [str(name) for name in remembered.get("columns", ())]
    known = {column_key(name): name for name in names if column_key(name)}
    rows = [_named(row, raw, known) for row, raw in _all_rows(suite, remembered.get("blank", ()))]
    used = {name for row in rows for name, cell in row.items() if cell}
    usual = ALWAYS if not names else frozenset({"scenario", "level", "user"})
    slots = sorted(name for name in used if name.startswith(SLOT))
    order = [*BEFORE_SLOTS, *slots, *AFTER_SLOTS]
    columns = names + [
        name for name in order if known.get(name, name) not in names and (name in used or name in usual)
    ]
    return [*columns, *sorted(used - set(columns))], rows


def _remembered(suite: Suite) -> Mapping[str, Any]:
    found = suite.extras.get(SHEET)
    return found if isinstance(found, Mapping) else {}


def _all_rows(suite: Suite, blank: Sequence[str]) -> Iterator[tuple[Row, Mapping[str, str]]]:
    """Yield the cells of each row by what they mean, and the cells that were remembered by their names."""
    head = _head(suite)
    for scenario in suite.scenarios:
        about = scenario_cells(scenario)
        steps: Sequence[Step | None] = scenario.turns or (None,)
        for place, step in enumerate(steps):
            cells = plain_row(about, step, place == 0, blank)
            if head:
                cells[SUITE_ALSO], head = head, ""
            raw = step.extras.get(RAW) if isinstance(step, Turn) else None
            yield _restored(cells, raw if isinstance(raw, Mapping) else {}, about, place == 0)


def _head(suite: Suite) -> str:
    """Return what belongs to the whole suite; a name alone is not worth a column."""
    head = head_value(suite)
    head.pop(SHEET, None)
    return write_json(head) if set(head) - {"suite"} else ""


def _restored(cells: Row, raw: Mapping[str, str], about: Row, first: bool) -> tuple[Row, Mapping[str, str]]:
    """Put remembered cells back where they still mean the same: the scenario may have been edited since."""
    known = {column_key(name): text for name, text in raw.items() if column_key(name)}
    ours = {
        key: text
        for key, text in known.items()
        if key in ABOUT
        and (text.strip() == cells.get(key, "").strip() if first else text.strip() in ("", about.get(key, "")))
    }
    turn = {key: text for key, text in known.items() if key not in OF_SCENARIO}
    if turn and _read(cells) != _read({**cells, **turn}):
        turn = {}
    return {**cells, **ours, **turn}, {name: text for name, text in raw.items() if not column_key(name)}


def _read(cells: Row) -> tuple[Step | None, int]:
    faults: list[Fault] = []
    return read_row(cells, row_place("", 0, faults)), len(faults)


def _named(cells: Row, others: Mapping[str, str], known: Mapping[str, str]) -> Row:
    return {**{known.get(key, key): cell for key, cell in cells.items()}, **others}


def _check_cells(table: Sequence[Sequence[str]], target: Path) -> None:
    """Refuse what a workbook cannot hold: a suite must come back from it as it was."""
    for number, row in enumerate(table, 1):
        for text in row:
            what = ""
            if len(text) > MAX_CHARACTERS:
                what = say(
                    "a cell would have {count:,} characters; a workbook holds {max_characters:,}",
                    count=len(text),
                    max_characters=MAX_CHARACTERS,
                )
            elif LOST_IN_XML.search(text):
                what = say("there is a control character, which a workbook cannot hold")
            if what:
                raise DataError(
                    what,
                    where=say("{target}, row {number}", target=target, number=number),
                    remedy=say("write YAML or CSV instead"),
                )
