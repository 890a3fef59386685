"""Bots: the list, one bot and what a trial of it found, the form of one, and the way out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from markupsafe import Markup
from starlette.responses import Response

from vivavoce.bots import Limits
from vivavoce.errors import AbsentError, Fault, InputError
from vivavoce.store.database import Store
from vivavoce.store.rows import Project
from vivavoce.web.access import Admin, Editor, InStore, ProjectInPath, Reader, config_of
from vivavoce.web.answers import done, page, table_file, words_of
from vivavoce.web.formats import Writer
from vivavoce.web.forms import Form
from vivavoce.web.language import Words
from vivavoce.web.listing import Listing, Search, Word
from vivavoce.web.pages.bot_form import (
    FORMS,
    TITLES,
    FieldGroup,
    entry_of,
    field_names,
    form_of,
    groups_of,
    values_of,
)
from vivavoce.web.parts import Column, Field, Pager, Row
from vivavoce.web.progress import run_path
from vivavoce.web.rendering import Link
from vivavoce.workspace import bots
from vivavoce.workspace.bot_rules import BotRules, entry_faults

router = APIRouter(prefix="/p/{slug}/bots")
COLUMNS = ("name", "kind", "address", "at once", "per second", "timeout (s)", "retries", "last run")


@dataclass(frozen=True, slots=True)
class BotsView:
    """The bots of a project. `any`: there are bots at all."""

    lead: str
    path: str
    fields: tuple[Field, ...]
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    pager: Pager
    downloads: tuple[Link, ...]
    any: bool
    forms: tuple[Link, ...]


@dataclass(frozen=True, slots=True)
class BotView:
    """One bot; `report` is what a trial has just found."""

    line: bots.BotLine
    lead: str
    path: str
    facts: tuple[tuple[str, object], ...]
    entry: str
    faults: tuple[Fault, ...]
    report: bots.BotReport | None = None
    found: str = ""


@dataclass(frozen=True, slots=True)
class BotFormView:
    """The form of a bot as it was filled in."""

    lead: str
    action: str
    cancel: str
    tabs: tuple[Link, ...]
    form: str
    groups: tuple[FieldGroup, ...]
    why: Field
    error: InputError | None = None


@dataclass(frozen=True, slots=True)
class DeleteView:
    """A bot that is about to be deleted."""

    text: str
    path: str
    why: Field


def rules_of(request: Request) -> BotRules:
    """Return what whoever runs the server allows bots."""
    config = config_of(request)
    return BotRules(config.private_bots, config.bot_programs, config.bot_variables)


# --- looking -----------------------------------------------------------------------------------------------------


@router.get("")
def show_bots(  # noqa: PLR0917
    request: Request,
    who: Reader,
    store: InStore,
    project: ProjectInPath,
    q: Search = "",
    sort: Word = "name",
    page_number: Annotated[int, Query(alias="page", ge=1, le=10_000_000)] = 1,
) -> Response:
    """Show the bots of a project."""
    words = words_of(request)
    every = bots.list_bots(store, project)
    listing = Listing(f"/p/{project.slug}/bots", {"q": q}, sort, page_number)
    found = _sorted([line for line in every if _holds(line, q)], sort)
    view = BotsView(
        _lead(words, every),
        listing.path,
        (Field("q", words.gettext("Search"), "search", q, key="/"),),
        _columns(words, listing),
        tuple(_row(words, project, line) for line in found[listing.offset : listing.offset + listing.size]),
        listing.pager(len(found)),
        listing.downloads(),
        bool(every),
        _forms(words, f"{listing.path}/new", ""),
    )
    return page(request, "bots.html", words.gettext("Bots"), view=view, project=project, section="bots")


@router.get(".{kind}")
def export_bots(who: Reader, store: InStore, project: ProjectInPath, kind: str, q: Search = "") -> Response:
    """Return the list of bots as CSV or XLSX."""
    if kind not in ("csv", "xlsx"):
        raise AbsentError("there is nothing here", remedy="take bots.csv or bots.xlsx")
    found = [line for line in bots.list_bots(store, project) if _holds(line, q)]
    return table_file(f"{project.slug}-bots", kind, COLUMNS, [_cells(line) for line in found])


@router.get("/new")
def show_new(request: Request, who: Admin, project: ProjectInPath, form: Word = "http") -> Response:
    """Show the form for another bot."""
    return _new_page(request, project, form if form in FORMS else "http", {"method": "POST"})


@router.post("/new")
def add_bot(request: Request, who: Admin, store: InStore, project: ProjectInPath, form: Form) -> Response:
    """Add a bot."""
    chosen, values = _typed(form)
    try:
        form.check()
        entry = entry_of(chosen, values, {})
        edit = bots.add_bot(
            store, who.actor, project, values["name"], entry, rules=rules_of(request), why=form.text("why", most=1000)
        )
    except InputError as error:
        return _new_page(request, project, chosen, values, error)
    said = words_of(request).gettext("The bot %(name)s is added. Test the connection next.", name=values["name"])
    return done(f"/p/{project.slug}/bots/{_added(store, project, values['name'])}", said, project=project, edit=edit)


@router.get("/{bot_id}")
def show_bot(request: Request, who: Reader, store: InStore, project: ProjectInPath, bot_id: str) -> Response:
    """Show a bot."""
    return _bot_page(request, project, bots.show_bot(store, project, bot_id))


@router.post("/{bot_id}/test")
def try_bot(request: Request, who: Editor, store: InStore, project: ProjectInPath, bot_id: str) -> Response:
    """Try a bot out and show what was found."""
    report = bots.try_bot(store, who.actor, project, bot_id, rules_of(request))
    return _bot_page(request, project, bots.show_bot(store, project, bot_id), report)


# --- changing ----------------------------------------------------------------------------------------------------


@router.get("/{bot_id}/edit")
def show_form(  # noqa: PLR0917
    request: Request, who: Admin, store: InStore, project: ProjectInPath, bot_id: str, form: Word = ""
) -> Response:
    """Show the form of a bot."""
    line = bots.show_bot(store, project, bot_id)
    suits = form_of(line.bot.entry)
    chosen = form if form in (suits, "yaml") else suits
    values = {"name": line.bot.name, "method": "POST", **_filled(values_of(chosen, line.bot.entry))}
    return _edit_page(request, project, line, chosen, values)


@router.post("/{bot_id}/edit")
def change_bot(  # noqa: PLR0917
    request: Request, who: Admin, store: InStore, project: ProjectInPath, bot_id: str, form: Form
) -> Response:
    """Change a bot."""
    line = bots.show_bot(store, project, bot_id)
    chosen, values = _typed(form)
    try:
        form.check()
        edit = bots.change_bot(
            store,
            who.actor,
            project,
            bot_id,
            name=values["name"],
            entry=entry_of(chosen, values, line.bot.entry),
            rules=rules_of(request),
            why=form.text("why", most=1000),
        )
    except InputError as error:
        return _edit_page(request, project, line, chosen, values, error)
    said = words_of(request).gettext("The bot %(name)s is changed.", name=values["name"])
    return done(f"/p/{project.slug}/bots/{bot_id}", said, project=project, edit=edit)


@router.get("/{bot_id}/delete")
def ask_to_delete(request: Request, who: Admin, store: InStore, project: ProjectInPath, bot_id: str) -> Response:
    """Ask before a bot is deleted."""
    words, line = words_of(request), bots.show_bot(store, project, bot_id)
    said = words.gettext(
        "The bot %(name)s goes from this project. What runs found about it stays, and it can be brought back.",
        name=line.bot.name,
    )
    view = DeleteView(said, f"/p/{project.slug}/bots/{bot_id}", _why(words))
    title = words.gettext("Delete this bot?")
    return page(request, "bot_delete.html", title, view=view, project=project, section="bots")


@router.post("/{bot_id}/delete")
def delete_bot(  # noqa: PLR0917
    request: Request, who: Admin, store: InStore, project: ProjectInPath, bot_id: str, form: Form
) -> Response:
    """Delete a bot."""
    edit = bots.delete_bot(store, who.actor, project, bot_id, why=form.text("why")[:1000])
    return done(
        f"/p/{project.slug}/bots", words_of(request).gettext("The bot is deleted."), project=project, edit=edit
    )


# --- the list ----------------------------------------------------------------------------------------------------


def limits_text(words: Words, limits: Limits) -> str:
    """Return the limits of a bot in words."""
    writer = Writer(words)
    said = [words.ngettext("%(num)s talk at once", "%(num)s talks at once", limits.at_once)]
    if limits.per_second is not None:
        pace = writer.number(limits.per_second, 0 if limits.per_second == int(limits.per_second) else 2)
        said.append(words.gettext("%(pace)s messages a second", pace=pace))
    said.append(words.gettext("%(time)s for a reply", time=writer.duration(limits.timeout_s)))
    return ", ".join(said)


def _lead(words: Words, every: tuple[bots.BotLine, ...]) -> str:
    if not every:
        return words.gettext("No bot is connected yet.")
    counted = words.ngettext("%(num)s bot can be examined", "%(num)s bots can be examined", len(every))
    never = sum(line.last_run is None for line in every)
    if not never:
        return words.gettext("%(counted)s; all of them were.", counted=counted)
    return words.gettext(
        "%(counted)s; %(never)s of them never was.", counted=counted, never=Writer(words).number(never)
    )


def _columns(words: Words, listing: Listing) -> tuple[Column, ...]:
    return (
        listing.column(words.gettext("Bot"), "name"),
        listing.column(words.gettext("Kind"), "kind"),
        Column(words.gettext("Address")),
        Column(words.gettext("Limits")),
        listing.column(words.gettext("Last run"), "run", down=True),
    )


def _row(words: Words, project: Project, line: bots.BotLine) -> Row:
    name = Markup('<a href="{}">{}</a>').format(f"/p/{project.slug}/bots/{line.bot.id}", line.bot.name)
    limits = limits_text(words, line.limits)
    return Row(
        (name, line.kind, line.address or words.gettext("in this program"), limits, _last(words, project, line))
    )


def _last(words: Words, project: Project, line: bots.BotLine) -> object:
    if line.last_run is None:
        return words.gettext("never")
    when = Writer(words).ago(line.last_run.created)
    return Markup('<a href="{}">{}</a>').format(run_path(project, line.last_run), when)


def _cells(line: bots.BotLine) -> tuple[object, ...]:
    limits, run = line.limits, line.last_run
    told = (limits.at_once, limits.per_second, limits.timeout_s, limits.retries)
    return (line.bot.name, line.kind, line.address, *told, run.number if run else None)


def _holds(line: bots.BotLine, q: str) -> bool:
    words = q.casefold().split()
    return all(word in f"{line.bot.name} {line.kind} {line.address}".casefold() for word in words)


def _sorted(lines: list[bots.BotLine], sort: str) -> list[bots.BotLine]:
    keys: Mapping[str, Any] = {
        "kind": lambda line: line.kind,
        "run": lambda line: line.last_run.number if line.last_run else 0,
    }
    key = keys.get(sort.removeprefix("-"), lambda line: line.bot.name.casefold())
    return sorted(lines, key=key, reverse=sort.startswith("-"))


# --- pages -------------------------------------------------------------------------------------------------------


def _bot_page(
    request: Request, project: Project, line: bots.BotLine, report: bots.BotReport | None = None
) -> Response:
    words, row = words_of(request), line.bot
    facts = (
        (words.gettext("Kind"), line.kind),
        (words.gettext("Address"), line.address or words.gettext("in this program")),
        (words.gettext("Limits"), limits_text(words, line.limits)),
        (words.gettext("Last run"), _last(words, project, line)),
        (words.gettext("Added"), Writer(words).ago(row.created)),
    )
    faults = entry_faults(row.name, row.entry, rules_of(request))
    lead = (
        words.gettext("This bot cannot be used as it is.")
        if faults
        else words.gettext("The entry of this bot is in order; a test shows whether it answers.")
    )
    view = BotView(
        line,
        str(row.entry.get("about") or "") or lead,
        f"/p/{project.slug}/bots/{row.id}",
        facts,
        bots.entry_text(row.entry),
        faults,
        report,
        _found(words, report),
    )
    return page(request, "bot.html", row.name, view=view, project=project, section="bots")


def _found(words: Words, report: bots.BotReport | None) -> str:
    """Return what a trial came to in one sentence."""
    if report is None:
        return ""
    failed = sum(not one.passed for one in report.checks)
    if failed:
        return words.ngettext("%(num)s check went wrong.", "%(num)s checks went wrong.", failed)
    if report.typical_s is None:
        return words.gettext("All checks went well.")
    typical = Writer(words).duration(report.typical_s)
    return words.gettext("All checks went well; a reply usually takes %(time)s.", time=typical)


def _new_page(
    request: Request, project: Project, form: str, values: Mapping[str, str], error: InputError | None = None
) -> Response:
    words, path = words_of(request), f"/p/{project.slug}/bots"
    tabs = _forms(words, f"{path}/new", form)
    lead = words.gettext("Say how the bot is reached; nothing is sent to it before you test it.")
    view = BotFormView(
        lead, f"{path}/new", path, tabs, form, groups_of(words, form, values, error), _why(words, values), error
    )
    return _form_page(request, words.gettext("Add a bot"), project, view)


def _edit_page(  # noqa: PLR0917
    request: Request,
    project: Project,
    line: bots.BotLine,
    form: str,
    values: Mapping[str, str],
    error: InputError | None = None,
) -> Response:
    words, path = words_of(request), f"/p/{project.slug}/bots/{line.bot.id}"
    forms = dict.fromkeys((form_of(line.bot.entry), "yaml"))
    tabs = tuple(Link(words.gettext(TITLES[one]), f"{path}/edit?form={one}", one == form) for one in forms)
    lead = words.gettext("Runs that were held keep what held then; the next run asks the bot as it is said here.")
    view = BotFormView(
        lead, f"{path}/edit", path, tabs, form, groups_of(words, form, values, error), _why(words, values), error
    )
    return _form_page(request, words.gettext("Change %(name)s", name=line.bot.name), project, view)


def _form_page(request: Request, title: str, project: Project, view: BotFormView) -> Response:
    status = 400 if view.error else 200
    return page(request, "bot_form.html", title, view=view, project=project, section="bots", status=status)


def _forms(words: Words, path: str, chosen: str) -> tuple[Link, ...]:
    return tuple(Link(words.gettext(TITLES[one]), f"{path}?form={one}", one == chosen) for one in FORMS)


def _typed(form: Form) -> tuple[str, dict[str, str]]:
    """Return which form was sent, and its fields as they were typed."""
    chosen = form.choice("form", FORMS, "http")
    names = field_names(chosen if chosen in FORMS else "http")
    return chosen, {name: form.text(name, most=bots.MOST_ENTRY) for name in (*names, "why")}


def _filled(values: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in values.items() if value}


def _why(words: Words, values: Mapping[str, str] | None = None) -> Field:
    said = (values or {}).get("why", "")
    return Field("why", words.gettext("Why"), value=said, most=1000, help=words.gettext("For the history."))


def _added(store: Store, project: Project, name: str) -> str:
    with store.reading() as tx:
        found = tx.bots.by_name(project.id, " ".join(name.split()))
    return found.id if found else ""
