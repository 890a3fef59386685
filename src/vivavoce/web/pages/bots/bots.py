"""Bots: the list, one bot and what a trial of it found, the form of one, and the way out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fastapi import APIRouter
from starlette.responses import Response

from vivavoce.bots import Limits
from vivavoce.web.answers import table_file
from vivavoce.web.cells import link_cell
from vivavoce.web.conversation_forms import rules_of
from vivavoce.web.formats import Writer
from vivavoce.web.language import Words
from vivavoce.web.listing import Listing, PageNumber, Search, Word, check_ending
from vivavoce.web.pages.bots.form import form_links
from vivavoce.web.parts import Field
from vivavoce.web.progress import run_path
from vivavoce.web.rendering import View
from vivavoce.web.visits import EditorVisit, ReaderVisit, Visit
from vivavoce.workspace.access.bot_rules import entry_faults
from vivavoce.workspace.bots import bots

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
