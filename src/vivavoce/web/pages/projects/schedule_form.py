"""The form of a daily run: made from the options that the exam has for daily runs, filled in as it was sent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from fastapi import Request
from starlette.responses import Response

from vivavoce.errors import InputError
from vivavoce.jobs.exams.registry import exam_kinds, find_kind
from vivavoce.store.database import Store
from vivavoce.store.rows import Project, Schedule
from vivavoce.web.answers import page, words_of
from vivavoce.web.exam_pages import pages_of
from vivavoce.web.field_faults import fault_at
from vivavoce.web.forms import Form
from vivavoce.web.language import Words
from vivavoce.web.option_forms import BoxGroup, box_group, default_text, option_field
from vivavoce.web.parts import Choice, Field, hidden_field
from vivavoce.web.rendering import Link
from vivavoce.workspace.exams.project_exams import project_exam
from vivavoce.workspace.projects import schedules
from vivavoce.workspace.projects.schedules import clock

# The hour is what matters; a choice of all minutes would be a long one.
STEP = 30


@dataclass(frozen=True, slots=True)
class ScheduleFormView:
    """The form of a daily run. `others`: choices that reload the form, such as suites; `tabs`: other exams."""

    lead: str
    action: str
    submit: str
    kind: str
    tabs: tuple[Link, ...]
    others: tuple[Link, ...]
    fields: tuple[Field, ...]
    groups: tuple[BoxGroup, ...]
    path: str
    missing: Link | None = None
    error: InputError | None = None


@dataclass(frozen=True, slots=True)
class Typed:
    """The form as it was filled in: texts and lists by the name of their option. `fresh`: nobody has chosen yet."""

    kind: str
    title: str = ""
    minute: str = str(schedules.USUAL_MINUTE)
    values: Mapping[str, Any] = field(default_factory=dict)
    fresh: bool = False


def read_form(form: Form) -> Typed:
    """Return the form as it was filled in."""
    kind = find_kind(form.text("kind"))
    values = {
        option.name: form.all(option.name) if option.several else form.text(option.name, most=400)
        for option in kind.daily
    }
    return Typed(kind.name, form.text("title", most=200), form.text("minute"), values)


def typed_of(schedule: Schedule, chosen: Mapping[str, str]) -> Typed:
    """Return the form of a daily run that is there; `chosen`: what was chosen instead."""
    values = {
        option.name: tuple(value) if option.several else f"{value:g}" if isinstance(value, float) else str(value)
        for option in find_kind(schedule.kind).daily
        if (value := schedule.options.get(option.name)) is not None
    }
    return Typed(schedule.kind, schedule.title, str(schedule.minute_of_day), {**values, **chosen})


def form_page(  # noqa: PLR0917
    request: Request,
    store: Store,
    project: Project,
    typed: Typed,
    error: InputError | None = None,
    changed: Schedule | None = None,
) -> Response:
    """Show the form of a daily run: of a new one, or of one that is to be changed."""
    words, path = words_of(request), f"/p/{project.slug}/schedules"
    action = f"{path}/{changed.id}/edit" if changed else f"{path}/new"
    exam, values, missing = project_exam(typed.kind), dict(typed.values), False
    others: list[Link] = []
    fields = [Field("title", words.gettext("Title"), value=typed.title, most=200, error=fault_at(error, "title"))]
    groups: list[BoxGroup] = []
    for option in exam.kind.daily:
        wrong = fault_at(error, option.name)
        offers = exam.offers(store, project, option.name, values) if option.offered and not missing else None
        if option.reloads:
            known = offers or {}
            # A schedule may name a suite by its id or by its name.
            value = next((key for key, name in known.items() if values.get(option.name) in (key, name)), "")
            values[option.name] = value or next(iter(known), "")
            missing = not known
            fields.append(hidden_field(option.name, values[option.name]))
            address = f"{action}?kind={typed.kind}&{option.name}="
            others += [Link(name, address + key, key == values[option.name]) for key, name in known.items()]
        elif option.several:
            usual = exam.usual(store, project, option.name, values) if typed.fresh and not missing else ()
            ticked = values.get(option.name) or usual
            groups.append(box_group(option, words.gettext(option.label), offers or {}, ticked, wrong))
        else:
            value = values.get(option.name) or default_text(option)
            fields.append(option_field(words, option, value, wrong, offers))
    lead = words.gettext("The exam starts every day on the material as it is then.")
    hint = words.gettext(exam.kind.daily_hint) if exam.kind.daily_hint else ""
    view = ScheduleFormView(
        lead=f"{lead} {hint}".strip(),
        action=action,
        submit=words.gettext("Save") if changed else words.gettext("Make the daily run"),
        kind=typed.kind,
        tabs=() if changed else exam_links(words, path, typed.kind),
        others=tuple(others),
        fields=(*fields, _minute(words, typed, error)),
        groups=tuple(groups),
        path=path,
        missing=pages_of(typed.kind).missing(words, project) if missing else None,
        error=error,
    )
    title = words.gettext("Change %(name)s", name=changed.title) if changed else words.gettext("A new daily run")
    status = 400 if error else 200
    return page(
        request, "projects/schedule_form.html", title, view=view, project=project, section="schedules", status=status
    )


def exam_links(words: Words, path: str, chosen: str = "") -> tuple[Link, ...]:
    """Return a link to the form of each exam that can run every day."""
    kinds = exam_kinds()
    return tuple(
        Link(words.gettext(kind.title), f"{path}/new?kind={kind.name}", kind.name == chosen) for kind in kinds
    )


def _minute(words: Words, typed: Typed, error: InputError | None) -> Field:
    own = {int(typed.minute)} if typed.minute.isdecimal() and len(typed.minute) < 5 else set()
    minutes = sorted({*range(0, schedules.DAY, STEP), *(minute for minute in own if minute < schedules.DAY)})
    explained = words.gettext(
        "It is %(time)s UTC now: your own clock shows how far it is ahead or behind.",
        time=f"{datetime.now(UTC):%H:%M}",
    )
    choices = tuple(Choice(str(minute), f"{clock(minute)} UTC") for minute in minutes)
    wrong = fault_at(error, "minute")
    return Field("minute", words.gettext("Time of day"), "select", typed.minute, explained, wrong, choices)
