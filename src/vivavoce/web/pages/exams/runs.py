"""Runs of all exams: the list, how far one is, what can be done with it, and what it leaves behind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from fastapi import APIRouter, Depends, Query
from markupsafe import Markup
from starlette.responses import Response

from vivavoce.errors import without_remedy
from vivavoce.jobs.exams.registry import exam_kinds
from vivavoce.store.rows import RunState
from vivavoce.web.answers import download, go, table_file, unchanged
from vivavoce.web.cells import chip
from vivavoce.web.exam_pages import exam_title, pages_of
from vivavoce.web.forms import Form
from vivavoce.web.language import Words
from vivavoce.web.listing import LARGEST, Listing, Number, PageNumber, Word
from vivavoce.web.pages.exams.general_result import general_page
from vivavoce.web.parts import Column, Row, text_columns
from vivavoce.web.progress import STATES, badge_of, progress_view, run_head, run_path
from vivavoce.web.rendering import Link, View
from vivavoce.web.visits import EditorVisit, ReaderVisit, Visit
from vivavoce.workspace.exams import runs

router = APIRouter(prefix="/p/{slug}/runs")
COLUMNS = ("number", "kind", "title", "state", "headline", "done", "total", "failed", "who", "created", "finished")
# The report brings its own style and pictures; nothing else may come from or go anywhere.
REPORT_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'"
MAX_EXPORTED = 10_000


async def _asked_runs(kind: Word = "", state: Word = "", page: PageNumber = 1) -> Listing:
    return Listing("", {"kind": kind, "state": state}, page=page)


RunsAsked = Annotated[Listing, Depends(_asked_runs)]


@router.get("")
def show_runs(visit: ReaderVisit, asked: RunsAsked) -> Response:
    """Show the runs of a project, the newest first."""
    words, listing, kind, state = visit.words, asked.at(f"{visit.base}/runs"), *_filter(asked)
    page = runs.list_runs(
        visit.store, visit.project, kind=kind, state=state, limit=listing.size, offset=listing.offset
    )
    counts = runs.count_runs(visit.store, visit.project, kind=kind, state=state)
    names = dict.fromkeys((*(exam.name for exam in exam_kinds()), *counts.kinds))

    sizes = {each.value: n for each, n in counts.states.items()}
    exams = {name: exam_title(words, name) for name in names}
    states = {each.value: words.gettext(title) for each, title in STATES.items()}
    view = View(
        lead=_lead(visit, page.total, counts, filtered=bool(kind or state)),
        facets=(
            _facet(listing, "kind", words.gettext("Exam"), words.gettext("all exams"), exams, counts.kinds),
            _facet(listing, "state", words.gettext("Status"), words.gettext("any status"), states, sizes),
        ),
        columns=run_columns(words),
        rows=[run_row(visit, line) for line in page.lines],
        pager=listing.pager(page.total),
        downloads=listing.downloads(),
        any=bool(kind or state) or page.total > 0,
        all=listing.path,
        begin=Link(words.gettext("Examine your topics"), f"{visit.base}/intents"),
    )
    return visit.page("exams/runs.html", words.gettext("Runs"), view=view)


def _facet(  # noqa: PLR0917
    listing: Listing, name: str, title: str, every: str, titles: Mapping[str, str], sizes: Mapping[str, int]
) -> View:
    """Return what a list can be narrowed down to, with how many runs each choice shows."""
    counted = {"": (every, sum(sizes.values())), **{key: (t, sizes.get(key, 0)) for key, t in titles.items()}}
    chosen = listing.chosen[name]
    choices = [
        View(title=text, href=listing.address(**{name: key}), count=n, current=chosen == key, tone="", sign="")
        for key, (text, n) in counted.items()
        if n or not key or chosen == key
    ]
    return View(title=title, choices=choices)


def _lead(visit: Visit, total: int, counts: runs.RunCounts, *, filtered: bool) -> str:
    """Say how many runs there are, and how many of them go on."""
    words, write = visit.words, visit.write
    if filtered or not total:
        return words.ngettext("%(num)s run.", "%(num)s runs.", total)
    going = sum(n for state, n in counts.states.items() if state.open)
    if not going:
        return words.ngettext("%(num)s run, none in progress.", "%(num)s runs, none in progress.", total)
    return words.ngettext(
        "%(num)s run in progress, %(total)s in all.",
        "%(num)s runs in progress, %(total)s in all.",
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
        return unchanged()
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
    title = words.ours(line.run.title)
    text = words.gettext("This deletes run %(number)s, %(title)s, and all its results.", number=number, title=title)
    view = View(head=run_head(words, visit.project, line), text=f"{text} {words.gettext('You cannot undo this.')}")
    return visit.page("exams/run_delete.html", words.gettext("Delete this run?"), view=view)


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


def run_columns(words: Words) -> tuple[Column, ...]:
    """Return the heads of a table of runs."""
    return text_columns(
        words.gettext("Run"), words.gettext("Status"), words.gettext("Summary"), words.gettext("Started")
    )


def run_row(visit: Visit, line: runs.RunLine) -> Row:
    """Return one line of a table of runs."""
    words, write, run, badge = visit.words, visit.write, line.run, badge_of(visit.words, line.run)
    about = words.gettext(
        "%(exam)s, run %(number)s", exam=exam_title(words, run.kind), number=write.number(run.number)
    )
    name = Markup('<a href="{}" dir="auto">{}</a> <small>{}</small>').format(
        run_path(visit.project, run), words.ours(run.title), about
    )
    state = chip(badge.text, badge.tone)
    if run.state is RunState.RUNNING:
        state += f" {write.share((run.done + run.failed) / max(1, run.total))}"
    headline = words.said(run.headline or without_remedy(run.error))
    begun = Markup("{} <small>{}</small>").format(write.ago(run.created), line.who)
    return Row((name, state, headline, begun))
