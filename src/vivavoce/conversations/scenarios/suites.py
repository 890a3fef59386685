"""Suites in and out: a file, a folder or a shipped name in, a file of any form out, with what it cannot say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

from vivavoce import demo
from vivavoce.codec import to_json
from vivavoce.conversations.scenario import LEVELS, Scenario, Suite, Turn
from vivavoce.conversations.scenarios.formats.foreign import READ
from vivavoce.conversations.scenarios.formats.sheet_rows import RAW
from vivavoce.conversations.scenarios.formats.sheets import SHEET
from vivavoce.conversations.transcript import RECORD_FILE
from vivavoce.errors import DataError, Fault, FileError, UsageError, VivaError, nearest, plural
from vivavoce.files.formats import (
    YAML,
    Format,
    Kind,
    SourceFile,
    find_format,
    get_format,
    list_extensions,
    list_formats,
    refuse_format,
)
from vivavoce.files.tables import ReadOptions
from vivavoce.files.yamls import as_mapping, read_yaml
from vivavoce.messages import say

AGENT = "agent"
BOTS = "bots.yaml"
SHOWN = 10
# No file that says anything is this long and blank all the same.
MAX_BLANK_BYTES = 4096


def files_to_read(folder: Path, taken: Sequence[Path], notes: list[str]) -> list[Path]:
    """Return the YAML files and tables of a folder by name, and note the other files; `taken`: those read before."""
    files = sorted(path for path in folder.iterdir() if path.is_file() and path not in taken)
    hidden = [path for path in files if is_hidden(path)]
    blank = [path for path in files if path not in hidden and is_blank(path)]
    rest = [path for path in files if path not in hidden and path not in blank]
    extensions = [
        extension
        for format in list_formats(Kind.SCENARIOS)
        if format.reader and not format.gather
        for extension in format.extensions
    ]
    others = [path for path in rest if not SourceFile(path).ends_in(extensions)]
    notes += [f"{path.name} skipped: it is empty" for path in blank]
    for why, paths in (
        ("hidden file or lock file of an open document", hidden),
        ("neither YAML nor a table", others),
    ):
        names = ", ".join(path.name for path in paths[:SHOWN])
        more = f" and {len(paths) - SHOWN} more" if len(paths) > SHOWN else ""
        notes += [f"skipped, {why}: {names}{more}"] if paths else []
    return [path for path in rest if path not in others and not _is_agent(path)]


def is_hidden(path: Path) -> bool:
    """Tell whether a file is not meant to be seen: spreadsheet programs leave such marks beside open documents."""
    return path.name.startswith((".", "~$"))


def is_blank(path: Path) -> bool:
    """Tell whether a file holds nothing but blanks."""
    try:
        small = path.stat().st_size <= MAX_BLANK_BYTES
        return small and not path.read_bytes().strip(b" \t\r\n\xef\xbb\xbf")
    except OSError:
        return False  # reading it says what is wrong


def tables_of_agents(folder: Path) -> set[str]:
    """Return the names of the tables that agent files of a folder take their facts from."""
    names: set[str] = set()
    for path in filter(_is_agent, folder.iterdir()):
        with suppress(VivaError):  # running the agent says what is wrong
            facts = as_mapping(as_mapping(read_yaml(path).value).get("facts"))
            names |= {Path(str(name)).name for table in facts.values() if (name := as_mapping(table).get("file"))}
    return names


def _is_agent(path: Path) -> bool:
    return path.name.startswith(AGENT) and path.suffix.lower() in YAML


# The formats in which nothing is lost.
OWN = ("yaml", "csv", "xlsx")
# What a folder may say once for all its files.
ONCE = ("title", "language", "notice", "agent", "defaults", "fallback")
NAMED = ("lists", "rows", "parts")


def read_suite(path_or_name: str | Path, *, sheet: str | None = None, encoding: str | None = None) -> Suite:
    """Read scenarios: a YAML, CSV or XLSX file, a folder of them, or the name of a shipped suite.

    Files of Botium (`.convo.txt`) and test stories of Rasa are read too. `sheet`: which sheet of a workbook.
    `encoding`: that of tables which are not UTF-8.
    """
    file = SourceFile(path_or_name, ReadOptions(encoding=encoding, sheet=sheet))
    path, name = file.path, str(path_or_name)
    # The record of a run of a shipped suite may lie in a folder of the same name.
    recorded = name in demo.suites() and (path / RECORD_FILE).is_file()
    if path.is_dir() and not recorded:
        return _read_folder(file)
    if not path.is_dir() and (path.exists() or path.suffix):
        format = find_format(Kind.SCENARIOS, file)
        if format is None:
            raise FileError(
                say("scenarios cannot be read from '{suffix}' files", suffix=file.path.suffix.lower()),
                where=str(file.path),
                remedy=say("use a file that ends in {names}", names=", ".join(list_extensions(Kind.SCENARIOS))),
            )
        return _read(format, file)
    if name in demo.suites():
        # The name is the same on every machine, the path is not.
        return replace(_read_folder(SourceFile(demo.suite_path(name))), name=name, source=name)
    raise FileError(
        say("no file or bundled suite has this name.{nearest}", nearest=nearest(name, demo.suites())),
        where=name,
        remedy=say("pass a file, a folder or a bundled suite: {names}", names=", ".join(demo.suites())),
    )


def write_suite(suite: Suite, path: str | Path) -> None:
    """Write a suite as YAML, CSV or XLSX, whichever the ending of the path says."""
    file = SourceFile(path)
    formats = [format for format in list_formats(Kind.SCENARIOS) if format.writer and format.name in OWN]
    writer = next((format.writer for format in formats if file.ends_in(format.extensions)), None)
    if writer is None:
        extensions = [extension for format in formats for extension in format.extensions]
        raise UsageError(
            say("scenarios cannot be written as '{suffix}'", suffix=file.path.suffix.lower() or path),
            where=str(path),
            remedy=say("use a path that ends in {names}", names=", ".join(extensions)),
        )
    writer(suite, file.path)


def agent_of(suite: Suite) -> str | None:
    """Return the agent file that a suite names: beside the suite, or the name of a shipped one, as it is."""
    if suite.agent is None:
        return None
    source = Path(suite.source)
    if not source.exists() and suite.source in demo.suites():
        source = demo.suite_path(suite.source)
    beside = (source if source.is_dir() else source.parent) / suite.agent
    return str(beside) if beside.is_file() else suite.agent


def _read(format: Format, file: SourceFile) -> Suite:
    if format.reader is None:
        raise refuse_format(format, READ, str(file.path))
    return cast(Suite, format.reader(file))


def _read_folder(folder: SourceFile) -> Suite:
    """Read all files of a folder that hold scenarios, and say which were passed over."""
    notes: list[str] = []
    suites = list(_folder_suites(folder, notes))
    if not suites:
        files = sorted(path for path in folder.path.iterdir() if path.is_file())
        for file in (folder, *(SourceFile(path, folder.options) for path in files)):
            tool = find_format(Kind.SCENARIOS, file, strict=True)
            if tool and tool.reader is None:
                raise refuse_format(tool, READ, str(file.path))
        raise FileError(
            say("this folder contains no scenarios"),
            where=str(folder.path),
            remedy=say("add YAML files with `scenarios:`, or sheets with the columns scenario, level and user"),
            faults=[Fault(note) for note in notes],
        )
    merged = suites[0]
    if len(suites) > 1:
        names = {suite.name for suite in suites}
        merged = merge_suites(suites, names.pop() if len(names) == 1 else folder.path.resolve().name)
    return replace(merged, source=str(folder.path), notes=(*merged.notes, *notes))


def _folder_suites(folder: SourceFile, notes: list[str]) -> Iterator[Suite]:
    taken: list[Path] = []
    for format in list_formats(Kind.SCENARIOS):
        files = format.gather(folder) if format.gather else []
        if files:
            taken += files
            yield _read(format, folder)
    silent = {BOTS, *tables_of_agents(folder.path)}
    for path in files_to_read(folder.path, taken, notes):
        file = SourceFile(path, folder.options)
        tool = find_format(Kind.SCENARIOS, file, strict=True)
        if tool and tool.reader:
            yield _read(tool, file)
        elif path.name not in silent:
            missing = "`scenarios`" if file.ends_in(YAML) else "columns scenario and user"
            why = f"it is {tool.summary}" if tool else f"it has no {missing}"
            notes.append(f"{path.name} skipped: {why}")


def merge_suites(suites: Sequence[Suite], name: str) -> Suite:
    """Put suites together; ids must differ, and what is said twice must be said alike."""
    faults: list[Fault] = []
    once: dict[str, Any] = {key: _merge_value(suites, key, faults) for key in ONCE}
    named: dict[str, Any] = {key: _merge_mapping(suites, key, faults) for key in NAMED}
    extras: dict[str, object] = {}
    for suite in suites:
        extras |= {key: item for key, item in suite.extras.items() if key != SHEET}
    merged = Suite(
        name,
        tuple(scenario for suite in suites for scenario in suite.scenarios),
        **once,
        **named,
        levels=tuple(dict.fromkeys([*LEVELS, *(level for suite in suites for level in suite.levels)])),
        notes=tuple(note for suite in suites for note in suite.notes),
        extras=extras,
    )
    owners: dict[str, str] = {}
    for suite in suites:
        own = {scenario.id: scenario.line for scenario in suite.scenarios}
        for shared in [scenario for scenario in own if scenario in owners]:
            where = say("{source}, line {line}", source=suite.source, line=own[shared])
            message = say("scenario '{name}' also exists in {owners}", name=shared, owners=owners[shared])
            faults.append(Fault(message, where))
        owners |= dict.fromkeys(own, suite.source)
    if faults:
        raise DataError(say("these files conflict"), faults=faults, remedy=say("rename or remove one of the two"))
    return merged


def _merge_value(suites: Sequence[Suite], key: str, faults: list[Fault]) -> object:
    """Return what the files say of the whole suite; those that say nothing agree with the others."""
    usual = getattr(Suite("", ()), key)
    values: dict[str, object] = {}
    for suite in suites:
        value = getattr(suite, key)
        if value != usual and value not in values.values():
            values[suite.source] = value
    if len(values) > 1 and key != "title":
        faults.append(Fault(say("`{key}` differs between {names}", key=key, names=" and ".join(values))))
    return next(iter(values.values()), usual) if key != "title" or len(values) == 1 else usual


def _merge_mapping(suites: Sequence[Suite], key: str, faults: list[Fault]) -> dict[str, object]:
    merged: dict[str, tuple[object, str]] = {}
    for suite in suites:
        for name, value in getattr(suite, key).items():
            before, source = merged.setdefault(name, (value, suite.source))
            if _strip_lines(before) != _strip_lines(value):
                message = say(
                    "'{name}' under `{key}` is defined differently in {source}", name=name, key=key, source=source
                )
                faults.append(Fault(message, suite.source))
    return {name: value for name, (value, _) in merged.items()}


def _strip_lines(value: object) -> object:
    """Return turns without their lines: two files may hold the same part."""
    if not isinstance(value, tuple):
        return value
    return tuple(replace(item, line=None) if isinstance(item, Turn) else item for item in value)


# How a sheet was laid out says nothing about a conversation.
OF_SHEETS = (SHEET, RAW)


@dataclass(frozen=True, slots=True)
class Conversion:
    """What was converted. `notes`: what reading had to leave; `lost`: what could not be written, with counts."""

    form: str
    scenarios: int
    conversations: int
    turns: int
    notes: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()

    @property
    def summary(self) -> str:
        """The size in one sentence."""
        sizes = plural(self.scenarios, "scenario")
        if self.conversations != self.scenarios:
            sizes += f", {plural(self.conversations, 'conversation')}"
        return f"{sizes} with {plural(self.turns, 'turn')}, as {self.form}."

    def to_json(self) -> dict[str, object]:
        """Return all of it as plain JSON."""
        return to_json(self)  # type: ignore[no-any-return]


def form_of(path: Path, wanted: str | None = None) -> str:
    """Return the form that a path asks for by its ending, or the wanted one where they agree."""
    file = SourceFile(path)
    writable = {format.name: format for format in list_formats(Kind.SCENARIOS) if format.writer}
    is_folder = not path.suffix or path.is_dir()
    claims = [name for name, format in writable.items() if _fits(format, file, is_folder)]
    form = wanted or next((name for name in claims if is_folder or writable[name].extensions), "")
    if form not in claims:
        ending = path.suffix.lower()
        what = (
            f"{path} is not a valid path for {form}"
            if form
            else f"the extension '{ending}' does not determine the format"
        )
        files = [extension for format in writable.values() if not format.gather for extension in format.extensions]
        raise UsageError(
            what,
            where=str(path),
            remedy=f"use the extension {', '.join(files)}; Botium needs a folder, Rasa a file ending in .yml",
        )
    return form


def _fits(format: Format, file: SourceFile, is_folder: bool) -> bool:
    """Return whether a format can be written to a path; those that are gathered from a folder go into one."""
    if is_folder or format.gather:
        return is_folder and format.gather is not None
    return file.ends_in(format.extensions or format.also)


def convert_suite(suite: Suite, out: str | Path, form: str) -> Conversion:
    """Write a suite in another form; `form` is the name of a format of scenarios that can be written."""
    format = get_format(Kind.SCENARIOS, form)
    if format.writer is None:
        raise UsageError(f"scenarios cannot be exported as {form}", remedy="choose another format")
    conversations, turns, lost = format.writer(suite, Path(out))
    lost = (*(_note_agent(suite, Path(out)) if form in OWN else _note_losses(suite)), *lost)
    return Conversion(form, len(suite.scenarios), conversations, turns, suite.notes, lost)


def _note_agent(suite: Suite, out: Path) -> Iterator[str]:
    agent = Path(agent_of(suite) or "")
    if suite.agent and agent.is_file() and agent.resolve().parent != out.resolve().parent:
        yield f"the agent file {suite.agent} is not copied: copy it next to {out.name}"


def _note_losses(suite: Suite) -> Iterator[str]:
    """Yield what belongs to no single conversation and has no place in another tool."""
    holders: list[Scenario | Turn] = [*suite.scenarios, *suite.all_turns]
    counts = Counter(key for holder in holders for key in holder.extras if key not in OF_SHEETS)
    for key, count in counts.items():
        yield f"`{key}` on turns and scenarios is not kept: {plural(count, 'place')}"
    for key in suite.extras:
        if key not in OF_SHEETS:
            yield f"`{key}` on the suite is not kept: 1 place"
    notes = sum(bool(scenario.note) for scenario in suite.scenarios)
    if notes:
        yield f"`note` of a scenario is not kept: {plural(notes, 'place')}"
    if suite.agent:
        yield f"the name of the agent file is not kept: {suite.agent}"
    if suite.rows or suite.lists or suite.parts:
        yield "rows, lists and parts are expanded: each conversation is written out in full"
