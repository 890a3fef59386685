"""Daily runs: the list, the form of a new one, on and off, and the way out."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from vivavoce.errors import InputError, UsageError
from vivavoce.jobs.exams.registry import exam_kinds, find_kind
from vivavoce.options import Option
from vivavoce.settings import Settings
from vivavoce.store.database import Store
from vivavoce.store.rows import Project, Schedule
from vivavoce.web.access import Editor, InStore, ProjectInPath, Reader
from vivavoce.web.answers import done, page, table_file, words_of
from vivavoce.web.exam_pages import exam_title
from vivavoce.web.formats import Writer
from vivavoce.web.forms import Fields, Form
from vivavoce.web.language import Words
from vivavoce.web.listing import Listing, Word, check_ending
from vivavoce.web.option_forms import read_values
from vivavoce.web.pages.projects.schedule_form import Typed, exam_links, form_page, read_form, typed_of
from vivavoce.web.progress import RunBadge, badge_of, run_path
from vivavoce.web.rendering import Link
from vivavoce.workspace.exams.project_exams import project_exam
from vivavoce.workspace.projects import schedules
from vivavoce.workspace.projects.schedules import NewSchedule, ScheduleLine, clock

router = APIRouter(prefix="/p/{slug}/schedules")
COLUMNS = ("title", "exam", "options", "time (UTC)", "on", "next", "last run", "made by")


@dataclass(frozen=True, slots=True)
class LineView:
    """One daily run, and what is said of it."""

    line: ScheduleLine
    kind: str
    time: str
    options: str
    last: RunBadge | None
    last_href: str
    path: str


@dataclass(frozen=True, slots=True)
class SchedulesView:
    """The daily runs of a project."""

    lead: str
    lines: tuple[LineView, ...]
    forms: tuple[Link, ...]
    downloads: tuple[Link, ...]
    usual: str
    usual_minute: int
    usual_retries: int
    path: str


@dataclass(frozen=True, slots=True)
class DeleteView:
    """A daily run that is about to be deleted."""

    text: str
    path: str
    cancel: str


# --- looking -----------------------------------------------------------------------------------------------------


@router.get("")
def show_schedules(request: Request, who: Reader, store: InStore, project: ProjectInPath) -> Response:
    """Show the daily runs of a project."""
    words, path = words_of(request), f"/p/{project.slug}/schedules"
    found = schedules.list_schedules(store, project)
    view = SchedulesView(
        _lead(words, found),
        tuple(_line_view(words, store, project, line) for line in found),
        exam_links(words, path),
        Listing(path).downloads(),
        clock(schedules.USUAL_MINUTE),
        schedules.USUAL_MINUTE,
        Settings.retries,
        path,
    )
    return page(
        request,
        "projects/schedules.html",
        words.gettext("Daily runs"),
        view=view,
        project=project,
        section="schedules",
    )


@router.get(".{kind}")
def export_schedules(request: Request, who: Reader, store: InStore, project: ProjectInPath, kind: str) -> Response:
    """Return the daily runs as CSV or XLSX."""
    check_ending("schedules", kind)
    words = words_of(request)
    rows = [_cells(words, store, project, line) for line in schedules.list_schedules(store, project)]
    return table_file(f"{project.slug}-schedules", kind, COLUMNS, rows)


@router.get("/new")
def show_form(  # noqa: PLR0917
    request: Request, who: Editor, store: InStore, project: ProjectInPath, kind: Word = "", suite: Word = ""
) -> Response:
    """Show the form of a new daily run."""
    known = [exam.name for exam in exam_kinds()]
    chosen = kind if kind in known else known[0]
    return form_page(request, store, project, Typed(chosen, values={"suite": suite}, fresh=True))


# --- changing ----------------------------------------------------------------------------------------------------


@router.post("/new")
def create_schedule(request: Request, who: Editor, store: InStore, project: ProjectInPath, form: Form) -> Response:
    """Make a daily run."""
    typed = read_form(form)
    try:
        edit = schedules.create_schedule(store, who.actor, project, _new(form, typed))
    except InputError as error:
        return form_page(request, store, project, typed, error)
    said = words_of(request).gettext("The daily run is made.")
    return done(f"/p/{project.slug}/schedules", said, project=project, edit=edit)


@router.get("/{schedule_id}/edit")
def show_change(  # noqa: PLR0917
    request: Request, who: Editor, store: InStore, project: ProjectInPath, schedule_id: str, suite: Word = ""
) -> Response:
    """Show the form of a daily run that is there."""
    found = schedules.find_schedule(store, project, schedule_id)
    typed = typed_of(found, {"suite": suite} if suite else {})
    return form_page(request, store, project, typed, changed=found)


@router.post("/{schedule_id}/edit")
def change_schedule(  # noqa: PLR0917
    request: Request, who: Editor, store: InStore, project: ProjectInPath, schedule_id: str, form: Form
) -> Response:
    """Change a daily run; it can be undone."""
    found = schedules.find_schedule(store, project, schedule_id)
    typed = read_form(form)
    try:
        edit = schedules.change_schedule(store, who.actor, project, schedule_id, _new(form, typed))
    except InputError as error:
        return form_page(request, store, project, typed, error, changed=found)
    said = words_of(request).gettext("The daily run is changed.")
    return done(f"/p/{project.slug}/schedules", said, project=project, edit=edit)


def _new(form: Fields, typed: Typed) -> NewSchedule:
    minute = form.whole("minute", schedules.USUAL_MINUTE, low=0, high=schedules.DAY - 1)
    options = read_values(form, find_kind(typed.kind).daily)
    form.check()
    return NewSchedule(typed.kind, typed.title, options, minute)


@router.post("/{schedule_id}/switch")
def switch_schedule(  # noqa: PLR0917
    request: Request, who: Editor, store: InStore, project: ProjectInPath, schedule_id: str, form: Form
) -> Response:
    """Switch a daily run on or off."""
    words, enabled = words_of(request), form.text("enabled") == "on"
    edit = schedules.switch_schedule(store, who.actor, project, schedule_id, enabled=enabled)
    said = words.gettext("The daily run is on.") if enabled else words.gettext("The daily run is off.")
    return done(f"/p/{project.slug}/schedules", said, project=project, edit=edit)


@router.get("/{schedule_id}/delete")
def ask_to_delete(
    request: Request, who: Editor, store: InStore, project: ProjectInPath, schedule_id: str
) -> Response:
    """Ask before a daily run is deleted."""
    words, path = words_of(request), f"/p/{project.slug}/schedules"
    found = schedules.find_schedule(store, project, schedule_id)
    text = words.gettext("%(title)s starts no more. The runs that it started stay.", title=found.title)
    view = DeleteView(text, f"{path}/{found.id}/delete", path)
    title = words.gettext("Delete this daily run?")
    return page(request, "projects/schedule_delete.html", title, view=view, project=project, section="schedules")


@router.post("/{schedule_id}/delete")
def delete_schedule(
    request: Request, who: Editor, store: InStore, project: ProjectInPath, schedule_id: str
) -> Response:
    """Delete a daily run."""
    edit = schedules.delete_schedule(store, who.actor, project, schedule_id)
    said = words_of(request).gettext("The daily run is deleted.")
    return done(f"/p/{project.slug}/schedules", said, project=project, edit=edit)


# --- the list ----------------------------------------------------------------------------------------------------


def _lead(words: Words, found: tuple[ScheduleLine, ...]) -> str:
    on = [line.schedule for line in found if line.schedule.enabled]
    if not found:
        return words.gettext("No exam starts by itself yet.")
    if not on:
        return words.gettext("All daily runs are switched off.")
    first = min(on, key=lambda one: one.next_at)
    return words.ngettext(
        "%(num)s exam starts every day; next is %(title)s at %(time)s UTC.",
        "%(num)s exams start every day; next is %(title)s at %(time)s UTC.",
        len(on),
        title=first.title,
        time=f"{first.next_at.astimezone(UTC):%H:%M}",
    )


def _line_view(words: Words, store: Store, project: Project, line: ScheduleLine) -> LineView:
    one, run = line.schedule, line.last_run
    return LineView(
        line,
        exam_title(words, one.kind),
        clock(one.minute_of_day),
        _describe(words, store, project, one),
        badge_of(words, run) if run else None,
        run_path(project, run) if run else "",
        f"/p/{project.slug}/schedules/{one.id}",
    )


def _describe(words: Words, store: Store, project: Project, schedule: Schedule) -> str:
    """Return the options of a daily run in words."""
    try:
        exam = project_exam(schedule.kind)
    except UsageError:
        return ""
    parts = []
    for option in exam.kind.daily:
        value = schedule.options.get(option.name)
        if option.reloads:
            value = exam.offers(store, project, option.name, schedule.options).get(str(value), value)
        parts.append(_describe_value(words, option, value))
    return "; ".join(part for part in parts if part)


def _describe_value(words: Words, option: Option, value: Any) -> str:
    if value in (None, []):
        return words.gettext(option.empty) if option.empty else ""
    if option.several:
        return ", ".join(value)
    if option.name == "out_of_scope_share":
        return words.gettext("%(share)s out of scope", share=Writer(words).share(value))
    if option.name in ("retries", "repeats"):
        return words.ngettext("%(num)s time", "%(num)s times", value)
    return str(value) if option.offered else f"{words.gettext(option.label or option.name)}: {value}"


def _cells(words: Words, store: Store, project: Project, line: ScheduleLine) -> tuple[object, ...]:
    one, run = line.schedule, line.last_run
    told = (one.title, one.kind, _describe(words, store, project, one), clock(one.minute_of_day), one.enabled)
    return (*told, one.next_at if one.enabled else None, run.number if run else None, line.who)
