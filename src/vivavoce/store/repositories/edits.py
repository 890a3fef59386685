"""Every change of material goes through here: checked against what is there, written down, and reversible."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
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
from vivavoce.store.repositories.repository import RowsById, pieces, require, values_of
from vivavoce.store.rows import Change, Edit
from vivavoce.store.stamps import new_id, now
from vivavoce.store.tables import changes, edits

_NEWEST_FIRST = (edits.c.at.desc(), edits.c.id)


# What can be edited.
_NAMES = (
    *("projects", "topics", "answers", "examples", "reserved", "decisions"),
    *("bots", "suites", "scenarios", "schedules"),
)
NOUNS = {name: tables.metadata.tables[name] for name in _NAMES}
# Columns that count up with every change and are never set back, not even by an undo.
COUNTERS = {"scenarios": "version", "projects": "version"}
# Columns that the product itself moves on: a row that differs only there is as it was.
MOVING = {"schedules": "next_at"}
SHOWN_CONFLICTS = 10


@dataclass(frozen=True, slots=True)
class EditSize:
    """How many rows of one kind (`noun`) an edit touched, and how many of them came or went by it."""

    edit_id: str
    at: datetime
    action: str
    undoes: str | None
    undone_by: str | None
    noun: str
    rows: int
    added: int
    removed: int


class Edits(RowsById[Edit], table=edits, row=Edit):
    """Changes of material: who, when, why, before and after."""

    def of_project(
        self,
        project_id: str,
        *,
        limit: int | None = 50,
        offset: int = 0,
        since: datetime | None = None,
        until: datetime | None = None,
    ) -> tuple[Edit, ...]:
        """Return the edits of a project, or those of a stretch of time, the newest first."""
        query = self._select(*_between(project_id, since, until))
        return self._all(query.order_by(*_NEWEST_FIRST).limit(limit).offset(offset))

    def count(self, project_id: str, *, since: datetime | None = None, until: datetime | None = None) -> int:
        """Return how many edits a project has seen, at all or in a stretch of time."""
        return self._count(*_between(project_id, since, until))

    def count_of_topics(self, project_id: str, since: datetime) -> int:
        """Return how many edits of topics, answers or examples there were since a time."""
        touched = sa.select(changes.c.edit_id).where(changes.c.edit_id == edits.c.id, changes.c.topic_id.is_not(None))
        return self._count(*_between(project_id, since), touched.exists())

    def sizes(
        self, project_id: str, nouns: Sequence[str], since: datetime | None, until: datetime | None = None
    ) -> tuple[EditSize, ...]:
        """Return what edits of a stretch of time did to rows of some kinds, the oldest first."""
        # A row that moves leaves one place and comes to another: two changes, one row.
        came = sa.func.count(sa.distinct(sa.case((changes.c.before.is_(None), changes.c.noun_id))))
        went = sa.func.count(sa.distinct(sa.case((changes.c.after.is_(None), changes.c.noun_id))))
        about = (edits.c.id, edits.c.at, edits.c.action, edits.c.undoes, edits.c.undone_by, changes.c.noun)
        query = sa.select(*about, sa.func.count(sa.distinct(changes.c.noun_id)), came, went)
        query = query.join(changes, changes.c.edit_id == edits.c.id).where(*_between(project_id, since, until))
        query = query.where(changes.c.noun.in_(nouns)).group_by(*about).order_by(edits.c.at, edits.c.id)
        return self._rows(EditSize, query)

    def state(self, project_id: str) -> tuple[int, str]:
        """Return what changes whenever the content of a project does."""
        newest = sa.select(edits.c.id).where(edits.c.project_id == project_id).order_by(*_NEWEST_FIRST).limit(1)
        query = sa.select(sa.func.count(), newest.scalar_subquery()).where(edits.c.project_id == project_id)
        count, edit_id = self.connection.execute(query).one()
        return int(count), edit_id or ""

    def by_person(self, project_id: str, since: datetime) -> dict[str | None, tuple[int, datetime]]:
        """Return how many edits each person made since a time, and when the last one, by the id of the person."""
        query = sa.select(edits.c.user_id, sa.func.count(), sa.func.max(edits.c.at))
        query = query.where(*_between(project_id, since)).group_by(edits.c.user_id)
        return {user_id: (int(n), at) for user_id, n, at in self.connection.execute(query)}

    def of_topic(self, topic_id: str, *, limit: int = 50) -> tuple[Edit, ...]:
        """Return the edits that touched a topic, its answers or its examples, the newest first."""
        touched = sa.select(changes.c.edit_id).where(changes.c.topic_id == topic_id)
        return self._all(self._select(edits.c.id.in_(touched)).order_by(*_NEWEST_FIRST).limit(limit))

    def later(self, edit: Edit, limit: int) -> tuple[Edit, ...]:
        """Return the edits since then that touched a row of an edit, or what belongs to a topic that it made."""
        mine, other = changes.alias("mine"), changes.alias("other")
        same = sa.and_(other.c.noun == mine.c.noun, other.c.noun_id == mine.c.noun_id)
        within = sa.and_(mine.c.noun == "topics", other.c.topic_id == mine.c.noun_id)
        touched = sa.select(other.c.edit_id).join(mine, sa.or_(same, within)).where(mine.c.edit_id == edit.id)
        query = self._select(edits.c.id.in_(touched), edits.c.id != edit.id, edits.c.at >= edit.at)
        return self._all(query.order_by(*_NEWEST_FIRST).limit(limit))

    def topics_since(self, project_id: str, since: datetime) -> dict[str, str | None]:
        """Return the topics that were touched since a time, each with the name it had before (None: as now)."""
        recent = sa.select(edits.c.id).where(*_between(project_id, since))
        chosen = (changes.c.edit_id.in_(recent), changes.c.topic_id.is_not(None))
        ids = self._scalars(sa.select(changes.c.topic_id).where(*chosen).distinct())
        query = sa.select(changes.c.noun_id, changes.c.before).join(edits, edits.c.id == changes.c.edit_id)
        query = query.where(*chosen, changes.c.noun == "topics").order_by(edits.c.at.desc(), changes.c.place.desc())
        # The oldest change comes last and stays: it knows the first name.
        rows = self.connection.execute(query)
        return dict.fromkeys(ids) | {noun_id: before["name"] for noun_id, before in rows if before is not None}

    def last_names(self, noun: str, ids: Sequence[str]) -> dict[str, str]:
        """Return the names that rows had last, also of those that are gone, by id."""
        query = sa.select(changes.c.noun_id, changes.c.before, changes.c.after).where(changes.c.noun == noun)
        query = query.join(edits, edits.c.id == changes.c.edit_id).order_by(edits.c.at, changes.c.place)
        return {
            noun_id: str((after or before)["name"])
            for piece in pieces(ids)
            for noun_id, before, after in self.connection.execute(query.where(changes.c.noun_id.in_(piece)))
        }

    def last_values(self, project_id: str, action: str, noun: str) -> dict[str, Mapping[str, Any]]:
        """Return what rows were after the newest edit of a kind that holds, by id; rows that went are left out."""
        query = sa.select(changes.c.noun_id, changes.c.after).join(edits, edits.c.id == changes.c.edit_id)
        valid = (*_between(project_id), edits.c.action == action, edits.c.undone_by.is_(None), changes.c.noun == noun)
        rows = self.connection.execute(query.where(*valid).order_by(edits.c.at, changes.c.place))
        return {noun_id: after for noun_id, after in rows if after is not None}

    def changes(self, edit_id: str, *, limit: int | None = None) -> tuple[Change, ...]:
        """Return what an edit did, in order."""
        columns = (changes.c.noun, changes.c.noun_id, changes.c.before, changes.c.after, changes.c.topic_id)
        query = sa.select(*columns).where(changes.c.edit_id == edit_id).order_by(changes.c.place).limit(limit)
        return self._rows(Change, query)

    def changes_of(
        self, project_id: str, noun: str, ids: Sequence[str], since: datetime, until: datetime
    ) -> Iterator[tuple[Edit, str, Mapping[str, Any] | None, Mapping[str, Any] | None]]:
        """Yield what the edits of a stretch of time did to some rows: edit, id, before and after, in order."""
        query = sa.select(*self.columns, changes.c.noun_id, changes.c.before, changes.c.after)
        query = query.join(changes, edits.c.id == changes.c.edit_id).where(*_between(project_id, since, until))
        query = query.where(changes.c.noun == noun).order_by(edits.c.at, edits.c.id, changes.c.place)
        for piece in pieces(ids):
            for *edit, noun_id, before, after in self._fetch(query.where(changes.c.noun_id.in_(piece))):
                yield Edit(*edit), noun_id, before, after

    def insert(self, noun: str, values: Mapping[str, Any], topic_id: str | None = None) -> Change:
        """Describe a new row; `values` holds its id."""
        return Change(noun, values["id"], None, _plain(noun, values), topic_id)

    def update(self, noun: str, noun_id: str, topic_id: str | None = None, **new: Any) -> Change:
        """Describe other values of some columns of a row that is there."""
        before = require(self.values(noun, [noun_id]).get(noun_id), noun.removesuffix("s"), noun_id)
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
        edit = require(self.get(edit_id), "edit", edit_id)
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
        versions, rows = tables.scenario_versions.c, []
        for change in changes:
            row = dict(change.after or {})
            row |= {name: datetime.fromisoformat(row[name]) for name in moments if row.get(name) is not None}
            if counter:
                # A scenario that comes back goes on after its last version: no number is used twice.
                last = sa.select(sa.func.max(versions.version)).where(versions.scenario_id == change.noun_id)
                row[counter] = (self._scalar(last) or 0) + 1 if is_new else table.c[counter] + 1
            rows.append(row)
        if is_new:
            self._insert(rows, table)
        else:
            for change, row in zip(changes, rows, strict=True):
                self.connection.execute(sa.update(table).where(table.c.id == change.noun_id).values(row))

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


def _between(
    project_id: str, since: datetime | None = None, until: datetime | None = None
) -> list[sa.ColumnElement[bool]]:
    conditions = [edits.c.project_id == project_id]
    conditions += [] if since is None else [edits.c.at >= since]
    return conditions if until is None else [*conditions, edits.c.at <= until]
