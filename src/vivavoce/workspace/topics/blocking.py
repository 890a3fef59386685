"""Why an edit cannot be undone now: a later one builds on it and has to be undone first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from vivavoce.errors import StaleError, UsageError
from vivavoce.store.database import Store
from vivavoce.store.rows import Edit, Project
from vivavoce.store.tables import changes, edits
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
        later = [one for own in tx.connection.execute(_later(edit)).scalars() if (one := tx.edits.get(own))]
        found = _standing(later)
        return edit_lines(tx, [found])[0] if found else None


def _later(edit: Edit) -> sa.Select[Any]:
    """Select the edits since then that touched a row of an edit, or what belongs to a topic that it made."""
    mine, other = changes.alias("mine"), changes.alias("other")
    same = sa.and_(other.c.noun == mine.c.noun, other.c.noun_id == mine.c.noun_id)
    within = sa.and_(mine.c.noun == "topics", other.c.topic_id == mine.c.noun_id)
    touched = sa.select(other.c.edit_id).join(mine, sa.or_(same, within)).where(mine.c.edit_id == edit.id)
    return (
        sa.select(edits.c.id)
        .where(edits.c.id.in_(touched), edits.c.id != edit.id, edits.c.at >= edit.at)
        .order_by(edits.c.at.desc(), edits.c.id)
        .limit(LOOKED_AT)
    )


def _standing(later: Sequence[Edit]) -> Edit | None:
    """Return the newest that holds: neither undone, nor the undoing of another one of these."""
    known = {edit.id for edit in later}
    return next((edit for edit in later if not edit.undone_by and edit.undoes not in known), None)
