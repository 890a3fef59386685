"""Two intents exams side by side: numbers, questions that became better or worse, and the edits between."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from vivavoce.errors import InputError
from vivavoce.records import Rate
from vivavoce.reports.intents.meanings import MEASURES
from vivavoce.store.rows import Project, Run
from vivavoce.web.access import InStore, ProjectInPath, Reader
from vivavoce.web.answers import page, table_file, words_of
from vivavoce.web.cells import difference_cell, rate_cell
from vivavoce.web.formats import Writer
from vivavoce.web.language import Words
from vivavoce.web.listing import LARGEST, Listing
from vivavoce.web.pages.exams.findings import scope_title
from vivavoce.web.pages.exams.verdict_words import EDITS, verdict_sentence
from vivavoce.web.pages.topics.edits import shown_edits
from vivavoce.web.parts import Column, Field, Row, number_columns, text_columns
from vivavoce.web.progress import run_choice, run_path
from vivavoce.web.rendering import Link, View
from vivavoce.workspace.exams import intents
from vivavoce.workspace.exams.causes import Cause
from vivavoce.workspace.exams.comparing import ComparedQuestion, RateChange, RunComparison, compare_runs
from vivavoce.workspace.exams.verdicts import main_scope

router = APIRouter(prefix="/p/{slug}/intents")
RunNumber = Annotated[int, Query(ge=0, le=LARGEST)]
COLUMNS = (
    "change",
    "question",
    "topic",
    "before",
    "after",
    "guess_before",
    "guess_after",
    "topic_before",
    "refiled_by",
    "examples",
)
SHOWN_QUESTIONS = 40


@router.get("/compare")
def show_comparison(  # noqa: PLR0917
    request: Request, who: Reader, store: InStore, project: ProjectInPath, a: RunNumber = 0, b: RunNumber = 0
) -> Response:
    """Show two runs side by side; the last two where none are chosen."""
    words = words_of(request)
    found = intents.done_runs(store, project)
    first, second = _chosen(found, a, b)
    error: InputError | None = None
    compared = None
    if first and second:
        try:
            compared = compare_runs(store, project, first, second)
        except InputError as refused:
            error = refused
    base = f"/p/{project.slug}/intents"
    view = View(
        lead=_lead(words, compared),
        path=f"{base}/compare",
        fields=_fields(words, found, first, second),
        enough=len(found) > 1,
        start=Link(words.gettext("Start an exam"), base),
        chosen=_said_choice(words, a, b) if compared else "",
        part=_part(words, project, compared) if compared else None,
        error=error,
    )
    title, status = words.gettext("Two runs side by side"), 400 if error else 200
    return page(request, "exams/comparing.html", title, view=view, project=project, section="intents", status=status)


@router.get("/compare.{kind}")
def export_comparison(  # noqa: PLR0917
    who: Reader, store: InStore, project: ProjectInPath, kind: str, a: RunNumber, b: RunNumber
) -> Response:
    """Return the questions that became better or worse as CSV or XLSX."""
    found = compare_runs(store, project, a, b)
    rows = [
        (
            change,
            one.text,
            one.intent,
            one.before,
            one.after,
            one.guess_before,
            one.guess_after,
            one.intent_before,
            one.refiled_by,
            one.examples,
        )
        for change, questions in (("improved", found.questions.improved), ("broken", found.questions.broken))
        for one in questions
    ]
    return table_file(f"{project.slug}-{found.a.number}-{found.b.number}", kind, COLUMNS, rows)


def _chosen(found: Sequence[Run], a: int, b: int) -> tuple[int, int]:
    newest = [run.number for run in found[:2]]
    if len(newest) < 2:
        return a, b
    return a or newest[1], b or newest[0]


def _said_choice(words: Words, a: int, b: int) -> str:
    """Say that the runs were not chosen by the reader; nothing where they were."""
    if a and b:
        return ""
    return words.gettext("These are the two newest finished exams; choose others above.")


def _fields(words: Words, found: Sequence[Run], a: int, b: int) -> tuple[Field, ...]:
    choices = tuple(run_choice(words, run) for run in found)
    return (
        Field("a", words.gettext("Earlier run"), "select", str(a), choices=choices),
        Field("b", words.gettext("Later run"), "select", str(b), choices=choices),
    )


def _lead(words: Words, found: RunComparison | None) -> str:
    if found is None:
        return words.gettext("Choose two runs of the intents exam to see what changed between them.")
    return verdict_sentence(words, found.verdict, found.a.number, found.b.number)


def _part(words: Words, project: Project, found: RunComparison) -> View:
    questions, chosen = found.questions, {"a": str(found.a.number), "b": str(found.b.number)}
    files = Listing(f"/p/{project.slug}/intents/compare", chosen)
    return View(
        remarks=tuple(_remarks(words, found)),
        columns=_columns(words, project, found),
        rows=(*_verdict_rows(words, found), *(_change_row(words, change) for change in found.changes)),
        cause_columns=_cause_columns(words),
        causes=tuple(_cause_rows(words, found)),
        by_later=_by_later(words, found),
        question_columns=_question_columns(words),
        improved=tuple(_question_row(words, one) for one in questions.improved[:SHOWN_QUESTIONS]),
        improved_title=words.ngettext(
            "%(num)s question became right", "%(num)s questions became right", found.verdict.improved
        ),
        broken=tuple(_question_row(words, one) for one in questions.broken[:SHOWN_QUESTIONS]),
        broken_title=words.ngettext(
            "%(num)s question is not right any more",
            "%(num)s questions are not right any more",
            found.verdict.broken,
        ),
        downloads=files.downloads(),
        edits=shown_edits(project, found.edits),
        edits_title=words.ngettext(
            "%(num)s edit lies between them", "%(num)s edits lie between them", found.all_edits
        ),
    )


def _remarks(words: Words, found: RunComparison) -> list[str]:
    """Say what must be known before the two are compared."""
    said = []
    if found.same_data:
        said.append(words.gettext("Both runs examined exactly the same examples."))
    else:
        said.append(words.gettext("The examples differ: numbers also change because other questions were asked."))
    said += _unpaired(words, found)
    for name, old, new in found.differing:
        said.append(words.gettext("%(name)s: %(old)s, then %(new)s.", name=name, old=old, new=new))
    return said


def _unpaired(words: Words, found: RunComparison) -> list[str]:
    """Say which examples are not among the shared questions, and why."""
    questions, number = found.questions, Writer(words).number
    said = []
    if questions.only_before or questions.only_after:
        said.append(
            words.gettext(
                "Not compared, because only one run tested them: %(before)s examples in run %(a)s, %(after)s in "
                "run %(b)s.",
                before=number(questions.only_before),
                after=number(questions.only_after),
                a=found.a.number,
                b=found.b.number,
            )
        )
    if questions.reworded:
        text = words.ngettext(
            "%(num)s example was reworded in between and is not compared.",
            "%(num)s examples were reworded in between and are not compared.",
            questions.reworded,
        )
        said.append(text)
    return said


def _columns(words: Words, project: Project, found: RunComparison) -> tuple[Column, ...]:
    runs = (found.a, found.b)
    sides = (
        Column(words.gettext("Run %(number)s", number=run.number), run_path(project, run), number=True)
        for run in runs
    )
    meaning = words.gettext(
        "Later minus earlier. Coloured where the change is clear: the first line is judged by the shared questions, "
        "every other number by itself, which takes more data."
    )
    return (
        Column(words.gettext("Number")),
        Column(words.gettext("Setting")),
        *sides,
        Column(words.gettext("Difference"), number=True, meaning=meaning),
    )


def _verdict_rows(words: Words, found: RunComparison) -> list[Row]:
    """Return the line that the verdict is about: decisions right on the questions that both runs asked."""
    verdict = found.verdict
    if not verdict.shared:
        return []
    rights = (verdict.right_before, verdict.right_after)
    sides = (Rate(right / verdict.shared, None, None, verdict.shared) for right in rights)
    clear, good = verdict.verdict in ("better", "worse"), verdict.verdict == "better"
    return [
        Row(
            (
                words.gettext("Shared questions right"),
                scope_title(words, main_scope(found.b)),
                *(rate_cell(words, side) for side in sides),
                difference_cell(words, verdict.difference, clear=clear, good=good),
            )
        )
    ]


def _change_row(words: Words, change: RateChange) -> Row:
    measure = MEASURES[change.name]
    good = ((change.difference.value or 0.0) > 0) == (measure.better != "lower")
    return Row(
        (
            words.said(measure.title),
            scope_title(words, change.scope),
            rate_cell(words, change.before, measure),
            rate_cell(words, change.after, measure),
            difference_cell(words, change.difference, measure.kind, clear=change.clear, good=good),
        )
    )


def _by_later(words: Words, found: RunComparison) -> str:
    """Say what is left of the change where both runs are judged by the topics of the later one."""
    judged, number = found.questions.by_later_topics, Writer(words).number
    return words.gettext(
        "With both runs judged by the topics of run %(b)s, %(better)s became right and %(worse)s no longer are; the "
        "others changed only because they moved to another topic.",
        b=found.b.number,
        better=number(judged.improved),
        worse=number(judged.broken),
    )


def _cause_columns(words: Words) -> tuple[Column, ...]:
    return (
        Column(words.gettext("Filed under another topic by")),
        *number_columns(words.gettext("Edits"), words.gettext("Became right"), words.gettext("No longer right")),
    )


def _cause_rows(words: Words, found: RunComparison) -> list[Row]:
    """Return what each kind of edit did to the questions that it filed under another topic; then the rest."""
    causes, number = found.questions.causes, Writer(words).number
    if not causes:
        return []
    improved = found.verdict.improved - sum(one.improved for one in causes)
    broken = found.verdict.broken - sum(one.broken for one in causes)
    rest = Row((words.gettext("Filed as before"), "", number(improved), number(broken)))
    return [*(_cause_row(words, one) for one in causes), rest]


def _cause_row(words: Words, cause: Cause) -> Row:
    number = Writer(words).number
    counts = (number(count) for count in (cause.edits, cause.improved, cause.broken))
    return Row((words.gettext(EDITS[cause.kind]), *counts))


def _question_columns(words: Words) -> tuple[Column, ...]:
    return text_columns(
        words.gettext("Question"),
        words.gettext("Filed under"),
        words.gettext("Before"),
        words.gettext("After"),
        words.gettext("Guess before"),
        words.gettext("Guess after"),
    )


def _question_row(words: Words, one: ComparedQuestion) -> Row:
    from vivavoce.outcomes import Outcome
    from vivavoce.reports.intents.wording import OUTCOME_TITLES

    none = words.gettext("none")
    topic = one.intent or none
    if one.intent != one.intent_before:
        topic = words.gettext("%(now)s (before: %(then)s)", now=topic, then=one.intent_before or none)
    outcomes = (words.said(OUTCOME_TITLES[Outcome(said)]) for said in (one.before, one.after))
    sides = ((one.guess_before, one.before), (one.guess_after, one.after))
    guesses = (guess or (words.gettext("another topic") if said == "wrong_intent" else none) for guess, said in sides)
    return Row((one.text, topic, *outcomes, *guesses))
