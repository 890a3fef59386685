"""What is examined."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, Any

from vivavoce.store.columns import Id, Name, ProjectId, Reference, Short, UserId, Word


@dataclass(frozen=True, slots=True)
class Project:
    """A bot's content and all its exams."""

    id: Id
    slug: Annotated[str, Word(80)]
    name: str
    language: Short
    languages: tuple[str, ...]
    classifier: Short
    threshold: float
    created: datetime
    version: int


@dataclass(frozen=True, slots=True)
class Topic:
    """An intent with its answers, by language."""

    id: Id
    project_id: ProjectId
    name: Name
    description: str
    owner: Short
    created: datetime
    answers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ExampleRow:
    """A message that visitors write; `topic_id` None: out of scope."""

    id: Id
    project_id: ProjectId
    topic_id: str | None
    text: str
    language: Short
    source: Short
    created: datetime
    place: int


@dataclass(frozen=True, slots=True)
class BotRow:
    """A bot of a project: an entry as in bots.yaml."""

    id: Id
    project_id: ProjectId
    name: Short
    entry: Mapping[str, Any]
    created: datetime


@dataclass(frozen=True, slots=True)
class SuiteRow:
    """A suite of scenarios; `head` is its YAML without the scenarios."""

    id: Id
    project_id: ProjectId
    name: Short
    title: str
    language: Short
    agent: str | None
    head: str
    created: datetime


@dataclass(frozen=True, slots=True)
class ScenarioRow:
    """A scenario as it is now; `text` is its YAML."""

    id: Id
    suite_id: Annotated[str, Reference("suites")]
    name: Short
    title: str
    domain: Short
    level: Short
    text: str
    version: int
    place: int
    created: datetime


@dataclass(frozen=True, slots=True)
class ScenarioVersion:
    """A scenario as it was once."""

    scenario_id: Id
    version: int
    text: str
    at: datetime
    user_id: UserId | None
    why: str
