"""Daily runs: the list, the form of a new one, on and off, and the way out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC

from fastapi import APIRouter, Request
from starlette.responses import Response

from vivavoce.errors import InputError
from vivavoce.store.rows import Project, Schedule
from vivavoce.web.access import Editor, InStore, ProjectInPath, Reader
from vivavoce.web.answers import done, page, table_file, words_of
from vivavoce.web.formats import Writer
from vivavoce.web.forms import Fields, Form
from vivavoce.web.language import Words
from vivavoce.web.listing import Listing, Word, check_ending
from vivavoce.web.pages.exams.forms import read_share
from vivavoce.web.pages.projects.schedule_form import (
    Typed,
    form_page,
    options_of,
    read_form,
    suite_names,
    typed_of,
)
from vivavoce.web.progress import KINDS, RunBadge, badge_of, run_path
from vivavoce.web.rendering import Link
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
    names = suite_names(store, project)
    view = SchedulesView(
        _lead(words, found),
        tuple(_line_view(words, project, line, names) for line in found),
        tuple(Link(words.gettext(KINDS[kind]), f"{path}/new?kind={kind}") for kind in schedules.KINDS),
        Listing(path).downloads(),
        clock(schedules.USUAL_MINUTE),
        schedules.USUAL_MINUTE,
        schedules.USUAL_RETRIES,
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
    words, names = words_of(request), suite_names(store, project)
    rows = [_cells(words, line, names) for line in schedules.list_schedules(store, project)]
    return table_file(f"{project.slug}-schedules", kind, COLUMNS, rows)


@router.get("/new")
def show_form(  # noqa: PLR0917
    request: Request, who: Editor, store: InStore, project: ProjectInPath, kind: Word = "intents", suite: Word = ""
) -> Response:
    """Show the form of a new daily run."""
    chosen = kind if kind in schedules.KINDS else "intents"
    return form_page(request, store, project, Typed(chosen, chosen=suite))


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
    typed = typed_of(found, suite_names(store, project), suite)
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
    number = form.whole("number", 0, low=1, high=schedules.MOST_RETRIES)
    share = read_share(form)
    form.check()
    return NewSchedule(typed.kind, typed.title, options_of(typed, number, share), minute)


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


def _line_view(words: Words, project: Project, line: ScheduleLine, names: Mapping[str, str]) -> LineView:
    one, run = line.schedule, line.last_run
    return LineView(
        line,
        words.gettext(KINDS[one.kind]),
        clock(one.minute_of_day),
        _said(words, one, names),
        badge_of(words, run) if run else None,
        run_path(project, run) if run else "",
        f"/p/{project.slug}/schedules/{one.id}",
    )


def _said(words: Words, schedule: Schedule, names: Mapping[str, str]) -> str:
    """Return the options of a daily run in words."""
    options, parts = schedule.options, []
    if schedule.kind in ("intents", "engines"):
        engines = options.get("classifiers") or [options.get("classifier") or words.gettext("engine of the project")]
        parts = [", ".join(engines)]
    if schedule.kind == "conversations":
        suite = str(options.get("suite", ""))
        parts = [
            names.get(suite, suite),
            *(", ".join(options.get(name, ())) for name in ("bots", "domains", "levels")),
        ]
    if schedule.kind == "dialogues":
        parts = [options.get("batch") or words.gettext("all talks")]
    if (share := options.get("out_of_scope_share")) is not None:
        parts.append(words.gettext("%(share)s out of scope", share=Writer(words).share(share)))
    for name in ("retries", "repeats"):
        if name in options:
            parts.append(words.ngettext("%(num)s time", "%(num)s times", options[name]))
    return "; ".join(part for part in parts if part)


def _cells(words: Words, line: ScheduleLine, names: Mapping[str, str]) -> tuple[object, ...]:
    one, run = line.schedule, line.last_run
    told = (one.title, one.kind, _said(words, one, names), clock(one.minute_of_day), one.enabled)
    return (*told, one.next_at if one.enabled else None, run.number if run else None, line.who)
