"""Daily runs: an exam that starts by itself at an hour of the day, on the material as it is then."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from vivavoce.errors import AbsentError, UsageError, VivaError
from vivavoce.jobs.exams.registry import find_kind
from vivavoce.jobs.starting import next_time
from vivavoce.messages import join, say
from vivavoce.store.database import Store
from vivavoce.store.rows import Edit, Project, Role, Run, Schedule
from vivavoce.store.stamps import new_id, now
from vivavoce.store.transaction import Transaction
from vivavoce.workspace.access.actors import PRODUCT, Actor, note, person_names
from vivavoce.workspace.exams.project_exams import project_exam, start_exam, unknown_faults
from vivavoce.workspace.exams.runs import check_title

DAY = 24 * 60
USUAL_MINUTE = 3 * 60
MAX_SCHEDULES = 50
FAILED = "could not start"
Options = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ScheduleLine:
    """A daily run; `last_run` is the newest that it started, `trouble` why it could not start one after that."""

    schedule: Schedule
    who: str
    last_run: Run | None
    trouble: str = ""


@dataclass(frozen=True, slots=True)
class NewSchedule:
    """A daily run to be made, with the options that its exam has for daily runs.

    What is not said is as the project has it then.
    """

    kind: str
    title: str
    options: Options
    minute_of_day: int = USUAL_MINUTE


def list_schedules(store: Store, project: Project) -> tuple[ScheduleLine, ...]:
    """Return the daily runs of a project by the time of day."""
    with store.reading() as tx:
        schedules = tx.schedules.of_project(project.id)
        last = tx.runs.last_of_schedules(project.id)
        troubles = tx.audit.latest(project.id, "schedule", FAILED, MAX_SCHEDULES * 10)
        names = person_names(tx, [schedule.user_id for schedule in schedules])
    lines = []
    for schedule in schedules:
        run, (at, why) = last.get(schedule.id), troubles.get(schedule.id, (None, ""))
        # What has worked since is no trouble any more.
        trouble = "" if at is None or (run is not None and run.created > at) else why
        lines.append(ScheduleLine(schedule, names[schedule.user_id], run, trouble))
    return tuple(lines)


def get_schedule(tx: Transaction, project: Project, schedule_id: str) -> Schedule:
    """Return a daily run of the project."""
    schedule = tx.schedules.get(schedule_id)
    if schedule is None or schedule.project_id != project.id:
        gone = say("it may have been deleted: choose one from the list")
        raise AbsentError(say("daily run not found"), remedy=gone)
    return schedule


def find_schedule(store: Store, project: Project, schedule_id: str) -> Schedule:
    """Return a daily run of the project."""
    with store.reading() as tx:
        return get_schedule(tx, project, schedule_id)


def create_schedule(store: Store, actor: Actor, project: Project, new: NewSchedule, *, why: str = "") -> Edit:
    """Make a daily run; refused with all faults at once where it could never start."""
    actor.require(Role.EDITOR)
    options = check_options(store, actor, project, new.kind, new.options)
    title = _check_schedule(new)
    at, minute = now(), new.minute_of_day
    row = Schedule(
        new_id(), project.id, new.kind, title, options, minute, True, next_time(minute, at), actor.user_id, at
    )
    with store.writing() as tx:
        if len(tx.schedules.of_project(project.id)) >= MAX_SCHEDULES:
            raise UsageError(
                say("you already have {most_schedules} daily runs", most_schedules=MAX_SCHEDULES),
                remedy=say("delete one first"),
            )
        summary = say("Daily run {title} at {clock} UTC", title=title, clock=clock(new.minute_of_day))
        change = tx.edits.insert("schedules", asdict(row))
        return tx.edits.apply(project.id, actor.user_id, "add schedule", summary, [change], why=why)


def change_schedule(
    store: Store, actor: Actor, project: Project, schedule_id: str, new: NewSchedule, *, why: str = ""
) -> Edit:
    """Change title, options and time of a daily run; what it examines stays, and so do the runs that it started."""
    actor.require(Role.EDITOR)
    with store.reading() as tx:
        old = get_schedule(tx, project, schedule_id)
    if new.kind != old.kind:
        raise UsageError(
            say("this daily run tests {kind}, not {new_kind}", kind=old.kind, new_kind=new.kind),
            where="kind",
            remedy=say("create another daily run"),
        )
    options = check_options(store, actor, project, new.kind, new.options)
    changed: dict[str, Any] = {"title": _check_schedule(new), "options": options, "minute_of_day": new.minute_of_day}
    if new.minute_of_day != old.minute_of_day:
        changed["next_at"] = next_time(new.minute_of_day, now())
    with store.writing() as tx:
        change = tx.edits.update("schedules", get_schedule(tx, project, schedule_id).id, **changed)
        summary = say("Daily run {title} changed", title=old.title)
        return tx.edits.apply(project.id, actor.user_id, "change schedule", summary, [change], why=why)


def switch_schedule(store: Store, actor: Actor, project: Project, schedule_id: str, *, enabled: bool) -> Edit:
    """Switch a daily run on or off."""
    actor.require(Role.EDITOR)
    with store.writing() as tx:
        schedule = get_schedule(tx, project, schedule_id)
        if schedule.enabled == enabled:
            raise UsageError(
                say("the daily run is already {text}", text="on" if enabled else "off"),
                remedy=say("check the list"),
            )
        # Days that passed while it was off are not made up for.
        due = next_time(schedule.minute_of_day, now())
        change = tx.edits.update("schedules", schedule.id, enabled=enabled, next_at=due)
        summary = say("Daily run {title} turned off", title=schedule.title)
        if enabled:
            summary = say("Daily run {title} turned on", title=schedule.title)
        return tx.edits.apply(project.id, actor.user_id, "switch schedule", summary, [change])


def delete_schedule(store: Store, actor: Actor, project: Project, schedule_id: str) -> Edit:
    """Delete a daily run; the runs that it started stay."""
    actor.require(Role.EDITOR)
    with store.writing() as tx:
        schedule = get_schedule(tx, project, schedule_id)
        change = tx.edits.delete("schedules", schedule.id)
        summary = say("Daily run {title} deleted", title=schedule.title)
        return tx.edits.apply(project.id, actor.user_id, "delete schedule", summary, [change])


def _check_schedule(new: NewSchedule) -> str:
    """Return the title of a daily run whose time can be used."""
    if not 0 <= new.minute_of_day < DAY:
        raise UsageError(
            say("{minute_of_day} is not a valid minute of the day", minute_of_day=new.minute_of_day),
            where="minute",
            remedy="0 to 1439",
        )
    return check_title(new.title or usual_title(new.kind))


def usual_title(kind: str) -> str:
    """Return what a daily run is called where nobody says."""
    exam = find_kind(kind)
    return exam.daily_title or f"Daily {exam.title}"


def clock(minute_of_day: int) -> str:
    """Return a minute of the day as a clock shows it."""
    return f"{minute_of_day // 60:02d}:{minute_of_day % 60:02d}"


def check_options(store: Store, actor: Actor, project: Project, kind: str, options: Options) -> dict[str, Any]:
    """Return the options of a daily run as they are kept; all faults at once."""
    exam = project_exam(kind)
    daily = exam.kind.daily
    faults = unknown_faults(daily, list(options))
    chosen = {option.name: value for option in daily if (value := options.get(option.name)) not in (None, "", [])}
    faults += exam.daily_faults(store, actor, project, chosen)
    if faults:
        raise UsageError(
            say("this daily run could not start"), faults=faults, remedy=say("correct each of these fields")
        )
    return chosen


def start_scheduled(store: Store, schedule: Schedule) -> Run:
    """Start the run of a schedule on the material of its project as it is now."""
    with store.reading() as tx:
        project = tx.projects.get(schedule.project_id)
    if project is None:
        what = say("the project of this daily run no longer exists")
        raise AbsentError(what, where=schedule.title, remedy=say("nothing to do"))
    # What the options may name was checked with the rights of whoever made the schedule.
    actor = Actor(schedule.user_id, PRODUCT.name, Role.ADMIN)
    try:
        own = schedule.title != usual_title(schedule.kind)
        title = say("{title}", title=schedule.title) if own else say("daily run")
        run = start_exam(store, actor, project, schedule.kind, schedule.options, title)
    except VivaError as error:
        with store.writing() as tx:
            why = join("; ", [error.what, *(fault.as_message() for fault in error.faults[:3])])
            detail = f"{schedule.title}: " + why
            note(tx, PRODUCT, FAILED, "schedule", schedule.id, project_id=project.id, detail=detail)
        raise
    with store.writing() as tx:
        tx.runs.set_schedule(run.id, schedule.id)
        return tx.runs.get(run.id) or run
