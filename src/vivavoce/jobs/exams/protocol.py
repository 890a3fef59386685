"""What a kind of exam must be able to do to be run in units that survive a restart.

    material (bytes) + options --plan--> units --perform--> result of each unit (bytes) --conclude--> conclusion

Nothing here knows the store: material, options and results are plain bytes and JSON, so that a unit can be done in
another process or on another machine, and a unit that is done twice gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from vivavoce.records import Rate

# Plain JSON values.
Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]
Options = Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class UnitPlan:
    """One piece of work. `key` is stable: the same material and options give the same keys.

    `phase`: units of a later phase wait for all of the earlier ones. `bot`: whose limits it is subject to.
    `title`: what it is, for people.
    """

    key: str
    title: str
    phase: int = 0
    bot: str = ""


@dataclass(frozen=True, slots=True)
class Work:
    """All that is needed to do one unit anywhere. `run` names the material, so that it is prepared once a process."""

    kind: str
    run: str
    material: bytes
    options: Options
    key: str


@dataclass(frozen=True, slots=True)
class Measure:
    """A number of a run that can be followed over time; `scope`: a setting ("0,0.15"), a bot, a rater, or empty."""

    scope: str
    name: str
    rate: Rate


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one question of an intents exam over all retries of its setting."""

    place: int
    text: str
    intent: str | None
    guess: str | None
    confidence: float
    outcome: str
    right: int
    deferred: int
    wrong: int


@dataclass(frozen=True, slots=True)
class Document:
    """Something to keep with a run: the findings, a report, a chart as specification or as a picture."""

    name: str
    media: str
    content: bytes


@dataclass(frozen=True, slots=True)
class Conclusion:
    """All that a run found. `headline` is the one sentence; `documents` holds `findings.json` first of all.

    `findings.json` is canonical (sorted keys, no spaces) and free of times of the clock, so that two runs of the same
    work give the same bytes; what was timed stands in `timings.json`. `scores`: of dialogues, as
    they are in the findings.
    """

    headline: str
    measures: tuple[Measure, ...] = ()
    outcomes: tuple[Outcome, ...] = ()
    documents: tuple[Document, ...] = ()
    warnings: tuple[str, ...] = ()
    scores: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class Failure:
    """A unit that could not be done, and why."""

    key: str
    reason: str


@dataclass(frozen=True, slots=True)
class Finished:
    """The results of a run: what was done, by key, and what was not."""

    results: Mapping[str, bytes] = field(default_factory=dict)
    failures: tuple[Failure, ...] = ()


class Exam(Protocol):
    """A kind of exam. `in_executor`: units are pure computing and go to an executor; else they are awaited."""

    name: str
    in_executor: bool

    def check(self, options: Options) -> Options:
        """Return the options complete and in order; UsageError with all faults where they cannot be used."""
        ...

    def plan(self, material: bytes, options: Options) -> tuple[UnitPlan, ...]:
        """Return all units, in the order in which they are begun."""
        ...

    def perform(self, work: Work) -> bytes:
        """Do one unit."""
        ...

    def conclude(self, material: bytes, options: Options, finished: Finished) -> Conclusion:
        """Say what the results mean: pure, the same results give the same conclusion."""
        ...
