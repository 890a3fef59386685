"""The history of a project: every edit, what it did, and the way back."""

from __future__ import annotations

from fastapi import APIRouter

from vivavoce.store.rows import Edit
from vivavoce.web.api.bodies import Body, Id, Limit, Listed, Offset, Place, Why, make_list
from vivavoce.web.visits import EditorVisit, ReaderVisit
from vivavoce.workspace.topics import history
from vivavoce.workspace.topics.history import undo_or_explain

router = APIRouter(tags=["edits"])


class Undoing(Body):
    """Why something is taken back."""

    why: Why = ""


@router.get("/projects/{slug}/edits")
def list_edits(visit: ReaderVisit, limit: Limit = 50, offset: Offset = 0) -> Listed[history.EditLine]:
    """Return the edits of a project, the newest first."""
    page = history.list_edits(visit.store, visit.project, limit=limit, offset=offset)
    return make_list(page.lines, page.total)


@router.get("/projects/{slug}/edits/{edit_id}")
def show_edit(visit: ReaderVisit, edit_id: Id) -> history.EditDetail:
    """Return an edit with what it did: the first 200 rows of it."""
    return history.show_edit(visit.store, visit.project, edit_id)


@router.post("/projects/{slug}/edits/{edit_id}/undo", status_code=201)
def undo_edit(visit: EditorVisit, place: Place, edit_id: Id, body: Undoing) -> Edit:
    """Take an edit back; returns the edit that did it, which can be undone as well.

    Where a later edit builds on it, the refusal names that one: it has to be undone first.
    """
    edit = undo_or_explain(visit.store, visit.actor, visit.project, edit_id, why=body.why)
    return place(edit, "edits", edit.id)
