"""The intents exam: started, its questions, two runs compared, and the line over time."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Literal

from fastapi import APIRouter, Query
from pydantic import BaseModel

from vivavoce.jobs.exams.kinds import INTENTS
from vivavoce.outcomes import Outcome
from vivavoce.records import Rate
from vivavoce.store.repositories.results import MeasurePoint
from vivavoce.store.rows import Edit, OutcomeRow, Run
from vivavoce.web.access import Editor, InStore, ProjectInPath, Reader
from vivavoce.web.api.lists import Limit, Listed, Offset, listed
from vivavoce.web.api.option_bodies import StartBody, start_body
from vivavoce.web.api.places import Place
from vivavoce.web.api.runs import Name, RunNumber
from vivavoce.web.api.texts import Moment
from vivavoce.web.listing import LARGEST
from vivavoce.workspace.exams import comparing, intents, runs, timeline
from vivavoce.workspace.exams.causes import Cause
from vivavoce.workspace.exams.comparing import ComparedQuestion, RateChange
from vivavoce.workspace.exams.timeline import Mark
from vivavoce.workspace.exams.verdicts import QuestionVerdict

router = APIRouter(tags=["intents"])
MOST_QUESTIONS = 200
MeasureName = Literal[
    "accuracy", "automation_rate", "precision_answered", "negative_rejection", "f1_macro", "f1_weighted"
]


if TYPE_CHECKING:
    NewIntentsExam = StartBody
else:
    NewIntentsExam = start_body("NewIntentsExam", "An intents exam to be started.", INTENTS)


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
