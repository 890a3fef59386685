"""The files of a project read back: checked in full, every fault with its place."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from vivavoce.errors import DataError, Fault, nearest
from vivavoce.messages import say
from vivavoce.store.project_files import (
    ANSWER,
    BOTS,
    DIALOGUES,
    EXAMPLE_COLUMNS,
    EXAMPLES,
    FORMAT,
    FORMAT_VERSION,
    PROJECT,
    SUITES,
    TOPIC_COLUMNS,
    TOPICS,
    read_table,
)

Parts = Mapping[str, str]
Shape = Mapping[str, type | tuple[type, ...]]
NONE = type(None)
HEAD: Shape = {
    "format": str, "format_version": int,
    "slug": str, "name": str, "language": str, "languages": list, "classifier": str, "threshold": (int, float),
}  # fmt: skip
SUITE: Shape = {"name": str, "title": str, "language": str, "agent": (str, NONE), "file": str, "scenarios": list}
SCENARIO: Shape = {"name": str, "title": str, "domain": str, "level": str, "file": str}
BOT: Shape = {"name": str, "entry": dict}
TALK: Shape = {
    "name": str, "batch": str, "bot": (str, NONE), "person": (str, NONE), "source": str, "passed": (bool, NONE),
    "created": str, "turns": list, "ratings": list,
}  # fmt: skip
RATING: Shape = {
    "turn": int, "rater": str, "quality": (int, float, NONE), "verdict": (str, NONE), "created": str,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Material:
    """What the files of a project say; every row is as the file has it, times are read."""

    head: Mapping[str, Any]
    topics: tuple[Mapping[str, str], ...]
    examples: tuple[Mapping[str, Any], ...]
    bots: tuple[Mapping[str, Any], ...]
    suites: tuple[Mapping[str, Any], ...]
    talks: tuple[Mapping[str, Any], ...]


@dataclass(slots=True)
class _Reading:
    """Files and the faults found in them."""

    parts: Parts
    faults: list[Fault] = field(default_factory=list)

    def blame(self, what: str, where: str) -> None:
        """Note a fault."""
        self.faults.append(Fault(what, where))


def suite_files(text: str) -> set[str]:
    """Return the files that the index of suites names; what is wrong with it is told later."""
    try:
        suites = json.loads(text)
        named = {suite["file"] for suite in suites}
        return named | {scenario["file"] for suite in suites for scenario in suite["scenarios"]}
    except (ValueError, KeyError, TypeError):
        return set()


def read_material(parts: Parts, where: str) -> Material:
    """Read the files of a project; DataError with every fault."""
    reading = _Reading(parts)
    head = _head(reading)
    topics = tuple(_topics(reading))
    examples = tuple(_examples(reading, {row["topic"] for row in topics}))
    bots = tuple(_objects(reading, _list(reading, BOTS), BOT))
    suites = tuple(_suites(reading))
    talks = tuple(_talks(reading))
    if reading.faults:
        raise DataError(
            say("the project cannot be imported"), where=where, faults=reading.faults, remedy=say("correct the files")
        )
    return Material(head, topics, examples, bots, suites, talks)


def _head(reading: _Reading) -> Mapping[str, Any]:
    value = _parsed(reading, reading.parts[PROJECT], PROJECT)
    if not isinstance(value, dict) or value.get("format") != FORMAT or value.get("format_version") != FORMAT_VERSION:
        reading.blame(say("this is not the head of a project that this program can read"), PROJECT)
        return {}
    if _fits(reading, value, HEAD, PROJECT) and not all(isinstance(code, str) for code in value["languages"]):
        reading.blame(say("languages must be a list of codes"), PROJECT)
    return value


def _topics(reading: _Reading) -> Iterator[Mapping[str, str]]:
    seen: dict[str, str] = {}
    for where, row in _rows(reading, TOPICS, TOPIC_COLUMNS, ANSWER):
        name = row["topic"]
        if not name.strip():
            reading.blame(say("the topic has no name"), where)
        elif name in seen:
            reading.blame(say("the topic '{name}' is there already, in {seen}", name=name, seen=seen[name]), where)
        else:
            seen[name] = where
            yield row


def _examples(reading: _Reading, topics: set[str]) -> Iterator[Mapping[str, Any]]:
    for where, row in _rows(reading, EXAMPLES, EXAMPLE_COLUMNS):
        if not row["text"].strip():
            reading.blame(say("the message is empty"), where)
        if row["topic"] and row["topic"] not in topics:
            hint = nearest(row["topic"], sorted(topics))
            reading.blame(
                say("there is no topic '{topic}' in {topics}.{hint}", topic=row["topic"], topics=TOPICS, hint=hint),
                where,
            )
        yield {**row, "created": _moment(reading, row["created"], where)}


def _suites(reading: _Reading) -> Iterator[Mapping[str, Any]]:
    for suite in _objects(reading, _list(reading, SUITES), SUITE):
        where = f"{suite.get('name', '?')} in {SUITES}"
        listed = [(f"{where}, scenario {number}", each) for number, each in enumerate(suite["scenarios"], 1)]
        scenarios = list(_objects(reading, listed, SCENARIO))
        for file in (suite["file"], *(scenario["file"] for scenario in scenarios)):
            if file not in reading.parts:
                reading.blame(say("there is no file '{file}'", file=file), where)
        texts = [{**scenario, "text": reading.parts.get(scenario["file"], "")} for scenario in scenarios]
        yield {**suite, "head": reading.parts.get(suite["file"], ""), "scenarios": texts}


def _talks(reading: _Reading) -> Iterator[Mapping[str, Any]]:
    lines = reading.parts.get(DIALOGUES, "").split("\n")
    found = ((f"{DIALOGUES}, line {number}", line) for number, line in enumerate(lines, 1) if line)
    parsed = ((where, _parsed(reading, line, where)) for where, line in found)
    for talk in _objects(reading, parsed, TALK):
        where = f"{talk['name']} in {DIALOGUES}"
        if not all(isinstance(turn, dict) for turn in talk["turns"]):
            reading.blame(say("turns must be a list of objects"), where)
        listed = [(f"{where}, rating {number}", each) for number, each in enumerate(talk["ratings"], 1)]
        ratings = [
            {**rating, "created": _moment(reading, rating["created"], where)}
            for rating in _objects(reading, listed, RATING, unique=None)
        ]
        yield {**talk, "created": _moment(reading, talk["created"], where), "ratings": ratings}


def _rows(
    reading: _Reading, name: str, columns: Iterable[str], open_end: str = ""
) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the rows of a table with their places; others than the known columns are refused."""
    try:
        rows = list(read_table(reading.parts[name]))
    except (ValueError, csv.Error) as error:
        reading.blame(say("the table cannot be read: {error}", error=error), name)
        return
    first = next(iter(rows), (1, dict.fromkeys(columns, "")))[1]
    for column in columns:
        if column not in first:
            reading.blame(say("there is no column '{column}'", column=column), name)
    for column in first:
        if column not in columns and not (open_end and column.startswith(open_end)):
            reading.blame(
                say(
                    "the column '{column}' is unknown.{nearest}",
                    column=column,
                    nearest=nearest(column, list(columns)),
                ),
                name,
            )
    if all(column in first for column in columns):
        yield from ((f"{name}, line {line}", row) for line, row in rows)


def _list(reading: _Reading, name: str) -> list[tuple[str, Any]]:
    value = _parsed(reading, reading.parts[name], name)
    if not isinstance(value, list):
        reading.blame(say("must be a list"), name)
        return []
    return [(f"{name}, entry {number}", each) for number, each in enumerate(value, 1)]


def _objects(
    reading: _Reading, values: Iterable[tuple[str, Any]], shape: Shape, unique: str | None = "name"
) -> Iterator[dict[str, Any]]:
    """Yield the objects that have a shape, each name once."""
    seen: set[str] = set()
    for where, value in values:
        if not _fits(reading, value, shape, where):
            continue
        if unique is not None and value[unique] in seen:
            reading.blame(say("'{value}' is there twice", value=value[unique]), where)
        seen.add(value[unique] if unique is not None else "")
        yield value


def _fits(reading: _Reading, value: object, shape: Shape, where: str) -> bool:
    if not isinstance(value, dict):
        reading.blame(say("must be an object"), where)
        return False
    missing = [key for key in shape if key not in value]
    unknown = [key for key in value if key not in shape]
    wrong = [key for key, kind in shape.items() if key in value and not _is(value[key], kind)]
    for key in missing:
        reading.blame(say("'{key}' is missing", key=key), where)
    for key in unknown:
        reading.blame(say("'{key}' is unknown.{nearest}", key=key, nearest=nearest(key, list(shape))), where)
    for key in wrong:
        reading.blame(say("'{key}' cannot be {value}", key=key, value=repr(value[key])), where)
    return not (missing or unknown or wrong)


def _is(value: object, kind: type | tuple[type, ...]) -> bool:
    # A yes or no is a whole number to Python, but not to people.
    kinds = kind if isinstance(kind, tuple) else (kind,)
    return isinstance(value, kinds) and (not isinstance(value, bool) or bool in kinds)


def _parsed(reading: _Reading, text: str, where: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        reading.blame(say("this is not JSON: {error}", error=error), where)
        return None


def _moment(reading: _Reading, text: str, where: str) -> datetime:
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        reading.blame(say("'{text}' is not a time such as 2024-05-02T08:30:00+00:00", text=text), where)
        return datetime.now(UTC)
    return found if found.tzinfo else found.replace(tzinfo=UTC)
