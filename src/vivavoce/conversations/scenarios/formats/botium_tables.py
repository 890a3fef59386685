"""Botium scripts in tables: CSV with a row for each message, workbooks with the columns User and Bot."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from vivavoce.conversations.scenarios.formats.botium_text import Convo, Material, Section, memory_table
from vivavoce.errors import DataError, Fault
from vivavoce.files.delimited import read_csv
from vivavoce.files.tables import ReadOptions, Table, as_text
from vivavoce.files.xlsx import read_xlsx

MESSAGES = ("conversationid", "sender", "text")
PAIRS = (("user", "bot"), ("question", "answer"))
PARTIAL_CSV = ".pconvo.csv"
CONVO_CSV = ".convo.csv"
# Sheets are told by their names, as Botium does: the first that fits.
SHEETS = {
    "partial": "partial",
    "convo": "convo",
    "dialog": "convo",
    "utter": "utter",
    "script": "memory",
    "memory": "memory",
}

Cells = tuple[int, list[str]]


def holds_table(path: Path, *, lists: bool = False, encoding: str | None = None) -> bool:
    """Tell whether a CSV or XLSX file is one of Botium's; `lists`: one column alone is a phrase list."""
    if path.suffix.lower() == ".xlsx":
        return any(_use_of(name) == "convo" for name in _sheets(path))
    names = tuple(name.strip().lower() for name in read_csv(path, ReadOptions(encoding)).columns)
    return set(MESSAGES) <= set(names) or names in PAIRS or (lists and len(names) == 1)


def read_table_file(path: Path, material: Material, encoding: str | None = None) -> None:
    """Read a CSV or XLSX file."""
    if path.suffix.lower() == ".xlsx":
        _read_workbook(path, material)
        return
    table = read_csv(path, ReadOptions(encoding))
    names = [name.strip().lower() for name in table.columns]
    rows = _rows(table, path)
    if set(MESSAGES) <= set(names):
        convos = list(_messages(rows, [names.index(name) for name in MESSAGES], path))
        partial = path.name.lower().endswith(PARTIAL_CSV)
        material.convos += [replace(convo, partial=partial) for convo in convos]
    elif len(names) == 1:
        material.add_list(table.columns[0], [cells[0] for _, cells in rows], path.name)
    else:
        material.convos += _pairs(rows, path.stem, path)


def _read_workbook(path: Path, material: Material) -> None:
    for sheet in _sheets(path):
        use = _use_of(sheet)
        if not use:
            material.notes.append(f"{path.name}: the sheet '{sheet}' was passed over; its name tells no use")
            continue
        table = read_xlsx(path, ReadOptions(sheet=sheet))
        rows = _rows(table, path)
        if use == "convo":
            material.convos += _pairs(rows, sheet, path)
        elif use == "partial":
            # Botium names a part by its sheet and the cell where it begins: so it is included.
            material.convos += [
                replace(part, name=f"{sheet}-A{part.sections[0].line:03d}", partial=True)
                for part in _pairs(rows, sheet, path)
            ]
        elif use == "utter":
            _add_lists(rows, path, material)
        else:
            lines = ["|".join(table.columns), *("|".join(cells) for _, cells in rows)]
            material.tables.append(memory_table(lines))


def _use_of(sheet: str) -> str:
    return next((use for word, use in SHEETS.items() if word in sheet.lower()), "")


def _sheets(path: Path) -> list[str]:
    read_xlsx(path, ReadOptions())  # refuses what is damaged or built to fill the memory
    from openpyxl import load_workbook  # heavy: only when a workbook is read

    book = load_workbook(path, read_only=True)
    try:
        return [str(page.title) for page in book.worksheets]
    finally:
        book.close()


def _rows(table: Table, path: Path) -> list[Cells]:
    if table.faults:
        faults = [Fault(fault.message, f"row {fault.number}") for fault in table.faults]
        raise DataError("these rows cannot be read", where=str(path), faults=faults, remedy="correct them")
    return [(row.number, [as_text(cell).strip() for cell in row.cells]) for row in table.rows]


def _messages(rows: list[Cells], places: list[int], path: Path) -> Iterator[Convo]:
    talks: dict[str, list[Section]] = {}
    for number, cells in rows:
        name, sender, text = (cells[place] for place in places)
        talks.setdefault(name, []).append(Section(sender.lower(), tuple(text.split("\n")), number))
    yield from (Convo(name, tuple(sections), str(path)) for name, sections in talks.items())


def _pairs(rows: list[Cells], name: str, path: Path) -> Iterator[Convo]:
    """Yield conversations: a blank row ends one, two end all; a row with both cells is one by itself."""
    talks: list[list[Section]] = []
    before, paired = 0, True
    for number, cells in rows:
        if before and number - before > 2:
            break
        said, answer = (*cells, "", "")[:2]
        if not talks or number - before > 1 or paired or (said and answer):
            talks.append([])
        talks[-1] += [
            Section(who, tuple(text.split("\n")), number) for who, text in (("me", said), ("bot", answer)) if text
        ]
        before, paired = number, bool(said and answer)
    yield from (Convo(f"{name}-{place}", tuple(talk), str(path)) for place, talk in enumerate(talks, 1))


def _add_lists(rows: list[Cells], path: Path, material: Material) -> None:
    found: dict[str, list[str]] = {}
    name = ""
    for _, cells in rows:
        code, phrase = (*cells, "", "")[:2]
        name = code or name
        found.setdefault(name, []).extend([phrase] if phrase else [])
    for code, phrases in found.items():
        material.add_list(code, phrases, path.name)
