"""Every change of material goes through here: checked against what is there, written down, and reversible."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime
from itertools import groupby
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from vivavoce.errors import Fault, StaleError, UsageError, plural
from vivavoce.store import tables
from vivavoce.store.repositories.repository import PIECE, Repository, required
from vivavoce.store.rows import Change, Edit
from vivavoce.store.stamps import new_id, now

# What can be edited, by name.
NOUNS: Mapping[str, sa.Table] = {
    table.name: table
    for table in (
        tables.projects,
        tables.topics,
        tables.answers,
        tables.examples,
        tables.bots,
        tables.suites,
        tables.scenarios,
        tables.schedules,
    )
}
# Columns that count up with every change and are never set back, not even by an undo.
COUNTERS = {"scenarios": "version", "projects": "version"}
SHOWN_CONFLICTS = 10


class Edits(Repository):
    """Changes of material: who, when, why, before and after."""

    # --- making changes ------------------------------------------------------------------------------------------

    def insert(self, noun: str, values: Mapping[str, Any], topic_id: str | None = None) -> Change:
        """Describe a new row; `values` holds its id."""
        return Change(noun, values["id"], None, _plain(noun, values), topic_id)

    def update(self, noun: str, noun_id: str, topic_id: str | None = None, **new: Any) -> Change:
        """Describe other values of some columns of a row that is there."""
        before = required(self.values(noun, [noun_id]).get(noun_id), noun.removesuffix("s"), noun_id)
        return Change(noun, noun_id, before, {**before, **_plain(noun, new)}, topic_id)

    def delete(self, noun: str, noun_id: str, topic_id: str | None = None) -> Change:
        """Describe that a row goes."""
        before = required(self.values(noun, [noun_id]).get(noun_id), noun.removesuffix("s"), noun_id)
        return Change(noun, noun_id, before, None, topic_id)

    def values(self, noun: str, ids: Sequence[str]) -> dict[str, Mapping[str, Any]]:
        """Return the columns of rows as they are kept in an edit, by id; rows that are not there are left out."""
        table = NOUNS[noun]
        found: dict[str, Mapping[str, Any]] = {}
        for start in range(0, len(ids), PIECE):
            query = sa.select(table).where(table.c.id.in_(ids[start : start + PIECE]))
            found |= {row["id"]: _plain(noun, row) for row in self.connection.execute(query).mappings()}
        return found

    def apply(
        self,
        project_id: str,
        user_id: str | None,
        action: str,
        summary: str,
        changes: Sequence[Change],
        *,
        why: str = "",
        undoes: str | None = None,
        at: datetime | None = None,
    ) -> Edit:
        """Do the changes and write them down; StaleError where a row is not as the edit expects it."""
        if not changes:
            raise UsageError("nothing would change", remedy="change something first")
        edit = Edit(new_id(), project_id, at or now(), user_id, action, summary, why, undoes, None, len(changes))
        self._check(changes)
        try:
            for (noun, step), group in groupby(changes, key=lambda change: (change.noun, _step(change))):
                self._do(noun, step, list(group))
        except IntegrityError as error:
            raise _clash(error) from error
        self._put(tables.edits, [_edit_values(edit)])
        self._put(tables.changes, _change_values(edit.id, changes))
        self._keep_versions(edit, changes)
        return edit

    def undo(self, edit_id: str, user_id: str | None, *, why: str = "") -> Edit:
        """Do the reverse of an edit, as an edit of its own."""
        edit = required(self.get(edit_id), "edit", edit_id)
        if edit.undone_by:
            raise StaleError("this edit has been undone already", remedy="undo the undoing to have it back")
        back = [Change(c.noun, c.noun_id, c.after, c.before, c.topic_id) for c in reversed(self.changes(edit_id))]
        summary = f"Undone: {edit.summary}"
        done = self.apply(edit.project_id, user_id, "undo", summary, back, why=why, undoes=edit_id)
        self._mark(edit_id, undone_by=done.id)
        if edit.undoes:
            # What was undone holds again, and can be undone again.
            self._mark(edit.undoes, undone_by=None)
        return done

    # --- looking -------------------------------------------------------------------------------------------------

    def get(self, edit_id: str) -> Edit | None:
        """Return an edit."""
        return self._one(Edit, sa.select(tables.edits).where(tables.edits.c.id == edit_id))

    def of_project(
        self, project_id: str, *, limit: int = 50, offset: int = 0, since: datetime | None = None
    ) -> tuple[Edit, ...]:
        """Return the edits of a project, the newest first."""
        edits = tables.edits
        query = sa.select(edits).where(edits.c.project_id == project_id)
        if since is not None:
            query = query.where(edits.c.at >= since)
        return self._all(Edit, query.order_by(edits.c.at.desc(), edits.c.id).limit(limit).offset(offset))

    def count(self, project_id: str) -> int:
        """Return how many edits a project has seen."""
        query = sa.select(sa.func.count()).where(tables.edits.c.project_id == project_id)
        return int(self.connection.execute(query).scalar_one())

    def of_topic(self, topic_id: str, *, limit: int = 50) -> tuple[Edit, ...]:
        """Return the edits that touched a topic, its answers or its examples, the newest first."""
        changes, edits = tables.changes, tables.edits
        touched = sa.select(changes.c.edit_id).where(changes.c.topic_id == topic_id)
        query = sa.select(edits).where(edits.c.id.in_(touched)).order_by(edits.c.at.desc(), edits.c.id).limit(limit)
        return self._all(Edit, query)

    def topics_since(self, project_id: str, since: datetime) -> dict[str, str | None]:
        """Return the topics that were touched since a time, each with the name it had before (None: as now)."""
        changes, edits = tables.changes, tables.edits
        recent = sa.select(edits.c.id).where(edits.c.project_id == project_id, edits.c.at >= since)
        chosen = (changes.c.edit_id.in_(recent), changes.c.topic_id.is_not(None))
        touched = self.connection.execute(sa.select(changes.c.topic_id).where(*chosen).distinct()).scalars()
        found: dict[str, str | None] = dict.fromkeys(touched)
        own = sa.select(changes.c.noun_id, changes.c.before).join(edits, edits.c.id == changes.c.edit_id)
        own = own.where(*chosen, changes.c.noun == "topics").order_by(edits.c.at.desc(), changes.c.place.desc())
        # The oldest change comes last and stays: it knows the first name.
        found |= {row[0]: row[1]["name"] for row in self.connection.execute(own) if row[1] is not None}
        return found

    def of_row(self, noun: str, noun_id: str, *, limit: int = 50) -> tuple[Edit, ...]:
        """Return the edits that touched one row, the newest first."""
        changes, edits = tables.changes, tables.edits
        touched = sa.select(changes.c.edit_id).where(changes.c.noun == noun, changes.c.noun_id == noun_id)
        query = sa.select(edits).where(edits.c.id.in_(touched)).order_by(edits.c.at.desc(), edits.c.id).limit(limit)
        return self._all(Edit, query)

    def changes(self, edit_id: str, *, limit: int | None = None) -> tuple[Change, ...]:
        """Return what an edit did, in order."""
        table = tables.changes
        columns = (table.c.noun, table.c.noun_id, table.c.before, table.c.after, table.c.topic_id)
        query = sa.select(*columns).where(table.c.edit_id == edit_id).order_by(table.c.place).limit(limit)
        return self._all(Change, query)

    # --- the work ------------------------------------------------------------------------------------------------

    def _check(self, changes: Sequence[Change]) -> None:
        """Refuse changes of rows that are no longer as they were; a row may be changed several times in one edit."""
        first: dict[tuple[str, str], Change] = {}
        for change in changes:
            first.setdefault((change.noun, change.noun_id), change)
        by_noun: dict[str, list[Change]] = {}
        for change in first.values():
            by_noun.setdefault(change.noun, []).append(change)
        faults = [fault for noun, own in by_noun.items() for fault in self._conflicts(noun, own)]
        if faults:
            raise StaleError(
                f"somebody was faster: {plural(len(faults), 'row')} changed meanwhile",
                faults=faults[:SHOWN_CONFLICTS],
                remedy="look at the newest state and do it again",
            )

    def _conflicts(self, noun: str, changes: Sequence[Change]) -> Iterator[Fault]:
        current = self.values(noun, [change.noun_id for change in changes])
        for change in changes:
            there = current.get(change.noun_id)
            if there != (None if change.before is None else dict(change.before)):
                shown = (there or change.before or change.after or {}).get("name") or change.noun_id
                yield Fault(_conflict_text(there, change), f"{noun.removesuffix('s')} {shown}")

    def _do(self, noun: str, step: str, changes: Sequence[Change]) -> None:
        table = NOUNS[noun]
        if step == "insert":
            self._put(table, [self._counted(noun, change) for change in changes])
        elif step == "delete":
            for start in range(0, len(changes), PIECE):
                ids = [change.noun_id for change in changes[start : start + PIECE]]
                self.connection.execute(sa.delete(table).where(table.c.id.in_(ids)))
        else:
            for change in changes:
                values: dict[str, Any] = _parsed(table, change.after or {})
                if counter := COUNTERS.get(noun):
                    values[counter] = table.c[counter] + 1
                self.connection.execute(sa.update(table).where(table.c.id == change.noun_id).values(values))

    def _mark(self, edit_id: str, **values: Any) -> None:
        self.connection.execute(sa.update(tables.edits).where(tables.edits.c.id == edit_id).values(values))

    def _counted(self, noun: str, change: Change) -> dict[str, Any]:
        values = _parsed(NOUNS[noun], change.after or {})
        if noun == "scenarios":
            # What comes back goes on where it stopped: a version number is never used twice.
            versions = tables.scenario_versions.c
            last = sa.select(sa.func.max(versions.version)).where(versions.scenario_id == change.noun_id)
            values["version"] = (self.connection.execute(last).scalar() or 0) + 1
        elif counter := COUNTERS.get(noun):
            values[counter] = 1
        return values

    def _keep_versions(self, edit: Edit, changes: Iterable[Change]) -> None:
        ids = {change.noun_id for change in changes if change.noun == "scenarios" and change.after is not None}
        table = tables.scenarios
        found = self.connection.execute(sa.select(table).where(table.c.id.in_(ids))).mappings().all() if ids else ()
        rows = [
            {
                "scenario_id": row["id"],
                "version": row["version"],
                "text": row["text"],
                "at": edit.at,
                "user_id": edit.user_id,
                "why": edit.why or edit.summary,
            }
            for row in found
        ]
        self._put(tables.scenario_versions, rows)


def _step(change: Change) -> str:
    if change.before is None:
        return "insert"
    return "delete" if change.after is None else "update"


def _plain(noun: str, values: Mapping[Any, Any]) -> dict[str, Any]:
    """Return columns as plain JSON values, without the counter."""
    skipped = COUNTERS.get(noun)
    return {
        str(name): value.isoformat() if isinstance(value, date) else value
        for name, value in values.items()
        if name != skipped
    }


def _parsed(table: sa.Table, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return columns as the database takes them."""
    moments = {column.name for column in table.c if isinstance(column.type, tables.Moment)}
    return {
        name: datetime.fromisoformat(value) if name in moments and value is not None else value
        for name, value in values.items()
    }


def _edit_values(edit: Edit) -> dict[str, Any]:
    return {column.name: getattr(edit, column.name) for column in tables.edits.c}


def _change_values(edit_id: str, changes: Sequence[Change]) -> Iterator[dict[str, Any]]:
    for place, change in enumerate(changes):
        yield {
            "edit_id": edit_id,
            "place": place,
            "noun": change.noun,
            "noun_id": change.noun_id,
            "topic_id": change.topic_id,
            "before": change.before,
            "after": change.after,
        }


def _conflict_text(there: Mapping[str, Any] | None, change: Change) -> str:
    if there is None:
        return "it has been deleted"
    return "it is there already" if change.before is None else "it has been changed"


def _clash(error: IntegrityError) -> UsageError:
    text = str(error.orig).lower()
    if "unique" in text:
        return UsageError("the name is taken already", remedy="choose another name, or merge the two")
    return UsageError("other rows still belong to this one", remedy="move or delete them first")
