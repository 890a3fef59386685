"""The audit log: who did what, when and from where. For admins."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from starlette.responses import Response

from vivavoce.web.access import Admin, InStore
from vivavoce.web.answers import page, table_file, words_of
from vivavoce.web.language import Words
from vivavoce.web.listing import Listing, PageNumber, Search, Word
from vivavoce.web.parts import Choice, Field, Pager
from vivavoce.web.rendering import Link
from vivavoce.workspace.access.audit_log import (
    MAX_EXPORTED,
    PRODUCT_ITSELF,
    LogFilter,
    LogLine,
    LogPage,
    read_log,
)

router = APIRouter()
COLUMNS = ("at", "who", "action", "noun", "id", "project", "detail", "address")
Id = Annotated[str, Query(max_length=32)]


@dataclass(frozen=True, slots=True)
class AuditView:
    """One page of the log, and what narrows it down. `any`: something was written down at all."""

    lead: str
    fields: tuple[Field, ...]
    lines: tuple[LogLine, ...]
    pager: Pager
    downloads: tuple[Link, ...]
    any: bool


async def _asked_lines(person: Id = "", project: Id = "", action: Word = "", search: Search = "") -> LogFilter:
    return LogFilter(person, project, action, search)


LinesAsked = Annotated[LogFilter, Depends(_asked_lines)]


@router.get("/audit")
def show_audit(request: Request, who: Admin, store: InStore, wanted: LinesAsked, number: PageNumber = 1) -> Response:
    """Show what was done by whom, the newest first."""
    words = words_of(request)
    listing = Listing("/audit", asdict(wanted), page=number)
    log = read_log(store, who.actor, wanted, limit=listing.size, offset=listing.offset)
    view = AuditView(
        _lead(words, log.total, wanted != LogFilter()),
        _fields(words, log, wanted),
        log.lines,
        listing.pager(log.total),
        listing.downloads(),
        bool(log.actions),
    )
    return page(request, "access/audit.html", words.gettext("Audit log"), view=view, section="people")


@router.get("/audit.{kind}")
def export_audit(who: Admin, store: InStore, kind: str, wanted: LinesAsked) -> Response:
    """Return the newest lines as CSV or XLSX, narrowed down as the page is."""
    log = read_log(store, who.actor, wanted, limit=MAX_EXPORTED)
    rows = [
        (one.at, one.who, one.action, one.noun, one.noun_id, one.project, one.detail, one.address)
        for one in log.lines
    ]
    return table_file("audit", kind, COLUMNS, rows)


def _lead(words: Words, total: int, narrowed: bool) -> str:
    if narrowed:
        return words.ngettext("%(num)s line fits.", "%(num)s lines fit.", total)
    return words.ngettext("%(num)s line is written down.", "%(num)s lines are written down.", total)


def _fields(words: Words, log: LogPage, wanted: LogFilter) -> tuple[Field, ...]:
    anybody, itself = Choice("", words.gettext("everybody")), Choice(PRODUCT_ITSELF, "vivavoce")
    people = (anybody, itself, *(Choice(each, name) for each, name in log.people.items()))
    every = Choice("", words.gettext("all projects"))
    projects = (every, *(Choice(each, name) for each, name in log.projects.items()))
    actions = (Choice("", words.gettext("everything")), *(Choice(each, words.said(each)) for each in log.actions))
    return (
        Field("search", words.gettext("Search in details"), "search", wanted.search, key="/"),
        Field("person", words.gettext("Person"), "select", wanted.person, choices=people),
        Field("action", words.gettext("What was done"), "select", wanted.action, choices=actions),
        Field("project", words.gettext("Project"), "select", wanted.project, choices=projects),
    )
