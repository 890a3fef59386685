"""The form of an exam that brings no pages of its own, made from its options, and its last runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from vivavoce.errors import InputError
from vivavoce.jobs.exams.registry import find_kind
from vivavoce.store.database import Store
from vivavoce.store.rows import Project
from vivavoce.web.access import Editor, InStore, ProjectInPath, Reader
from vivavoce.web.answers import done, go, page, words_of
from vivavoce.web.exam_pages import pages_of
from vivavoce.web.field_faults import fault_at
from vivavoce.web.forms import Form
from vivavoce.web.option_forms import BoxGroup, ExamForm, box_group, option_form, read_values, typed_values
from vivavoce.web.pages.exams.runs import run_columns, run_row
from vivavoce.web.parts import Column, Row
from vivavoce.web.progress import run_path
from vivavoce.workspace.exams import runs
from vivavoce.workspace.exams.project_exams import project_exam, start_exam

router = APIRouter(prefix="/p/{slug}/exams")
LAST_RUNS = 10


@dataclass(frozen=True, slots=True)
class GeneralStartView:
    """The form for a new run, and the last ones."""

    lead: str
    action: str
    groups: tuple[BoxGroup, ...]
    form: ExamForm
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    error: InputError | None


@router.get("/{kind}")
def show_exam(request: Request, who: Reader, store: InStore, project: ProjectInPath, kind: str) -> Response:
    """Show the form for a run and the last ones."""
    pages = pages_of(find_kind(kind).name)
    return go(pages.start_path(project)) if pages.begin else _start_page(request, store, project, kind)


@router.post("/{kind}")
def start(  # noqa: PLR0917
    request: Request, who: Editor, store: InStore, project: ProjectInPath, kind: str, form: Form
) -> Response:
    """Start a run."""
    options = find_kind(kind).chosen
    values, typed = read_values(form, options), typed_values(form, options)
    try:
        form.check()
        run = start_exam(store, who.actor, project, kind, values, typed["title"])
    except InputError as error:
        return _start_page(request, store, project, kind, {**values, **typed}, error)
    return done(run_path(project, run), words_of(request).gettext("The exam is started. Its numbers appear here."))


def _start_page(  # noqa: PLR0917
    request: Request,
    store: Store,
    project: Project,
    kind: str,
    values: Mapping[str, Any] | None = None,
    error: InputError | None = None,
) -> Response:
    words, exam = words_of(request), project_exam(kind)
    last = runs.list_runs(store, project, kind=kind, limit=LAST_RUNS)
    typed = values or {}
    groups = [
        box_group(
            option,
            words.gettext(option.label),
            exam.offers(store, project, option.name, typed),
            typed.get(option.name) or (),
            fault_at(error, option.name),
        )
        for option in exam.kind.chosen
        if option.several and option.offered
    ]
    view = GeneralStartView(
        lead=words.gettext(exam.kind.summary),
        action=f"/p/{project.slug}/exams/{kind}",
        groups=tuple(groups),
        form=option_form(words, exam.kind.chosen, typed, partial(fault_at, error)),
        columns=run_columns(words),
        rows=tuple(run_row(words, project, line) for line in last.lines),
        error=error,
    )
    title, status = words.gettext(exam.kind.title), 400 if error else 200
    return page(request, "exams/general.html", title, view=view, project=project, section=kind, status=status)
