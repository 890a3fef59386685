"""The audit log: who did what, when and from where. For admins."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from starlette.responses import Response

from vivavoce.store.repositories.audit import PRODUCT_ITSELF, LogFilter
from vivavoce.web.access import Admin, InStore
from vivavoce.web.answers import page, table_file, words_of
from vivavoce.web.language import Words
from vivavoce.web.listing import Listing, PageNumber, Search, Word
from vivavoce.web.parts import Choice, Field
from vivavoce.web.rendering import View
from vivavoce.workspace.access.actors import ACTIONS, MAX_EXPORTED, NOUNS, SELF_EXPLAINING, LogLine, read_log

router = APIRouter()
COLUMNS = ("at", "who", "action", "noun", "id", "project", "detail", "address")
Id = Annotated[str, Query(max_length=32)]


async def _asked_lines(person: Id = "", project: Id = "", action: Word = "", search: Search = "") -> LogFilter:
    return LogFilter(person, project, action, search)


LinesAsked = Annotated[LogFilter, Depends(_asked_lines)]


@router.get("/audit")
def show_audit(request: Request, who: Admin, store: InStore, wanted: LinesAsked, number: PageNumber = 1) -> Response:
    """Show what was done by whom, the newest first."""
    words, listing = words_of(request), Listing("/audit", asdict(wanted), page=number)
    log = read_log(store, who.actor, wanted, limit=listing.size, offset=listing.offset)
    anybody, itself = Choice("", words.gettext("everyone")), Choice(PRODUCT_ITSELF, "vivavoce")
    people = (anybody, itself, *(Choice(each, name) for each, name in log.people.items()))
    every = Choice("", words.gettext("all projects"))
    projects = (every, *(Choice(each, name) for each, name in log.projects.items()))
    actions = (
        Choice("", words.gettext("all actions")),
        *(Choice(each, words.said(ACTIONS.get(each, each))) for each in log.actions),
    )
    lead = words.ngettext("%(num)s entry in the audit log.", "%(num)s entries in the audit log.", log.total)
    if wanted != LogFilter():
        lead = words.ngettext("%(num)s matching entry.", "%(num)s matching entries.", log.total)
    view = View(
        lead=lead,
        fields=(
            Field("search", words.gettext("Search details"), "search", wanted.search, key="f"),
            Field("person", words.gettext("Person"), "select", wanted.person, choices=people),
            Field("action", words.gettext("Action"), "select", wanted.action, choices=actions),
            Field("project", words.gettext("Project"), "select", wanted.project, choices=projects),
        ),
        lines=[View(line=line, what=_describe(words, line)) for line in log.lines],
        pager=listing.pager(log.total),
        downloads=listing.downloads(),
        any=bool(log.actions),
    )
    return page(request, "access/audit.html", words.gettext("Audit log"), view=view)


@router.get("/audit.{kind}")
def export_audit(who: Admin, store: InStore, kind: str, wanted: LinesAsked) -> Response:
    """Return the newest lines as CSV or XLSX, narrowed down as the page is."""
    log = read_log(store, who.actor, wanted, limit=MAX_EXPORTED)
    rows = [
        (line.at, line.who, line.action, line.noun, line.noun_id, line.project, line.detail, line.address)
        for line in log.lines
    ]
    return table_file("audit", kind, COLUMNS, rows)


def _describe(words: Words, line: LogLine) -> str:
    """Say in words what was done: what an action does not say itself, its object does."""
    done = words.said(ACTIONS.get(line.action, line.action))
    if line.action in SELF_EXPLAINING:
        return done
    return words.gettext("%(noun)s: %(action)s", noun=words.said(NOUNS.get(line.noun, line.noun)), action=done)
