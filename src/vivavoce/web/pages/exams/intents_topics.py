"""What an intents exam found out about topics, and which of them are taken for which."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Request
from markupsafe import Markup
from starlette.responses import Response

from vivavoce.reports.intents.meanings import MEASURES
from vivavoce.web.access import InStore, ProjectInPath, Reader
from vivavoce.web.answers import words_of
from vivavoce.web.cells import link_cell, rate_cell
from vivavoce.web.formats import Writer
from vivavoce.web.language import Words
from vivavoce.web.listing import Listing, Number, PageNumber, Search, Word
from vivavoce.web.pages.exams.findings import FindingsView, figures_of, findings_file, findings_page
from vivavoce.web.pages.exams.intents import result_tabs
from vivavoce.web.parts import Column, Field, Row, hidden_field, named_choices, number_columns, text_columns
from vivavoce.web.progress import run_head, run_path
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
# The matrix below is heavy; the list before it is short.
SHOWN_MISTAKES = 25
CONFUSION_COLUMNS = ("true_topic", "guess", "answered", "deferred")


# --- topics ------------------------------------------------------------------------------------------------------


async def _asked_topics(search: Search = "", sort: Word = "found", page: PageNumber = 1) -> Listing:
    return Listing("", {"search": search}, sort, page)


TopicsAsked = Annotated[Listing, Depends(_asked_topics)]


@router.get("/topics")
def show_topics(  # noqa: PLR0917
    request: Request, who: Reader, store: InStore, project: ProjectInPath, number: Number, asked: TopicsAsked
) -> Response:
    """Show how each topic fared, the weakest first."""
    words, line = words_of(request), runs.show_run(store, project, number, intents.KIND)
    result, base = intents.intents_result(store, line.run), run_path(project, line.run)
    lines, listing = _topic_lines(result, asked), asked.at(f"{base}/topics")
    undrawn = _why_undrawn(words, result)
    view = FindingsView(
        head=run_head(words, project, line),
        lead=words.ngettext("%(num)s topic was examined.", "%(num)s topics were examined.", len(lines)),
        tabs=result_tabs(words, project, line.run, "topics"),
        path=listing.path,
        fields=(
            Field("search", words.gettext("Topic"), "search", asked.chosen["search"]),
            hidden_field("sort", asked.sort),
        ),
        caption=words.gettext("How each topic fared with every topic known"),
        columns=_topic_columns(words, listing),
        rows=tuple(_topic_row(words, base, one) for one in listing.cut(lines)),
        pager=listing.pager(len(lines)),
        downloads=listing.downloads(),
        figures=() if undrawn else figures_of(store, project, line.run, "topics"),
        undrawn=undrawn,
    )
    return findings_page(request, view, project, words.gettext("Topics"))


def _topic_lines(result: IntentsResult, asked: Listing) -> Sequence[IntentFindings]:
    return intents.topic_lines(result, search=asked.chosen["search"], sort=asked.sort)


def _why_undrawn(words: Words, result: IntentsResult) -> str:
    """Say why there is no chart of the weakest topics; nothing where there is one."""
    from vivavoce.intents.problems import ENOUGH_TESTED, weakest_topics
    from vivavoce.reports.intents.choices import untold_topics

    first = next(iter(result.settings), None)
    if first is None or weakest_topics(first, 1):
        return ""
    if untold_topics(first) == len(first.intents):
        return words.gettext(
            "The weakest topics are not drawn: no topic has %(n)s tested examples, too few to rank them by.",
            n=ENOUGH_TESTED,
        )
    return words.gettext("The weakest topics are not drawn: every topic with enough tests was always found.")


@router.get("/topics.{kind}")
def export_topics(  # noqa: PLR0917
    who: Reader, store: InStore, project: ProjectInPath, number: Number, kind: str, asked: TopicsAsked
) -> Response:
    """Return how each topic fared as CSV or XLSX."""
    run = runs.show_run(store, project, number, intents.KIND).run
    lines = _topic_lines(intents.intents_result(store, run), asked)
    return findings_file(project, run, f"topics.{kind}", TOPIC_COLUMNS, [_topic_cells(one) for one in lines])


def _topic_columns(words: Words, listing: Listing) -> tuple[Column, ...]:
    def of(measure: str, name: str, *, down: bool = False) -> Column:
        told = MEASURES[measure]
        return listing.column(words.said(told.title), name, number=True, meaning=words.said(told.meaning), down=down)

    return (
        listing.column(words.gettext("Topic"), "name"),
        of("examples", "examples", down=True),
        of("recall", "found"),
        of("deferred", "deferred", down=True),
        of("precision", "right"),
        of("f1", "f1"),
        of("attracted", "attracted", down=True),
    )


def _topic_row(words: Words, base: str, one: IntentFindings) -> Row:
    writer = Writer(words)
    rates = (one.recall, one.deferred, one.precision)
    return Row(
        (
            link_cell(f"{base}/questions?{urlencode({'intent': one.intent})}", one.intent),
            writer.number(one.examples),
            *(rate_cell(words, rate) for rate in rates),
            writer.number(one.f1, 2),
            writer.number(one.attracted),
        )
    )


def _topic_cells(one: IntentFindings) -> tuple[object, ...]:
    found = one.recall
    told = (one.intent, one.examples, found.value, found.low, found.high, found.n)
    return (*told, one.precision.value, one.deferred.value, one.f1, one.attracted)


# --- confusion ---------------------------------------------------------------------------------------------------


async def _asked_confusion(search: Search = "", intent: Word = "", page: PageNumber = 1) -> Listing:
    return Listing("", {"search": search, "intent": intent}, page=page, size=SHOWN_MISTAKES)


ConfusionAsked = Annotated[Listing, Depends(_asked_confusion)]


@router.get("/confusion")
def show_confusion(  # noqa: PLR0917
    request: Request, who: Reader, store: InStore, project: ProjectInPath, number: Number, asked: ConfusionAsked
) -> Response:
    """Show which topic is taken for which: the ranked list first, then the matrix."""
    words, line = words_of(request), runs.show_run(store, project, number, intents.KIND)
    result, base = intents.intents_result(store, line.run), run_path(project, line.run)
    cells, names = intents.confusion_lines(result, **asked.chosen), intents.confused_names(result)
    listing = asked.at(f"{base}/confusion")
    view = FindingsView(
        head=run_head(words, project, line),
        lead=words.ngettext(
            "%(num)s kind of mistake was seen; the most frequent comes first.",
            "%(num)s kinds of mistakes were seen; the most frequent come first.",
            len(cells),
        ),
        tabs=result_tabs(words, project, line.run, "confusion"),
        path=listing.path,
        fields=_confusion_fields(words, asked.chosen, names),
        caption=words.gettext("Which topic is taken for which, over all retries"),
        columns=_confusion_columns(words),
        rows=tuple(_cell_row(words, base, cell) for cell in listing.cut(cells)),
        pager=listing.pager(len(cells)),
        downloads=listing.downloads(),
        figures=figures_of(store, project, line.run, "confusion") if names else (),
        nothing="" if names else words.gettext("No topic was taken for another in this exam."),
    )
    return findings_page(request, view, project, words.gettext("Confusion"))


@router.get("/confusion.{kind}")
def export_confusion(  # noqa: PLR0917
    who: Reader, store: InStore, project: ProjectInPath, number: Number, kind: str, asked: ConfusionAsked
) -> Response:
    """Return which topic is taken for which as CSV or XLSX."""
    run = runs.show_run(store, project, number, intents.KIND).run
    cells = intents.confusion_lines(intents.intents_result(store, run), **asked.chosen)
    rows = [(cell.origin, cell.guess, cell.answered, cell.deferred) for cell in cells]
    return findings_file(project, run, f"confusion.{kind}", CONFUSION_COLUMNS, rows)


def _confusion_fields(words: Words, chosen: Mapping[str, str], names: Sequence[str]) -> tuple[Field, ...]:
    known = dict.fromkeys([*names, *filter(None, [chosen["intent"]])])
    choices = named_choices(known, words.gettext("all topics with mistakes"))
    return (
        Field("intent", words.gettext("One of the two is"), "select", chosen["intent"], choices=choices),
        Field("search", words.gettext("Words in the topics"), "search", chosen["search"]),
    )


def _confusion_columns(words: Words) -> tuple[Column, ...]:
    topics = text_columns(words.gettext("True topic"), words.gettext("Taken for"))
    return (*topics, *number_columns(words.gettext("Answered so"), words.gettext("Held back")))


def _cell_row(words: Words, base: str, cell: ConfusionCell) -> Row:
    writer = Writer(words)
    query = urlencode({"intent": cell.origin or "", "guess": cell.guess or ""})
    name = link_cell(f"{base}/questions?{query}", cell.origin or "")
    if cell.negative:
        name += Markup(' <span class="muted">{}</span>').format(words.gettext("(not taught)"))
    return Row((name, cell.guess, writer.number(cell.answered), writer.number(cell.deferred)))
