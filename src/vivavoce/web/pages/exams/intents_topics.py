"""What an intents exam found out about topics, and which of them are taken for which."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Depends
from markupsafe import Markup
from starlette.responses import Response

from vivavoce.reports.intents.meanings import MEASURES
from vivavoce.web.cells import link_cell, rate_cell
from vivavoce.web.figures import drawn
from vivavoce.web.formats import Writer
from vivavoce.web.language import Words
from vivavoce.web.listing import Listing, Number, PageNumber, Search, Word
from vivavoce.web.pages.exams.findings import findings_file, findings_page
from vivavoce.web.pages.exams.intents_heat import CellAsked, heat_view
from vivavoce.web.parts import Column, Field, Row, hidden_field, named_choices, number_columns, text_columns
from vivavoce.web.progress import run_path
from vivavoce.web.visits import ReaderVisit
from vivavoce.workspace.exams import intents, runs

if TYPE_CHECKING:
    from vivavoce.intents.findings import ConfusionCell, IntentFindings
    from vivavoce.intents.result import IntentsResult

router = APIRouter(prefix="/p/{slug}/intents/{number:int}")
TOPIC_COLUMNS = (
    "topic",
    "examples",
    "found",
    "found_low",
    "found_high",
    "tests",
    "right_when_used",
    "deferred",
    "f1",
    "attracted",
)
# The tables above are heavy; the list below them is short.
SHOWN_MISTAKES = 25
SHOWN_GROUPS = 12
CONFUSION_COLUMNS = ("true_topic", "guess", "answered", "deferred")


async def _asked_topics(search: Search = "", sort: Word = "found", page: PageNumber = 1) -> Listing:
    return Listing("", {"search": search}, sort, page)


TopicsAsked = Annotated[Listing, Depends(_asked_topics)]


@router.get("/topics")
def show_topics(visit: ReaderVisit, number: Number, asked: TopicsAsked) -> Response:
    """Show how each topic fared, the weakest first."""
    words, line = visit.words, runs.show_run(visit.store, visit.project, number, intents.KIND)
    result, base = intents.intents_result(visit.store, line.run), run_path(visit.project, line.run)
    listing, search = asked.at(f"{base}/topics"), asked.chosen["search"]
    topics = intents.topic_lines(result, search=search, sort=asked.sort)
    undrawn = _why_undrawn(words, result)
    figure = None if undrawn else drawn(visit.store, visit.project, line.run, "topics")

    def column(measure: str, name: str, *, down: bool = False) -> Column:
        title, meaning = map(words.said, (MEASURES[measure].title, MEASURES[measure].meaning))
        return listing.column(title, name, number=True, meaning=meaning, down=down)

    return findings_page(
        visit,
        line,
        listing,
        len(topics),
        title=words.gettext("Topics"),
        tab="topics",
        lead=words.ngettext("%(num)s topic examined.", "%(num)s topics examined.", len(topics)),
        fields=(Field("search", words.gettext("Topic"), "search", search), hidden_field("sort", asked.sort)),
        caption=words.gettext("Results by topic, with every topic known"),
        columns=(
            listing.column(words.gettext("Topic"), "name"),
            column("examples", "examples", down=True),
            column("recall", "found"),
            column("deferred", "deferred", down=True),
            column("precision", "right"),
            column("f1", "f1"),
            column("attracted", "attracted", down=True),
        ),
        rows=[_topic_row(visit, base, topic) for topic in listing.cut(topics)],
        figures=(figure,) if figure else (),
        undrawn=undrawn,
    )


def _topic_row(visit: ReaderVisit, base: str, topic: IntentFindings) -> Row:
    words, write = visit.words, visit.write.number
    return Row(
        (
            link_cell(f"{base}/questions?{urlencode({'intent': topic.intent})}", topic.intent),
            write(topic.examples),
            *(rate_cell(words, rate) for rate in (topic.recall, topic.deferred, topic.precision)),
            write(topic.f1, 2),
            write(topic.attracted),
        )
    )


def _why_undrawn(words: Words, result: IntentsResult) -> str:
    """Say why there is no chart of the weakest topics; nothing where there is one."""
    from vivavoce.intents.problems import ENOUGH_TESTED, weakest_topics
    from vivavoce.reports.intents.choices import count_untested

    first = next(iter(result.settings), None)
    if first is None or weakest_topics(first, 1):
        return ""
    if count_untested(first) == len(first.intents):
        return words.gettext(
            "No chart of the weakest topics: no topic has the %(n)s tested examples needed for a ranking.",
            n=ENOUGH_TESTED,
        )
    return words.gettext("No chart of the weakest topics: every topic with enough tests was always recognised.")


@router.get("/topics.{kind}")
def export_topics(visit: ReaderVisit, number: Number, kind: str, asked: TopicsAsked) -> Response:
    """Return how each topic fared as CSV or XLSX."""
    run = runs.show_run(visit.store, visit.project, number, intents.KIND).run
    result, search = intents.intents_result(visit.store, run), asked.chosen["search"]
    rows = []
    for topic in intents.topic_lines(result, search=search, sort=asked.sort):
        recall, shares = topic.recall, (topic.precision.value, topic.deferred.value, topic.f1, topic.attracted)
        rows.append((topic.intent, topic.examples, recall.value, recall.low, recall.high, recall.n, *shares))
    return findings_file(visit.project, run, f"topics.{kind}", TOPIC_COLUMNS, rows)


async def _asked_confusion(search: Search = "", intent: Word = "", page: PageNumber = 1) -> Listing:
    return Listing("", {"search": search, "intent": intent}, page=page, size=SHOWN_MISTAKES)


ConfusionAsked = Annotated[Listing, Depends(_asked_confusion)]


@router.get("/confusion")
def show_confusion(visit: ReaderVisit, number: Number, asked: ConfusionAsked, cell: CellAsked = ()) -> Response:
    """Show which topic is taken for which: the costliest groups as tinted tables, then every mistake as a list."""
    words, line = visit.words, runs.show_run(visit.store, visit.project, number, intents.KIND)
    result, base = intents.intents_result(visit.store, line.run), run_path(visit.project, line.run)
    cells, names = intents.confusion_lines(result, **asked.chosen), intents.confused_names(result)
    listing, intent = asked.at(f"{base}/confusion"), asked.chosen["intent"]
    known = dict.fromkeys([*names, *([intent] if intent else [])])
    choices = named_choices(known, words.gettext("all topics with mistakes"))
    return findings_page(
        visit,
        line,
        listing,
        len(cells),
        title=words.gettext("Confusion"),
        tab="confusion",
        lead=words.ngettext(
            "%(num)s kind of mistake, most frequent first.",
            "%(num)s kinds of mistakes, most frequent first.",
            len(cells),
        ),
        fields=(
            Field("intent", words.gettext("Topic involved"), "select", intent, choices=choices),
            Field("search", words.gettext("Search topics"), "search", asked.chosen["search"]),
        ),
        caption=words.gettext("Which topic is mistaken for which, over all rounds"),
        columns=(
            *text_columns(words.gettext("Actual topic"), words.gettext("Mistaken for")),
            *number_columns(words.gettext("Answered"), words.gettext("Declined")),
        ),
        rows=[_cell_row(words, base, cell) for cell in listing.cut(cells)],
        heat=heat_view(visit, line.run, cell, path=listing.path, most=SHOWN_GROUPS) if asked.page == 1 else None,
        nothing="" if names else words.gettext("No topic was mistaken for another in this exam."),
    )


@router.get("/confusion.{kind}")
def export_confusion(visit: ReaderVisit, number: Number, kind: str, asked: ConfusionAsked) -> Response:
    """Return which topic is taken for which as CSV or XLSX."""
    run = runs.show_run(visit.store, visit.project, number, intents.KIND).run
    cells = intents.confusion_lines(intents.intents_result(visit.store, run), **asked.chosen)
    rows = [(cell.origin, cell.guess, cell.answered, cell.deferred) for cell in cells]
    return findings_file(visit.project, run, f"confusion.{kind}", CONFUSION_COLUMNS, rows)


def _cell_row(words: Words, base: str, cell: ConfusionCell) -> Row:
    writer = Writer(words)
    query = urlencode({"intent": cell.origin or "", "guess": cell.guess or ""})
    name = link_cell(f"{base}/questions?{query}", cell.origin or "")
    if cell.negative:
        name += Markup(' <span class="muted">{}</span>').format(words.gettext("(not trained)"))
    return Row((name, cell.guess, writer.number(cell.answered), writer.number(cell.deferred)))
