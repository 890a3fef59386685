"""Single questions of an intents exam, and what the confidence of the bot is worth."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Depends, Request
from markupsafe import Markup
from starlette.responses import Response

from vivavoce.outcomes import Outcome
from vivavoce.store.database import Store
from vivavoce.store.rows import OutcomeRow, Run
from vivavoce.web.access import InStore, ProjectInPath, Reader
from vivavoce.web.answers import page, words_of
from vivavoce.web.figures import drawn
from vivavoce.web.formats import Writer
from vivavoce.web.language import Words
from vivavoce.web.listing import Listing, Number, PageNumber, Search, Word
from vivavoce.web.pages.exams.findings import FindingsView, findings_file, findings_page
from vivavoce.web.pages.exams.intents import SECTION, result_tabs
from vivavoce.web.parts import Column, Field, Row, Tone, hidden_field, number_columns, text_columns
from vivavoce.web.progress import run_head, run_path, tab_title
from vivavoce.web.rendering import Link, View
from vivavoce.workspace.exams import intents, runs

if TYPE_CHECKING:
    from vivavoce.intents.result import IntentsResult

router = APIRouter(prefix="/p/{slug}/intents/{number:int}")
MOST_EXPORTED = 50_000
GOOD = (Outcome.RIGHT, Outcome.DECLINED, Outcome.DECLINED_NO_GUESS)
BAD = (Outcome.WRONG_INTENT, Outcome.OVERREACH)
QUESTION_COLUMNS = (
    "question",
    "topic",
    "most_frequent_guess",
    "confidence",
    "outcome",
    "right",
    "deferred",
    "wrong",
)


# --- questions ---------------------------------------------------------------------------------------------------


async def _asked_questions(
    outcome: Word = "", intent: Word = "", guess: Word = "", search: Search = "", page: PageNumber = 1
) -> Listing:
    return Listing("", {"outcome": outcome, "intent": intent, "guess": guess, "search": search}, page=page)


QuestionsAsked = Annotated[Listing, Depends(_asked_questions)]


@router.get("/questions")
def show_questions(  # noqa: PLR0917
    request: Request, who: Reader, store: InStore, project: ProjectInPath, number: Number, asked: QuestionsAsked
) -> Response:
    """Show single questions by what came of them."""
    words, line = words_of(request), runs.show_run(store, project, number, intents.KIND)
    listing, outcome = asked.at(f"{run_path(project, line.run)}/questions"), asked.chosen["outcome"]
    found = intents.list_questions(store, line.run, limit=asked.size, offset=asked.offset, **asked.wanted)
    view = FindingsView(
        head=run_head(words, project, line),
        lead=words.ngettext("%(num)s question is shown.", "%(num)s questions are shown.", found.total),
        tabs=result_tabs(words, project, line.run, "questions"),
        path=listing.path,
        fields=_question_fields(words, asked.chosen),
        caption=words.gettext("Questions, and what came of them over all retries with every topic known"),
        columns=_question_columns(words),
        rows=tuple(_question_row(words, row) for row in found.rows),
        pager=listing.pager(found.total),
        downloads=listing.downloads(),
        outcomes=_outcome_tabs(words, listing, found, outcome),
        meaning=_meaning(words, outcome),
        nothing="" if found.total else _why_none(words, store, line.run, asked.chosen),
    )
    return findings_page(request, view, project, words.gettext("Questions"))


@router.get("/questions.{kind}")
def export_questions(  # noqa: PLR0917
    who: Reader, store: InStore, project: ProjectInPath, number: Number, kind: str, asked: QuestionsAsked
) -> Response:
    """Return questions and what came of them as CSV or XLSX."""
    run = runs.show_run(store, project, number, intents.KIND).run
    found = intents.list_questions(store, run, offset=0, limit=MOST_EXPORTED, **asked.wanted)
    rows = [
        (row.text, row.intent, row.guess, row.confidence, row.outcome, row.right, row.deferred, row.wrong)
        for row in found.rows
    ]
    return findings_file(project, run, f"questions.{kind}", QUESTION_COLUMNS, rows)


def _why_none(words: Words, store: Store, run: Run, chosen: Mapping[str, str]) -> str:
    """Say why two topics are named together although none of their questions was taken for the other."""
    pair, narrowed = {chosen["intent"], chosen["guess"]}, chosen["outcome"] or chosen["search"]
    known = ({one.a, one.b} == pair for one in intents.intents_result(store, run).pairs)
    if narrowed or not any(known):
        return ""
    names = {"a": chosen["intent"], "b": chosen["guess"]}
    back = intents.list_questions(store, run, intent=chosen["guess"], guess=chosen["intent"], limit=1).total
    if back:
        return words.gettext("No question of %(a)s was taken for %(b)s; the reverse did happen.", **names)
    return words.gettext(
        "No question of %(a)s was taken for %(b)s in this exam. The two are named together because their texts are "
        "alike, not because of mistakes.",
        **names,
    )


def _question_fields(words: Words, chosen: Mapping[str, str]) -> tuple[Field, ...]:
    return (
        Field("search", words.gettext("Words in the question"), "search", chosen["search"]),
        Field("intent", words.gettext("Filed under"), "search", chosen["intent"]),
        Field("guess", words.gettext("Guess"), "search", chosen["guess"]),
        hidden_field("outcome", chosen["outcome"]),
    )


def _question_columns(words: Words) -> tuple[Column, ...]:
    said = text_columns(
        words.gettext("Question"),
        words.gettext("Filed under"),
        words.gettext("Most frequent guess"),
        words.gettext("Outcome"),
    )
    return (*said, *number_columns(words.gettext("Right, deferred, wrong"), words.gettext("Confidence")))


def _question_row(words: Words, row: OutcomeRow) -> Row:
    from vivavoce.reports.intents.wording import OUTCOME_TITLES

    outcome, none = Outcome(row.outcome), words.gettext("none")
    tone: Tone = "good" if outcome in GOOD else "bad" if outcome in BAD else "neutral"
    told = (words.said(text) for text in (outcome.meaning, OUTCOME_TITLES[outcome]))
    mark = Markup('<span class="mark {}" title="{}">{}</span>').format(tone, *told)
    counts = f"{row.right} / {row.deferred} / {row.wrong}"
    sure = Writer(words).share(row.confidence)
    return Row((row.text, row.intent or none, row.guess or none, mark, counts, sure))


def _outcome_tabs(words: Words, listing: Listing, found: intents.QuestionPage, current: str) -> tuple[Link, ...]:
    from vivavoce.reports.intents.wording import OUTCOME_TITLES

    writer = Writer(words)
    every = words.gettext("All")
    tabs = [Link(f"{every} ({writer.number(sum(found.counts.values()))})", listing.address(outcome=""), not current)]
    for outcome in Outcome:
        if n := found.counts.get(outcome.value, 0):
            title = f"{words.said(OUTCOME_TITLES[outcome])} ({writer.number(n)})"
            tabs.append(Link(title, listing.address(outcome=outcome.value), current == outcome.value))
    return tuple(tabs)


def _meaning(words: Words, outcome: str) -> str:
    found = words.said(next((one.meaning for one in Outcome if one.value == outcome), ""))
    return f"{found[:1].upper()}{found[1:]}." if found else ""


# --- confidence --------------------------------------------------------------------------------------------------


@router.get("/curve")
def show_curve(request: Request, who: Reader, store: InStore, project: ProjectInPath, number: Number) -> Response:
    """Show what the confidence of the bot is worth."""
    words = words_of(request)
    line = runs.show_run(store, project, number, intents.KIND)
    result = intents.intents_result(store, line.run)
    curve = number_columns(words.gettext("Answers wrong"), words.gettext("Threshold"))
    claims = number_columns(words.gettext("Is right"), words.gettext("Questions"))
    view = View(
        head=run_head(words, project, line),
        lead=words.gettext("A lower threshold answers more and errs more: here is how much."),
        tabs=result_tabs(words, project, line.run, "curve"),
        curve=drawn(store, project, line.run, "risk-coverage"),
        curve_columns=(*text_columns(words.gettext("Answered")), *curve),
        curve_rows=tuple(_curve_rows(words, result)),
        calibration=drawn(store, project, line.run, "calibration"),
        calibration_columns=(*text_columns(words.gettext("Claims")), *claims),
        calibration_rows=tuple(_bin_rows(words, result)),
    )
    title = f"{words.gettext('Confidence')}: {tab_title(words, line.run)}"
    return page(request, "exams/intents_curve.html", title, view=view, project=project, section=SECTION)


def _curve_rows(words: Words, result: IntentsResult) -> Iterable[Row]:
    writer = Writer(words)
    for findings in result.settings[:1]:
        curve = findings.curve
        for place in curve.tenths():
            shares = (float(curve.coverage[place]), float(curve.risk[place]))
            threshold = max(0.0, float(curve.thresholds[place]))
            yield Row((*(writer.share(share) for share in shares), writer.number(threshold, 2)))


def _bin_rows(words: Words, result: IntentsResult) -> Iterable[Row]:
    writer = Writer(words)
    for findings in result.settings[:1]:
        for one in findings.bins:
            yield Row((writer.share(one.confidence), writer.share(one.right), writer.number(one.n)))
