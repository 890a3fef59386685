"""Botium's files as sections of lines: text, YAML, CSV with a row for each message, and workbooks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from vivavoce.errors import DataError, Fault, FileError
from vivavoce.files.delimited import read_csv
from vivavoce.files.tables import ReadOptions, Table, as_text
from vivavoce.files.xlsx import read_xlsx
from vivavoce.files.yamls import Value, YamlFile, as_list, as_mapping, read_yaml

CONVO = ".convo.txt"
PARTIAL = ".pconvo.txt"
UTTERANCES = ".utterances.txt"
MEMORY = ".scriptingmemory.txt"
ENDINGS = (CONVO, PARTIAL, UTTERANCES, MEMORY)
YAML_KEYS = ("convos", "partialConvos", "utterances", "scriptingMemory")
SECTION = re.compile(r"#(me|bot|begin|end|include)(?:\s+(.*))?", re.IGNORECASE)

Values = dict[str, dict[str, str]]


@dataclass(frozen=True, slots=True)
class Section:
    """One part of a conversation: `me` or `bot` (or begin, end, include), its lines, and where it begins."""

    who: str
    lines: tuple[str, ...]
    line: int


@dataclass(frozen=True)
class Convo:
    """One conversation as Botium writes it."""

    name: str
    sections: tuple[Section, ...]
    source: str
    partial: bool = False
    about: str = ""


@dataclass
class Material:
    """All that was found in the files: conversations, phrase lists, tables of values, and remarks."""

    convos: list[Convo] = field(default_factory=list)
    lists: dict[str, tuple[str, ...]] = field(default_factory=dict)
    tables: list[Values] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def add_list(self, name: str, phrases: Sequence[str], source: str) -> None:
        """Add the phrases of a list; one of the same name grows, as in Botium."""
        if name in self.lists:
            self.notes.append(f"{source}: the list '{name}' already exists; it now contains the phrases of both")
        self.lists[name] = tuple(dict.fromkeys([*self.lists.get(name, ()), *phrases]))


def read_text_file(path: Path, material: Material) -> None:
    """Read one of the text files; refuse what is not UTF-8."""
    try:
        lines = path.read_text(encoding="utf-8-sig").split("\n")
    except OSError as error:
        what = f"cannot read the file: {error.strerror or error}"
        raise FileError(what, where=str(path), remedy="check the path") from error
    except UnicodeDecodeError as error:
        raise FileError("the file is not UTF-8 text", where=str(path), remedy="save the file as UTF-8") from error
    name = path.name.lower()
    if name.endswith((CONVO, PARTIAL)):
        # The name is the first line, else the name of the file.
        start = next((place for place, line in enumerate(lines) if line.strip().startswith("#")), len(lines))
        head = trim([line.strip() for line in lines[:start]]) or (path.name.rsplit(".", 2)[0],)
        sections = tuple(_read_sections(lines, start, path))
        about = "\n".join(head[1:]).strip()
        material.convos.append(Convo(head[0], sections, str(path), name.endswith(PARTIAL), about))
    elif name.endswith(UTTERANCES):
        phrases = [line.strip() for line in lines if line.strip()]
        if not phrases:
            raise FileError("the list of utterances is empty", where=str(path), remedy="start it with its name")
        material.add_list(phrases[0], phrases[1:], path.name)
    else:
        material.tables.append(_read_values(lines))


def _read_sections(lines: Sequence[str], start: int, path: Path) -> Iterator[Section]:
    who, began, held = "", 0, list[str]()
    # The end that is added here closes the last section.
    for number, line in enumerate([*lines[start:], "#end"], start + 1):
        bare = line.strip()
        if not bare.startswith("#"):
            held.append(bare)
            continue
        if who:
            yield Section(who, trim(held), began)
        match = SECTION.fullmatch(bare)
        if match is None:
            raise FileError(
                f"'{bare}' does not start a known section",
                where=f"{path}, line {number}",
                remedy="start sections with #me, #bot, #begin, #end or #include",
            )
        # What follows `#me` on its line names a channel; after `#include` it is what to include.
        who, began = match[1].lower(), number
        held = [match[2]] if match[2] and who == "include" else []


def trim(lines: Sequence[str]) -> tuple[str, ...]:
    """Leave out the empty lines around a text; those within it belong to it."""
    filled = [place for place, line in enumerate(lines) if line.strip()]
    return tuple(lines[filled[0] : filled[-1] + 1]) if filled else ()


def _read_values(lines: Sequence[str]) -> Values:
    """Return a table of values: variables in the first line, then a name and its values in each."""
    rows = [[cell.strip() for cell in line.split("|")] for line in lines if line.strip()]
    names = [name.removeprefix("$") for name in rows[0][1:]] if rows else []
    return {row[0]: {n: value for n, value in zip(names, row[1:], strict=False) if n} for row in rows[1:]}


def holds_botium(file: YamlFile) -> bool:
    """Tell whether a YAML file is one of Botium's."""
    keys = set(as_mapping(file.value))
    return bool(keys & set(YAML_KEYS)) and not keys & {"scenarios", "stories", "test_cases"}


def read_yaml_file(path: Path, material: Material) -> None:
    """Read conversations, phrase lists and values from a YAML file."""
    file = read_yaml(path)
    content = as_mapping(file.value)
    for key in ("convos", "partialConvos"):
        for place, item in enumerate(as_list(content.get(key))):
            convo = as_mapping(item)
            sections = []
            for number, step in enumerate(as_list(convo.get("steps"))):
                line = file.line(key, place, "steps", number)
                for who, lines in as_mapping(step).items():
                    sections.append(Section(who.lower(), trim(list(_yaml_lines(lines))), line))
            name = str(convo.get("name") or f"{path.stem}, line {file.line(key, place)}")
            about, partial = str(convo.get("description", "")), key == "partialConvos"
            material.convos.append(Convo(name, tuple(sections), file.path, partial, about))
    for name, phrases in as_mapping(content.get("utterances")).items():
        material.add_list(name, [str(phrase) for phrase in as_list(phrases)], path.name)
    if "scriptingMemory" in content:
        material.tables.append(_read_values([str(line) for line in as_list(content["scriptingMemory"])]))
    if unknown := [key for key in content if key not in YAML_KEYS]:
        material.notes.append(
            f"{path.name}: not read because Botium does not support it either: {', '.join(unknown)}"
        )


def _yaml_lines(step: Value) -> Iterator[str]:
    """Write a step as the lines of the text form: a mapping is an asserter with its arguments."""
    for item in as_list(step):
        if not isinstance(item, dict):
            yield from str(item).split("\n")
            continue
        named = next(
            (key for key in ("asserter", "logichook", "logicHook", "userinput", "userInput") if key in item), ""
        )
        if named:
            marks = "".join(m for key, m in (("optional", "?"), ("not", "!")) if str(item.get(key)).lower() == "true")
            yield marks + _write_asserter(str(item[named]), item.get("args", []))
        else:
            yield from (_write_asserter(name, arguments) for name, arguments in item.items())


def _write_asserter(name: str, arguments: Value) -> str:
    # In YAML, OPTIONAL_ and NOT_ are words; in text, `?` and `!` stand before the asserter.
    marks = ""
    for word, mark in (("OPTIONAL_", "?"), ("NOT_", "!")):
        if name.startswith(word):
            name, marks = name.removeprefix(word), marks + mark
    joined = "|".join(str(each).replace("|", "\\|").replace("\n", " ") for each in as_list(arguments))
    return f"{marks}{name} {joined}".rstrip()


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
        return any(_find_use(name) == "convo" for name in _list_sheets(path))
    names = tuple(name.strip().lower() for name in read_csv(path, ReadOptions(encoding)).columns)
    return set(MESSAGES) <= set(names) or names in PAIRS or (lists and len(names) == 1)


def read_table_file(path: Path, material: Material, encoding: str | None = None) -> None:
    """Read a CSV or XLSX file."""
    if path.suffix.lower() == ".xlsx":
        for sheet in _list_sheets(path):
            _read_sheet(path, sheet, material)
        return
    table = read_csv(path, ReadOptions(encoding))
    names = [name.strip().lower() for name in table.columns]
    rows = _read_rows(table, path)
    if set(MESSAGES) <= set(names):
        places = [names.index(name) for name in MESSAGES]
        conversations: dict[str, list[Section]] = {}
        for number, cells in rows:
            name, sender, text = (cells[place] for place in places)
            conversations.setdefault(name, []).append(Section(sender.lower(), tuple(text.split("\n")), number))
        partial = path.name.lower().endswith(PARTIAL_CSV)
        material.convos += [
            Convo(name, tuple(sections), str(path), partial) for name, sections in conversations.items()
        ]
    elif len(names) == 1:
        material.add_list(table.columns[0], [cells[0] for _, cells in rows], path.name)
    else:
        material.convos += _read_pairs(rows, path.stem, path)


def _read_sheet(path: Path, sheet: str, material: Material) -> None:
    use = _find_use(sheet)
    if not use:
        material.notes.append(f"{path.name}: sheet '{sheet}' skipped; its name does not state its use")
        return
    table = read_xlsx(path, ReadOptions(sheet=sheet))
    rows = _read_rows(table, path)
    if use == "convo":
        material.convos += _read_pairs(rows, sheet, path)
    elif use == "partial":
        # Botium names a part by its sheet and the cell where it begins: so it is included.
        material.convos += [
            replace(part, name=f"{sheet}-A{part.sections[0].line:03d}", partial=True)
            for part in _read_pairs(rows, sheet, path)
        ]
    elif use == "utter":
        lists: dict[str, list[str]] = {}
        name = ""
        for _, cells in rows:
            code, phrase = (*cells, "", "")[:2]
            name = code or name
            lists.setdefault(name, []).extend([phrase] if phrase else [])
        for code, phrases in lists.items():
            material.add_list(code, phrases, path.name)
    else:
        material.tables.append(
            _read_values(["|".join(cells) for cells in (table.columns, *(row for _, row in rows))])
        )


def _find_use(sheet: str) -> str:
    return next((use for word, use in SHEETS.items() if word in sheet.lower()), "")


def _list_sheets(path: Path) -> list[str]:
    read_xlsx(path, ReadOptions())  # refuses what is damaged or built to fill the memory
    from openpyxl import load_workbook  # heavy: only when a workbook is read

    book = load_workbook(path, read_only=True)
    try:
        return [str(page.title) for page in book.worksheets]
    finally:
        book.close()


def _read_rows(table: Table, path: Path) -> list[Cells]:
    if table.faults:
        faults = [Fault(fault.message, f"row {fault.number}") for fault in table.faults]
        raise DataError("these rows are invalid", where=str(path), faults=faults, remedy="fix them")
    return [(row.number, [as_text(cell).strip() for cell in row.cells]) for row in table.rows]


def _read_pairs(rows: list[Cells], name: str, path: Path) -> list[Convo]:
    """Return conversations: a blank row ends one, two end all; a row with both cells is a conversation."""
    conversations: list[list[Section]] = []
    before, paired = 0, True
    for number, cells in rows:
        if before and number - before > 2:
            break
        message, answer = (*cells, "", "")[:2]
        if not conversations or number - before > 1 or paired or (message and answer):
            conversations.append([])
        conversations[-1] += [
            Section(who, tuple(text.split("\n")), number) for who, text in (("me", message), ("bot", answer)) if text
        ]
        before, paired = number, bool(message and answer)
    return [Convo(f"{name}-{place}", tuple(own), str(path)) for place, own in enumerate(conversations, 1)]
