"""A project's material as files that people can read, compare and keep in git, and back.

project.json      its name, languages, engine and threshold
topics.csv        topics, one column for the answers in each language
examples.csv      messages with their topics; no topic: out of scope
test_set.csv      questions set aside for testing, if there are any
bots.json         bots, without secrets
suites.json       suites, and which file holds which scenario
suites/...        suites and scenarios in YAML
dialogues.jsonl   logged dialogues with their ratings, if wanted
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from types import UnionType
from typing import Any

from vivavoce.bots.redaction import is_telling
from vivavoce.errors import DataError, Fault, nearest
from vivavoce.files.writing import FORMULA_STARTS
from vivavoce.messages import say
from vivavoce.store.rows import (
    BotRow,
    DialogueRow,
    ExampleRow,
    Project,
    RatingRow,
    ReservedRow,
    ScenarioRow,
    SuiteRow,
    Topic,
)

FORMAT = "vivavoce project"
FORMAT_VERSION = 1
PROJECT, TOPICS, EXAMPLES, TEST_SET = "project.json", "topics.csv", "examples.csv", "test_set.csv"
BOTS, SUITES, DIALOGUES = "bots.json", "suites.json", "dialogues.jsonl"
TOPIC_COLUMNS = ("topic", "description", "owner")
EXAMPLE_COLUMNS = ("text", "topic", "language", "source", "created")
TEST_COLUMNS = ("text", "topic", "language", "created")
ANSWER = "answer "  # and the code of a language
# A cell that begins so gets an apostrophe before it.
_GUARDED = (*FORMULA_STARTS, "'")

# What JSON objects hold, in the order in which it is written.
Shape = Mapping[str, type | UnionType]
HEAD: Shape = {
    "format": str, "format_version": int, "slug": str, "name": str, "language": str, "classifier": str,
    "threshold": int | float, "languages": list,
}  # fmt: skip
BOT: Shape = {"name": str, "entry": dict}
SUITE: Shape = {"name": str, "title": str, "language": str, "agent": str | None, "file": str, "scenarios": list}
SCENARIO: Shape = {"name": str, "title": str, "domain": str, "level": str, "file": str}
DIALOGUE: Shape = {
    "name": str, "batch": str, "bot": str | None, "person": str | None, "source": str, "passed": bool | None,
    "created": str, "turns": list, "ratings": list,
}  # fmt: skip
RATING: Shape = {
    "turn": int, "rater": str, "quality": int | float | None, "verdict": str | None, "created": str,
}  # fmt: skip


def write_project(  # noqa: PLR0917 - one for each file
    project: Project,
    topics: Sequence[Topic],
    examples: Iterable[ExampleRow],
    reserved: Sequence[ReservedRow],
    bots: Iterable[BotRow],
    suites: Iterable[tuple[SuiteRow, Sequence[ScenarioRow]]],
) -> dict[str, str]:
    """Return the files of a project without its dialogues, by their names."""
    head = {"format": FORMAT, "format_version": FORMAT_VERSION, "languages": list(project.languages)}
    languages = sorted({language for topic in topics for language in topic.answers})
    topic_rows = (
        (topic.name, topic.description, topic.owner, *(topic.answers.get(language, "") for language in languages))
        for topic in topics
    )
    names = {topic.id: topic.name for topic in topics}
    example_rows = (
        (row.text, names[row.topic_id] if row.topic_id else "", row.language, row.source, row.created.isoformat())
        for row in examples
    )
    test_rows = (
        (row.text, names[row.topic_id] if row.topic_id else "", row.language, row.created.isoformat())
        for row in reserved
    )
    return {
        PROJECT: _write_json(_pick(project, HEAD, head)),
        TOPICS: write_table((*TOPIC_COLUMNS, *(ANSWER + language for language in languages)), topic_rows),
        EXAMPLES: write_table(EXAMPLE_COLUMNS, example_rows),
        **({TEST_SET: write_table(TEST_COLUMNS, test_rows)} if reserved else {}),
        BOTS: _write_json([_pick(bot, BOT, {"entry": without_secrets(bot.entry)}) for bot in bots]),
        **_write_suites(suites),
    }


def write_dialogues(dialogues: Iterable[DialogueRow], ratings: Iterable[RatingRow]) -> str:
    """Return dialogues with their ratings, one in each line."""
    rated: dict[str, list[dict[str, Any]]] = {}
    for rating in ratings:
        line = _pick(rating, RATING, {"created": rating.created.isoformat()})
        rated.setdefault(rating.dialogue_id, []).append(line)
    lines = (
        _pick(row, DIALOGUE, {"created": row.created.isoformat(), "ratings": rated.get(row.id, [])})
        for row in dialogues
    )
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)


def without_secrets(value: Any) -> Any:
    """Return an entry of a bot with the name of a variable in place of each secret that is written out."""
    if not isinstance(value, Mapping):
        return [without_secrets(item) for item in value] if isinstance(value, list | tuple) else value
    return {
        key: "${" + re.sub(r"\W+", "_", key).upper() + "}"
        if isinstance(item, str) and is_telling(key) and "${" not in item
        else without_secrets(item)
        for key, item in value.items()
    }


def write_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Write CSV that no spreadsheet takes for formulas; `read_table` gives back the same cells."""

    def quote(cell: str) -> str:
        # The module that reads these tables does not write them: it leaves a lone end of line of old without quotes.
        return '"' + cell.replace('"', '""') + '"' if any(sign in cell for sign in '",\r\n') else cell

    safe_rows = ([f"'{cell}" if cell.startswith(_GUARDED) else cell for cell in row] for row in rows)
    return "".join(",".join(map(quote, row)) + "\n" for row in (columns, *safe_rows))


def read_table(text: str) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the rows of a table with the lines on which they end; ValueError where a row has other columns."""
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    columns = next(reader, [])
    for cells in reader:
        if len(cells) != len(columns):
            raise ValueError(f"line {reader.line_num} has {len(cells)} cells, not {len(columns)}")
        plain = (
            cell[1:] if cell[:1] == "'" and cell[1:].startswith((*FORMULA_STARTS, "'")) else cell for cell in cells
        )
        yield reader.line_num, dict(zip(columns, plain, strict=True))


def _write_suites(suites: Iterable[tuple[SuiteRow, Sequence[ScenarioRow]]]) -> dict[str, str]:
    texts: dict[str, str] = {}
    index = []
    for number, (suite, scenarios) in enumerate(suites, 1):
        folder = f"suites/{number:02}-{_make_file_name(suite.name)}"
        texts[f"{folder}/suite.yaml"] = suite.head
        entries = []
        for place, row in enumerate(scenarios, 1):
            file = f"{folder}/{place:03}-{_make_file_name(row.name)}.yaml"
            texts[file] = row.text
            entries.append(_pick(row, SCENARIO, {"file": file}))
        index.append(_pick(suite, SUITE, {"file": f"{folder}/suite.yaml", "scenarios": entries}))
    return {SUITES: _write_json(index), **texts}


def _pick(row: object, shape: Shape, others: Mapping[str, Any]) -> dict[str, Any]:
    """Return the object of a row: its fields, or other values for some keys."""
    return {name: others[name] if name in others else getattr(row, name) for name in shape}


def _make_file_name(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:60] or "unnamed"


def _write_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


@dataclass(frozen=True, slots=True)
class Material:
    """The content of a project's files; every row is as the file has it, times are read."""

    head: Mapping[str, Any]
    topics: tuple[Mapping[str, str], ...]
    examples: tuple[Mapping[str, Any], ...]
    reserved: tuple[Mapping[str, Any], ...]
    bots: tuple[Mapping[str, Any], ...]
    suites: tuple[Mapping[str, Any], ...]
    dialogues: tuple[Mapping[str, Any], ...]


def find_suite_files(text: str) -> set[str]:
    """Return the files that the index of suites names; its faults are reported later."""
    try:
        suites = json.loads(text)
        names = {suite["file"] for suite in suites}
        return names | {scenario["file"] for suite in suites for scenario in suite["scenarios"]}
    except (ValueError, KeyError, TypeError):
        return set()


def read_material(parts: Mapping[str, str], where: str) -> Material:
    """Read the files of a project; DataError with every fault."""
    reader = _Reader(parts)
    head = reader.read_head()
    topics = tuple(reader.read_topics())
    names = {row["topic"] for row in topics}
    examples = tuple(reader.read_examples(EXAMPLES, EXAMPLE_COLUMNS, names))
    reserved = tuple(reader.read_examples(TEST_SET, TEST_COLUMNS, names)) if TEST_SET in parts else ()
    bots = tuple(reader.read_objects(reader.read_list(BOTS), BOT))
    suites, dialogues = tuple(reader.read_suites()), tuple(reader.read_dialogues())
    if reader.faults:
        raise DataError(
            say("the project cannot be imported"), where=where, faults=reader.faults, remedy=say("fix the files")
        )
    return Material(head, topics, examples, reserved, bots, suites, dialogues)


class _Reader:
    """Reads the files of a project and notes their faults."""

    def __init__(self, parts: Mapping[str, str]) -> None:
        self.parts = parts
        self.faults: list[Fault] = []

    def blame(self, what: str, where: str) -> None:
        """Note a fault."""
        self.faults.append(Fault(what, where))

    def read_head(self) -> Mapping[str, Any]:
        """Return the head of the project."""
        head = self.parse(self.parts[PROJECT], PROJECT)
        version = (FORMAT, FORMAT_VERSION)
        if not isinstance(head, dict) or (head.get("format"), head.get("format_version")) != version:
            self.blame(say("this project header is invalid or from an unsupported version"), PROJECT)
            return {}
        if self.fits(head, HEAD, PROJECT) and not all(isinstance(code, str) for code in head["languages"]):
            self.blame(say("languages must be a list of codes"), PROJECT)
        return head

    def read_topics(self) -> Iterator[Mapping[str, str]]:
        """Yield the topics, each name once."""
        places: dict[str, str] = {}
        for where, row in self.read_rows(TOPICS, TOPIC_COLUMNS, ANSWER):
            name = row["topic"]
            if not name.strip():
                self.blame(say("the topic has no name"), where)
            elif name in places:
                seen = places[name]
                self.blame(say("topic '{name}' already exists in {seen}", name=name, seen=seen), where)
            else:
                places[name] = where
                yield row

    def read_examples(self, name: str, columns: tuple[str, ...], topics: set[str]) -> Iterator[Mapping[str, Any]]:
        """Yield the examples, or the questions of the test set."""
        for where, row in self.read_rows(name, columns):
            topic = row["topic"]
            if not row["text"].strip():
                self.blame(say("the message is empty"), where)
            if topic and topic not in topics:
                hint = nearest(topic, sorted(topics))
                self.blame(
                    say("topic '{topic}' does not exist in {topics}.{hint}", topic=topic, topics=TOPICS, hint=hint),
                    where,
                )
            yield {**row, "created": self.read_time(row["created"], where)}

    def read_suites(self) -> Iterator[Mapping[str, Any]]:
        """Yield the suites with the texts of their scenarios."""
        for suite in self.read_objects(self.read_list(SUITES), SUITE):
            where = f"{suite['name']} in {SUITES}"
            entries = ((f"{where}, scenario {number}", entry) for number, entry in enumerate(suite["scenarios"], 1))
            scenarios = list(self.read_objects(entries, SCENARIO))
            for file in (suite["file"], *(scenario["file"] for scenario in scenarios)):
                if file not in self.parts:
                    self.blame(say("file '{file}' does not exist", file=file), where)
            texts = [{**scenario, "text": self.parts.get(scenario["file"], "")} for scenario in scenarios]
            yield {**suite, "head": self.parts.get(suite["file"], ""), "scenarios": texts}

    def read_dialogues(self) -> Iterator[Mapping[str, Any]]:
        """Yield the logged dialogues with their ratings."""
        lines = enumerate(self.parts.get(DIALOGUES, "").split("\n"), 1)
        places = ((f"{DIALOGUES}, line {number}", line) for number, line in lines if line)
        values = ((where, self.parse(line, where)) for where, line in places)
        for dialogue in self.read_objects(values, DIALOGUE):
            where = f"{dialogue['name']} in {DIALOGUES}"
            if not all(isinstance(turn, dict) for turn in dialogue["turns"]):
                self.blame(say("turns must be a list of objects"), where)
            entries = ((f"{where}, rating {number}", entry) for number, entry in enumerate(dialogue["ratings"], 1))
            ratings = [
                {**rating, "created": self.read_time(rating["created"], where)}
                for rating in self.read_objects(entries, RATING, unique=False)
            ]
            yield {**dialogue, "created": self.read_time(dialogue["created"], where), "ratings": ratings}

    def read_rows(
        self, name: str, columns: tuple[str, ...], open_end: str = ""
    ) -> Iterator[tuple[str, dict[str, str]]]:
        """Yield the rows of a table with their places; other columns than the known ones are refused."""
        try:
            rows = list(read_table(self.parts[name]))
        except (ValueError, csv.Error) as error:
            self.blame(say("the table cannot be read: {error}", error=error), name)
            return
        first = rows[0][1] if rows else dict.fromkeys(columns, "")
        missing = [column for column in columns if column not in first]
        for column in missing:
            self.blame(say("column '{column}' is missing", column=column), name)
        for column in first:
            if column not in columns and not (open_end and column.startswith(open_end)):
                hint = nearest(column, columns)
                self.blame(say("unknown column '{column}'.{nearest}", column=column, nearest=hint), name)
        if not missing:
            yield from ((f"{name}, line {line}", row) for line, row in rows)

    def read_list(self, name: str) -> list[tuple[str, Any]]:
        """Return the entries of a list with their places."""
        value = self.parse(self.parts[name], name)
        if not isinstance(value, list):
            self.blame(say("must be a list"), name)
            return []
        return [(f"{name}, entry {number}", entry) for number, entry in enumerate(value, 1)]

    def read_objects(
        self, values: Iterable[tuple[str, Any]], shape: Shape, *, unique: bool = True
    ) -> Iterator[dict[str, Any]]:
        """Yield the objects that have a shape; `unique`: no two may have the same name."""
        names: set[str] = set()
        for where, value in values:
            if not self.fits(value, shape, where):
                continue
            if unique and value["name"] in names:
                self.blame(say("'{value}' appears twice", value=value["name"]), where)
            names.add(value.get("name", ""))
            yield value

    def fits(self, value: object, shape: Shape, where: str) -> bool:
        """Tell whether a value is an object of a shape, and note every fault of it."""
        if not isinstance(value, dict):
            self.blame(say("must be an object"), where)
            return False
        before = len(self.faults)
        for key in shape:
            if key not in value:
                self.blame(say("'{key}' is missing", key=key), where)
        for key in value:
            if key not in shape:
                self.blame(say("'{key}' is unknown.{nearest}", key=key, nearest=nearest(key, list(shape))), where)
        for key, kind in shape.items():
            # A yes or no is a whole number to Python, but not to people.
            is_flag = isinstance(value.get(key), bool) and kind not in (bool, bool | None)
            if key in value and (is_flag or not isinstance(value[key], kind)):
                self.blame(say("'{key}' cannot be {value}", key=key, value=repr(value[key])), where)
        return len(self.faults) == before

    def parse(self, text: str, where: str) -> Any:
        """Return the value of a JSON text."""
        try:
            return json.loads(text)
        except (ValueError, RecursionError) as error:
            self.blame(say("not valid JSON: {error}", error=error), where)
            return None

    def read_time(self, text: str, where: str) -> datetime:
        """Return a time; one without a zone is in UTC."""
        try:
            moment = datetime.fromisoformat(text)
        except ValueError:
            self.blame(say("'{text}' is not a time like 2024-05-02T08:30:00+00:00", text=text), where)
            return datetime.now(UTC)
        return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
