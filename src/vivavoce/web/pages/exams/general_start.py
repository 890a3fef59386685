"""The form of an exam that brings no pages of its own, made from its options, and its last runs."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from fastapi import APIRouter
from starlette.responses import Response

from vivavoce.errors import InputError
from vivavoce.jobs.exams.registry import find_kind
from vivavoce.web.answers import go
from vivavoce.web.exam_pages import pages_of
from vivavoce.web.forms import Form, fault_at
from vivavoce.web.option_forms import box_group, option_form, read_values, typed_values
from vivavoce.web.pages.exams.runs import run_columns, run_row
from vivavoce.web.progress import run_path
from vivavoce.web.rendering import View
from vivavoce.web.visits import EditorVisit, ReaderVisit, Visit
from vivavoce.workspace.exams import runs
from vivavoce.workspace.exams.project_exams import project_exam, start_exam

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
