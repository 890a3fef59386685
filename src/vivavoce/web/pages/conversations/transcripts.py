"""What was said in a run: the list of conversations, and one of them with every bot side by side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Annotated

from fastapi import APIRouter, Depends, Request
from markupsafe import Markup
from starlette.responses import Response

from vivavoce.conversations.scenario import Kind
from vivavoce.outcomes import TurnOutcome
from vivavoce.store.rows import Project, Run, TurnRow
from vivavoce.web.access import InStore, ProjectInPath, Reader
from vivavoce.web.answers import page, table_file, words_of
from vivavoce.web.cells import link_cell
from vivavoce.web.language import Words
from vivavoce.web.listing import LARGEST, Listing, Number, PageNumber, Search, Word
from vivavoce.web.pages.conversations.live import Repeat, run_tabs
from vivavoce.web.pages.conversations.turns import TurnsView, select_field
from vivavoce.web.parts import Column, Field, Row, Turn, text_columns
from vivavoce.web.progress import run_head, run_path
from vivavoce.web.rendering import Link, View
from vivavoce.web.talk_words import (
    bot_turn,
    expected_text,
    named,
    talk_path,
)
from vivavoce.workspace.conversations import transcripts
from vivavoce.workspace.conversations.conversations import KIND
from vivavoce.workspace.conversations.transcripts import Talk, TalkLine, find_talk, list_talks, turn_choices
from vivavoce.workspace.exams import runs

router = APIRouter(prefix="/p/{slug}/conversations/{number}")
TALK_COLUMNS = ("conversation", "title", "domain", "level")


# --- the conversations -------------------------------------------------------------------------------------------


async def _asked_talks(domain: Word = "", level: Word = "", search: Search = "", page: PageNumber = 1) -> Listing:
    return Listing("", {"domain": domain, "level": level, "search": search}, page=page)


TalksAsked = Annotated[Listing, Depends(_asked_talks)]


@router.get("/talks")
def show_talks(  # noqa: PLR0917
    request: Request, who: Reader, store: InStore, project: ProjectInPath, number: Number, asked: TalksAsked
) -> Response:
    """Show the conversations of a run and how each bot fared in them."""
    words, line = words_of(request), runs.show_run(store, project, number, KIND)
    listing = asked.at(f"{run_path(project, line.run)}/talks")
    found = list_talks(store, line.run, **asked.chosen, limit=listing.size, offset=listing.offset)
    view = TurnsView(
        head=run_head(words, project, line),
        lead=words.ngettext(
            "%(num)s conversation, held with every bot.",
            "%(num)s conversations, held with every bot.",
            found.total,
        ),
        tabs=run_tabs(words, project, line.run, "talks"),
        path=listing.path,
        fields=_talk_fields(words, asked, turn_choices(store, line.run)),
        columns=_talk_columns(words, found.bots),
        rows=tuple(_talk_row(words, project, line.run, one, found.bots) for one in found.lines),
        pager=listing.pager(found.total),
        downloads=listing.downloads(),
    )
    title = words.gettext("Conversations of run %(number)s", number=number)
    return page(request, "conversations/turns.html", title, view=view, project=project, section="conversations")


@router.get("/talks.{kind_of_file}")
def export_talks(  # noqa: PLR0917
    who: Reader, store: InStore, project: ProjectInPath, number: Number, kind_of_file: str, asked: TalksAsked
) -> Response:
    """Return the conversations of a run as CSV or XLSX, narrowed down as the page is; two columns for each bot."""
    run = runs.show_run(store, project, number, KIND).run
    found = list_talks(store, run, **asked.chosen, limit=LARGEST, offset=0)
    counts = (f"{bot}: {part}" for bot in found.bots for part in ("right", "checked"))
    rows = [_talk_cells(line, found.bots) for line in found.lines]
    name = f"{project.slug}-conversations-{number}-talks"
    return table_file(name, kind_of_file, (*TALK_COLUMNS, *counts), rows)


def _talk_cells(line: TalkLine, bots: tuple[str, ...]) -> tuple[object, ...]:
    about = (line.script.id, line.script.title, line.script.domain, line.script.level)
    tallies = (line.tallies.get(bot) for bot in bots)
    counts = ((one.right, one.counted) if one else (None, None) for one in tallies)
    return (*about, *(count for pair in counts for count in pair))


def _talk_fields(words: Words, asked: Listing, choices: Mapping[str, tuple[str, ...]]) -> tuple[Field, ...]:
    titles = {"domain": words.gettext("Domain"), "level": words.gettext("Level")}
    search = Field("search", words.gettext("Search in names"), "search", asked.chosen["search"], most=200, key="/")
    return (
        search,
        *(select_field(words, name, titles[name], asked, choices[name]) for name in titles if len(choices[name]) > 1),
    )


def _talk_columns(words: Words, bots: tuple[str, ...]) -> tuple[Column, ...]:
    about = text_columns(words.gettext("Conversation"), words.gettext("Domain"), words.gettext("Level"))
    right = words.gettext("Checked turns that went as they should, over all repeats")
    return (*about, *(Column(bot, number=True, meaning=right) for bot in bots))


def _talk_row(words: Words, project: Project, run: Run, line: TalkLine, bots: tuple[str, ...]) -> Row:
    script = line.script
    name = link_cell(talk_path(project, run, script.id), script.title or script.id)
    marks = (_tally(words, line.tallies.get(bot)) for bot in bots)
    return Row((name, script.domain.replace("_", " "), named(words, script.level), *marks))


def _tally(words: Words, tally: transcripts.Tally | None) -> Markup:
    if tally is None:
        return Markup('<span class="muted">{}</span>').format(words.gettext("n/a"))
    said = words.gettext("%(part)s of %(whole)s", part=tally.right, whole=tally.counted)
    tone = "good" if tally.right == tally.counted else "bad"
    return Markup('<span class="mark {}">{}</span>').format(tone, said)


# --- one conversation --------------------------------------------------------------------------------------------


@router.get("/talks/{script:path}")
def show_talk(  # noqa: PLR0917
    request: Request,
    who: Reader,
    store: InStore,
    project: ProjectInPath,
    number: Number,
    script: str,
    repeat: Repeat = 1,
    page_number: PageNumber = 1,
) -> Response:
    """Show a conversation with every bot side by side."""
    words, line = words_of(request), runs.show_run(store, project, number, KIND)
    talk = find_talk(store, line.run, script, repeat=repeat - 1, page=page_number)
    view = _talk_view(words, project, line, talk)
    return page(request, "conversations/talk.html", view.title, view=view, project=project, section="conversations")


def _talk_view(words: Words, project: Project, line: runs.RunLine, talk: Talk) -> View:
    run, script = line.run, talk.script
    parts = (script.domain.replace("_", " "), named(words, script.level), script.id)
    listing = Listing(talk_path(project, run, script.id), {"repeat": str(talk.repeat + 1)}, page=talk.page, size=1)

    def other(name: str, title: str, key: str) -> Link | None:
        return Link(title, talk_path(project, run, name), key=key) if name else None

    return View(
        head=run_head(words, project, line),
        lead=_talk_lead(words, talk),
        tabs=run_tabs(words, project, run, "talks"),
        title=script.title or script.id,
        about=", ".join(part for part in parts if part),
        repeats=_repeats(words, project, run, talk),
        previous=other(talk.previous, words.gettext("Previous conversation"), "p"),
        next=other(talk.next, words.gettext("Next conversation"), "n"),
        rounds=tuple(_rounds(words, talk)),
        pager=listing.pager(talk.pages),
    )


def _repeats(words: Words, project: Project, run: Run, talk: Talk) -> tuple[Link, ...]:
    if talk.repeats < 2:
        return ()
    return tuple(
        Link(
            words.gettext("Repeat %(number)s", number=place + 1),
            talk_path(project, run, talk.script.id, repeat=place),
            place == talk.repeat,
        )
        for place in range(talk.repeats)
    )


def _talk_lead(words: Words, talk: Talk) -> str:
    said = []
    for bot in talk.bots:
        judged = [row for row in talk.rows.get(bot, {}).values() if row.outcome]
        counted = [TurnOutcome(row.outcome) for row in judged if TurnOutcome(row.outcome).counted]
        right = sum(outcome.passed for outcome in counted)
        fared = words.gettext("%(part)s of %(whole)s", part=right, whole=len(counted))
        said.append(f"{bot}: {fared if counted else words.gettext('n/a')}")
    return words.gettext("Turns right: %(bots)s.", bots=", ".join(said))


def _rounds(words: Words, talk: Talk) -> Iterator[View]:
    for turn in talk.turns:
        rows = [talk.rows.get(bot, {}).get(turn.number) for bot in talk.bots]
        said = next((row.sent for row in rows if row is not None), turn.text)
        replies = tuple(_reply(words, bot, row) for bot, row in zip(talk.bots, rows, strict=True))
        kind = "" if turn.kind is Kind.CLEAN else named(words, str(turn.kind))
        yield View(
            number=turn.number, said=said, kind=kind, expected=expected_text(words, turn.expect), replies=replies
        )


def _reply(words: Words, bot: str, row: TurnRow | None) -> Turn:
    if row is None:
        return Turn(words.gettext("(not said yet)"), name=bot)
    return replace(bot_turn(words, row), name=bot)
