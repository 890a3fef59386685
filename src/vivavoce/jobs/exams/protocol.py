"""What a kind of exam must be able to do to be run in units that survive a restart.

    material (bytes) + options --plan--> units --perform--> result of each unit (bytes) --conclude--> conclusion

Nothing here knows the store: material, options and results are plain bytes and JSON, so that a unit can be done in
another process or on another machine, and a unit that is done twice gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from vivavoce.options import Option, check_options
from vivavoce.records import Rate

if TYPE_CHECKING:
    from vivavoce.jobs.exams.conversations import TurnLine

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

    Rows beside the findings: `outcomes` of questions; `scores` of logged dialogues, as JSON; `turns` by the key of
    their unit, those alone that were judged otherwise when they were held.

    `findings.json` is canonical (sorted keys, no spaces) and free of times of the clock, so that two runs of the same
    work give the same bytes; what was timed stands in `timings.json`.
    """

    headline: str
    measures: tuple[Measure, ...] = ()
    outcomes: tuple[Outcome, ...] = ()
    scores: tuple[Mapping[str, Any], ...] = ()
    turns: Mapping[str, tuple[TurnLine, ...]] = field(default_factory=dict)
    documents: tuple[Document, ...] = ()
    warnings: tuple[str, ...] = ()


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


@dataclass(frozen=True, slots=True)
class StageProgress:
    """How far a run is, for the sentence about what it does now: units that are over, and all of them.

    `begun`: something came of it already; `concluding`: all units are over, the findings are being made. `first`: the
    key of the first unit.
    """

    over: int
    total: int
    begun: bool
    concluding: bool
    first: str = ""


@dataclass(frozen=True, slots=True)
class ProblemNote:
    """Something to fix that an exam found, for the page Today: one sentence, the topics concerned, what to do."""

    text: str
    topics: tuple[str, ...] = ()
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class ExamKind:
    """What an exam is, for every layer; the entry point of the group `vivavoce.exams` names one of these.

    `title` and `summary` are for people. `options` are kept with a run; `choices` are what a person may choose who
    starts one, where these differ. `place` orders lists; plug-ins come last.

    Parts are named as `module:name` and loaded when they are needed, so that no layer knows those above it: `units`
    (an `Exam`), `project` (a `ProjectExam`: where material comes from, what is allowed), `pages` (an `ExamPages`),
    `reader` (from the JSON of the findings to a result; else the JSON itself), `measures` (what its numbers mean: a
    table of `Measure`). Without a part of its own an exam of `material` (`topics` or `dialogues`) has general ones.

    On Today: `watched` numbers, `alike` options that two runs must share to be compared, `questions` where its runs
    keep what came of each question.
    """

    name: str
    title: str
    summary: str
    units: str
    options: tuple[Option, ...]
    choices: tuple[Option, ...] = ()
    material: str = "topics"
    project: str = ""
    pages: str = ""
    reader: str = ""
    measures: str = ""
    place: int = 100
    daily_title: str = ""
    daily_hint: str = ""
    watched: tuple[str, ...] = ()
    alike: tuple[str, ...] = ()
    questions: bool = False

    @property
    def chosen(self) -> tuple[Option, ...]:
        """What a person may choose who starts a run."""
        return self.choices or self.options

    @property
    def daily(self) -> tuple[Option, ...]:
        """What a daily run is made with."""
        return tuple(option for option in self.chosen if option.daily)


class Exam:
    """How an exam runs in units. `in_executor`: units are pure computing and go to an executor; else awaited."""

    kind: ExamKind
    in_executor = True

    @property
    def name(self) -> str:
        """The name of the exam."""
        return self.kind.name

    def check(self, options: Options) -> dict[str, Any]:
        """Return the options complete and in order; UsageError with all faults where they cannot be used."""
        return check_options(self.name, options, self.kind.options)

    def limits(self, material: bytes) -> dict[str, int]:
        """Return how many units of each bot may run at once."""
        return {}

    def plan(self, material: bytes, options: Options) -> tuple[UnitPlan, ...]:
        """Return all units, in the order in which they are begun."""
        raise NotImplementedError

    def perform(self, work: Work) -> bytes:
        """Do one unit."""
        raise NotImplementedError

    def conclude(self, material: bytes, options: Options, finished: Finished) -> Conclusion:
        """Say what the results mean: pure, the same results give the same conclusion."""
        raise NotImplementedError

    def illustrate(self, findings: Mapping[str, Any], material: bytes, finished: Finished) -> Iterable[Document]:
        """Yield report and charts from the JSON of the findings, for a run that was stored without them."""
        return ()

    def stage_facts(self, material: bytes, options: Options) -> Mapping[str, int]:
        """Return what `describe_stage` has to know of the material; asked once for a run."""
        return {}

    def describe_stage(self, facts: Mapping[str, int], progress: StageProgress) -> str:
        """Say what the run does now, in lower case and without a full stop; nothing where there is nothing to say."""
        return ""

    def problems(self, findings: Mapping[str, Any]) -> tuple[ProblemNote, ...]:
        """Return what to fix next, the most important first, from the JSON of the findings."""
        return ()
