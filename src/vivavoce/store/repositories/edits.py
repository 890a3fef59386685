"""Every change of material goes through here: checked against what is there, written down, and reversible."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
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
from vivavoce.store.repositories.repository import pieces, required, values_of
from vivavoce.store.rows import Change, Edit
from vivavoce.store.stamps import new_id, now

# What can be edited.
_NAMES = ("projects", "topics", "answers", "examples", "bots", "suites", "scenarios", "schedules")
NOUNS = {name: tables.metadata.tables[name] for name in _NAMES}
# Columns that count up with every change and are never set back, not even by an undo.
COUNTERS = {"scenarios": "version", "projects": "version"}
# Columns that the product itself moves on: a row that differs only there is as it was.
MOVING = {"schedules": "next_at"}
SHOWN_CONFLICTS = 10


class Edits(EditLog):
    """Changes of material: who, when, why, before and after."""

    def insert(self, noun: str, values: Mapping[str, Any], topic_id: str | None = None) -> Change:
        """Describe a new row; `values` holds its id."""
        return Change(noun, values["id"], None, _plain(noun, values), topic_id)

    def update(self, noun: str, noun_id: str, topic_id: str | None = None, **new: Any) -> Change:
        """Describe other values of some columns of a row that is there."""
        before = required(self.values(noun, [noun_id]).get(noun_id), noun.removesuffix("s"), noun_id)
        return Change(noun, noun_id, before, {**before, **_plain(noun, new)}, topic_id)

    def delete(self, noun: str, noun_id: str, topic_id: str | None = None) -> Change:
        """Describe that a row goes."""
        return replace(self.update(noun, noun_id, topic_id), after=None)

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
            raise UsageError(say("nothing to change"), remedy=say("change something first"))
        edit = Edit(new_id(), project_id, at or now(), user_id, action, summary, why, undoes, None, len(changes))
        self._do_all(edit, changes)
        rows = (
            {"edit_id": edit.id, "place": place, **values_of(tables.changes, change)}
            for place, change in enumerate(changes)
        )
        self._insert(rows, tables.changes)
        return edit

    def undo(
        self, edit_id: str, user_id: str | None, *, why: str = "", changes: Sequence[Change] | None = None
    ) -> Edit:
        """Do the reverse of an edit, as an edit of its own; `changes` are those of the edit, where they were read."""
        edit = required(self.get(edit_id), "edit", edit_id)
        if edit.undone_by:
            raise StaleError(say("this edit is already undone"), remedy=say("undo the undo to restore it"))
        own = self.changes(edit_id) if changes is None else changes
        back = [Change(c.noun, c.noun_id, c.after, c.before, c.topic_id) for c in reversed(own)]
        summary = say("Undone: {summary}", summary=edit.summary)
        undoing = Edit(new_id(), edit.project_id, now(), user_id, "undo", summary, why, edit_id, None, len(back))
        self._do_all(undoing, back)
        # The database itself writes what the edit did the other way round: no row goes through our hands.
        table = tables.changes
        columns = (table.c.noun, table.c.noun_id, table.c.topic_id, table.c.after, table.c.before)
        place = sa.literal(undoing.size - 1) - table.c.place
        reverse = sa.select(sa.literal(undoing.id), place, *columns).where(table.c.edit_id == edit.id)
        names = ("edit_id", "place", "noun", "noun_id", "topic_id", "before", "after")
        self.connection.execute(sa.insert(table).from_select(names, reverse))
        self._update(tables.edits.c.id == edit_id, undone_by=undoing.id)
        if edit.undoes:
            # What was undone holds again, and can be undone again.
            self._update(tables.edits.c.id == edit.undoes, undone_by=None)
        return undoing

    def _do_all(self, edit: Edit, changes: Sequence[Change]) -> None:
        """Do the changes of an edit and keep who did it; the caller keeps what it did to each row."""
        self._check(changes)
        try:
            kinds = groupby(changes, key=lambda change: (change.noun, change.before is None, change.after is None))
            for (noun, is_new, is_gone), group in kinds:
                self._do(NOUNS[noun], list(group), is_new=is_new, is_gone=is_gone)
        except IntegrityError as error:
            if "unique" in str(error.orig).lower():
                remedy = say("choose another name, or merge the two")
                raise UsageError(say("the name is already taken"), remedy=remedy) from error
            remedy = say("move or delete them first")
            raise UsageError(say("other rows still belong to it"), remedy=remedy) from error
        self._add(edit)
        self._keep_versions(edit, changes)

    def _check(self, changes: Sequence[Change]) -> None:
        """Refuse changes of rows that are no longer as they were; a row may be changed several times in one edit."""
        by_noun: dict[str, dict[str, Change]] = {}
        for change in changes:
            by_noun.setdefault(change.noun, {}).setdefault(change.noun_id, change)
        faults = [fault for noun, first in by_noun.items() for fault in self._find_conflicts(noun, first)]
        if faults:
            rows = say_count(len(faults), "{n} row", "{n} rows")
            raise StaleError(
                say("someone else made changes in the meantime: {rows} affected", rows=rows),
                faults=faults[:SHOWN_CONFLICTS],
                remedy=say("reload and try again"),
            )

    def _find_conflicts(self, noun: str, changes: Mapping[str, Change]) -> Iterator[Fault]:
        current = self.values(noun, list(changes))
        moving = {MOVING[noun]: None} if noun in MOVING else {}
        for row_id, change in changes.items():
            row, before = current.get(row_id), change.before
            # Other values of a column that the product itself moves on are no conflict.
            if row == before or (row and before and {**row, **moving} == {**before, **moving}):
                continue
            name = (row or before or change.after or {}).get("name") or row_id
            what = say("it already exists") if before is None else say("it was changed")
            yield Fault(what if row else say("it was deleted"), f"{noun.removesuffix('s')} {name}")

    def _do(self, table: sa.Table, changes: Sequence[Change], *, is_new: bool, is_gone: bool) -> None:
        if is_gone:
            for piece in pieces([change.noun_id for change in changes]):
                self.connection.execute(sa.delete(table).where(table.c.id.in_(piece)))
            return
        counter, moments = COUNTERS.get(table.name), [c.name for c in table.c if isinstance(c.type, Moment)]
        rows = []
        for change in changes:
            row = dict(change.after or {})
            row |= {name: datetime.fromisoformat(row[name]) for name in moments if row.get(name) is not None}
            if counter:
                row[counter] = self._last_version(change.noun_id) + 1 if is_new else table.c[counter] + 1
            rows.append(row)
        if is_new:
            self._insert(rows, table)
        else:
            for change, row in zip(changes, rows, strict=True):
                self.connection.execute(sa.update(table).where(table.c.id == change.noun_id).values(row))

    def _last_version(self, noun_id: str) -> int:
        """Return the last version of a scenario: one that comes back goes on there, no number is used twice."""
        versions = tables.scenario_versions.c
        return self._scalar(sa.select(sa.func.max(versions.version)).where(versions.scenario_id == noun_id)) or 0

    def _keep_versions(self, edit: Edit, changes: Iterable[Change]) -> None:
        ids = {change.noun_id for change in changes if change.noun == "scenarios" and change.after is not None}
        if not ids:
            return
        columns = [tables.scenarios.c[name] for name in ("id", "version", "text")]
        rows = self.connection.execute(sa.select(*columns).where(tables.scenarios.c.id.in_(ids)))
        saved = {"at": edit.at, "user_id": edit.user_id, "why": edit.why or edit.summary}
        versions = ({"scenario_id": row.id, "version": row.version, "text": row.text, **saved} for row in rows.all())
        self._insert(versions, tables.scenario_versions)


def _plain(noun: str, values: Mapping[Any, Any]) -> dict[str, Any]:
    """Return columns as plain JSON values, without the counter."""
    skipped = COUNTERS.get(noun)
    return {
        str(name): value.isoformat() if isinstance(value, date) else value
        for name, value in values.items()
        if name != skipped
    }


@cache
def _writers(table: sa.Table) -> Mapping[str, Callable[[Any], Any]]:
    """Return how the columns become JSON that are not plain values."""
    kinds: Mapping[type, Callable[[Any], Any]] = {Moment: datetime.isoformat, JsonTuple: list}
    return {column.name: kinds[type(column.type)] for column in table.c if type(column.type) in kinds}
