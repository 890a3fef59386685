"""An exam without pages of its own: the form that starts a run, and what a run found."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from fastapi import APIRouter
from starlette.responses import Response

from vivavoce.errors import AbsentError, InputError, UsageError
from vivavoce.jobs.exams.registry import find_kind
from vivavoce.messages import restore_messages
from vivavoce.records import Rate
from vivavoce.reports.shared.views import Tile
from vivavoce.store.database import Store
from vivavoce.store.rows import Run, RunState
from vivavoce.web.answers import go
from vivavoce.web.cells import rate_cell
from vivavoce.web.exam_pages import pages_of
from vivavoce.web.forms import Form, fault_at
from vivavoce.web.language import Words
from vivavoce.web.option_forms import box_group, option_form, read_values, typed_values
from vivavoce.web.pages.exams.findings import progress_left, run_columns, run_lead, run_row
from vivavoce.web.parts import Column, Row
from vivavoce.web.progress import run_head, run_path, tab_title
from vivavoce.web.rendering import View
from vivavoce.web.visits import EditorVisit, ReaderVisit, Visit
from vivavoce.workspace.exams import runs
from vivavoce.workspace.exams.project_exams import ProjectExam, project_exam, start_exam

router = APIRouter(prefix="/p/{slug}/exams")
LAST_RUNS = 10


@router.get("/{kind}")
def show_exam(visit: ReaderVisit, kind: str) -> Response:
    """Show the form for a run and the last ones."""
    pages = pages_of(find_kind(kind).name)
    return go(pages.start_path(visit.project)) if pages.begin else _start_page(visit, kind)


@router.post("/{kind}")
def start(visit: EditorVisit, kind: str, form: Form) -> Response:
    """Start a run."""
    options = find_kind(kind).chosen
    values, typed = read_values(form, options), typed_values(form, options)
    try:
        form.check()
        run = start_exam(visit.store, visit.actor, visit.project, kind, values, typed["title"])
    except InputError as error:
        return _start_page(visit, kind, {**values, **typed}, error)
    text = visit.words.gettext("Exam started. The results will appear here.")
    return visit.done(run_path(visit.project, run), text)


def _lead(visit: Visit, last: runs.RunPage) -> str:
    """Return what the last run found, or that there is none."""
    headline = visit.words.said(last.lines[0].run.headline) if last.lines else ""
    return headline or visit.words.gettext("Not examined yet.")


def _start_page(
    visit: Visit, kind: str, values: Mapping[str, Any] | None = None, error: InputError | None = None
) -> Response:
    words, exam = visit.words, project_exam(kind)
    last = runs.list_runs(visit.store, visit.project, kind=kind, limit=LAST_RUNS)
    typed = values or {}
    groups = [
        box_group(
            option,
            words.gettext(option.label),
            exam.offers(visit.store, visit.project, option.name, typed),
            typed.get(option.name) or (),
            fault_at(error, option.name),
        )
        for option in exam.kind.chosen
        if option.several and option.offered
    ]
    view = View(
        lead=_lead(visit, last),
        about=words.gettext(exam.kind.summary),
        action=f"{visit.base}/exams/{kind}",
        groups=tuple(groups),
        form=option_form(words, exam.kind.chosen, typed, partial(fault_at, error)),
        columns=run_columns(words),
        rows=tuple(run_row(visit, line) for line in last.lines),
        error=error,
    )
    title, status = words.gettext(exam.kind.title), 400 if error else 200
    return visit.page("exams/general.html", title, view=view, status=status)


MAX_ROWS = 500
MAX_PROBLEMS = 10
MAX_TILES = 4


def general_page(visit: Visit, line: runs.RunLine) -> Response:
    """Show a run of any exam."""
    words, run = visit.words, line.run
    findings: dict[str, Any] = {}
    report = True
    if run.state is RunState.DONE:
        findings = restore_messages(json.loads(runs.document(visit.store, run, runs.FINDINGS)))
        try:
            runs.document(visit.store, run, runs.REPORT)
        except AbsentError:
            report = False
    view = View(
        head=replace(run_head(words, visit.project, line), report=report),
        lead=run_lead(words, run),
        progress=progress_left(visit, run),
        tiles=_tiles(visit, run) if findings else (),
        numbers=_numbers(words, visit.store, run) if findings else None,
        tables=tuple(_tables(words, findings)),
        problems=_problems(visit, run) if findings else (),
        notes=runs.warnings_of(visit.store, run) if findings else (),
        facts=tuple(_facts(words, run, findings)),
    )
    return visit.page("exams/general_run.html", tab_title(words, run), view=view)


def _numbers(words: Words, store: Store, run: Run) -> View | None:
    exam = ProjectExam(pages_of(run.kind).kind)
    columns = (Column(words.gettext("Metric")), Column(words.gettext("Value"), number=True))
    rows = []
    for row in runs.measures_of(store, run):
        measure = exam.measure(row.name)
        title = words.said(measure.title) + (f" ({row.scope})" if row.scope else "")
        rows.append(Row((title, rate_cell(words, Rate(row.value, row.low, row.high, row.n), measure))))
    caption = words.gettext("Metrics with intervals")
    return View(caption=caption, columns=columns, rows=rows) if rows else None


def _tiles(visit: Visit, run: Run) -> tuple[Tile, ...]:
    """Return the first numbers, large."""
    exam, words, tiles = ProjectExam(pages_of(run.kind).kind), visit.words, []
    for row in runs.measures_of(visit.store, run)[:MAX_TILES]:
        measure, rate = exam.measure(row.name), Rate(row.value, row.low, row.high, row.n)
        value, around, counted = visit.write.parts(rate, measure)
        about = ", ".join(filter(None, (around, counted)))
        name = words.said(measure.title) + (f" ({row.scope})" if row.scope else "")
        tiles.append(Tile(value, name, about, words.said(measure.meaning)))
    return tuple(tiles)


def _problems(visit: Visit, run: Run) -> tuple[View, ...]:
    try:
        problems = project_exam(run.kind).problems(visit.store, visit.project, run, MAX_PROBLEMS)
    except UsageError:
        return ()
    pages = pages_of(run.kind)
    lines = (pages.problem_line(visit.words, visit.who, visit.project, problem) for problem in problems)
    return tuple(
        View(title=line.text, text=line.remedy, links=line.links, cost="", share=0, around="", tone="", facts=())
        for line in lines
    )


def _tables(words: Words, findings: Mapping[str, Any]) -> Iterator[View]:
    """Yield each list of plain records as a table."""
    for name, value in findings.items():
        if isinstance(value, list) and value and all(isinstance(row, dict) for row in value):
            heads = [head for head, cell in value[0].items() if not isinstance(cell, list | dict)]
            # Findings are sorted by their keys; a row begins with what it is about.
            heads.sort(key=lambda head: not isinstance(value[0][head], str))
            numbers = {head for head in heads if type(value[0][head]) in (int, float)}
            columns = tuple(Column(_title(head), number=head in numbers) for head in heads)
            rows = tuple(Row(tuple(_plain(words, row.get(head)) for head in heads)) for row in value[:MAX_ROWS])
            yield View(caption=_title(name), columns=columns, rows=rows)


def _facts(words: Words, run: Run, findings: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for option in pages_of(run.kind).kind.options:
        if (value := run.options.get(option.name)) not in (None, []):
            yield words.gettext(option.label) if option.label else _title(option.name), _plain(words, value)
    for name, value in findings.items():
        if isinstance(value, str | int | float) and name not in ("kind", *run.options):
            yield _title(name), _plain(words, value)
    yield words.gettext("Data hash"), run.data_hash[:16]


def _title(name: str) -> str:
    return name.replace("_", " ").capitalize()


def _plain(words: Words, value: object) -> str:
    if isinstance(value, bool):
        return words.gettext("yes") if value else words.gettext("no")
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, list):
        return ", ".join(_plain(words, item) for item in value)
    return "" if value is None else words.ours(value) if isinstance(value, str) else str(value)
