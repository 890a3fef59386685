"""Suites in and out: a file, a folder or a shipped name in, a file out; the ending says which form."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from vivavoce import demo
from vivavoce.conversations.scenario import LEVELS, Suite, Turn
from vivavoce.conversations.scenarios.folders import BOTS, files_to_read, tables_of_agents
from vivavoce.conversations.scenarios.formats.foreign import READ
from vivavoce.conversations.scenarios.formats.sheets import SHEET
from vivavoce.conversations.transcript import RECORD_FILE
from vivavoce.errors import DataError, Fault, FileError, UsageError, nearest
from vivavoce.files.formats import (
    YAML,
    Format,
    Kind,
    SourceFile,
    find_format,
    list_extensions,
    list_formats,
    refuse_format,
)
from vivavoce.files.tables import ReadOptions
from vivavoce.messages import say

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
        return _read_file(file)
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


def _read_file(file: SourceFile) -> Suite:
    format = find_format(Kind.SCENARIOS, file)
    if format is None:
        raise FileError(
            say("scenarios cannot be read from '{suffix}' files", suffix=file.path.suffix.lower()),
            where=str(file.path),
            remedy=say("use a file that ends in {names}", names=", ".join(list_extensions(Kind.SCENARIOS))),
        )
    return _read(format, file)


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
