"""Daily runs: list, make, change, switch, delete."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any

from fastapi import APIRouter
from pydantic import Field

from vivavoce.errors import UsageError
from vivavoce.messages import say
from vivavoce.store.rows import Edit
from vivavoce.web.api.bodies import Body, Id, Listed, Place, Text, Word, make_list
from vivavoce.web.visits import EditorVisit, ReaderVisit
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
def list_schedules(visit: ReaderVisit) -> Listed[schedules.ScheduleLine]:
    """Return the daily runs of a project by the time of day, each with its newest run."""
    return make_list(schedules.list_schedules(visit.store, visit.project))


@router.post("", status_code=201)
def create_schedule(visit: EditorVisit, place: Place, body: ScheduleBody) -> Edit:
    """Make a daily run; returns the edit, which can be undone."""
    new = schedules.NewSchedule(body.kind, body.title, body.options, body.minute_of_day)
    edit = schedules.create_schedule(visit.store, visit.actor, visit.project, new, why=body.why)
    return place(edit, "edits", edit.id)


@router.put("/{schedule_id}")
def change_schedule(visit: EditorVisit, schedule_id: Id, body: ChangeBody) -> Edit:
    """Switch a daily run on or off, or change its title, options or time; returns the edit, which can be undone."""
    changes = body.model_dump(exclude={"enabled", "why"}, exclude_none=True)
    if body.enabled is not None:
        if changes:
            raise UsageError(
                say("`enabled` cannot be combined with other fields"),
                where="enabled",
                remedy=say("send two requests"),
            )
        return schedules.switch_schedule(visit.store, visit.actor, visit.project, schedule_id, enabled=body.enabled)
    old = schedules.find_schedule(visit.store, visit.project, schedule_id)
    new = replace(schedules.NewSchedule(old.kind, old.title, old.options, old.minute_of_day), **changes)
    return schedules.change_schedule(visit.store, visit.actor, visit.project, schedule_id, new, why=body.why)


@router.delete("/{schedule_id}")
def delete_schedule(visit: EditorVisit, schedule_id: Id) -> Edit:
    """Delete a daily run; the runs that it started stay. Returns the edit, which can be undone."""
    return schedules.delete_schedule(visit.store, visit.actor, visit.project, schedule_id)
