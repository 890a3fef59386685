"""The history of a project: all edits, one edit with what it did, and the way back."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlsplit

from fastapi import APIRouter
from starlette.responses import Response

from vivavoce.errors import StaleError, UsageError
from vivavoce.store.rows import Project
from vivavoce.web.answers import table_file
from vivavoce.web.forms import MAX_WHY, Form
from vivavoce.web.language import Words, gettext_noop
from vivavoce.web.listing import Listing, PageNumber
from vivavoce.web.local_time import current_zone
from vivavoce.web.parts import Edit
from vivavoce.web.rendering import View
from vivavoce.web.visits import EditorVisit, ReaderVisit, Visit
from vivavoce.workspace.topics.examples import OUT_OF_SCOPE_TITLE
from vivavoce.workspace.topics.history import (
    GONE_TITLE,
    MAX_CHANGES,
    EditLine,
    FieldChange,
    blocking_edit,
    list_edits,
    show_edit,
    undo_edit,
)
from vivavoce.workspace.topics.topics import topic_names

router = APIRouter()
MAX_EXPORTED = 100_000
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
    "schedule": gettext_noop("daily run"),
    "decision": gettext_noop("decision"),
    "test question": gettext_noop("test question"),
}
# What the columns are called in a form; the settings of a bot keep the names they have in its entry.
FIELDS = {
    "name": gettext_noop("Name"),
    "title": gettext_noop("Title"),
    "text": gettext_noop("Text"),
    "description": gettext_noop("Description"),
    "owner": gettext_noop("Owner"),
    "language": gettext_noop("Language"),
    "languages": gettext_noop("Languages"),
    "topic": gettext_noop("Topic"),
    "classifier": gettext_noop("Classifier"),
    "threshold": gettext_noop("Threshold"),
    "kind": gettext_noop("Kind"),
    "minute_of_day": gettext_noop("Time of day"),
    "enabled": gettext_noop("Enabled"),
    "domain": gettext_noop("Domain"),
    "level": gettext_noop("Level"),
    "agent": gettext_noop("Agent"),
    "head": gettext_noop("Settings"),
    "retries": gettext_noop("Rounds"),
}
# From so many letters on, a text is compared word by word instead of being shown twice.
LONG_TEXT = 60


@router.get("/p/{slug}/edits")
def show_history(visit: ReaderVisit, page_number: PageNumber = 1) -> Response:
    """Show all edits of a project, the newest first."""
    words, listing = visit.words, Listing(f"{visit.base}/edits", page=page_number)
    page = list_edits(*visit.here, limit=listing.size, offset=listing.offset)
    lead = words.ngettext(
        "%(count)s change to the content.",
        "%(count)s changes to the content, latest first.",
        page.total,
        count=visit.write.number(page.total),
    )
    facts = words.gettext("Before you undo a change, undo any later changes that depend on it.")
    view = View(
        lead=lead if page.total else words.gettext("No changes yet."),
        facts=facts if page.total else "",
        days=_group_by_day(visit, page.lines),
        pager=listing.pager(page.total),
        downloads=listing.downloads(),
    )
    return visit.page("topics/edits.html", words.gettext("Changes"), view=view)


def _group_by_day(visit: Visit, lines: Sequence[EditLine]) -> list[View]:
    """Return edits under the days on which they were made, in the reader's zone."""
    by_day: dict[str, list[View]] = {}
    for line in lines:
        edit, href = line.edit, f"{visit.base}/edits/{line.edit.id}"
        undo = f"{href}/undo" if visit.who.may("editor") and not edit.undone_by else ""
        shown = View(
            what=edit.summary,
            who=line.who,
            why=edit.why,
            href=href,
            undo=undo,
            undone=bool(edit.undone_by),
            clock=f"{edit.at.astimezone(current_zone()):%H:%M}",
        )
        by_day.setdefault(visit.write.day_words(edit.at), []).append(shown)
    return [View(title=title, edits=edits) for title, edits in by_day.items()]


@router.get("/p/{slug}/edits.{kind}")
def export_history(visit: ReaderVisit, kind: str) -> Response:
    """Return all edits as CSV or XLSX."""
    rows = []
    for line in list_edits(*visit.here, limit=MAX_EXPORTED).lines:
        edit = line.edit
        rows.append((edit.at, line.who, edit.action, edit.summary, edit.why, edit.size, bool(edit.undone_by)))
    return table_file(f"{visit.project.slug}-history", kind, COLUMNS, rows)


@router.get("/p/{slug}/edits/{edit_id}.{kind}")
def export_one(visit: ReaderVisit, edit_id: str, kind: str) -> Response:
    """Return all that an edit did, as CSV or XLSX."""
    rows = [
        (row.noun, row.title, row.step, field.name, field.before, field.after)
        for row in show_edit(*visit.here, edit_id, most=None).rows
        for field in row.fields
    ]
    return table_file(f"edit-{edit_id}", kind, CHANGE_COLUMNS, rows)


@router.get("/p/{slug}/edits/{edit_id}")
def show_one(visit: ReaderVisit, edit_id: str) -> Response:
    """Show an edit with what it did."""
    words, path = visit.words, f"{visit.base}/edits/{edit_id}"
    detail = show_edit(*visit.here, edit_id)
    cut = len(detail.rows) == MAX_CHANGES
    more = words.gettext("Showing the first %(n)s changes; the file has all of them.", n=MAX_CHANGES) if cut else ""
    view = View(
        lead=detail.edit.summary,
        detail=detail,
        rows=[
            View(
                noun=words.gettext(NOUNS[row.noun]),
                title=_topic_title(words, row.title) if row.noun == "example" else row.title,
                step=words.gettext(STEPS[row.step]),
                fields=[_describe_change(words, field) for field in row.fields],
            )
            for row in detail.rows
        ],
        undo="" if detail.edit.undone_by or not visit.who.may("editor") else f"{path}/undo",
        more=more,
        base=f"{visit.base}/edits",
        downloads=Listing(path).downloads(),
        slow=detail.edit.size >= SLOW_SIZE,
    )
    return visit.page("topics/edit.html", words.gettext("Edit details"), view=view)


@router.post("/p/{slug}/edits/{edit_id}/undo")
def undo(visit: EditorVisit, edit_id: str, form: Form) -> Response:
    """Take an edit back, and lead back to where one was."""
    words = visit.words
    try:
        edit = undo_edit(*visit.acting, edit_id, why=form.text("why", most=MAX_WHY))
    except (StaleError, UsageError):
        blocking = blocking_edit(*visit.here, edit_id)
        if blocking is None:
            raise
        edits = shown_edits(visit.project, [blocking], undo=True)
        view, title = (
            View(edits=edits, back=f"{visit.base}/edits/{edit_id}"),
            words.gettext("Cannot be undone yet"),
        )
        return visit.page("topics/edit_blocked.html", title, view=view, status=409)
    return visit.done(_page_before(visit), words.gettext("Undone."), edit)


def shown_edits(project: Project, lines: Sequence[EditLine], *, undo: bool = False) -> tuple[Edit, ...]:
    """Return edits as a timeline shows them; `undo`: with a button that takes them back."""
    edits = []
    for line in lines:
        edit, href = line.edit, f"/p/{project.slug}/edits/{line.edit.id}"
        address = f"{href}/undo" if undo and not edit.undone_by else ""
        edits.append(Edit(edit.summary, line.who, edit.at, edit.why, href, address))
    return tuple(edits)


def _describe_change(words: Words, field: FieldChange) -> View:
    """Return a field before and after, in words; `long`: the two are shown as one text with its differences."""
    name, texts = field.name, [field.before, field.after]
    if name == "topic":
        texts = [_topic_title(words, text) for text in texts]
    if name == "enabled":
        answers = {"yes": words.gettext("yes"), "no": words.gettext("no")}
        texts = [answers.get(text, text) for text in texts]
    title = words.gettext(FIELDS[name]) if name in FIELDS else name.replace(".", ": ").replace("_", " ")
    long = any(len(text) > LONG_TEXT or "\n" in text for text in texts)
    return View(title=title, before=texts[0], after=texts[1], long=long)


def _topic_title(words: Words, title: str) -> str:
    """Return the name of a topic, or the words for none."""
    if title == OUT_OF_SCOPE_TITLE:
        return words.gettext("out of scope")
    return words.gettext("a deleted topic") if title == GONE_TITLE else title


def _page_before(visit: Visit) -> str:
    """Return the page from which an undo was asked for, unless it went with what was undone."""
    came = urlsplit(visit.request.headers.get("referer", ""))
    if came.netloc != visit.request.url.netloc or not came.path.startswith(f"{visit.base}/"):
        return f"{visit.base}/edits"
    section, *rest = came.path.removeprefix(f"{visit.base}/").split("/")
    known = ("out-of-scope", *topic_names(*visit.here)) if section == "topics" and rest else rest
    if rest and rest[0] not in known:
        return f"{visit.base}/topics"
    return came.path + (f"?{came.query}" if came.query else "")
