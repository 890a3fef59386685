"""The form of a daily run: made from the options that the exam has for daily runs, filled in as it was sent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from starlette.responses import Response

from vivavoce.errors import InputError
from vivavoce.jobs.exams.registry import exam_kinds, find_kind
from vivavoce.store.rows import Schedule
from vivavoce.web.exam_pages import pages_of
from vivavoce.web.forms import Fields, fault_at
from vivavoce.web.language import Words
from vivavoce.web.local_time import current_zone
from vivavoce.web.option_forms import BoxGroup, box_group, default_text, option_field
from vivavoce.web.parts import Choice, Field
from vivavoce.web.rendering import Link, View
from vivavoce.web.visits import Visit
from vivavoce.workspace.exams.project_exams import project_exam
from vivavoce.workspace.projects import schedules
from vivavoce.workspace.projects.schedules import clock

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
    lead = words.gettext("The exam starts every day and uses the content as it is then.")
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
    explained = words.gettext("Daily runs keep to UTC, so the local time shifts by an hour when the clocks change.")
    choices = tuple(Choice(str(minute), local_clock(minute)) for minute in minutes)
    wrong = fault_at(error, "minute")
    return Field("minute", words.gettext("Time of day"), "select", typed.minute, explained, wrong, choices)
