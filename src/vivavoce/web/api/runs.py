"""Runs of all exams, and what the exams of topics and of classifiers found."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from fastapi import APIRouter, Path, Query
from pydantic import BaseModel, Field
from starlette.responses import Response

from vivavoce.jobs.exams.kinds import ENGINES, INTENTS
from vivavoce.jobs.exams.protocol import ExamKind
from vivavoce.jobs.exams.registry import exam_kinds
from vivavoce.outcomes import Outcome
from vivavoce.records import Rate
from vivavoce.store.repositories.results import MeasurePoint
from vivavoce.store.rows import Edit, OutcomeRow, Project, Run, RunState
from vivavoce.web.access import InStore, Reader
from vivavoce.web.api.bodies import (
    Body,
    Limit,
    Listed,
    Moment,
    Offset,
    Place,
    StartBody,
    Text,
    Word,
    build,
    make_list,
    start_body,
    to_utc,
)
from vivavoce.web.listing import LARGEST
from vivavoce.web.visits import EditorVisit, ReaderVisit
from vivavoce.workspace.access.engine_rules import OfferedEngine, offered_engines
from vivavoce.workspace.exams import comparing, intents, runs, timeline
from vivavoce.workspace.exams.comparing import Cause, ComparedQuestion, RateChange
from vivavoce.workspace.exams.intents import EngineTime
from vivavoce.workspace.exams.project_exams import start_exam
from vivavoce.workspace.exams.runs import FailureCount, Silence
from vivavoce.workspace.exams.timeline import Mark
from vivavoce.workspace.exams.verdicts import QuestionVerdict

router = APIRouter(tags=["runs"])
RunNumber = Annotated[int, Path(ge=1, le=LARGEST, description="The number of the run within its project.")]
Kind = Annotated[
    str | None, Query(max_length=20, description="intents, engines, conversations, dialogues, or a plug-in.")
]
Name = Annotated[str | None, Query(max_length=400)]
ChartName = Annotated[str, Path(max_length=60, pattern=r"^[a-z0-9-]+$")]
Documented = dict[int | str, dict[str, Any]]
JSON_FILE: Documented = {200: {"content": {"application/json": {"schema": {"type": "object"}}}}}
HTML_FILE: Documented = {200: {"content": {"text/html": {"schema": {"type": "string"}}}}}
SVG_FILE: Documented = {200: {"content": {"image/svg+xml": {"schema": {"type": "string"}}}}}


class NewTitle(Body):
    """The new title of a run."""

    title: Word


class NewRun(Body):
    """A run to start; `GET /exams` lists the kinds and their options."""

    kind: Word
    title: Annotated[Text, Field(max_length=runs.MAX_TITLE)] = ""
    options: Annotated[dict[str, Any], Field(max_length=50)] = Field(default_factory=dict)


class OptionBody(BaseModel):
    """One option of an exam; `several`: a list of values. `daily`: also available for daily runs."""

    name: str
    type: str
    default: Any
    help: str
    choices: list[str]
    low: float | None
    high: float | None
    several: bool
    required: bool
    daily: bool


class ExamBody(BaseModel):
    """An installed exam."""

    kind: str
    title: str
    summary: str
    options: list[OptionBody]

    @classmethod
    def of(cls, kind: ExamKind) -> ExamBody:
        """Return an exam as the API describes it."""
        plain = ("name", "default", "help", "low", "high", "several", "required", "daily")
        options = [
            OptionBody(
                type=option.type.__name__,
                choices=list(option.choices),
                **{name: getattr(option, name) for name in plain},
            )
            for option in kind.chosen
        ]
        return cls(kind=kind.name, title=kind.title, summary=kind.summary, options=options)


class ProgressBody(BaseModel):
    """The progress of a run; `units`: the number of its units by state; `seconds_left` null: unknown.

    `stage`: what the run is doing, such as "running conversations" or "2 runs before this one".
    `silence`: how long no worker has responded; null: a worker is active.
    """

    state: RunState
    version: int
    total: int
    units: dict[str, int]
    seconds_left: float | None
    failures: tuple[FailureCount, ...]
    workers: int
    silence: Silence | None
    stage: str


@router.get("/exams")
def list_exams(who: Reader) -> Listed[ExamBody]:
    """List the installed exams with their options."""
    return make_list([ExamBody.of(kind) for kind in exam_kinds()])


@router.post("/projects/{slug}/runs", status_code=201)
def start_run(visit: EditorVisit, place: Place, body: NewRun) -> Run:
    """Start an exam of any kind on the current content of a project."""
    run = start_exam(*visit.acting, body.kind, body.options, body.title)
    return place(run, "runs", run.number)


@router.get("/projects/{slug}/runs")
def list_runs(
    visit: ReaderVisit, kind: Kind = None, state: RunState | None = None, limit: Limit = 25, offset: Offset = 0
) -> Listed[Run]:
    """List runs, newest first."""
    page = runs.list_runs(*visit.here, kind=kind, state=state, limit=limit, offset=offset)
    return make_list([line.run for line in page.lines], page.total)


@router.get("/projects/{slug}/runs/{number}")
def show_run(visit: ReaderVisit, number: RunNumber) -> Run:
    """Get a run."""
    return runs.show_run(*visit.here, number).run


@router.get("/projects/{slug}/runs/{number}/progress")
def show_progress(visit: ReaderVisit, number: RunNumber) -> ProgressBody:
    """Get the progress of a run, the reasons of failures, and the estimated time left."""
    progress = runs.progress_of(visit.store, runs.show_run(*visit.here, number).run)
    units = {state.value: n for state, n in progress.counts.items()}
    return build(ProgressBody, progress, progress.run, units=units)


@router.post("/projects/{slug}/runs/{number}/cancel")
def cancel_run(visit: EditorVisit, number: RunNumber) -> Run:
    """Cancel a run. Finished units are kept, and you can resume it later."""
    return runs.cancel_run(*visit.acting, number)


@router.post("/projects/{slug}/runs/{number}/resume")
def resume_run(visit: EditorVisit, number: RunNumber) -> Run:
    """Resume a cancelled or failed run."""
    return runs.resume_run(*visit.acting, number)


@router.post("/projects/{slug}/runs/{number}/retry")
def retry_run(visit: EditorVisit, number: RunNumber) -> Run:
    """Retry the failed units of a finished run."""
    return runs.retry_run(*visit.acting, number)


@router.put("/projects/{slug}/runs/{number}/title")
def rename_run(visit: EditorVisit, number: RunNumber, body: NewTitle) -> Run:
    """Rename a run."""
    return runs.rename_run(*visit.acting, number, body.title)


@router.delete("/projects/{slug}/runs/{number}", status_code=204)
def delete_run(visit: EditorVisit, number: RunNumber) -> None:
    """Permanently delete a finished run and its results."""
    runs.delete_run(*visit.acting, number)


@router.get("/projects/{slug}/runs/{number}/findings", responses=JSON_FILE, response_class=Response)
def show_findings(visit: ReaderVisit, number: RunNumber) -> Response:
    """Get the findings of a run as JSON; equal runs give equal bytes."""
    return _file(*visit.here, number, runs.FINDINGS, "application/json")


@router.get("/projects/{slug}/runs/{number}/warnings")
def list_warnings(visit: ReaderVisit, number: RunNumber) -> Listed[str]:
    """List what to know before you trust the numbers of a run."""
    return make_list(runs.warnings_of(visit.store, runs.show_run(*visit.here, number).run))


@router.get("/projects/{slug}/runs/{number}/report", responses=HTML_FILE, response_class=Response)
def show_report(visit: ReaderVisit, number: RunNumber) -> Response:
    """Get the report of a run as one HTML file with all charts."""
    answer = _file(*visit.here, number, runs.REPORT, "text/html; charset=utf-8")
    # Opened in a browser, a report may show itself and do nothing else.
    answer.headers["Content-Security-Policy"] = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
    return answer


@router.get("/projects/{slug}/runs/{number}/charts/{name}", responses=JSON_FILE, response_class=Response)
def show_chart(visit: ReaderVisit, number: RunNumber, name: ChartName) -> Response:
    """Get a chart as a Vega-Lite specification."""
    return _file(*visit.here, number, f"charts/{name}.json", "application/json")


@router.get("/projects/{slug}/runs/{number}/pictures/{name}", responses=SVG_FILE, response_class=Response)
def show_picture(visit: ReaderVisit, number: RunNumber, name: ChartName) -> Response:
    """Get a chart as an SVG image."""
    answer = _file(*visit.here, number, f"charts/{name}.svg", "image/svg+xml")
    answer.headers["Content-Security-Policy"] = "default-src 'none'; style-src 'unsafe-inline'"
    return answer


def _file(store: InStore, project: Project, number: int, name: str, media: str) -> Response:
    run = runs.show_run(store, project, number).run
    return Response(runs.document(store, run, name), media_type=media)


intents_router = APIRouter(tags=["intents"])
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

    `verdict` covers the questions of both runs, each as counted at the time; `by_later_topics` judges both runs
    by the topics of the later one. `causes`: edits that moved changed questions to another topic. `only_before`,
    `only_after`: examples that only one run tested; `reworded`: examples whose text changed since.
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
    """A metric over time, oldest first, and the changes in between, newest first.

    `verdict`: the last run against the first, question by question; null with fewer than two runs.
    """

    measure: str
    verdict: QuestionVerdict | None
    points: tuple[MeasurePoint, ...]
    marks: tuple[Mark, ...]
    all_marks: int


@intents_router.post("/projects/{slug}/intents", status_code=201)
def start_intents(visit: EditorVisit, place: Place, body: NewIntentsExam) -> Run:
    """Start an intents exam on the current topics of a project."""
    run = intents.start_intents(*visit.acting, title=body.title, options=body.read_options())
    return place(run, "runs", run.number)


@intents_router.get("/projects/{slug}/intents/{number}/questions")
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
    """List the questions of an exam with their outcomes."""
    run = runs.show_run(*visit.here, number, intents.KIND).run
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


@intents_router.get("/projects/{slug}/intents/compare")
def compare_intents(
    visit: ReaderVisit, a: Annotated[int, Query(ge=1, le=LARGEST)], b: Annotated[int, Query(ge=1, le=LARGEST)]
) -> ComparedRuns:
    """Compare two exams: metrics, questions, and the edits between them."""
    comparison = comparing.compare_runs(*visit.here, a, b)
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


@intents_router.get("/projects/{slug}/timeline")
def show_timeline(
    visit: ReaderVisit, measure: MeasureName = "accuracy", since: Moment | None = None, until: Moment | None = None
) -> TimelineBody:
    """Get a metric of all exams over time, with all changes in between."""
    first, last = (None if moment is None else to_utc(moment) for moment in (since, until))
    return build(TimelineBody, timeline.show_timeline(*visit.here, measure=measure, since=first, until=last))


engines_router = APIRouter(tags=["engines"])


if TYPE_CHECKING:
    NewComparison = StartBody
else:
    NewComparison = start_body("NewComparison", "A comparison of classifiers to start.", ENGINES)


@engines_router.get("/engines")
def list_engines(who: Reader) -> Listed[OfferedEngine]:
    """List the installed classifiers; `needs`: what is missing before you can choose one."""
    return make_list(offered_engines())


@engines_router.post("/projects/{slug}/engines", status_code=201)
def start_engines(visit: EditorVisit, place: Place, body: NewComparison) -> Run:
    """Start a comparison of classifiers on the same splits."""
    run = start_exam(*visit.acting, ENGINES.name, body.read_options(), body.title)
    return place(run, "runs", run.number)


@engines_router.get("/projects/{slug}/engines/{number}/times")
def list_engine_times(visit: ReaderVisit, number: RunNumber) -> Listed[EngineTime]:
    """List the training and testing times of a comparison's classifiers."""
    return make_list(intents.engine_times(visit.store, runs.show_run(*visit.here, number, "engines").run))
