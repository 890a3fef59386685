"""Bots: the list, one bot and what a trial of it found, the form of one, and the way out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from vivavoce.bots import Limits
from vivavoce.errors import Fault
from vivavoce.store.rows import Project
from vivavoce.web.access import Editor, InStore, ProjectInPath, Reader
from vivavoce.web.answers import page, table_file, words_of
from vivavoce.web.cells import link_cell
from vivavoce.web.conversation_forms import rules_of
from vivavoce.web.formats import Writer
from vivavoce.web.language import Words
from vivavoce.web.listing import Listing, ListView, PageNumber, Search, Word, check_ending
from vivavoce.web.pages.bots.form import form_links
from vivavoce.web.parts import Column, Field, Row
from vivavoce.web.progress import run_path
from vivavoce.web.rendering import Link
from vivavoce.workspace.access.bot_rules import entry_faults
from vivavoce.workspace.bots import bots

router = APIRouter(prefix="/p/{slug}/bots")
COLUMNS = ("name", "kind", "address", "at once", "per second", "timeout (s)", "retries", "last run")


@dataclass(frozen=True, slots=True, kw_only=True)
class BotsView(ListView):
    """The bots of a project. `any`: there are bots at all."""

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


# --- looking -----------------------------------------------------------------------------------------------------


@router.get("")
def show_bots(  # noqa: PLR0917
    request: Request,
    who: Reader,
    store: InStore,
    project: ProjectInPath,
    q: Search = "",
    sort: Word = "name",
    page_number: PageNumber = 1,
) -> Response:
    """Show the bots of a project."""
    words = words_of(request)
    every = bots.list_bots(store, project)
    listing = Listing(f"/p/{project.slug}/bots", {"q": q}, sort, page_number)
    found = _sorted([line for line in every if _holds(line, q)], sort)
    view = BotsView(
        lead=_lead(words, every),
        path=listing.path,
        fields=(Field("q", words.gettext("Search"), "search", q, key="/"),),
        columns=_columns(words, listing),
        rows=tuple(_row(words, project, line) for line in listing.cut(found)),
        pager=listing.pager(len(found)),
        downloads=listing.downloads(),
        any=bool(every),
        forms=form_links(words, f"{listing.path}/new", ""),
    )
    return page(request, "bots/bots.html", words.gettext("Bots"), view=view, project=project, section="bots")


@router.get(".{kind}")
def export_bots(who: Reader, store: InStore, project: ProjectInPath, kind: str, q: Search = "") -> Response:
    """Return the list of bots as CSV or XLSX."""
    check_ending("bots", kind)
    found = [line for line in bots.list_bots(store, project) if _holds(line, q)]
    return table_file(f"{project.slug}-bots", kind, COLUMNS, [_cells(line) for line in found])


@router.get("/{bot_id}")
def show_bot(request: Request, who: Reader, store: InStore, project: ProjectInPath, bot_id: str) -> Response:
    """Show a bot."""
    return _bot_page(request, project, bots.show_bot(store, project, bot_id))


@router.post("/{bot_id}/test")
def try_bot(request: Request, who: Editor, store: InStore, project: ProjectInPath, bot_id: str) -> Response:
    """Try a bot out and show what was found."""
    report = bots.try_bot(store, who.actor, project, bot_id, rules_of(request))
    return _bot_page(request, project, bots.show_bot(store, project, bot_id), report)


# --- the list ----------------------------------------------------------------------------------------------------


def limits_text(words: Words, limits: Limits) -> str:
    """Return the limits of a bot in words."""
    writer = Writer(words)
    said = [words.ngettext("%(num)s talk at once", "%(num)s talks at once", limits.at_once)]
    if limits.per_second is not None:
        said.append(_pace_text(words, limits.per_second))
    said.append(words.gettext("%(time)s for a reply", time=writer.duration(limits.timeout_s)))
    return ", ".join(said)


def _pace_text(words: Words, pace: float) -> str:
    if pace == int(pace):
        return words.ngettext("%(num)s message a second", "%(num)s messages a second", int(pace))
    return words.gettext("%(pace)s messages a second", pace=Writer(words).number(pace, 2))


def _lead(words: Words, every: tuple[bots.BotLine, ...]) -> str:
    if not every:
        return words.gettext("No bot is connected yet.")
    counted = words.ngettext("%(num)s bot can be examined", "%(num)s bots can be examined", len(every))
    never = sum(line.last_run is None for line in every)
    if not never:
        return words.gettext("%(counted)s; all of them were.", counted=counted)
    return words.ngettext(
        "%(counted)s; %(num)s of them never was.", "%(counted)s; %(num)s of them never were.", never, counted=counted
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
    name = link_cell(f"/p/{project.slug}/bots/{line.bot.id}", line.bot.name)
    limits = limits_text(words, line.limits)
    return Row(
        (name, line.kind, line.address or words.gettext("in this program"), limits, _last(words, project, line))
    )


def _last(words: Words, project: Project, line: bots.BotLine) -> object:
    if line.last_run is None:
        return words.gettext("never")
    when = Writer(words).ago(line.last_run.created)
    return link_cell(run_path(project, line.last_run), when)


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
    about = str(row.entry.get("about") or "")
    facts: tuple[tuple[str, object], ...] = (
        *(((words.gettext("What it is"), about),) if about else ()),
        (words.gettext("Kind"), line.kind),
        (words.gettext("Address"), line.address or words.gettext("in this program")),
        (words.gettext("Limits"), limits_text(words, line.limits)),
        (words.gettext("Last run"), _last(words, project, line)),
        (words.gettext("Added"), Writer(words).ago(row.created)),
    )
    faults = entry_faults(row.name, row.entry, rules_of(request))
    view = BotView(
        line,
        _state(words, bool(faults), report),
        f"/p/{project.slug}/bots/{row.id}",
        facts,
        bots.entry_text(row.entry),
        faults,
        report,
        _found(words, report),
    )
    return page(request, "bots/bot.html", row.name, view=view, project=project, section="bots")


def _state(words: Words, faulty: bool, report: bots.BotReport | None) -> str:
    """Return how the bot stands in one sentence: what was tried says more than what is written."""
    if report is not None and not report.passed:
        return words.gettext("The test found that this bot is not ready for an exam.")
    if faulty:
        return words.gettext("This bot cannot be used as it is.")
    if report is not None:
        return words.gettext("This bot is ready for an exam.")
    return words.gettext("The entry of this bot is in order; a test shows whether it answers.")


def _found(words: Words, report: bots.BotReport | None) -> str:
    """Return what a trial came to in one sentence, with counts."""
    if report is None:
        return ""
    failed, number = sum(not one.passed for one in report.checks), Writer(words).number
    if failed:
        return words.ngettext(
            "%(failed)s of %(num)s check failed.", "%(failed)s of %(num)s checks failed.", len(report.checks),
            failed=number(failed),
        )  # fmt: skip
    if report.typical_s is None:
        return words.gettext("All checks went well.")
    typical = Writer(words).duration(report.typical_s)
    return words.gettext("All checks went well; a reply usually takes %(time)s.", time=typical)
