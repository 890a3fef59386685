"""Runs of all exams: the list, how far one is, what can be done with it, and what it leaves behind."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from markupsafe import Markup
from starlette.responses import Response

from vivavoce.errors import without_remedy
from vivavoce.jobs.exams.registry import exam_kinds
from vivavoce.store.rows import Project, RunState
from vivavoce.web.access import Editor, InStore, ProjectInPath, Reader
from vivavoce.web.answers import done, download, go, page, part, table_file, unchanged, words_of
from vivavoce.web.exam_pages import exam_title, pages_of
from vivavoce.web.formats import Writer
from vivavoce.web.forms import Form
from vivavoce.web.language import Words
from vivavoce.web.listing import LARGEST, Listing, ListView, Number, PageNumber, Word
from vivavoce.web.pages.exams.general_result import general_page
from vivavoce.web.parts import Choice, Column, Field, Row, text_columns
from vivavoce.web.progress import STATES, RunHead, badge_of, progress_view, run_head, run_path
from vivavoce.web.rendering import Link
from vivavoce.workspace.exams import runs

router = APIRouter(prefix="/p/{slug}/runs")
COLUMNS = ("number", "kind", "title", "state", "headline", "done", "total", "failed", "who", "created", "finished")
# The report brings its own style and pictures; nothing else may come from or go anywhere.
REPORT_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'"
MOST_EXPORTED = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class RunsView(ListView):
    """Some runs, and what narrows them down. `any`: there are runs at all."""

    any: bool
    begin: Link


@dataclass(frozen=True, slots=True)
class DeleteView:
    """A run that is about to be deleted, and what that means."""

    head: RunHead
    text: str


async def _asked_runs(kind: Word = "", state: Word = "", page: PageNumber = 1) -> Listing:
    return Listing("", {"kind": kind, "state": state}, page=page)


RunsAsked = Annotated[Listing, Depends(_asked_runs)]


@router.get("")
def show_runs(request: Request, who: Reader, store: InStore, project: ProjectInPath, asked: RunsAsked) -> Response:
    """Show the runs of a project, the newest first."""
    words, listing = words_of(request), asked.at(f"/p/{project.slug}/runs")
    kind, state = _chosen(asked)
    found = runs.list_runs(store, project, kind=kind, state=state, limit=listing.size, offset=listing.offset)
    view = RunsView(
        lead=words.ngettext("%(num)s run is kept.", "%(num)s runs are kept.", found.total),
        path=listing.path,
        fields=_fields(words, asked, runs.count_runs(store, project, kind=kind, state=state)),
        columns=run_columns(words),
        rows=tuple(run_row(words, project, line) for line in found.lines),
        pager=listing.pager(found.total),
        downloads=listing.downloads(),
        any=bool(kind or state) or found.total > 0,
        begin=Link(words.gettext("Start an intents exam"), f"/p/{project.slug}/intents"),
    )
    return page(request, "exams/runs.html", words.gettext("Runs"), view=view, project=project)


@router.get("/{number:int}")
def lead_to_run(request: Request, who: Reader, store: InStore, project: ProjectInPath, number: Number) -> Response:
    """Lead to the page of a run, which depends on its exam; one without pages of its own is shown here."""
    line = runs.show_run(store, project, number)
    if pages_of(line.run.kind).place:
        return go(run_path(project, line.run))
    return general_page(request, who, store, project, line)


@router.get("/{number:int}/progress")
def show_progress(  # noqa: PLR0917
    request: Request,
    who: Reader,
    store: InStore,
    project: ProjectInPath,
    number: Number,
    version: Annotated[int, Query(ge=0, le=LARGEST)] = 0,
) -> Response:
    """Return the part of a page that says how far a run is; nothing when that has not changed."""
    run = runs.show_run(store, project, number).run
    if not run.state.open:
        # The page that asked has more to show now: being led elsewhere, it loads itself anew.
        return go(run_path(project, run))
    found = runs.progress_of(store, run)
    # A worker that fell silent changes nothing in the run, but the seconds since then are to be seen.
    silent = found.silence is not None and run.state is not RunState.WAITING
    if run.version == version and not silent:
        return unchanged()
    view = progress_view(words_of(request), project, found)
    return part(request, "exams/run_progress.html", view=view, project=project)


@router.post("/{number:int}/cancel")
def cancel_run(request: Request, who: Editor, store: InStore, project: ProjectInPath, number: Number) -> Response:
    """End a run."""
    run = runs.cancel_run(store, who.actor, project, number)
    said = words_of(request).gettext("The run is cancelled. What was done is kept, and it can go on later.")
    return done(run_path(project, run), said)


@router.post("/{number:int}/resume")
def resume_run(request: Request, who: Editor, store: InStore, project: ProjectInPath, number: Number) -> Response:
    """Go on with a run."""
    run = runs.resume_run(store, who.actor, project, number)
    return done(run_path(project, run), words_of(request).gettext("The run goes on."))


@router.post("/{number:int}/retry")
def retry_run(request: Request, who: Editor, store: InStore, project: ProjectInPath, number: Number) -> Response:
    """Try again what failed."""
    run = runs.retry_run(store, who.actor, project, number)
    return done(run_path(project, run), words_of(request).gettext("What failed is tried again."))


@router.post("/{number:int}/rename")
def rename_run(  # noqa: PLR0917
    request: Request, who: Editor, store: InStore, project: ProjectInPath, number: Number, form: Form
) -> Response:
    """Give a run another title."""
    run = runs.rename_run(store, who.actor, project, number, form.text("title"))
    return done(run_path(project, run), words_of(request).gettext("The run has a new title."))


@router.get("/{number:int}/delete")
def ask_to_delete(request: Request, who: Editor, store: InStore, project: ProjectInPath, number: Number) -> Response:
    """Ask before a run is deleted."""
    words = words_of(request)
    line = runs.show_run(store, project, number)
    text = words.gettext(
        "Run %(number)s, %(title)s, goes with all that it found.", number=number, title=words.ours(line.run.title)
    )
    last = words.gettext("It cannot be had back; the timeline and comparisons lose it too.")
    view = DeleteView(run_head(words, project, line), f"{text} {last}")
    return page(request, "exams/run_delete.html", words.gettext("Delete this run?"), view=view, project=project)


@router.post("/{number:int}/delete")
def delete_run(request: Request, who: Editor, store: InStore, project: ProjectInPath, number: Number) -> Response:
    """Delete a run."""
    runs.delete_run(store, who.actor, project, number)
    return done(f"/p/{project.slug}/runs", words_of(request).gettext("The run is deleted."))


@router.get("/{number:int}/report.html")
def show_report(who: Reader, store: InStore, project: ProjectInPath, number: Number, save: bool = False) -> Response:
    """Return the report of a run, to read here or to keep."""
    run = runs.show_run(store, project, number).run
    content, media = runs.document(store, run, runs.REPORT), "text/html; charset=utf-8"
    if save:
        return download(f"{project.slug}-{run.kind}-{run.number}.html", media, content)
    return Response(content, media_type=media, headers={"Content-Security-Policy": REPORT_POLICY})


@router.get("/{number:int}/findings.json")
def save_findings(who: Reader, store: InStore, project: ProjectInPath, number: Number) -> Response:
    """Return all numbers of a run as a file."""
    run = runs.show_run(store, project, number).run
    content = runs.document(store, run, runs.FINDINGS)
    return download(f"{project.slug}-{run.kind}-{run.number}.json", "application/json", content)


@router.get(".{kind_of_file}")
def export_runs(who: Reader, store: InStore, project: ProjectInPath, kind_of_file: str, asked: RunsAsked) -> Response:
    """Return the list of runs as CSV or XLSX."""
    kind, state = _chosen(asked)
    found = runs.list_runs(store, project, kind=kind, state=state, limit=MOST_EXPORTED)
    return table_file(f"{project.slug}-runs", kind_of_file, COLUMNS, [_cells(line) for line in found.lines])


# --- tables of runs, on other pages too --------------------------------------------------------------------------


def run_columns(words: Words) -> tuple[Column, ...]:
    """Return the heads of a table of runs."""
    return text_columns(
        words.gettext("Run"),
        words.gettext("Exam"),
        words.gettext("State"),
        words.gettext("In one sentence"),
        words.gettext("Begun"),
    )


def run_row(words: Words, project: Project, line: runs.RunLine) -> Row:
    """Return one line of a table of runs."""
    run, writer, badge = line.run, Writer(words), badge_of(words, line.run)
    name = Markup('<a href="{}">{} <span class="muted">{}</span></a>').format(
        run_path(project, run), words.ours(run.title), run.number
    )
    state = Markup('<span class="mark {}">{}</span>').format(badge.tone, badge.text)
    if run.state is RunState.RUNNING:
        state += f" {writer.share((run.done + run.failed) / max(1, run.total))}"
    begun = Markup("{}, {}").format(writer.ago(run.created), line.who)
    return Row(
        (name, exam_title(words, run.kind), state, words.said(run.headline or without_remedy(run.error)), begun)
    )


def _fields(words: Words, asked: Listing, counts: runs.RunCounts) -> tuple[Field, ...]:
    writer = Writer(words)

    def choice(value: str, title: str, n: int) -> Choice:
        return Choice(value, f"{title} ({writer.number(n)})")

    names = dict.fromkeys((*(kind.name for kind in exam_kinds()), *counts.kinds))
    kinds = (choice(name, exam_title(words, name), counts.kinds.get(name, 0)) for name in names)
    states = (choice(one, words.gettext(title), counts.states.get(one, 0)) for one, title in STATES.items())
    every = choice("", words.gettext("all exams"), sum(counts.kinds.values()))
    anyhow = choice("", words.gettext("all states"), sum(counts.states.values()))
    return (
        Field("kind", words.gettext("Exam"), "select", asked.chosen["kind"], choices=(every, *kinds)),
        Field("state", words.gettext("State"), "select", asked.chosen["state"], choices=(anyhow, *states)),
    )


def _chosen(asked: Listing) -> tuple[str | None, RunState | None]:
    """Return what the list is narrowed down to; what nobody can choose narrows nothing."""
    kind, state = asked.chosen["kind"], asked.chosen["state"]
    return kind if kind in [exam.name for exam in exam_kinds()] else None, next(
        (one for one in RunState if one.value == state), None
    )


def _cells(line: runs.RunLine) -> tuple[object, ...]:
    run = line.run
    told = (run.number, run.kind, run.title, str(run.state), run.headline, run.done, run.total, run.failed)
    return (*told, line.who, run.created, run.finished)
