"""What is examined."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any


@dataclass(frozen=True, slots=True)
class Project:
    """A bot's content and all its exams."""

    id: str
    slug: str
    name: str
    language: str
    languages: tuple[str, ...]
    classifier: str
    threshold: float
    created: datetime
    version: int


@dataclass(frozen=True, slots=True)
class Topic:
    """An intent with its answers, by language."""

    id: str
    project_id: str
    name: str
    description: str
    owner: str
    created: datetime
    answers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ExampleRow:
    """A message that visitors write; `topic_id` None: out of scope."""

    id: str
    project_id: str
    topic_id: str | None
    text: str
    language: str
    source: str
    created: datetime
    place: int


@dataclass(frozen=True, slots=True)
class BotRow:
    """A bot of a project: an entry as in bots.yaml."""

    id: str
    project_id: str
    name: str
    entry: Mapping[str, Any]
    created: datetime


@dataclass(frozen=True, slots=True)
class SuiteRow:
    """A suite of scenarios; `head` is its YAML without the scenarios."""

    id: str
    project_id: str
    name: str
    title: str
    language: str
    agent: str | None
    head: str
    created: datetime


@dataclass(frozen=True, slots=True)
class ScenarioRow:
    """A scenario as it is now; `text` is its YAML."""

    id: str
    suite_id: str
    name: str
    title: str
    domain: str
    level: str
    text: str
    version: int
    place: int
    created: datetime


@dataclass(frozen=True, slots=True)
class ScenarioVersion:
    """A scenario as it was once."""

    scenario_id: str
    version: int
    text: str
    at: datetime
    user_id: str | None
    why: str
