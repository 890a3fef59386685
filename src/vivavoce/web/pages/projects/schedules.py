"""Daily runs: the list, their form, on and off, and the way out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from fastapi import APIRouter
from starlette.responses import Response

from vivavoce.errors import InputError, UsageError
from vivavoce.jobs.exams.registry import exam_kinds, find_kind
from vivavoce.settings import Settings
from vivavoce.store.rows import Schedule
from vivavoce.web.answers import table_file
from vivavoce.web.exam_pages import exam_title, pages_of
from vivavoce.web.forms import Fields, Form, fault_at
from vivavoce.web.language import Words
from vivavoce.web.listing import Listing, Word, check_ending
from vivavoce.web.local_time import current_zone
from vivavoce.web.option_forms import BoxGroup, box_group, default_text, option_field, read_values
from vivavoce.web.parts import Choice, Field
from vivavoce.web.progress import badge_of, run_path
from vivavoce.web.rendering import Link, View
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


# The hour is what matters; a choice of all minutes would be a long one.
STEP = 30


@dataclass(frozen=True, slots=True)
class Typed:
    """The form as it was filled in: texts and lists by the name of their option. `fresh`: nobody has chosen yet."""

    kind: str
    title: str = ""
    minute: str = str(schedules.USUAL_MINUTE)
    values: Mapping[str, Any] = field(default_factory=dict)
    fresh: bool = False


def read_form(form: Fields) -> Typed:
    """Return the form as it was filled in."""
    kind = find_kind(form.text("kind"))
    values = {
        option.name: form.all(option.name) if option.several else form.text(option.name, most=400)
        for option in kind.daily
    }
    return Typed(kind.name, form.text("title", most=200), form.text("minute"), values)


def typed_of(schedule: Schedule) -> Typed:
    """Return the form of a daily run that is there."""
    values = {
        option.name: _as_list(value) if option.several else f"{value:g}" if isinstance(value, float) else str(value)
        for option in find_kind(schedule.kind).daily
        if (value := schedule.options.get(option.name)) is not None
    }
    return Typed(schedule.kind, schedule.title, str(schedule.minute_of_day), values)


def _as_list(value: Any) -> tuple[Any, ...]:
    return tuple(value) if isinstance(value, list | tuple) else (value,)


def form_page(
    visit: Visit, typed: Typed, error: InputError | None = None, changed: Schedule | None = None
) -> Response:
    """Show the form of a daily run: of a new one, or of one that is to be changed."""
    words, path = visit.words, f"{visit.base}/schedules"
    action = f"{path}/{changed.id}/edit" if changed else f"{path}/new"
    exam, values, missing = project_exam(typed.kind), typed.values, False
    fields = [Field("title", words.gettext("Title"), value=typed.title, most=200, error=fault_at(error, "title"))]
    groups: list[BoxGroup] = []
    for option in exam.kind.daily:
        wrong = fault_at(error, option.name)
        offers = exam.offers(*visit.here, option.name, values) if option.offered else None
        if option.required and option.offered and not offers:
            missing = True
        if option.several:
            usual = exam.usual(*visit.here, option.name, values) if typed.fresh else ()
            ticked = values.get(option.name) or usual
            if option.or_one:
                # Something may be named by its id or by its name.
                ids = {title: key for key, title in (offers or {}).items()}
                ticked = [ids.get(name, name) for name in ticked]
            groups.append(box_group(option, words.gettext(option.label), offers or {}, ticked, wrong))
        else:
            value = values.get(option.name) or default_text(option)
            fields.append(option_field(words, option, value, wrong, offers))
    lead = words.gettext("This exam runs every day on the latest content.")
    hint = words.gettext(exam.kind.daily_hint) if exam.kind.daily_hint else ""
    view = View(
        lead=f"{lead} {hint}".strip(),
        action=action,
        submit=words.gettext("Save") if changed else words.gettext("Create daily run"),
        kind=typed.kind,
        tabs=() if changed else exam_links(words, path, typed.kind),
        fields=(*fields, _minute(words, typed, error)),
        groups=tuple(groups),
        path=path,
        missing=pages_of(typed.kind).missing(words, visit.project) if missing else None,
        error=error,
    )
    title = words.gettext("Edit %(name)s", name=changed.title) if changed else words.gettext("New daily run")
    status = 400 if error else 200
    return visit.page("projects/schedule_form.html", title, view=view, status=status)


def exam_links(words: Words, path: str, chosen: str = "") -> tuple[Link, ...]:
    """Return a link to the form of each exam that can run every day."""
    return tuple(
        Link(words.gettext(kind.title), f"{path}/new?kind={kind.name}", kind.name == chosen) for kind in exam_kinds()
    )


def local_clock(minute: int) -> str:
    """Return a minute of the day in UTC as the reader's clock shows it today, and as UTC where that differs."""
    utc = datetime.now(UTC).replace(hour=minute // 60, minute=minute % 60)
    local = utc.astimezone(current_zone())
    if local.utcoffset() == utc.utcoffset():
        return f"{clock(minute)} UTC"
    return f"{local:%H:%M} ({clock(minute)} UTC)"


def _minute(words: Words, typed: Typed, error: InputError | None) -> Field:
    own = {int(typed.minute)} if typed.minute.isdecimal() and len(typed.minute) < 5 else set()
    minutes = sorted({*range(0, schedules.DAY, STEP), *(minute for minute in own if minute < schedules.DAY)})
    explained = words.gettext(
        "Daily runs are scheduled in UTC, so the local time shifts by an hour when the clocks change."
    )
    choices = tuple(Choice(str(minute), local_clock(minute)) for minute in minutes)
    wrong = fault_at(error, "minute")
    return Field("minute", words.gettext("Time of day"), "select", typed.minute, explained, wrong, choices)
