"""Two runs of conversations side by side: what got better, what got worse, what is new, gone or edited."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated

from fastapi import APIRouter, Query, Request
from markupsafe import Markup
from starlette.responses import Response

from vivavoce.conversations.transcript import TalkKey
from vivavoce.errors import AbsentError, InputError
from vivavoce.reports.conversations.changes import course_sentence, diff_headline, diff_remarks
from vivavoce.reports.shared.texts import shorten
from vivavoce.reports.shared.views import Cell, Cells, Table
from vivavoce.store.database import Store
from vivavoce.store.rows import Project, Run, RunState
from vivavoce.web.access import InStore, ProjectInPath, Reader
from vivavoce.web.answers import page, table_file, words_of
from vivavoce.web.cells import link_cell
from vivavoce.web.language import Words
from vivavoce.web.listing import LARGEST, Listing, PageNumber, check_ending
from vivavoce.web.pages.conversations.numbers import number_cell, number_column
from vivavoce.web.pages.conversations.turns import turn_title
from vivavoce.web.parts import Column, Field, Pager, Row, text_columns
from vivavoce.web.progress import run_choice, run_path, tab_title
from vivavoce.web.rendering import Link, View
from vivavoce.web.talk_words import outcome_title, outcome_tone, reply_text, talk_path
from vivavoce.workspace.conversations.changes import (
    SHOWN,
    ChangedTurn,
    RunChanges,
    changed_turns,
    compare_conversations,
    newest_pair,
)
from vivavoce.workspace.conversations.conversations import KIND
from vivavoce.workspace.exams import runs

# Sorted before the pages of single runs, whose addresses would take `compare` for a number.
router = APIRouter(prefix="/p/{slug}/conversations")
RunNumber = Annotated[int, Query(ge=0, le=LARGEST)]
CHOSEN_FROM = 100
SHOWN_NAMES = 100
LETTERS = 120
COLUMNS = (
    "change",
    "bot",
    "conversation",
    "repeat",
    "turn",
    "before",
    "after",
    "visitor",
    "reply_before",
    "reply_after",
)


@dataclass(frozen=True, slots=True)
class ChangesView:
    """Two runs, and what differs; `tabs` choose between what got worse and what got better."""

    fields: tuple[Field, ...]
    path: str
    lead: str
    error: InputError | None
    runs: tuple[Link, ...]
    sentences: tuple[str, ...]
    numbers: Table | None
    tabs: tuple[Link, ...]
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    pager: Pager
    downloads: tuple[Link, ...]
    lists: tuple[View, ...]
    enough: bool
    chosen_here: bool = False


@router.get("/compare")
def show_changes(  # noqa: PLR0917
    request: Request,
    who: Reader,
    store: InStore,
    project: ProjectInPath,
    a: RunNumber = 0,
    b: RunNumber = 0,
    show: Annotated[str, Query(max_length=20)] = "regressed",
    page_number: PageNumber = 1,
) -> Response:
    """Show two runs side by side."""
    words = words_of(request)
    path = f"/p/{project.slug}/conversations/compare"
    chosen_here = not (a and b)
    a, b = newest_pair(store, project) if chosen_here else (a, b)
    listing = Listing(path, {"a": str(a or ""), "b": str(b or ""), "show": show}, page=page_number)
    try:
        found = compare_conversations(store, project, a, b) if a and b else None
        view = replace(_view(words, store, project, found, listing), chosen_here=chosen_here and found is not None)
    except AbsentError:
        raise
    except InputError as error:
        view = _empty_view(words, store, project, listing, error)
    title, status = words.gettext("Compare two runs"), 400 if view.error else 200
    return page(
        request,
        "conversations/changes.html",
        title,
        view=view,
        project=project,
        section="conversations",
        status=status,
    )


@router.get("/compare.{kind_of_file}")
def export_changes(  # noqa: PLR0917
    who: Reader, store: InStore, project: ProjectInPath, kind_of_file: str, a: RunNumber, b: RunNumber
) -> Response:
    """Return every turn that came out otherwise as CSV or XLSX."""
    check_ending("compare", kind_of_file)
    found = compare_conversations(store, project, a, b)
    rows = [
        _cells(kind, one)
        for kind, changes in (("worse", found.diff.regressed), ("better", found.diff.improved))
        for start in range(0, len(changes), CHOSEN_FROM)
        for one in changed_turns(store, found, changes[start : start + CHOSEN_FROM])
    ]
    return table_file(f"{project.slug}-conversations-{a}-{b}", kind_of_file, COLUMNS, rows)


def _cells(kind: str, one: ChangedTurn) -> tuple[object, ...]:
    key, change = one.change.key, one.change
    replies = (row.reply if row else "" for row in (one.before, one.after))
    place = (kind, key.bot, key.script, key.repeat + 1, change.number)
    return (*place, str(change.before), str(change.after), _sent(one), *replies)


def _sent(one: ChangedTurn) -> str:
    return next((row.sent for row in (one.after, one.before) if row is not None), "")


# --- the page ----------------------------------------------------------------------------------------------------


def _view(words: Words, store: Store, project: Project, found: RunChanges | None, listing: Listing) -> ChangesView:
    if found is None:
        return _empty_view(words, store, project, listing, None)
    diff = found.diff
    better = listing.chosen["show"] == "improved"
    changes = diff.improved if better else diff.regressed
    shown = changed_turns(store, found, listing.cut(changes))
    return ChangesView(
        fields=_fields(words, store, project, listing),
        path=listing.path,
        lead=words.said(diff_headline(diff)),
        error=None,
        runs=tuple(Link(tab_title(words, run), run_path(project, run)) for run in (found.a, found.b)),
        sentences=tuple(map(words.said, (*map(course_sentence, diff.comparisons), *diff_remarks(diff)))),
        numbers=_numbers(words, found),
        tabs=_tabs(words, listing, found, better),
        columns=_columns(words),
        rows=tuple(_row(words, project, found, one) for one in shown),
        pager=listing.pager(len(changes)),
        downloads=listing.downloads(),
        lists=tuple(_lists(words, project, found)),
        enough=True,
    )


def _empty_view(
    words: Words, store: Store, project: Project, listing: Listing, error: InputError | None
) -> ChangesView:
    fields = _fields(words, store, project, listing)
    return ChangesView(
        fields=fields,
        path=listing.path,
        lead=words.gettext("Choose an earlier and a later run to see which turns got better or worse."),
        error=error,
        runs=(),
        sentences=(),
        numbers=None,
        tabs=(),
        columns=(),
        rows=(),
        pager=Pager(1, 1, 0),
        downloads=(),
        lists=(),
        enough=len(fields[0].choices) > 1,
    )


def _fields(words: Words, store: Store, project: Project, listing: Listing) -> tuple[Field, ...]:
    found = runs.list_runs(store, project, kind=KIND, state=RunState.DONE, limit=CHOSEN_FROM)
    options = tuple(run_choice(words, line.run) for line in found.lines)
    return (
        Field("a", words.gettext("Earlier run"), "select", listing.chosen["a"], choices=options[1:] + options[:1]),
        Field("b", words.gettext("Later run"), "select", listing.chosen["b"], choices=options),
    )


def _numbers(words: Words, found: RunChanges) -> Table:
    rows: list[Cells] = []
    earlier, later = (words.gettext("run %(number)s", number=run.number) for run in (found.a, found.b))
    for bot in dict.fromkeys(one.bot for one in found.numbers):
        of_bot = [one for one in found.numbers if one.bot == bot]
        before = (number_cell(words, one.name, one.before) for one in of_bot)
        after = (number_cell(words, one.name, one.after) for one in of_bot)
        rows.append((Cell(bot, earlier, css="whole"), *before))
        rows.append((Cell(words.gettext("later"), later, css="level"), *after))
    columns = (*text_columns(words.gettext("Bot and run")), *(number_column(words, name) for name in SHOWN))
    return Table(words.gettext("Each bot in both runs, over everything"), columns, rows)


def _tabs(words: Words, listing: Listing, found: RunChanges, better: bool) -> tuple[Link, ...]:
    worse_title = words.gettext("Got worse (%(count)s)", count=len(found.diff.regressed))
    better_title = words.gettext("Got better (%(count)s)", count=len(found.diff.improved))
    return (
        Link(worse_title, listing.address(show="regressed"), not better),
        Link(better_title, listing.address(show="improved"), better),
    )


def _columns(words: Words) -> tuple[Column, ...]:
    return text_columns(
        words.gettext("Visitor"),
        words.gettext("Before"),
        words.gettext("After"),
        words.gettext("Bot"),
        words.gettext("Conversation"),
    )


def _row(words: Words, project: Project, found: RunChanges, one: ChangedTurn) -> Row:
    change, key = one.change, one.change.key
    where = turn_title(words, key.script, change.number)
    place = talk_path(project, found.b, key.script, repeat=key.repeat, number=change.number)
    sides = [
        _side(words, str(outcome), reply_text(words, row) if row else "")
        for outcome, row in ((change.before, one.before), (change.after, one.after))
    ]
    return Row((shorten(_sent(one), LETTERS), *sides, key.bot, link_cell(place, where)))


def _side(words: Words, outcome: str, reply: str) -> Markup:
    mark = Markup('<span class="mark {}">{}</span>').format(outcome_tone(outcome), outcome_title(words, outcome))
    return mark + Markup("<small>{}</small>").format(shorten(reply, LETTERS))


def _lists(words: Words, project: Project, found: RunChanges) -> Sequence[View]:
    diff = found.diff
    lists = [
        _names(words.gettext("Only in the later run"), words, project, found.b, diff.new),
        _names(words.gettext("Only in the earlier run"), words, project, found.a, diff.gone),
    ]
    edited = tuple(Link(name, talk_path(project, found.b, name)) for name in diff.edited[:SHOWN_NAMES])
    lists.append(
        View(
            title=words.gettext("Edited between the runs, and left out"),
            links=edited,
            left=len(diff.edited) - len(edited),
        )
    )
    return [one for one in lists if one.links]


def _names(title: str, words: Words, project: Project, run: Run, places: Sequence[tuple[TalkKey, int]]) -> View:
    links = tuple(
        Link(turn_title(words, key.script, number), talk_path(project, run, key.script, number=number))
        for key, number in places[:SHOWN_NAMES]
    )
    return View(title=title, links=links, left=len(places) - len(links))
