"""Why an edit cannot be undone now: a later one builds on it and has to be undone first."""

from __future__ import annotations

from vivavoce.errors import StaleError, UsageError
from vivavoce.store.database import Store
from vivavoce.store.rows import Edit, Project
from vivavoce.workspace.access.actors import Actor
from vivavoce.workspace.topics.history import EditLine, edit_lines, undo_edit

# Of edits that were undone again there may be many in between.
LOOKED_AT = 200


def undo_or_explain(store: Store, actor: Actor, project: Project, edit_id: str, *, why: str = "") -> Edit:
    """Do the reverse of an edit; where a later one builds on it, the refusal names that one."""
    try:
        return undo_edit(store, actor, project, edit_id, why=why)
    except (StaleError, UsageError) as error:
        later = blocking_edit(store, project, edit_id)
        if later is None:
            raise
        raise StaleError(
            f"it cannot be undone yet, because a later change builds on it: {later.edit.summary} ({later.who})",
            where=f"edit {later.edit.id}",
            remedy="undo that one first, then this one",
        ) from error


def blocking_edit(store: Store, project: Project, edit_id: str) -> EditLine | None:
    """Return the newest edit that holds and changed the same things after an edit; None where there is none."""
    with store.reading() as tx:
        edit = tx.edits.get(edit_id)
        if edit is None or edit.project_id != project.id or edit.undone_by:
            return None
        later = tx.edits.later(edit, LOOKED_AT)
        ids = {each.id for each in later}
        # One that holds: neither undone, nor the undoing of another one of these.
        newest = next((each for each in later if not each.undone_by and each.undoes not in ids), None)
        return edit_lines(tx, [newest])[0] if newest else None
