"""One table of file formats: what training data, scenarios and dialogues are read from and written to.

A `Format` is registered under the entry-point group `vivavoce.formats`, as `kind.name` (`dialogues.csv`). The
extension of a file decides which format it has; where several formats share the extension, or none has it, what the
file holds decides. Files of other tools that are recognised and not read are in the same table: they have no reader.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any

from vivavoce import plugins
from vivavoce.errors import FileError, MissingPartError, UsageError, VivaError, nearest
from vivavoce.files.delimited import read_csv
from vivavoce.files.sources import MEGABYTE, read_head, read_text
from vivavoce.files.tables import ReadOptions, Table, TableReader
from vivavoce.files.xlsx import read_xlsx
from vivavoce.files.yamls import YamlFile, read_yaml
from vivavoce.messages import say

YAML = (".yaml", ".yml")
MAX_NAMES = 2_000
MAX_SNIFFED_BYTES = 20 * MEGABYTE


class Kind(StrEnum):
    """What a file holds."""

    TRAINING = "training"
    SCENARIOS = "scenarios"
    DIALOGUES = "dialogues"


class SourceFile:
    """A file that is about to be read, and what it shows of itself: each part is read at most once."""

    def __init__(self, path: str | Path, options: ReadOptions = ReadOptions()) -> None:  # noqa: B008 - frozen
        self.path = Path(path)
        self.options = options

    def ends_in(self, extensions: Iterable[str]) -> bool:
        """Return whether the name ends in one of these."""
        return self.path.name.lower().endswith(tuple(extensions))

    @cached_property
    def head(self) -> str:
        """The beginning of its text."""
        return read_head(self.path, self.options)

    @cached_property
    def yaml(self) -> YamlFile:
        """All of it, as YAML."""
        return read_yaml(self.path)

    @cached_property
    def table(self) -> Table:
        """All of it, as a table: CSV, or a sheet of a workbook."""
        return (read_xlsx if self.ends_in([".xlsx", ".xlsm"]) else read_csv)(self.path, self.options)

    @cached_property
    def keys(self) -> frozenset[str]:
        """The keys of an object or of the first in a list, or the columns of a table; none where unreadable."""
        try:
            if self.ends_in(YAML):
                return _keys_of(self.yaml.value)
            if self.ends_in([".csv", ".xlsx"]):
                # promptfoo counts its columns: `__expected1`, `__expected2`.
                return frozenset(name.strip().lower().rstrip("0123456789") for name in self.table.columns)
            if self.ends_in([".json", ".jsonl", ".ndjson"]):
                text = read_text(self.path, ReadOptions(max_bytes=MAX_SNIFFED_BYTES))
                lines = [text] if self.ends_in([".json"]) else [*text.split("\n"), "{}"]
                return _keys_of(json.loads(next(line for line in lines if line.strip())))
        except (VivaError, ValueError, RecursionError):
            pass
        return frozenset()

    @cached_property
    def names(self) -> frozenset[str]:
        """The names of the files in it, where it is a folder or a ZIP archive."""
        if self.path.is_dir():
            files = (file for file in self.path.rglob("*") if file.is_file())
            return frozenset(file.relative_to(self.path).as_posix() for file in islice(files, MAX_NAMES))
        try:
            if self.ends_in([".zip"]):
                with zipfile.ZipFile(self.path) as archive:
                    return frozenset(archive.namelist()[:MAX_NAMES])
        except (OSError, zipfile.BadZipFile):
            pass
        return frozenset()


def _keys_of(value: object) -> frozenset[str]:
    if isinstance(value, list):
        value = next((item for item in value if isinstance(item, Mapping)), None)
    return frozenset(str(key) for key in value) if isinstance(value, Mapping) else frozenset()


@dataclass(frozen=True, slots=True)
class Format:
    """A file format. What `reader` returns and `writer` takes depends on the kind: docs/formats.md.

    `sniff` tells by what a file holds whether it has the format; it decides under extensions that several formats
    have, those of `also` (where the format may be found as well), and those that nobody has. Without a reader it is
    a file of another tool: `summary` names it ("a promptfoo configuration"), `remedy` says what to do with it.
    `gather`: the files of a folder that the reader takes together, given the folder.
    """

    name: str
    kind: Kind
    summary: str
    extensions: tuple[str, ...] = ()
    reader: Callable[[SourceFile], Any] | None = None
    writer: Callable[[Any, Path], Any] | None = None
    sniff: Callable[[SourceFile], bool] | None = None
    also: tuple[str, ...] = ()
    gather: Callable[[SourceFile], list[Path]] | None = None
    remedy: str = ""

    def fits(self, file: SourceFile) -> bool:
        """Return whether a file has this format by what it holds; without `sniff`, by its extension."""
        return self.sniff(file) if self.sniff else file.ends_in(self.extensions)


def list_formats(kind: Kind) -> tuple[Format, ...]:
    """Return the formats of a kind, those that are read first. A plug-in that cannot be loaded hides no other."""
    formats: dict[str, Format] = {}
    for name in plugins.in_order(plugins.FORMATS):
        prefix = name.partition(".")[0]
        if prefix in list(Kind) and prefix != kind:
            continue  # not imported, for it is of no use here
        try:
            provided = _load(name)
        except VivaError:
            continue
        for format in provided:
            if format.kind is kind:
                formats.setdefault(format.name, format)
    return tuple(sorted(formats.values(), key=lambda format: format.reader is None))


def _load(name: str) -> tuple[Format, ...]:
    """Return what an entry point provides: a format, several, or (older plug-ins) a function that reads tables."""
    loaded = plugins.load(plugins.FORMATS, name)
    provided = loaded if isinstance(loaded, list | tuple) else (loaded,)
    if all(isinstance(format, Format) for format in provided):
        return tuple(provided)
    if callable(loaded):
        return (from_table_reader(name, loaded),)
    raise MissingPartError(
        say("'{name}' is '{kind}', not a file format", name=name, kind=type(loaded).__name__),
        where=plugins.FORMATS,
        remedy=say(
            "point the entry point to a `vivavoce.files.Format`, or to a function of path and "
            "options that returns a `Table`"
        ),
    )


def from_table_reader(
    name: str, read: TableReader, extensions: tuple[str, ...] = (), kind: Kind = Kind.TRAINING
) -> Format:
    """Return the format of a function that reads a path into a table of examples."""
    summary = (read.__doc__ or "").strip().partition("\n")[0]
    return Format(name, kind, summary, extensions or (f".{name}",), lambda file: read(file.path, file.options))


def get_format(kind: Kind, name: str) -> Format:
    """Return the format of this name; refuse a name that no format which is read or written has."""
    known = {format.name: format for format in list_formats(kind) if format.reader or format.writer}
    if name in known:
        return known[name]
    for point in (f"{kind}.{name}", name):
        if point in plugins.available(plugins.FORMATS):
            _load(point)  # says why it is not in the list
    raise UsageError(
        say(
            "unknown format '{name}' for {kind}.{nearest}",
            name=name,
            kind=kind,
            nearest=nearest(name, list(known)),
        ),
        remedy=say("choose one of: {names}", names=", ".join(known)),
    )


def find_format(kind: Kind, file: SourceFile, *, strict: bool = False) -> Format | None:
    """Return the format of a file, or None; `strict`: an extension is not enough where a format can sniff."""
    formats = list_formats(kind)
    claims = [format for format in formats if file.ends_in((*format.extensions, *format.also))]
    if len(claims) == 1 and not strict and file.ends_in(claims[0].extensions):
        return claims[0]
    candidates = [format for format in formats if format in claims or not claims or format.reader is None]
    fitting = next((format for format in candidates if format.fits(file)), None)
    if fitting or strict:
        return fitting
    return next((format for format in claims if file.ends_in(format.extensions)), None)


def list_extensions(kind: Kind) -> tuple[str, ...]:
    """Return the extensions of all files of a kind that are read."""
    formats = [format for format in list_formats(kind) if format.reader]
    return tuple(dict.fromkeys(extension for format in formats for extension in format.extensions))


def refuse_format(format: Format, kinds: str, where: str) -> FileError:
    """Return the error that says which tool a file belongs to, and what can be done with it."""
    return FileError(
        say("this is {summary}; {kinds}", summary=format.summary, kinds=kinds), where=where, remedy=format.remedy
    )
