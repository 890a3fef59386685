"""YAML in which every scalar is text: `yes`, `9:30`, `007` and `~` stay what the author wrote.

The usual loaders make True, 570, 7 and None of them, which is wrong for anything a person said. Lines are kept,
so that a fault can be told with its place.
"""

from __future__ import annotations

import gc
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from vivavoce.errors import DataError, Fault, FileError
from vivavoce.files.tables import DEFAULT_MAX_BYTES
from vivavoce.messages import say

Value = str | list["Value"] | dict[str, "Value"]
Container = list[Value] | dict[str, Value]
Step = str | int
MAX_DEPTH = 40
LARGE = 1_000_000
MAX_NODES = 2_000_000
# The parser written in C is ten times as fast; without it the other one does the same.
_LOADER = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
_DUMPER: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
# Other ends of lines and marks of encodings are lost unless they are escaped.
_UNUSUAL = re.compile("[^\n\u0020-\u007e\u00a0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")
# Lines that are neither blank nor begin or end with a space can stand as they are.
_BLOCK = re.compile(r"\S(.*\S)?(\n\S(.*\S)?)*")


@dataclass(frozen=True)
class YamlFile:
    """A file as read: plain texts, lists and mappings, and the line of each."""

    path: str
    value: Value
    lines: Mapping[tuple[Step, ...], int]

    def line(self, *steps: Step) -> int:
        """Return the line of a value, or of the nearest thing around it."""
        while steps and steps not in self.lines:
            steps = steps[:-1]
        return self.lines.get(steps, 1)

    def where(self, *steps: Step) -> str:
        """Return the place of a value as people say it."""
        return f"{self.path}, line {self.line(*steps)}"


def read_yaml(path: str | Path, *, max_bytes: int = DEFAULT_MAX_BYTES) -> YamlFile:
    """Read a file; refuse what is no YAML, holds a key twice, or is built to fill the memory."""
    try:
        size = Path(path).stat().st_size
        if size > max_bytes:
            what = say("the file has {size:,} bytes, the limit is {max_bytes:,}", size=size, max_bytes=max_bytes)
            raise FileError(what, where=str(path))
        text = Path(path).read_text(encoding="utf-8-sig")
    except OSError as error:
        what = say("the file cannot be read: {strerror}", strerror=error.strerror or error)
        raise FileError(what, where=str(path), remedy=say("check the path")) from error
    except UnicodeDecodeError as error:
        raise FileError(
            say("the file is not UTF-8 text"), where=str(path), remedy=say("save the file as UTF-8")
        ) from error
    return parse_yaml(text, source=str(path))


def parse_yaml(text: str, *, source: str = "memory") -> YamlFile:
    """Read a text; see `read_yaml`."""
    builder = _Builder(source)
    try:
        with _without_collecting(text):
            builder.read(_LOADER(text))
    except yaml.MarkedYAMLError as error:
        place = error.problem_mark or error.context_mark
        line = place.line + 1 if place else 1
        raise FileError(
            say("not valid YAML: {problem}", problem=error.problem or error.context),
            where=say("{source}, line {line}", source=source, line=line),
            remedy=say("fix the line; texts with `: ` or ` #` need quotes"),
        ) from error
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise FileError(
            say("not valid YAML: {error}", error=error), where=source, remedy=say("fix the file")
        ) from error
    if builder.faults:
        raise DataError(say("these entries are invalid"), where=source, faults=builder.faults, remedy=say("fix them"))
    return YamlFile(source, builder.root, builder.lines)


@contextmanager
def _without_collecting(text: str) -> Iterator[None]:
    """Keep the collector from walking again and again over what is being built: nothing of it is garbage."""
    if len(text) < LARGE or not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def dump_yaml(value: object) -> str:
    """Write texts, lists and mappings; what another loader would take for a number or a flag is quoted."""
    return yaml.dump(value, Dumper=_TextDumper, allow_unicode=True, sort_keys=False, width=110, indent=2)


@dataclass(slots=True)
class _Open:
    """A list or a mapping that is still being read; a mapping knows the key whose value comes next."""

    container: Container
    steps: tuple[Step, ...]
    anchor: str | None
    before: int
    key: str | None = None


class _Builder:
    """Puts values together as the parser reports them; remembers lines and faults."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.root: Value = {}
        self.lines: dict[tuple[Step, ...], int] = {}
        self.faults: list[Fault] = []
        self._nodes = 0
        self._documents = 0
        self._open: list[_Open] = []
        self._anchors: dict[str, tuple[Value, int]] = {}

    def read(self, loader: Any) -> None:
        """Take all that the parser reports.

        Events, not nodes: the fast composer recurses without a limit and ends the process on deep nesting.
        """
        try:
            event = loader.get_event()
            while not isinstance(event, yaml.StreamEndEvent):
                if type(event) is yaml.ScalarEvent:
                    self._take_scalar(event)
                else:
                    self._take(event)
                event = loader.get_event()
        finally:
            loader.dispose()

    def _take(self, event: Any) -> None:
        kind, line = type(event), event.start_mark.line + 1
        if kind is yaml.MappingStartEvent:
            self._begin({}, event)
        elif kind is yaml.SequenceStartEvent:
            self._begin([], event)
        elif kind is yaml.MappingEndEvent or kind is yaml.SequenceEndEvent:
            frame = self._open.pop()
            if frame.anchor:
                # Known only now: what contains itself cannot be followed.
                self._anchors[frame.anchor] = (frame.container, self._nodes - frame.before + 1)
        elif kind is yaml.AliasEvent:
            if event.anchor not in self._anchors:
                what = say("'*{anchor}' is used before '&{anchor}' is defined", anchor=event.anchor)
                self.faults.append(Fault(what, say("line {line}", line=line)))
            value, size = self._anchors.get(event.anchor, ("", 1))
            self._count(size)
            self._put(value, event)
        elif kind is yaml.DocumentStartEvent:
            self._documents += 1
            if self._documents > 1:
                raise FileError(
                    say("a second document starts here"),
                    where=say("{source}, line {line}", source=self.source, line=line),
                    remedy=say("use one document per file: remove the line `---`, or split the file"),
                )

    def _take_scalar(self, event: Any) -> None:
        frame = self._open[-1] if self._open else None
        if frame is None or frame.key is not None or isinstance(frame.container, list):
            self._count(1)
            if event.anchor:
                self._anchors[event.anchor] = (event.value, 1)
            self._put(event.value, event)
            return
        # A key given twice is read to its end, so that the other faults are found too.
        line, frame.key = event.start_mark.line + 1, event.value
        if event.value in frame.container:
            what = say("duplicate key '{value}'", value=event.value)
            self.faults.append(Fault(what, say("line {line}", line=line)))
        else:
            self.lines[(*frame.steps, event.value)] = line

    def _begin(self, container: Container, event: Any) -> None:
        self._count(1)
        steps = self._put(container, event)
        if len(steps) > MAX_DEPTH:
            raise FileError(say("the file is nested too deeply"), where=self.source, remedy=say("reduce the nesting"))
        self._open.append(_Open(container, steps, event.anchor, self._nodes))

    def _count(self, nodes: int) -> None:
        # Marks that are repeated make a small file grow without end when followed.
        self._nodes += nodes
        if self._nodes > MAX_NODES:
            raise FileError(
                say("the file repeats too much content"), where=self.source, remedy=say("use fewer `*marks`")
            )

    def _put(self, value: Value, event: Any) -> tuple[Step, ...]:
        """Put a value where it belongs and return the way there."""
        line = event.start_mark.line + 1
        if not self._open:
            self.root = value
            self.lines[()] = line
            return ()
        frame = self._open[-1]
        if isinstance(frame.container, list):
            frame.container.append(value)
            steps = (*frame.steps, len(frame.container) - 1)
            self.lines[steps] = line
            return steps
        if frame.key is None:
            self.faults.append(Fault(say("a key must be a plain text"), say("line {line}", line=line)))
            frame.key = ""  # the value that follows belongs to it
            return (*frame.steps, "")
        frame.container.setdefault(frame.key, value)
        steps = (*frame.steps, frame.key)
        frame.key = None
        return steps


class _TextDumper(_DUMPER):  # type: ignore[misc]
    """Quotes every text that is not plainly a text to any loader, and never writes anchors."""

    def ignore_aliases(self, data: object) -> bool:
        return True


def _represent_text(dumper: Any, text: str) -> yaml.ScalarNode:
    style: str | None = '"'
    if not _UNUSUAL.search(text):
        if "\n" in text:
            style = "|" if _BLOCK.fullmatch(text) else '"'
        # The pure text loader resolves nothing, so ask the ordinary one what it would make of it.
        elif dumper.resolve(yaml.ScalarNode, text, (True, False)) == "tag:yaml.org,2002:str":
            style = None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)  # type: ignore[no-any-return]


_TextDumper.add_representer(str, _represent_text)


def as_mapping(value: Value | None) -> Mapping[str, Value]:
    """Return a mapping as it is, and nothing for anything else."""
    return value if isinstance(value, dict) else {}


def as_list(value: Value | None) -> Sequence[Value]:
    """Return a list as it is, one value as a list of one, nothing as an empty list."""
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def as_texts(value: object) -> Value:
    """Return plain values as a file has them: every scalar is text."""
    if isinstance(value, dict):
        return {str(key): as_texts(item) for key, item in value.items()}
    if isinstance(value, list):
        return [as_texts(item) for item in value]
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else str(value)
