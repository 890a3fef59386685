"""The intents exams of a project over time, with every change between them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from markupsafe import Markup
from starlette.responses import JSONResponse, Response

from vivavoce.errors import AbsentError, Fault, InputError, UsageError
from vivavoce.jobs.exams.documents import page_spec
from vivavoce.messages import say
from vivavoce.records import Rate
from vivavoce.reports.intents.meanings import MEASURES as MEANINGS
from vivavoce.store.database import Store
from vivavoce.store.repositories.results import MeasurePoint
from vivavoce.store.rows import Project
from vivavoce.web.access import InStore, ProjectInPath, Reader
from vivavoce.web.answers import page, table_file, words_of
from vivavoce.web.cells import link_cell, rate_cell
from vivavoce.web.field_faults import fault_at
from vivavoce.web.figures import Drawn
from vivavoce.web.formats import Writer
from vivavoce.web.language import Words, gettext_noop
from vivavoce.web.listing import Listing
from vivavoce.web.pages.exams.findings import scope_title
from vivavoce.web.pages.exams.timeline_chart import left_out, timeline_spec, timeline_svg
from vivavoce.web.pages.exams.verdict_words import verdict_sentence
from vivavoce.web.parts import Choice, Column, Field, Row, number_columns, text_columns
from vivavoce.web.rendering import Link, View
from vivavoce.workspace.exams.timeline import MEASURES, Mark, Timeline, show_timeline

router = APIRouter(prefix="/p/{slug}/timeline")
SHOWN_MARKS = 40
SHOWN_RUNS = 30
KINDS = {
    "edit": gettext_noop("edit"),
    "import": gettext_noop("import"),
    "settings": gettext_noop("settings"),
    "undo": gettext_noop("undone"),
    "engine": gettext_noop("engine"),
    "threshold": gettext_noop("threshold"),
    "out-of-scope share": gettext_noop("out-of-scope share"),
}
COLUMNS = ("run", "title", "at", "setting", "measure", "value", "low", "high", "n")
Day = Annotated[str, Query(max_length=10)]
MeasureName = Annotated[str, Query(max_length=40)]


async def _asked_line(measure: MeasureName = "accuracy", since: Day = "", until: Day = "") -> Listing:
    return Listing("", {"measure": measure, "since": since, "until": until})


LineAsked = Annotated[Listing, Depends(_asked_line)]


@router.get("")
def show_line(request: Request, who: Reader, store: InStore, project: ProjectInPath, asked: LineAsked) -> Response:
    """Show a measure over time."""
    words = words_of(request)
    error: InputError | None = None
    try:
        found, shown = _found(store, project, asked), asked
    except InputError as refused:
        error, found = refused, show_timeline(store, project, limit=SHOWN_MARKS)
        shown = Listing("", {"measure": found.measure})
    path = f"/p/{project.slug}/timeline"
    view = View(
        lead=_lead(words, found),
        path=path,
        fields=_fields(words, asked.chosen, error),
        figure=_figure(words, found, shown.at(f"{path}/chart.json").address()) if found.points else None,
        columns=_columns(words, found),
        rows=tuple(_rows(words, project, found)),
        downloads=shown.at(path).downloads(),
        marks=tuple(_mark(words, project, mark) for mark in found.marks),
        more_marks=max(0, found.all_marks - len(found.marks)),
        start=Link(words.gettext("Start an exam"), f"/p/{project.slug}/intents"),
        error=error,
    )
    title, status = words.gettext("Timeline"), 400 if error else 200
    return page(request, "exams/timeline.html", title, view=view, project=project, section="intents", status=status)


@router.get("/chart.json")
def show_spec(request: Request, who: Reader, store: InStore, project: ProjectInPath, asked: LineAsked) -> Response:
    """Return the specification of the live chart."""
    found = _found(store, project, asked)
    if not found.points:
        raise AbsentError(say("there is nothing to draw"), remedy=say("choose a longer time, or start an exam"))
    return JSONResponse(page_spec(timeline_spec(words_of(request), found)))


@router.get(".{kind}")
def export_line(who: Reader, store: InStore, project: ProjectInPath, kind: str, asked: LineAsked) -> Response:
    """Return the numbers over time as CSV or XLSX."""
    found = _found(store, project, asked)
    rows = [
        (one.number, one.title, one.at, one.scope, one.name, one.value, one.low, one.high, one.n)
        for one in found.points
    ]
    return table_file(f"{project.slug}-timeline", kind, COLUMNS, rows)


def _found(store: Store, project: Project, asked: Listing) -> Timeline:
    faults: list[Fault] = []
    first, last = (_day(asked.chosen[name], name, faults) for name in ("since", "until"))
    if first and last and first > last:
        faults.append(Fault(say("the end lies before the beginning"), "until"))
    if faults:
        raise UsageError(say("these days cannot be used"), faults=faults, remedy=say("write days like 2026-01-31"))
    begin = datetime.combine(first, time(), UTC) if first else None
    end = datetime.combine(last, time(), UTC) + timedelta(days=1) if last else None
    return show_timeline(store, project, measure=asked.chosen["measure"], since=begin, until=end, limit=SHOWN_MARKS)


def _day(said: str, name: str, faults: list[Fault]) -> date | None:
    if not said:
        return None
    try:
        found = date.fromisoformat(said)
    except ValueError:
        found = None
    if found is None or not 1970 <= found.year <= 9998:
        faults.append(Fault(say("'{said}' is not a day", said=said), name))
        return None
    return found


def _lead(words: Words, found: Timeline) -> str:
    scope = next(iter(_scopes(found.points)), "")
    known = [point for point in found.points if point.scope == scope and point.value is not None]
    title, writer = words.said(MEANINGS[found.measure].title), Writer(words)
    if not known:
        return words.gettext("No finished exam lies in this time, so there is no line to follow yet.")
    last = writer.value(known[-1].value, MEANINGS[found.measure].kind)
    if len(known) == 1:
        return words.gettext("%(measure)s: %(value)s in the only exam so far.", measure=title, value=last)
    first = writer.value(known[0].value, MEANINGS[found.measure].kind)
    went = words.gettext(
        "%(measure)s went from %(first)s to %(last)s over %(n)s exams.",
        measure=title,
        first=first,
        last=last,
        n=writer.number(len(known)),
    )
    if found.verdict is None:
        return went
    judged = verdict_sentence(words, found.verdict, found.runs[0].number, found.runs[-1].number)
    return f"{went} {judged}"


def _fields(words: Words, chosen: Mapping[str, str], error: InputError | None) -> tuple[Field, ...]:
    measures = tuple(Choice(name, words.said(MEANINGS[name].title)) for name in MEASURES)
    return (
        Field("measure", words.gettext("Number"), "select", chosen["measure"], choices=measures),
        Field("since", words.gettext("From"), "date", chosen["since"], error=fault_at(error, "since")),
        Field("until", words.gettext("To"), "date", chosen["until"], error=fault_at(error, "until")),
    )


def _figure(words: Words, found: Timeline, address: str) -> Drawn:
    measure = MEANINGS[found.measure]
    how = words.gettext("Band: where the value would lie with other data. Dashed lines: changes, told below.")
    if left := left_out(found):
        few = words.ngettext(
            "The still picture leaves out %(num)s run; the live one has all.",
            "The still picture leaves out %(num)s runs; the live one has all.",
            left,
        )
        how = f"{how} {few}"
    title, meaning = words.said(measure.title), words.said(measure.meaning)
    return Drawn(title, f"{meaning} {how}", Markup(timeline_svg(words, found)), address)  # noqa: S704


def _columns(words: Words, found: Timeline) -> tuple[Column, ...]:
    first = text_columns(words.gettext("Run"), words.gettext("When"), words.gettext("Engine"))
    settings = number_columns(*(scope_title(words, scope) for scope in _scopes(found.points)))
    return (*first, *settings, Column(words.gettext("Compare")))


def _scopes(points: Sequence[MeasurePoint]) -> list[str]:
    return sorted({point.scope for point in points})


def _rows(words: Words, project: Project, found: Timeline) -> list[Row]:
    """Return the newest runs, each with its numbers and the way to the comparison with the one before."""
    by_run: dict[str, dict[str, MeasurePoint]] = {}
    for point in found.points:
        by_run.setdefault(point.run_id, {})[point.scope] = point
    scopes, measure, base = _scopes(found.points), MEANINGS[found.measure], f"/p/{project.slug}/intents"
    writer, rows = Writer(words), []
    # The one before the first that is shown is only compared with.
    shown = found.runs[-SHOWN_RUNS - 1 :]
    before: int | None = None
    for run in shown:
        own = by_run.get(run.id, {})
        cells = [rate_cell(words, _rate(own.get(scope)), measure, counted=False) for scope in scopes]
        said = words.gettext("with run %(number)s", number=before or 0)
        compare = link_cell(f"{base}/compare?a={before}&b={run.number}", said) if before else ""
        name = link_cell(f"{base}/{run.number}", f"{run.number}: {words.ours(run.title)}")
        rows.append(Row((name, writer.date(run.created), str(run.options.get("classifier", "")), *cells, compare)))
        before = run.number
    return rows[::-1][:SHOWN_RUNS]


def _rate(point: MeasurePoint | None) -> Rate:
    return Rate(None, None, None, 0) if point is None else Rate(point.value, point.low, point.high, point.n)


def _mark(words: Words, project: Project, mark: Mark) -> View:
    base = f"/p/{project.slug}"
    href = f"{base}/edits/{mark.edit_id}" if mark.edit_id else f"{base}/intents/{mark.run}"
    return View(
        kind=words.gettext(KINDS[mark.kind]), text=mark.text, href=href, who=mark.who, why=mark.why, at=mark.at
    )
