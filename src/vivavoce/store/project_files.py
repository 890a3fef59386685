"""A project's material as files that people can read, compare and keep in git, and back.

project.json      its name, languages, engine and threshold
topics.csv        topics, one column for the answers in each language
examples.csv      messages with their topics; no topic: out of scope
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
from types import UnionType
from typing import Any

from vivavoce.bots.redaction import is_telling
from vivavoce.files.writing import FORMULA_STARTS
from vivavoce.store.rows import BotRow, DialogueRow, ExampleRow, Project, RatingRow, ScenarioRow, SuiteRow, Topic

FORMAT = "vivavoce project"
FORMAT_VERSION = 1
PROJECT, TOPICS, EXAMPLES = "project.json", "topics.csv", "examples.csv"
BOTS, SUITES, DIALOGUES = "bots.json", "suites.json", "dialogues.jsonl"
TOPIC_COLUMNS = ("topic", "description", "owner")
EXAMPLE_COLUMNS = ("text", "topic", "language", "source", "created")
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


def write_project(
    project: Project,
    topics: Sequence[Topic],
    examples: Iterable[ExampleRow],
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
    return {
        PROJECT: _write_json(_pick(project, HEAD, head)),
        TOPICS: write_table((*TOPIC_COLUMNS, *(ANSWER + language for language in languages)), topic_rows),
        EXAMPLES: write_table(EXAMPLE_COLUMNS, example_rows),
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
