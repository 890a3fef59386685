"""The history of a project: all edits, one edit with what it did, and the way back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from fastapi import APIRouter, Request
from starlette.responses import Response

from vivavoce.errors import StaleError, UsageError
from vivavoce.store.database import Store
from vivavoce.store.rows import Edit as EditRow
from vivavoce.store.rows import Project
from vivavoce.web.access import Editor, InStore, ProjectInPath, Reader
from vivavoce.web.answers import done, page, table_file, words_of
from vivavoce.web.formats import Writer
from vivavoce.web.forms import MOST_WHY, Form
from vivavoce.web.language import Words, gettext_noop
from vivavoce.web.listing import Listing, PageNumber
from vivavoce.web.parts import Edit, Pager
from vivavoce.web.rendering import Link
from vivavoce.workspace.topics.examples import OUT_OF_SCOPE_TITLE
from vivavoce.workspace.topics.history import (
    GONE_TITLE,
    MOST_CHANGES,
    EditDetail,
    EditLine,
    FieldChange,
    RowChange,
    blocking_edit,
    list_edits,
    show_edit,
    undo_edit,
)
from vivavoce.workspace.topics.topics import topic_names

router = APIRouter()
MOST_EXPORTED = 100_000
# An edit of so many rows takes seconds: then the page says so before.
SLOW_SIZE = 20_000
COLUMNS = ("at", "who", "action", "what", "why", "rows", "undone")
CHANGE_COLUMNS = ("noun", "name", "step", "field", "before", "after")
STEPS = {
    "added": gettext_noop("added"),
    "removed": gettext_noop("removed"),
    "changed": gettext_noop("changed"),
}
NOUNS = {
    "project": gettext_noop("project"),
    "topic": gettext_noop("topic"),
    "answer": gettext_noop("answer"),
    "example": gettext_noop("example"),
    "bot": gettext_noop("bot"),
    "suite": gettext_noop("suite"),
    "scenario": gettext_noop("scenario"),
    "schedule": gettext_noop("schedule"),
}
# What the columns are called in a form; the settings of a bot keep the names they have in its entry.
FIELDS = {
    "name": gettext_noop("Name"),
    "title": gettext_noop("Title"),
    "text": gettext_noop("Text"),
    "description": gettext_noop("What it is about"),
    "owner": gettext_noop("Who looks after it"),
    "language": gettext_noop("Language"),
    "languages": gettext_noop("Languages"),
    "topic": gettext_noop("Topic"),
    "classifier": gettext_noop("Engine"),
    "threshold": gettext_noop("Threshold"),
    "kind": gettext_noop("Kind"),
    "minute_of_day": gettext_noop("Time of day"),
    "enabled": gettext_noop("Switched on"),
    "domain": gettext_noop("Domain"),
    "level": gettext_noop("Level"),
    "agent": gettext_noop("Agent"),
    "head": gettext_noop("Settings"),
    "retries": gettext_noop("Retries"),
}
# From so many letters on, a text is compared word by word instead of being shown twice.
LONG_TEXT = 60


@dataclass(frozen=True, slots=True)
class HistoryView:
    """One page of the history."""

    lead: str
    edits: tuple[Edit, ...]
    pager: Pager
    downloads: tuple[Link, ...]


@dataclass(frozen=True, slots=True)
class ShownField:
    """A field before and after, in words; `long`: the two are shown as one text with its differences."""

    title: str
    before: str
    after: str
    long: bool


@dataclass(frozen=True, slots=True)
class ShownRow:
    """What an edit did to one thing, in words."""

    noun: str
    title: str
    step: str
    fields: tuple[ShownField, ...]


@dataclass(frozen=True, slots=True)
class EditView:
    """One edit: who, when, why, and what it did."""

    lead: str
    detail: EditDetail
    rows: tuple[ShownRow, ...]
    undo: str
    more: str
    base: str
    downloads: tuple[Link, ...]
    slow: bool


@dataclass(frozen=True, slots=True)
class BlockedView:
    """The later edit that has to be undone before another one."""

    edits: tuple[Edit, ...]
    back: str


@router.get("/p/{slug}/edits")
def show_history(
    request: Request,
    who: Reader,
    store: InStore,
    project: ProjectInPath,
    *,
    page_number: PageNumber = 1,
) -> Response:
    """Show all edits of a project, the newest first."""
    words, listing = words_of(request), Listing(f"/p/{project.slug}/edits", page=page_number)
    found = list_edits(store, project, limit=listing.size, offset=listing.offset)
    view = HistoryView(
        _history_lead(words, found.total),
        shown_edits(project, found.lines, undo=who.may("editor")),
        listing.pager(found.total),
        listing.downloads(),
    )
    return page(request, "topics/edits.html", words.gettext("History"), view=view, project=project, section="topics")


@router.get("/p/{slug}/edits.{kind}")
def export_history(who: Reader, store: InStore, project: ProjectInPath, kind: str) -> Response:
    """Return all edits as CSV or XLSX."""
    found = list_edits(store, project, limit=MOST_EXPORTED)
    rows = [
        (
            one.edit.at,
            one.who,
            one.edit.action,
            one.edit.summary,
            one.edit.why,
            one.edit.size,
            bool(one.edit.undone_by),
        )
        for one in found.lines
    ]
    return table_file(f"{project.slug}-history", kind, COLUMNS, rows)


@router.get("/p/{slug}/edits/{edit_id}.{kind}")
def export_one(who: Reader, store: InStore, project: ProjectInPath, edit_id: str, kind: str) -> Response:
    """Return all that an edit did, as CSV or XLSX."""
    detail = show_edit(store, project, edit_id, most=None)
    rows = [
        (row.noun, row.title, row.step, one.name, one.before, one.after) for row in detail.rows for one in row.fields
    ]
    return table_file(f"edit-{edit_id}", kind, CHANGE_COLUMNS, rows)


@router.get("/p/{slug}/edits/{edit_id}")
def show_one(request: Request, who: Reader, store: InStore, project: ProjectInPath, edit_id: str) -> Response:
    """Show an edit with what it did."""
    words, path = words_of(request), f"/p/{project.slug}/edits/{edit_id}"
    detail = show_edit(store, project, edit_id)
    cut = len(detail.rows) == MOST_CHANGES
    more = (
        words.gettext("The first %(n)s changes are shown; the file has all of them.", n=MOST_CHANGES) if cut else ""
    )
    view = EditView(
        detail.edit.summary,
        detail,
        tuple(_row_said(words, row) for row in detail.rows),
        "" if detail.edit.undone_by or not who.may("editor") else f"{path}/undo",
        more,
        f"/p/{project.slug}/edits",
        Listing(path).downloads(),
        detail.edit.size >= SLOW_SIZE,
    )
    return page(request, "topics/edit.html", words.gettext("One edit"), view=view, project=project, section="topics")


@router.post("/p/{slug}/edits/{edit_id}/undo")
def undo(
    request: Request, who: Editor, store: InStore, project: ProjectInPath, *, edit_id: str, form: Form
) -> Response:
    """Take an edit back, and lead back to where one was."""
    try:
        done_edit = undo_edit(store, who.actor, project, edit_id, why=form.text("why", most=MOST_WHY))
    except (StaleError, UsageError):
        blocking = blocking_edit(store, project, edit_id)
        if blocking is None:
            raise
        return _blocked(request, project, edit_id, blocking)
    text = words_of(request).gettext("It is undone.")
    return done(_back(request, store, project), text, project=project, edit=done_edit)


def _blocked(request: Request, project: Project, edit_id: str, blocking: EditLine) -> Response:
    view = BlockedView(shown_edits(project, [blocking], undo=True), f"/p/{project.slug}/edits/{edit_id}")
    title = words_of(request).gettext("It cannot be undone yet")
    return page(request, "topics/edit_blocked.html", title, view=view, project=project, section="topics", status=409)


def shown_edits(project: Project, lines: Sequence[EditLine], *, undo: bool = False) -> tuple[Edit, ...]:
    """Return edits as a timeline shows them; `undo`: with a button that takes them back."""
    return tuple(_shown(project, line.edit, line.who, undo) for line in lines)


def _shown(project: Project, edit: EditRow, who: str, undo: bool) -> Edit:
    href = f"/p/{project.slug}/edits/{edit.id}"
    return Edit(edit.summary, who, edit.at, edit.why, href, f"{href}/undo" if undo and not edit.undone_by else "")


def _row_said(words: Words, row: RowChange) -> ShownRow:
    title = _home(words, row.title) if row.noun == "example" else row.title
    fields = tuple(_field_said(words, one) for one in row.fields)
    return ShownRow(words.gettext(NOUNS[row.noun]), title, words.gettext(STEPS[row.step]), fields)


def _field_said(words: Words, one: FieldChange) -> ShownField:
    title = words.gettext(FIELDS[one.name]) if one.name in FIELDS else one.name.replace(".", ": ").replace("_", " ")
    before, after = one.before, one.after
    if one.name == "topic":
        before, after = _home(words, before), _home(words, after)
    if one.name == "enabled":
        spoken = {"yes": words.gettext("yes"), "no": words.gettext("no")}
        before, after = spoken.get(before, before), spoken.get(after, after)
    return ShownField(title, before, after, max(len(before), len(after)) > LONG_TEXT or "\n" in before + after)


def _home(words: Words, title: str) -> str:
    """Return the name of a topic, or the words for none."""
    if title == OUT_OF_SCOPE_TITLE:
        return words.gettext("out of scope")
    return words.gettext("a topic that is gone") if title == GONE_TITLE else title


def _history_lead(words: Words, total: int) -> str:
    if not total:
        return words.gettext("Nothing has been changed yet.")
    return words.ngettext(
        "%(count)s change of the content.",
        "%(count)s changes of the content, the newest first. What later ones build on can be undone after those.",
        total,
        count=Writer(words).number(total),
    )


def _back(request: Request, store: Store, project: Project) -> str:
    """Return the page from which an undo was asked for, unless it went with what was undone."""
    came = urlsplit(request.headers.get("referer", ""))
    home = f"/p/{project.slug}"
    if came.netloc != request.url.netloc or not came.path.startswith(f"{home}/"):
        return f"{home}/edits"
    steps = came.path.removeprefix(f"{home}/").split("/")
    lost = steps[0] == "topics" and len(steps) > 1 and steps[1] not in topic_names(store, project)
    if lost and steps[1] != "out-of-scope":
        return f"{home}/topics"
    return came.path + (f"?{came.query}" if came.query else "")
