"""What workers do for assistants: let them learn, send mail, renew openings, forget old talks, watch for alarms.

A task is planned when it is due or when somebody asks for it. A worker claims it and performs it in a process of its
own; one that fails is tried again after a pause. What came of tasks stays as a record for a while.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Literal

from vivavoce.errors import InputError, MissingPartError, VivaError
from vivavoce.messages import Message, join, say, say_count
from vivavoce.store.database import Store
from vivavoce.store.rows import AssistantRow, Project, Role, TaskRow, TaskState
from vivavoce.store.stamps import new_id, now
from vivavoce.store.transaction import Transaction
from vivavoce.workspace.access.actors import PRODUCT, Actor, person_names
from vivavoce.workspace.access.bot_rules import server_rules
from vivavoce.workspace.assistant.alarms import give_notice
from vivavoce.workspace.assistant.feeds import fetch_feed
from vivavoce.workspace.assistant.learning import learn
from vivavoce.workspace.assistant.mailing import can_send, send_due
from vivavoce.workspace.assistant.openings import import_openings, read_feed
from vivavoce.workspace.assistant.privacy import forget_old
from vivavoce.workspace.assistant.settings import find_settings

_log = logging.getLogger(__name__)
Kind = Literal["learn", "mail", "feed", "forget", "watch"]
DAY = timedelta(days=1)
LEASE = timedelta(seconds=60)
KEPT = timedelta(days=90)
# A retry does not help against these.
FINAL = (InputError, MissingPartError)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a task: a sentence, and numbers and ids for pages and programs."""

    text: str
    result: Mapping[str, Any] = field(default_factory=dict)
    failed: bool = False


@dataclass(frozen=True, slots=True)
class TaskKind:
    """How a kind of task is done. `pauses`: before each retry; `role`: who may ask for it."""

    do: Callable[[Store, Actor, Project, Mapping[str, Any]], Outcome]
    timeout: timedelta
    pauses: Sequence[timedelta]
    role: Role


@dataclass(frozen=True, slots=True)
class TaskLine:
    """A task with the name of whoever asked for it; empty where it was due."""

    task: TaskRow
    who: str


def _learn(store: Store, actor: Actor, project: Project, options: Mapping[str, Any]) -> Outcome:
    lesson = learn(store, actor, project, anyway=bool(options.get("anyway")))
    if lesson.learned:
        text = say_count(lesson.new, "{n} new example learned", "{n} new examples learned")
        return Outcome(text, {"learned": True, "new": lesson.new, "fixed": len(lesson.fixed)})
    with store.reading() as tx:
        # Their ids only: a text would stay here when its visitor is deleted.
        broken = tx.reviews.messages_of_texts(project.id, lesson.broken)
    what = say_count(
        len(lesson.broken),
        "nothing learned: {n} confirmed question would get worse",
        "nothing learned: {n} confirmed questions would get worse",
    )
    result = {"learned": False, "new": lesson.new, "fixed": len(lesson.fixed), "broken": broken}
    return Outcome(what, result, failed=True)


def _send_mail(store: Store, actor: Actor, project: Project, options: Mapping[str, Any]) -> Outcome:
    sent = failed = 0
    while (batch := send_due(store, project)).tried:
        sent, failed = sent + batch.sent, failed + batch.failed
        if batch.failed:
            break
    text: Message = say_count(sent, "{n} mail sent", "{n} mails sent")
    if failed:
        text = join(", ", (text, say_count(failed, "{n} could not be sent", "{n} could not be sent")))
    return Outcome(text, {"sent": sent, "failed": failed}, failed=failed > 0)


def _renew_openings(store: Store, actor: Actor, project: Project, options: Mapping[str, Any]) -> Outcome:
    content = fetch_feed(find_settings(store, project).feed, server_rules().addresses)
    renewed = import_openings(store, actor, project, read_feed(content))
    text = say(
        "{total:,} openings: {added:,} new, {gone:,} gone; {told:,} subscribers get a mail",
        total=renewed.total,
        added=renewed.added,
        gone=renewed.gone,
        told=renewed.told,
    )
    return Outcome(text, {name: getattr(renewed, name) for name in ("total", "added", "gone", "told")})


def _forget(store: Store, actor: Actor, project: Project, options: Mapping[str, Any]) -> Outcome:
    count = forget_old(store, project)
    with store.writing() as tx:
        tx.tasks.forget_before(now() - KEPT)
    return Outcome(say_count(count, "{n} old talk deleted", "{n} old talks deleted"), {"deleted": count})


def _watch(store: Store, actor: Actor, project: Project, options: Mapping[str, Any]) -> Outcome:
    count = give_notice(store, project)
    return Outcome(say_count(count, "{n} notice of alarms", "{n} notices of alarms"), {"notices": count})


_MINUTE = timedelta(minutes=1)
KINDS: Mapping[str, TaskKind] = {
    "learn": TaskKind(_learn, 30 * _MINUTE, (5 * _MINUTE, 30 * _MINUTE), Role.REVIEWER),
    # Each mail has attempts and pauses of its own.
    "mail": TaskKind(_send_mail, 10 * _MINUTE, (), Role.EDITOR),
    "feed": TaskKind(_renew_openings, 2 * _MINUTE, (5 * _MINUTE, 20 * _MINUTE), Role.EDITOR),
    "forget": TaskKind(_forget, 10 * _MINUTE, (5 * _MINUTE, 60 * _MINUTE), Role.EDITOR),
    "watch": TaskKind(_watch, 5 * _MINUTE, (5 * _MINUTE,), Role.EDITOR),
}


def ask_for(store: Store, actor: Actor, project: Project, kind: Kind, **options: Any) -> None:
    """Have a worker do something now; one task of a kind at a time is enough."""
    actor.require(KINDS[kind].role)
    row = _new_task(project.id, kind, actor.user_id, options)
    with store.writing() as tx:
        if tx.tasks.add(row) is None:
            tx.tasks.hasten(row)


def _new_task(project_id: str, kind: str, user_id: str | None, options: Mapping[str, Any]) -> TaskRow:
    at = now()
    return TaskRow(
        new_id(), project_id, kind, user_id, options, TaskState.WAITING, at, 0, None, None, at, None, None, "", {}
    )


def plan_due(store: Store) -> int:
    """Plan what is due and not planned yet; return how many tasks."""
    at = now()
    with store.reading() as tx:
        planned = {(task.project_id, task.kind) for task in tx.tasks.open()}
        last = tx.tasks.last_finished()
        due = {(project_id, "mail") for project_id in tx.mails.due_projects(at)} if can_send(tx) else set()
        for row in tx.assistants.all():
            due |= {(row.project_id, kind) for kind in KINDS if _is_due(tx, row, kind, last, at)}
    missing = due - planned
    if missing:
        with store.writing() as tx:
            for project_id, kind in sorted(missing):
                tx.tasks.add(_new_task(project_id, kind, None, {}))
    return len(missing)


def _is_due(
    tx: Transaction, row: AssistantRow, kind: str, last: Mapping[tuple[str, str], datetime], at: datetime
) -> bool:
    before = last.get((row.project_id, kind))
    match kind:
        case "forget" | "watch":
            is_time = before is None or before + DAY <= at
            return is_time and (
                kind == "forget" or (row.enabled and tx.messages.first_at(row.project_id) is not None)
            )
        case "feed":
            gap = timedelta(hours=row.feed_hours)
            return bool(row.enabled and row.feed and gap) and (before is None or before + gap <= at)
        case "learn":
            since = max(filter(None, (before, row.learned)), default=row.changed)
            gap = timedelta(hours=row.learn_hours)
            is_time = bool(row.enabled and gap) and since + gap <= at
            return is_time and tx.edits.count_of_topics(row.project_id, since) > 0
        case _:
            return False


def claim(store: Store, worker: str) -> TaskRow | None:
    """Give a worker the task that is due the longest."""
    at = now()
    with store.writing() as tx:
        task = tx.tasks.claim(worker, at)
        if task is not None:
            tx.tasks.lease(task.id, worker, at + LEASE)
        return task


def perform(store: Store, task: TaskRow) -> None:
    """Do a task that was claimed, and keep what came of it."""
    try:
        with store.reading() as tx:
            project = tx.projects.get(task.project_id)
            user = tx.users.get(task.user_id) if task.user_id else None
        if project is None:
            return
        # With the rights that whoever asked has by now; what was due is done by the product.
        actor = Actor(user.id, user.name, user.role) if user else PRODUCT
        outcome = KINDS[task.kind].do(store, actor, project, task.options)
    except VivaError as error:
        why = join("; ", (error.what, *(fault.as_message() for fault in error.faults[:3])))
        fail(store, task, why, retry=not isinstance(error, FINAL))
    except Exception as error:
        _log.exception("the task %s (%s) failed", task.id, task.kind)
        fail(store, task, say("stopped by an unexpected error ({kind})", kind=type(error).__name__))
    else:
        state = TaskState.FAILED if outcome.failed else TaskState.DONE
        with store.writing() as tx:
            tx.tasks.finish(task.id, task.worker or "", state, now(), outcome.text, outcome.result)


def fail(store: Store, task: TaskRow, why: str, *, retry: bool = True) -> None:
    """Note that a task failed: it is tried again after a pause, or over when it was tried often enough."""
    pauses, at, worker = KINDS[task.kind].pauses, now(), task.worker or ""
    _log.warning("the task %s (%s) failed, attempt %s", task.id, task.kind, task.attempts)
    with store.writing() as tx:
        if retry and task.attempts <= len(pauses):
            due = at + pauses[task.attempts - 1]
            tx.tasks.release(task.id, worker, due, outcome=why, attempts=task.attempts)
        else:
            tx.tasks.finish(task.id, worker, TaskState.FAILED, at, why, {})


def list_tasks(store: Store, project: Project, kind: Kind | None = None, limit: int = 20) -> tuple[TaskLine, ...]:
    """Return the tasks of a project, those that are not over first, then the newest."""
    with store.reading() as tx:
        rows = tx.tasks.of_project(project.id, kind, limit)
        names = person_names(tx, [row.user_id for row in rows])
    return tuple(TaskLine(row, names[row.user_id] if row.user_id else "") for row in rows)
