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
from vivavoce.web.api.bodies import Limit, Listed, Moment, Offset, Place, build, make_list
from vivavoce.web.api.option_bodies import StartBody, start_body
from vivavoce.web.api.runs import Name, RunNumber
from vivavoce.web.listing import LARGEST
from vivavoce.web.visits import EditorVisit, ReaderVisit
from vivavoce.workspace.exams import comparing, intents, runs, timeline
from vivavoce.workspace.exams.comparing import Cause, ComparedQuestion, RateChange
from vivavoce.workspace.exams.timeline import Mark
from vivavoce.workspace.exams.verdicts import QuestionVerdict

router = APIRouter(tags=["intents"])
MAX_QUESTIONS = 200
MeasureName = Literal[
    "accuracy", "automation_rate", "precision_answered", "negative_rejection", "f1_macro", "f1_weighted"
]


if TYPE_CHECKING:
    NewIntentsExam = StartBody
else:
    NewIntentsExam = start_body("NewIntentsExam", "An intents exam to start.", INTENTS)


class ComparedRuns(BaseModel):
    """Two runs side by side, the earlier one first.

    `verdict` is on the questions that both asked, each run as it was counted then; `by_later_topics` judges both runs
    by the topics of the later one. `causes`: edits that filed changed questions under another topic. `only_before`,
    `only_after`: examples that one run alone tested; `reworded`: examples with another text since.
    """

    a: Run
    b: Run
    same_data: bool
    differing: tuple[tuple[str, str, str], ...]
    changes: tuple[RateChange, ...]
    verdict: QuestionVerdict
    paired: Rate
    p: float
    shared: int
    improved: int
    broken: int
    by_later_topics: QuestionVerdict
    causes: tuple[Cause, ...]
    only_before: int
    only_after: int
    reworded: int
    improved_questions: tuple[ComparedQuestion, ...]
    broken_questions: tuple[ComparedQuestion, ...]
    edits: list[Edit]
    all_edits: int


class TimelineBody(BaseModel):
    """A number over time, oldest first, and the marks between, newest first.

    `verdict`: the last run against the first, question by question; null where there is one run or none.
    """

    measure: str
    verdict: QuestionVerdict | None
    points: tuple[MeasurePoint, ...]
    marks: tuple[Mark, ...]
    all_marks: int


@router.post("/projects/{slug}/intents", status_code=201)
def start_intents(visit: EditorVisit, place: Place, body: NewIntentsExam) -> Run:
    """Examine the topics of a project as they are now."""
    run = intents.start_intents(visit.store, visit.actor, visit.project, title=body.title, options=body.chosen())
    return place(run, "runs", run.number)


@router.get("/projects/{slug}/intents/{number}/questions")
def list_questions(  # noqa: PLR0917
    visit: ReaderVisit,
    number: RunNumber,
    outcome: Outcome | None = None,
    intent: Name = None,
    guess: Name = None,
    search: Annotated[str | None, Query(max_length=200)] = None,
    limit: Limit = 50,
    offset: Offset = 0,
) -> Listed[OutcomeRow]:
    """Return some questions of an exam and what came of them."""
    run = runs.show_run(visit.store, visit.project, number, intents.KIND).run
    page = intents.list_questions(
        visit.store,
        run,
        outcome=outcome.value if outcome else None,
        intent=intent,
        guess=guess,
        search=search,
        limit=limit,
        offset=offset,
    )
    return make_list(page.rows, page.total)


@router.get("/projects/{slug}/intents/compare")
def compare_intents(
    visit: ReaderVisit, a: Annotated[int, Query(ge=1, le=LARGEST)], b: Annotated[int, Query(ge=1, le=LARGEST)]
) -> ComparedRuns:
    """Hold two exams against each other: numbers, questions, and the edits between them."""
    comparison = comparing.compare_runs(visit.store, visit.project, a, b)
    questions, verdict = comparison.questions, comparison.verdict
    return build(
        ComparedRuns,
        comparison,
        questions,
        verdict,
        paired=verdict.difference,
        improved=verdict.improved,
        broken=verdict.broken,
        improved_questions=questions.improved[:MAX_QUESTIONS],
        broken_questions=questions.broken[:MAX_QUESTIONS],
        edits=[line.edit for line in comparison.edits],
    )


@router.get("/projects/{slug}/timeline")
def show_timeline(
    visit: ReaderVisit, measure: MeasureName = "accuracy", since: Moment | None = None, until: Moment | None = None
) -> TimelineBody:
    """Return a number of all exams over time, with every change between them."""
    first, last = (None if moment is None else _utc(moment) for moment in (since, until))
    return build(
        TimelineBody, timeline.show_timeline(visit.store, visit.project, measure=measure, since=first, until=last)
    )


def _utc(moment: datetime) -> datetime:
    """Return a time in UTC; one without a zone is UTC already, and one at the end of all days stays there."""
    if moment.tzinfo is None:
        return moment.replace(tzinfo=UTC)
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        return moment.replace(tzinfo=UTC)
