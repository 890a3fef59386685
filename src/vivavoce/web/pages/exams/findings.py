"""Lists of findings of an exam as pages and files: what they share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fastapi import Request
from starlette.responses import Response

from vivavoce.store.database import Store
from vivavoce.store.rows import Project, Run
from vivavoce.web.answers import page, table_file, words_of
from vivavoce.web.figures import Drawn, drawn
from vivavoce.web.parts import Column, Field, Pager, Row
from vivavoce.web.progress import RunHead, tab_title
from vivavoce.web.rendering import Link


@dataclass(frozen=True, slots=True)
class FindingsView:
    """A list of findings: what narrows it down, its rows, and the figures beside it."""

    head: RunHead
    lead: str
    tabs: tuple[Link, ...]
    path: str
    fields: tuple[Field, ...]
    caption: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    pager: Pager
    downloads: tuple[Link, ...]
    figures: tuple[Drawn, ...] = ()
    outcomes: tuple[Link, ...] = ()
    meaning: str = ""
    nothing: str = ""
    undrawn: str = ""


def figures_of(store: Store, project: Project, run: Run, *names: str) -> tuple[Drawn, ...]:
    """Return the figures of a run that there are."""
    found = (drawn(store, project, run, name) for name in names)
    return tuple(one for one in found if one is not None)


def findings_page(request: Request, view: FindingsView, project: Project, title: str) -> Response:
    """Return a list of findings as a page."""
    whole = f"{title}: {tab_title(words_of(request), view.head.run)}"
    return page(request, "exams/intents_findings.html", whole, view=view, project=project, section="intents")


def findings_file(
    project: Project, run: Run, name: str, columns: Sequence[str], rows: Sequence[Sequence[object]]
) -> Response:
    """Return a list of findings as a file; `name` ends in .csv or .xlsx."""
    stem, _, kind = name.rpartition(".")
    return table_file(f"{project.slug}-{run.number}-{stem}", kind, columns, rows)
