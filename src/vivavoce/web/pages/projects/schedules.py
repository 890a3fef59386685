"""Daily runs: the list, the form of a new one, on and off, and the way out."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import Response

from vivavoce.errors import InputError, UsageError
from vivavoce.jobs.exams.registry import exam_kinds, find_kind
from vivavoce.settings import Settings
from vivavoce.store.rows import Schedule
from vivavoce.web.answers import table_file
from vivavoce.web.exam_pages import exam_title
from vivavoce.web.forms import Fields, Form
from vivavoce.web.listing import Listing, Word, check_ending
from vivavoce.web.option_forms import read_values
from vivavoce.web.pages.projects.schedule_form import (
    Typed,
    exam_links,
    form_page,
    local_clock,
    read_form,
    typed_of,
)
from vivavoce.web.progress import badge_of, run_path
from vivavoce.web.rendering import View
from vivavoce.web.visits import EditorVisit, ReaderVisit, Visit
from vivavoce.workspace.exams.project_exams import project_exam
from vivavoce.workspace.projects import schedules
from vivavoce.workspace.projects.schedules import NewSchedule, clock

router = APIRouter(prefix="/p/{slug}/schedules")
COLUMNS = ("title", "exam", "options", "time (UTC)", "on", "next", "last run", "made by")


@router.get("")
def show_schedules(visit: ReaderVisit) -> Response:
    """Show the daily runs of a project."""
    words, path = visit.words, f"{visit.base}/schedules"
    lines = schedules.list_schedules(*visit.here)
    on = [line.schedule for line in lines if line.schedule.enabled]
    lead = words.gettext("No exam starts automatically yet.")
    if on:
        first = min(on, key=lambda schedule: schedule.next_at)
        lead = words.ngettext(
            "%(num)s exam starts every day; next: %(title)s at %(time)s.",
            "%(num)s exams start every day; next: %(title)s at %(time)s.",
            len(on),
            title=first.title,
            time=local_clock(first.minute_of_day),
        )
    elif lines:
        lead = words.gettext("All daily runs are switched off.")
    view = View(
        lead=lead,
        lines=[
            View(
                line=line,
                kind=exam_title(words, line.schedule.kind),
                time=local_clock(line.schedule.minute_of_day),
                options=_describe(visit, line.schedule),
                last=badge_of(words, line.last_run) if line.last_run else None,
                last_href=run_path(visit.project, line.last_run) if line.last_run else "",
                path=f"{path}/{line.schedule.id}",
            )
            for line in lines
        ],
        forms=exam_links(words, path),
        downloads=Listing(path).downloads(),
        usual=local_clock(schedules.USUAL_MINUTE),
        usual_minute=schedules.USUAL_MINUTE,
        usual_retries=Settings.retries,
        path=path,
    )
    return visit.page("projects/schedules.html", words.gettext("Daily runs"), view=view)


@router.get(".{kind}")
def export_schedules(visit: ReaderVisit, kind: str) -> Response:
    """Return the daily runs as CSV or XLSX."""
    check_ending("schedules", kind)
    rows = []
    for line in schedules.list_schedules(*visit.here):
        schedule, run = line.schedule, line.last_run
        about = (schedule.title, schedule.kind, _describe(visit, schedule), clock(schedule.minute_of_day))
        next_at = schedule.next_at if schedule.enabled else None
        rows.append((*about, schedule.enabled, next_at, run.number if run else None, line.who))
    return table_file(f"{visit.project.slug}-schedules", kind, COLUMNS, rows)


@router.get("/new")
def show_form(visit: EditorVisit, kind: Word = "") -> Response:
    """Show the form of a new daily run."""
    known = [exam.name for exam in exam_kinds()]
    chosen = kind if kind in known else known[0]
    return form_page(visit, Typed(chosen, fresh=True))


@router.post("/new")
def create_schedule(visit: EditorVisit, form: Form) -> Response:
    """Make a daily run."""
    return _save(visit, form)


@router.get("/{schedule_id}/edit")
def show_change(visit: EditorVisit, schedule_id: str) -> Response:
    """Show the form of a daily run that is there."""
    schedule = schedules.find_schedule(*visit.here, schedule_id)
    return form_page(visit, typed_of(schedule), changed=schedule)


@router.post("/{schedule_id}/edit")
def change_schedule(visit: EditorVisit, schedule_id: str, form: Form) -> Response:
    """Change a daily run; it can be undone."""
    return _save(visit, form, schedules.find_schedule(*visit.here, schedule_id))


def _save(visit: Visit, form: Fields, changed: Schedule | None = None) -> Response:
    words, typed = visit.words, read_form(form)
    try:
        minute = form.whole("minute", schedules.USUAL_MINUTE, low=0, high=schedules.DAY - 1)
        options = read_values(form, find_kind(typed.kind).daily)
        form.check()
        new = NewSchedule(typed.kind, typed.title, options, minute)
        if changed:
            edit = schedules.change_schedule(*visit.acting, changed.id, new)
        else:
            edit = schedules.create_schedule(*visit.acting, new)
    except InputError as error:
        return form_page(visit, typed, error, changed=changed)
    text = words.gettext("Daily run updated.") if changed else words.gettext("Daily run created.")
    return visit.done(f"{visit.base}/schedules", text, edit)


@router.post("/{schedule_id}/switch")
def switch_schedule(visit: EditorVisit, schedule_id: str, form: Form) -> Response:
    """Switch a daily run on or off."""
    words, enabled = visit.words, form.text("enabled") == "on"
    edit = schedules.switch_schedule(*visit.acting, schedule_id, enabled=enabled)
    text = words.gettext("Daily run switched on.") if enabled else words.gettext("Daily run switched off.")
    return visit.done(f"{visit.base}/schedules", text, edit)


@router.get("/{schedule_id}/delete")
def ask_to_delete(visit: EditorVisit, schedule_id: str) -> Response:
    """Ask before a daily run is deleted."""
    words, path = visit.words, f"{visit.base}/schedules"
    schedule = schedules.find_schedule(*visit.here, schedule_id)
    text = words.gettext("This deletes the daily run %(title)s. The runs it started stay.", title=schedule.title)
    view = View(text=text, path=f"{path}/{schedule.id}/delete", cancel=path)
    title = words.gettext("Delete this daily run?")
    return visit.page("projects/schedule_delete.html", title, view=view)


@router.post("/{schedule_id}/delete")
def delete_schedule(visit: EditorVisit, schedule_id: str) -> Response:
    """Delete a daily run."""
    edit = schedules.delete_schedule(*visit.acting, schedule_id)
    return visit.done(f"{visit.base}/schedules", visit.words.gettext("Daily run deleted."), edit)


def _describe(visit: Visit, schedule: Schedule) -> str:
    """Return the options of a daily run in words."""
    try:
        exam = project_exam(schedule.kind)
    except UsageError:
        return ""
    words, parts = visit.words, []
    for option in exam.kind.daily:
        value = schedule.options.get(option.name)
        if option.or_one and value is not None:
            titles = exam.offers(*visit.here, option.name, schedule.options)
            value = [titles.get(name, name) for name in (value if isinstance(value, list) else [value])]
        if value in (None, []):
            parts.append(words.gettext(option.empty) if option.empty else "")
        elif option.several:
            parts.append(", ".join(value))
        elif option.name == "out_of_scope_share":
            parts.append(words.gettext("%(share)s out of scope", share=visit.write.share(value)))
        elif option.name in ("retries", "repeats"):
            parts.append(words.ngettext("%(num)s time", "%(num)s times", value))
        else:
            parts.append(str(value) if option.offered else f"{words.gettext(option.label or option.name)}: {value}")
    return "; ".join(part for part in parts if part)
