"""Projects: how they stand today, their daily runs and their bots."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import Field

from vivavoce.errors import UsageError
from vivavoce.messages import say
from vivavoce.store.rows import Edit, Project
from vivavoce.web.access import Editor, InStore, Reader
from vivavoce.web.api.bodies import Body, Id, Listed, Place, Text, Why, Word, make_list
from vivavoce.web.option_forms import rules_of
from vivavoce.web.visits import AdminVisit, EditorVisit, ReaderVisit
from vivavoce.workspace.bots import bots
from vivavoce.workspace.projects import projects, schedules, today
from vivavoce.workspace.projects.demo_runs import create_demo_project

router = APIRouter(tags=["projects"])


class NewProject(Body):
    """A project to create."""

    name: Word
    language: Annotated[str, Field(pattern="^[a-z]{2}$")] = "en"
    slug: Annotated[str, Field(pattern="^([a-z0-9]+(-[a-z0-9]+)*)?$", max_length=60)] = ""


class ChangedProject(Body):
    """The new settings of a project."""

    name: Word
    threshold: Annotated[float, Field(ge=0, le=1)]
    classifier: Word
    why: Why = ""


@router.get("/projects")
def list_projects(who: Reader, store: InStore) -> Listed[Project]:
    """List all projects, by name."""
    return make_list(projects.list_projects(store))


@router.post("/projects", status_code=201)
def create_project(who: Editor, store: InStore, place: Place, body: NewProject) -> Project:
    """Create a project."""
    project = projects.create_project(store, who.actor, **body.model_dump())
    return place(project, "projects", project.slug)


@router.post("/demo", status_code=201)
def create_demo(who: Editor, store: InStore, place: Place) -> Project:
    """Create the demo project: topics with answers, suites, built-in bots and logged dialogues."""
    project = create_demo_project(store, who.actor)
    return place(project, "projects", project.slug)


@router.get("/projects/{slug}")
def show_project(visit: ReaderVisit) -> Project:
    """Get a project."""
    return visit.project


@router.put("/projects/{slug}")
def change_project(visit: EditorVisit, body: ChangedProject) -> Edit:
    """Change the settings of a project; returns the edit, which you can undo."""
    return projects.change_project(*visit.acting, **body.model_dump())


@router.delete("/projects/{slug}", status_code=204)
def delete_project(
    visit: AdminVisit,
    name: Annotated[str, Query(max_length=200, description="The name of the project, as confirmation.")],
) -> None:
    """Permanently delete a project with all its content."""
    projects.delete_project(*visit.acting, name)


today_router = APIRouter(tags=["today"])


@today_router.get("/projects/{slug}/today")
def show_today(visit: ReaderVisit) -> today.Today:
    """Get the state of a project, its biggest problems, the changes of the last week, and runs in progress."""
    return today.show_today(*visit.here)


schedules_router = APIRouter(tags=["schedules"], prefix="/projects/{slug}/schedules")


class ScheduleBody(Body):
    """A daily run to create; `minute_of_day` in UTC. `GET /exams` lists the options of each exam.

    Daily runs take: of intents `classifier`, `retries`, `out_of_scope_share`; of engines `classifiers`, `retries`;
    of conversations `suite` (id or name), `bots`, `domains`, `levels`, `repeats`; of dialogues `batch`.
    """

    kind: Word
    title: Annotated[Text, Field(max_length=200)] = ""
    options: Annotated[dict[str, Any], Field(max_length=20)] = Field(default_factory=dict)
    minute_of_day: Annotated[int, Field(ge=0, lt=schedules.DAY)] = schedules.USUAL_MINUTE
    why: Annotated[Text, Field(max_length=1000)] = ""


class ChangeBody(Body):
    """Changes to a daily run; fields left out keep their values. Send `enabled` without other fields."""

    enabled: bool | None = None
    title: Annotated[Text, Field(max_length=200)] | None = None
    options: Annotated[dict[str, Any], Field(max_length=20)] | None = None
    minute_of_day: Annotated[int, Field(ge=0, lt=schedules.DAY)] | None = None
    why: Annotated[Text, Field(max_length=1000)] = ""


@schedules_router.get("")
def list_schedules(visit: ReaderVisit) -> Listed[schedules.ScheduleLine]:
    """List the daily runs of a project by time of day, each with its newest run."""
    return make_list(schedules.list_schedules(*visit.here))


@schedules_router.post("", status_code=201)
def create_schedule(visit: EditorVisit, place: Place, body: ScheduleBody) -> Edit:
    """Create a daily run; returns the edit, which you can undo."""
    new = schedules.NewSchedule(body.kind, body.title, body.options, body.minute_of_day)
    edit = schedules.create_schedule(*visit.acting, new, why=body.why)
    return place(edit, "edits", edit.id)


@schedules_router.put("/{schedule_id}")
def change_schedule(visit: EditorVisit, schedule_id: Id, body: ChangeBody) -> Edit:
    """Switch a daily run on or off, or change its title, options or time; returns the edit, which you can undo."""
    changes = body.model_dump(exclude={"enabled", "why"}, exclude_none=True)
    if body.enabled is not None:
        if changes:
            raise UsageError(
                say("`enabled` cannot be combined with other fields"),
                where="enabled",
                remedy=say("send two requests"),
            )
        return schedules.switch_schedule(*visit.acting, schedule_id, enabled=body.enabled)
    old = schedules.find_schedule(*visit.here, schedule_id)
    new = replace(schedules.NewSchedule(old.kind, old.title, old.options, old.minute_of_day), **changes)
    return schedules.change_schedule(*visit.acting, schedule_id, new, why=body.why)


@schedules_router.delete("/{schedule_id}")
def delete_schedule(visit: EditorVisit, schedule_id: Id) -> Edit:
    """Delete a daily run but not the runs it started; returns the edit, which you can undo."""
    return schedules.delete_schedule(*visit.acting, schedule_id)


bots_router = APIRouter(tags=["bots"], prefix="/projects/{slug}/bots")


class BotBody(Body):
    """A bot: its name, and its entry as in bots.yaml. Write secrets as `${BOT_NAME}`."""

    name: Word
    entry: Annotated[dict[str, Any], Field(min_length=1, max_length=100)]
    why: Annotated[Text, Field(max_length=1000)] = ""


@bots_router.get("")
def list_bots(visit: ReaderVisit) -> Listed[bots.BotLine]:
    """List the bots of a project by name, each with its newest run."""
    return make_list(bots.list_bots(*visit.here))


@bots_router.post("", status_code=201)
def add_bot(visit: AdminVisit, place: Place, body: BotBody) -> Edit:
    """Add a bot; an invalid entry is rejected with all its faults. Returns the edit, which you can undo."""
    edit = bots.add_bot(*visit.acting, rules=rules_of(visit.request), **body.model_dump())
    return place(edit, "edits", edit.id)


@bots_router.get("/{bot_id}")
def show_bot(visit: ReaderVisit, bot_id: Id) -> bots.BotLine:
    """Get a bot."""
    return bots.show_bot(*visit.here, bot_id)


@bots_router.put("/{bot_id}")
def change_bot(visit: AdminVisit, bot_id: Id, body: BotBody) -> Edit:
    """Change the name and entry of a bot; returns the edit, which you can undo."""
    rules = rules_of(visit.request)
    return bots.change_bot(*visit.acting, bot_id, rules=rules, **body.model_dump())


@bots_router.delete("/{bot_id}")
def delete_bot(visit: AdminVisit, bot_id: Id) -> Edit:
    """Delete a bot but not its results; returns the edit, which you can undo."""
    return bots.delete_bot(*visit.acting, bot_id)


@bots_router.post("/{bot_id}/test")
def try_bot(visit: EditorVisit, bot_id: Id) -> bots.BotReport:
    """Test a bot for at most half a minute; returns a report, even if the bot fails."""
    return bots.try_bot(*visit.acting, bot_id, rules_of(visit.request))
