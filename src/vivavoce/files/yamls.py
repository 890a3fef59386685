"""YAML in which every scalar is text: `yes`, `9:30`, `007` and `~` stay what the author wrote.

The usual loaders make True, 570, 7 and None of them, which is wrong for anything a person said. Lines are kept,
so that a fault can be told with its place.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml

from vivavoce.errors import DataError, Fault, FileError
from vivavoce.files.tables import DEFAULT_MAX_BYTES

Value = str | list["Value"] | dict[str, "Value"]
Step = str | int
MAX_DEPTH = 40
MAX_NODES = 2_000_000


@dataclass(frozen=True)
class YamlFile:
    """A file as read: plain texts, lists and mappings, and the line on which each of them stands."""

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
    file = Path(path)
    try:
        size = file.stat().st_size
        if size > max_bytes:
            raise FileError(f"the file has {size:,} bytes; {max_bytes:,} are read at most", where=str(path))
        text = file.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise FileError(
            f"the file cannot be read: {error.strerror or error}", where=str(path), remedy="check the path"
        ) from error
    except UnicodeDecodeError as error:
        raise FileError("the file is not UTF-8 text", where=str(path), remedy="save the file as UTF-8") from error
    return parse_yaml(text, source=str(path))


def parse_yaml(text: str, *, source: str = "memory") -> YamlFile:
    """Read a text; see `read_yaml`."""
    try:
        node = yaml.compose(text, Loader=yaml.BaseLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else 1
        raise FileError(
            f"this is not YAML: {error.problem or error.context}",
            where=f"{source}, line {line}",
            remedy="correct the line; texts with `: ` or ` #` need quotes",
        ) from error
    except yaml.YAMLError as error:
        raise FileError(f"this is not YAML: {error}", where=source, remedy="correct the file") from error
    builder = _Builder(source)
    value = {} if node is None else builder.value(node, ())
    if builder.faults:
        raise DataError("these entries cannot be used", where=source, faults=builder.faults, remedy="correct them")
    return YamlFile(source, value, builder.lines)


def dump_yaml(value: object) -> str:
    """Write texts, lists and mappings; what another loader would take for a number or a flag is quoted."""
    return yaml.dump(value, Dumper=_TextDumper, allow_unicode=True, sort_keys=False, width=110, indent=2)


class _Builder:
    """Turns nodes into values; remembers lines and faults."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.lines: dict[tuple[Step, ...], int] = {}
        self.faults: list[Fault] = []
        self.nodes = 0

    def value(self, node: yaml.Node, steps: tuple[Step, ...]) -> Value:
        self.lines[steps] = node.start_mark.line + 1
        self.nodes += 1
        # Anchors make a small file grow without end when followed.
        if self.nodes > MAX_NODES or len(steps) > MAX_DEPTH:
            raise FileError("the file is nested or repeated beyond reason", where=self.source)
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, steps)
        if isinstance(node, yaml.SequenceNode):
            return [self.value(item, (*steps, place)) for place, item in enumerate(node.value)]
        return str(node.value)

    def _mapping(self, node: yaml.MappingNode, steps: tuple[Step, ...]) -> dict[str, Value]:
        found: dict[str, Value] = {}
        for key, item in node.value:
            where = f"line {key.start_mark.line + 1}"
            if not isinstance(key, yaml.ScalarNode):
                self.faults.append(Fault("a key must be a plain text", where))
            elif key.value in found:
                self.faults.append(Fault(f"'{key.value}' is given twice", where))
            else:
                found[key.value] = self.value(item, (*steps, key.value))
                self.lines[(*steps, key.value)] = key.start_mark.line + 1
        return found


class _TextDumper(yaml.SafeDumper):
    """Quotes every text that is not plainly a text to any loader, and never writes anchors."""

    def ignore_aliases(self, data: object) -> bool:
        return True


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    # The pure text loader resolves nothing, so ask the ordinary one what it would make of it.
    seen: str = dumper.resolve(yaml.ScalarNode, text, (True, False))  # type: ignore[no-untyped-call]
    plain = seen == "tag:yaml.org,2002:str"
    style = "|" if "\n" in text and text == text.rstrip("\n ") else None if plain else '"'
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_TextDumper.add_representer(str, _text)


def as_mapping(value: Value | None) -> Mapping[str, Value]:
    """Return a mapping as it is, and nothing for anything else."""
    return value if isinstance(value, dict) else {}


def as_list(value: Value | None) -> Sequence[Value]:
    """Return a list as it is, one value as a list of one, nothing as an empty list."""
    if value is None:
        return []
    return value if isinstance(value, list) else [value]
