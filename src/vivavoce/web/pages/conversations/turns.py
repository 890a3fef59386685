"""Every turn and every conversation of a run: narrowed down, sorted, to be taken along."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated

from fastapi import APIRouter
from markupsafe import Markup
from starlette.responses import Response

from vivavoce.outcomes import TurnOutcome
from vivavoce.reports.conversations.transcripts import gist
from vivavoce.reports.shared.numbers import milliseconds_text
from vivavoce.reports.shared.texts import shorten
from vivavoce.store.repositories.results import SORTS, WRONG, TurnFilter
from vivavoce.store.rows import Run, TurnRow
from vivavoce.web.answers import table_file
from vivavoce.web.cells import bot_key, chip, link_cell
from vivavoce.web.language import Words
from vivavoce.web.listing import LARGEST, Listing, Number, check_ending, facet, read_listing
from vivavoce.web.pages.conversations.live import run_tabs
from vivavoce.web.parts import Choice, Column, Field, Row, hidden_field, text_columns
from vivavoce.web.progress import run_head, run_path
from vivavoce.web.rendering import Link, View
from vivavoce.web.talk_words import kind_title, outcome_mark, outcome_title, outcome_tone, reply_text, talk_path
from vivavoce.web.visits import ReaderVisit, Visit
from vivavoce.workspace.conversations import transcripts
from vivavoce.workspace.conversations.conversations import KIND
from vivavoce.workspace.exams import runs

router = APIRouter(prefix="/p/{slug}/conversations/{number}")
LETTERS = 110
ROWS = 40
# More names than this are typed: a list of them would be longer than the page.
MAX_OPTIONS = 150
COLUMNS: dict[str, Callable[[TurnRow], object]] = {
    "bot": lambda row: row.bot,
    "scenario": lambda row: row.scenario,
    "conversation": lambda row: row.script,
    "repeat": lambda row: row.repeat + 1,
    "domain": lambda row: row.domain,
    "level": lambda row: row.level,
    "turn": lambda row: row.number,
    "kind": lambda row: row.kind,
    "visitor": lambda row: row.sent,
    "bot_reply": lambda row: row.reply,
    "expected_topic": lambda row: "|".join(row.detail.get("expected", ())),
    "topic": lambda row: row.detail.get("intent") or "",
    "confidence": lambda row: row.detail.get("confidence"),
    "outcome": lambda row: row.outcome,
    "why": lambda row: "; ".join(row.detail.get("reasons", ())),
    "fallback": lambda row: "yes" if row.detail.get("fallback") else "",
    "status": lambda row: row.status,
    "first_ms": lambda row: row.first_ms,
    "attempts": lambda row: row.detail.get("attempts"),
}
ORDERS = [f"{sign}{name}" for name in SORTS for sign in ("", "-")]
NAMES = ("bot", "level", "domain", "outcome", "scenario", "kind", "search")
TurnsAsked = Annotated[Listing, read_listing(*NAMES, sort="", sorts=ORDERS, size=ROWS)]


@router.get("/turns")
def show_turns(visit: ReaderVisit, number: Number, asked: TurnsAsked) -> Response:
    """Show the turns of a run."""
    words, line = visit.words, runs.show_run(visit.store, visit.project, number, KIND)
    listing, wanted = asked.at(f"{run_path(visit.project, line.run)}/turns"), TurnFilter(**asked.filters)
    sort = asked.sort or WRONG
    page = transcripts.list_turns(visit.store, line.run, wanted, sort=sort, limit=listing.size, offset=listing.offset)
    notice = transcripts.material_of(visit.store, line.run).header.plan.notice
    titles = {"scenario": words.gettext("Scenario"), "kind": words.gettext("Message type")}
    facets = transcripts.turn_facets(visit.store, line.run, wanted)
    hidden = [
        hidden_field(name, value) for name, value in asked.chosen.items() if value and name in transcripts.FACETS
    ]
    number_of, wrong = visit.write.number, facets["outcome"][WRONG]
    turns = words.ngettext("%(num)s turn", "%(num)s turns", page.total, num=number_of(page.total))
    lead = f"{turns}."
    if page.total and not wanted.outcome:
        lead = words.gettext("%(turns)s, %(wrong)s of them wrong.", turns=turns, wrong=number_of(wrong))
    view = View(
        head=run_head(words, visit.project, line),
        lead=lead,
        crumbs=run_crumbs(visit, line.run),
        tabs=run_tabs(visit, line.run, "turns"),
        path=listing.path,
        fields=(*filter_fields(visit, line.run, asked, words.gettext("Search messages"), titles), *hidden),
        facets=_facet_groups(visit, line.run, listing, facets),
        clear=listing.path if any(asked.chosen.values()) else "",
        columns=(
            Column(words.gettext("Visitor and bot")),
            listing.column(words.gettext("Outcome"), "outcome"),
            listing.column(words.gettext("Bot and conversation"), "scenario"),
            listing.column(words.gettext("Time"), "time", number=True, down=True),
        ),
        rows=[_row(visit, line.run, row, notice) for row in page.rows],
        pager=listing.pager(page.total),
        downloads=listing.downloads(),
    )
    title = words.gettext("Turns in run %(number)s", number=number)
    return visit.page("conversations/turn_list.html", title, view=view)


def _facet_groups(visit: Visit, run: Run, listing: Listing, facets: transcripts.Facets) -> list[View]:
    words, known = visit.words, transcripts.turn_choices(visit.store, run)
    titles = {
        "outcome": words.gettext("Outcome"),
        "bot": words.gettext("Bot"),
        "level": words.gettext("Level"),
        "domain": words.gettext("Domain"),
    }
    groups = []
    for name, title in titles.items():
        values = [WRONG, *map(str, TurnOutcome)] if name == "outcome" else list(known[name])
        if 2 <= len(values) <= MAX_OPTIONS:
            names = {value: _facet_title(words, name, value) for value in values}
            looks = {WRONG: ("bad", "cross")}
            groups.append(facet(listing, name, title, names, facets[name], looks))
    return groups


def _facet_title(words: Words, name: str, value: str) -> str:
    if name == "outcome":
        return words.gettext("All wrong turns") if value == WRONG else outcome_title(words, value)
    return value.replace("_", " ") if name == "domain" else kind_title(words, value)


def _row(visit: Visit, run: Run, row: TurnRow, notice: str) -> Row:
    words = visit.words
    bots = [bot.name for bot in transcripts.material_of(visit.store, run).header.bots]
    mark = outcome_mark(words, row.outcome)
    outcome = chip(mark.text, mark.tone, mark.sign, mark.meaning)
    if outcome_tone(row.outcome) == "bad":
        why = "; ".join(map(words.said, row.detail.get("reasons", ()))) or mark.meaning
        outcome += Markup("<small>{}</small>").format(shorten(why, LETTERS))
    exchange = Markup("{}<small>{}</small>").format(
        shorten(row.sent, LETTERS), gist(reply_text(words, row), notice, LETTERS)
    )
    place = talk_path(visit.project, run, row.script, repeat=row.repeat, number=row.number)
    aside = ", ".join(filter(None, (row.domain.replace("_", " "), kind_title(words, row.level))))
    bot = bot_key(row.bot, bots.index(row.bot) if row.bot in bots else 0)
    link = link_cell(place, turn_title(words, row.script, row.number))
    where = Markup("{}<br>{}<small>{}</small>").format(bot, link, aside)
    return Row((exchange, outcome, where, milliseconds_text(row.first_ms)))


@router.get("/turns.{kind_of_file}")
def export_turns(visit: ReaderVisit, number: Number, kind_of_file: str, asked: TurnsAsked) -> Response:
    """Return the turns of a run as CSV or XLSX, narrowed down as the page is."""
    check_ending("turns", kind_of_file)
    run = runs.show_run(visit.store, visit.project, number, KIND).run
    page = transcripts.list_turns(
        visit.store, run, TurnFilter(**asked.filters), sort=asked.sort or WRONG, limit=LARGEST
    )
    rows = [[read(row) for read in COLUMNS.values()] for row in page.rows]
    return table_file(f"{visit.project.slug}-conversations-{number}-turns", kind_of_file, [*COLUMNS], rows)


def filter_fields(
    visit: Visit, run: Run, asked: Listing, search: str, titles: Mapping[str, str]
) -> tuple[Field, ...]:
    """Return the fields that narrow a list down: a search, and each name of `titles` with more than one value."""
    words, choices = visit.words, transcripts.turn_choices(visit.store, run)
    fields = [Field("search", search, "search", asked.chosen["search"], most=200, key="f")]
    for name, title in titles.items():
        values = choices[name]
        if len(values) > MAX_OPTIONS:
            fields.append(Field(name, title, "search", asked.chosen[name], most=400))
        elif len(values) > 1:
            options = (Choice(value, _facet_title(words, name, value)) for value in values)
            every = Choice("", words.gettext("all"))
            fields.append(Field(name, title, "select", asked.chosen[name], choices=(every, *options)))
    return tuple(fields)


def run_crumbs(visit: Visit, run: Run) -> tuple[Link, ...]:
    """Return the way to a page of a run: the exam, then the run."""
    words = visit.words
    exam = Link(words.gettext("Conversations"), f"{visit.base}/conversations")
    return exam, Link(words.ours(run.title), run_path(visit.project, run))


def turn_title(words: Words, script: str, number: int) -> str:
    """Return how a turn is called where others stand beside it."""
    return words.gettext("%(script)s, turn %(number)s", script=script, number=number)


TALK_COLUMNS = ("conversation", "title", "domain", "level")
TalksAsked = Annotated[Listing, read_listing("domain", "level", "search")]


@router.get("/talks")
def show_talks(visit: ReaderVisit, number: Number, asked: TalksAsked) -> Response:
    """Show the conversations of a run and how each bot fared in them."""
    words, line = visit.words, runs.show_run(visit.store, visit.project, number, KIND)
    listing = asked.at(f"{run_path(visit.project, line.run)}/talks")
    page = transcripts.list_talks(visit.store, line.run, **asked.chosen, limit=listing.size, offset=listing.offset)
    about = text_columns(words.gettext("Conversation"), words.gettext("Domain"), words.gettext("Level"))
    right = words.gettext("Checked turns that were right, over all repeats")
    titles = {"domain": words.gettext("Domain"), "level": words.gettext("Level")}
    rows = [
        Row(
            (
                link_cell(talk_path(visit.project, line.run, talk.script.id), talk.script.title or talk.script.id),
                talk.script.domain.replace("_", " "),
                kind_title(words, talk.script.level),
                *(_tally(words, talk.tallies.get(bot)) for bot in page.bots),
            )
        )
        for talk in page.lines
    ]
    view = View(
        head=run_head(words, visit.project, line),
        lead=words.ngettext(
            "%(num)s conversation, run with every bot.", "%(num)s conversations, run with every bot.", page.total
        ),
        tabs=run_tabs(visit, line.run, "talks"),
        path=listing.path,
        fields=filter_fields(visit, line.run, asked, words.gettext("Search names"), titles),
        columns=(*about, *(Column(bot, number=True, meaning=right) for bot in page.bots)),
        rows=rows,
        pager=listing.pager(page.total),
        downloads=listing.downloads(),
    )
    title = words.gettext("Conversations in run %(number)s", number=number)
    return visit.page("conversations/turns.html", title, view=view)


@router.get("/talks.{kind_of_file}")
def export_talks(visit: ReaderVisit, number: Number, kind_of_file: str, asked: TalksAsked) -> Response:
    """Return the conversations of a run as CSV or XLSX, narrowed down as the page is; two columns for each bot."""
    run = runs.show_run(visit.store, visit.project, number, KIND).run
    page, rows = transcripts.list_talks(visit.store, run, **asked.chosen, limit=LARGEST, offset=0), []
    for line in page.lines:
        tallies = [line.tallies.get(bot) for bot in page.bots]
        counts = (count for tally in tallies for count in ((tally.right, tally.counted) if tally else (None, None)))
        rows.append((line.script.id, line.script.title, line.script.domain, line.script.level, *counts))
    columns = (*TALK_COLUMNS, *(f"{bot}: {part}" for bot in page.bots for part in ("right", "checked")))
    return table_file(f"{visit.project.slug}-conversations-{number}-talks", kind_of_file, columns, rows)


def _tally(words: Words, tally: transcripts.Tally | None) -> Markup:
    if tally is None:
        return Markup('<span class="muted">{}</span>').format(words.gettext("n/a"))
    text = words.gettext("%(part)s of %(whole)s", part=tally.right, whole=tally.counted)
    tone = "good" if tally.right == tally.counted else "bad"
    return chip(text, tone)
