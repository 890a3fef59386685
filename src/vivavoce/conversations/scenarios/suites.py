"""Suites in and out: a file, a folder or a shipped name in, a file out; the ending says which form."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from vivavoce import demo
from vivavoce.conversations.scenario import LEVELS, Suite, Turn
from vivavoce.conversations.scenarios.folders import BOTS, SHEETS, YAML, files_to_read, tables_of_agents
from vivavoce.conversations.scenarios.foreign import recognise, refusal
from vivavoce.conversations.scenarios.formats.sheet_reading import SHEET, is_sheet_of_scenarios, read_sheet_suite
from vivavoce.conversations.scenarios.formats.sheet_writing import write_sheet_suite
from vivavoce.conversations.scenarios.formats.yaml_reading import suite_from_yaml
from vivavoce.conversations.scenarios.formats.yaml_writing import write_yaml_suite
from vivavoce.conversations.transcript import RECORD_FILE
from vivavoce.errors import DataError, Fault, FileError, UsageError, nearest
from vivavoce.files.tables import ReadOptions
from vivavoce.files.yamls import YamlFile, as_mapping, read_yaml

BOTIUM = ".convo.txt"
OURS = frozenset({"scenarios", "suite", "parts", "lists"})
RASA = frozenset({"stories", "test_cases"})
# What a folder may say once for all its files.
ONCE = ("title", "language", "notice", "agent", "defaults", "fallback")
NAMED = ("lists", "rows", "parts")
PLAIN = ReadOptions()


def read_suite(path_or_name: str | Path, *, sheet: str | None = None, encoding: str | None = None) -> Suite:
    """Read scenarios: a YAML, CSV or XLSX file, a folder of them, or the name of a shipped suite.

    Files of Botium (`.convo.txt`) and test stories of Rasa are read too. `sheet`: which sheet of a workbook.
    `encoding`: that of tables which are not UTF-8.
    """
    options = ReadOptions(encoding=encoding, sheet=sheet)
    path = Path(path_or_name)
    # The record of a run of a shipped suite may lie in a folder of the same name.
    recorded = str(path_or_name) in demo.suites() and (path / RECORD_FILE).is_file()
    if path.is_dir() and not recorded:
        return _read_folder(path, options)
    if not path.is_dir() and (path.exists() or path.suffix):
        return _read_file(path, options)
    if str(path_or_name) in demo.suites():
        # The name is the same on every machine, the path is not.
        name = str(path_or_name)
        return replace(_read_folder(demo.suite_path(name), ReadOptions()), name=name, source=name)
    raise FileError(
        f"there is neither a file nor a shipped suite of this name.{nearest(str(path_or_name), demo.suites())}",
        where=str(path_or_name),
        remedy=f"give a file or a folder, or one of the shipped suites: {', '.join(demo.suites())}",
    )


def write_suite(suite: Suite, path: str | Path) -> None:
    """Write a suite as YAML, CSV or XLSX, whichever the ending of the path says."""
    writers: dict[str, Callable[[Suite, str | Path], None]] = {
        **dict.fromkeys(YAML, write_yaml_suite),
        **dict.fromkeys(SHEETS, write_sheet_suite),
    }
    ending = Path(path).suffix.lower()
    if ending not in writers:
        raise UsageError(
            f"scenarios cannot be written as '{ending or path}'",
            where=str(path),
            remedy=f"give a path that ends in {', '.join(writers)}",
        )
    writers[ending](suite, path)


def agent_of(suite: Suite) -> str | None:
    """Return the agent file that a suite names: beside the suite, or the name of a shipped one, as it is."""
    if suite.agent is None:
        return None
    source = Path(suite.source)
    if not source.exists() and suite.source in demo.suites():
        source = demo.suite_path(suite.source)
    beside = (source if source.is_dir() else source.parent) / suite.agent
    return str(beside) if beside.is_file() else suite.agent


def _read_file(path: Path, options: ReadOptions) -> Suite:
    if path.name.lower().endswith(BOTIUM):
        return _read_botium(path)
    ending = path.suffix.lower()
    if ending in SHEETS:
        suite = _read_table(path, options)
        if suite is None:
            _refuse_foreign(path, options)
        return suite or read_sheet_suite(path, sheet=options.sheet, encoding=options.encoding)
    if ending not in YAML:
        _refuse_foreign(path, options)
        raise FileError(
            f"scenarios are not read from '{ending}' files",
            where=str(path),
            remedy=f"give a file that ends in {', '.join((*YAML, *SHEETS, BOTIUM))}",
        )
    file = read_yaml(path)
    if _is_botium_yaml(file):
        return _read_botium(path)
    if _is_rasa(file):
        return _read_rasa(path)
    if kind := recognise(path, value=file.value):
        raise refusal(kind, str(path))
    return suite_from_yaml(file)


def _refuse_foreign(path: Path, options: ReadOptions) -> None:
    if kind := recognise(path, encoding=options.encoding):
        raise refusal(kind, str(path))


def _read_folder(folder: Path, options: ReadOptions) -> Suite:
    """Read all files of a folder that hold scenarios, and say which were passed over."""
    notes: list[str] = []
    suites = list(_folder_suites(folder, options, notes))
    if not suites:
        for path in (folder, *sorted(path for path in folder.iterdir() if path.is_file())):
            _refuse_foreign(path, options)
        raise FileError(
            "there are no scenarios in this folder",
            where=str(folder),
            remedy="put files with `scenarios:` there (YAML), or sheets with the columns scenario, level and user",
            faults=[Fault(note) for note in notes],
        )
    names = {suite.name for suite in suites}
    merged = (
        suites[0]
        if len(suites) == 1
        else merge_suites(suites, names.pop() if len(names) == 1 else folder.resolve().name)
    )
    return replace(merged, source=str(folder), notes=(*merged.notes, *notes))


def _folder_suites(folder: Path, options: ReadOptions, notes: list[str]) -> Iterator[Suite]:
    scripts = _find_botium(folder, options)
    if scripts:
        yield _read_botium(folder, options)
    silent = {BOTS, *tables_of_agents(folder)}
    for path in files_to_read(folder, scripts, notes):
        is_yaml = path.suffix.lower() in YAML
        suite = _folder_yaml(path) if is_yaml else _read_table(path, options)
        if suite is not None:
            yield suite
        elif path.name not in silent:
            kind = recognise(path, encoding=options.encoding)
            reason = "it has no `scenarios`" if is_yaml else "it has no columns scenario and user"
            notes.append(f"{path.name} was passed over: {f'it is {kind.what}' if kind else reason}")


def _folder_yaml(path: Path) -> Suite | None:
    file = read_yaml(path)
    if _is_rasa(file):
        return _read_rasa(path)
    if _is_botium_yaml(file):
        return _read_botium(path)
    keys = set(as_mapping(file.value))
    return suite_from_yaml(file) if OURS & keys and not recognise(path, value=file.value) else None


def _read_table(path: Path, options: ReadOptions) -> Suite | None:
    """Read a table of scenarios, ours or one of Botium; None where it is neither."""
    if is_sheet_of_scenarios(path, sheet=options.sheet, encoding=options.encoding):
        return read_sheet_suite(path, sheet=options.sheet, encoding=options.encoding)
    return _read_botium(path, options) if _is_botium(path, options) else None


def _is_rasa(file: YamlFile) -> bool:
    keys = set(as_mapping(file.value))
    return bool(keys & RASA) and "scenarios" not in keys


def _is_botium(path: Path, options: ReadOptions = PLAIN) -> bool:
    from vivavoce.conversations.scenarios.formats.botium import is_botium

    return is_botium(path, encoding=options.encoding)


def _is_botium_yaml(file: YamlFile) -> bool:
    from vivavoce.conversations.scenarios.formats.botium_text import holds_botium

    return holds_botium(file)


def _find_botium(folder: Path, options: ReadOptions = PLAIN) -> list[Path]:
    from vivavoce.conversations.scenarios.formats.botium import find_botium

    return find_botium(folder, encoding=options.encoding)


def _read_botium(path: Path, options: ReadOptions = PLAIN) -> Suite:
    from vivavoce.conversations.scenarios.formats.botium import read_botium

    return read_botium(path, encoding=options.encoding)


def _read_rasa(path: Path) -> Suite:
    from vivavoce.conversations.scenarios.formats.rasa import read_rasa

    return read_rasa(path)


def merge_suites(suites: Sequence[Suite], name: str) -> Suite:
    """Put suites together; ids must differ, and what is said twice must be said alike."""
    faults: list[Fault] = []
    once: dict[str, Any] = {key: _once(suites, key, faults) for key in ONCE}
    named: dict[str, Any] = {key: _named(suites, key, faults) for key in NAMED}
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
    faults += _shared_ids(suites)
    if faults:
        raise DataError("these files do not fit together", faults=faults, remedy="rename, or keep one of the two")
    return merged


def _once(suites: Sequence[Suite], key: str, faults: list[Fault]) -> object:
    """Return what the files say of the whole suite; those that say nothing agree with the others."""
    usual = getattr(Suite("", ()), key)
    found: dict[str, object] = {}
    for suite in suites:
        value = getattr(suite, key)
        if value != usual and value not in found.values():
            found[suite.source] = value
    if len(found) > 1 and key != "title":
        faults.append(Fault(f"`{key}` differs between {' and '.join(found)}"))
    return next(iter(found.values()), usual) if key != "title" or len(found) == 1 else usual


def _named(suites: Sequence[Suite], key: str, faults: list[Fault]) -> dict[str, object]:
    found: dict[str, tuple[object, str]] = {}
    for suite in suites:
        for name, value in getattr(suite, key).items():
            before, source = found.setdefault(name, (value, suite.source))
            if _without_lines(before) != _without_lines(value):
                faults.append(Fault(f"'{name}' under `{key}` is also given in {source}, otherwise", suite.source))
    return {name: value for name, (value, _) in found.items()}


def _without_lines(value: object) -> object:
    """Return turns without their lines: the same part may stand in two files."""
    if not isinstance(value, tuple):
        return value
    return tuple(replace(one, line=None) if isinstance(one, Turn) else one for one in value)


def _shared_ids(suites: Sequence[Suite]) -> Iterator[Fault]:
    owners: dict[str, str] = {}
    for suite in suites:
        own = {scenario.id: scenario.line for scenario in suite.scenarios}
        for name, line in own.items():
            if name in owners:
                where = f"{suite.source}, line {line}"
                yield Fault(f"there is a scenario '{name}' in {owners[name]} too", where)
        owners |= dict.fromkeys(own, suite.source)
