"""Exams and what they found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Literal


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

    id: str
    project_id: str
    number: int
    kind: str
    title: str
    state: RunState
    options: Mapping[str, Any]
    version: int
    total: int
    done: int
    failed: int
    headline: str
    error: str
    user_id: str | None
    schedule_id: str | None
    suite_id: str | None
    code_version: str
    data_hash: str
    seed: int
    created: datetime
    started: datetime | None
    finished: datetime | None
    served: int = 0


@dataclass(frozen=True, slots=True)
class Unit:
    """One piece of a run, without its result."""

    id: str
    run_id: str
    key: str
    title: str
    place: int
    phase: int
    bot: str
    limit_key: str
    state: UnitState
    attempts: int
    worker: str | None
    lease_until: datetime | None
    started: datetime | None
    finished: datetime | None
    error: str


@dataclass(frozen=True, slots=True)
class TurnRow:
    """One message of a scripted conversation and what came of it."""

    unit_id: str
    number: int
    run_id: str
    bot: str
    script: str
    scenario: str
    domain: str
    level: str
    kind: str
    repeat: int
    sent: str
    reply: str
    status: str
    outcome: str
    detail: Mapping[str, Any]
    first_ms: float | None


@dataclass(frozen=True, slots=True)
class OutcomeRow:
    """One question of an intents exam and what came of it: how many of its tests were right, deferred and wrong."""

    run_id: str
    place: int
    text: str
    intent: str | None
    guess: str | None
    confidence: float
    outcome: str
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

    run_id: str
    scope: str
    name: str
    value: float | None
    low: float | None
    high: float | None
    n: int


@dataclass(frozen=True, slots=True)
class DocumentRow:
    """Something kept with a run."""

    run_id: str
    name: str
    media: str
    content: bytes


@dataclass(frozen=True, slots=True)
class Schedule:
    """A run that starts every day; `minute_of_day` in UTC."""

    id: str
    project_id: str
    kind: str
    title: str
    options: Mapping[str, Any]
    minute_of_day: int
    enabled: bool
    next_at: datetime
    user_id: str | None
    created: datetime


@dataclass(frozen=True, slots=True)
class WorkerRow:
    """A process that does units."""

    id: str
    host: str
    pid: int
    started: datetime
    seen: datetime
