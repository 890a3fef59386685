"""The form of a daily run: one for each exam, filled in as it was sent."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from fastapi import Request
from starlette.responses import Response

from vivavoce.errors import InputError
from vivavoce.store.database import Store
from vivavoce.store.rows import Project, Schedule
from vivavoce.web.answers import page, words_of
from vivavoce.web.field_faults import fault_at
from vivavoce.web.forms import Form
from vivavoce.web.language import Words
from vivavoce.web.pages.exams.forms import share_field
from vivavoce.web.parts import Choice, Field, hidden_field, named_choices
from vivavoce.web.progress import KINDS
from vivavoce.web.rendering import Link
from vivavoce.workspace.conversations.choices import offer, usual_bots
from vivavoce.workspace.dialogues.dialogues import list_batches
from vivavoce.workspace.exams.engine_parts import ready_engines
from vivavoce.workspace.projects import schedules
from vivavoce.workspace.projects.schedules import clock
from vivavoce.workspace.scenarios.suites import list_suites

# The hour is what matters; a choice of all minutes would be a long one.
STEP = 30


@dataclass(frozen=True, slots=True)
class TickBox:
    """Something that can be chosen beside others."""

    value: str
    ticked: bool


@dataclass(frozen=True, slots=True)
class BoxGroup:
    """Boxes of one name."""

    name: str
    title: str
    boxes: tuple[TickBox, ...]
    error: str


@dataclass(frozen=True, slots=True)
class ScheduleFormView:
    """The form of a daily run. `suites`: choices that reload the form for another suite; `tabs`: other exams."""

    lead: str
    action: str
    submit: str
    kind: str
    tabs: tuple[Link, ...]
    suites: tuple[Link, ...]
    fields: tuple[Field, ...]
    groups: tuple[BoxGroup, ...]
    path: str
    missing: Link | None = None
    error: InputError | None = None


@dataclass(frozen=True, slots=True)
class Typed:
    """The form as it was filled in."""

    kind: str
    title: str = ""
    minute: str = str(schedules.USUAL_MINUTE)
    number: str = ""
    chosen: str = ""
    share: str = ""
    lists: Mapping[str, tuple[str, ...]] | None = None


def read_form(form: Form) -> Typed:
    """Return the form as it was filled in."""
    kind = form.choice("kind", schedules.KINDS)
    lists = {name: form.all(name) for name in ("classifiers", "bots", "domains", "levels")}
    title = form.text("title", most=200)
    chosen, share = form.text("chosen", most=400), form.text("out_of_scope_share", most=20)
    return Typed(kind, title, form.text("minute"), form.text("number"), chosen, share, lists)


def options_of(typed: Typed, number: int, share: float | None = None) -> dict[str, Any]:
    """Return the options that a form says."""
    lists = {name: list(values) for name, values in (typed.lists or {}).items() if values}
    if typed.kind == "intents":
        repeated = number or schedules.USUAL_RETRIES
        return {"classifier": typed.chosen, "retries": repeated, "out_of_scope_share": share}
    if typed.kind == "engines":
        return {"classifiers": lists.get("classifiers", []), "retries": number or schedules.USUAL_RETRIES}
    if typed.kind == "dialogues":
        return {"batch": typed.chosen}
    lists.pop("classifiers", None)
    return {"suite": typed.chosen, **lists, "repeats": number or 1}


def typed_of(schedule: Schedule, suites: Mapping[str, str], suite: str = "") -> Typed:
    """Return the form of a daily run that is there; `suites`: names by id, `suite`: another one that was chosen."""
    said = schedule.options
    named = str(said.get("suite", ""))
    known = next((key for key, name in suites.items() if named in (key, name)), named)
    chosen = {"intents": said.get("classifier"), "dialogues": said.get("batch")}.get(schedule.kind)
    number = said.get("retries") or said.get("repeats") or ""
    share = said.get("out_of_scope_share")
    lists = {name: tuple(said.get(name, ())) for name in ("classifiers", "bots", "domains", "levels")}
    return Typed(
        schedule.kind,
        schedule.title,
        str(schedule.minute_of_day),
        str(number),
        str(chosen or suite or known),
        "" if share is None else f"{share:g}",
        lists,
    )


def form_page(  # noqa: PLR0917
    request: Request,
    store: Store,
    project: Project,
    typed: Typed,
    error: InputError | None = None,
    changed: Schedule | None = None,
) -> Response:
    """Show the form of a daily run: of a new one, or of one that is to be changed."""
    words = words_of(request)
    path = f"/p/{project.slug}/schedules"
    action = f"{path}/{changed.id}/edit" if changed else f"{path}/new"
    make = _FormMaker(words, store, project, typed, error)
    view = ScheduleFormView(
        lead=make.lead(),
        action=action,
        submit=words.gettext("Save") if changed else words.gettext("Make the daily run"),
        kind=typed.kind,
        tabs=() if changed else _tabs(words, path, typed.kind),
        suites=make.suites(f"{action}?kind=conversations&suite="),
        fields=make.fields(),
        groups=make.groups(),
        path=path,
        missing=make.missing(),
        error=error,
    )
    title = words.gettext("Change %(name)s", name=changed.title) if changed else words.gettext("A new daily run")
    status = 400 if error else 200
    return page(
        request, "projects/schedule_form.html", title, view=view, project=project, section="schedules", status=status
    )


def _tabs(words: Words, path: str, chosen: str) -> tuple[Link, ...]:
    return tuple(
        Link(words.gettext(KINDS[kind]), f"{path}/new?kind={kind}", kind == chosen) for kind in schedules.KINDS
    )


@dataclass(frozen=True)
class _FormMaker:
    """Makes the form of one exam as it was filled in."""

    words: Words
    store: Store
    project: Project
    typed: Typed
    error: InputError | None

    def lead(self) -> str:
        words = self.words
        told = words.gettext("The exam starts every day on the material as it is then.")
        usual = words.gettext("Ten retries every day are what the method was made for.")
        return f"{told} {usual}" if self.typed.kind == "intents" else told

    def fields(self) -> tuple[Field, ...]:
        words, kind = self.words, self.typed.kind
        title = Field(
            "title", words.gettext("Title"), value=self.typed.title, most=200, error=fault_at(self.error, "title")
        )
        own = {"intents": self._engine, "dialogues": self._batch, "conversations": self._suite}.get(kind)
        number = () if kind == "dialogues" else (self._number(),)
        share = (self._share(),) if kind == "intents" else ()
        return (title, *((own(),) if own else ()), *number, *share, self._minute())

    def groups(self) -> tuple[BoxGroup, ...]:
        words = self.words
        if self.typed.kind == "engines":
            return (self._boxes("classifiers", words.gettext("Engines"), ready_engines(self.project), ()),)
        if self.typed.kind != "conversations" or not self._suite_id():
            return ()
        found = offer(self.store, self.project, self._suite_id())
        bots = tuple(bot.name for bot in found.bots)
        return (
            self._boxes("bots", words.gettext("Bots"), bots, usual_bots(found)),
            self._boxes("domains", words.gettext("Domains (none: all)"), tuple(found.domains), ()),
            self._boxes("levels", words.gettext("Levels (none: all)"), tuple(found.levels), ()),
        )

    def suites(self, address: str) -> tuple[Link, ...]:
        if self.typed.kind != "conversations":
            return ()
        chosen = self._suite_id()
        names = suite_names(self.store, self.project)
        return tuple(Link(name, address + key, key == chosen) for key, name in names.items())

    def missing(self) -> Link | None:
        """Return the way to what is needed first."""
        if self.typed.kind == "conversations" and not self._suite_id():
            return Link(self.words.gettext("Pick a suite first"), f"/p/{self.project.slug}/suites")
        return None

    def _suite_id(self) -> str:
        known = suite_names(self.store, self.project)
        return self.typed.chosen if self.typed.chosen in known else next(iter(known), "")

    def _suite(self) -> Field:
        return hidden_field("chosen", self._suite_id())

    def _engine(self) -> Field:
        choices = self._choices(ready_engines(self.project), self.words.gettext("engine of the project"))
        wrong = fault_at(self.error, "classifier")
        return Field(
            "chosen", self.words.gettext("Engine"), "select", self.typed.chosen, choices=choices, error=wrong
        )

    def _batch(self) -> Field:
        choices = self._choices(list_batches(self.store, self.project), self.words.gettext("all talks"))
        wrong = fault_at(self.error, "batch")
        return Field("chosen", self.words.gettext("Talks"), "select", self.typed.chosen, choices=choices, error=wrong)

    def _choices(self, names: Iterable[str], every: str) -> tuple[Choice, ...]:
        """Return choices with the one that was chosen, also where it is gone: a form must not change it unasked."""
        own = (self.typed.chosen,) if self.typed.chosen else ()
        return named_choices(dict.fromkeys((*names, *own)), every)

    def _number(self) -> Field:
        talks = self.typed.kind == "conversations"
        label = self.words.gettext("Repeats of each talk") if talks else self.words.gettext("Retries")
        usual = "1" if talks else str(schedules.USUAL_RETRIES)
        wrong = fault_at(self.error, "number") or fault_at(self.error, "repeats" if talks else "retries")
        return Field(
            "number",
            label,
            "number",
            self.typed.number or usual,
            low="1",
            high=str(schedules.MOST_RETRIES),
            required=True,
            error=wrong,
        )

    def _share(self) -> Field:
        return share_field(self.words, {"out_of_scope_share": self.typed.share}, self.error)

    def _minute(self) -> Field:
        words, here = self.words, datetime.now(UTC)
        own = {int(self.typed.minute)} if self.typed.minute.isdecimal() and len(self.typed.minute) < 5 else set()
        minutes = sorted({*range(0, schedules.DAY, STEP), *(one for one in own if one < schedules.DAY)})
        choices = tuple(Choice(str(m), f"{clock(m)} UTC") for m in minutes)
        told = words.gettext(
            "It is %(time)s UTC now: your own clock shows how far it is ahead or behind.", time=f"{here:%H:%M}"
        )
        wrong = fault_at(self.error, "minute")
        return Field("minute", words.gettext("Time of day"), "select", self.typed.minute, told, wrong, choices)

    def _boxes(self, name: str, title: str, known: tuple[str, ...], usual: tuple[str, ...]) -> BoxGroup:
        lists = self.typed.lists
        ticked = usual if lists is None else lists.get(name, ())
        # What was ticked once and is gone now stays visible, so that it is not dropped unseen.
        boxes = tuple(TickBox(value, value in ticked) for value in dict.fromkeys((*known, *ticked)))
        return BoxGroup(name, title, boxes, fault_at(self.error, name))


def suite_names(store: Store, project: Project) -> dict[str, str]:
    """Return the titles of all suites by their ids."""
    return {line.suite.id: line.suite.title or line.suite.name for line in list_suites(store, project)}
