"""Runs of all exams: looked at, ended, gone on with, and what they found."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query
from pydantic import BaseModel, Field
from starlette.responses import Response

from vivavoce.jobs.exams.protocol import ExamKind
from vivavoce.jobs.exams.registry import exam_kinds
from vivavoce.store.rows import Project, Run, RunState
from vivavoce.web.access import Editor, InStore, ProjectInPath, Reader
from vivavoce.web.api.bodies import Body
from vivavoce.web.api.lists import Limit, Listed, Offset, listed
from vivavoce.web.api.places import Place
from vivavoce.web.api.texts import Text, Word
from vivavoce.web.listing import LARGEST
from vivavoce.workspace.exams import runs
from vivavoce.workspace.exams.project_exams import start_exam
from vivavoce.workspace.exams.runs import FailureCount
from vivavoce.workspace.exams.silence import Silence

router = APIRouter(tags=["runs"])
RunNumber = Annotated[int, Path(ge=1, le=LARGEST, description="The number of the run within its project.")]
Kind = Annotated[
    str | None,
    Query(max_length=20, description="intents, engines, conversations, dialogues, or a plug-in."),
]
Name = Annotated[str | None, Query(max_length=400)]
ChartName = Annotated[str, Path(max_length=60, pattern=r"^[a-z0-9-]+$")]
JSON_FILE: dict[int | str, dict[str, Any]] = {200: {"content": {"application/json": {"schema": {"type": "object"}}}}}
HTML_FILE: dict[int | str, dict[str, Any]] = {200: {"content": {"text/html": {"schema": {"type": "string"}}}}}
SVG_FILE: dict[int | str, dict[str, Any]] = {200: {"content": {"image/svg+xml": {"schema": {"type": "string"}}}}}


class NewTitle(Body):
    """Another title of a run."""

    title: Word


class NewRun(Body):
    """A run to be started; `GET /exams` lists the kinds and the options of each."""

    kind: Word
    title: Annotated[Text, Field(max_length=runs.MOST_TITLE)] = ""
    options: Annotated[dict[str, Any], Field(max_length=50)] = Field(default_factory=dict)


class OptionBody(BaseModel):
    """One option of an exam; `several`: a list of values. `daily`: daily runs take it too."""

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
    """An exam that is installed."""

    kind: str
    title: str
    summary: str
    options: list[OptionBody]

    @classmethod
    def of(cls, kind: ExamKind) -> ExamBody:
        """Return what is told of an exam."""
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
    """How far a run is; `units` counts its pieces by state, `seconds_left` is null where nobody can tell.

    `silence` says since when nobody is at work on it; null where somebody is.
    """

    state: RunState
    version: int
    total: int
    units: dict[str, int]
    seconds_left: float | None
    failures: list[FailureCount]
    workers: int
    silence: Silence | None


@router.get("/exams")
def list_exams(who: Reader) -> Listed[ExamBody]:
    """Return the exams that are installed, with the options that a run of each takes."""
    return listed([ExamBody.of(kind) for kind in exam_kinds()])


@router.post("/projects/{slug}/runs", status_code=201)
def start_run(who: Editor, store: InStore, project: ProjectInPath, place: Place, body: NewRun) -> Run:
    """Start an exam of any kind on the material of a project as it is now."""
    run = start_exam(store, who.actor, project, body.kind, body.options, body.title)
    place("projects", project.slug, "runs", run.number)
    return run


@router.get("/projects/{slug}/runs")
def list_runs(  # noqa: PLR0917
    who: Reader,
    store: InStore,
    project: ProjectInPath,
    kind: Kind = None,
    state: RunState | None = None,
    limit: Limit = 25,
    offset: Offset = 0,
) -> Listed[Run]:
    """Return some runs, the newest first."""
    found = runs.list_runs(store, project, kind=kind, state=state, limit=limit, offset=offset)
    return listed([line.run for line in found.lines], found.total)


@router.get("/projects/{slug}/runs/{number}")
def show_run(who: Reader, store: InStore, project: ProjectInPath, number: RunNumber) -> Run:
    """Return a run."""
    return runs.show_run(store, project, number).run


@router.get("/projects/{slug}/runs/{number}/progress")
def show_progress(who: Reader, store: InStore, project: ProjectInPath, number: RunNumber) -> ProgressBody:
    """Return how far a run is, why parts of it failed, and how long the rest may take."""
    found = runs.progress_of(store, runs.show_run(store, project, number).run)
    return ProgressBody(
        state=found.run.state,
        version=found.run.version,
        total=found.run.total,
        units={state.value: n for state, n in found.counts.items()},
        seconds_left=found.seconds_left,
        failures=list(found.failures),
        workers=found.workers,
        silence=found.silence,
    )


@router.post("/projects/{slug}/runs/{number}/cancel")
def cancel_run(who: Editor, store: InStore, project: ProjectInPath, number: RunNumber) -> Run:
    """End a run; what was done is kept, and it can go on later."""
    return runs.cancel_run(store, who.actor, project, number)


@router.post("/projects/{slug}/runs/{number}/resume")
def resume_run(who: Editor, store: InStore, project: ProjectInPath, number: RunNumber) -> Run:
    """Go on with a run that was cancelled or failed."""
    return runs.resume_run(store, who.actor, project, number)


@router.post("/projects/{slug}/runs/{number}/retry")
def retry_run(who: Editor, store: InStore, project: ProjectInPath, number: RunNumber) -> Run:
    """Try again what failed in a run that is over."""
    return runs.retry_run(store, who.actor, project, number)


@router.put("/projects/{slug}/runs/{number}/title")
def rename_run(who: Editor, store: InStore, project: ProjectInPath, number: RunNumber, body: NewTitle) -> Run:
    """Give a run another title."""
    return runs.rename_run(store, who.actor, project, number, body.title)


@router.delete("/projects/{slug}/runs/{number}", status_code=204)
def delete_run(who: Editor, store: InStore, project: ProjectInPath, number: RunNumber) -> None:
    """Forget a run that is over and all that it found, for good."""
    runs.delete_run(store, who.actor, project, number)


@router.get("/projects/{slug}/runs/{number}/findings", responses=JSON_FILE, response_class=Response)
def show_findings(who: Reader, store: InStore, project: ProjectInPath, number: RunNumber) -> Response:
    """Return all that a run found: the same bytes for the same work."""
    return _file(store, project, number, runs.FINDINGS, "application/json")


@router.get("/projects/{slug}/runs/{number}/warnings")
def list_warnings(who: Reader, store: InStore, project: ProjectInPath, number: RunNumber) -> Listed[str]:
    """Return what is to be known before the numbers of a run are trusted."""
    return listed(runs.warnings_of(store, runs.show_run(store, project, number).run))


@router.get("/projects/{slug}/runs/{number}/report", responses=HTML_FILE, response_class=Response)
def show_report(who: Reader, store: InStore, project: ProjectInPath, number: RunNumber) -> Response:
    """Return the report of a run, one file with all pictures in it."""
    answer = _file(store, project, number, runs.REPORT, "text/html; charset=utf-8")
    # Opened in a browser, a report may show itself and do nothing else.
    answer.headers["Content-Security-Policy"] = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
    return answer


@router.get("/projects/{slug}/runs/{number}/charts/{name}", responses=JSON_FILE, response_class=Response)
def show_chart(who: Reader, store: InStore, project: ProjectInPath, number: RunNumber, name: ChartName) -> Response:
    """Return the specification of a chart (Vega-Lite)."""
    return _file(store, project, number, f"charts/{name}.json", "application/json")


@router.get("/projects/{slug}/runs/{number}/pictures/{name}", responses=SVG_FILE, response_class=Response)
def show_picture(who: Reader, store: InStore, project: ProjectInPath, number: RunNumber, name: ChartName) -> Response:
    """Return a chart as a picture."""
    answer = _file(store, project, number, f"charts/{name}.svg", "image/svg+xml")
    answer.headers["Content-Security-Policy"] = "default-src 'none'; style-src 'unsafe-inline'"
    return answer


def _file(store: InStore, project: Project, number: int, name: str, media: str) -> Response:
    run = runs.show_run(store, project, number).run
    return Response(runs.document(store, run, name), media_type=media)
