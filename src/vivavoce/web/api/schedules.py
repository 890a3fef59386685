"""Daily runs: list, make, change, switch, delete."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter
from pydantic import Field

from vivavoce.errors import UsageError
from vivavoce.messages import say
from vivavoce.store.rows import Edit
from vivavoce.web.access import Editor, InStore, ProjectInPath, Reader
from vivavoce.web.api.bodies import Body
from vivavoce.web.api.lists import Listed, listed
from vivavoce.web.api.places import Place
from vivavoce.web.api.texts import Id, Text, Word
from vivavoce.workspace.projects import schedules

router = APIRouter(tags=["schedules"], prefix="/projects/{slug}/schedules")


class ScheduleBody(Body):
    """A daily run to be made; `minute_of_day` in UTC. `GET /exams` lists the options of each exam.

    Daily runs take: of intents `classifier`, `retries`, `out_of_scope_share`; of engines `classifiers`, `retries`;
    of conversations `suite` (id or name), `bots`, `domains`, `levels`, `repeats`; of dialogues `batch`.
    """

    kind: Word
    title: Annotated[Text, Field(max_length=200)] = ""
    options: Annotated[dict[str, Any], Field(max_length=20)] = Field(default_factory=dict)
    minute_of_day: Annotated[int, Field(ge=0, lt=schedules.DAY)] = schedules.USUAL_MINUTE
    why: Annotated[Text, Field(max_length=1000)] = ""


class ChangeBody(Body):
    """What is to be different about a daily run; what is not said stays. `enabled` is said alone."""

    enabled: bool | None = None
    title: Annotated[Text, Field(max_length=200)] | None = None
    options: Annotated[dict[str, Any], Field(max_length=20)] | None = None
    minute_of_day: Annotated[int, Field(ge=0, lt=schedules.DAY)] | None = None
    why: Annotated[Text, Field(max_length=1000)] = ""


@router.get("")
def list_schedules(who: Reader, store: InStore, project: ProjectInPath) -> Listed[schedules.ScheduleLine]:
    """Return the daily runs of a project by the time of day, each with its newest run."""
    return listed(schedules.list_schedules(store, project))


@router.post("", status_code=201)
def create_schedule(who: Editor, store: InStore, project: ProjectInPath, place: Place, body: ScheduleBody) -> Edit:
    """Make a daily run; returns the edit, which can be undone."""
    new = schedules.NewSchedule(body.kind, body.title, body.options, body.minute_of_day)
    edit = schedules.create_schedule(store, who.actor, project, new, why=body.why)
    place("projects", project.slug, "edits", edit.id)
    return edit


@router.put("/{schedule_id}")
def change_schedule(who: Editor, store: InStore, project: ProjectInPath, schedule_id: Id, body: ChangeBody) -> Edit:
    """Switch a daily run on or off, or change its title, options or time; returns the edit, which can be undone."""
    others = (body.title, body.options, body.minute_of_day)
    if body.enabled is not None:
        if any(one is not None for one in others):
            raise UsageError(say("`enabled` is said alone"), where="enabled", remedy=say("send two requests"))
        return schedules.switch_schedule(store, who.actor, project, schedule_id, enabled=body.enabled)
    found = schedules.find_schedule(store, project, schedule_id)
    title = found.title if body.title is None else body.title
    options = found.options if body.options is None else body.options
    minute = found.minute_of_day if body.minute_of_day is None else body.minute_of_day
    new = schedules.NewSchedule(found.kind, title, options, minute)
    return schedules.change_schedule(store, who.actor, project, schedule_id, new, why=body.why)


@router.delete("/{schedule_id}")
def delete_schedule(who: Editor, store: InStore, project: ProjectInPath, schedule_id: Id) -> Edit:
    """Delete a daily run; the runs that it started stay. Returns the edit, which can be undone."""
    return schedules.delete_schedule(store, who.actor, project, schedule_id)
