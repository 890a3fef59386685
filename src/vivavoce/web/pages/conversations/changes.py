"""Two runs of conversations side by side: what got better, what got worse, what is new, gone or edited."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from markupsafe import Markup
from starlette.responses import Response

from vivavoce.errors import AbsentError, InputError
from vivavoce.reports.conversations.wording import course_sentence, diff_headline, diff_remarks
from vivavoce.reports.shared.texts import shorten
from vivavoce.reports.shared.views import Cell, Cells, Table
from vivavoce.store.rows import RunState
from vivavoce.web.answers import table_file
from vivavoce.web.cells import chip, link_cell
from vivavoce.web.language import Words
from vivavoce.web.listing import LARGEST, Listing, PageNumber, check_ending
from vivavoce.web.pages.conversations.numbers import number_cell, number_column
from vivavoce.web.pages.conversations.turns import turn_title
from vivavoce.web.parts import Field, Row, text_columns
from vivavoce.web.progress import run_choice, run_path, tab_title
from vivavoce.web.rendering import Link, View
from vivavoce.web.talk_words import outcome_title, outcome_tone, reply_text, talk_path
from vivavoce.web.visits import ReaderVisit, Visit
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


@router.get("/compare")
def show_changes(
    visit: ReaderVisit,
    a: RunNumber = 0,
    b: RunNumber = 0,
    show: Annotated[str, Query(max_length=20)] = "regressed",
    page_number: PageNumber = 1,
) -> Response:
    """Show two runs side by side."""
    words, error = visit.words, None
    chosen_here = not (a and b)
    a, b = newest_pair(visit.store, visit.project) if chosen_here else (a, b)
    chosen = {"a": str(a or ""), "b": str(b or ""), "show": show}
    listing = Listing(f"{visit.base}/conversations/compare", chosen, page=page_number)
    finished = runs.list_runs(visit.store, visit.project, kind=KIND, state=RunState.DONE, limit=CHOSEN_FROM)
    options = tuple(run_choice(words, line.run) for line in finished.lines)
    part: dict[str, object] = {}
    try:
        if a and b:
            changes = compare_conversations(visit.store, visit.project, a, b)
            part = _changes_part(visit, changes, listing) | {"chosen_here": chosen_here}
    except AbsentError:
        raise
    except InputError as refusal:
        error = refusal
    start = words.gettext("Choose an earlier and a later run to see which turns got better or worse.")
    fields = (
        Field("a", words.gettext("Earlier run"), "select", chosen["a"], choices=options[1:] + options[:1]),
        Field("b", words.gettext("Later run"), "select", chosen["b"], choices=options),
    )
    result = part or {"lead": start, "runs": (), "enough": len(options) > 1}
    exam = Link(words.gettext("Conversations"), f"{visit.base}/conversations")
    begin = Link(words.gettext("Start a run"), exam.href)
    view = View(fields=fields, path=listing.path, crumbs=(exam,), start=begin, error=error, **result)
    title, status = words.gettext("Compare two runs"), 400 if error else 200
    return visit.page("conversations/changes.html", title, view=view, status=status)


@router.get("/compare.{kind_of_file}")
def export_changes(visit: ReaderVisit, kind_of_file: str, a: RunNumber, b: RunNumber) -> Response:
    """Return every turn with another outcome as CSV or XLSX."""
    check_ending("compare", kind_of_file)
    compared, rows = compare_conversations(visit.store, visit.project, a, b), []
    for kind, changes in (("worse", compared.diff.regressed), ("better", compared.diff.improved)):
        for start in range(0, len(changes), CHOSEN_FROM):
            for turn in changed_turns(visit.store, compared, changes[start : start + CHOSEN_FROM]):
                change, key = turn.change, turn.change.key
                place = (kind, key.bot, key.script, key.repeat + 1, change.number)
                replies = (row.reply if row else "" for row in (turn.before, turn.after))
                rows.append((*place, str(change.before), str(change.after), _message_of(turn), *replies))
    return table_file(f"{visit.project.slug}-conversations-{a}-{b}", kind_of_file, COLUMNS, rows)


def _message_of(turn: ChangedTurn) -> str:
    return next((row.sent for row in (turn.after, turn.before) if row is not None), "")


# --- the page ----------------------------------------------------------------------------------------------------


def _changes_part(visit: Visit, compared: RunChanges, listing: Listing) -> dict[str, object]:
    words, diff = visit.words, compared.diff
    better = listing.chosen["show"] == "improved"
    changes = diff.improved if better else diff.regressed
    worse_title = words.gettext("Worse (%(count)s)", count=len(diff.regressed))
    better_title = words.gettext("Better (%(count)s)", count=len(diff.improved))
    return {
        "lead": words.said(diff_headline(diff)),
        "tally": (len(diff.regressed), len(diff.improved)),
        "worse": words.ngettext("%(num)s turn got worse", "%(num)s turns got worse", len(diff.regressed)),
        "better": words.ngettext("%(num)s turn got better", "%(num)s turns got better", len(diff.improved)),
        "runs": [Link(tab_title(words, run), run_path(visit.project, run)) for run in (compared.a, compared.b)],
        "sentences": [words.said(text) for text in (*map(course_sentence, diff.comparisons), *diff_remarks(diff))],
        "numbers": _numbers(words, compared),
        "tabs": (
            Link(worse_title, listing.address(show="regressed"), not better),
            Link(better_title, listing.address(show="improved"), better),
        ),
        "columns": text_columns(
            words.gettext("Visitor"),
            words.gettext("Before"),
            words.gettext("After"),
            words.gettext("Bot"),
            words.gettext("Conversation"),
        ),
        "rows": [_row(visit, compared, turn) for turn in changed_turns(visit.store, compared, listing.cut(changes))],
        "pager": listing.pager(len(changes)),
        "downloads": listing.downloads(),
        "lists": _name_lists(visit, compared),
        "enough": True,
    }


def _numbers(words: Words, compared: RunChanges) -> Table:
    rows: list[Cells] = []
    earlier, later = (words.gettext("run %(number)s", number=run.number) for run in (compared.a, compared.b))
    for bot in {**compared.after, **compared.before}:
        before, after = (
            [number_cell(words, name, rates.get(bot, {}).get(name)) for name in SHOWN]
            for rates in (compared.before, compared.after)
        )
        rows.append((Cell(bot, earlier, css="whole"), *before))
        rows.append((Cell(words.gettext("later"), later, css="level"), *after))
    columns = (*text_columns(words.gettext("Bot and run")), *(number_column(words, name) for name in SHOWN))
    return Table(words.gettext("Each bot in both runs, overall"), columns, rows)


def _row(visit: Visit, compared: RunChanges, turn: ChangedTurn) -> Row:
    words, change, key = visit.words, turn.change, turn.change.key
    where = turn_title(words, key.script, change.number)
    place = talk_path(visit.project, compared.b, key.script, repeat=key.repeat, number=change.number)
    sides = (
        Markup("{}<small>{}</small>").format(
            chip(outcome_title(words, outcome), outcome_tone(outcome)),
            shorten(reply_text(words, row), LETTERS) if row else "",
        )
        for outcome, row in ((str(change.before), turn.before), (str(change.after), turn.after))
    )
    return Row((shorten(_message_of(turn), LETTERS), *sides, key.bot, link_cell(place, where)))


def _name_lists(visit: Visit, compared: RunChanges) -> list[View]:
    """Return the turns and conversations that only one run has, or that were edited in between."""
    words, diff = visit.words, compared.diff
    new, gone = (
        [
            Link(turn_title(words, key.script, number), talk_path(visit.project, run, key.script, number=number))
            for key, number in places[:SHOWN_NAMES]
        ]
        for run, places in ((compared.b, diff.new), (compared.a, diff.gone))
    )
    edited = [Link(name, talk_path(visit.project, compared.b, name)) for name in diff.edited[:SHOWN_NAMES]]
    lists = (
        (words.gettext("Only in the later run"), new, len(diff.new)),
        (words.gettext("Only in the earlier run"), gone, len(diff.gone)),
        (words.gettext("Edited between the runs, not compared"), edited, len(diff.edited)),
    )
    return [View(title=title, links=links, left=n - len(links)) for title, links, n in lists if links]
