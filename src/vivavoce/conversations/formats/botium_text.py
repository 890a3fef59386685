"""Botium's `.convo.txt`, `.utterances.txt` and YAML as sections of lines: who speaks, and what is written."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from vivavoce.errors import FileError
from vivavoce.files.yamls import Value, as_list, as_mapping, read_yaml

CONVO = ".convo.txt"
PARTIAL = ".pconvo.txt"
UTTERANCES = ".utterances.txt"
_SECTION = re.compile(r"#(me|bot|begin|end|include)\b\s*(.*)", re.IGNORECASE)


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


def read_convo(path: Path) -> Convo:
    """Read a conversation; its name is the first line, else the name of the file."""
    lines = read_lines(path)
    stem = path.name.removesuffix(PARTIAL).removesuffix(CONVO)
    first = next((line.strip() for line in lines if line.strip()), "")
    name = stem if not first or _SECTION.fullmatch(first) else first
    return Convo(name, tuple(_sections(lines)), str(path), path.name.endswith(PARTIAL))


def _sections(lines: Sequence[str]) -> Iterator[Section]:
    who, start, held = "", 0, list[str]()
    for number, line in enumerate(lines, 1):
        found = _SECTION.fullmatch(line.strip())
        if found is None:
            held.append(line.rstrip())
            continue
        if who:
            yield Section(who, _trimmed(held), start)
        who, start, held = found[1].lower(), number, [found[2]] if found[2] else []
    if who:
        yield Section(who, _trimmed(held), start)


def _trimmed(lines: Sequence[str]) -> tuple[str, ...]:
    """Leave out the empty lines around a text; those within it belong to it."""
    text = list(lines)
    while text and not text[0].strip():
        text.pop(0)
    while text and not text[-1].strip():
        text.pop()
    return tuple(text)


def read_utterances(path: Path) -> tuple[str, tuple[str, ...]]:
    """Read a list of phrases: its name on the first line, then one phrase a line."""
    lines = [line.strip() for line in read_lines(path) if line.strip()]
    if not lines:
        raise FileError("the list of utterances is empty", where=str(path), remedy="begin it with its name")
    return lines[0], tuple(lines[1:])


def read_lines(path: Path) -> list[str]:
    """Read a text file; refuse what is not UTF-8."""
    try:
        return path.read_text(encoding="utf-8-sig").splitlines()
    except OSError as error:
        raise FileError(f"the file cannot be read: {error.strerror or error}", where=str(path)) from error
    except UnicodeDecodeError as error:
        raise FileError("the file is not UTF-8 text", where=str(path), remedy="save the file as UTF-8") from error


# --- YAML --------------------------------------------------------------------------------------------------------


def is_botium_yaml(path: Path) -> bool:
    """Tell whether a YAML file is one of Botium's."""
    value = read_yaml(path).value
    return isinstance(value, dict) and bool({"convos", "utterances"} & set(value)) and "scenarios" not in value


def read_convo_yaml(path: Path) -> tuple[list[Convo], dict[str, tuple[str, ...]]]:
    """Read conversations and phrase lists from a YAML file."""
    file = read_yaml(path)
    content = as_mapping(file.value)
    convos = [
        _yaml_convo(as_mapping(one), file.line("convos", place), str(path))
        for place, one in enumerate(as_list(content.get("convos")))
    ]
    lists = as_mapping(content.get("utterances"))
    return convos, {name: tuple(str(one) for one in as_list(phrases)) for name, phrases in lists.items()}


def _yaml_convo(convo: Mapping[str, Value], line: int, source: str) -> Convo:
    steps = [as_mapping(step) for step in as_list(convo.get("steps"))]
    sections = tuple(
        Section(who.lower(), tuple(_yaml_lines(said)), line) for step in steps for who, said in step.items()
    )
    return Convo(str(convo.get("name", f"convo, line {line}")), sections, source)


def _yaml_lines(said: Value) -> Iterator[str]:
    """Write a step as the lines of the text form: a mapping is an asserter with its arguments."""
    for item in as_list(said):
        if isinstance(item, dict):
            for name, arguments in item.items():
                joined = "|".join(str(one).replace("|", "\\|") for one in as_list(arguments))
                yield _asserter(name, joined)
        else:
            yield from str(item).splitlines() or [""]


def _asserter(name: str, arguments: str) -> str:
    # In YAML, OPTIONAL_ and NOT_ are words; in text, `?` and `!` stand before the asserter.
    marks = ""
    for word, mark in (("OPTIONAL_", "?"), ("NOT_", "!")):
        if name.startswith(word):
            name, marks = name.removeprefix(word), marks + mark
    return f"{marks}{arguments}" if name == "TEXT" else f"{marks}{name} {arguments}".rstrip()
