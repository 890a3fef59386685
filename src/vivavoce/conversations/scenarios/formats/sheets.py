"""Scenarios in a sheet, one row for each turn: columns by name in any order, all faults at once.

A cell that came from a sheet goes back as it was.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from vivavoce.conversations.scenario import Scenario, Step, Suite, Turn
from vivavoce.conversations.scenarios.formats.sheet_rows import (
    AFTER_SLOTS,
    BEFORE_SLOTS,
    RAW,
    SCENARIO_ALSO,
    SLOT,
    SUITE_ALSO,
    cell_text,
    column_key,
    find_columns,
    guard,
    read_json,
    read_row,
    row_place,
    scenario_cells,
    split_alternatives,
    step_cells,
    unguard,
    write_json,
)
from vivavoce.conversations.scenarios.formats.yaml_fields import Place
from vivavoce.conversations.scenarios.formats.yaml_reading import (
    describe_unknown_level,
    read_scenario,
    read_suite_value,
)
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
ABOUT = (*REPEATED, "title", "tags")
# Further columns are written where a cell is filled.
NEEDED = frozenset({"scenario", "level", "user"})
USUAL = frozenset((*BEFORE_SLOTS, "note")) - {"title", "tags", "kind"}
EMPTY = say("use a sheet with the columns scenario, level and user, and one row per turn")
REMEDY = say("fix these rows and try again; docs/scenarios.md lists all columns")
Row = dict[str, str]


@dataclass(frozen=True)
class SheetRow:
    """The cells of a row by what they mean, and those of columns that mean nothing here by their names."""

    number: int
    cells: Row
    others: Row


def read_sheet_suite(path: str | Path, *, sheet: str | None = None, encoding: str | None = None) -> Suite:
    """Read a CSV or XLSX file of scenarios."""
    return read_sheet_file(SourceFile(path, ReadOptions(sheet=sheet, encoding=encoding)))


def read_sheet_file(file: SourceFile) -> Suite:
    """Read a CSV or XLSX file of scenarios; raise one `DataError` with all faults."""
    reader = _Reader(_read_table(file), str(file.path))
    suite = Suite("", ())
    if not any(fault.where == "header" for fault in reader.faults):
        suite = reader.read_suite()
    if reader.faults:
        where = str(file.path)
        raise DataError(say("these scenarios are invalid"), where=where, faults=reader.faults, remedy=REMEDY)
    sheet = suite.extras[SHEET]
    delimiter = "," if file.ends_in([".xlsx"]) else sniff(read_text(file.path, file.options))
    if isinstance(sheet, dict) and delimiter != ",":
        sheet["delimiter"] = delimiter
    return replace(suite, notes=tuple(reader.notes))


def holds_scenarios(file: SourceFile) -> bool:
    """Say whether a table has the columns of a sheet of scenarios; other tables may lie in the same folder."""
    if not file.ends_in([".csv", ".xlsx"]):
        return False
    return {"scenario", "user"} <= {column_key(unguard(name)) for name in _read_table(file).columns}


def _read_table(file: SourceFile) -> Table:
    """Read a table; of an empty one say what belongs into a sheet of scenarios."""
    try:
        return file.table
    except EmptyFileError as error:
        raise FileError(error.what, where=error.where, remedy=EMPTY) from None


class _Reader:
    """Makes a suite of a table; collects all faults."""

    def __init__(self, table: Table, source: str) -> None:
        self.table = table
        self.source = source
        self.faults: list[Fault] = []
        self.notes = list(table.notes)
        for fault in table.faults:
            self.refuse(fault.message, fault.number)
        self.names = [unguard(name) for name in table.columns]
        self.columns = find_columns(self.names, self.faults, self.notes, source)
        self.blank: list[str] = []

    def refuse(self, message: str, number: int | None) -> None:
        self.faults.append(Fault(message, say("row {number}", number=number)))

    def place(self, row: SheetRow) -> Place:
        return row_place(self.source, row.number, self.faults)

    def read_suite(self) -> Suite:
        rows = self.read_rows()
        groups = self.group_rows(rows)
        later = [row for group in groups for row in group[1:]]
        # A sheet in which these cells are left blank below the first row is written back in the same way.
        self.blank = [key for key in REPEATED if later and not any(row.cells.get(key) for row in later)]
        heads = [row.cells[SUITE_ALSO] for row in rows if row.cells.get(SUITE_ALSO)]
        at = self.place(rows[0] if rows else SheetRow(1, {}, {}))
        head: dict[str, Value] = read_json(heads[0], at) if heads else {}
        suite = read_suite_value({**head, "scenarios": ""}, at)
        scenarios = tuple(self.read_scenario(group) for group in groups)
        for scenario in scenarios:
            if scenario.level and scenario.level not in suite.levels:
                self.refuse(describe_unknown_level(scenario.level, suite.levels), scenario.line)
        used_lines = {turn.line for scenario in scenarios for turn in scenario.turns if isinstance(turn, Turn)}
        for row in rows:
            if row.others and row.number not in used_lines:
                names = ", ".join(f"'{name}'" for name in row.others)
                self.notes.append(
                    f"{self.source}, row {row.number}: not kept because the row has no message: {names}"
                )
        sheet: dict[str, object] = {"columns": self.names}
        if self.blank:
            sheet["blank"] = self.blank
        return replace(suite, scenarios=scenarios, source=self.source, extras={**suite.extras, SHEET: sheet})

    def read_rows(self) -> list[SheetRow]:
        meaning = {name: key for key, name in self.columns.items()}
        rows: list[SheetRow] = []
        for row in self.table.rows:
            cells: Row = {}
            others: Row = {}
            for name, cell in zip(self.names, row.cells, strict=True):
                if isinstance(cell, UnsavedFormula):
                    self.refuse(cell.message, row.number)
                text = cell_text(cell)
                if name in meaning:
                    cells[meaning[name]] = text
                elif text:
                    others[name] = text
            rows.append(SheetRow(row.number, cells, others))
        return rows

    def group_rows(self, rows: Sequence[SheetRow]) -> list[list[SheetRow]]:
        """Return the rows of each scenario; a blank cell means the one above."""
        groups: list[list[SheetRow]] = []
        seen: dict[str, int] = {}
        above = ""
        for row in rows:
            name = row.cells["scenario"].strip() or above
            if not name:
                self.refuse(say("the first row must name a scenario"), row.number)
            elif name == above:
                groups[-1].append(row)
            else:
                if name in seen:
                    before = seen[name]
                    message = say(
                        "scenario '{name}' started in row {seen}: keep its rows together", name=name, seen=before
                    )
                    self.refuse(message, row.number)
                seen.setdefault(name, row.number)
                groups.append([row])
                above = name
        return groups

    def read_scenario(self, group: Sequence[SheetRow]) -> Scenario:
        first = group[0]
        tags: list[Value] = [*split_alternatives(first.cells.get("tags", ""))]
        content: dict[str, Value] = {
            "id": first.cells["scenario"].strip(),
            "level": first.cells["level"].strip(),
            "domain": first.cells.get("domain", "").strip(),
            "tags": tags,
        }
        if first.cells.get("title", "").strip():
            content["title"] = first.cells["title"]
        at = self.place(first)
        scenario = read_scenario({**content, **read_json(first.cells.get(SCENARIO_ALSO, ""), at), "turns": ""}, at)
        self.refuse_differences(group)
        # Faults of the turns are found first, so that cells are only compared where they could be read.
        steps = [(row, read_row(row.cells, self.place(row))) for row in group]
        about = scenario_cells(scenario)
        turns = tuple(
            self.keep_cells(row, step, plain_row(about, step, row is first, self.blank))
            for row, step in steps
            if step
        )
        for row, step in steps if len(group) > 1 else ():
            if step is None:
                self.refuse(say("the cell `user` is empty: enter what the visitor writes"), row.number)
        return replace(scenario, turns=turns)

    def refuse_differences(self, group: Sequence[SheetRow]) -> None:
        first = group[0].cells
        for row in group[1:]:
            for key in ABOUT[1:]:
                if row.cells.get(key, "").strip() not in ("", first.get(key, "").strip()):
                    message = say(
                        "`{key}` is '{cells}', but '{first}' in the scenario's first row",
                        key=key,
                        cells=row.cells[key],
                        first=first.get(key, ""),
                    )
                    self.refuse(message, row.number)

    def keep_cells(self, row: SheetRow, step: Step, usual: Row) -> Step:
        """Remember cells that would be written differently, and those of unknown columns."""
        if not isinstance(step, Turn):
            return step
        # Also what would be written into a column that this sheet does not have.
        raw = {
            self.columns.get(key, key): row.cells.get(key, "")
            for key in dict.fromkeys([*self.columns, *usual])
            if row.cells.get(key, "") != usual.get(key, "") and key != SUITE_ALSO
        }
        cells = {**raw, **row.others}
        return replace(step, extras={**step.extras, RAW: cells}) if cells else step


def plain_row(about: Mapping[str, str], step: Step | None, first: bool, blank: Sequence[str]) -> Row:
    """Return the cells of a row as they are usually written; the first has `about`, what a scenario is."""
    if not first:
        about = {key: about[key] for key in REPEATED if key in about and key not in blank}
    return {**about, **(step_cells(step) if step else {})}


def write_sheet_suite(suite: Suite, path: str | Path) -> None:
    """Write a CSV or XLSX file of scenarios."""
    sheet = suite.extras.get(SHEET)
    layout: Mapping[str, Any] = sheet if isinstance(sheet, Mapping) else {}
    columns, rows = _build_rows(suite, layout)
    table = [[guard(name) for name in columns]]
    table += [[guard(row.get(name, "")) for name in columns] for row in rows]
    if Path(path).suffix.lower() == ".xlsx":
        # Refuse what a workbook cannot hold: a suite must come back from it as it was.
        target = Path(path)
        for number, row in enumerate(table, 1):
            for text in row:
                what = ""
                if len(text) > MAX_CHARACTERS:
                    what = say(
                        "a cell would have {count:,} characters; workbooks allow {max_characters:,}",
                        count=len(text),
                        max_characters=MAX_CHARACTERS,
                    )
                elif LOST_IN_XML.search(text):
                    what = say("the text contains a control character, which workbooks do not allow")
                if what:
                    where = say("{target}, row {number}", target=target, number=number)
                    raise DataError(what, where=where, remedy=say("write YAML or CSV instead"))
        write_bytes(path, sheet_bytes("scenarios", [[cell or None for cell in row] for row in table]))
        return
    buffer = io.StringIO(newline="")
    delimiter = str(layout.get("delimiter", ","))
    csv.writer(buffer, lineterminator="\r\n", delimiter=delimiter).writerows(table)
    write_text(path, buffer.getvalue())


def _build_rows(suite: Suite, layout: Mapping[str, Any]) -> tuple[list[str], list[Row]]:
    """Return the names of the columns and the rows, each by these names."""
    names = [str(name) for name in layout.get("columns", ())]
    known = {column_key(name): name for name in names if column_key(name)}
    head = head_value(suite)
    head.pop(SHEET, None)
    # A name alone is not worth a column.
    also = write_json(head) if set(head) - {"suite"} else ""
    rows: list[Row] = []
    for scenario in suite.scenarios:
        about = scenario_cells(scenario)
        for place, step in enumerate(scenario.turns or (None,)):
            cells = plain_row(about, step, place == 0, layout.get("blank", ()))
            if also:
                cells[SUITE_ALSO], also = also, ""
            raw = step.extras.get(RAW) if isinstance(step, Turn) else None
            raw_cells: Mapping[str, str] = raw if isinstance(raw, Mapping) else {}
            cells = _restore_cells(cells, raw_cells, about, place == 0)
            row = {known.get(key, key): cell for key, cell in cells.items()}
            rows.append(row | {name: text for name, text in raw_cells.items() if not column_key(name)})
    used = {name for row in rows for name, cell in row.items() if cell}
    needed = used | (NEEDED if names else USUAL)
    slots = sorted(name for name in used if name.startswith(SLOT))
    order = [*BEFORE_SLOTS, *slots, *AFTER_SLOTS]
    columns = names + [name for name in order if known.get(name, name) not in names and name in needed]
    return [*columns, *sorted(used - set(columns))], rows


def _restore_cells(cells: Row, raw_cells: Mapping[str, str], about: Row, first: bool) -> Row:
    """Put remembered cells back where they still mean the same: the scenario may have been edited since."""
    known = {column_key(name): text for name, text in raw_cells.items()}
    own = {
        key: known[key]
        for key in ABOUT
        if key in known
        and known[key].strip() in ([cells.get(key, "").strip()] if first else ["", about.get(key, "")])
    }
    turn = {key: text for key, text in known.items() if key not in ("", *ABOUT, SCENARIO_ALSO, SUITE_ALSO)}
    if turn and _read_again(cells) != _read_again({**cells, **turn}):
        turn = {}
    return {**cells, **own, **turn}


def _read_again(cells: Row) -> tuple[Step | None, int]:
    faults: list[Fault] = []
    return read_row(cells, row_place("", 0, faults)), len(faults)
