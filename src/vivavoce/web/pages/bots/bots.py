"""Bots: the list, one bot and what a test of it found, and the forms that add, change and delete one."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from fastapi import APIRouter
from starlette.responses import Response

from vivavoce.bots import Limits
from vivavoce.errors import InputError
from vivavoce.store.rows import BotRow, Edit
from vivavoce.web.answers import table_file
from vivavoce.web.cells import link_cell
from vivavoce.web.formats import Writer
from vivavoce.web.forms import Form
from vivavoce.web.language import Words
from vivavoce.web.listing import Listing, PageNumber, Search, Word, check_ending
from vivavoce.web.option_forms import rules_of
from vivavoce.web.pages.bots.console import engines_here, show_console
from vivavoce.web.pages.bots.form import (
    bot_forms,
    entry_of,
    field_names,
    form_links,
    form_of,
    form_title,
    groups_of,
    values_of,
)
from vivavoce.web.parts import Field
from vivavoce.web.progress import run_path
from vivavoce.web.rendering import Link, View
from vivavoce.web.visits import AdminVisit, EditorVisit, ReaderVisit, Visit
from vivavoce.workspace.access.bot_rules import OWN_PREFIX, entry_faults
from vivavoce.workspace.bots import bots, console
from vivavoce.workspace.bots.chatting import list_partners

router = APIRouter(prefix="/p/{slug}/bots")

COLUMNS = ("name", "kind", "address", "at once", "per second", "timeout (s)", "retries", "last run")


@router.get("")
def show_bots(visit: ReaderVisit, q: Search = "", sort: Word = "name", page_number: PageNumber = 1) -> Response:
    """Show the bots of a project."""
    words, every = visit.words, bots.list_bots(*visit.here)
    listing = Listing(f"{visit.base}/bots", {"q": q}, sort, page_number)
    lines = [line for line in every if _holds(line, q)]
    keys: Mapping[str, Any] = {
        "kind": lambda line: line.kind,
        "run": lambda line: line.last_run.number if line.last_run else 0,
    }
    key = keys.get(sort.removeprefix("-"), lambda line: line.bot.name.casefold())
    lines.sort(key=key, reverse=sort.startswith("-"))
    view = View(
        lead=_lead(words, every),
        path=listing.path,
        fields=(Field("q", words.gettext("Search"), "search", q, key="f"),),
        columns=(
            listing.column(words.gettext("Bot"), "name"),
            listing.column(words.gettext("Kind"), "kind"),
            words.gettext("Address"),
            words.gettext("Limits"),
            listing.column(words.gettext("Last run"), "run", down=True),
        ),
        rows=[
            View(
                href=f"{listing.path}/{line.bot.id}",
                name=line.bot.name,
                kind=line.kind,
                address=line.address or words.gettext("inside vivavoce"),
                limits=limits_text(words, line.limits),
                last=_last(visit, line),
                never=line.last_run is None,
            )
            for line in listing.cut(lines)
        ],
        pager=listing.pager(len(lines)),
        downloads=listing.downloads(),
        any=bool(every),
        forms=form_links(words, f"{listing.path}/new", ""),
    )
    return visit.page("bots/bots.html", words.gettext("Bots"), view=view)


@router.get(".{kind}")
def export_bots(visit: ReaderVisit, kind: str, q: Search = "") -> Response:
    """Return the list of bots as CSV or XLSX."""
    check_ending("bots", kind)
    rows = []
    for line in bots.list_bots(*visit.here):
        if _holds(line, q):
            limits, run = line.limits, line.last_run
            numbers = (limits.at_once, limits.per_second, limits.timeout_s, limits.retries)
            rows.append((line.bot.name, line.kind, line.address, *numbers, run.number if run else None))
    return table_file(f"{visit.project.slug}-bots", kind, COLUMNS, rows)


@router.get("/{bot_id}")
def show_bot(visit: ReaderVisit, bot_id: str) -> Response:
    """Show a bot."""
    return _bot_page(visit, bots.show_bot(*visit.here, bot_id))


@router.post("/{bot_id}/test")
def try_bot(visit: EditorVisit, bot_id: str) -> Response:
    """Try a bot out and show what was found."""
    report = bots.try_bot(*visit.acting, bot_id, rules_of(visit.request))
    return _bot_page(visit, bots.show_bot(*visit.here, bot_id), report)


def _lead(words: Words, every: Sequence[bots.BotLine]) -> str:
    """Say how many bots there are, and how many no exam has met."""
    if not every:
        return words.gettext("No bots connected yet.")
    counted = words.ngettext("%(num)s bot", "%(num)s bots", len(every))
    never = sum(line.last_run is None for line in every)
    if not never:
        return words.gettext("%(counted)s, all examined.", counted=counted)
    return words.ngettext(
        "%(counted)s, %(num)s never examined.", "%(counted)s, %(num)s never examined.", never, counted=counted
    )


def limits_text(words: Words, limits: Limits) -> str:
    """Return the limits of a bot in words."""
    writer, pace = Writer(words), limits.per_second
    parts = [words.ngettext("%(num)s conversation at a time", "%(num)s conversations at a time", limits.at_once)]
    if pace is not None and pace == int(pace):
        parts.append(words.ngettext("%(num)s message per second", "%(num)s messages per second", int(pace)))
    elif pace is not None:
        parts.append(words.gettext("%(pace)s messages per second", pace=writer.number(pace, 2)))
    return ", ".join((*parts, words.gettext("%(time)s per reply", time=writer.duration(limits.timeout_s))))


def _last(visit: Visit, line: bots.BotLine) -> object:
    if line.last_run is None:
        return visit.words.gettext("never")
    when = visit.write.ago(line.last_run.created)
    return link_cell(run_path(visit.project, line.last_run), when)


def _holds(line: bots.BotLine, q: str) -> bool:
    words = q.casefold().split()
    return all(word in f"{line.bot.name} {line.kind} {line.address}".casefold() for word in words)


def _bot_page(visit: Visit, line: bots.BotLine, report: bots.BotReport | None = None) -> Response:
    words, row = visit.words, line.bot
    about = str(row.entry.get("about") or "")
    facts: tuple[tuple[str, object], ...] = (
        *(((words.gettext("Description"), about),) if about else ()),
        (words.gettext("Kind"), line.kind),
        (words.gettext("Address"), line.address or words.gettext("inside vivavoce")),
        (words.gettext("Limits"), limits_text(words, line.limits)),
        (words.gettext("Last run"), _last(visit, line)),
        (words.gettext("Added"), visit.write.ago(row.created)),
    )
    faults = entry_faults(row.name, row.entry, rules_of(visit.request))
    # What was tried says more than what is written.
    if report is not None and not report.passed:
        lead = words.gettext("The test shows that this bot is not ready for an exam.")
    elif faults:
        lead = words.gettext("This bot's configuration is invalid.")
    elif report is not None:
        lead = words.gettext("This bot is ready for an exam.")
    else:
        lead = words.gettext("This bot's configuration is valid. Run a test to see whether it answers.")
    view = View(
        line=line,
        lead=lead,
        path=f"{visit.base}/bots/{row.id}",
        facts=facts,
        entry=bots.entry_text(row.entry),
        faults=faults,
        report=report,
        found=_describe_report(visit, report) if report else "",
    )
    return visit.page("bots/bot.html", row.name, view=view)


def _describe_report(visit: Visit, report: bots.BotReport) -> str:
    """Return what a test came to in one sentence, with counts."""
    words, failed = visit.words, sum(not check.passed for check in report.checks)
    if failed:
        return words.ngettext(
            "%(failed)s of %(num)s check failed.",
            "%(failed)s of %(num)s checks failed.",
            len(report.checks),
            failed=visit.write.number(failed),
        )
    if report.typical_s is None:
        return words.gettext("All checks passed.")
    typical = visit.write.duration(report.typical_s)
    return words.gettext("All checks passed; a reply usually takes %(time)s.", time=typical)


@router.get("/new")
def show_new(visit: AdminVisit, form: Word = "http") -> Response:
    """Show the form for another bot."""
    return _form_page(visit, form if form in bot_forms() else "http", {"method": "POST"})


@router.post("/new")
def add_bot(visit: AdminVisit, form: Form) -> Response:
    """Add a bot."""
    chosen, values = _read_form(form)
    try:
        form.check()
        edit = bots.add_bot(
            *visit.acting,
            values["name"],
            entry_of(chosen, values, {}),
            rules=rules_of(visit.request),
            why=values["why"],
        )
    except InputError as error:
        return _form_page(visit, chosen, values, error=error)
    text = visit.words.gettext("Bot %(name)s added. Test the connection next.", name=values["name"])
    return _show_added(visit, values["name"], text, edit)


def _show_added(visit: Visit, name: str, text: str, edit: Edit) -> Response:
    plain = " ".join(name.split())
    added = next((bot.id for bot in list_partners(*visit.here) if bot.name == plain), "")
    return visit.done(f"{visit.base}/bots/{added}", text, edit)


@router.post("/new/ask")
def ask_new(visit: AdminVisit, form: Form) -> Response:
    """Send a message to a bot that is being added, or read its answer by the value that was clicked."""
    return _console_page(visit, form)


@router.post("/{bot_id}/edit/ask")
def ask_changed(visit: AdminVisit, bot_id: str, form: Form) -> Response:
    """Do the same for a bot that is being changed."""
    return _console_page(visit, form, bots.show_bot(*visit.here, bot_id).bot)


@router.post("/start")
def start_engine(visit: AdminVisit, form: Form) -> Response:
    """Add an engine that runs on this server."""
    engine = form.choice("engine", console.ENGINES, "")
    form.check()
    name, edit = console.start_engine(*visit.acting, engine, rules_of(visit.request))
    text = visit.words.gettext(
        "Bot %(name)s added. It starts with its first test; installing it may take a minute.", name=name
    )
    return _show_added(visit, name, text, edit)


@router.get("/{bot_id}/edit")
def show_form(visit: AdminVisit, bot_id: str, form: Word = "") -> Response:
    """Show the form of a bot."""
    bot = bots.show_bot(*visit.here, bot_id).bot
    suits = form_of(bot.entry)
    chosen = form if form in (suits, "yaml") else suits
    filled = {name: value for name, value in values_of(chosen, bot.entry).items() if value}
    return _form_page(visit, chosen, {"name": bot.name, "method": "POST", **filled}, bot)


@router.post("/{bot_id}/edit")
def change_bot(visit: AdminVisit, bot_id: str, form: Form) -> Response:
    """Change a bot."""
    bot = bots.show_bot(*visit.here, bot_id).bot
    chosen, values = _read_form(form)
    try:
        form.check()
        edit = bots.change_bot(
            *visit.acting,
            bot_id,
            name=values["name"],
            entry=entry_of(chosen, values, bot.entry),
            rules=rules_of(visit.request),
            why=values["why"],
        )
    except InputError as error:
        return _form_page(visit, chosen, values, bot, error)
    text = visit.words.gettext("Bot %(name)s updated.", name=values["name"])
    return visit.done(f"{visit.base}/bots/{bot_id}", text, edit)


@router.get("/{bot_id}/delete")
def ask_to_delete(visit: AdminVisit, bot_id: str) -> Response:
    """Ask before a bot is deleted."""
    words, line = visit.words, bots.show_bot(*visit.here, bot_id)
    text = words.gettext(
        "This removes the bot %(name)s from the project. Its past results stay, and you can restore it.",
        name=line.bot.name,
    )
    view = View(text=text, path=f"{visit.base}/bots/{bot_id}", why=_why(words))
    return visit.page("bots/bot_delete.html", words.gettext("Delete this bot?"), view=view)


@router.post("/{bot_id}/delete")
def delete_bot(visit: AdminVisit, bot_id: str, form: Form) -> Response:
    """Delete a bot."""
    edit = bots.delete_bot(*visit.acting, bot_id, why=form.text("why")[:1000])
    return visit.done(f"{visit.base}/bots", visit.words.gettext("Bot deleted."), edit)


def _form_page(
    visit: Visit,
    form: str,
    values: Mapping[str, str],
    changed: BotRow | None = None,
    error: InputError | None = None,
    *,
    shown: View | None = None,
) -> Response:
    """Show the form of a bot as it was filled in: of a new one, or of one that is to be changed."""
    words, path = visit.words, f"{visit.base}/bots"
    action, tabs = f"{path}/new", form_links(words, f"{path}/new", form)
    title = words.gettext("Add a bot")
    lead = words.gettext("Describe how to reach the bot. Nothing is sent to it until you test it.")
    if changed:
        path = f"{path}/{changed.id}"
        action, forms = f"{path}/edit", dict.fromkeys((form_of(changed.entry), "yaml"))
        tabs = tuple(Link(form_title(words, name), f"{action}?form={name}", name == form) for name in forms)
        title = words.gettext("Edit %(name)s", name=changed.name)
        lead = words.gettext("Earlier runs keep their settings; the next run uses these.")
    view = View(
        lead=lead,
        action=action,
        cancel=path,
        tabs=tabs,
        form=form,
        groups=groups_of(words, form, values, error),
        list=f"{visit.base}/bots",
        prefix=OWN_PREFIX,
        ask=f"{action}/ask",
        console=shown or show_console(visit, None, {}, "", console.ROLES[0]),
        engines=() if changed else engines_here(rules_of(visit.request)),
        why=_why(words, values.get("why", "")),
        error=error,
    )
    return visit.page("bots/bot_form.html", title, view=view, status=400 if error else 200)


def _console_page(visit: Visit, form: Form, changed: BotRow | None = None) -> Response:
    """Show the form with what the bot answered, or with the path of the value that was clicked."""
    chosen, values = _read_form(form)
    message, raw = form.text("message", most=2_000), form.text("raw", most=console.MAX_RAW)
    role, path = form.choice("role", console.ROLES, console.ROLES[0]), form.text("path", most=1_000)
    try:
        form.check()
        if path:
            values[role.replace(".", "_")] = console.path_for(role, path)
        entry = entry_of(chosen, values, changed.entry if changed else {})
        if path and raw:
            attempt = console.read_again(entry, json.loads(raw))
        else:
            attempt = console.ask_once(visit.actor, entry, message or "hello", rules_of(visit.request))
    except ValueError:
        attempt, entry = console.Attempt(), {}
    except InputError as error:
        return _form_page(visit, chosen, values, changed, error)
    return _form_page(visit, chosen, values, changed, shown=show_console(visit, attempt, entry, message, role))


def _read_form(form: Form) -> tuple[str, dict[str, str]]:
    """Return which form was sent, and its fields as they were typed."""
    wanted = form.choice("form", tuple(bot_forms()), "http")
    chosen = wanted if wanted in bot_forms() else "http"
    return chosen, {name: form.text(name, most=bots.MAX_ENTRY) for name in (*field_names(chosen), "why")}


def _why(words: Words, value: str = "") -> Field:
    return Field("why", words.gettext("Reason"), value=value, most=1000, help=words.gettext("Shown in the history."))
