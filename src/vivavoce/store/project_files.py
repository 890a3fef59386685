"""A project's material as files that people can read, compare and keep in git, and back.

project.json      its name, languages, engine and threshold
topics.csv        topics, one column for the answers in each language
examples.csv      messages with their topics; no topic: out of scope
bots.json         bots, without secrets
suites.json       suites, and which file holds which scenario
suites/...        suites and scenarios in YAML
dialogues.jsonl   logged talks with their ratings, where they were asked for
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from vivavoce.bots.redaction import is_telling
from vivavoce.files.writing import FORMULA_STARTS
from vivavoce.store.rows import (
    BotRow,
    DialogueRow,
    ExampleRow,
    Project,
    RatingRow,
    ScenarioRow,
    SuiteRow,
    Topic,
)

FORMAT = "vivavoce project"
FORMAT_VERSION = 1
PROJECT, TOPICS, EXAMPLES = "project.json", "topics.csv", "examples.csv"
BOTS, SUITES, DIALOGUES = "bots.json", "suites.json", "dialogues.jsonl"
TOPIC_COLUMNS = ("topic", "description", "owner")
EXAMPLE_COLUMNS = ("text", "topic", "language", "source", "created")
ANSWER = "answer "  # and the code of a language


def project_text(project: Project) -> str:
    """Write what holds for the whole project."""
    told = {name: getattr(project, name) for name in ("slug", "name", "language", "classifier", "threshold")}
    return _json({"format": FORMAT, "format_version": FORMAT_VERSION, **told, "languages": list(project.languages)})


def topics_text(topics: Sequence[Topic]) -> str:
    """Write topics with their answers."""
    languages = sorted({language for topic in topics for language in topic.answers})
    rows = (
        (topic.name, topic.description, topic.owner, *(topic.answers.get(language, "") for language in languages))
        for topic in topics
    )
    return write_table((*TOPIC_COLUMNS, *(ANSWER + language for language in languages)), rows)


def examples_text(examples: Iterable[ExampleRow], names: Mapping[str, str]) -> str:
    """Write examples in their order; `names`: of the topics, by id."""
    rows = (
        (row.text, names[row.topic_id] if row.topic_id else "", row.language, row.source, row.created.isoformat())
        for row in examples
    )
    return write_table(EXAMPLE_COLUMNS, rows)


def bots_text(bots: Iterable[BotRow]) -> str:
    """Write bots; where a secret was written out, the name of a variable stands in its place."""
    return _json([{"name": bot.name, "entry": without_secrets(bot.entry)} for bot in bots])


def suite_texts(suites: Iterable[tuple[SuiteRow, Sequence[ScenarioRow]]]) -> dict[str, str]:
    """Write suites and scenarios, by the names of their files."""
    texts: dict[str, str] = {}
    index = []
    for number, (suite, scenarios) in enumerate(suites, 1):
        folder = f"suites/{number:02}-{_file_name(suite.name)}"
        files = [f"{folder}/{place:03}-{_file_name(row.name)}.yaml" for place, row in enumerate(scenarios, 1)]
        texts[f"{folder}/suite.yaml"] = suite.head
        texts |= {file: row.text for file, row in zip(files, scenarios, strict=True)}
        own = {name: getattr(suite, name) for name in ("name", "title", "language", "agent")}
        listed = [
            {"name": row.name, "title": row.title, "domain": row.domain, "level": row.level, "file": file}
            for row, file in zip(scenarios, files, strict=True)
        ]
        index.append({**own, "file": f"{folder}/suite.yaml", "scenarios": listed})
    return {SUITES: _json(index), **texts}


def dialogues_lines(dialogues: Iterable[DialogueRow], ratings: Mapping[str, Sequence[RatingRow]]) -> Iterator[str]:
    """Write talks, one in each line; `ratings`: by the id of the talk."""
    for row in dialogues:
        told = {name: getattr(row, name) for name in ("name", "batch", "bot", "person", "source", "passed")}
        rated = [
            {
                **{name: getattr(rating, name) for name in ("turn", "rater", "quality", "verdict")},
                "created": rating.created.isoformat(),
            }
            for rating in ratings.get(row.id, ())
        ]
        line = {**told, "created": row.created.isoformat(), "turns": list(row.turns), "ratings": rated}
        yield json.dumps(line, ensure_ascii=False) + "\n"


def without_secrets(value: Any) -> Any:
    """Return an entry in which no secret is written out."""
    if not isinstance(value, Mapping):
        return [without_secrets(item) for item in value] if isinstance(value, list | tuple) else value
    return {
        key: _variable(key)
        if isinstance(item, str) and is_telling(key) and "${" not in item
        else without_secrets(item)
        for key, item in value.items()
    }


def write_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Write CSV that no spreadsheet takes for formulas; `read_table` gives back the same cells."""
    lines = (
        ",".join(_quoted(f"'{cell}" if cell.startswith((*FORMULA_STARTS, "'")) else cell) for cell in row)
        for row in rows
    )
    return "".join(f"{line}\n" for line in (",".join(map(_quoted, columns)), *lines))


def read_table(text: str) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the rows of a table with the lines on which they end; ValueError where a row has other columns."""
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    columns = next(reader, [])
    for cells in reader:
        if len(cells) != len(columns):
            raise ValueError(f"line {reader.line_num} has {len(cells)} cells, not {len(columns)}")
        yield reader.line_num, dict(zip(columns, map(_plain, cells), strict=True))


def _quoted(cell: str) -> str:
    # The module that reads these tables does not write them: it leaves a lone end of line of old without quotes.
    return '"' + cell.replace('"', '""') + '"' if any(mark in cell for mark in '",\r\n') else cell


def _plain(cell: str) -> str:
    return cell[1:] if cell.startswith("'") and cell[1:].startswith((*FORMULA_STARTS, "'")) else cell


def _variable(key: str) -> str:
    return "${" + re.sub(r"\W+", "_", key).upper() + "}"


def _file_name(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:60] or "unnamed"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"
