"""The history of a project: every edit, what it did, and the way back."""

from __future__ import annotations

from fastapi import APIRouter

from vivavoce.store.rows import Edit
from vivavoce.web.access import Editor, InStore, ProjectInPath, Reader
from vivavoce.web.api.bodies import Body
from vivavoce.web.api.lists import Limit, Listed, Offset, listed
from vivavoce.web.api.places import Place
from vivavoce.web.api.texts import Id, Why
from vivavoce.workspace.topics import history
from vivavoce.workspace.topics.history import undo_or_explain

router = APIRouter(tags=["edits"])


class Undoing(Body):
    """Why something is taken back."""

    why: Why = ""


@router.get("/projects/{slug}/edits")
def list_edits(
    who: Reader, store: InStore, project: ProjectInPath, limit: Limit = 50, offset: Offset = 0
) -> Listed[history.EditLine]:
    """Return the edits of a project, the newest first."""
    found = history.list_edits(store, project, limit=limit, offset=offset)
    return listed(found.lines, found.total)


@router.get("/projects/{slug}/edits/{edit_id}")
def show_edit(who: Reader, store: InStore, project: ProjectInPath, edit_id: Id) -> history.EditDetail:
    """Return an edit with what it did: the first 200 rows of it."""
    return history.show_edit(store, project, edit_id)


@router.post("/projects/{slug}/edits/{edit_id}/undo", status_code=201)
def undo_edit(  # noqa: PLR0917
    who: Editor, store: InStore, project: ProjectInPath, place: Place, edit_id: Id, body: Undoing
) -> Edit:
    """Take an edit back; returns the edit that did it, which can be undone as well.

    Where a later edit builds on it, the refusal names that one: it has to be undone first.
    """
    edit = undo_or_explain(store, who.actor, project, edit_id, why=body.why)
    place("projects", project.slug, "edits", edit.id)
    return edit
