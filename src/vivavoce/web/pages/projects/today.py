"""Today: one sentence on how a project stands, its numbers, what to do next, three months, and who did what."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated
from zlib import crc32

from fastapi import APIRouter, Query
from starlette.responses import Response

from vivavoce.store.rows import Run
from vivavoce.web.answers import go, unchanged
from vivavoce.web.exam_pages import exam_title
from vivavoce.web.pages.access.preferences import keep
from vivavoce.web.pages.projects.first_steps import checklist_cookie, checklist_view, other_steps
from vivavoce.web.pages.projects.today_parts import (
    activity_lines,
    alarm_lines,
    exam_cards,
    head_view,
    todo_items,
    trend_tiles,
)
from vivavoce.web.pages.projects.today_picture import three_months
from vivavoce.web.parts import Progress
from vivavoce.web.progress import LABELS, run_path
from vivavoce.web.rendering import View
from vivavoce.web.visits import ReaderVisit, Visit
from vivavoce.workspace.projects import today
from vivavoce.workspace.projects.trends import list_trends

router = APIRouter(prefix="/p/{slug}")
# What is worth doing next is a short list; the rest is folded.
SHOWN_ITEMS = 5
VERSIONS = 2**32 - 1


@router.get("")
def show_today(visit: ReaderVisit) -> Response:
    """Show how a project stands."""
    words, day = visit.words, today.show_today(*visit.here)
    trends = list_trends(*visit.here, day)
    items, checklist = todo_items(visit, day), checklist_view(visit)
    view = View(
        head=head_view(visit, day, trends),
        tiles=trend_tiles(visit, day, trends),
        examined=bool(day.exams),
        checklist=checklist,
        steps=other_steps(visit, day.steps, checklist=checklist is not None),
        alarms=alarm_lines(visit, day),
        items=items[:SHOWN_ITEMS],
        more_items=items[SHOWN_ITEMS:],
        cards=exam_cards(visit, day),
        picture=three_months(visit, day),
        activity=activity_lines(visit),
        running=running_view(visit, day.open),
        path=visit.base,
    )
    return visit.page("projects/today.html", words.gettext("Today"), view=view)


@router.post("/checklist")
def hide_checklist(visit: ReaderVisit) -> Response:
    """Put the first steps away, in this browser."""
    response = go(visit.base)
    keep(visit.request, response, checklist_cookie(visit.project), "hidden")
    return response


@router.get("/running")
def show_running(visit: ReaderVisit, version: Annotated[int, Query(ge=0, le=VERSIONS)] = 0) -> Response:
    """Return the part of the page that says what is going on; nothing when that has not changed."""
    view = running_view(visit, today.open_runs(*visit.here))
    if not view.lines:
        # The page that asked has more to show now: being led elsewhere, it loads itself anew.
        return go(visit.base)
    return unchanged() if view.version == version else visit.part("projects/today_running.html", view)


def running_view(visit: Visit, going_on: Sequence[Run]) -> View:
    """Return the runs that are going on, for the part of the page that renews itself."""
    lines = tuple(
        View(
            title=run.title,
            kind=exam_title(visit.words, run.kind),
            href=run_path(visit.project, run),
            progress=Progress(visit.words.gettext(LABELS[run.state]), run.done + run.failed, run.total, run.failed),
        )
        for run in going_on
    )
    version = crc32("".join(f"{run.id}:{run.version} " for run in going_on).encode())
    return View(lines=lines, poll=f"{visit.base}/running" if lines else "", version=version)
