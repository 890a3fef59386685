"""The conversations of a run, and how each bot fared in them."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends
from markupsafe import Markup
from starlette.responses import Response

from vivavoce.web.answers import table_file
from vivavoce.web.cells import chip, link_cell
from vivavoce.web.language import Words
from vivavoce.web.listing import LARGEST, Listing, Number, PageNumber, Search, Word
from vivavoce.web.pages.conversations.live import run_tabs
from vivavoce.web.pages.conversations.turns import filter_fields
from vivavoce.web.parts import Column, Row, text_columns
from vivavoce.web.progress import run_head, run_path
from vivavoce.web.rendering import View
from vivavoce.web.talk_words import (
    named,
    talk_path,
)
from vivavoce.web.visits import ReaderVisit
from vivavoce.workspace.conversations import transcripts
from vivavoce.workspace.conversations.conversations import KIND
from vivavoce.workspace.conversations.transcripts import list_talks
from vivavoce.workspace.exams import runs

router = APIRouter(prefix="/p/{slug}/conversations/{number}")
TALK_COLUMNS = ("conversation", "title", "domain", "level")


async def _asked_talks(domain: Word = "", level: Word = "", search: Search = "", page: PageNumber = 1) -> Listing:
    return Listing("", {"domain": domain, "level": level, "search": search}, page=page)


TalksAsked = Annotated[Listing, Depends(_asked_talks)]


@router.get("/talks")
def show_talks(visit: ReaderVisit, number: Number, asked: TalksAsked) -> Response:
    """Show the conversations of a run and how each bot fared in them."""
    words, line = visit.words, runs.show_run(visit.store, visit.project, number, KIND)
    listing = asked.at(f"{run_path(visit.project, line.run)}/talks")
    page = list_talks(visit.store, line.run, **asked.chosen, limit=listing.size, offset=listing.offset)
    about = text_columns(words.gettext("Conversation"), words.gettext("Domain"), words.gettext("Level"))
    right = words.gettext("Checked turns that were right, over all repeats")
    titles = {"domain": words.gettext("Domain"), "level": words.gettext("Level")}
    rows = [
        Row(
            (
                link_cell(talk_path(visit.project, line.run, talk.script.id), talk.script.title or talk.script.id),
                talk.script.domain.replace("_", " "),
                named(words, talk.script.level),
                *(_tally(words, talk.tallies.get(bot)) for bot in page.bots),
            )
        )
        for talk in page.lines
    ]
    view = View(
        head=run_head(words, visit.project, line),
        lead=words.ngettext(
            "%(num)s conversation, held with every bot.",
            "%(num)s conversations, held with every bot.",
            page.total,
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
    page, rows = list_talks(visit.store, run, **asked.chosen, limit=LARGEST, offset=0), []
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
