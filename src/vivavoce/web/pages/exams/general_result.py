"""The page of a run whose exam brings no pages of its own: its numbers, problems and tables, from its findings."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from fastapi import Request
from starlette.responses import Response

from vivavoce.errors import AbsentError, UsageError
from vivavoce.messages import restore_messages
from vivavoce.records import Rate
from vivavoce.store.database import Store
from vivavoce.store.rows import Project, Run, RunState
from vivavoce.web.access import Visitor
from vivavoce.web.answers import page, words_of
from vivavoce.web.cells import rate_cell
from vivavoce.web.exam_pages import ProblemLine, pages_of
from vivavoce.web.language import Words
from vivavoce.web.pages.exams.findings import progress_left, run_lead
from vivavoce.web.parts import Column, Row
from vivavoce.web.progress import ProgressView, RunHead, run_head, tab_title
from vivavoce.workspace.exams import runs
from vivavoce.workspace.exams.project_exams import ProjectExam, project_exam

MAX_ROWS = 500
MAX_PROBLEMS = 10


@dataclass(frozen=True, slots=True)
class Table:
    """A table of the findings."""

    caption: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class GeneralRunView:
    """One run: how far it is, and its result once there is one."""

    head: RunHead
    lead: str
    progress: ProgressView | None
    numbers: Table | None
    tables: tuple[Table, ...]
    problems: tuple[ProblemLine, ...]
    notes: tuple[str, ...]
    facts: tuple[tuple[str, str], ...]


def general_page(request: Request, who: Visitor, store: Store, project: Project, line: runs.RunLine) -> Response:
    """Show a run of any exam."""
    words, run = words_of(request), line.run
    findings: dict[str, Any] = {}
    report = True
    if run.state is RunState.DONE:
        findings = restore_messages(json.loads(runs.document(store, run, runs.FINDINGS)))
        try:
            runs.document(store, run, runs.REPORT)
        except AbsentError:
            report = False
    view = GeneralRunView(
        head=replace(run_head(words, project, line), report=report),
        lead=run_lead(words, run),
        progress=progress_left(words, store, project, run),
        numbers=_numbers(words, store, run) if findings else None,
        tables=tuple(_tables(words, findings)),
        problems=_problems(words, who, store, project, run) if findings else (),
        notes=runs.warnings_of(store, run) if findings else (),
        facts=tuple(_facts(words, run, findings)),
    )
    title = tab_title(words, run)
    return page(request, "exams/general_run.html", title, view=view, project=project, section=run.kind)


def _numbers(words: Words, store: Store, run: Run) -> Table | None:
    exam = ProjectExam(pages_of(run.kind).kind)
    columns = (Column(words.gettext("Number")), Column(words.gettext("Value"), number=True))
    rows = []
    for row in runs.measures_of(store, run):
        measure = exam.measure(row.name)
        title = words.said(measure.title) + (f" ({row.scope})" if row.scope else "")
        rows.append(Row((title, rate_cell(words, Rate(row.value, row.low, row.high, row.n), measure))))
    return Table(words.gettext("The numbers, with intervals"), columns, tuple(rows)) if rows else None


def _problems(words: Words, who: Visitor, store: Store, project: Project, run: Run) -> tuple[ProblemLine, ...]:
    try:
        problems = project_exam(run.kind).problems(store, project, run, MAX_PROBLEMS)
    except UsageError:
        return ()
    pages = pages_of(run.kind)
    return tuple(pages.problem_line(words, who, project, problem) for problem in problems)


def _tables(words: Words, findings: Mapping[str, Any]) -> Iterator[Table]:
    """Yield each list of plain records as a table."""
    for name, value in findings.items():
        if isinstance(value, list) and value and all(isinstance(row, dict) for row in value):
            heads = [head for head, cell in value[0].items() if not isinstance(cell, list | dict)]
            # Findings are sorted by their keys; a row begins with what it is about.
            heads.sort(key=lambda head: not isinstance(value[0][head], str))
            numbers = {head for head in heads if type(value[0][head]) in (int, float)}
            columns = tuple(Column(_title(head), number=head in numbers) for head in heads)
            rows = tuple(Row(tuple(_plain(words, row.get(head)) for head in heads)) for row in value[:MAX_ROWS])
            yield Table(_title(name), columns, rows)


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
        return ", ".join(_plain(words, one) for one in value)
    return "" if value is None else words.ours(value) if isinstance(value, str) else str(value)
