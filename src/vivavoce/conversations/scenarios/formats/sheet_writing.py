"""Scenarios into a sheet, one row for each turn: a cell that came from a sheet goes back as it was."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from vivavoce.conversations.scenario import Step, Suite, Turn
from vivavoce.conversations.scenarios.formats.sheet_cells import (
    AFTER_SLOTS,
    ALWAYS,
    BEFORE_SLOTS,
    OF_SCENARIO,
    SLOT,
    SUITE_ALSO,
    column_key,
    guard,
)
from vivavoce.conversations.scenarios.formats.sheet_reading import SHEET, plain_row
from vivavoce.conversations.scenarios.formats.sheet_rows import RAW, read_row, row_place, scenario_cells, write_json
from vivavoce.conversations.scenarios.formats.yaml_writing import head_value
from vivavoce.errors import DataError, Fault
from vivavoce.files.exports import LOST_IN_XML, MAX_CHARACTERS, sheet_bytes
from vivavoce.files.writing import write_bytes, write_text

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
        if key in ABOUT and _same(text, cells.get(key, ""), about.get(key, ""), first)
    }
    turn = {key: text for key, text in known.items() if key not in OF_SCENARIO}
    if turn and _read(cells) != _read({**cells, **turn}):
        turn = {}
    return {**cells, **ours, **turn}, {name: text for name, text in raw.items() if not column_key(name)}


def _same(text: str, usual: str, about: str, first: bool) -> bool:
    return text.strip() == usual.strip() if first else text.strip() in ("", about)


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
                what = f"a cell would have {len(text):,} characters; a workbook holds {MAX_CHARACTERS:,}"
            elif LOST_IN_XML.search(text):
                what = "there is a control character, which a workbook cannot hold"
            if what:
                raise DataError(what, where=f"{target}, row {number}", remedy="write YAML or CSV instead")
