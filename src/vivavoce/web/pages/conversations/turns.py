"""Every turn of a run of conversations: narrowed down, sorted, to be taken along."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Depends, Request
from markupsafe import Markup
from starlette.responses import Response

from vivavoce.outcomes import TurnOutcome
from vivavoce.reports.conversations.exchanges import gist
from vivavoce.reports.shared.numbers import milliseconds_text
from vivavoce.reports.shared.texts import shorten
from vivavoce.store.repositories.results import SORTS, TurnFilter
from vivavoce.store.rows import Project, Run, TurnRow
from vivavoce.web.access import InStore, ProjectInPath, Reader
from vivavoce.web.answers import page, table_file, words_of
from vivavoce.web.cells import link_cell
from vivavoce.web.language import Words
from vivavoce.web.listing import LARGEST, Listing, ListView, Number, PageNumber, Search, Word, check_ending
from vivavoce.web.pages.conversations.live import run_tabs
from vivavoce.web.parts import Choice, Column, Field, Row
from vivavoce.web.progress import RunHead, run_head, run_path
from vivavoce.web.rendering import Link
from vivavoce.web.talk_words import (
    named,
    outcome_meaning,
    outcome_title,
    outcome_tone,
    reply_text,
    talk_path,
)
from vivavoce.workspace.conversations.conversations import KIND
from vivavoce.workspace.conversations.transcripts import list_turns, material_of, turn_choices
from vivavoce.workspace.exams import runs

router = APIRouter(prefix="/p/{slug}/conversations/{number}")
LETTERS = 110
ROWS = 40
# More names than this are typed: a list of them would be longer than the page.
MOST_OPTIONS = 150
COLUMNS = (
    "bot",
    "scenario",
    "conversation",
    "repeat",
    "domain",
    "level",
    "turn",
    "kind",
    "visitor",
    "bot_reply",
    "expected_topic",
    "topic",
    "confidence",
    "outcome",
    "why",
    "fallback",
    "status",
    "first_ms",
    "attempts",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnsView(ListView):
    """Some turns or conversations of a run, and what narrows them down."""

    head: RunHead
    tabs: tuple[Link, ...]


async def _asked_turns(  # noqa: PLR0917 - what narrows a list down
    bot: Word = "",
    level: Word = "",
    domain: Word = "",
    outcome: Word = "",
    scenario: Word = "",
    kind: Word = "",
    search: Search = "",
    sort: Word = "",
    page: PageNumber = 1,
) -> Listing:
    names = {"bot": bot, "level": level, "domain": domain, "outcome": outcome, "scenario": scenario, "kind": kind}
    # An order that does not exist is none.
    known = sort if sort.removeprefix("-") in SORTS else ""
    return Listing("", {**names, "search": search}, known, page, ROWS)


TurnsAsked = Annotated[Listing, Depends(_asked_turns)]


# --- every turn --------------------------------------------------------------------------------------------------


@router.get("/turns")
def show_turns(  # noqa: PLR0917
    request: Request, who: Reader, store: InStore, project: ProjectInPath, number: Number, asked: TurnsAsked
) -> Response:
    """Show the turns of a run."""
    words, line = words_of(request), runs.show_run(store, project, number, KIND)
    listing, wanted = asked.at(f"{run_path(project, line.run)}/turns"), TurnFilter(**asked.wanted)
    found = list_turns(store, line.run, wanted, sort=asked.sort, limit=listing.size, offset=listing.offset)
    notice = material_of(store, line.run).header.plan.notice
    view = TurnsView(
        head=run_head(words, project, line),
        lead=words.ngettext("%(num)s turn.", "%(num)s turns.", found.total),
        tabs=run_tabs(words, project, line.run, "turns"),
        path=listing.path,
        fields=_fields(words, asked, turn_choices(store, line.run)),
        columns=_columns(words, listing),
        rows=tuple(_row(words, project, line.run, row, notice) for row in found.rows),
        pager=listing.pager(found.total),
        downloads=listing.downloads(),
    )
    title = words.gettext("Turns of run %(number)s", number=number)
    return page(request, "conversations/turns.html", title, view=view, project=project, section="conversations")


@router.get("/turns.{kind_of_file}")
def export_turns(  # noqa: PLR0917
    who: Reader, store: InStore, project: ProjectInPath, number: Number, kind_of_file: str, asked: TurnsAsked
) -> Response:
    """Return the turns of a run as CSV or XLSX, narrowed down as the page is."""
    check_ending("turns", kind_of_file)
    run = runs.show_run(store, project, number, KIND).run
    found = list_turns(store, run, TurnFilter(**asked.wanted), sort=asked.sort, limit=LARGEST)
    name = f"{project.slug}-conversations-{number}-turns"
    return table_file(name, kind_of_file, COLUMNS, [_cells(row) for row in found.rows])


def _fields(words: Words, asked: Listing, choices: Mapping[str, tuple[str, ...]]) -> tuple[Field, ...]:
    titles = {
        "bot": words.gettext("Bot"),
        "domain": words.gettext("Domain"),
        "level": words.gettext("Level"),
        "scenario": words.gettext("Scenario"),
        "kind": words.gettext("Kind of message"),
    }
    known = {**choices, "outcome": tuple(str(outcome) for outcome in TurnOutcome)}
    titles = {**titles, "outcome": words.gettext("Outcome")}
    search = Field(
        "search", words.gettext("Search in what was said"), "search", asked.chosen["search"], most=200, key="/"
    )
    return (
        search,
        *(select_field(words, name, titles[name], asked, known[name]) for name in titles if len(known[name]) > 1),
    )


def select_field(words: Words, name: str, title: str, asked: Listing, known: tuple[str, ...]) -> Field:
    """Return a field that narrows a list down to one of the names that are known; of many, to the one typed."""
    value = asked.chosen[name]
    if len(known) > MOST_OPTIONS:
        return Field(name, title, "search", value, most=400)
    every = Choice("", words.gettext("all"))
    options = (Choice(one, _option(words, name, one)) for one in known)
    return Field(name, title, "select", value, choices=(every, *options))


def _option(words: Words, name: str, value: str) -> str:
    if name == "outcome":
        return outcome_title(words, value)
    return value.replace("_", " ") if name == "domain" else named(words, value)


def turn_title(words: Words, script: str, number: int) -> str:
    """Return how a turn is called where others stand beside it."""
    return words.gettext("%(script)s, turn %(number)s", script=script, number=number)


def _columns(words: Words, listing: Listing) -> tuple[Column, ...]:
    return (
        Column(words.gettext("Visitor and bot")),
        listing.column(words.gettext("Outcome"), "outcome"),
        listing.column(words.gettext("Bot"), "bot"),
        listing.column(words.gettext("Conversation"), "scenario"),
        listing.column(words.gettext("Time"), "time", number=True, down=True),
    )


def _row(words: Words, project: Project, run: Run, row: TurnRow, notice: str) -> Row:
    said = Markup("{}<small>{}</small>").format(
        shorten(row.sent, LETTERS), gist(reply_text(words, row), notice, LETTERS)
    )
    place = talk_path(project, run, row.script, repeat=row.repeat, number=row.number)
    where = turn_title(words, row.script, row.number)
    # Levels and domains narrow the list down; in a line they would only make it longer.
    aside = ", ".join(part for part in (row.domain.replace("_", " "), named(words, row.level)) if part)
    talk = Markup("{}<small>{}</small>").format(link_cell(place, where), aside)
    return Row((said, _badge(words, row), row.bot, talk, milliseconds_text(row.first_ms)))


def _badge(words: Words, row: TurnRow) -> Markup:
    if not row.outcome:
        return Markup("{}").format(words.gettext("not judged yet"))
    tone, title = outcome_tone(row.outcome), outcome_title(words, row.outcome)
    shown = Markup('<span class="mark {}">{}</span>').format(tone, title)
    if tone != "bad":
        return shown
    why = "; ".join(map(words.said, row.detail.get("reasons", ()))) or outcome_meaning(words, row.outcome)
    return shown + Markup("<small>{}</small>").format(shorten(why, LETTERS))


def _cells(row: TurnRow) -> tuple[object, ...]:
    told = row.detail
    return (
        row.bot,
        row.scenario,
        row.script,
        row.repeat + 1,
        row.domain,
        row.level,
        row.number,
        row.kind,
        row.sent,
        row.reply,
        "|".join(told.get("expected", ())),
        told.get("intent") or "",
        told.get("confidence"),
        row.outcome,
        "; ".join(told.get("reasons", ())),
        "yes" if told.get("fallback") else "",
        row.status,
        row.first_ms,
        told.get("attempts"),
    )
