"""Every change of material goes through here: checked against what is there, written down, and reversible."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime
from functools import cache
from itertools import groupby
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from vivavoce.errors import Fault, StaleError, UsageError, plural
from vivavoce.sentences import say
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
# Columns that the product itself moves on: a row that differs only there is as it was.
MOVING = {"schedules": "next_at"}
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
        columns = [column for column in table.c if column.name != COUNTERS.get(noun)]
        names, times = [column.name for column in columns], _moments(table)
        found: dict[str, Mapping[str, Any]] = {}
        for start in range(0, len(ids), PIECE):
            query = sa.select(*columns).where(table.c.id.in_(ids[start : start + PIECE]))
            for row in self.connection.execute(query):
                # By their order: tens of thousands of rows are read in half the time that names take.
                plain = dict(zip(names, row, strict=True))
                found[plain["id"]] = plain | {name: plain[name].isoformat() for name in times if plain[name]}
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
        self._do_all(edit, changes)
        self._put(tables.changes, _change_values(edit.id, changes))
        return edit

    def undo(
        self, edit_id: str, user_id: str | None, *, why: str = "", changes: Sequence[Change] | None = None
    ) -> Edit:
        """Do the reverse of an edit, as an edit of its own; `changes` are those of the edit, where they were read."""
        edit = required(self.get(edit_id), "edit", edit_id)
        if edit.undone_by:
            raise StaleError("this edit has been undone already", remedy="undo the undoing to have it back")
        own = self.changes(edit_id) if changes is None else changes
        back = [Change(c.noun, c.noun_id, c.after, c.before, c.topic_id) for c in reversed(own)]
        said = ("undo", say(f"Undone: {edit.summary}"), why, edit_id)
        done = Edit(new_id(), edit.project_id, now(), user_id, *said, None, len(back))
        self._do_all(done, back)
        self.connection.execute(_turned_round(edit, done))
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

    def state(self, project_id: str) -> tuple[int, str]:
        """Return a mark of the content of a project: it is another one after every change."""
        edits = tables.edits
        newest = sa.select(edits.c.id).where(edits.c.project_id == project_id).order_by(edits.c.at.desc(), edits.c.id)
        return self.count(project_id), self.connection.execute(newest.limit(1)).scalar() or ""

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

    def last_names(self, noun: str, ids: Sequence[str]) -> dict[str, str]:
        """Return the names that rows had last, also of those that are gone, by id."""
        changes, edits = tables.changes, tables.edits
        query = sa.select(changes.c.noun_id, changes.c.before, changes.c.after)
        query = query.join(edits, edits.c.id == changes.c.edit_id).order_by(edits.c.at, changes.c.place)
        found: dict[str, str] = {}
        for start in range(0, len(ids), PIECE):
            chosen = (changes.c.noun == noun, changes.c.noun_id.in_(ids[start : start + PIECE]))
            for row in self.connection.execute(query.where(*chosen)):
                found[row[0]] = str((row[2] or row[1])["name"])
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
        return tuple(Change(*row) for row in self.connection.execute(query))

    # --- the work ------------------------------------------------------------------------------------------------

    def _do_all(self, edit: Edit, changes: Sequence[Change]) -> None:
        """Do the changes of an edit and keep who did it; what it did to each row is kept by whoever asks for it."""
        self._check(changes)
        try:
            for (noun, step), group in groupby(changes, key=lambda change: (change.noun, _step(change))):
                self._do(noun, step, list(group))
        except IntegrityError as error:
            raise _clash(error) from error
        self._put(tables.edits, [_edit_values(edit)])
        self._keep_versions(edit, changes)

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
            if _at_rest(noun, there) != _at_rest(noun, change.before):
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


def _at_rest(noun: str, values: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Return the columns that only people change."""
    return None if values is None else {name: value for name, value in values.items() if name != MOVING.get(noun)}


def _parsed(table: sa.Table, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return columns as the database takes them."""
    times = {name: datetime.fromisoformat(values[name]) for name in _moments(table) if values.get(name) is not None}
    return {**values, **times}


@cache
def _moments(table: sa.Table) -> frozenset[str]:
    """Return the columns of a table that hold a time."""
    return frozenset(column.name for column in table.c if isinstance(column.type, tables.Moment))


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


def _turned_round(edit: Edit, undoing: Edit) -> sa.Insert:
    """Return what an edit did the other way round, written by the database itself: no row goes through our hands."""
    table = tables.changes
    place = sa.literal(undoing.size - 1) - table.c.place
    kept = (table.c.noun, table.c.noun_id, table.c.topic_id, table.c.after, table.c.before)
    found = sa.select(sa.literal(undoing.id), place, *kept).where(table.c.edit_id == edit.id)
    names = ("edit_id", "place", "noun", "noun_id", "topic_id", "before", "after")
    return sa.insert(table).from_select(names, found)


def _conflict_text(there: Mapping[str, Any] | None, change: Change) -> str:
    if there is None:
        return say("it has been deleted")
    return say("it is there already") if change.before is None else say("it has been changed")


def _clash(error: IntegrityError) -> UsageError:
    text = str(error.orig).lower()
    if "unique" in text:
        return UsageError("the name is taken already", remedy="choose another name, or merge the two")
    return UsageError("other rows still belong to this one", remedy="move or delete them first")
