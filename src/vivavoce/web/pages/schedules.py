"""Daily runs: the list, the form of a new one, on and off, and the way out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from vivavoce.errors import AbsentError, InputError
from vivavoce.store.database import Store
from vivavoce.store.rows import Project, Schedule
from vivavoce.web.access import Editor, InStore, ProjectInPath, Reader
from vivavoce.web.answers import done, page, table_file, words_of
from vivavoce.web.field_faults import fault_at
from vivavoce.web.forms import Form
from vivavoce.web.language import Words
from vivavoce.web.listing import Word
from vivavoce.web.parts import Choice, Field
from vivavoce.web.progress import KINDS, RunBadge, badge_of, run_path
from vivavoce.web.rendering import Link
from vivavoce.workspace import schedules
from vivavoce.workspace.conversation_choices import offer, usual_bots
from vivavoce.workspace.dialogues import list_batches
from vivavoce.workspace.engines import engine_names
from vivavoce.workspace.schedules import NewSchedule, ScheduleLine, clock
from vivavoce.workspace.suites import list_suites

router = APIRouter(prefix="/p/{slug}/schedules")
COLUMNS = ("title", "exam", "options", "time (UTC)", "on", "next", "last run", "made by")
# The hour is what matters; a choice of all minutes would be a long one.
STEP = 30


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
    """The form of a new daily run. `suites`: choices that reload the form for another suite."""

    lead: str
    kind: str
    tabs: tuple[Link, ...]
    suites: tuple[Link, ...]
    fields: tuple[Field, ...]
    groups: tuple[BoxGroup, ...]
    path: str
    missing: Link | None = None
    error: InputError | None = None


@dataclass(frozen=True, slots=True)
class DeleteView:
    """A daily run that is about to be deleted."""

    text: str
    path: str
    cancel: str


@dataclass(frozen=True, slots=True)
class Typed:
    """The form as it was filled in."""

    kind: str
    title: str = ""
    minute: str = str(schedules.USUAL_MINUTE)
    number: str = ""
    chosen: str = ""
    lists: Mapping[str, tuple[str, ...]] | None = None


# --- looking -----------------------------------------------------------------------------------------------------


@router.get("")
def show_schedules(request: Request, who: Reader, store: InStore, project: ProjectInPath) -> Response:
    """Show the daily runs of a project."""
    words, path = words_of(request), f"/p/{project.slug}/schedules"
    found = schedules.list_schedules(store, project)
    names = _suite_names(store, project)
    view = SchedulesView(
        _lead(words, found),
        tuple(_line_view(words, project, line, names) for line in found),
        tuple(Link(words.gettext(KINDS[kind]), f"{path}/new?kind={kind}") for kind in schedules.KINDS),
        tuple(Link(kind.upper(), f"{path}.{kind}") for kind in ("csv", "xlsx")),
        clock(schedules.USUAL_MINUTE),
        schedules.USUAL_MINUTE,
        schedules.USUAL_RETRIES,
        path,
    )
    return page(request, "schedules.html", words.gettext("Daily runs"), view=view, project=project, section="today")


@router.get(".{kind}")
def export_schedules(request: Request, who: Reader, store: InStore, project: ProjectInPath, kind: str) -> Response:
    """Return the daily runs as CSV or XLSX."""
    if kind not in ("csv", "xlsx"):
        raise AbsentError("there is nothing here", remedy="take schedules.csv or schedules.xlsx")
    words, names = words_of(request), _suite_names(store, project)
    rows = [_cells(words, line, names) for line in schedules.list_schedules(store, project)]
    return table_file(f"{project.slug}-schedules", kind, COLUMNS, rows)


@router.get("/new")
def show_form(  # noqa: PLR0917
    request: Request, who: Editor, store: InStore, project: ProjectInPath, kind: Word = "intents", suite: Word = ""
) -> Response:
    """Show the form of a new daily run."""
    chosen = kind if kind in schedules.KINDS else "intents"
    return _form_page(request, store, project, Typed(chosen, chosen=suite))


# --- changing ----------------------------------------------------------------------------------------------------


@router.post("/new")
def create_schedule(request: Request, who: Editor, store: InStore, project: ProjectInPath, form: Form) -> Response:
    """Make a daily run."""
    typed = _typed(form)
    minute = form.whole("minute", schedules.USUAL_MINUTE, low=0, high=schedules.DAY - 1)
    number = form.whole("number", 0, low=1, high=schedules.MOST_RETRIES)
    try:
        form.check()
        new = NewSchedule(typed.kind, typed.title, _options(typed, number), minute)
        edit = schedules.create_schedule(store, who.actor, project, new)
    except InputError as error:
        return _form_page(request, store, project, typed, error)
    said = words_of(request).gettext("The daily run is made.")
    return done(f"/p/{project.slug}/schedules", said, project=project, edit=edit)


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
    with store.reading() as tx:
        found = schedules.find_schedule(tx, project, schedule_id)
    text = words.gettext("%(title)s starts no more. The runs that it started stay.", title=found.title)
    view = DeleteView(text, f"{path}/{found.id}/delete", path)
    title = words.gettext("Delete this daily run?")
    return page(request, "schedule_delete.html", title, view=view, project=project, section="today")


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
    for name in ("retries", "repeats"):
        if name in options:
            parts.append(words.ngettext("%(num)s time", "%(num)s times", options[name]))
    return "; ".join(part for part in parts if part)


def _cells(words: Words, line: ScheduleLine, names: Mapping[str, str]) -> tuple[object, ...]:
    one, run = line.schedule, line.last_run
    told = (one.title, one.kind, _said(words, one, names), clock(one.minute_of_day), one.enabled)
    return (*told, one.next_at if one.enabled else None, run.number if run else None, line.who)


def _suite_names(store: Store, project: Project) -> dict[str, str]:
    return {line.suite.id: line.suite.title or line.suite.name for line in list_suites(store, project)}


# --- the form ----------------------------------------------------------------------------------------------------


def _typed(form: Form) -> Typed:
    kind = form.choice("kind", schedules.KINDS)
    lists = {name: form.all(name) for name in ("classifiers", "bots", "domains", "levels")}
    title = form.text("title", most=200)
    return Typed(kind, title, form.text("minute"), form.text("number"), form.text("chosen", most=400), lists)


def _options(typed: Typed, number: int) -> dict[str, Any]:
    lists = {name: list(values) for name, values in (typed.lists or {}).items() if values}
    if typed.kind == "intents":
        return {"classifier": typed.chosen, "retries": number or schedules.USUAL_RETRIES}
    if typed.kind == "engines":
        return {"classifiers": lists.get("classifiers", []), "retries": number or schedules.USUAL_RETRIES}
    if typed.kind == "dialogues":
        return {"batch": typed.chosen}
    lists.pop("classifiers", None)
    return {"suite": typed.chosen, **lists, "repeats": number or 1}


def _form_page(
    request: Request, store: Store, project: Project, typed: Typed, error: InputError | None = None
) -> Response:
    words = words_of(request)
    path = f"/p/{project.slug}/schedules"
    make = _FormMaker(words, store, project, typed, error)
    view = ScheduleFormView(
        lead=make.lead(),
        kind=typed.kind,
        tabs=tuple(
            Link(words.gettext(KINDS[kind]), f"{path}/new?kind={kind}", kind == typed.kind)
            for kind in schedules.KINDS
        ),
        suites=make.suites(f"{path}/new?kind=conversations&suite="),
        fields=make.fields(),
        groups=make.groups(),
        path=path,
        missing=make.missing(),
        error=error,
    )
    title, status = words.gettext("A new daily run"), 400 if error else 200
    return page(request, "schedule_form.html", title, view=view, project=project, section="today", status=status)


@dataclass(frozen=True)
class _FormMaker:
    """Makes the form of one exam as it was filled in."""

    words: Words
    store: Store
    project: Project
    typed: Typed
    error: InputError | None

    def lead(self) -> str:
        told = self.words.gettext("The exam starts every day on the material as it is then.")
        if self.typed.kind == "intents":
            return f"{told} {self.words.gettext('Ten retries every day are what the method was made for.')}"
        return told

    def fields(self) -> tuple[Field, ...]:
        say, kind = self.words.gettext, self.typed.kind
        title = Field("title", say("Title"), value=self.typed.title, most=200, error=fault_at(self.error, "title"))
        own = {"intents": self._engine, "dialogues": self._batch, "conversations": self._suite}.get(kind)
        number = () if kind == "dialogues" else (self._number(),)
        return (title, *((own(),) if own else ()), *number, self._minute())

    def groups(self) -> tuple[BoxGroup, ...]:
        say = self.words.gettext
        if self.typed.kind == "engines":
            return (self._boxes("classifiers", say("Engines"), engine_names(self.project), ()),)
        if self.typed.kind != "conversations" or not self._suite_id():
            return ()
        found = offer(self.store, self.project, self._suite_id())
        bots = tuple(bot.name for bot in found.bots)
        return (
            self._boxes("bots", say("Bots"), bots, usual_bots(found)),
            self._boxes("domains", say("Domains (none: all)"), tuple(found.domains), ()),
            self._boxes("levels", say("Levels (none: all)"), tuple(found.levels), ()),
        )

    def suites(self, address: str) -> tuple[Link, ...]:
        if self.typed.kind != "conversations":
            return ()
        chosen = self._suite_id()
        names = _suite_names(self.store, self.project)
        return tuple(Link(name, address + key, key == chosen) for key, name in names.items())

    def missing(self) -> Link | None:
        """Return the way to what is needed first."""
        if self.typed.kind == "conversations" and not self._suite_id():
            return Link(self.words.gettext("Pick a suite first"), f"/p/{self.project.slug}/suites")
        return None

    def _suite_id(self) -> str:
        known = _suite_names(self.store, self.project)
        return self.typed.chosen if self.typed.chosen in known else next(iter(known), "")

    def _suite(self) -> Field:
        return Field("chosen", "", "hidden", self._suite_id())

    def _engine(self) -> Field:
        usual = Choice("", self.words.gettext("engine of the project"))
        choices = (usual, *(Choice(name, name) for name in engine_names(self.project)))
        wrong = fault_at(self.error, "classifier")
        return Field(
            "chosen", self.words.gettext("Engine"), "select", self.typed.chosen, choices=choices, error=wrong
        )

    def _batch(self) -> Field:
        every = Choice("", self.words.gettext("all talks"))
        choices = (every, *(Choice(name, name) for name in list_batches(self.store, self.project)))
        wrong = fault_at(self.error, "batch")
        return Field("chosen", self.words.gettext("Talks"), "select", self.typed.chosen, choices=choices, error=wrong)

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

    def _minute(self) -> Field:
        say, here = self.words.gettext, datetime.now(UTC)
        choices = tuple(Choice(str(m), f"{clock(m)} UTC") for m in range(0, schedules.DAY, STEP))
        told = say(
            "It is %(time)s UTC now: your own clock shows how far it is ahead or behind.", time=f"{here:%H:%M}"
        )
        wrong = fault_at(self.error, "minute")
        return Field("minute", say("Time of day"), "select", self.typed.minute, told, wrong, choices)

    def _boxes(self, name: str, title: str, known: tuple[str, ...], usual: tuple[str, ...]) -> BoxGroup:
        lists = self.typed.lists
        ticked = usual if lists is None else lists.get(name, ())
        boxes = tuple(TickBox(value, value in ticked) for value in known)
        return BoxGroup(name, title, boxes, fault_at(self.error, name))
