"""The history of a project: every edit with who, when and why, what it did, and the way back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Literal

from vivavoce.errors import AbsentError, StaleError, UsageError
from vivavoce.jobs.starting import next_time
from vivavoce.messages import say
from vivavoce.store.database import Store
from vivavoce.store.rows import Change, Edit, Project, Role
from vivavoce.store.stamps import now
from vivavoce.store.transaction import Transaction
from vivavoce.workspace.access.actors import Actor, person_names
from vivavoce.workspace.access.engine_rules import check_engine
from vivavoce.workspace.topics.examples import OUT_OF_SCOPE_TITLE

MAX_CHANGES = 200
# What stands for a topic of which nothing is known any more.
GONE_TITLE = "a topic that is gone"
# Columns that only the product needs.
_SILENT = frozenset({"id", "project_id", "place", "created", "source", "suite_id", "user_id", "next_at"})
# Columns that hold settings by name: each is shown as a field of its own.
_SETTINGS = frozenset({"entry", "options"})
# What the title of a row says already where the row came or went.
_IN_TITLE = frozenset({"topic_id", "language"})


Step = Literal["added", "removed", "changed"]


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
    step: Step
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
        edits = tx.edits.of_project(project.id, limit=limit, offset=offset)
        return EditPage(edit_lines(tx, edits), tx.edits.count(project.id))


def topic_edits(store: Store, topic_id: str, *, limit: int = 20) -> tuple[EditLine, ...]:
    """Return the edits that touched a topic, its answers or its examples, the newest first."""
    with store.reading() as tx:
        return edit_lines(tx, tx.edits.of_topic(topic_id, limit=limit))


def show_edit(store: Store, project: Project, edit_id: str, *, most: int | None = MAX_CHANGES) -> EditDetail:
    """Return an edit with what it did, at most `most` rows of it."""
    with store.reading() as tx:
        edit = _get_edit(tx, project, edit_id)
        changes = tx.edits.changes(edit_id, limit=None if most is None else 2 * most)
        # The names of topics by id: those there are now, and those that the edit knew.
        known = {
            change.noun_id: str(values["name"])
            for change in changes
            if change.noun == "topics" and (values := change.after or change.before)
        }
        known |= tx.topics.names(project.id)
        homes = {values.get("topic_id") for c in changes for values in (c.before, c.after) if values}
        titles = known | tx.edits.last_names("topics", [home for home in homes if home and home not in known])
        (line,) = edit_lines(tx, [edit])
    # Changes of one row belong together: an example that moved left one topic and came to another.
    by_row: dict[tuple[str, str], list[Change]] = {}
    for change in changes:
        by_row.setdefault((change.noun, change.noun_id), []).append(change)
    rows = tuple(_describe_row(own, titles) for own in islice(by_row.values(), most))
    return EditDetail(edit, line.who, rows)


def undo_edit(store: Store, actor: Actor, project: Project, edit_id: str, *, why: str = "") -> Edit:
    """Do the reverse of an edit, as an edit of its own, which can be undone as well."""
    actor.require(Role.EDITOR)
    # What an edit did never changes: it is read while nobody has to wait.
    with store.reading() as tx:
        _get_edit(tx, project, edit_id)
        changes = tx.edits.changes(edit_id)
    for change in changes:
        # Refuse to bring back what the person could not write by hand: a bot, or an engine that uses code or files.
        if change.noun == "bots":
            actor.require(Role.ADMIN)
        before, after = ((values or {}).get("classifier") for values in (change.before, change.after))
        if change.noun == "projects" and before and before != after:
            check_engine(actor, str(before))
    with store.writing() as tx:
        undoing = tx.edits.undo(edit_id, actor.user_id, why=why, changes=changes)
        # Daily runs that came back begin at their next time: what passed meanwhile is not made up for.
        for schedule_id in (change.noun_id for change in changes if change.noun == "schedules"):
            if schedule := tx.schedules.get(schedule_id):
                tx.schedules.advance(schedule, next_time(schedule.minute_of_day, now()))
    return undoing


def edit_lines(tx: Transaction, edits: Sequence[Edit]) -> tuple[EditLine, ...]:
    """Return edits with the names of those who made them."""
    names = person_names(tx, [edit.user_id for edit in edits])
    return tuple(EditLine(edit, names[edit.user_id]) for edit in edits)


def _get_edit(tx: Transaction, project: Project, edit_id: str) -> Edit:
    edit = tx.edits.get(edit_id)
    if edit is None or edit.project_id != project.id:
        raise AbsentError(say("edit not found"), remedy=say("choose one from the history"))
    return edit


def _describe_row(own: Sequence[Change], titles: Mapping[str, str]) -> RowChange:
    noun, before, after = own[0].noun, own[0].before, own[-1].after
    step: Step = "added" if before is None else "removed" if after is None else "changed"
    values = after or before or {}
    if noun == "decisions":
        title = ", ".join(titles.get(own, GONE_TITLE) for own in values.get("topics", ()))
        return RowChange("decision", title, step, ())
    if noun == "reserved":
        # Nobody who edits reads the test set, not even in the history.
        return RowChange("test question", _topic_title(values.get("topic_id"), titles), step, ())
    if noun in ("answers", "examples"):
        title = _topic_title(values.get("topic_id"), titles)
        title = f"{title}, {values['language']}" if noun == "answers" else title
    else:
        title = str(values.get("name") or values.get("title") or values.get("kind", ""))
    fields = tuple(_compare_fields(_flatten(before or {}), _flatten(after or {}), titles))
    return RowChange(noun.removesuffix("s"), title, step, fields)


def _topic_title(topic_id: str | None, titles: Mapping[str, str]) -> str:
    return titles.get(topic_id, GONE_TITLE) if topic_id else OUT_OF_SCOPE_TITLE


def _flatten(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns of a row, with settings by name beside them; settings within settings after a dot."""
    columns: dict[str, Any] = {}
    for name, value in values.items():
        if name in _SETTINGS and isinstance(value, Mapping):
            columns |= {key if key not in values else f"{name}.{key}": leaf for key, leaf in _leaves(value)}
        else:
            columns[name] = value
    return columns


def _leaves(value: object, name: str = "") -> Iterator[tuple[str, object]]:
    """Yield what nested settings hold, each under the names that lead to it."""
    if isinstance(value, Mapping):
        for key, own in value.items():
            yield from _leaves(own, f"{name}.{key}" if name else str(key))
    elif isinstance(value, list) and any(isinstance(item, Mapping | list) for item in value):
        for place, own in enumerate(value, 1):
            yield from _leaves(own, f"{name}.{place}")
    else:
        yield name, value


def _compare_fields(
    before: Mapping[str, Any], after: Mapping[str, Any], titles: Mapping[str, str]
) -> Iterator[FieldChange]:
    for name in dict.fromkeys([*before, *after]):
        if name in _SILENT or before.get(name) == after.get(name):
            continue
        if name in _IN_TITLE and not (before and after):
            continue
        old, new = (
            _format_value(name, values.get(name), titles) if name in values else "" for values in (before, after)
        )
        if old or new:
            yield FieldChange("topic" if name == "topic_id" else name, old, new)


def _format_value(name: str, value: Any, titles: Mapping[str, str]) -> str:
    if name == "topic_id":
        return _topic_title(value, titles)
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
                "this cannot be undone yet because a later change depends on it: {summary} ({who})",
                summary=later.edit.summary,
                who=later.who,
            ),
            where=say("edit {id}", id=later.edit.id),
            remedy=say("undo the later change first, then this one"),
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
