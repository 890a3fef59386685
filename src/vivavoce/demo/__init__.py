"""Material that ships: questions of applicants in English and in German, suites of scenarios, invented talks."""

from __future__ import annotations

import json
import lzma
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

from vivavoce.errors import UsageError, nearest
from vivavoce.files import read_dataset, read_table
from vivavoce.records import Dataset

__all__ = [
    "Topic",
    "agent_path",
    "dialogues_path",
    "load",
    "past",
    "past_path",
    "shipped",
    "shipped_dialogues",
    "suite_path",
    "suites",
    "topics",
]

_FILES: Mapping[str, str] = {"recruiting-de": "recruiting_de", "recruiting-en": "recruiting_en"}
_SUITES = Path(__file__).parent / "suites"
_DIALOGUES = Path(__file__).parent / "dialogues"


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic as its owner describes it: what it is called and what the bot answers."""

    intent: str
    title: str
    category: str
    answer: str


def shipped() -> tuple[str, ...]:
    """Return the names of the material."""
    return tuple(_FILES)


def load(name: str) -> Dataset:
    """Return the examples of shipped material, each with the answer of its topic."""
    with _path(name, ".csv") as path:
        data = read_dataset(path)
    answers = {topic.intent: topic.answer for topic in topics(name)}
    examples = tuple(replace(example, answer=answers.get(example.intent or "")) for example in data)
    # The name is the same on every machine, the path is not.
    return replace(data, examples=examples, source=name)


def topics(name: str) -> tuple[Topic, ...]:
    """Return the topics of shipped material in their order."""
    with _path(name, "_topics.csv") as path:
        table = read_table(path)
    columns = [table.columns.index(column) for column in ("intent", "title", "category", "answer")]
    return tuple(Topic(*(str(row.cells[column]) for column in columns)) for row in table.rows)


def suites() -> tuple[str, ...]:
    """Return the names of the shipped suites of scenarios."""
    return tuple(sorted(path.name for path in _SUITES.glob("*") if any(_scenario_files(path))))


def suite_path(name: str) -> Path:
    """Return the folder of a shipped suite."""
    return _SUITES / _check_name(name, suites(), "suite")


def agent_path(name: str) -> Path:
    """Return the agent file of a shipped suite."""
    known = sorted(path.parent.name for path in _SUITES.glob("*/agent.yaml"))
    return _SUITES / _check_name(name, known, "agent") / "agent.yaml"


def shipped_dialogues() -> tuple[str, ...]:
    """Return the names of the shipped files of invented dialogues."""
    return tuple(sorted(path.stem for path in _DIALOGUES.glob("*.jsonl")))


def dialogues_path(name: str = "talks") -> Path:
    """Return a shipped file of dialogues: JSON Lines, one dialogue per line."""
    return _DIALOGUES / f"{_check_name(name, shipped_dialogues(), 'dialogue file')}.jsonl"


def past_path() -> Path:
    """Return the file of what earlier exams of the demo project found; `tools/make_demo_past.py` makes it."""
    return Path(__file__).parent / "past.json.xz"


@lru_cache(maxsize=1)
def past() -> Mapping[str, Any]:
    """Return what exams of earlier states of the material found, by the titles of their runs."""
    content: Mapping[str, Any] = json.loads(lzma.decompress(past_path().read_bytes()))
    return content


def _scenario_files(folder: Path) -> Iterator[Path]:
    return (path for path in folder.glob("*.yaml") if not path.name.startswith("agent"))


def _check_name(name: str, known: Sequence[str], what: str) -> str:
    if name not in known:
        raise UsageError(
            f"unknown bundled {what} '{name}'.{nearest(name, known)}",
            remedy=f"choose one of: {', '.join(known)}",
        )
    return name


@contextmanager
def _path(name: str, ending: str) -> Iterator[Path]:
    if name not in _FILES:
        raise UsageError(
            f"unknown bundled material '{name}'.{nearest(name, shipped())}",
            remedy=f"choose one of: {', '.join(shipped())}",
        )
    with as_file(files(__name__) / f"{_FILES[name]}{ending}") as path:
        yield path
