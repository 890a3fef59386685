"""Exams and what they found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, Literal

from vivavoce.records import Rate
from vivavoce.store.columns import Id, Name, Noted, ProjectId, Reference, RunId, Short, Translated, UserId, Word


class RunState(StrEnum):
    """How far a run is. `concluding`: all units are done, the findings are being made."""

    WAITING = "waiting"
    RUNNING = "running"
    CONCLUDING = "concluding"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def open(self) -> bool:
        """Whether something will still happen by itself."""
        return self in (RunState.WAITING, RunState.RUNNING, RunState.CONCLUDING)


class UnitState(StrEnum):
    """How far a unit is."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class Run:
    """An exam that is waiting, running or over."""

    id: Id
    project_id: ProjectId
    number: int
    kind: Short
    title: Translated
    state: RunState
    options: Mapping[str, Any]
    version: int
    total: int
    done: int
    failed: int
    headline: Translated
    error: Translated
    user_id: UserId | None
    schedule_id: Annotated[str, Reference("schedules")] | None
    suite_id: Short | None
    code_version: Short
    data_hash: Short
    seed: int
    created: datetime
    started: datetime | None
    finished: datetime | None
    served: int = 0


@dataclass(frozen=True, slots=True)
class Unit:
    """One piece of a run, without its result."""

    id: Id
    run_id: RunId
    key: str
    title: str
    place: int
    phase: int
    bot: Short
    limit_key: Short
    state: UnitState = UnitState.WAITING
    attempts: int = 0
    worker: Short | None = None
    lease_until: datetime | None = None
    started: datetime | None = None
    finished: datetime | None = None
    error: Translated = ""


@dataclass(frozen=True, slots=True)
class TurnRow:
    """One message of a scripted conversation and what came of it."""

    unit_id: Annotated[str, Reference("units")]
    number: int
    run_id: RunId
    bot: Short
    script: str
    scenario: str
    domain: Short
    level: Short
    kind: Short
    repeat: int
    sent: str
    reply: str
    status: Short
    outcome: Short
    detail: Noted
    first_ms: float | None


@dataclass(frozen=True, slots=True)
class OutcomeRow:
    """One question of an intents exam and what came of it: how many of its tests were right, deferred and wrong."""

    run_id: RunId
    place: int
    text: str
    intent: Name | None
    guess: Name | None
    confidence: float
    outcome: Short
    right: int
    deferred: int
    wrong: int

    @property
    def mostly(self) -> Literal["right", "deferred", "wrong"]:
        """What most of its tests came to; of two as frequent, right comes first, then wrong."""
        if self.wrong > self.right and self.wrong >= self.deferred:
            return "wrong"
        return "deferred" if self.deferred > self.right else "right"


@dataclass(frozen=True, slots=True)
class MeasureRow:
    """A number of a run with its interval."""

    run_id: RunId
    scope: Short
    name: Annotated[str, Word(100)]
    value: float | None
    low: float | None
    high: float | None
    n: int

    @property
    def rate(self) -> Rate:
        """The number with its interval."""
        return Rate(self.value, self.low, self.high, self.n)


@dataclass(frozen=True, slots=True)
class DocumentRow:
    """Something kept with a run."""

    run_id: RunId
    name: Short
    media: Short
    content: bytes


@dataclass(frozen=True, slots=True)
class Schedule:
    """A run that starts every day; `minute_of_day` in UTC."""

    id: Id
    project_id: ProjectId
    kind: Short
    title: str
    options: Mapping[str, Any]
    minute_of_day: int
    enabled: bool
    next_at: datetime
    user_id: UserId | None
    created: datetime


@dataclass(frozen=True, slots=True)
class WorkerRow:
    """A process that does units."""

    id: Id
    host: Short
    pid: int
    started: datetime
    seen: datetime
