"""Daily runs: list, make, switch, delete."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter
from pydantic import Field

from vivavoce.store.rows import Edit
from vivavoce.web.access import Editor, InStore, ProjectInPath, Reader
from vivavoce.web.api.bodies import Body
from vivavoce.web.api.lists import Listed, listed
from vivavoce.web.api.places import Place
from vivavoce.web.api.texts import Id, Text
from vivavoce.workspace.projects import schedules

router = APIRouter(tags=["schedules"], prefix="/projects/{slug}/schedules")


class ScheduleBody(Body):
    """A daily run to be made; `minute_of_day` in UTC.

    Options of intents: `classifier`, `retries`; of engines: `classifiers`, `retries`; of conversations: `suite` (id
    or name), `bots`, `domains`, `levels`, `repeats`; of dialogues: `batch`.
    """

    kind: Literal["intents", "engines", "conversations", "dialogues"]
    title: Annotated[Text, Field(max_length=200)] = ""
    options: Annotated[dict[str, Any], Field(max_length=20)] = Field(default_factory=dict)
    minute_of_day: Annotated[int, Field(ge=0, lt=schedules.DAY)] = schedules.USUAL_MINUTE
    why: Annotated[Text, Field(max_length=1000)] = ""


class SwitchBody(Body):
    """Whether a daily run is on."""

    enabled: bool


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
def switch_schedule(who: Editor, store: InStore, project: ProjectInPath, schedule_id: Id, body: SwitchBody) -> Edit:
    """Switch a daily run on or off; returns the edit, which can be undone."""
    return schedules.switch_schedule(store, who.actor, project, schedule_id, enabled=body.enabled)


@router.delete("/{schedule_id}")
def delete_schedule(who: Editor, store: InStore, project: ProjectInPath, schedule_id: Id) -> Edit:
    """Delete a daily run; the runs that it started stay. Returns the edit, which can be undone."""
    return schedules.delete_schedule(store, who.actor, project, schedule_id)
