"""The intents exam: started, its questions, two runs compared, and the line over time."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Literal

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field

from vivavoce.outcomes import Outcome
from vivavoce.records import Rate
from vivavoce.settings import MOST_OUT_OF_SCOPE
from vivavoce.store.repositories.results import MeasurePoint
from vivavoce.store.rows import Edit, OutcomeRow, Run
from vivavoce.web.access import Editor, InStore, ProjectInPath, Reader
from vivavoce.web.api.bodies import Body
from vivavoce.web.api.lists import Limit, Listed, Offset, listed
from vivavoce.web.api.places import Place
from vivavoce.web.api.runs import Name, RunNumber
from vivavoce.web.api.texts import Moment, Word
from vivavoce.web.listing import LARGEST
from vivavoce.workspace.exams import comparing, intents, runs, timeline
from vivavoce.workspace.exams.causes import Cause
from vivavoce.workspace.exams.comparing import ComparedQuestion, RateChange
from vivavoce.workspace.exams.timeline import Mark
from vivavoce.workspace.exams.verdicts import QuestionVerdict

router = APIRouter(tags=["intents"])
Fewest = Annotated[int, Field(ge=0, le=1000)]
Share = Annotated[float, Field(ge=0, le=1)]
MOST_QUESTIONS = 200
# JSON knows lists alone.
Pair = Annotated[tuple[Fewest, Share], Field(strict=False)]
MeasureName = Literal[
    "accuracy", "automation_rate", "precision_answered", "negative_rejection", "f1_macro", "f1_weighted"
]


class ExamOptions(Body):
    """How training data are examined; what is left out is as usual."""

    settings: Annotated[list[Pair], Field(min_length=1, max_length=20)] = Field(
        default=[(0, 0.0), (0, 0.15), (5, 0.0)],
        description="Pairs (k, p): topics under k examples, or a share p, are unknown.",
    )
    retries: Annotated[int, Field(ge=1, le=100)] = 10
    threshold: Annotated[float | None, Field(ge=0, le=1)] = Field(
        default=None, description="Least confidence for an answer; null: that of the project."
    )
    test_fraction: Annotated[float, Field(ge=0.01, le=0.9)] = 0.2
    seed: Annotated[int, Field(ge=0, le=LARGEST)] = 0
    leak_proof: bool = True

    def chosen(self) -> dict[str, object]:
        """Return the options as an exam takes them; what the project decides is left out."""
        said = self.model_dump(include=set(ExamOptions.model_fields))
        said["settings"] = [list(pair) for pair in self.settings]
        return {name: value for name, value in said.items() if value is not None}


class NewIntentsExam(ExamOptions):
    """An intents exam to be started."""

    title: Annotated[str, Field(max_length=200)] = ""
    classifier: Word | None = None
    out_of_scope_share: Annotated[float | None, Field(ge=0, le=MOST_OUT_OF_SCOPE)] = Field(
        default=None, description="Share of live questions that no topic fits; null: numbers are as tested."
    )

    def chosen(self) -> dict[str, object]:
        """Return the options as an exam takes them; what the project decides is left out."""
        own = {"classifier": self.classifier, "out_of_scope_share": self.out_of_scope_share}
        return {**super().chosen(), **{name: value for name, value in own.items() if value is not None}}


class ComparedRuns(BaseModel):
    """Two runs side by side, the earlier one first.

    `verdict` is on the questions that both asked, each run as it was counted then; `by_later_topics` judges both runs
    by the topics of the later one. `causes`: edits that filed changed questions under another topic. `only_before`,
    `only_after`: examples that one run alone tested; `reworded`: examples with another text since.
    """

    a: Run
    b: Run
    same_data: bool
    differing: list[tuple[str, str, str]]
    changes: list[RateChange]
    verdict: QuestionVerdict
    paired: Rate
    p: float
    shared: int
    improved: int
    broken: int
    by_later_topics: QuestionVerdict
    causes: list[Cause]
    only_before: int
    only_after: int
    reworded: int
    improved_questions: list[ComparedQuestion]
    broken_questions: list[ComparedQuestion]
    edits: list[Edit]
    all_edits: int


class TimelineBody(BaseModel):
    """A number over time, oldest first, and the marks between, newest first.

    `verdict`: the last run against the first, question by question; null where there is one run or none.
    """

    measure: str
    verdict: QuestionVerdict | None
    points: list[MeasurePoint]
    marks: list[Mark]
    all_marks: int


@router.post("/projects/{slug}/intents", status_code=201)
def start_intents(who: Editor, store: InStore, project: ProjectInPath, place: Place, body: NewIntentsExam) -> Run:
    """Examine the topics of a project as they are now."""
    run = intents.start_intents(store, who.actor, project, title=body.title, options=body.chosen())
    place("projects", project.slug, "runs", run.number)
    return run


@router.get("/projects/{slug}/intents/{number}/questions")
def list_questions(  # noqa: PLR0917
    who: Reader,
    store: InStore,
    project: ProjectInPath,
    number: RunNumber,
    outcome: Outcome | None = None,
    intent: Name = None,
    guess: Name = None,
    search: Annotated[str | None, Query(max_length=200)] = None,
    limit: Limit = 50,
    offset: Offset = 0,
) -> Listed[OutcomeRow]:
    """Return some questions of an exam and what came of them."""
    run = runs.show_run(store, project, number, intents.KIND).run
    found = intents.list_questions(
        store,
        run,
        outcome=outcome.value if outcome else None,
        intent=intent,
        guess=guess,
        search=search,
        limit=limit,
        offset=offset,
    )
    return listed(found.rows, found.total)


@router.get("/projects/{slug}/intents/compare")
def compare_intents(
    who: Reader,
    store: InStore,
    project: ProjectInPath,
    a: Annotated[int, Query(ge=1, le=LARGEST)],
    b: Annotated[int, Query(ge=1, le=LARGEST)],
) -> ComparedRuns:
    """Hold two exams against each other: numbers, questions, and the edits between them."""
    found = comparing.compare_runs(store, project, a, b)
    return ComparedRuns(
        a=found.a,
        b=found.b,
        same_data=found.same_data,
        differing=list(found.differing),
        changes=list(found.changes),
        verdict=found.verdict,
        paired=found.verdict.difference,
        p=found.verdict.p,
        shared=found.verdict.shared,
        improved=found.verdict.improved,
        broken=found.verdict.broken,
        by_later_topics=found.questions.by_later_topics,
        causes=list(found.questions.causes),
        only_before=found.questions.only_before,
        only_after=found.questions.only_after,
        reworded=found.questions.reworded,
        improved_questions=list(found.questions.improved[:MOST_QUESTIONS]),
        broken_questions=list(found.questions.broken[:MOST_QUESTIONS]),
        edits=[line.edit for line in found.edits],
        all_edits=found.all_edits,
    )


@router.get("/projects/{slug}/timeline")
def show_timeline(  # noqa: PLR0917
    who: Reader,
    store: InStore,
    project: ProjectInPath,
    measure: MeasureName = "accuracy",
    since: Moment | None = None,
    until: Moment | None = None,
) -> TimelineBody:
    """Return a number of all exams over time, with every change between them."""
    first, last = (None if moment is None else _utc(moment) for moment in (since, until))
    found = timeline.show_timeline(store, project, measure=measure, since=first, until=last)
    return TimelineBody(
        measure=found.measure,
        verdict=found.verdict,
        points=list(found.points),
        marks=list(found.marks),
        all_marks=found.all_marks,
    )


def _utc(moment: datetime) -> datetime:
    """Return a time in UTC; one without a zone is UTC already, and one at the end of all days stays there."""
    if moment.tzinfo is None:
        return moment.replace(tzinfo=UTC)
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        return moment.replace(tzinfo=UTC)
