"""The history of a project: every edit with who, when and why, what it did, and the way back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Literal

from vivavoce.errors import AbsentError, StaleError, UsageError
from vivavoce.jobs.schedules import next_time
from vivavoce.messages import say
from vivavoce.store.database import Store
from vivavoce.store.rows import Change, Edit, Project, Role
from vivavoce.store.stamps import now
from vivavoce.store.transaction import Transaction
from vivavoce.workspace.access.actors import Actor, person_names
from vivavoce.workspace.access.engine_rules import check_engine
from vivavoce.workspace.topics.examples import OUT_OF_SCOPE_TITLE

MOST_CHANGES = 200
# What stands for a topic of which nothing is known any more.
GONE_TITLE = "a topic that is gone"
# Columns that only the product needs.
_SILENT = frozenset({"id", "project_id", "place", "created", "source", "suite_id", "user_id", "next_at"})
# Columns that hold settings by name: each is shown as a field of its own.
_SETTINGS = frozenset({"entry", "options"})
# What the title of a row says already where the row came or went.
_IN_TITLE = frozenset({"topic_id", "language"})
_SINGULAR = {
    "projects": "project",
    "topics": "topic",
    "answers": "answer",
    "examples": "example",
    "bots": "bot",
    "suites": "suite",
    "scenarios": "scenario",
    "schedules": "schedule",
}


@dataclass(frozen=True, slots=True)
class EditLine:
    """An edit and the name of whoever made it."""

    edit: Edit
    who: str


@dataclass(frozen=True, slots=True)
class EditPage:
    """Some edits, the newest first, and how many there are in all."""

    lines: tuple[EditLine, ...]
    total: int


@dataclass(frozen=True, slots=True)
class FieldChange:
    """What one column said before and after."""

    name: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class RowChange:
    """What an edit did to one thing."""

    noun: str
    title: str
    step: Literal["added", "removed", "changed"]
    fields: tuple[FieldChange, ...]


@dataclass(frozen=True, slots=True)
class EditDetail:
    """An edit with what it did; `rows` are the first of them."""

    edit: Edit
    who: str
    rows: tuple[RowChange, ...]


def list_edits(store: Store, project: Project, *, limit: int = 50, offset: int = 0) -> EditPage:
    """Return some edits of a project."""
    with store.reading() as tx:
        found = tx.edits.of_project(project.id, limit=limit, offset=offset)
        return EditPage(edit_lines(tx, found), tx.edits.count(project.id))


def topic_edits(store: Store, topic_id: str, *, limit: int = 20) -> tuple[EditLine, ...]:
    """Return the edits that touched a topic, its answers or its examples, the newest first."""
    with store.reading() as tx:
        return edit_lines(tx, tx.edits.of_topic(topic_id, limit=limit))


def show_edit(store: Store, project: Project, edit_id: str, *, most: int | None = MOST_CHANGES) -> EditDetail:
    """Return an edit with what it did, at most `most` rows of it."""
    with store.reading() as tx:
        edit = _found(tx, project, edit_id)
        changes = tx.edits.changes(edit_id, limit=None if most is None else 2 * most)
        # The names of topics by id: those there are now, and those that the edit knew.
        known = {
            change.noun_id: str(values["name"])
            for change in changes
            if change.noun == "topics" and (values := change.after or change.before)
        }
        known |= tx.topics.names(project.id)
        homes = {values.get("topic_id") for c in changes for values in (c.before, c.after) if values}
        titles = known | tx.edits.last_names("topics", [one for one in homes if one and one not in known])
        (line,) = edit_lines(tx, [edit])
    rows = tuple(_described(own, titles) for own in islice(_by_row(changes), most))
    return EditDetail(edit, line.who, rows)


def undo_edit(store: Store, actor: Actor, project: Project, edit_id: str, *, why: str = "") -> Edit:
    """Do the reverse of an edit, as an edit of its own, which can be undone as well."""
    actor.require(Role.EDITOR)
    # What an edit did never changes: it is read while nobody has to wait.
    with store.reading() as tx:
        _found(tx, project, edit_id)
        changes = tx.edits.changes(edit_id)
    for change in changes:
        # Refuse to bring back what the person could not write by hand: a bot, or an engine that uses code or files.
        if change.noun == "bots":
            actor.require(Role.ADMIN)
        before, after = ((values or {}).get("classifier") for values in (change.before, change.after))
        if change.noun == "projects" and before and before != after:
            check_engine(actor, str(before))
    with store.writing() as tx:
        done = tx.edits.undo(edit_id, actor.user_id, why=why, changes=changes)
        _wind_up(tx, [change.noun_id for change in changes if change.noun == "schedules"])
    return done


def edit_lines(tx: Transaction, edits: Sequence[Edit]) -> tuple[EditLine, ...]:
    """Return edits with the names of those who made them."""
    names = person_names(tx, [edit.user_id for edit in edits])
    return tuple(EditLine(edit, names[edit.user_id]) for edit in edits)


# --- the work ----------------------------------------------------------------------------------------------------


def _found(tx: Transaction, project: Project, edit_id: str) -> Edit:
    edit = tx.edits.get(edit_id)
    if edit is None or edit.project_id != project.id:
        raise AbsentError(say("there is no such edit"), remedy=say("choose one from the history"))
    return edit


def _wind_up(tx: Transaction, schedules: Sequence[str]) -> None:
    """Let daily runs that came back begin at their next time: what passed meanwhile is not made up for."""
    for schedule_id in schedules:
        found = tx.schedules.get(schedule_id)
        if found is not None:
            tx.schedules.advance(found, next_time(found.minute_of_day, now()))


def _by_row(changes: Sequence[Change]) -> Iterable[list[Change]]:
    """Join what an edit did to the same row: an example that moved left one topic and came to another."""
    found: dict[tuple[str, str], list[Change]] = {}
    for change in changes:
        found.setdefault((change.noun, change.noun_id), []).append(change)
    return found.values()


def _described(own: Sequence[Change], titles: Mapping[str, str]) -> RowChange:
    noun, before, after = own[0].noun, own[0].before, own[-1].after
    step: Literal["added", "removed", "changed"] = (
        "added" if before is None else "removed" if after is None else "changed"
    )
    fields = tuple(_fields(_flat(before or {}), _flat(after or {}), titles))
    return RowChange(_SINGULAR.get(noun, noun), _title(noun, after or before or {}, titles), step, fields)


def _title(noun: str, values: Mapping[str, Any], titles: Mapping[str, str]) -> str:
    """Return what a row is called: an answer by its topic and language, an example by its topic."""
    if noun not in ("answers", "examples"):
        return str(values.get("name") or values.get("title") or values.get("kind", ""))
    home = _topic_said(values.get("topic_id"), titles)
    return f"{home}, {values['language']}" if noun == "answers" else home


def _topic_said(topic_id: str | None, titles: Mapping[str, str]) -> str:
    return titles.get(topic_id, GONE_TITLE) if topic_id else OUT_OF_SCOPE_TITLE


def _flat(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns of a row, with settings by name beside them; settings within settings after a dot."""
    found: dict[str, Any] = {}
    for name, value in values.items():
        if name in _SETTINGS and isinstance(value, Mapping):
            found |= {key if key not in values else f"{name}.{key}": said for key, said in _leaves(value)}
        else:
            found[name] = value
    return found


def _leaves(value: object, name: str = "") -> Iterator[tuple[str, object]]:
    """Yield what nested settings hold, each under the names that lead to it."""
    if isinstance(value, Mapping):
        for key, own in value.items():
            yield from _leaves(own, f"{name}.{key}" if name else str(key))
    elif isinstance(value, list) and any(isinstance(one, Mapping | list) for one in value):
        for place, own in enumerate(value, 1):
            yield from _leaves(own, f"{name}.{place}")
    else:
        yield name, value


def _fields(before: Mapping[str, Any], after: Mapping[str, Any], titles: Mapping[str, str]) -> Iterator[FieldChange]:
    for name in dict.fromkeys([*before, *after]):
        if name in _SILENT or before.get(name) == after.get(name):
            continue
        if name in _IN_TITLE and not (before and after):
            continue
        old, new = (_said(name, values, titles) for values in (before, after))
        if old or new:
            yield FieldChange("topic" if name == "topic_id" else name, old, new)


def _said(name: str, values: Mapping[str, Any], titles: Mapping[str, str]) -> str:
    if name not in values:
        return ""
    value = values[name]
    if name == "topic_id":
        return _topic_said(value, titles)
    if name == "minute_of_day":
        return f"{value // 60:02}:{value % 60:02} UTC"
    if isinstance(value, list):
        return ", ".join(map(str, value))
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "" if value is None else str(value)


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
            say(
                "it cannot be undone yet, because a later change builds on it: {summary} ({who})",
                summary=later.edit.summary,
                who=later.who,
            ),
            where=say("edit {id}", id=later.edit.id),
            remedy=say("undo that one first, then this one"),
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
