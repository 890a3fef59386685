"""Scenarios in a sheet, one row for each turn, read: columns by name in any order, all faults at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from vivavoce.conversations.scenario import Scenario, Step, Suite, Turn
from vivavoce.conversations.scenarios.formats.sheet_cells import (
    SCENARIO_ALSO,
    SUITE_ALSO,
    Layout,
    cell_text,
    find_layout,
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
)
from vivavoce.conversations.scenarios.formats.yaml_reading import read_scenario, read_suite_value, unknown_level
from vivavoce.errors import DataError, Fault, FileError
from vivavoce.files.delimited import sniff
from vivavoce.files.formats import SourceFile
from vivavoce.files.sources import read_text
from vivavoce.files.tables import ReadOptions, Table, UnsavedFormula
from vivavoce.files.yamls import Value

SHEET = "x-sheet"
REPEATED = ("scenario", "level", "domain")
EMPTY = "give a sheet of scenarios: a header with the columns scenario, level and user, and one row for each turn"
REMEDY = "correct these rows and read the file again; docs/scenarios.md lists all columns"


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
    except FileError as error:
        if "empty" not in error.what:
            raise
        raise FileError(error.what, where=error.where, remedy=EMPTY) from None


def suite_from_table(table: Table, source: str, *, delimiter: str = ",") -> Suite:
    """Make a suite of a table as read; raise one `DataError` with all faults."""
    faults = [Fault(fault.message, f"row {fault.number}") for fault in table.faults]
    notes = list(table.notes)
    layout = find_layout([unguard(name) for name in table.columns], faults, notes, source)
    suite = Suite("", ())
    if not any(fault.where == "header" for fault in faults):
        rows = _rows(table, layout, faults)
        suite = _suite(rows, layout, source, faults)
        notes += _dropped(rows, suite, source)
    if faults:
        raise DataError("these scenarios cannot be read", where=source, faults=faults, remedy=REMEDY)
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
                faults.append(Fault(cell.message, f"row {row.number}"))
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
            faults.append(Fault(message, f"row {scenario.line}"))
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
            faults.append(Fault("the first row must name its scenario", f"row {row.number}"))
        elif name == above:
            groups[-1].append(row)
        else:
            if name in seen:
                message = f"scenario '{name}' began in row {seen[name]}: keep its rows together"
                faults.append(Fault(message, f"row {row.number}"))
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
        faults += [Fault("the cell `user` is empty: what does the visitor write?", f"row {n}") for n in empty]
    return replace(scenario, turns=turns)


def _refuse_differences(group: Sequence[SheetRow], faults: list[Fault]) -> None:
    first = group[0].cells
    for row in group[1:]:
        for key in ("level", "domain", "title", "tags"):
            if row.cells.get(key, "").strip() not in ("", first.get(key, "").strip()):
                message = f"`{key}` is '{row.cells[key]}', but '{first.get(key, '')}' where the scenario begins"
                faults.append(Fault(message, f"row {row.number}"))


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
