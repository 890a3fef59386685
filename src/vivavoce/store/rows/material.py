"""What is examined."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, Any

from vivavoce.store.columns import (
    DialogueId,
    Id,
    Name,
    Noted,
    ProjectId,
    Reference,
    RunId,
    Short,
    Translated,
    UserId,
    Word,
)


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
class ReservedRow:
    """A question of the test set: it is never trained, shown to nobody who edits, and touched by no edit of examples.

    `topic_id` None: out of scope.
    """

    id: Id
    project_id: ProjectId
    topic_id: str | None
    text: str
    language: Short
    created: datetime


@dataclass(frozen=True, slots=True)
class DecisionRow:
    """What people decided about a problem; `topics`: ids, `high`: the upper end of what it cost then."""

    id: Id
    project_id: ProjectId
    kind: Short
    topics: tuple[str, ...]
    high: float
    created: datetime


@dataclass(frozen=True, slots=True)
class ForecastRow:
    """What a remedy was forecast to do to the share of correct decisions when somebody applied it.

    `topics`: ids. `high_cost`: the upper end of what the problem cost then, None where it was on no list.
    """

    id: Id
    project_id: ProjectId
    edit_id: Annotated[str, Reference("edits")]
    remedy: Short
    topics: tuple[str, ...]
    high_cost: float | None
    difference: float | None
    low: float | None
    high: float | None
    rounds: int
    classifier: Short
    threshold: float
    created: datetime


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


@dataclass(frozen=True, slots=True)
class Change:
    """What an edit does to one row: `noun` is the table, before and after its columns (None: no such row)."""

    noun: Short
    noun_id: Short
    before: Mapping[str, Any] | None
    after: Mapping[str, Any] | None
    topic_id: Short | None = None


@dataclass(frozen=True, slots=True)
class Edit:
    """A change of material: who, when, why. `size`: how many rows it touched."""

    id: Id
    project_id: ProjectId
    at: datetime
    user_id: UserId | None
    action: Short
    summary: Translated
    why: str
    undoes: Short | None
    undone_by: Short | None
    size: int


@dataclass(frozen=True, slots=True)
class DialogueRow:
    """A logged dialogue; `turns` are mappings of speaker, text, is_bot, thumb."""

    id: Id
    project_id: ProjectId
    name: Name
    batch: Short
    bot: Short | None
    person: Short | None
    source: str
    passed: bool | None
    turns: tuple[Mapping[str, Any], ...]
    place: int
    created: datetime


@dataclass(frozen=True, slots=True)
class ScoreRow:
    """The score of a dialogue in one run."""

    run_id: RunId
    dialogue_id: DialogueId
    score: float | None
    low: float | None
    high: float | None
    refusal: Translated
    detail: Noted


@dataclass(frozen=True, slots=True)
class RatingRow:
    """What a person thinks of a dialogue (`turn` 0, quality 1 to 5) or of one answer (verdict yes, no, unsure)."""

    id: Id
    dialogue_id: DialogueId
    turn: int
    user_id: UserId | None
    rater: Short
    quality: float | None
    verdict: Short | None
    created: datetime
