"""What workers do for the assistant: how far it is, and what came of it, for the pages where it is asked for."""

from __future__ import annotations

from typing import Annotated
from zlib import crc32

from fastapi import APIRouter, Query
from starlette.responses import Response

from vivavoce.store.rows import TaskState
from vivavoce.store.stamps import now
from vivavoce.web.answers import answer_unchanged, go
from vivavoce.web.language import gettext_noop
from vivavoce.web.rendering import View
from vivavoce.web.visits import ReaderVisit, Visit
from vivavoce.workspace.assistant import tasks
from vivavoce.workspace.assistant.tasks import Kind, TaskLine
from vivavoce.workspace.exams.runs import count_alive

router = APIRouter(prefix="/p/{slug}/tasks")
VERSIONS = 2**32 - 1
SHOWN = 6
# The page on which a task is asked for.
PAGES = {"learn": "automation", "mail": "outbox", "feed": "openings", "forget": "automation", "watch": "automation"}
TITLES = {
    "learn": gettext_noop("Learning"),
    "mail": gettext_noop("Mail"),
    "feed": gettext_noop("Openings"),
    "forget": gettext_noop("Retention"),
    "watch": gettext_noop("Alarms"),
}
STATES = {
    "waiting": (gettext_noop("waits"), "hold", "clock"),
    "again": (gettext_noop("tried again later"), "warn", "clock"),
    "running": (gettext_noop("in progress"), "info", "clock"),
    "done": (gettext_noop("done"), "good", "check"),
    "failed": (gettext_noop("failed"), "bad", "warn"),
}


@router.get("/{kind}")
def show_tasks(visit: ReaderVisit, kind: Kind, version: Annotated[int, Query(ge=0, le=VERSIONS)] = 0) -> Response:
    """Return the part of a page that says how far its task is; nothing when that has not changed."""
    view = tasks_view(visit, kind)
    if not view.poll:
        # The page that asked shows more than this part when the task is over: it loads itself anew.
        return go(f"{visit.base}/{PAGES[kind]}")
    return answer_unchanged() if view.version == version else visit.part("assistant/tasks.html", view)


def tasks_view(visit: Visit, kind: Kind) -> View:
    """Return the newest tasks of a kind, for the part of a page that renews itself."""
    lines = tasks.list_tasks(*visit.here, kind, SHOWN)
    is_open = bool(lines) and lines[0].task.finished is None and lines[0].task.due <= now()
    return View(
        kind=kind,
        newest=_line_view(visit, lines[0]) if lines else None,
        record=[_line_view(visit, line) for line in lines[1:]],
        no_worker=is_open and not count_alive(visit.store),
        poll=f"{visit.base}/tasks/{kind}" if is_open else "",
        version=crc32("".join(f"{line.task.id}{line.task.state}{line.task.attempts} " for line in lines).encode()),
    )


def record_rows(visit: Visit) -> list[View]:
    """Return the newest tasks of all kinds."""
    return [_line_view(visit, line) for line in tasks.list_tasks(*visit.here, limit=10)]


def _line_view(visit: Visit, line: TaskLine) -> View:
    words, task = visit.words, line.task
    state = "again" if task.state is TaskState.WAITING and task.attempts else str(task.state)
    label, tone, sign = STATES[state]
    return View(
        title=words.gettext(TITLES.get(task.kind, task.kind)),
        state=state,
        label=words.gettext(label),
        tone=tone,
        sign=sign,
        text=words.said(task.outcome),
        at=task.finished or task.started or task.created,
        again=visit.write.moment_words(task.due) if state == "again" else "",
        who=line.who,
        attempts=task.attempts,
        result=task.result,
    )
