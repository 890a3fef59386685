"""Runs of all exams: the list, how far one is, what can be done with it, and what it leaves behind."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query
from starlette.responses import Response

from vivavoce.errors import AbsentError
from vivavoce.jobs.exams.registry import exam_kinds
from vivavoce.messages import say
from vivavoce.store.rows import RunState
from vivavoce.web.answers import answer_unchanged, download, go, table_file
from vivavoce.web.exam_pages import exam_title, pages_of
from vivavoce.web.figures import chart_file
from vivavoce.web.forms import Form
from vivavoce.web.listing import LARGEST, Listing, Number, facet, read_listing
from vivavoce.web.pages.exams.findings import run_columns, run_row
from vivavoce.web.pages.exams.general import general_page
from vivavoce.web.progress import STATES, progress_view, run_head, run_path
from vivavoce.web.rendering import Link
from vivavoce.web.visits import EditorVisit, ReaderVisit, Visit
from vivavoce.workspace.exams import runs

router = APIRouter(prefix="/p/{slug}/runs")
COLUMNS = ("number", "kind", "title", "state", "headline", "done", "total", "failed", "who", "created", "finished")
# The report brings its own style and pictures; nothing else may come from or go anywhere.
REPORT_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'"
MAX_EXPORTED = 10_000
MEDIA = {"json": "application/json", "svg": "image/svg+xml"}
# A picture opened by itself may only be looked at.
PICTURE_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
ChartName = Annotated[str, Path(max_length=60, pattern=r"^[a-z0-9-]+$")]
RunsAsked = Annotated[Listing, read_listing("kind", "state")]


@router.get("")
def show_runs(visit: ReaderVisit, asked: RunsAsked) -> Response:
    """Show the runs of a project, the newest first."""
    words, listing, kind, state = visit.words, asked.at(f"{visit.base}/runs"), *_filter(asked)
    page = runs.list_runs(
        visit.store, visit.project, kind=kind, state=state, limit=listing.size, offset=listing.offset
    )
    counts = runs.count_runs(visit.store, visit.project, kind=kind, state=state)
    names = dict.fromkeys((*(exam.name for exam in exam_kinds()), *counts.kinds))
    exams = {"": words.gettext("all exams"), **{name: exam_title(words, name) for name in names}}
    titles = {each.value: words.gettext(title) for each, title in STATES.items()}
    states = {"": words.gettext("any status"), **titles}
    kind_counts = {"": sum(counts.kinds.values()), **counts.kinds}
    state_counts = {"": sum(counts.states.values()), **{each.value: n for each, n in counts.states.items()}}
    return visit.page(
        "exams/runs.html",
        words.gettext("Runs"),
        lead=_lead(visit, page.total, counts, filtered=bool(kind or state)),
        facets=(
            facet(listing, "kind", words.gettext("Exam"), exams, kind_counts),
            facet(listing, "state", words.gettext("Status"), states, state_counts),
        ),
        columns=run_columns(words),
        rows=[run_row(visit, line) for line in page.lines],
        pager=listing.pager(page.total),
        downloads=listing.downloads(),
        any=bool(kind or state) or page.total > 0,
        all=listing.path,
        begin=Link(words.gettext("Examine your topics"), f"{visit.base}/intents"),
    )


def _lead(visit: Visit, total: int, counts: runs.RunCounts, *, filtered: bool) -> str:
    """Say how many runs there are, and how many of them go on."""
    words, write = visit.words, visit.write
    if filtered or not total:
        return words.ngettext("%(num)s run.", "%(num)s runs.", total)
    going = sum(n for state, n in counts.states.items() if state.open)
    if not going:
        return words.ngettext("%(num)s run, none in progress.", "%(num)s runs, none in progress.", total)
    return words.ngettext(
        "%(num)s run in progress, %(total)s in total.",
        "%(num)s runs in progress, %(total)s in total.",
        going,
        total=write.number(total),
    )


def _filter(asked: Listing) -> tuple[str | None, RunState | None]:
    """Return what the list is narrowed down to; what nobody can choose narrows nothing."""
    kind, state = asked.chosen["kind"], asked.chosen["state"]
    known = kind in [exam.name for exam in exam_kinds()]
    return kind if known else None, RunState(state) if state in set(RunState) else None


@router.get("/{number:int}")
def lead_to_run(visit: ReaderVisit, number: Number) -> Response:
    """Lead to the page of a run, which depends on its exam; one without pages of its own is shown here."""
    line = runs.show_run(visit.store, visit.project, number)
    if pages_of(line.run.kind).place:
        return go(run_path(visit.project, line.run))
    return general_page(visit, line)


@router.get("/{number:int}/progress")
def show_progress(
    visit: ReaderVisit, number: Number, version: Annotated[int, Query(ge=0, le=LARGEST)] = 0
) -> Response:
    """Return the part of a page that says how far a run is; nothing when that has not changed."""
    run = runs.show_run(visit.store, visit.project, number).run
    if not run.state.open:
        # The page that asked has more to show now: being led elsewhere, it loads itself anew.
        return go(run_path(visit.project, run))
    progress = runs.progress_of(visit.store, run)
    # A worker that fell silent changes nothing in the run, but the seconds since then are to be seen.
    silent = progress.silence is not None and run.state is not RunState.WAITING
    if run.version == version and not silent:
        return answer_unchanged()
    return visit.part("exams/run_progress.html", progress_view(visit.words, visit.project, progress))


@router.post("/{number:int}/cancel")
def cancel_run(visit: EditorVisit, number: Number) -> Response:
    """End a run."""
    run = runs.cancel_run(visit.store, visit.actor, visit.project, number)
    text = visit.words.gettext("Run cancelled. Finished work is kept, and you can resume the run later.")
    return visit.done(run_path(visit.project, run), text)


@router.post("/{number:int}/resume")
def resume_run(visit: EditorVisit, number: Number) -> Response:
    """Go on with a run."""
    run = runs.resume_run(visit.store, visit.actor, visit.project, number)
    return visit.done(run_path(visit.project, run), visit.words.gettext("Run resumed."))


@router.post("/{number:int}/retry")
def retry_run(visit: EditorVisit, number: Number) -> Response:
    """Try again what failed."""
    run = runs.retry_run(visit.store, visit.actor, visit.project, number)
    return visit.done(run_path(visit.project, run), visit.words.gettext("Retrying what failed."))


@router.post("/{number:int}/rename")
def rename_run(visit: EditorVisit, number: Number, form: Form) -> Response:
    """Give a run another title."""
    run = runs.rename_run(visit.store, visit.actor, visit.project, number, form.text("title"))
    return visit.done(run_path(visit.project, run), visit.words.gettext("Run renamed."))


@router.get("/{number:int}/delete")
def ask_to_delete(visit: EditorVisit, number: Number) -> Response:
    """Ask before a run is deleted."""
    words, line = visit.words, runs.show_run(visit.store, visit.project, number)
    text = words.gettext(
        "This deletes run %(number)s, %(title)s, and all its results.",
        number=number,
        title=words.ours(line.run.title),
    )
    return visit.page(
        "exams/run_delete.html",
        words.gettext("Delete this run?"),
        head=run_head(words, visit.project, line),
        text=f"{text} {words.gettext('You cannot undo this.')}",
    )


@router.post("/{number:int}/delete")
def delete_run(visit: EditorVisit, number: Number) -> Response:
    """Delete a run."""
    runs.delete_run(visit.store, visit.actor, visit.project, number)
    return visit.done(f"{visit.base}/runs", visit.words.gettext("Run deleted."))


@router.get("/{number:int}/report.html")
def show_report(visit: ReaderVisit, number: Number, save: bool = False) -> Response:
    """Return the report of a run, to read here or to keep."""
    run = runs.show_run(visit.store, visit.project, number).run
    content, media = runs.document(visit.store, run, runs.REPORT), "text/html; charset=utf-8"
    if save:
        return download(f"{visit.project.slug}-{run.kind}-{run.number}.html", media, content)
    return Response(content, media_type=media, headers={"Content-Security-Policy": REPORT_POLICY})


@router.get("/{number:int}/findings.json")
def save_findings(visit: ReaderVisit, number: Number) -> Response:
    """Return all numbers of a run as a file."""
    run = runs.show_run(visit.store, visit.project, number).run
    content = runs.document(visit.store, run, runs.FINDINGS)
    return download(f"{visit.project.slug}-{run.kind}-{run.number}.json", "application/json", content)


@router.get(".{kind_of_file}")
def export_runs(visit: ReaderVisit, kind_of_file: str, asked: RunsAsked) -> Response:
    """Return the list of runs as CSV or XLSX."""
    kind, state = _filter(asked)
    rows = []
    for line in runs.list_runs(visit.store, visit.project, kind=kind, state=state, limit=MAX_EXPORTED).lines:
        run = line.run
        about = (run.number, run.kind, run.title, str(run.state), run.headline, run.done, run.total, run.failed)
        rows.append((*about, line.who, run.created, run.finished))
    return table_file(f"{visit.project.slug}-runs", kind_of_file, COLUMNS, rows)


@router.get("/{number:int}/charts/{name}.{kind}")
def show_chart(visit: ReaderVisit, number: Number, name: ChartName, kind: str) -> Response:
    """Return a chart of a run as `json` or `svg`, with its words in the reader's language."""
    if kind not in MEDIA:
        raise AbsentError(say("nothing found at this address"), remedy=say("download the chart as .json or .svg"))
    run = runs.show_run(visit.store, visit.project, number).run
    content = chart_file(visit.store, run, name, kind, visit.words)
    policy = {"Content-Security-Policy": PICTURE_POLICY} if kind == "svg" else {}
    return Response(content, media_type=MEDIA[kind], headers=policy)
