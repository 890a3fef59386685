"""The audit log: who did what, when and from where. For admins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from vivavoce.web.access import Admin, InStore
from vivavoce.web.answers import page, table_file, words_of
from vivavoce.web.language import Words
from vivavoce.web.listing import Listing, PageNumber
from vivavoce.web.parts import Choice, Field, Pager
from vivavoce.web.rendering import Link
from vivavoce.workspace.access.audit_log import MOST_EXPORTED, LogLine, LogPage, read_log

router = APIRouter()
COLUMNS = ("at", "who", "action", "noun", "id", "project", "detail", "address")
Id = Annotated[str, Query(max_length=32)]


@dataclass(frozen=True, slots=True)
class AuditView:
    """One page of the log, and what narrows it down."""

    lead: str
    fields: tuple[Field, ...]
    lines: tuple[LogLine, ...]
    pager: Pager
    downloads: tuple[Link, ...]


@router.get("/audit")
def show_audit(
    request: Request,
    who: Admin,
    store: InStore,
    *,
    person: Id = "",
    project: Id = "",
    number: PageNumber = 1,
) -> Response:
    """Show what was done by whom, the newest first."""
    words, listing = words_of(request), Listing("/audit", {"person": person, "project": project}, page=number)
    log = read_log(store, who.actor, person=person, project=project, limit=listing.size, offset=listing.offset)
    view = AuditView(
        words.ngettext("%(num)s line is written down.", "%(num)s lines are written down.", log.total),
        _fields(words, log, person, project),
        log.lines,
        listing.pager(log.total),
        listing.downloads(),
    )
    return page(request, "access/audit.html", words.gettext("Audit log"), view=view, section="people")


@router.get("/audit.{kind}")
def export_audit(who: Admin, store: InStore, kind: str, person: Id = "", project: Id = "") -> Response:
    """Return the newest lines as CSV or XLSX."""
    log = read_log(store, who.actor, person=person, project=project, limit=MOST_EXPORTED)
    rows = [
        (one.at, one.who, one.action, one.noun, one.noun_id, one.project, one.detail, one.address)
        for one in log.lines
    ]
    return table_file("audit", kind, COLUMNS, rows)


def _fields(words: Words, log: LogPage, person: str, project: str) -> tuple[Field, ...]:
    anybody, any_project = Choice("", words.gettext("everybody")), Choice("", words.gettext("all projects"))
    people = (anybody, *(Choice(each, name) for each, name in log.people.items()))
    projects = (any_project, *(Choice(each, name) for each, name in log.projects.items()))
    return (
        Field("person", words.gettext("Person"), "select", person, choices=people),
        Field("project", words.gettext("Project"), "select", project, choices=projects),
    )
