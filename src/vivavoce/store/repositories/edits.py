"""Every change of material goes through here: checked against what is there, written down, and reversible."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime
from functools import cache
from itertools import groupby
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from vivavoce.errors import Fault, StaleError, UsageError
from vivavoce.messages import say, say_count
from vivavoce.store import tables
from vivavoce.store.columns import JsonTuple, Moment
from vivavoce.store.repositories.edit_log import EditLog
from vivavoce.store.repositories.repository import pieces, required
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


class Edits(EditLog):
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
        names, written = [column.name for column in columns], _writers(table)
        values: dict[str, Mapping[str, Any]] = {}
        for piece in pieces(ids):
            for row in self.connection.execute(sa.select(*columns).where(table.c.id.in_(piece))):
                # By their order: tens of thousands of rows are read in half the time that names take.
                plain = dict(zip(names, row, strict=True))
                values[plain["id"]] = plain | {
                    name: write(plain[name]) for name, write in written.items() if plain[name] is not None
                }
        return values

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
            raise UsageError(say("nothing would change"), remedy=say("change something first"))
        edit = Edit(new_id(), project_id, at or now(), user_id, action, summary, why, undoes, None, len(changes))
        self._do_all(edit, changes)
        self._insert(_change_values(edit.id, changes), tables.changes)
        return edit

    def undo(
        self, edit_id: str, user_id: str | None, *, why: str = "", changes: Sequence[Change] | None = None
    ) -> Edit:
        """Do the reverse of an edit, as an edit of its own; `changes` are those of the edit, where they were read."""
        edit = required(self.get(edit_id), "edit", edit_id)
        if edit.undone_by:
            raise StaleError(say("this edit has been undone already"), remedy=say("undo the undoing to have it back"))
        own = self.changes(edit_id) if changes is None else changes
        back = [Change(c.noun, c.noun_id, c.after, c.before, c.topic_id) for c in reversed(own)]
        said = ("undo", say("Undone: {summary}", summary=edit.summary), why, edit_id)
        done = Edit(new_id(), edit.project_id, now(), user_id, *said, None, len(back))
        self._do_all(done, back)
        self.connection.execute(_reversal(edit, done))
        self._update(tables.edits.c.id == edit_id, undone_by=done.id)
        if edit.undoes:
            # What was undone holds again, and can be undone again.
            self._update(tables.edits.c.id == edit.undoes, undone_by=None)
        return done

    # --- the work ------------------------------------------------------------------------------------------------

    def _do_all(self, edit: Edit, changes: Sequence[Change]) -> None:
        """Do the changes of an edit and keep who did it; what it did to each row is kept by whoever asks for it."""
        self._check(changes)
        try:
            for (noun, step), group in groupby(changes, key=lambda change: (change.noun, _step(change))):
                self._do(noun, step, list(group))
        except IntegrityError as error:
            raise _clash(error) from error
        self._add(edit)
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
                say(
                    "somebody was faster: {rows} changed meanwhile",
                    rows=say_count(len(faults), "{n} row", "{n} rows"),
                ),
                faults=faults[:SHOWN_CONFLICTS],
                remedy=say("look at the newest state and do it again"),
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
            self._insert((self._counted(noun, change) for change in changes), table)
        elif step == "delete":
            for piece in pieces([change.noun_id for change in changes]):
                self.connection.execute(sa.delete(table).where(table.c.id.in_(piece)))
        else:
            for change in changes:
                values: dict[str, Any] = _parsed(table, change.after or {})
                if counter := COUNTERS.get(noun):
                    values[counter] = table.c[counter] + 1
                self.connection.execute(sa.update(table).where(table.c.id == change.noun_id).values(values))

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
        if not ids:
            return
        columns = [tables.scenarios.c[name] for name in ("id", "version", "text")]
        rows = self.connection.execute(sa.select(*columns).where(tables.scenarios.c.id.in_(ids)))
        saved = {"at": edit.at, "user_id": edit.user_id, "why": edit.why or edit.summary}
        versions = ({"scenario_id": row.id, "version": row.version, "text": row.text, **saved} for row in rows.all())
        self._insert(versions, tables.scenario_versions)


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
    moments = (column.name for column in table.c if isinstance(column.type, Moment))
    times = {name: datetime.fromisoformat(values[name]) for name in moments if values.get(name) is not None}
    return {**values, **times}


@cache
def _writers(table: sa.Table) -> Mapping[str, Callable[[Any], Any]]:
    """Return how the columns become JSON that are not plain values."""
    kinds: Mapping[type, Callable[[Any], Any]] = {Moment: datetime.isoformat, JsonTuple: list}
    return {column.name: kinds[type(column.type)] for column in table.c if type(column.type) in kinds}


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


def _reversal(edit: Edit, undoing: Edit) -> sa.Insert:
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
        return UsageError(say("the name is taken already"), remedy=say("choose another name, or merge the two"))
    return UsageError(say("other rows still belong to this one"), remedy=say("move or delete them first"))
